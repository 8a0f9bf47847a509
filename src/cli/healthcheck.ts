/** `commerce-emulator healthcheck`: asks a running emulator whether it is ready; for the image's HEALTHCHECK. */
import { get } from 'node:http'
import { text } from 'node:stream/consumers'

const PATIENCE = 3000

/** Answers whether the emulator at the port is ready, and says why not. `host` is the address that the emulator is bound to. */
export async function healthcheck({ port, host }: { port: number; host: string }, write: (line: string) => void): Promise<boolean> {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host
  const url = `http://${reachable}:${port}/_control/health`
  try {
    const { status, body } = await answerOf(url)
    write(`${url} answered ${status}: ${body}`)
    return status === 200
  } catch (error) {
    write(`${url} did not answer: ${whyNot(error as NodeJS.ErrnoException)}`)
    return false
  }
}

/** `fetch` refuses some ports outright, on which an emulator may well listen. */
function answerOf(url: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false, signal: AbortSignal.timeout(PATIENCE) }, response => {
      text(response).then(body => resolve({ status: response.statusCode as number, body }), reject)
    })
    request.on('error', reject)
  })
}

function whyNot({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ECONNREFUSED') return 'nothing listens there'
  return code === 'ABORT_ERR' ? `nothing came in ${PATIENCE / 1000} seconds` : message
}
