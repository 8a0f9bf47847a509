/**
 * Sends requests and reads responses, by an HTTP client or over a bare socket, each with a time
 * limit.
 */
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Call } from './api-calls.js'
import type { Raw } from './raw-bytes.js'

export type Seen = { status: number; headers: Readonly<Record<string, string>>; body: string }
/** Responses, their whole text, and why an expected response is missing. */
export type Outcome = { answers: Seen[]; text: string; failure: string | null }

/** Time limit of a request in milliseconds, much longer than a busy machine needs. */
const LONGEST_WAIT = 30_000
/** Time limit of a request that a script may have lost or delayed. */
const SHORT_WAIT = 300
const RAW_WAIT = 200
const EVENTS_WAIT = 20
const MOST_KEPT = 8_388_608

export class Client {
  readonly #agent: Agent
  readonly #port: number

  constructor(port: number, connections: number) {
    this.#port = port
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections })
  }

  close(): void {
    this.#agent.destroy()
  }

  /** Sends a request, again over a new connection if the idle one was just being closed. */
  async call(call: Call, { mayHang = false, isAgain = false } = {}): Promise<Outcome> {
    const { method, path, headers, body } = call
    const isEvents = path.includes('/events')
    return new Promise(resolve => {
      const chunks: Buffer[] = []
      let kept = 0
      let seen: Omit<Seen, 'body'> | null = null
      let isWhole = false
      let isOver = false
      const finish = (failure: string | null) => {
        if (isOver) return
        isOver = true
        clearTimeout(timer)
        const text = Buffer.concat(chunks).toString('utf8')
        resolve({
          answers: seen && isWhole ? [{ ...seen, body: text }] : [],
          text: seen ? `${JSON.stringify(seen.headers)}\n${text}` : '',
          failure
        })
      }
      const options = {
        port: this.#port,
        host: '127.0.0.1',
        method,
        path,
        headers: {
          host: 'localhost',
          ...headers,
          ...(body && { 'content-length': String(body.length) })
        },
        agent: this.#agent,
        setHost: false
      }
      const sending = request(options, response => {
        seen = { status: response.statusCode as number, headers: flat(response.headers) }
        response.on('data', (chunk: Buffer) => {
          if (kept < MOST_KEPT) chunks.push(chunk)
          kept += chunk.length
        })
        response.on('error', error => finish(mayHang ? null : error.message))
        response.on('close', () => {
          isWhole = response.complete
          finish(isWhole || mayHang || isEvents ? null : 'the answer was cut')
        })
      })
      sending.on('error', error => {
        if (isOver) return
        const wasIdle = sending.reusedSocket && seen === null && !isAgain
        if (!wasIdle) return finish(mayHang ? null : `no answer: ${error.message}`)
        isOver = true
        clearTimeout(timer)
        resolve(this.call(call, { mayHang, isAgain: true }))
      })
      sending.on('upgrade', (_response, socket) => socket.destroy())
      const patience = mayHang ? SHORT_WAIT : LONGEST_WAIT
      const wait = isEvents ? EVENTS_WAIT : patience
      const timer = setTimeout(() => {
        finish(mayHang || isEvents ? null : `no answer within ${wait} ms`)
        sending.destroy()
      }, wait)
      sending.end(body ?? undefined)
    })
  }

  async send({ pieces, answers, after }: Raw): Promise<Outcome> {
    const socket = connect({
      port: this.#port,
      host: '127.0.0.1',
      allowHalfOpen: true
    }).setNoDelay()
    const chunks: Buffer[] = []
    const over = new Promise<void>(resolve => {
      socket.on('close', () => resolve())
      socket.on('end', () => socket.end())
      socket.on('error', () => resolve())
      socket.on('data', chunk => {
        chunks.push(chunk)
        if (answersIn(Buffer.concat(chunks)).length >= answers) resolve()
      })
    })
    for (const piece of pieces) {
      if (typeof piece === 'number') await sleep(piece)
      else if (socket.writable) socket.write(piece)
    }
    if (after === 'ends') socket.end()
    if (after === 'breaks off') {
      await sleep(1)
      socket.resetAndDestroy()
    }
    const limit = new AbortController()
    await Promise.race([over, sleep(RAW_WAIT, undefined, { signal: limit.signal }).catch(() => {})])
    limit.abort()
    socket.destroy()
    const bytes = Buffer.concat(chunks)
    return { answers: answersIn(bytes), text: bytes.toString('utf8'), failure: null }
  }
}

const flat = (headers: NodeJS.Dict<string | string[]>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? '')
    ])
  )

const HEAD_END = Buffer.from('\r\n\r\n')

export function answersIn(bytes: Buffer): Seen[] {
  const found: Seen[] = []
  for (let rest = bytes; rest.length > 0; ) {
    const end = rest.indexOf(HEAD_END)
    const [first = '', ...lines] = rest
      .subarray(0, Math.max(end, 0))
      .toString('latin1')
      .split('\r\n')
    const [, code] = /^HTTP\/1\.1 (\d{3}) /.exec(`${first} `) ?? []
    if (end < 0 || code === undefined) break
    const headers = Object.fromEntries(
      lines.map(line => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim()
      ])
    )
    const status = Number(code)
    const body = bodyIn(rest.subarray(end + 4), status, headers)
    if (body === null) break
    if (status >= 200) found.push({ status, headers, body: body.text })
    rest = body.rest
  }
  return found
}

function bodyIn(
  bytes: Buffer,
  status: number,
  headers: Record<string, string>
): { text: string; rest: Buffer } | null {
  if (status < 200 || status === 204 || status === 304) return { text: '', rest: bytes }
  if (headers['transfer-encoding'] === 'chunked') return dechunked(bytes)
  const length = Number(headers['content-length'] ?? bytes.length)
  return bytes.length < length
    ? null
    : { text: bytes.subarray(0, length).toString('utf8'), rest: bytes.subarray(length) }
}

function dechunked(bytes: Buffer): { text: string; rest: Buffer } | null {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n', at)
    const size = Number.parseInt(bytes.subarray(at, Math.max(end, at)).toString('latin1'), 16)
    if (end < 0 || Number.isNaN(size) || bytes.length < end + size + 4) return null
    parts.push(bytes.subarray(end + 2, end + 2 + size))
    at = end + size + 4
    if (size === 0) return { text: Buffer.concat(parts).toString('utf8'), rest: bytes.subarray(at) }
  }
}
