/** The lock of a data file: a Unix socket beside it. It goes with its process however that ends, in containers too, so one that does not answer is nobody's. */
import { rm, stat } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { platform } from 'node:os'
import { relative } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** The longest path that a Unix socket can have. */
const LONGEST = platform() === 'darwin' ? 103 : 107
/** How long another process that has found the same dead lock may take to put its own in place. */
const SETTLING_MS = 150

export class Lock {
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
  }

  /** Takes the lock of a file; null when a live process holds it. Errors: the system's own where no socket can be made there. */
  static async take(file: string): Promise<Lock | null> {
    const path = shortest(`${file}.lock`)
    const server = await listening(path)
    if (server !== null) return new Lock(server)
    if (await isAnswered(path)) return null
    // left by a process that was killed
    await rm(path, { force: true })
    const next = await listening(path)
    if (next === null) return null
    const { ino } = await stat(path)
    await wait(SETTLING_MS)
    const isOurs = (await stat(path).catch(() => null))?.ino === ino
    if (isOurs) return new Lock(next)
    next.close()
    return null
  }

  async release(): Promise<void> {
    await new Promise(resolve => this.#server.close(resolve))
  }
}

/** The path as it is or from the working folder, whichever is shorter. Errors: one that says what to do when both are too long. */
function shortest(path: string): string {
  const fromHere = relative('.', path)
  const shorter = fromHere.length < path.length ? fromHere : path
  if (Buffer.byteLength(shorter) <= LONGEST) return shorter
  throw new Error(
    `the path of its lock, ${path}, is longer than the ${LONGEST} bytes that a socket's path can have; start in its folder or choose a shorter path`
  )
}

/** A server that listens on the path; null where something stands there already. */
function listening(path: string): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    const server = createServer(socket => socket.destroy())
    server.unref()
    server.once('error', (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(null) : reject(error)))
    server.listen(path, () => resolve(server))
  })
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
