/** `commerce-emulator healthcheck`: asks a running emulator whether it is ready; for the image's HEALTHCHECK. */
import { get } from 'node:http'
import { text } from 'node:stream/consumers'
import { visible } from '../core/visible.js'

const TIMEOUT_MS = 3000

/** Whether the emulator at the port is ready; writes what it answered, or why it did not. `host` is the address that the emulator is bound to. */
export async function healthcheck({ port, host }: { port: number; host: string }, write: (line: string) => void): Promise<boolean> {
  const url = `http://${reachableHost(host)}:${port}/_control/health`
  try {
    const { status, body } = await answerOf(url)
    write(`${url} answered ${status}: ${visible(body)}`)
    return status === 200
  } catch (error) {
    write(`${url} did not answer: ${whyNot(error as NodeJS.ErrnoException)}`)
    return false
  }
}

/** How a bound address is written in a URL; an emulator that is bound to every address is asked over the loopback. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

/** A request without `fetch`, which refuses some ports outright that an emulator may listen on. */
function answerOf(url: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false, signal: AbortSignal.timeout(TIMEOUT_MS) }, response => {
      text(response).then(body => resolve({ status: response.statusCode as number, body }), reject)
    })
    request.on('error', reject)
  })
}

function whyNot({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ECONNREFUSED') return 'nothing listens there'
  return code === 'ABORT_ERR' ? `no answer within ${TIMEOUT_MS / 1000} seconds` : message
}
