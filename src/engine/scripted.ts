/** What a script does to a request. The caller waits and loses responses. */
import { type FormObject, nodeIn } from '../core/form.js'
import { durationOf } from '../core/instants.js'
import { mergePatched } from '../core/patch.js'
import { filled } from '../core/templates.js'
import { aboutIn } from '../scenario/about.js'
import { defaultError } from '../scenario/default-errors.js'
import type { SentCall, Values } from '../scenario/match/matching.js'
import type { Action, Respond } from '../scenario/script.js'
import type { Store } from '../store/store.js'
import { credentialsIn } from './keys.js'
import { malformed, type Pause, type ResponseHeaders, type Scripted, STAGE } from './outcome.js'
import { type Reading, type RequestHeaders, testHeaderOf } from './reading.js'
import { giveUp, JSON_TYPE, type Response, rewritten } from './response.js'
import type { World } from './world.js'

const TEXT_TYPE = 'text/plain; charset=utf-8'

/** A running request, for matching; never stored. */
export function sentBy(reading: Reading): SentCall {
  const { world, actor, test, userAgent, authorization, headers } = reading
  const { operation, params, query, body, settings, at } = reading
  const caller = { account: actor?.id ?? null, test, userAgent }
  const sent = { operation, params, query, body, settings, at, caller }
  const [, key] = authorization ? credentialsIn(authorization) : []
  return sentIn(world.state.store, sent, key || null, headers)
}

type Sent = Pick<Reading, 'operation' | 'params' | 'query' | 'body' | 'settings' | 'at'> & {
  readonly caller: { readonly [of in 'account' | 'test' | 'userAgent']: string | null }
}

/** Without `headers`, where they are not kept. */
export function sentIn(
  store: Store,
  { operation, params, query, body, at, settings, caller }: Sent,
  key: string | null = null,
  headers: RequestHeaders | null = null
): SentCall {
  const { account, test, userAgent } = caller
  const testHeader = testHeaderOf(settings)
  const sent = {
    operation,
    key,
    account,
    params: ([name = '']: readonly string[]) => params[name],
    query: valuesOf(query),
    body: valuesOf(body),
    header: (name: string) => {
      if (name === 'user-agent') return userAgent ?? undefined
      if (name === testHeader) return test ?? undefined
      return headers === null ? null : headers[name]?.toString()
    },
    test,
    arrivedAt: at
  }
  return { ...sent, about: aboutIn(store, sent) }
}

/** Values by nested names; null for an object or a list. */
const valuesOf =
  (form: FormObject): Values =>
  name => {
    const node = nodeIn(form, name)
    return typeof node === 'string' || node === undefined ? node : null
  }

export const respondsInstead = ({ entry: { data } }: Action): boolean =>
  data.when !== 'after' &&
  data.respond?.patch === undefined &&
  (data.respond !== undefined || data.fault !== undefined)

export const scriptedBy = (action: Action, change: Changed | null = null): Scripted => ({
  action,
  changed: [],
  problem: null,
  isPast: false,
  ...change
})
type Changed = ReturnType<World['edit']>

/** Makes the change of an entry if it is due. Returns what changed, or why it could not. */
export function changeRecords(
  { world, id }: Reading,
  { entry: { data, edit } }: Action,
  when: 'before' | 'after'
): Changed | null {
  return edit === null || (data.when ?? 'before') !== when ? null : world.edit(edit, id)
}

export function respondByScript(reading: Reading, action: Action): Response {
  const { inputs } = reading.world
  const { place } = inputs
  const script = scriptedBy(action, changeRecords(reading, action, 'before'))
  const lost = { ...giveUp(reading, script), place, changes: inputs.place - place }
  return respondWith(lost, action.entry.data.respond ?? LOST)
}

/** After the operation, the script patches or replaces the response. */
export const changeResponse = (response: Response, { entry: { data } }: Action): Response =>
  data.respond === undefined || response.outcome.name === 'refused'
    ? response
    : respondWith(response, data.respond)

function respondWith(before: Response, respondAs: Respond): Response {
  const { patch, status } = respondAs
  const { reading, outcome, payload } = before
  if (patch !== undefined && outcome.length === 0) return before
  const text =
    patch === undefined
      ? bodyOf(respondAs, reading)
      : JSON.stringify(mergePatched(JSON.parse(String(payload)), patch))
  const headers = headersOf(respondAs, text)
  const scripted = {
    name: 'scripted',
    status: patch === undefined ? statusOf(respondAs) : (status ?? outcome.status),
    members: null,
    text,
    pause: pauseIn(headers, reading)
  } as const
  return rewritten(before, scripted, headers)
}

/** Loses or breaks a response, but not one of the emulator itself. */
export function breakResponse(response: Response): Response {
  const { script, outcome, payload } = response
  const fault = script?.action.entry.data.fault
  if (fault === undefined || !isBroken(response)) return response
  return {
    ...response,
    outcome: { ...outcome, fault },
    payload: fault === 'malformed_body' ? malformed(String(payload)) : payload
  }
}

const isBroken = ({ script, outcome }: Response): boolean =>
  script !== null && respondsInstead(script.action)
    ? outcome.name === 'scripted'
    : outcome.reached === STAGE.running

/** An entry that changed nothing was not applied. */
export function retractUnapplied(response: Response, action: Action): void {
  const { outcome, reading, script } = response
  const isApplied =
    outcome.name === 'scripted' ||
    (script !== null && (script.isPast || script.changed.length > 0)) ||
    action.isHeld ||
    action.delay > 0 ||
    (action.entry.data.fault !== undefined && isBroken(response))
  if (!isApplied) reading.state.script.retract(action, reading.world.counted)
}

const LOST: Respond = {
  status: 502,
  error: { code: 'scripted_fault', message: 'A script entry loses this response.' }
}

const statusOf = ({ status, error }: Respond): number => status ?? (error ? 400 : 200)

/** An error status without a body gets the default error of the status. */
function bodyOf(respond: Respond, { id, settings }: Reading): string {
  const { body, error } = respond
  const status = statusOf(respond)
  if (error !== undefined || (body === undefined && status >= 400))
    return JSON.stringify(
      filled(settings['shapes.error'], { ...defaultError(status), ...error, request_id: id })
    )
  if (body === undefined) return ''
  return typeof body === 'string' ? body : JSON.stringify(body)
}

function headersOf(
  { headers = {}, body: written, retry_after }: Respond,
  body: string
): ResponseHeaders {
  const named: ResponseHeaders = {}
  for (const [name, value] of Object.entries(headers)) named[name.toLowerCase()] = value
  if (retry_after !== undefined)
    named['retry-after'] = String(Math.ceil(Number(durationOf(retry_after)) / 1000))
  return body === '' || 'content-type' in named
    ? named
    : { 'content-type': typeof written === 'string' ? TEXT_TYPE : JSON_TYPE, ...named }
}

/** Reads Retry-After: seconds, or a date by either clock. */
function pauseIn(
  { 'retry-after': header = '' }: ResponseHeaders,
  { now, at }: Reading
): Pause | null {
  const text = String(header)
  if (/^\d+$/.test(text))
    return { machine: now + Number(text) * 1000, sandbox: at + Number(text) * 1000 }
  const date = Date.parse(text)
  return Number.isNaN(date) ? null : { machine: date, sandbox: date }
}
