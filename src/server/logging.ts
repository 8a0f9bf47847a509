/** Request logs, to stderr: one readable line a request on a terminal, JSON elsewhere. Neither a body nor a query is ever logged. */
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { type DestinationStream, type Logger, pino } from 'pino'
import { HEALTH, pathOf } from '../core/paths.js'
import { readable } from '../core/redaction.js'
import { redacted } from '../engine/keys.js'

/** A logger at a level; on a terminal its lines are written for people. */
export async function createLogger(level: string, isTerminal: boolean, stderr: DestinationStream): Promise<Logger> {
  if (!isTerminal) return pino({ level }, stderr)
  const { default: pretty } = await import('pino-pretty')
  return pino(
    { level },
    pretty({ destination: stderr as NodeJS.WritableStream & DestinationStream, ignore: 'pid,hostname,reqId,req,res,call', translateTime: 'HH:MM:ss.l' })
  )
}

/**
 * Logs a request that is over: with the status that was sent, if any, the script entry that was applied to it, and how its answer was lost where the client
 * did not get it. The health checks of an orchestrator are logged only at debug.
 */
export function logRequest(request: FastifyRequest, raw: FastifyReply['raw']): void {
  const { arrival, log } = request
  const level = request.routeOptions.url === HEALTH ? 'debug' : 'info'
  if (!isEnabled(log, level)) return
  const { id, method, action, ms, outcome, authorization } = arrival.exchange
  const path = redacted(readable(pathOf(request.originalUrl)), arrival.sandbox, authorization)
  const status = raw.headersSent ? raw.statusCode : null
  const lost = outcome.fault ?? (raw.writableEnded ? null : 'connection_closed')
  const line = `${method} ${path} ${status ?? '-'} ${ms} ms ${id}${action ? `, ${action.id}` : ''}${lost ? `, lost: ${lost}` : ''}`
  safely(() => log[level]({ call: { id, method, path, status, ms, ...(action && { script: action.id }), ...(lost && { lost }) } }, line))
}

/** Logs a defect, of the evidence too; the request goes on even if the line cannot be written. */
export function logDefect(log: FastifyBaseLogger, error: unknown): void {
  safely(() => log.error({ err: error }, 'defect'))
}

/** Logs what a request was warned of, a line each. */
export function logWarnings(log: FastifyBaseLogger, messages: readonly string[]): void {
  safely(() => {
    for (const message of messages) log.warn(message)
  })
}

/** A logger of the program that the emulator runs in may fail; the request does not fail with it. */
function safely(write: () => void): void {
  try {
    write()
  } catch {
    // there is nowhere to report it
  }
}

/** Whether lines of a level are written; a line that is not costs nothing then. */
const isEnabled = (log: FastifyBaseLogger, level: string): boolean => (log as unknown as Pick<Logger, 'isLevelEnabled'>).isLevelEnabled(level)
