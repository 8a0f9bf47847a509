/** The servers that are measured: processes of their own, started by their command, seen from outside. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** The checkout that this file belongs to. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CONTROL = fileURLToPath(new URL('./control.mjs', import.meta.url))
const { PATH, HOME } = process.env
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
 * @returns the core for the servers, null where processes cannot be placed, and a function that lets this process go anywhere again
 */
export function separateCores() {
  const cores = allowedCores()
  if (cores.length < 2) return { core: null, release: () => {} }
  const place = list => execFileSync('taskset', ['-acp', list.join(','), `${process.pid}`])
  place([cores[1]])
  return { core: cores[0], release: () => place(cores) }
}

/** What the figures depend on besides the code. */
export const machine = () => ({ node: process.versions.node, cores: availableParallelism(), platform: `${process.platform} ${process.arch}` })

/**
 * Starts a command and waits until it prints that it is ready.
 * @returns port, process id, milliseconds from the spawn until ready, processor time until then, and a function that stops it
 */
export async function startServer([command, ...args], { core = null, env = {}, ready = READY, stderr = 'inherit' } = {}) {
  const [file, ...rest] = core === null ? [command, ...args] : ['taskset', '-c', `${core}`, command, ...args]
  const begin = performance.now()
  const child = spawn(file, rest, { env: { PATH, HOME, ...env }, stdio: ['ignore', 'pipe', stderr] })
  const ended = once(child, 'exit')
  const line = new Promise(resolve => {
    createInterface({ input: child.stdout }).on('line', text => {
      const [, port] = ready.exec(text) ?? []
      if (port) resolve({ port: Number(port), startTime: performance.now() - begin, startCpu: cpuOf(child.pid) })
    })
  })
  const started = await Promise.race([line, ended.then(() => null)])
  if (started === null) throw new Error(`${[command, ...args].join(' ')} ended before it was ready.`)
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  return { ...started, pid: child.pid, stop }
}

/**
 * Starts the built command of a checkout on a free port, as by default but silent. With another log level it logs, and the lines are discarded.
 * `nodeArgs` are options of Node.js itself.
 */
export function startEmulator({ dir = ROOT, scenario, settings = {}, nodeArgs = [], logLevel = 'silent', core } = {}) {
  const all = { ...settings, ...(scenario && { scenario }) }
  const sets = Object.entries(all).flatMap(([key, value]) => ['--set', `${key}=${value}`])
  const command = [process.execPath, ...nodeArgs, join(dir, 'dist', 'main.js'), '--port', '0', '--log-level', logLevel, ...sets]
  return startServer(command, { core, stderr: logLevel === 'silent' ? 'inherit' : 'ignore' })
}

/** Starts the control; `data` is the path of a file with the answers it gives. */
export const startControl = ({ data, core } = {}) => startServer([process.execPath, CONTROL, ...(data ? [data] : [])], { core })

/** Processor time that a process has used, all its threads, in milliseconds; NaN where the system does not show it. */
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
