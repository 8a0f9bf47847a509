/** The built command as a process of its own, to be driven, killed and started again. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'

const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url))
const FORM = 'application/x-www-form-urlencoded'

/** Long runs are asked for by `npm run endurance`; a short one is part of every test run. */
export const isLong = process.env.ENDURANCE === 'long'
/** What random choices are drawn from; printed, so that a run can be made again. */
export const seed = Number(process.env.ENDURANCE_SEED ?? Date.now() % 1_000_000)

/** Numbers from 0 up to 1 that depend on the seed alone. */
export function drawing(from: number): () => number {
  let state = from >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

export type Answer = { status: number; body: any }
export type Emulator = {
  port: number
  process: ChildProcess
  /** A call below a sandbox's `/next`; rejects when the connection is lost. */
  call: (sandbox: string, on: string, form?: Record<string, string | number>) => Promise<Answer>
  /** A call below a sandbox's `/_control`. */
  control: (sandbox: string, on: string, body?: object) => Promise<Answer>
  /** Ends it; answers its exit status, null after a kill. */
  end: (signal: NodeJS.Signals) => Promise<number | null>
}

/** Starts the built command on a free port and waits until it is ready; what still runs when the test ends is killed. */
export async function startProcess(t: Test, ...args: string[]): Promise<Emulator> {
  const { PATH, HOME } = process.env
  const child = spawn(process.execPath, [MAIN, '--port', '0', '--log-level', 'silent', ...args], {
    env: { PATH, HOME, _TAPJS_PROCESSINFO_COVERAGE_: '0' },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  t.teardown(() => child.kill('SIGKILL'))
  const errors: string[] = []
  child.stderr.on('data', chunk => errors.push(String(chunk)))
  const ended = once(child, 'exit') as Promise<[number | null]>
  const ready = new Promise<number>(resolve => {
    createInterface({ input: child.stdout }).on('line', line => {
      const [, port] = /^commerce-emulator ready on http:\/\/localhost:(\d+)\/next$/.exec(line) ?? []
      if (port) resolve(Number(port))
    })
  })
  const port = await Promise.race([ready, ended.then(() => null)])
  if (port === null) throw new Error(`the emulator did not start: ${errors.join('')}`)

  const agent = new Agent({ keepAlive: true, maxSockets: 256 })
  const ask = (method: string, path: string, headers: Record<string, string>, payload?: string) =>
    new Promise<Answer>((resolve, reject) => {
      const call = request({ port, method, path, agent, headers: { ...headers, 'content-length': Buffer.byteLength(payload ?? '') } }, answer => {
        const chunks: Buffer[] = []
        answer.on('data', chunk => chunks.push(chunk))
        answer.on('error', reject)
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          resolve({ status: answer.statusCode as number, body: text === '' ? null : JSON.parse(text) })
        })
      })
      call.on('error', reject)
      call.end(payload)
    })
  const call: Emulator['call'] = (sandbox, on, form) => {
    const [method, path] = on.split(' ') as [string, string]
    const payload = form && new URLSearchParams(Object.entries(form).map(([name, value]) => [name, String(value)] as [string, string])).toString()
    const headers: Record<string, string> = payload === undefined ? {} : { 'content-type': FORM }
    if (method !== 'POST' || path !== '/transactions') headers.authorization = `Basic ${Buffer.from('sk_test_merchant:').toString('base64')}`
    return ask(method, `/sandbox/${sandbox}/next${path}`, headers, payload)
  }
  const control: Emulator['control'] = (sandbox, on, body) => {
    const [method, path] = on.split(' ') as [string, string]
    const payload = body && JSON.stringify(body)
    return ask(method, `/sandbox/${sandbox}/_control${path}`, payload === undefined ? {} : { 'content-type': 'application/json' }, payload)
  }
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    const [status] = await ended
    agent.destroy()
    return status
  }
  return { port, process: child, call, control, end }
}
