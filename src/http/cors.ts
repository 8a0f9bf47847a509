/** Browsers of any origin may call the emulated API and read its answers (A33); keys are sent explicitly, so there are no credentials to guard. */
import type { IncomingHttpHeaders } from 'node:http'

/** What lets a page of another origin read an answer; null for a call that comes from no page. */
export function corsHeaders({ origin }: IncomingHttpHeaders): Record<string, string> | null {
  return origin === undefined ? null : { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'Request-Id, Warning' }
}

/** The headers of the answer to a preflight, which a browser sends to ask whether it may make a call. */
export function preflightHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const asked = headers['access-control-request-headers']
  return {
    ...corsHeaders(headers),
    vary: 'Access-Control-Request-Headers',
    'access-control-allow-methods': 'GET, POST, DELETE',
    ...(asked !== undefined && { 'access-control-allow-headers': asked })
  }
}
