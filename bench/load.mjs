/** A bounded load over loopback with little overhead of its own: raw keep-alive sockets, requests composed beforehand. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url))
const { PATH, HOME } = process.env
const HEAD_END = Buffer.from('\r\n\r\n')

/** Starts the built command on a free port. With a log level other than silent it logs, and the lines are discarded. */
export async function startEmulator({ settings = {}, nodeArgs = [], logLevel = 'silent' } = {}) {
  const sets = Object.entries(settings).flatMap(([key, value]) => ['--set', `${key}=${value}`])
  const child = spawn(process.execPath, [...nodeArgs, MAIN, '--port', '0', '--log-level', logLevel, ...sets], {
    env: { PATH, HOME },
    stdio: ['ignore', 'pipe', logLevel === 'silent' ? 'inherit' : 'ignore']
  })
  const ended = once(child, 'exit')
  const ready = new Promise(resolve => {
    createInterface({ input: child.stdout }).on('line', line => {
      const [, port] = /^commerce-emulator ready on http:\/\/localhost:(\d+)\/next$/.exec(line) ?? []
      if (port) resolve(Number(port))
    })
  })
  const port = await Promise.race([ready, ended.then(() => null)])
  if (port === null) throw new Error('The emulator did not start; build it first: npm run build.')
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  return { port, pid: child.pid, stop }
}

/** The bytes of a call. */
export function request(on, { key = 'sk_test_merchant', form } = {}) {
  const [method, path] = on.split(' ')
  return Buffer.from(
    [
      `${method} ${path} HTTP/1.1`,
      'host: localhost',
      ...(key === null ? [] : [`authorization: Basic ${Buffer.from(`${key}:`).toString('base64')}`]),
      ...(form === undefined ? [] : ['content-type: application/x-www-form-urlencoded', `content-length: ${Buffer.byteLength(form)}`]),
      '',
      form ?? ''
    ].join('\r\n')
  )
}

/** Opens connections to a port; `send` makes calls over them, the next on each as soon as the last is answered, and returns calls a second. */
export async function openConnections(port, count, { anyStatus = false } = {}) {
  const sockets = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(port, '127.0.0.1').setNoDelay()
      await once(socket, 'connect')
      return socket
    })
  )
  /** `bytes` is a call, or a function that returns the next one. */
  const send = (bytes, calls) => {
    const next = typeof bytes === 'function' ? bytes : () => bytes
    let [left, open] = [calls, 0]
    const start = process.hrtime.bigint()
    return new Promise((resolve, reject) => {
      for (const socket of sockets) {
        let [seen, expected] = [null, 0]
        const go = () => {
          if (left === 0) {
            socket.off('data', onData)
            if (--open === 0) resolve(calls / (Number(process.hrtime.bigint() - start) / 1e9))
            return
          }
          left--
          socket.write(next())
        }
        const onData = chunk => {
          seen = seen === null ? chunk : Buffer.concat([seen, chunk])
          if (expected === 0) {
            const end = seen.indexOf(HEAD_END)
            if (end < 0) return
            const head = seen.latin1Slice(0, end)
            if (!anyStatus && !head.startsWith('HTTP/1.1 2')) return reject(new Error(seen.toString()))
            expected = end + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
          }
          if (seen.length < expected) return
          seen = null
          expected = 0
          go()
        }
        open++
        socket.on('data', onData)
        go()
      }
    })
  }
  const close = () => {
    for (const socket of sockets) socket.destroy()
  }
  return { send, close }
}

/** A call of the control API or of the emulated one; returns the parsed body. */
export async function ask(port, on, { body, headers } = {}) {
  const [method, path] = on.split(' ')
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, ...(body !== undefined && { body }), ...(headers && { headers }) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${on} was answered ${answer.status}: ${text}`)
  return /json/.test(answer.headers.get('content-type') ?? '') ? JSON.parse(text) : text
}

export const median = numbers => {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
