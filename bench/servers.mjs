/**
 * The servers that are measured: processes of their own, started by their command, seen from
 * outside.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ask } from './load.mjs'

/** The checkout that this file belongs to. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CONTROL = fileURLToPath(new URL('./control.mjs', import.meta.url))
const { PATH, HOME } = process.env
/**
 * The environment of what is measured; a million records are more than one document may bring in by
 * default.
 */
const ENVIRONMENT = { PATH, HOME, LIMITS_RECORDS: '10000000' }
const READY = /ready on http:\/\/localhost:(\d+)/

/** The cores that this process may use; empty where `taskset` does not exist. */
function allowedCores() {
  try {
    const list = execFileSync('taskset', ['-cp', `${process.pid}`], { encoding: 'utf8' })
      .split(': ')[1]
      .trim()
    return list.split(',').flatMap(range => {
      const [first, last = first] = range.split('-').map(Number)
      return Array.from({ length: last - first + 1 }, (_, index) => first + index)
    })
  } catch {
    return []
  }
}

/**
 * Moves this process, which makes the calls, to a core of its own.
 * @returns the core for the servers, null where processes cannot be placed, and a function that
 * lets this process go anywhere again
 */
export function separateCores() {
  const cores = allowedCores()
  if (cores.length < 2) return { core: null, release: () => {} }
  const place = list => execFileSync('taskset', ['-acp', list.join(','), `${process.pid}`])
  place([cores[1]])
  return { core: cores[0], release: () => place(cores) }
}

/** What the figures depend on besides the code. */
export const machine = () => ({
  node: process.versions.node,
  processor: cpus()[0].model,
  cores: cpus().length,
  platform: `${process.platform} ${process.arch}`
})

/** The command that runs containers on this machine. */
export function containerEngine() {
  const works = engine => spawnSync(engine, ['info'], { stdio: 'ignore' }).status === 0
  const found = ['docker', 'podman'].find(works)
  if (found === undefined)
    throw new Error('Neither docker nor podman works here, so no container can be started.')
  return found
}

/** Waits until a process prints that it is ready; returns the port that it names. */
const readyLine = child =>
  new Promise(resolve => {
    createInterface({ input: child.stdout }).on('line', text => {
      const [, port] = READY.exec(text) ?? []
      if (port) resolve(Number(port))
    })
  })

/** Waits until somebody listens on a port, and returns it. */
async function listener(port) {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false
    )
    socket.destroy()
    if (isOpen) return port
    await wait(2)
  }
}

/** What runs; a run that is broken off leaves nothing behind. */
const running = new Set()
process.on('exit', () => {
  for (const child of running) child.kill()
})
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

/**
 * Starts a command and waits until it prints that it is ready, or listens on `port` when that is
 * given.
 * @returns port, process id, milliseconds from the spawn until ready, processor time until then,
 * and a function that stops it
 */
export async function startServer(
  [command, ...args],
  { core = null, port = null, stderr = 'inherit' } = {}
) {
  const [file, ...rest] =
    core === null ? [command, ...args] : ['taskset', '-c', `${core}`, command, ...args]
  const begin = performance.now()
  const child = spawn(file, rest, {
    env: ENVIRONMENT,
    stdio: ['ignore', port === null ? 'pipe' : 'ignore', stderr]
  })
  running.add(child)
  const ended = once(child, 'exit').finally(() => running.delete(child))
  const found = await Promise.race([
    port === null ? readyLine(child) : listener(port),
    ended.then(() => null)
  ])
  if (found === null) throw new Error(`${[command, ...args].join(' ')} ended before it was ready.`)
  const [startTime, startCpu] = [performance.now() - begin, cpuOf(child.pid)]
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  return { port: found, pid: child.pid, startTime, startCpu, stop }
}

/**
 * Starts the built command of a checkout on a free port, as by default but silent. With another log
 * level it logs, and the lines are discarded.
 * `nodeArgs` are options of Node.js itself.
 */
export function startEmulator({
  dir = ROOT,
  scenario,
  settings = {},
  nodeArgs = [],
  logLevel = 'silent',
  core
} = {}) {
  const all = { ...settings, ...(scenario && { scenario }) }
  const sets = Object.entries(all).flatMap(([key, value]) => ['--set', `${key}=${value}`])
  const command = [
    process.execPath,
    ...nodeArgs,
    join(dir, 'dist', 'main.js'),
    '--port',
    '0',
    '--log-level',
    logLevel,
    ...sets
  ]
  return startServer(command, { core, stderr: logLevel === 'silent' ? 'inherit' : 'ignore' })
}

/** A preload that collects garbage when the process gets the signal SIGWINCH. */
const COLLECT = `data:text/javascript,${encodeURIComponent('process.on("SIGWINCH", () => globalThis.gc())')}`
/**
 * Options of Node.js for an emulator whose memory is measured: it collects when asked, and its heap
 * may take most of the machine's memory.
 */
export const MEASURED_MEMORY = [
  '--expose-gc',
  '--import',
  COLLECT,
  `--max-old-space-size=${Math.round((totalmem() / 2 ** 20) * 0.7)}`
]

/**
 * Collects the garbage of an emulator started with MEASURED_MEMORY; returns what remains in its
 * heap, and its resident memory, in MiB.
 */
export async function memoryOf({ port, pid }) {
  process.kill(pid, 'SIGWINCH')
  await wait(200)
  const text = await ask(port, 'GET /_control/metrics')
  // pages are given back in the background
  await wait(800)
  return {
    heap: Number(/^nodejs_heap_size_used_bytes (\S+)/m.exec(text)[1]) / 2 ** 20,
    resident: residentOf(pid)
  }
}

/** Starts the control; `data` is the path of a file with the answers it gives. */
export const startControl = ({ data, core } = {}) =>
  startServer([process.execPath, CONTROL, ...(data ? [data] : [])], { core })

/**
 * Processor time that a process has used, all its threads, in milliseconds; NaN where the system
 * does not show it.
 */
export function cpuOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
    // user and system time, in hundredths of a second
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return Number.NaN
  }
}

/** Resident memory of a process, in MiB. */
export function residentOf(pid) {
  const kilobytes = execFileSync('ps', ['-o', 'rss=', '-p', `${pid}`], { encoding: 'utf8' })
  return Number(kilobytes) / 1024
}
