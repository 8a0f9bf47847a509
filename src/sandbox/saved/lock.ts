/**
 * The lock of a data folder: a Unix socket in it, whose name is never used again. One that refuses
 * connections belongs to no process (any more, or yet) and is removed; a process whose own name is
 * gone takes another.
 */
import { randomBytes } from 'node:crypto'
import { readdir, rm, symlink } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { SAYS } from '../sentences.js'

export type Lock = { release: () => Promise<void> }
/** What a process says of its lock: `takes` until it is known to be the only one. */
type Word = 'takes' | 'holds'

/** Bytes of a Unix socket's path, on every system. */
const MAX_PATH = 103
const PATIENCE_MS = 5000
const AGAIN_MS = 10
const ENDING = /^\.lock-[0-9a-f]{8}$/
/** The errors of a lock without a process. */
const NOBODY = ['ECONNREFUSED', 'ENOENT']

/** Null when another process has it. Errors: the system's. */
export async function takeLock(file: string, patience = PATIENCE_MS): Promise<Lock | null> {
  const path = `${file}.lock-${randomName()}`
  let word: Word = 'takes'
  const server = createServer(socket =>
    socket
      .on('error', () => {})
      .end(word)
      .destroySoon()
  ).unref()
  const release = async () => {
    await new Promise(resolve => server.close(resolve))
    await rm(path, { force: true })
  }
  try {
    await reached(path, short => {
      return new Promise<void>((resolve, reject) => {
        server.on('error', reject)
        // processes of other users may ask too
        server.listen({ path: short, readableAll: true, writableAll: true }, resolve)
      })
    })
    const outcome = await competed(path, basename(file), patience)
    if (outcome === 'won') {
      word = 'holds'
      return { release }
    }
    await release()
    return outcome === 'lost' ? null : takeLock(file, patience)
  } catch (error) {
    await release()
    throw error
  }
}

/**
 * Each process creates its socket before it looks, so of two at least one sees the other; the first
 * by name waits for the others to withdraw.
 */
async function competed(
  path: string,
  file: string,
  patience: number
): Promise<'won' | 'lost' | 'removed'> {
  const ownName = basename(path)
  for (const since = Date.now(); Date.now() - since < patience; await wait(AGAIN_MS)) {
    const locks = await locksOf(file, dirname(path))
    // a process that asked before the socket listened has removed it
    if (!locks.includes(ownName)) return 'removed'
    const others = locks.filter(name => name !== ownName)
    const words = await Promise.all(others.map(name => wordOf(join(dirname(path), name), patience)))
    if (words.every(word => NOBODY.includes(word))) return 'won'
    const isFirst = (word: string, nth: number) => word === 'takes' && String(others[nth]) < ownName
    if (words.includes('holds') || words.some(isFirst)) return 'lost'
  }
  return 'lost'
}

async function locksOf(file: string, folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  return entries
    .filter(entry => entry.isSocket())
    .map(({ name }) => name)
    .filter(name => name.startsWith(file) && ENDING.test(name.slice(file.length)))
}

/**
 * The word of another lock, or an error code; empty if its process is busy or stopped. A lock
 * without a process is removed.
 */
async function wordOf(path: string, patience: number): Promise<string> {
  const word = await reached(
    path,
    short =>
      new Promise<string>(resolve => {
        let heard = ''
        const socket = connect(short)
          .setTimeout(patience, () => socket.destroy())
          .on('data', text => {
            heard += text
          })
          .on('error', (error: NodeJS.ErrnoException) => {
            heard = String(error.code)
          })
          .on('close', () => resolve(heard))
      })
  )
  // another user's socket in /tmp cannot be removed, and does no harm
  if (NOBODY.includes(word)) await rm(path, { force: true }).catch(() => {})
  return word
}

const randomName = () => randomBytes(4).toString('hex')

/** Uses a temporary link to the folder if the path is too long. */
async function reached<T>(path: string, act: (short: string) => Promise<T>): Promise<T> {
  if (Buffer.byteLength(path) <= MAX_PATH) return act(path)
  const link = join(tmpdir(), `lock-${randomName()}`)
  const short = join(link, basename(path))
  if (Buffer.byteLength(short) > MAX_PATH) throw new Error(SAYS.longName(basename(path)))
  await symlink(dirname(path), link)
  return act(short).finally(() => rm(link))
}
