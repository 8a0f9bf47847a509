/** Headers of requests that a document matches or plays, and of responses. */
import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { Report } from '../documents.js'
import { say } from '../sentences.js'

/** Headers that frame the message or the connection, or that the emulator sets. */
const FRAMING = [
  'connection',
  'content-length',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'request-id'
]

/**
 * Refuses what cannot be sent as given, or be matched by name. The key of a request has its own
 * place.
 */
export function checkHeaders(
  headers: Readonly<Record<string, unknown>>,
  of: 'response' | 'request' | 'match',
  report: Report
): void {
  for (const [name, value] of Object.entries(headers)) {
    if (of !== 'match' && FRAMING.includes(name.toLowerCase()))
      report([name], say('framing_header', name))
    if (of !== 'response' && name.toLowerCase() === 'authorization')
      report([name], say('header_of_key'))
    try {
      validateHeaderName(name)
      if (of !== 'match') validateHeaderValue(name, value as string)
    } catch {
      report([name], say('not_a_header'))
    }
  }
}
