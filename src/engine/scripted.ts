/** What a script does to a request: a decision; the caller waits and loses. */
import { durationOf } from '../core/durations.js'
import { type FormObject, nodeIn } from '../core/form.js'
import { mergePatched } from '../core/merge-patch.js'
import { filled } from '../core/templates.js'
import { aboutIn } from '../scenario/about.js'
import { defaultError } from '../scenario/default-errors.js'
import type { Ending } from '../scenario/expect/expectations.js'
import type { SentCall, Values } from '../scenario/match/matching.js'
import type { Action, Respond } from '../scenario/script.js'
import type { Json } from '../scenario/shape/parts.js'
import type { Store } from '../store/store.js'
import { JSON_TYPE } from './answers.js'
import {
  type AnswerHeaders,
  type Exchange,
  hasReached,
  malformed,
  type Pause,
  recordsChanged,
  STAGE,
  scriptAction,
  tookEffect
} from './exchange.js'

const TEXT_TYPE = 'text/plain; charset=utf-8'

/** A request as it was sent, for matching; nothing of it is kept. */
export const sentBy = (exchange: Exchange): SentCall =>
  sentIn(exchange.world.state.store, exchange, exchange.key)

export type Sent = Pick<
  Exchange,
  'operation' | 'account' | 'params' | 'query' | 'body' | 'header' | 'test' | 'at'
>

/** A request as conditions see it, with the records that it is about. */
export function sentIn(store: Store, request: Sent, key: string | null): SentCall {
  const { account, params } = request
  const sent = {
    operation: request.operation,
    key,
    account,
    params: ([name]: readonly string[]) => params[name as string],
    query: valuesOf(request.query),
    body: valuesOf(request.body),
    header: (name: string) => request.header(name),
    test: request.test,
    at: request.at
  }
  return { ...sent, about: aboutIn(store, sent) }
}

export const endingOf = (exchange: Exchange): Ending => ({
  status: exchange.outcome.status,
  isDelivered: exchange.isDelivered,
  tookEffect: tookEffect(exchange),
  at: exchange.ended,
  changed: recordsChanged(exchange),
  body: () => jsonIn(exchange.text)
})

export function jsonIn(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Values by their nested names; null where further names or a list are below. */
export const valuesOf =
  (form: FormObject): Values =>
  name => {
    const node = nodeIn(form, name)
    return typeof node === 'string' || node === undefined ? node : null
  }

/** Whether the script responds or loses the response, and no operation runs. */
export const isAnswer = ({ entry: { data } }: Action): boolean =>
  data.when !== 'after' &&
  data.respond?.patch === undefined &&
  (data.respond !== undefined || data.fault !== undefined)

/** Makes the change of an entry, if it is due now. Returns whether it was made. */
export function changeRecords(
  exchange: Exchange,
  { entry: { data, edit } }: Action,
  when: 'before' | 'after'
): boolean {
  if (edit === null || (data.when ?? 'before') !== when) return false
  Object.assign(exchange, exchange.world.edit(edit, exchange.id))
  return exchange.problem === null
}

export function answerByScript(exchange: Exchange, action: Action): void {
  const { data } = action.entry
  const { inputs } = exchange.world
  exchange.place = inputs.place
  changeRecords(exchange, action, 'before')
  exchange.changes = inputs.place - exchange.place
  respondWith(exchange, data.respond ?? LOST)
}

/** Once the operation ran, the script changes its response or sends another. */
export function changeAnswer(exchange: Exchange, { entry: { data } }: Action): void {
  if (data.respond !== undefined) respondWith(exchange, data.respond)
}

/** A response without a body is not patched. */
function respondWith(exchange: Exchange, respond: Respond): void {
  const { patch, status } = respond
  if (patch !== undefined && exchange.length === 0) return
  const text =
    patch === undefined
      ? bodyOf(respond, exchange)
      : JSON.stringify(mergePatched(JSON.parse(String(exchange.payload)), patch))
  const headers = headersOf(respond, text)
  exchange.answerHeaders = headers
  exchange.scripted(
    patch === undefined ? statusOf(respond) : (status ?? exchange.outcome.status),
    text,
    pauseIn(headers, exchange)
  )
}

/** Loses or breaks a response, but not one of the emulator itself. */
export function breakAnswer(exchange: Exchange): void {
  const fault = exchange.action?.entry.data.fault
  if (fault === undefined || !isBroken(exchange)) return
  exchange.lost(fault)
  if (fault === 'malformed_body') exchange.payload = malformed(String(exchange.payload))
}

const isBroken = (exchange: Exchange): boolean =>
  isAnswer(exchange.action as Action)
    ? exchange.outcome.name === 'scripted'
    : hasReached(exchange, STAGE.running)

/** Once the outcome is decided: an entry that changed nothing was not applied. */
export function retractUnapplied(exchange: Exchange): void {
  const { action, outcome, changed, past, world, state } = exchange
  if (!action?.isApplied || state !== world.state) return
  const { fault } = action.entry.data
  const isApplied =
    outcome.name === 'scripted' ||
    changed.length > 0 ||
    past !== null ||
    action.isHeld ||
    action.delay > 0 ||
    (fault !== undefined && isBroken(exchange))
  if (!isApplied) state.script.retract(action, world.counted)
}

const LOST: Respond = {
  status: 502,
  error: { code: 'scripted_fault', message: 'This response was meant to be lost.' }
}

const statusOf = ({ status, error }: Respond): number => status ?? (error ? 400 : 200)

/** Without a body, an error status has the error of that status. */
function bodyOf(respond: Respond, { id, settings }: Exchange): string {
  const { body, error } = respond
  const status = statusOf(respond)
  if (error !== undefined || (body === undefined && status >= 400))
    return JSON.stringify(
      filled(settings['shapes.error'], { ...defaultError(status), ...error, request_id: id })
    )
  if (body === undefined) return ''
  return typeof body === 'string' ? body : JSON.stringify(body)
}

/** The headers that the script gives, with a content type. */
function headersOf(
  { headers = {}, body: given, retry_after }: Respond,
  body: string
): AnswerHeaders {
  const named = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  )
  if (retry_after !== undefined)
    named['retry-after'] = String(Math.ceil((durationOf(retry_after) as number) / 1000))
  return body === '' || 'content-type' in named
    ? named
    : { 'content-type': typeof given === 'string' ? TEXT_TYPE : JSON_TYPE, ...named }
}

/** Reads Retry-After: seconds, or a date, which may be meant by either clock. */
function pauseIn(
  { 'retry-after': header = '' }: AnswerHeaders,
  { now, at }: Exchange
): Pause | null {
  const text = String(header)
  if (/^\d+$/.test(text))
    return { machine: now + Number(text) * 1000, sandbox: at + Number(text) * 1000 }
  const date = Date.parse(text)
  return Number.isNaN(date) ? null : { machine: date, sandbox: date }
}

/** The script gave or lost the response or changed records. */
export const isScripted = (call: Exchange): boolean =>
  call.outcome.name === 'scripted' ||
  alongside(call) !== null ||
  (scriptAction(call)?.fault != null && !call.isDelivered)

/** What the script did while the operation ran; null where nothing. */
export function alongside(call: Exchange): Action | null {
  const { action } = call
  if (action === null || isAnswer(action)) return null
  const { edit, stale, data } = action.entry
  return edit !== null || stale !== null || data.respond !== undefined ? action : null
}
