/** The limits of the HTTP server, and the connections that Node leaves to us. */
import type { Server } from 'node:http'
import { createServer, type Server as Listener, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Settings } from '../core/settings.js'

declare module 'fastify' {
  interface FastifyInstance {
    loopback: Listener
  }
}

/** A client sends its headers at once. */
const HEADERS_TIMEOUT_MS = 10_000

export function serverOptions(settings: Settings) {
  const requestTimeout = settings['limits.request_timeout']
  return {
    exposeHeadRoutes: false,
    bodyLimit: settings['limits.body'],
    requestTimeout,
    // times the headers, and the line above the whole request; we refuse a missing Host ourselves
    http: {
      requireHostHeader: false,
      requestTimeout,
      headersTimeout: Math.min(HEADERS_TIMEOUT_MS, requestTimeout || HEADERS_TIMEOUT_MS),
      connectionsCheckingInterval: Math.min(requestTimeout || 1000, 1000)
    },
    return503OnClosing: false,
    forceCloseConnections: 'idle'
  } as const
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
