/**
 * HTTP on connections of its own: what a test suite does to the global `fetch` does not reach them.
 */
import { Agent, request } from 'node:http'
import type { RequestOptions } from 'node:https'
import { text } from 'node:stream/consumers'
import {
  joinedHeaders,
  type ReceivedResponse,
  type SentRequest,
  type Transport
} from './connection.js'

/** A transport to an address, which may have a path; connections are reused until it is closed. */
export async function httpTransport(address: URL): Promise<Transport> {
  const { protocol, hostname, port } = address
  const http = protocol === 'https:' ? await import('node:https') : { Agent, request }
  const agent = new http.Agent({ keepAlive: true })
  const target: RequestOptions = {
    protocol,
    // an IPv6 address is in brackets in a URL
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port,
    agent
  }
  const prefix = address.pathname.replace(/\/$/, '')

  const send = (sentRequest: SentRequest) =>
    new Promise<ReceivedResponse>((resolve, reject) => {
      const clientRequest = http.request({ ...target, ...optionsOf(sentRequest, prefix) })
      clientRequest.on('error', reject)
      clientRequest.on('response', response => {
        const { statusCode: status = 0, headers } = response
        text(response)
          .then(text => ({ status, headers: joinedHeaders(headers), text }))
          .then(resolve, reject)
      })
      clientRequest.end(sentRequest.body)
    })
  return { send, close: async () => agent.destroy() }
}

function optionsOf({ method, path, headers, body, timeout }: SentRequest, prefix: string) {
  return {
    ...(timeout !== undefined && { signal: AbortSignal.timeout(timeout) }),
    method,
    path: `${prefix}${path}`,
    headers: {
      ...headers,
      ...(body !== undefined && { 'content-length': Buffer.byteLength(body) })
    }
  }
}
