/** Requests as plays: what they sent, without secrets, and what is determined of the responses. */
import { isDeepStrictEqual } from 'node:util'
import { FormList, type FormNode, FormObject, inBrackets } from '../core/form.js'
import { MASK } from '../core/mask.js'
import { partAt } from '../core/places.js'
import { isObject } from '../core/quick-check.js'
import { isSecretName, maskedThroughout } from '../core/redaction.js'
import type { Settings } from '../core/settings.js'
import { picked, valueAt, without } from '../core/templates.js'
import { testCardNumber } from '../core/test-cards.js'
import { type Exchange, hasPerformed, hasReached, STAGE, scriptAction } from '../engine/exchange.js'
import { isAnswer } from '../engine/scripted.js'
import { nameOf, operationOf } from '../reference/operations.js'
import type { Action, EntryData } from '../scenario/script.js'
import type { Json, StepData } from '../scenario/steps.js'
import { maskedRecord } from './recorded-state.js'
import { SAYS } from './sentences.js'

/**
 * The key of an Account, the text that replaces an id from another request's response, and the
 * headers that are sent.
 */
export type Writing = {
  keyOf: (account: string) => string | undefined
  written: (id: string) => string
  headers: ReadonlySet<string>
}
/** A placeholder for a key that nobody has. */
const UNKNOWN_KEY = 'unknown-key'
type Shown = { brand?: string | null; last4?: string | null } | null
type Method = { card?: Shown; bank_account?: Shown }
/** By the last part of a name; those for numbers end in the last four digits that are shown. */
const PLACEHOLDERS: Readonly<Record<string, (method: Method) => string>> = {
  csc: () => '123',
  expiry: () => '12/34',
  token: () => 'tok_test',
  routing_number: () => '110000000',
  number: ({ card }) =>
    card?.last4 === null ? 'none' : testCardNumber(card?.brand, digitsOf(card?.last4)),
  account_number: ({ bank_account }) =>
    bank_account?.last4 === null ? 'none' : `00000${digitsOf(bank_account?.last4)}`
}
const IS_NUMBER = /^(?:limit|amount|\w+_amount)$/
const TOO_LARGE = '9'.repeat(20)
const WHOLE = /^(?:0|[1-9]\d{0,14})$/

/** `notes` say what differs from what was sent. Null for a request that no play can send. */
export function playOf(
  call: Exchange,
  { keyOf, written, headers: names }: Writing
): { step: StepData; notes: string[] } | null {
  if (call.operation === null) return null
  const { method, path } = operationOf(call.operation)
  const notes = new Set<string>()
  const { refusal, shown } = call.outcome
  const isBlamed = (name: string) => refusal?.param === name
  const isMissing = /_(?:missing|unknown)$/.test(refusal?.code ?? '')
  const plain = (text: string, name: string): string => {
    const known = text.includes(MASK) && isMissing && isBlamed(name) ? text : written(text)
    if (known.includes(MASK)) notes.add(SAYS.masked())
    if (!text.includes('${')) return known
    notes.add(SAYS.escaped())
    return text.replaceAll('${', '$ {')
  }
  const valueIn = (node: FormNode, names: readonly string[]): Json => {
    const name = names.at(-1) as string
    if (node instanceof FormList) return node.items.map(item => plain(item, name))
    if (node instanceof FormObject)
      return Object.fromEntries(
        [...node].map(([part, below]) => [part, valueIn(below, [...names, part])])
      )
    const param = names.reduce(inBrackets)
    const stored = node.includes(MASK) && partAt(shown, names)
    if (typeof stored === 'number') return stored
    let placeholder: string | number = PLACEHOLDERS[name]?.(methodOf(call)) ?? 'secret'
    if (node !== MASK || !isSecretName(names.join('.'))) {
      const isNumber = IS_NUMBER.test(name)
      if (isNumber && WHOLE.test(node)) return Number(node)
      if (!isNumber || !/^\d*\*{13,}\d*$/.test(node)) return plain(node, param)
      // refused, if at all, for being more than remains, or more than a number can be
      const isTooLarge = isBlamed(param) && call.money === null
      placeholder = isTooLarge ? TOO_LARGE : (call.money?.remaining ?? 0) + 1
    }
    notes.add(SAYS.replaced(param, `${placeholder}`))
    return placeholder
  }
  const valuesOf = (form: FormObject): Record<string, Json> =>
    Object.fromEntries(
      [...form].flatMap(([name, node]) => {
        const value = valueIn(node, [name])
        if (!(node instanceof FormObject && node.cleared)) return [[name, value]]
        // an empty value for the whole comes before its parts
        const parts = Object.entries(value as Fields)
        return [[name, ''], ...parts.map(([part, below]) => [inBrackets(name, part), below])]
      })
    )
  const unknown = refusal?.code === 'api_key_unknown' ? UNKNOWN_KEY : undefined
  const key = call.account === null ? unknown : keyOf(call.account)
  const [query, body] = [valuesOf(call.query), valuesOf(call.body)]
  const headers = Object.fromEntries(
    [...names].flatMap(name => {
      const text = name === 'user-agent' ? call.userAgent : call.test
      return text === null ? [] : [[name, plain(text, name)]]
    })
  )
  const step: StepData = {
    do: `${method} ${path.replace(/\{(\w+)\}/g, (_all, name) => plain(call.params[name] as string, name))}`,
    ...(key !== undefined && { key }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(Object.keys(query).length > 0 && { query }),
    ...(Object.keys(body).length > 0 && { body })
  }
  if (key === UNKNOWN_KEY) notes.add(SAYS.replaced('the key', UNKNOWN_KEY))
  return { step, notes: [...notes] }
}

/** As it was stored, or as it was sent where nothing was. */
function methodOf({ outcome: { shown }, body }: Exchange): Method {
  const stored = (shown as { payment_method?: Method } | null)?.payment_method
  return (
    stored ??
    Object.fromEntries(
      [...body].flatMap(([name, node]) =>
        node instanceof FormObject ? [[name, Object.fromEntries(node)]] : []
      )
    )
  )
}

const digitsOf = (last4: unknown): string =>
  typeof last4 === 'string' && /^\d{4}$/.test(last4) ? last4 : '4242'

export type Fields = { readonly [name: string]: Json }

/** An error without its message, the ids of a list, a record without what its creation draws. */
export function determined(
  body: Fields,
  status: number,
  isCreated: boolean,
  settings: Settings
): Json {
  if (status >= 400)
    return without(settings['shapes.error'], body, ['$message', '$request_id']) as Json
  const list = idsIn(body, settings)
  if (list !== undefined) return list
  const { created: _created, refunds, ...fields } = body
  const ids = refunds && idsIn(refunds, settings)
  const { id, ...record }: Fields = ids === undefined ? fields : { ...fields, refunds: ids }
  return isCreated ? record : { id: id as Json, ...record }
}

/** Of a list the ids, and whether there are more; undefined for anything else. */
function idsIn(body: Json, { 'shapes.list': list }: Settings): Json | undefined {
  if (!Array.isArray(valueAt(list, body, '$members'))) return undefined
  const ids = (members: Fields[]) => members.map(({ id }) => ({ id }))
  return picked<never>(list, body, { $members: ids, $has_more: (value: Json) => value }) as Json
}

/** The part of a value that another has too; undefined for none. */
export function common(value: Json, other: Json | undefined): Json | undefined {
  if (Array.isArray(value)) {
    if (!Array.isArray(other) || other.length !== value.length) return undefined
    const parts = value.map((part, index) => common(part, other[index]))
    return parts.includes(undefined) ? undefined : (parts as Json[])
  }
  if (!isObject(value)) return value === other && !String(value).includes('${') ? value : undefined
  if (!isObject(other)) return undefined
  const parts = Object.entries(value).map(
    ([name, part]) =>
      [name, Object.hasOwn(other, name) ? common(part, other[name]) : undefined] as const
  )
  const shared = parts.filter((part): part is [string, Json] => part[1] !== undefined)
  return shared.length === 0 && parts.length > 0 ? undefined : Object.fromEntries(shared)
}

/** With secrets masked; undefined where it is not JSON. */
export function answerOf({
  text,
  secretWords
}: Pick<Exchange, 'text' | 'secretWords'>): Json | undefined {
  try {
    return maskedThroughout(JSON.parse(text), secretWords)
  } catch {
    return undefined
  }
}

/** The script gave or lost the response or changed records, and so applies to the play too. */
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

/** It never reached its operation. */
export const isStopped = (call: Exchange): boolean =>
  call.outcome.name === 'lost_before' || (call.outcome.name === 'scripted' && !hasPerformed(call))

/** An entry for the successive requests of an operation that the script did the same to. */
export function scriptOf(calls: readonly Exchange[]): EntryData[] {
  const counts = new Map<string, number>()
  const found: { on: string; from: number; to: number; name?: string; action: object }[] = []
  for (const call of calls) {
    if (call.operation === null || !hasReached(call, STAGE.admitted)) continue
    const on = nameOf(call.operation)
    const count = (counts.get(on) ?? 0) + 1
    counts.set(on, count)
    if (!isScripted(call)) continue
    const { name, respond, change, stale, fault, when } = (call.action as Action).entry.data
    const { secretWords: words } = call
    const records = Object.entries(change?.data ?? {}).map(([family, list]) => [
      family,
      (list as object[]).map(record => maskedRecord(record, words))
    ])
    const action = {
      respond: maskedThroughout(respond, words),
      change: change && { ...change, ...(change.data && { data: Object.fromEntries(records) }) },
      stale,
      fault,
      when
    }
    const last = found.findLast(entry => entry.on === on)
    if (last?.to === count - 1 && last.name === name && isDeepStrictEqual(last.action, action))
      last.to = count
    else found.push({ on, from: count, to: count, name, action })
  }
  return found.map(({ on, from, to, name, action }) => {
    const calls = from === to ? from : `${from}-${to}`
    return {
      name,
      on,
      ...((from > 1 || to < (counts.get(on) as number)) && { calls }),
      ...action
    } as EntryData
  })
}
