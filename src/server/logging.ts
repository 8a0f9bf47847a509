/** Request logs, to stderr, without bodies and queries. */
import type { WriteStream } from 'node:tty'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { type Logger, pino } from 'pino'
import { pathOf } from '../core/paths.js'
import { readable } from '../core/redaction.js'
import { visible } from '../core/sentences.js'
import { redacted } from '../engine/keys.js'
import type { Entry } from '../evidence/entry.js'

type Call = ReturnType<typeof callOf>
type Line = { time: number; level: number; call?: Call; msg?: string }

/** JSON, or lines for people on a terminal. */
export async function createLogger(
  level: string,
  isTerminal: boolean,
  stderr: NodeJS.WritableStream & Partial<Pick<WriteStream, 'hasColors'>>
): Promise<Logger> {
  if (!isTerminal) return pino({ level }, stderr)
  const { default: pretty } = await import('pino-pretty')
  return pino(
    { level },
    pretty({
      destination: stderr,
      colorize: stderr.hasColors?.() === true,
      customColors: 'message:reset',
      ignore: 'pid,hostname,level,time,reqId,req,res,call',
      messageFormat: (log, _key, _label, { colors }) => {
        const { time, level, call, msg = '' } = log as Line
        const clock = colors.gray(new Date(time).toTimeString().slice(0, 8))
        const colour = colors[colourOf(level, call)]
        if (call) return `${clock} ${lineOf(call, colour)}`
        const label = level === INFO ? '' : colour(`${pino.levels.labels[level]}: `)
        return `${clock} ${label}${visible(msg)}`
      }
    })
  )
}

const INFO = 30
/** By the first digit of a status or level. */
const COLOURS: Readonly<Record<number, 'yellow' | 'red'>> = { 4: 'yellow', 5: 'red', 6: 'red' }
const colourOf = (level: number, call?: Call) =>
  COLOURS[Math.floor(call ? (call.status ?? 500) / 100 : level / 10)] ?? 'green'

/** The line of a request; `emphasized` gets its status, code and rule. */
const lineOf = (
  { id, method, path, status, code, rule, ms, script, lost }: Call,
  emphasized = (text: string) => text
) =>
  `${method} ${path} ${emphasized([status ?? '-', code, rule].filter(Boolean).join(' '))} ${ms} ms ${id}${script ? `, ${script}` : ''}${lost ? `, lost: ${lost}` : ''}`

/** Control requests, including the console's, are logged only at debug. */
export function logRequest(request: FastifyRequest, raw: FastifyReply['raw'], entry: Entry): void {
  const { arrival, log } = request
  const level = arrival.isRecorded ? 'info' : 'debug'
  if (!(log as Logger).isLevelEnabled(level)) return
  const call = callOf(request, raw, entry)
  log[level]({ call }, lineOf(call))
}

/** `rule` can also be an assumption. */
function callOf(
  { arrival, originalUrl }: FastifyRequest,
  raw: FastifyReply['raw'],
  { id, method, script, ms, outcome, caller: { trace } }: Entry
) {
  const { authorization } = arrival.reading
  const path = redacted(readable(pathOf(originalUrl)), arrival.sandbox, authorization)
  const status = raw.headersSent ? raw.statusCode : null
  const lost = outcome.fault ?? (raw.writableEnded ? null : 'connection_closed')
  const { code, rule, assumption } = outcome.refusal ?? {}
  return {
    id,
    method,
    path,
    status,
    ...(code && { code, rule: rule ?? assumption }),
    ms,
    ...(trace && { trace }),
    ...(script && { script: script.action.id }),
    ...(lost && { lost })
  }
}

export const logDefect = (log: FastifyBaseLogger, error: unknown): void =>
  log.error({ err: error }, 'defect')

export function logWarnings(log: FastifyBaseLogger, messages: readonly string[]): void {
  for (const message of messages) log.warn(message)
}
