/**
 * A neighbour in a separate process, which the load of the test does not delay: it sends GET
 * requests in turn to its sites and to a bare server, and measures each.
 */
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { clientOf, OWN_ENVIRONMENT } from './emulator.js'

const PAUSE_MS = 10
const BREAK_MS = 500
const PATHS = ['GET /next/tickets?limit=5', 'GET /next/locations', 'GET /next/transactions?limit=5']
const BARE = `const server = require('node:http').createServer((_, answer) => answer.end('{}')).listen(0, '127.0.0.1', () => console.log(server.address().port))
process.stdin.on('end', () => process.exit()).resume()`

type Seen = { times: number[]; wrong: string[] }

export function startNeighbour() {
  const child = fork(fileURLToPath(import.meta.url), ['calls'], {
    env: OWN_ENVIRONMENT,
    execArgv: process.execArgv
  })
  const stop = () => void child.kill('SIGKILL')
  process.once('exit', stop)
  const call = (site: string, port: number | null) => void child.send({ site, port })
  const taken = async (): Promise<Record<string, Seen>> => {
    child.send({})
    return (await once(child, 'message'))[0]
  }
  return { call, taken, stop }
}

const running = new Map<string, { isOver: boolean }>()
let seen: Record<string, Seen> = {}

async function callOn(site: string, port: number): Promise<void> {
  const run = { isOver: false }
  running.set(site, run)
  const { call, close } = clientOf(port, 'neighbour')
  for (let nth = 0; !run.isOver; nth++) {
    const since = performance.now()
    const problem = await call(PATHS[nth % PATHS.length] as string).then(
      ({ status, text }) => (status === 200 ? null : `${status} ${text.slice(0, 200)}`),
      String
    )
    const ms = performance.now() - since
    // the message that the site stops may arrive after its connections broke
    if (problem !== null) await sleep(BREAK_MS)
    if (run.isOver) break
    seen[site] ??= { times: [], wrong: [] }
    const { times, wrong } = seen[site]
    times.push(ms)
    if (problem !== null) wrong.push(problem)
    await sleep(PAUSE_MS)
  }
  close()
}

if (process.argv[2] === 'calls') {
  process.on('message', ({ site, port }: { site?: string; port: number | null }) => {
    if (site === undefined) {
      process.send?.(seen)
      seen = {}
      return
    }
    const last = running.get(site)
    if (last) last.isOver = true
    if (port !== null) void callOn(site, port)
  })
  process.on('disconnect', () => process.exit())
  const bare = spawn(process.execPath, ['--eval', BARE], {
    env: OWN_ENVIRONMENT,
    stdio: ['pipe', 'pipe', 'inherit']
  })
  bare.stdout.once('data', text => void callOn('bare', Number(text)))
}
