/** Where a script acts on a call: after its key and parameters were found right, before its operation. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type FormObject, nodeIn } from '../core/form.js'
import type { Pause } from '../evidence/judged-call.js'
import type { SentCall, Values } from '../scenario/matching.js'
import type { Action, Respond } from '../scenario/script.js'
import { type AnswerHeaders, JSON_TYPE } from './answers.js'
import type { Call } from './call.js'
import { type Faults, type LostAnswer, malformed } from './faults.js'

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

  const status = statusOf(respond)
  const body = bodyOf(respond ?? LOST, call.id)
  const headers = headersOf(respond ?? LOST, body)
  call.fate = 'scripted'
  call.text = body
  call.pause = pauseIn(headers, call)
  reply.answer(status, body, headers)
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

/** The headers of an answer of the script: those that it gives, and the type of its body where it gives none. */
function headersOf({ headers = {}, body: given }: Respond, body: string): AnswerHeaders {
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return body === '' || 'content-type' in named ? named : { 'content-type': typeof given === 'string' ? TEXT_TYPE : JSON_TYPE, ...named }
}

/** Until when a Retry-After asks to wait: it holds seconds, or a date, which either clock may be meant to reach. */
function pauseIn({ 'retry-after': header = '' }: AnswerHeaders, { now, at }: Call): Pause | null {
  const text = String(header)
  if (/^\d+$/.test(text)) return { machine: now + Number(text) * 1000, sandbox: at + Number(text) * 1000 }
  const date = Date.parse(text)
  return Number.isNaN(date) ? null : { machine: date, sandbox: date }
}

/** Loses the answer of a call where the script says so. Returns the body that is sent, which may be a broken one; null where nothing more is sent. */
export function lose(call: Call, reply: FastifyReply, answer: LostAnswer, faults: Faults): string | null {
  const { fault, when } = (call.action as Action).entry.data
  // an answer of the emulator in place of the scripted one is not lost
  if (!fault || (when !== 'after' && call.fate !== 'scripted')) return answer.body
  call.lost = fault
  if (fault === 'malformed_body' && answer.body !== '') return malformed(answer.body)
  faults.lose(fault, reply, answer, call.sandbox.ending)
  return null
}
