/**
 * HTTP on connections of its own: what a test suite does to the global `fetch` does not reach them.
 */
import { Agent, request } from 'node:http'
import type { RequestOptions } from 'node:https'
import { text } from 'node:stream/consumers'
import {
  joinedHeaders,
  type ReceivedAnswer,
  type SentRequest,
  type Transport
} from './connection.js'

/**
 * A transport to `http:` or `https:`; the path of the address comes before every other. Connections
 * are kept until it is closed.
 */
export async function httpTransport({
  protocol,
  hostname,
  port,
  pathname
}: URL): Promise<Transport> {
  const under = pathname.replace(/\/$/, '')
  const http = protocol === 'https:' ? await import('node:https') : { Agent, request }
  const agent = new http.Agent({ keepAlive: true })
  // an IPv6 address is in brackets in a URL
  const target: RequestOptions = {
    protocol,
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port,
    agent
  }

  const send = ({ method, path, headers, body, timeout }: SentRequest) =>
    new Promise<ReceivedAnswer>((resolve, reject) => {
      const sent = http.request({
        ...target,
        ...(timeout !== undefined && { signal: AbortSignal.timeout(timeout) }),
        method,
        path: `${under}${path}`,
        headers: {
          ...headers,
          ...(body !== undefined && { 'content-length': Buffer.byteLength(body) })
        }
      })
      sent.on('error', reject)
      sent.on('response', answer =>
        text(answer)
          .then(text => ({
            status: answer.statusCode as number,
            headers: joinedHeaders(answer.headers),
            text
          }))
          .then(resolve, reject)
      )
      sent.end(body)
    })
  return { send, close: async () => agent.destroy() }
}
