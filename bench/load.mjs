/**
 * A bounded load over loopback with little overhead of its own: raw keep-alive sockets, requests
 * composed beforehand.
 */
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
      ...(key === null
        ? []
        : [`authorization: Basic ${Buffer.from(`${key}:`).toString('base64')}`]),
      ...(form === undefined
        ? []
        : [
            'content-type: application/x-www-form-urlencoded',
            `content-length: ${Buffer.byteLength(form)}`
          ]),
      '',
      form ?? ''
    ].join('\r\n')
  )
}

/**
 * A connection that carries one call at a time; `done` is called with the size of the body when the
 * answer is complete, and `fail` with an answer that is none of success.
 */
async function openConnection(port, { anyStatus, fail }) {
  const socket = connect(port, '127.0.0.1').setNoDelay()
  await once(socket, 'connect')
  let [seen, expected, bodySize, done] = [null, 0, 0, null]
  socket.on('data', chunk => {
    seen = seen === null ? chunk : Buffer.concat([seen, chunk])
    if (expected === 0) {
      const end = seen.indexOf(HEAD_END)
      if (end < 0) return
      const head = seen.latin1Slice(0, end)
      if (!anyStatus && !head.startsWith('HTTP/1.1 2')) return fail(new Error(seen.toString()))
      bodySize = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
      expected = end + 4 + bodySize
    }
    if (seen.length < expected) return
    seen = null
    expected = 0
    done(bodySize)
  })
  socket.on('close', () => fail(new Error(`Port ${port} closed a connection.`)))
  const call = (bytes, answered) => {
    done = answered
    socket.write(bytes)
  }
  const close = () => socket.removeAllListeners('close').destroy()
  return { call, close }
}

/**
 * Opens connections to a port, for calls in a closed loop (`send`) or at a steady rate (`pace`).
 * With `awake` this process does not sleep while it waits: waking a process on another core costs
 * the server that answers up to 20 µs, the more often the slower it is.
 */
export async function openConnections(port, count, { anyStatus = false, awake = false } = {}) {
  let fail = error => {
    throw error
  }
  const connections = await Promise.all(
    Array.from({ length: count }, () =>
      openConnection(port, { anyStatus, fail: error => fail(error) })
    )
  )
  let lastSize = 0

  /**
   * Makes calls, the next on each connection as soon as the last is answered; `bytes` is a call, or
   * a function that returns the next one. Returns calls a second; the microseconds of each call are
   * added to `times`.
   */
  const send = (bytes, calls, times = null) => {
    const next = typeof bytes === 'function' ? bytes : () => bytes
    let [left, open] = [calls, connections.length]
    const start = performance.now()
    return new Promise((resolve, reject) => {
      fail = reject
      const stayAwake = () => {
        if (open > 0) setImmediate(stayAwake)
      }
      if (awake) setImmediate(stayAwake)
      for (const { call } of connections) {
        let begin = 0
        const go = () => {
          if (left-- > 0) {
            begin = times === null ? 0 : performance.now()
            call(next(), answered)
          } else if (--open === 0) resolve(calls / ((performance.now() - start) / 1000))
        }
        const answered = size => {
          times?.push((performance.now() - begin) * 1000)
          lastSize = size
          go()
        }
        go()
      }
    })
  }

  /**
   * Makes a number of calls at a steady rate a second, whether or not earlier ones are answered.
   * Returns the microseconds of each from when it was due, so that waiting for a connection counts
   * too.
   */
  const pace = (bytes, rate, calls) => {
    const free = [...connections]
    const times = []
    const start = performance.now()
    let made = 0
    return new Promise((resolve, reject) => {
      fail = reject
      const turn = () => {
        while (made < calls && free.length > 0) {
          const due = start + (made * 1000) / rate
          if (performance.now() < due) break
          made++
          const connection = free.pop()
          connection.call(bytes, () => {
            times.push((performance.now() - due) * 1000)
            free.push(connection)
            if (times.length === calls) resolve(times)
          })
        }
        if (made < calls) setImmediate(turn)
      }
      turn()
    })
  }

  const close = () => {
    for (const connection of connections) connection.close()
  }
  return { send, pace, close, bodySize: () => lastSize }
}

/** A call of the control API or of the emulated one; returns the parsed body. */
export async function ask(port, on, { body, headers } = {}) {
  const [method, path] = on.split(' ')
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    ...(body !== undefined && { body }),
    ...(headers && { headers })
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${on} was answered ${answer.status}: ${text}`)
  return /json/.test(answer.headers.get('content-type') ?? '') ? JSON.parse(text) : text
}
