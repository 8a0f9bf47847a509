/** Request logs, to stderr, without bodies and queries. */
import type { WriteStream } from 'node:tty'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { type DestinationStream, type Logger, pino } from 'pino'
import { pathOf } from '../core/paths.js'
import { readable } from '../core/redaction.js'
import { visible } from '../core/visible.js'
import { redacted } from '../engine/keys.js'
import type { Entry } from '../evidence/entry.js'

type Call = ReturnType<typeof callOf>
type Line = { time: number; level: number; call?: Call; msg?: string }

/** On a terminal, lines are written for people. */
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
        const { time, level, call, msg = '' } = log as Line
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

/** Control requests and those of the console only at debug. */
export function logRequest(request: FastifyRequest, raw: FastifyReply['raw'], entry: Entry): void {
  const { arrival, log } = request
  const level = arrival.isRecorded ? 'info' : 'debug'
  if (!(log as Logger).isLevelEnabled(level)) return
  const call = callOf(request, raw, entry)
  safely(() => log[level]({ call }, lineOf(call)))
}

/** `rule` stands for an assumption too. */
function callOf(
  { arrival, originalUrl }: FastifyRequest,
  raw: FastifyReply['raw'],
  { id, method, script, ms, outcome, caller: { trace } }: Entry
) {
  const { authorization } = arrival.request
  const path = redacted(readable(pathOf(originalUrl)), arrival.sandbox, authorization)
  const status = raw.headersSent ? raw.statusCode : null
  const lost = outcome.fault ?? (raw.writableEnded ? null : 'connection_closed')
  const { code, rule, assumption } = outcome.refusal ?? {}
  const by = code && { code, rule: rule ?? assumption }
  return {
    id,
    method,
    path,
    status,
    ...by,
    ms,
    ...(trace && { trace }),
    ...(script && { script: script.action.id }),
    ...(lost && { lost })
  }
}

export function logDefect(log: FastifyBaseLogger, error: unknown): void {
  safely(() => log.error({ err: error }, 'defect'))
}

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
