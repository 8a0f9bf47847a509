/** Headers that a document writes: of requests that it matches or plays, and of responses. */
import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { Report } from './documents.js'
import { say } from './sentences.js'

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
 * Refuses headers that cannot be sent as they are given, or be matched by their names. The key of a
 * request has a place of its own.
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
