/** Where a script acts on a call: after its key and parameters were found right, before its operation. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type FormObject, nodeIn } from '../core/form.js'
import type { Pause } from '../evidence/judged-call.js'
import type { SentCall, Values } from '../scenario/matching.js'
import type { Action, Fault, Respond } from '../scenario/script.js'
import type { Call } from './call.js'
import { type Faults, malformed } from './faults.js'

const JSON_TYPE = 'application/json; charset=utf-8'
const TEXT_TYPE = 'text/plain; charset=utf-8'

/** A call as it was sent, for matching; nothing of it is kept. */
export function sentCall({ operation, key, params, query, body }: Call): SentCall {
  return {
    operation: operation as SentCall['operation'],
    key,
    params: ([name]) => params[name as string],
    query: valuesOf(query),
    body: valuesOf(body)
  }
}

/** Counts a call for the scenario's expectations once, however it is answered; one without a right key is not a call. */
export function countCall(call: Call): void {
  if (call.isStep || call.isCounted || !call.isIdentified || call.operation === null) return
  call.isCounted = true
  const { tally } = call.sandbox
  if (!tally.isEmpty) tally.count(sentCall(call))
}

/** The values of a form by their nested names. */
export const valuesOf =
  (form: FormObject): Values =>
  name => {
    const node = nodeIn(form, name)
    return typeof node === 'string' ? node : undefined
  }

/** Lets the script act: waits its delay, answers instead of the operation, or loses the answer. Returns whether the operation is to run. */
export async function act(action: Action, { call }: FastifyRequest, reply: FastifyReply, faults: Faults): Promise<boolean> {
  const { respond, fault, when = 'before' } = action.entry.data
  call.action = action
  if (action.delay > 0 && !(await faults.delay(action.delay))) {
    call.fate = 'lost_before'
    reply.hijack().raw.destroy()
    return false
  }
  if (when === 'after' || (!respond && !fault)) return true

  const body = bodyOf(respond ?? LOST, call.id)
  reply.code(statusOf(respond)).headers(respond?.headers ?? {})
  if (body !== '' && !reply.hasHeader('content-type')) reply.type(typeof respond?.body === 'string' ? TEXT_TYPE : JSON_TYPE)
  call.fate = 'scripted'
  call.text = body
  call.pause = pauseIn(reply, call)
  const rest = fault && !call.isClosed ? lose(fault, call, reply, body, faults) : body
  if (rest !== null) reply.send(rest)
  return false
}

/** What a fault without an answer of its own loses. */
const LOST: Respond = { error: { type: 'api_error', code: 'scripted_fault', message: 'This answer was meant to be lost.' } }

function statusOf(respond: Respond | undefined): number {
  if (respond === undefined) return 502
  return respond.status ?? (respond.error ? 400 : 200)
}

function bodyOf({ body, error }: Respond, requestId: string): string {
  if (error) return JSON.stringify({ error: { type: 'api_error', ...error, request_id: requestId } })
  if (body === undefined) return ''
  return typeof body === 'string' ? body : JSON.stringify(body)
}

/** Until when a Retry-After asks to wait: it holds seconds, or a date, which either clock may be meant to reach. */
function pauseIn(reply: FastifyReply, { now, at }: Call): Pause | null {
  const header = String(reply.getHeader('retry-after') ?? '')
  if (/^\d+$/.test(header)) return { machine: now + Number(header) * 1000, sandbox: at + Number(header) * 1000 }
  const date = Date.parse(header)
  return Number.isNaN(date) ? null : { machine: date, sandbox: date }
}

/** After the operation of a scripted call: loses its answer where the script says so. Returns the body to send, or null where nothing more is sent. */
export function loseAfter(call: Call, reply: FastifyReply, body: string, faults: Faults): string | null {
  const { fault, when } = (call.action as Action).entry.data
  if (!fault || when !== 'after') return body
  return lose(fault, call, reply, body, faults)
}

/** Loses an answer; returns the broken body that is sent instead, or null where nothing more is to be sent. */
function lose(fault: Fault, call: Call, reply: FastifyReply, body: string, faults: Faults): string | null {
  call.lost = fault
  if (fault === 'malformed_body' && body !== '') return malformed(body)
  faults.lose(fault, reply, { status: reply.statusCode, headers: reply.getHeaders(), body }, call.sandbox.ending)
  return null
}
