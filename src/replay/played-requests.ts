/** Requests as steps of a play, without secrets, and the parts of responses that do not vary. */
import { type FormNode, FormObject, inBrackets } from '../core/form.js'
import { MASK } from '../core/mask.js'
import { partAt } from '../core/places.js'
import { isSecretName, maskedThroughout, type SecretWords } from '../core/redaction.js'
import type { Settings } from '../core/settings.js'
import { filled, valueAt, without } from '../core/templates.js'
import { hasPerformed, hasReached, STAGE } from '../engine/outcome.js'
import { type Entry, isScripted } from '../evidence/entry.js'
import { pairsIn } from '../evidence/why.js'
import { nameOf, operationOf } from '../reference/operations.js'
import { isObject } from '../reference/rules.js'
import type { EntryData } from '../scenario/script.js'
import type { Json, StepData } from '../scenario/steps.js'
import { maskedRecord } from './recorded-state.js'

/** `idInPlay`: how a play refers to an id; `headers`: those that are sent. */
type Writing = {
  keyOf: (account: string) => string | undefined
  idInPlay: (id: string) => string
  headers: ReadonlySet<string>
}
const IS_NUMBER = /^(?:limit|amount|\w+_amount)$/
const WHOLE = /^(?:0|[1-9]\d{0,14})$/

/** Null for a request that no play can send. */
export function playOf(call: Entry, { keyOf, idInPlay, headers }: Writing): StepData | null {
  if (call.operation === null) return null
  const { caller, query, body, params } = call
  const { method, path } = operationOf(call.operation)
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
  const unknownKey = isKeyUnknown(call) ? 'unknown-key' : undefined
  const key = caller.account === null ? unknownKey : keyOf(caller.account)
  return {
    do: `${method} ${path.replace(/\{(\w+)\}/g, (_all, name) => write(String(params[name])))}`,
    ...(key !== undefined && { key }),
    ...Object.fromEntries(parts.filter(([, values]) => Object.keys(values).length > 0))
  }
}

const isKeyUnknown = ({ outcome }: Entry) => outcome.refusal?.code === 'api_key_unknown'

/** The names of what a play sends other values of. */
export function replacedIn(call: Entry): string[] {
  const params = Object.entries(call.params).map(([name, text]) => `${name}=${text}`)
  const pairs = [...params, ...pairsIn(call.query), ...pairsIn(call.body)]
  const names = pairs.filter(isReplaced).map(pair => pair.replace(/=.*/s, ''))
  return [...new Set(isKeyUnknown(call) ? ['the key', ...names] : names)]
}

/** Masked, or to be read as a reference. */
export const isReplaced = (text: string) => text.includes(MASK) || text.includes('${')

type Write = (text: string) => string

function playedValues(form: FormObject, call: Entry, write: Write): Record<string, Json> {
  return Object.fromEntries(
    [...form].flatMap(([name, node]) => {
      const value = playedValue(node, [name], call, write)
      if (!(node instanceof FormObject && node.cleared)) return [[name, value]]
      // an empty value for the whole comes before its parts
      const parts = Object.entries(Object(value))
      return [[name, ''], ...parts.map(([part, below]) => [inBrackets(name, part), below])]
    })
  )
}

function playedValue(node: FormNode, names: readonly string[], call: Entry, write: Write): Json {
  if (Array.isArray(node)) return node.map(write)
  if (node instanceof FormObject)
    return Object.fromEntries(
      [...node].map(([part, below]) => [part, playedValue(below, [...names, part], call, write)])
    )
  if (node === MASK && isSecretName(names.join('.'))) return placeholder(names, call)
  const text = write(node)
  return IS_NUMBER.test(String(names.at(-1))) && WHOLE.test(text) ? Number(text) : text
}

/** A number that ends in the last four digits that were stored. */
function placeholder([holder = '', name]: readonly string[], { outcome }: Entry): string {
  if (name !== 'number' && name !== 'account_number') return 'secret'
  const last4 = partAt(outcome.result, ['payment_method', holder, 'last4'])
  return last4 === null ? 'none' : `000000000000${last4 ?? '4242'}`
}

/** Without the emulator's messages and what a creation draws; of a list only the ids. */
export function determined(body: Json | undefined, call: Entry, isCreated: boolean): Json {
  const { outcome, settings } = call
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
function idsIn(body: unknown, { 'shapes.list': list }: Settings): Json | undefined {
  const members = valueAt(list, body, '$members')
  if (!Array.isArray(members)) return undefined
  const ids = members.map(({ id }: { id: Json }) => ({ id }))
  return filled(list, { members: ids, has_more: valueAt(list, body, '$has_more') }) as Json
}

/** It never reached its operation. */
export const isStopped = (call: Entry): boolean =>
  call.outcome.name === 'lost_before' || (call.outcome.name === 'scripted' && !hasPerformed(call))

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
