/** Request logs, to stderr, without bodies and queries. */
import type { WriteStream } from 'node:tty'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { type DestinationStream, type Logger, pino } from 'pino'
import { pathOf } from '../core/paths.js'
import { readable } from '../core/redaction.js'
import { visible } from '../core/visible.js'
import { redacted } from '../engine/keys.js'

/** What is logged of a request; `rule` stands for an assumption too. */
type Call = {
  id: string
  method: string
  path: string
  status: number | null
  code?: string
  rule?: string | null
  ms: number
  trace?: string
  script?: string
  lost?: string
}

/** A logger at a level; on a terminal its lines are written for people. */
export async function createLogger(
  level: string,
  isTerminal: boolean,
  stderr: DestinationStream & Partial<Pick<WriteStream, 'hasColors'>>
): Promise<Logger> {
  if (!isTerminal) return pino({ level }, stderr)
  const { default: pretty } = await import('pino-pretty')
  return pino(
    { level },
    pretty({
      destination: stderr as NodeJS.WritableStream & DestinationStream,
      colorize: stderr.hasColors?.() === true,
      customColors: 'message:reset',
      ignore: 'pid,hostname,level,time,reqId,req,res,call',
      messageFormat: (log, _key, _label, { colors }) => {
        const {
          time,
          level,
          call,
          msg = ''
        } = log as { time: number; level: number; call?: Call; msg?: string }
        const colour = colourOf(level, call)
        const [said, label] = call
          ? [lineOf(call, colors[colour])]
          : [visible(msg), level !== INFO ? `${pino.levels.labels[level]}: ` : '']
        return `${colors.gray(new Date(time).toTimeString().slice(0, 8))} ${label ? colors[colour](label) : ''}${said}`
      }
    })
  )
}

const INFO = 30
/** By the hundreds of a status or the tens of a level. */
const COLOURS = { 4: 'yellow', 5: 'red', 6: 'red' } as const
const colourOf = (level: number, call?: Call) =>
  COLOURS[Math.floor(call ? (call.status ?? 500) / 100 : level / 10) as keyof typeof COLOURS] ??
  'green'

/** The line of a request; `shown` is what becomes of its status and what decided it. */
const lineOf = (
  { id, method, path, status, code, rule, ms, script, lost }: Call,
  shown = (text: string) => text
) =>
  `${method} ${path} ${shown([status ?? '-', code, rule].filter(Boolean).join(' '))} ${ms} ms ${id}${script ? `, ${script}` : ''}${lost ? `, lost: ${lost}` : ''}`

/** Logs a request that is over; control requests and those of the console only at debug. */
export function logRequest(request: FastifyRequest, raw: FastifyReply['raw']): void {
  const { arrival, log } = request
  const level = arrival.isRecorded ? 'info' : 'debug'
  if (!isEnabled(log, level)) return
  const { id, method, action, ms, outcome, authorization, trace } = arrival.exchange
  const path = redacted(readable(pathOf(request.originalUrl)), arrival.sandbox, authorization)
  const status = raw.headersSent ? raw.statusCode : null
  const lost = outcome.fault ?? (raw.writableEnded ? null : 'connection_closed')
  const { code, rule, assumption } = outcome.refusal ?? {}
  const by = code && { code, rule: rule ?? assumption }
  const call: Call = {
    id,
    method,
    path,
    status,
    ...by,
    ms,
    ...(trace && { trace }),
    ...(action && { script: action.id }),
    ...(lost && { lost })
  }
  safely(() => log[level]({ call }, lineOf(call)))
}

/** Logs a defect, of the evidence too. */
export function logDefect(log: FastifyBaseLogger, error: unknown): void {
  safely(() => log.error({ err: error }, 'defect'))
}

/** Logs what a request was warned of, a line each. */
export function logWarnings(log: FastifyBaseLogger, messages: readonly string[]): void {
  safely(() => {
    for (const message of messages) log.warn(message)
  })
}

/** The request does not fail with the logger. */
function safely(write: () => void): void {
  try {
    write()
  } catch {
    // there is nowhere to report it
  }
}

const isEnabled = (log: FastifyBaseLogger, level: string): boolean =>
  (log as unknown as Pick<Logger, 'isLevelEnabled'>).isLevelEnabled(level)
