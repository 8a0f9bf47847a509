/** Requests as steps of a play, without secrets, and the parts of responses that do not vary. */
import { FormObject, inBrackets } from '../core/form.js'
import { MASK } from '../core/mask.js'
import { partAt } from '../core/places.js'
import { isSecretName, maskedThroughout, type SecretWords } from '../core/redaction.js'
import { filled, valueAt, without } from '../core/templates.js'
import { hasPerformed, hasReached, STAGE, scriptAction } from '../engine/outcome.js'
import { respondsInstead } from '../engine/scripted.js'
import { type Entry, maskedBody } from '../evidence/entry.js'
import { parametersIn } from '../evidence/why.js'
import { nameOf, operationOf } from '../reference/operations.js'
import { isObject } from '../reference/rules.js'
import type { Action, EntryData, Fault } from '../scenario/script.js'
import type { Json, StepData } from '../scenario/steps.js'
import { keyOf, maskedRecord } from './recorded-state.js'

/** `idInPlay`: how a play refers to an id; `headers`: those that are sent. */
type Writing = {
  firstKey: string | null
  idInPlay: (id: string) => string
  headers: ReadonlySet<string>
}
const IS_NUMBER = /^(?:limit|amount|\w+_amount)$/
const WHOLE = /^(?:0|[1-9]\d{0,14})$/

/** What the script did besides the operation, or null. */
export function alongside({ script }: Entry): Action | null {
  if (script === null || respondsInstead(script.action)) return null
  const { edit, stale, data } = script.action.entry
  return edit !== null || stale !== null || data.respond !== undefined ? script.action : null
}

/** The fault of the script that lost the response. */
export const faultOf = (call: Entry): Fault | null =>
  call.outcome.isDelivered ? null : (scriptAction(call)?.fault ?? null)

/** The script gave or lost the response or changed records. */
export const isScripted = (call: Entry): boolean =>
  call.outcome.name === 'scripted' || alongside(call) !== null || faultOf(call) !== null

/** It never reached its operation. */
export const isStopped = (call: Entry): boolean =>
  call.outcome.name === 'lost_before' || (call.outcome.name === 'scripted' && !hasPerformed(call))

/** Null for a request that no play can send, and for one that its client gave up. */
export function playOf(call: Entry, { firstKey, idInPlay, headers }: Writing): StepData | null {
  const { operation, caller, query, body, params, outcome } = call
  if (operation === null || (outcome.name === 'lost_before' && faultOf(call) === null)) return null
  const { method, path } = operationOf(operation)
  const write = (text: string) =>
    text.includes('${') ? text.replaceAll('${', '$ {') : idInPlay(text)
  const sentHeaders = [...headers].flatMap(name => {
    const text = name === 'user-agent' ? caller.userAgent : caller.test
    return text === null ? [] : [[name, write(text)]]
  })
  const parts = Object.entries({
    headers: Object.fromEntries(sentHeaders),
    query: playedValues(query, call, write),
    body: playedValues(body, call, write)
  })
  // the first key is sent without a name
  const unknownKey = outcome.refusal?.code === 'api_key_unknown' ? 'unknown-key' : firstKey
  const key = caller.account === null ? unknownKey : keyOf(caller.account)
  return {
    do: `${method} ${path.replace(/\{(\w+)\}/g, (_all, name) => write(String(params[name])))}`,
    ...(key !== null && key !== firstKey && { key }),
    ...Object.fromEntries(parts.filter(([, values]) => Object.keys(values).length > 0))
  }
}

function playedValues(
  form: FormObject,
  call: Entry,
  write: (text: string) => string
): Record<string, Json> {
  const values = parametersIn(form, (text, names) => {
    if (text === MASK && isSecretName(names.join('.'))) return placeholder(names, call)
    const written = write(text)
    return IS_NUMBER.test(String(names.at(-1))) && WHOLE.test(written) ? Number(written) : written
  })
  return Object.fromEntries(
    [...form].flatMap(([name, node]) => {
      if (!(node instanceof FormObject && node.cleared)) return [[name, values[name]]]
      // an empty value for the whole comes before its parts
      const parts = Object.entries(Object(values[name]))
      return [[name, ''], ...parts.map(([part, below]) => [inBrackets(name, part), below])]
    })
  )
}

/** A number that ends in the last four digits that were stored. */
function placeholder([holder = '', name]: readonly string[], { outcome }: Entry): string {
  if (name !== 'number' && name !== 'account_number') return 'secret'
  const last4 = partAt(outcome.result, ['payment_method', holder, 'last4'])
  return last4 === null ? 'none' : `000000000000${last4 ?? '4242'}`
}

/** What a play can expect of the body, without what is undefined; null for nothing. */
export function bodyToExpect(call: Entry, words: SecretWords, isCreated: boolean): Json {
  const text = JSON.stringify(determined(call, words, isCreated))
  return text.includes(MASK) || text.includes('${') ? null : JSON.parse(text)
}

/** Without the emulator's messages and what a creation draws; of a list only the ids. */
function determined(call: Entry, words: SecretWords, isCreated: boolean): Json {
  const { outcome, settings } = call
  const body = maskedBody(call, words)
  if (!isObject(body)) return body ?? null
  const drawn = isStopped(call) ? ['$request_id'] : ['$request_id', '$message']
  if (outcome.status >= 400) return without(settings['shapes.error'], body, drawn) as Json
  const list = idsIn(body, settings)
  if (list !== undefined) return list
  const { created: _created, refunds, ...fields } = body
  const ids = refunds && idsIn(refunds, settings)
  const record = ids === undefined ? fields : { ...fields, refunds: ids }
  if (isCreated) delete record.id
  return record
}

/** The ids of a list, and whether it has more; undefined for anything else. */
function idsIn(body: unknown, { 'shapes.list': list }: Entry['settings']): Json | undefined {
  const members = valueAt(list, body, '$members')
  if (!Array.isArray(members)) return undefined
  const ids = members.map(({ id }: { id: Json }) => ({ id }))
  return filled(list, { members: ids, has_more: valueAt(list, body, '$has_more') }) as Json
}

/** An entry for each request that the script acted on. */
export function scriptOf(calls: readonly Entry[], words: SecretWords): EntryData[] {
  const counts = new Map<string, number>()
  return calls.flatMap(call => {
    if (call.operation === null || !hasReached(call, STAGE.admitted)) return []
    const on = nameOf(call.operation)
    const nth = (counts.get(on) ?? 0) + 1
    counts.set(on, nth)
    const { name, ...action } = actionOf(call.script?.action.entry.data ?? {}, words)
    return isScripted(call) ? [{ name, on, calls: nth, ...action } as EntryData] : []
  })
}

/** What an entry does, without delays, holds and secrets. */
function actionOf(
  { name, respond, change, stale, fault, when }: Partial<EntryData>,
  words: SecretWords
) {
  const data = Object.entries(change?.data ?? {}).map(([family, records]) => [
    family,
    (records as object[]).map(record => maskedRecord(record, words))
  ])
  return {
    name,
    respond: maskedThroughout(respond, words),
    change: change && { ...change, ...(change.data && { data: Object.fromEntries(data) }) },
    stale,
    fault,
    when
  }
}
