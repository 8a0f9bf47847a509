/**
 * The lock of a data folder: a Unix socket in it, whose name is never used again and ends with
 * `.new` until it listens. One that refuses connections belongs to no process and is removed; a
 * process whose lock was not listening yet makes another.
 */
import { randomBytes } from 'node:crypto'
import { readdir, rename, rm, symlink } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { SAYS } from './sentences.js'

/** Bytes of a Unix socket's path, on every system. */
const MAX_PATH = 103
const PATIENCE_MS = 5000
const AGAIN_MS = 10
const ENDING = /^\.lock-[0-9a-f]{8}(\.new)?$/
/** The errors of a lock that no process holds. */
const NOBODY = ['ECONNREFUSED', 'ENOENT']

export class Lock {
  readonly #path: string
  readonly #server: Server
  /** `takes` until this one is known to be the only one. */
  #word = 'takes'

  private constructor(path: string) {
    this.#path = path
    this.#server = createServer(socket =>
      socket
        .on('error', () => {})
        .end(this.#word)
        .destroySoon()
    )
    this.#server.unref()
  }

  /** Null when another process has it. Errors: the system's. */
  static async take(file: string, patience = PATIENCE_MS): Promise<Lock | null> {
    const lock = new Lock(`${file}.lock-${ownPart()}`)
    let [isMade, isOurs] = [false, false]
    try {
      isMade = await lock.#listen()
      isOurs = isMade && (await lock.#isAlone(basename(file), patience))
    } finally {
      if (!isOurs) await lock.release()
    }
    if (isOurs) return lock
    return isMade ? null : Lock.take(file, patience)
  }

  async release(): Promise<void> {
    await new Promise(resolve => this.#server.close(resolve))
    await rm(this.#path, { force: true })
  }

  /** False if another process removed it. */
  async #listen(): Promise<boolean> {
    const unnamed = `${this.#path}.new`
    await reached(unnamed, path => {
      return new Promise<void>((resolve, reject) => {
        this.#server.on('error', reject)
        // processes of other users may ask too
        this.#server.listen({ path, readableAll: true, writableAll: true }, resolve)
      })
    })
    const error = await rename(unnamed, this.#path).catch(error => error)
    if (error && error.code !== 'ENOENT') throw error
    return !error
  }

  /**
   * Each has its name before it looks, so of two at least one sees the other; the first by name
   * waits for the rest to withdraw.
   */
  async #isAlone(file: string, patience: number): Promise<boolean> {
    const own = basename(this.#path)
    for (const since = Date.now(); Date.now() - since < patience; await wait(AGAIN_MS)) {
      const others = await this.#others(file)
      const heard = await Promise.all(
        others.map(async name => ({ name, word: await this.#ask(name, patience) }))
      )
      if (heard.some(({ name, word }) => word === 'holds' || (word === 'takes' && name < own)))
        return false
      if (heard.every(({ word }) => NOBODY.includes(word))) {
        this.#word = 'holds'
        return true
      }
    }
    return false
  }

  async #others(file: string): Promise<string[]> {
    const found = await readdir(dirname(this.#path), { withFileTypes: true })
    return found
      .filter(entry => entry.isSocket() && entry.name !== basename(this.#path))
      .map(({ name }) => name)
      .filter(name => name.startsWith(file) && ENDING.test(name.slice(file.length)))
  }

  /** The word of another lock, or an error. One that no process holds is removed. */
  async #ask(name: string, patience: number): Promise<string> {
    const path = join(dirname(this.#path), name)
    const word = await reached(path, short => answerOf(short, patience))
    // another user's socket in /tmp cannot be removed, and does no harm
    if (NOBODY.includes(word)) await rm(path, { force: true }).catch(() => {})
    return word
  }
}

const ownPart = () => randomBytes(4).toString('hex')

/** Where the path is too long, through a link to its folder that is removed afterwards. */
async function reached<T>(path: string, act: (short: string) => Promise<T>): Promise<T> {
  if (Buffer.byteLength(path) <= MAX_PATH) return act(path)
  const link = join(tmpdir(), `lock-${ownPart()}`)
  const short = join(link, basename(path))
  if (Buffer.byteLength(short) > MAX_PATH) throw new Error(SAYS.longName(basename(path)))
  await symlink(dirname(path), link)
  return act(short).finally(() => rm(link))
}

/** Or an error code; empty if the process is too busy, or stopped. */
function answerOf(path: string, patience: number): Promise<string> {
  return new Promise(resolve => {
    let answer = ''
    const socket = connect(path)
      .setTimeout(patience, () => socket.destroy())
      .on('data', text => {
        answer += text
      })
      .on('error', (error: NodeJS.ErrnoException) => {
        answer = error.code as string
      })
      .on('close', () => resolve(answer))
  })
}
