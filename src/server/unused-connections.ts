/**
 * Connections that nothing was sent on. Node does not count them as idle, so they would delay a
 * server's end; `fetch` opens one when it abandons a request.
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Returns what ends the unused connections of a server, and later each one that is opened. */
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
