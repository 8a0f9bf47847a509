/** Request logs, to stderr: one readable line a call on a terminal, JSON elsewhere. Neither a body nor a query is ever logged. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type DestinationStream, type Logger, pino } from 'pino'
import { presentable, readable } from './answers.js'
import { pathOf } from './entrance.js'

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
 * Logs a call that is over: with the status that was sent, if any, the script entry that acted on it, and what became of its answer where the client
 * did not get it. The health checks of an orchestrator are logged only at debug, the steps of a scenario not at all.
 */
export function logCall(request: FastifyRequest, reply: FastifyReply): void {
  const { id, method, isStep, sandbox, scripted, headers } = request
  if (isStep) return
  const path = presentable(readable(pathOf(request.originalUrl)), sandbox, headers.authorization)
  const ms = Math.round(reply.elapsedTime * 10) / 10
  const status = reply.raw.headersSent ? reply.statusCode : null
  const lost = request.lost ?? (reply.raw.writableEnded ? null : 'connection_closed')
  const line = `${method} ${path} ${status ?? '-'} ${ms} ms ${id}${scripted ? `, ${scripted.id}` : ''}${lost ? `, lost: ${lost}` : ''}`
  const level = request.routeOptions.url === '/_control/health' ? 'debug' : 'info'
  request.log[level]({ call: { id, method, path, status, ms, ...(scripted && { script: scripted.id }), ...(lost && { lost }) } }, line)
}
