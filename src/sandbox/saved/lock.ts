/**
 * The lock of a data folder: a Unix socket in it, whose name is never used again. The system closes
 * it with its process, so a socket that refuses connections is removed.
 */
import { randomBytes } from 'node:crypto'
import { type EventEmitter, once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, rm, symlink } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

export type Lock = { release: () => Promise<void> }

export const LOCK = /^lock-[0-9a-f]{8}$/
/** Bytes of a Unix socket's path, on every system. */
const MAX_PATH = 103
const PATIENCE_MS = 1000
const AGAIN_MS = 10

const randomName = () => `lock-${randomBytes(4).toString('hex')}`

/** Null when another process has it. Errors: the system's. */
export async function takeLock(folder: string): Promise<Lock | null> {
  const path = join(folder, randomName())
  const server = createServer(socket => socket.destroy()).unref()
  const release = async () => {
    await new Promise(resolve => server.close(resolve))
    await rm(path, { force: true })
  }
  let isTaken = false
  try {
    // processes of other users may connect too
    const rights = { readableAll: true, writableAll: true }
    await reach(path, 'listening', short => server.listen({ path: short, ...rights }))
    const isFree = await isAlone(path)
    isTaken = isFree && existsSync(path)
    if (isTaken) return { release }
    // a process that looked before the socket listened has removed it
    return isFree ? await takeLock(folder) : null
  } finally {
    if (!isTaken) await release()
  }
}

/**
 * Each process listens before it looks, so of two at least one sees the other; the first by name
 * waits for the others to withdraw.
 */
async function isAlone(path: string): Promise<boolean> {
  for (const since = Date.now(); Date.now() - since < PATIENCE_MS; await wait(AGAIN_MS)) {
    const names = (await readdir(dirname(path))).filter(name => LOCK.test(name))
    const paths = names.map(name => join(dirname(path), name)).filter(file => file !== path)
    const areHeld = await Promise.all(paths.map(isHeld))
    const rivals = paths.filter((_, nth) => areHeld[nth])
    if (rivals.length === 0) return true
    if (rivals.some(rival => rival < path)) return false
  }
  return false
}

/** Removes the socket of an ended process. */
async function isHeld(path: string): Promise<boolean> {
  const ask = (short: string) => {
    const socket = connect(short)
    return socket.once('connect', () => socket.destroy())
  }
  const refusal = await reach(path, 'connect', ask).catch(error => String(error.code))
  if (refusal !== 'ECONNREFUSED' && refusal !== 'ENOENT') return true
  // another user's socket in /tmp cannot be removed, and does no harm
  await rm(path, { force: true }).catch(() => {})
  return false
}

/** Waits for an event of a socket, by a temporary link to its folder if the path is too long. */
async function reach(
  path: string,
  event: string,
  open: (short: string) => EventEmitter
): Promise<unknown> {
  if (Buffer.byteLength(path) <= MAX_PATH) return once(open(path), event)
  const link = join(tmpdir(), randomName())
  await symlink(dirname(path), link)
  return once(open(join(link, basename(path))), event).finally(() => rm(link))
}
