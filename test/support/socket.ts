/** HTTP as it is on the wire. */
import { connect, type Socket } from 'node:net'
import type { Test } from 'tap'

/** Everything received on a connection until it closes. */
export function received(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', chunk => {
    text += chunk
  })
  // a reset also ends it, where `once` would throw
  socket.on('error', () => {})
  return new Promise(resolve => socket.once('close', () => resolve(text)))
}

/** A connection that stays open until one side ends it. */
export function opened(t: Test, port: number, text: string) {
  let received = ''
  let state: 'open' | 'closed' | 'reset' = 'open'
  const socket = connect(port, '127.0.0.1', () => socket.write(text))
  t.teardown(() => socket.destroy())
  socket.on('data', chunk => {
    received += chunk
  })
  socket.on('end', () => {
    state = 'closed'
  })
  socket.on('error', error => {
    if ((error as NodeJS.ErrnoException).code === 'ECONNRESET') state = 'reset'
  })
  return { socket, received: () => received, state: () => state }
}

/** Writes text to a new connection and returns everything received; `then` may act meanwhile. */
export function exchanged(
  port: number,
  text: string,
  then: (socket: Socket) => void = () => {}
): Promise<string> {
  const socket = connect(port, '127.0.0.1', () => {
    socket.write(text)
    then(socket)
  })
  return received(socket)
}

/** Status line, headers by lower-case name, and body of a response. */
export function partsOf(answer: string) {
  const [head = '', text = ''] = answer.split('\r\n\r\n')
  const [line = '', ...fields] = head.split('\r\n')
  const headers = Object.fromEntries(
    fields
      .map(field => field.split(/: (.*)/).slice(0, 2))
      .map(([name = '', value]) => [name.toLowerCase(), value])
  )
  return {
    status: Number(line.split(' ')[1]),
    reason: line.split(' ').slice(2).join(' '),
    headers,
    text,
    /** The body as JSON. Errors: if it is not JSON. */
    get body() {
      return JSON.parse(text)
    }
  }
}
