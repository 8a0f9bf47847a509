/** Where a script acts on a call: after its key and parameters were found right, before its operation. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { durationOf } from '../core/durations.js'
import { type FormObject, nodeIn } from '../core/form.js'
import { type JudgedCall, type Pause, tookEffect } from '../evidence/judged-call.js'
import type { OperationId } from '../reference/operations.js'
import { aboutIn } from '../scenario/about.js'
import { defaultError } from '../scenario/default-errors.js'
import type { Ending } from '../scenario/expectations.js'
import type { SentCall, Values } from '../scenario/matching.js'
import { type Action, gateOf, type Hold, type Respond } from '../scenario/script.js'
import type { Store } from '../store/store.js'
import { type AnswerHeaders, JSON_TYPE } from './answers.js'
import type { Call } from './call.js'
import { type Faults, type LostAnswer, malformed } from './faults.js'

const TEXT_TYPE = 'text/plain; charset=utf-8'

/** A call as it was sent, for matching; nothing of it is kept. */
export const sentCall = (call: Call): SentCall => sentIn(call.sandbox.store, call, call.key)

/** A call as it was sent among these records, with this key. */
export function sentIn(store: Store, call: Pick<JudgedCall, 'operation' | 'account' | 'params' | 'query' | 'body'>, key: string | null): SentCall {
  const { account, params } = call
  const operation = call.operation as OperationId
  const sent = {
    operation,
    key,
    account,
    params: ([name]: readonly string[]) => params[name as string],
    query: valuesOf(call.query),
    body: valuesOf(call.body)
  }
  return { ...sent, about: aboutIn(store, sent) }
}

/** Counts a call for the scenario's expectations once, however it is answered; one without a right key is not a call. */
export function countCall(call: Call): void {
  if (call.isInner || call.isCounted || !call.isIdentified || call.operation === null) return
  call.isCounted = true
  const { tally } = call.sandbox
  if (!tally.isEmpty) tally.count(sentCall(call))
}

/** Counts a call that has ended for the expectations that ask what became of it. */
export function countEnding(call: Call): void {
  const { tally } = call.sandbox
  if (call.isCounted && tally.hasEndings) tally.count(sentCall(call), endingOf(call))
}

/** What became of a call. */
export const endingOf = (call: JudgedCall): Ending => ({ status: call.status, isDelivered: call.isDelivered, tookEffect: tookEffect(call) })

/** The values of a form by their nested names; null for a name with further names or a list below it. */
export const valuesOf =
  (form: FormObject): Values =>
  name => {
    const node = nodeIn(form, name)
    return typeof node === 'string' || node === undefined ? node : null
  }

/** Applies a script entry: holds or delays the call, then answers instead of the operation or loses the answer. Returns whether the operation is to run. */
export async function act(action: Action, { call }: FastifyRequest, reply: FastifyReply, faults: Faults): Promise<boolean> {
  const { hold, respond, fault, when = 'before' } = action.entry.data
  call.action = action
  // steps and trials wait for nothing
  const goesOn = call.isInner || ((!hold || (await held(action, hold, call, reply, faults))) && (action.delay === 0 || (await faults.delay(action.delay))))
  if (!goesOn) {
    call.fate = 'lost_before'
    reply.hijack().raw.destroy()
    return false
  }
  if (when === 'after' || (!respond && !fault)) return true

  const answer = respond ?? LOST
  const body = bodyOf(answer, call.id)
  const headers = headersOf(answer, body)
  call.fate = 'scripted'
  call.text = body
  call.pause = pauseIn(headers, call)
  reply.answer(statusOf(answer), body, headers)
  return false
}

/** Holds a call at its gate. Resolves with whether it goes on. */
async function held({ id }: Action, hold: Hold, call: Call, { raw }: FastifyReply, faults: Faults): Promise<boolean> {
  const arrival = { id: call.id, operation: call.operation as OperationId }
  const { goesOn, leave } = call.sandbox.gates.arrive(gateOf(id, hold), arrival, hold)
  return faults.hold(goesOn, leave, { raw, longest: hold.for === undefined ? null : (durationOf(hold.for) as number), most: call.settings['limits.waiting'] })
}

/** What a fault without an answer of its own loses. */
const LOST: Respond = { status: 502, error: { code: 'scripted_fault', message: 'This answer was meant to be lost.' } }

const statusOf = ({ status, error }: Respond): number => status ?? (error ? 400 : 200)

/** The body that is given; without one, an answer with an error's status has the error of that status. */
function bodyOf(respond: Respond, requestId: string): string {
  const { body, error } = respond
  const status = statusOf(respond)
  if (error !== undefined || (body === undefined && status >= 400))
    return JSON.stringify({ error: { ...defaultError(status), ...error, request_id: requestId } })
  if (body === undefined) return ''
  return typeof body === 'string' ? body : JSON.stringify(body)
}

/** The headers of an answer of the script: those that it gives, and the type of its body where it gives none. */
function headersOf({ headers = {}, body: given, retry_after }: Respond, body: string): AnswerHeaders {
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  if (retry_after !== undefined) named['retry-after'] = String(Math.ceil((durationOf(retry_after) as number) / 1000))
  return body === '' || 'content-type' in named ? named : { 'content-type': typeof given === 'string' ? TEXT_TYPE : JSON_TYPE, ...named }
}

/** Until when a Retry-After asks to wait: it holds seconds, or a date, which may be meant by either clock. */
function pauseIn({ 'retry-after': header = '' }: AnswerHeaders, { now, at }: Call): Pause | null {
  const text = String(header)
  if (/^\d+$/.test(text)) return { machine: now + Number(text) * 1000, sandbox: at + Number(text) * 1000 }
  const date = Date.parse(text)
  return Number.isNaN(date) ? null : { machine: date, sandbox: date }
}

/** Loses the answer of a call where the script says so; a trial gets what is lost. Returns the body that is sent, which may be a broken one; null where nothing more is sent. */
export function lose(call: Call, reply: FastifyReply, answer: LostAnswer, faults: Faults): string | null {
  const { fault, when } = (call.action as Action).entry.data
  // an answer of the emulator in place of the scripted one is not lost
  if (!fault || (when !== 'after' && call.fate !== 'scripted')) return answer.body
  call.lost = fault
  if (fault === 'malformed_body' && answer.body !== '') return malformed(answer.body)
  if (call.isInner) return answer.body
  faults.lose(fault, reply, answer, call.sandbox.ending)
  return null
}
