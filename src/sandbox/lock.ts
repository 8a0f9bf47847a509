/**
 * The lock of a data file: a Unix socket beside it, whose name is never used again and stands only
 * once it listens. One that refuses connections belongs to no process and is cleared away.
 */
import { randomBytes } from 'node:crypto'
import { readdir, rename, rm, symlink } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { SAYS } from './sentences.js'

/** A Unix socket has at most so many bytes in its path on every system. */
const MAX_PATH = 103
const PATIENCE_MS = 5000
const AGAIN_MS = 10
/** What follows the name of the file, different for each lock. */
const ENDING = /^\.lock-[0-9a-f]{8}$/
/** No process holds a lock that gives one of these errors. */
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

  /** Null when another process has it. Errors: the system's, where no socket can be made. */
  static async take(file: string, patience = PATIENCE_MS): Promise<Lock | null> {
    const lock = new Lock(`${file}.lock-${ownPart()}`)
    await lock.#listen()
    let isOurs = false
    try {
      isOurs = await lock.#isAlone(basename(file), patience)
    } finally {
      if (!isOurs) await lock.release()
    }
    return isOurs ? lock : null
  }

  async release(): Promise<void> {
    await new Promise(resolve => this.#server.close(resolve))
    await rm(this.#path, { force: true })
  }

  async #listen(): Promise<void> {
    const unnamed = `${this.#path}.new`
    await reached(unnamed, path => {
      return new Promise<void>((resolve, reject) => {
        this.#server.on('error', reject)
        // processes of other users may ask too
        this.#server.listen({ path, readableAll: true, writableAll: true }, resolve)
      })
    })
    await rename(unnamed, this.#path)
  }

  /**
   * Each has its name before it looks, so of two at least one sees the other; of those that take it
   * together, the first by name waits for the rest to withdraw.
   */
  async #isAlone(file: string, patience: number): Promise<boolean> {
    const own = basename(this.#path)
    for (const since = Date.now(); Date.now() - since < patience; await wait(AGAIN_MS)) {
      const heard = await Promise.all(
        (await this.#others(file)).map(async name => ({
          name,
          word: await this.#ask(name, patience)
        }))
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
    const isLock = (name: string) => name.startsWith(file) && ENDING.test(name.slice(file.length))
    return found
      .filter(
        entry => entry.isSocket() && isLock(entry.name) && entry.name !== basename(this.#path)
      )
      .map(({ name }) => name)
  }

  /** The word of another lock, or an error. A lock that no process holds is cleared away. */
  async #ask(name: string, patience: number): Promise<string> {
    const path = join(dirname(this.#path), name)
    const word = await reached(path, short => answerOf(short, patience))
    // another user's socket in a folder such as /tmp cannot be removed, and does no harm
    if (NOBODY.includes(word)) await rm(path, { force: true }).catch(() => {})
    return word
  }
}

const ownPart = () => randomBytes(4).toString('hex')

/**
 * By the path of the socket or, where that is too long, through a link to its folder that is
 * removed afterwards.
 */
async function reached<T>(path: string, act: (short: string) => Promise<T>): Promise<T> {
  if (Buffer.byteLength(path) <= MAX_PATH) return act(path)
  const link = join(tmpdir(), `lock-${ownPart()}`)
  const short = join(link, basename(path))
  if (Buffer.byteLength(short) > MAX_PATH) throw new Error(SAYS.longName(basename(path)))
  await symlink(dirname(path), link)
  return act(short).finally(() => rm(link))
}

/** The reply, or an error code; empty if the process is too busy, or stopped. */
function answerOf(path: string, patience: number): Promise<string> {
  return new Promise(resolve => {
    let answer = ''
    const socket = connect(path).setEncoding('utf8').setTimeout(patience)
    socket.on('data', text => {
      answer += text
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      answer = error.code as string
    })
    socket.on('timeout', () => socket.destroy())
    socket.on('close', () => resolve(answer))
  })
}
