/** Request logs, to stderr: one readable line a call on a terminal, JSON elsewhere. Neither a body nor a query is ever logged. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type DestinationStream, type Logger, pino } from 'pino'
import { presentable, readable } from './answers.js'

/** A logger at a level; on a terminal its lines are written for people. */
export async function createLogger(level: string, isTerminal: boolean, stderr: DestinationStream): Promise<Logger> {
  if (!isTerminal) return pino({ level }, stderr)
  const { default: pretty } = await import('pino-pretty')
  return pino(
    { level },
    pretty({ destination: stderr as NodeJS.WritableStream & DestinationStream, ignore: 'pid,hostname,reqId,req,res,call', translateTime: 'HH:MM:ss.l' })
  )
}

/** Logs an answered call; the health checks of an orchestrator only at debug. */
export function logAnswer(request: FastifyRequest, reply: FastifyReply): void {
  const path = presentable(readable(request.originalUrl.split('?')[0] as string), request.sandbox, request.headers.authorization)
  const ms = Math.round(reply.elapsedTime * 10) / 10
  const line = `${request.method} ${path} ${reply.statusCode} ${ms} ms ${request.id}`
  const level = request.routeOptions.url === '/_control/health' ? 'debug' : 'info'
  request.log[level]({ call: { id: request.id, method: request.method, path, status: reply.statusCode, ms } }, line)
}
