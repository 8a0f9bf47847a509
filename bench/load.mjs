/** A bounded load over loopback with little overhead of its own: raw keep-alive sockets, requests composed beforehand. */
import { once } from 'node:events'
import { connect } from 'node:net'

const HEAD_END = Buffer.from('\r\n\r\n')

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

/**
 * Opens connections to a port; `send` makes calls over them, the next on each as soon as the last is answered, and returns calls a second; `bodySize` is that of the last answer.
 * With `awake` this process does not sleep while it waits: waking a process on another core costs the server that answers up to 20 µs, the more often the slower it is.
 */
export async function openConnections(port, count, { anyStatus = false, awake = false } = {}) {
  const sockets = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(port, '127.0.0.1').setNoDelay()
      await once(socket, 'connect')
      return socket
    })
  )
  let bodySize = 0
  /** `bytes` is a call, or a function that returns the next one. */
  const send = (bytes, calls) => {
    const next = typeof bytes === 'function' ? bytes : () => bytes
    let [left, open] = [calls, 0]
    const start = process.hrtime.bigint()
    const stayAwake = () => {
      if (open > 0) setImmediate(stayAwake)
    }
    if (awake) setImmediate(stayAwake)
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
            bodySize = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
            expected = end + 4 + bodySize
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
  return { send, close, bodySize: () => bodySize }
}

/** A call of the control API or of the emulated one; returns the parsed body. */
export async function ask(port, on, { body, headers } = {}) {
  const [method, path] = on.split(' ')
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, ...(body !== undefined && { body }), ...(headers && { headers }) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${on} was answered ${answer.status}: ${text}`)
  return /json/.test(answer.headers.get('content-type') ?? '') ? JSON.parse(text) : text
}
