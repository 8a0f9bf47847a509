/** What distinguishes a request from the next, in a few words. */
import { signal } from '@preact/signals'
import { RESOURCE_NAMES } from '../../../../reference/operations.js'
import type { Family, JournalCall } from '../../control/client.js'
import { moneyShown } from '../money.js'

/** The currencies of Transactions, as responses told them. */
const currencies = new Map<string, string>()
const LEARNT = new WeakSet<JournalCall>()

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The currency of payments that name none, once it is read. */
export const defaultCurrency = signal<unknown>(undefined)

/** Remembers what responses tell about currencies; rows are the newest first, and those behind one that is known are known. */
export function learn(rows: readonly { call: JournalCall }[]): void {
  for (const { call } of rows) {
    if (LEARNT.has(call)) return
    LEARNT.add(call)
    if (!isFields(call.answer)) continue
    const { data } = call.answer
    for (const record of Array.isArray(data) ? data : [call.answer]) {
      if (!isFields(record) || typeof record.currency !== 'string') continue
      const id = record.transaction ?? record.id
      if (typeof id === 'string') currencies.set(id, record.currency)
    }
  }
}

/** The currency of a Transaction; undefined where no response has told it. */
export const currencyOf = (transaction: unknown): string | undefined => currencies.get(String(transaction))

/** An id with as much of it as tells it from others. */
export const shortId = (id: string): string => (/^[a-z]{3}_.{7,}$/.test(id) ? `${id.slice(0, 8)}…` : id)

/** The path with short ids. */
export const shortPath = (path: string): string => path.split('/').map(shortId).join('/')

const text = (value: unknown): string | undefined => (typeof value === 'string' || typeof value === 'number' ? String(value) : undefined)

function amountIn(body: Fields, answer: Fields, otherwise: unknown): string | undefined {
  const sent = text(body.amount) ?? text(isFields(body.amounts) ? (body.amounts.transaction_amount ?? body.amounts.payment_amount) : undefined)
  const amount = Number(sent ?? answer.amount)
  if ((sent ?? answer.amount) === undefined) return undefined
  const currency = answer.currency ?? body.currency ?? (isFields(body.amounts) ? body.amounts.currency : undefined) ?? otherwise
  return Number.isSafeInteger(amount) ? moneyShown(amount, currency) : sent
}

const cardIn = (body: Fields, answer: Fields): string | undefined => {
  const method = isFields(answer.payment_method) ? answer.payment_method.card : undefined
  const card = isFields(body.card) ? body.card : method
  const last4 = isFields(card) ? (text(card.last4) ?? (isFields(method) ? text(method.last4) : undefined)) : undefined
  return last4 && last4 !== '***' ? `•••• ${last4}` : undefined
}

const joined = (...parts: (string | false | undefined)[]): string => parts.filter(Boolean).join(' ')
const nameOf = ({ display_name, name, reference, payment_type }: Fields): string | undefined => text(display_name ?? name ?? reference ?? payment_type)

/** Empty where the path says all. */
export function summaryOf({ on, body, query, answer, refusal }: JournalCall): string {
  const made = isFields(answer) && refusal === null ? answer : {}
  const data = made.data
  if (Array.isArray(data)) {
    const family = String(on).split('/').at(-1) as Family
    const noun = RESOURCE_NAMES[family] ?? 'record'
    const sent = Object.entries(query).flatMap(([name, value]) => (name === 'search_query' && text(value) ? [`“${text(value)}”`] : []))
    return joined(...sent, `${data.length} ${noun}${data.length === 1 ? '' : 's'}${made.has_more === true ? ', more to come' : ''}`)
  }
  const sums = { body: body as Fields, made }
  if (on === 'POST /refunds') {
    const of = text(body.transaction)
    return joined(amountIn(sums.body, made, currencyOf(body.transaction)) ?? 'the rest', of && `of ${shortId(of)}`)
  }
  if (on === 'POST /transactions') {
    const ticket = text(body.ticket)
    return joined(amountIn(sums.body, made, defaultCurrency.value), text(body.payment_type), cardIn(sums.body, made), ticket && `for ${shortId(ticket)}`)
  }
  const money = typeof made.amount === 'number' ? moneyShown(made.amount, made.currency) : undefined
  return joined(money, nameOf(made) ?? nameOf(body as Fields))
}
