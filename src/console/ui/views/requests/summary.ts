/** A request in a few words. */
import { signal } from '@preact/signals'
import { moneyShown } from '../../../../core/money.js'
import { RESOURCE_NAMES } from '../../../../reference/operations.js'
import type { JournalCall, JournalEvent } from '../../control/client.js'
import { countOf } from '../count.js'

const NOUNS: Readonly<Record<string, string>> = RESOURCE_NAMES
const currencies = new Map<string, string>()

export const defaultCurrency = signal<unknown>(undefined)

const first = (value: unknown, ...places: string[]): string | undefined =>
  places.map(place => wordAt(value, place)).find(Boolean)

function wordAt(value: unknown, place: string): string {
  const member = place.split('.').reduce((within, name) => Object(within)[name], value)
  return typeof member === 'string' || typeof member === 'number' ? String(member) : ''
}

export function learn(events: readonly JournalEvent[]): void {
  for (const { call } of events) {
    for (const record of [Object(call?.answer).data ?? call?.answer].flat()) {
      const id = first(record, 'transaction', 'id')
      const currency = first(record, 'currency')
      if (id && currency) currencies.set(id, currency)
    }
  }
}

export const currencyOf = (transaction: unknown): string | undefined =>
  currencies.get(String(transaction))

const shortId = (id: string): string => (/^[a-z]{3}_.{7,}$/.test(id) ? `${id.slice(0, 8)}…` : id)

export const shortPath = (path: string): string => path.split('/').map(shortId).join('/')

const partsOf = ({ body, answer: response, refusal }: JournalCall) => ({
  sent: body,
  made: refusal === null ? response : null
})

export function summaryOf(call: JournalCall): string {
  const { on, query } = call
  const parts = partsOf(call)
  const { data, has_more } = Object(parts.made)
  if (Array.isArray(data)) {
    const noun = NOUNS[String(on).replace(/.*\//, '')] ?? 'record'
    const search = first(query, 'search_query')
    return joined(
      search && `“${search}”`,
      `${countOf(data.length, noun)}${has_more ? ', more to come' : ''}`
    )
  }
  if (on === 'POST /refunds') return joined(about('of', first(parts, 'sent.transaction')))
  if (on !== 'POST /transactions')
    return joined(
      first(parts, ...['made', 'sent'].flatMap(part => NAMES.map(name => `${part}.${name}`)))
    )
  const last4 = first(parts, 'sent.card.last4', 'made.payment_method.card.last4')
  return joined(
    first(parts, 'sent.payment_type'),
    last4 !== '***' && about('••••', last4),
    about('for', first(parts, 'sent.ticket'))
  )
}

const NAMES = ['display_name', 'name', 'reference', 'payment_type']

const joined = (...parts: (string | false | undefined)[]): string => parts.filter(Boolean).join(' ')
const about = (word: string, id: string | undefined) => id && `${word} ${shortId(id)}`

export function amountOf(call: JournalCall): string {
  const parts = partsOf(call)
  const amount = first(
    parts,
    'sent.amount',
    'sent.amounts.transaction_amount',
    'sent.amounts.payment_amount',
    'made.amount'
  )
  if (amount === undefined) return call.on === 'POST /refunds' ? 'the rest' : ''
  if (!Number.isSafeInteger(Number(amount))) return amount
  const currency =
    first(parts, 'made.currency', 'sent.currency', 'sent.amounts.currency') ??
    (call.on === 'POST /refunds' ? currencyOf(call.body.transaction) : undefined) ??
    (call.on === 'POST /transactions' && defaultCurrency.value)
  return moneyShown(Number(amount), currency)
}
