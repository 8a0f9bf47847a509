/** Calls of a journal as plays of a scenario: what they sent, with something harmless in place of secrets, and what of their answers is determined. */
import { FormList, type FormNode, FormObject, inBrackets } from '../core/form.js'
import { isObject } from '../core/quick-check.js'
import { isSecretPath, maskedThroughout } from '../core/redaction.js'
import { MASK } from '../core/secret-words.js'
import { testCardNumber } from '../core/test-cards.js'
import { type Exchange, hasReached, STAGE } from '../engine/exchange.js'
import { nameOf, operationOf } from '../reference/operations.js'
import type { Action, EntryData } from '../scenario/script.js'
import type { Json, StepData } from '../scenario/steps.js'

/** How a call is written: the key of an Account, and what replaces an id that another call was given. */
export type Writing = { keyOf: (account: string) => string | undefined; written: (id: string) => string }
/** A placeholder for a key that nobody has. */
export const UNKNOWN_KEY = 'unknown-key'
/** Placeholders for other secrets, by the last part of their names. */
const PLACEHOLDERS: Readonly<Record<string, string>> = { csc: '123', expiry: '12/34', token: 'tok_test', routing_number: '110000000' }
/** Parameters that are read as numbers. */
const IS_NUMBER = /^(?:limit|amount|\w+_amount)$/
const WHOLE = /^(?:0|[1-9]\d{0,14})$/

/** A call as a play, without its expectation; `notes` say what is not as it was sent. Null for a call that no play can make. */
export function playOf(call: Exchange, { keyOf, written }: Writing): { step: StepData; notes: string[] } | null {
  if (call.operation === null) return null
  const { method, path } = operationOf(call.operation)
  const notes = new Set<string>()
  const plain = (text: string): string => {
    if (text.includes(MASK)) notes.add('a text is played as it was masked')
    if (!text.includes('${')) return written(text)
    notes.add('"${" is "$ {", so that it refers to nothing')
    return text.replaceAll('${', '$ {')
  }
  const placeholder = (name: string, place: string): string => {
    const text = NUMBERS[name]?.(methodOf(call)) ?? PLACEHOLDERS[name] ?? 'secret'
    notes.add(`${place} is ${text}`)
    return text
  }
  const valueIn = (node: FormNode, names: readonly string[]): Json => {
    const name = names.at(-1) as string
    if (node instanceof FormList) return node.items.map(plain)
    if (node instanceof FormObject) return Object.fromEntries([...node].map(([part, below]) => [part, valueIn(below, [...names, part])]))
    if (node === MASK && isSecretPath(names)) return placeholder(name, names.reduce(inBrackets))
    return IS_NUMBER.test(name) && WHOLE.test(node) ? Number(node) : plain(node)
  }
  const valuesOf = (form: FormObject): Record<string, Json> =>
    Object.fromEntries(
      [...form].flatMap(([name, node]): [string, Json][] => {
        const value = valueIn(node, [name])
        if (!(node instanceof FormObject && node.cleared)) return [[name, value]]
        // an empty value for the whole comes before its parts
        return [[name, ''], ...Object.entries(value as Record<string, Json>).map(([part, below]): [string, Json] => [inBrackets(name, part), below])]
      })
    )
  const unknown = call.outcome.refusal?.code === 'api_key_unknown' ? UNKNOWN_KEY : undefined
  const own = call.account === null ? unknown : keyOf(call.account)
  const query = valuesOf(call.query)
  const body = valuesOf(call.body)
  const step: StepData = {
    do: `${method} ${path.replace(/\{(\w+)\}/g, (_all, name) => plain(call.params[name] as string))}`,
    ...(own !== undefined && { key: own }),
    ...(Object.keys(query).length > 0 && { query }),
    ...(Object.keys(body).length > 0 && { body })
  }
  if (own === UNKNOWN_KEY) notes.add(`the key is ${UNKNOWN_KEY}`)
  return { step, notes: [...notes] }
}

/** How a call paid: what may be shown of it, as it was stored, or as it was sent where nothing was. */
type Method = { card?: Shown; bank_account?: Shown }
type Shown = { brand?: string | null; last4?: string | null } | null

const methodOf = ({ outcome: { shown }, body }: Exchange): Method =>
  (shown as { payment_method?: Method } | null)?.payment_method ?? (Object.fromEntries([...body].map(([name, node]) => [name, openIn(node)])) as Method)

const openIn = (node: FormNode): Shown =>
  node instanceof FormObject ? Object.fromEntries([...node].filter(([name]) => name === 'brand' || name === 'last4')) : null

/** Placeholders for numbers whose last four digits are kept; `none` for one that had fewer. */
const NUMBERS: Readonly<Record<string, (method: Method) => string>> = {
  number: ({ card }) => (card?.last4 === null ? 'none' : testCardNumber(card?.brand, digitsOf(card?.last4))),
  account_number: ({ bank_account }) => (bank_account?.last4 === null ? 'none' : `00000${digitsOf(bank_account?.last4)}`)
}

const digitsOf = (last4: string | undefined): string => (last4 !== undefined && /^\d{4}$/.test(last4) ? last4 : '4242')

export type Fields = { readonly [name: string]: Json }

/**
 * What of an answer of an operation is the same whenever the call is made in the same state: of an error all but its message, of a list the ids, of a record
 * all but when it was made, and its id where the call made it.
 */
export function determined(body: Fields, isCreated: boolean): Json {
  if (isObject(body.error)) {
    const { message: _message, request_id: _id, problems: _problems, ...error } = body.error
    return { error }
  }
  if (body.object === 'list') return idsIn(body)
  const { created: _created, refunds, ...fields } = body
  const record: Fields = isObject(refunds) ? { ...fields, refunds: idsIn(refunds) } : fields
  if (!isCreated) return record
  const { id: _id, ...others } = record
  return others
}

const idsIn = ({ has_more, data }: Fields): Fields => ({ has_more: has_more as Json, data: (data as Fields[]).map(({ id }) => ({ id: id as Json })) })

/** The part of a value that another one has too; undefined where they have nothing in common. */
export function common(value: Json, other: Json | undefined): Json | undefined {
  if (Array.isArray(value)) {
    if (!Array.isArray(other) || other.length !== value.length) return undefined
    const parts = value.map((part, index) => common(part, other[index]))
    return parts.includes(undefined) ? undefined : (parts as Json[])
  }
  if (!isObject(value)) return value === other && !String(value).includes('${') ? value : undefined
  if (!isObject(other)) return undefined
  const parts = Object.entries(value).flatMap(([name, part]) => (Object.hasOwn(other, name) ? asEntry(name, common(part, other[name])) : []))
  return parts.length === 0 && Object.keys(value).length > 0 ? undefined : Object.fromEntries(parts)
}

const asEntry = (name: string, part: Json | undefined): [string, Json][] => (part === undefined ? [] : [[name, part]])

/** The answer of a call as data, with secrets masked; undefined where it is no JSON. */
export function answerOf({ text, secretWords }: Pick<Exchange, 'text' | 'secretWords'>): Json | undefined {
  try {
    return maskedThroughout(JSON.parse(text), secretWords)
  } catch {
    return undefined
  }
}

/** Whether the script answered a call or lost its answer, and so is applied to the play of it too. */
export const isScripted = ({ outcome, action, isDelivered }: Exchange): boolean =>
  outcome.name === 'scripted' || (action?.entry.data.fault !== undefined && !isDelivered)

/** Whether a call never reached its operation: the script answered it, or it was lost before. */
export const isStopped = ({ outcome: { name } }: Exchange): boolean => name === 'scripted' || name === 'lost_before'

/** What the script did to calls, which are made in their order: an entry for the calls of an operation that it did the same to, one after the other. */
export function scriptOf(calls: readonly Exchange[]): EntryData[] {
  const counts = new Map<string, number>()
  const found: { on: string; from: number; to: number; action: Omit<EntryData, 'on'>; text: string }[] = []
  for (const call of calls) {
    if (!hasReached(call, STAGE.admitted) || call.operation === null) continue
    const on = nameOf(call.operation)
    const count = (counts.get(on) ?? 0) + 1
    counts.set(on, count)
    if (!isScripted(call)) continue
    const { name, respond, fault, when } = (call.action as Action).entry.data
    const action = {
      ...(name && { name }),
      ...(respond && { respond: maskedThroughout(respond, call.secretWords) }),
      ...(fault && { fault }),
      ...(when && { when })
    }
    const text = JSON.stringify(action)
    const last = found.findLast(entry => entry.on === on)
    if (last?.text === text && last.to === count - 1) last.to = count
    else found.push({ on, from: count, to: count, action, text })
  }
  return found.map(({ on, from, to, action: { name, ...action } }) => {
    const isAll = from === 1 && to === counts.get(on)
    return { ...(name && { name }), on, ...(!isAll && { calls: from === to ? from : `${from}-${to}` }), ...action } as EntryData
  })
}
