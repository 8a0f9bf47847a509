/** `commerce-emulator healthcheck`: asks a running emulator whether it is ready; for the image's HEALTHCHECK. */

import { CONTROL } from '../core/paths.js'
import { visible } from '../core/visible.js'
import { answerAt } from './running.js'

const TIMEOUT_MS = 3000

/** Whether it is ready; writes what was answered, or why nothing was. `host` is what the emulator is bound to. */
export async function healthcheck({ port, host }: { port: number; host: string }, write: (line: string) => void): Promise<boolean> {
  const origin = `http://${reachableHost(host)}:${port}`
  const path = `${CONTROL}/health`
  try {
    const { status, text } = await answerAt(origin, path, TIMEOUT_MS)
    write(`${origin}${path} answered ${status}: ${visible(text)}`)
    return status === 200
  } catch (error) {
    write(`${origin}${path} did not answer: ${whyNot(error as NodeJS.ErrnoException)}`)
    return false
  }
}

/** In a URL; an emulator that is bound to every address is asked over the loopback. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

function whyNot({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ECONNREFUSED') return 'nothing listens there'
  return code === 'ABORT_ERR' ? `no answer within ${TIMEOUT_MS / 1000} seconds` : message
}
