/** Connections of a server that Node leaves to us. */
import type { Server } from 'node:http'
import { createServer, type Server as Listener, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyInstance {
    loopback: Listener
  }
}

/** Lets an app listen on a second address, `loopback`. Returns what ends it. */
export function addLoopback(app: FastifyInstance): () => Promise<void> {
  const { server } = app
  const loopback = createServer({ allowHalfOpen: true, noDelay: true }, socket =>
    server.emit('connection', socket)
  )
  loopback.maxConnections = server.maxConnections
  loopback.on('drop', data => server.emit('drop', data))
  app.decorate('loopback', loopback)
  return () =>
    new Promise(resolve => {
      loopback.close(() => resolve())
      server.closeIdleConnections()
    })
}

/**
 * Returns what ends connections that nothing was sent on, now and later: `fetch` opens one when it
 * abandons a request, and Node does not count it as idle.
 */
export function unusedConnectionsOf(server: Server): () => void {
  const open = new Set<Socket>()
  let isEnding = false
  server.on('connection', (socket: Socket) => {
    if (isEnding) socket.destroy()
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  return () => {
    isEnding = true
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
  }
}
