/** Requests as steps of a play, without secrets, and the parts of responses that do not vary. */
import { FormList, type FormNode, FormObject, inBrackets } from '../core/form.js'
import { MASK } from '../core/mask.js'
import { partAt } from '../core/places.js'
import { isObject } from '../core/quick-check.js'
import { isSecretName, maskedThroughout } from '../core/redaction.js'
import type { SecretWords } from '../core/secret-words.js'
import type { Settings } from '../core/settings.js'
import { filled, valueAt, without } from '../core/templates.js'
import { hasPerformed, hasReached, STAGE } from '../engine/outcome.js'
import { type Entry, isScripted } from '../evidence/entry.js'
import { nameOf, operationOf } from '../reference/operations.js'
import type { EntryData } from '../scenario/script.js'
import type { Json, StepData } from '../scenario/steps.js'
import { maskedRecord } from './recorded-state.js'

/** `idInPlay`: how a play refers to an id; `headers`: those that are sent. */
export type Writing = {
  keyOf: (account: string) => string | undefined
  idInPlay: (id: string) => string
  headers: ReadonlySet<string>
}
const IS_NUMBER = /^(?:limit|amount|\w+_amount)$/
const WHOLE = /^(?:0|[1-9]\d{0,14})$/

/** `replaced` names what differs from what was sent. Null for a request that no play can send. */
export function playOf(
  call: Entry,
  writing: Writing
): { step: StepData; replaced: string[] } | null {
  if (call.operation === null) return null
  const { method, path } = operationOf(call.operation)
  const writer = new StepWriter(call, writing)
  const query = writer.values(call.query)
  const body = writer.values(call.body)
  const parts = Object.entries({ headers: writer.headers(), query, body })
  const on = path.replace(/\{(\w+)\}/g, (_all, name) =>
    writer.text(String(call.params[name]), name)
  )
  const key = writer.key()
  return {
    step: {
      do: `${method} ${on}`,
      ...(key !== undefined && { key }),
      ...Object.fromEntries(parts.filter(([, values]) => Object.keys(values).length > 0))
    },
    replaced: [...writer.replaced]
  }
}

/** Writes what a request sent; `replaced` names what differs. */
class StepWriter {
  readonly replaced = new Set<string>()

  constructor(
    private readonly call: Entry,
    private readonly writing: Writing
  ) {}

  text(text: string, name: string): string {
    const inPlay = this.writing.idInPlay(text)
    const literal = text.includes('${') ? inPlay.replaceAll('${', '$ {') : inPlay
    if (inPlay.includes(MASK) || literal !== inPlay) this.replaced.add(name)
    return literal
  }

  values(form: FormObject): Record<string, Json> {
    return Object.fromEntries(
      [...form].flatMap(([name, node]) => {
        const value = this.#value(node, [name])
        if (!(node instanceof FormObject && node.cleared)) return [[name, value]]
        // an empty value for the whole comes before its parts
        const parts = Object.entries(Object(value))
        return [[name, ''], ...parts.map(([part, below]) => [inBrackets(name, part), below])]
      })
    )
  }

  #value(node: FormNode, names: readonly string[]): Json {
    const name = String(names.at(-1))
    if (node instanceof FormList) return node.items.map(item => this.text(item, name))
    if (node instanceof FormObject)
      return Object.fromEntries(
        [...node].map(([part, below]) => [part, this.#value(below, [...names, part])])
      )
    const param = names.reduce(inBrackets)
    if (node === MASK && isSecretName(names.join('.'))) {
      this.replaced.add(param)
      return placeholder(names, this.call)
    }
    const text = this.text(node, param)
    return IS_NUMBER.test(name) && WHOLE.test(text) ? Number(text) : text
  }

  key(): string | undefined {
    const { caller, outcome } = this.call
    if (caller.account !== null) return this.writing.keyOf(caller.account)
    if (outcome.refusal?.code !== 'api_key_unknown') return undefined
    this.replaced.add('the key')
    return 'unknown-key'
  }

  headers(): Record<string, string> {
    const { userAgent, test } = this.call.caller
    return Object.fromEntries(
      [...this.writing.headers].flatMap(name => {
        const text = name === 'user-agent' ? userAgent : test
        return text === null ? [] : [[name, this.text(text, name)]]
      })
    )
  }
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

/** One entry for successive requests of an operation to which the script did the same. */
export function scriptOf(calls: readonly Entry[], words: SecretWords): EntryData[] {
  const counts = new Map<string, number>()
  const entries: { on: string; from: number; to: number; name?: string; action: object }[] = []
  for (const call of calls) {
    if (call.operation === null || !hasReached(call, STAGE.admitted)) continue
    const on = nameOf(call.operation)
    const count = (counts.get(on) ?? 0) + 1
    counts.set(on, count)
    if (!isScripted(call) || !call.script) continue
    const { name, ...action } = actionOf(call.script.action.entry.data, words)
    const last = entries.findLast(entry => entry.on === on)
    const isSame = last?.name === name && JSON.stringify(last?.action) === JSON.stringify(action)
    if (last?.to === count - 1 && isSame) last.to = count
    else entries.push({ on, from: count, to: count, ...(name && { name }), action })
  }
  return entries.map(({ on, from, to, name, action }) => {
    const numbers = from === to ? from : `${from}-${to}`
    const isEach = from === 1 && to === counts.get(on)
    return { name, on, ...(!isEach && { calls: numbers }), ...action } as EntryData
  })
}

/** What an entry does, without delays, holds and secrets. */
function actionOf({ name, respond, change, stale, fault, when }: EntryData, words: SecretWords) {
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
