/**
 * The built command in a process that can be killed, and requests to its sandboxes over keep-alive
 * connections.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Json } from '../../support/json.js'

/** A child's environment, without settings or coverage of `dist/`. */
const { PATH, HOME } = process.env
export const OWN_ENVIRONMENT = { PATH, HOME, _TAPJS_PROCESSINFO_COVERAGE_: '0' }
const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url))

const MOST_KEPT = 1_000_000

export type Running = {
  port: number
  child: ChildProcess
  end: (signal: NodeJS.Signals) => Promise<number | NodeJS.Signals>
  complaints: () => string
}

export function launched(args: readonly string[], nodeFlags: readonly string[] = []): ChildProcess {
  const given = [...nodeFlags, MAIN, '--port', '0', '--log-level', 'silent', ...args]
  const child = spawn(process.execPath, given, {
    env: OWN_ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'pipe']
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  return child
}

export async function started(
  args: readonly string[] = [],
  nodeFlags: readonly string[] = [],
  watch = (_: ChildProcess) => {}
): Promise<Running> {
  const child = launched(args, nodeFlags)
  watch(child)
  let [written, complaints] = ['', '']
  child.stderr?.on('data', chunk => {
    if (complaints.length < MOST_KEPT) complaints += chunk
  })
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout?.on('data', chunk => {
      written += chunk
      const [, port] =
        /^commerce-emulator ready on http:\/\/localhost:(\d+)\/next$/m.exec(written) ?? []
      if (port) resolve(Number(port))
    })
    child.once('close', () =>
      reject(
        new Error(`the emulator did not start (built by npm run build?): ${written}${complaints}`)
      )
    )
  })
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    const [code, killedBy] = await ended
    return code ?? (killedBy as NodeJS.Signals)
  }
  return { port, child, end, complaints: () => complaints }
}

export type Answer = { status: number; text: string; body: Json }
export type Client = {
  /**
   * A request such as `POST /next/refunds`, with a form or JSON. Errors: those of the connection.
   */
  call: (on: string, body?: string, type?: string) => Promise<Answer>
  close: () => void
}

function* partsOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
}

export function clientOf(port: number, name: string | null, key = 'sk_test_merchant'): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const prefix = name === null ? '' : `/sandbox/${name}`
  const call = (on: string, body = '', type?: string) => {
    const [method, path] = on.split(' ') as [string, string]
    const isControl = path.startsWith('/_control')
    const headers = {
      ...(!isControl && { authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` }),
      ...(body !== '' && {
        'content-type':
          type ?? (isControl ? 'application/json' : 'application/x-www-form-urlencoded'),
        'content-length': Buffer.byteLength(body)
      })
    }
    return new Promise<Answer>((resolve, reject) => {
      const sent = request(
        { port, host: '127.0.0.1', method, path: `${prefix}${path}`, headers, agent },
        answer => {
          let text = ''
          answer.setEncoding('utf8')
          answer.on('data', chunk => {
            text += chunk
          })
          answer.on('error', reject)
          answer.on('end', () => {
            if (!answer.complete) return reject(new Error('the answer is not whole'))
            const isJson = /json/.test(String(answer.headers['content-type'])) && text !== ''
            resolve({
              status: answer.statusCode as number,
              text,
              body: isJson ? JSON.parse(text) : text
            })
          })
        }
      )
      sent.on('error', reject)
      // the connection ends with the response that refuses a body, which may be seen while parts
      // of it are still being sent
      Readable.from(partsOf(Buffer.from(body)), { objectMode: false }).pipe(sent)
    })
  }
  return { call, close: () => agent.destroy() }
}
