/** The limits of the HTTP server. */
import type { Settings } from '../core/settings.js'

/** A client sends its headers at once. */
const HEADERS_TIMEOUT_MS = 10_000

export function serverOptions(settings: Settings) {
  const requestTimeout = settings['limits.request_timeout']
  return {
    exposeHeadRoutes: false,
    bodyLimit: settings['limits.body'],
    requestTimeout,
    // times the headers, and the line above the whole request; we refuse a missing Host ourselves
    http: {
      requireHostHeader: false,
      requestTimeout,
      headersTimeout: Math.min(HEADERS_TIMEOUT_MS, requestTimeout || HEADERS_TIMEOUT_MS),
      connectionsCheckingInterval: Math.min(requestTimeout || 1000, 1000)
    },
    return503OnClosing: false,
    forceCloseConnections: 'idle'
  } as const
}
