/**
 * HTTP on connections of its own: what a test suite does to the global `fetch` does not reach them.
 */
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { joinedHeaders, type ReceivedResponse, type Transport } from './connection.js'

/** A transport to an address, which may have a path; connections are reused until it is closed. */
export async function httpTransport(address: URL): Promise<Transport> {
  const http = address.protocol === 'https:' ? await import('node:https') : { Agent, request }
  const agent = new http.Agent({ keepAlive: true })
  const prefix = address.pathname.replace(/\/$/, '')

  const send: Transport['send'] = ({ method, path, headers, body = '' }) =>
    new Promise<ReceivedResponse>((resolve, reject) => {
      const length = body === '' ? {} : { 'content-length': Buffer.byteLength(body) }
      http
        .request(address, {
          agent,
          method,
          path: `${prefix}${path}`,
          headers: { ...headers, ...length }
        })
        .on('error', reject)
        .on('response', response => {
          const { statusCode: status = 0, headers } = response
          text(response)
            .then(text => ({ status, headers: joinedHeaders(headers), text }))
            .then(resolve, reject)
        })
        .end(body)
    })
  return { send, close: async () => agent.destroy() }
}
