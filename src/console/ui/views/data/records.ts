/** The state as the data view needs it: its records by family, what each is called, and the links between them. */

import { type Money, moneyOf } from '../../../../core/money.js'
import type { Settings } from '../../../../core/settings.js'
import type { Family, State } from '../../control/client.js'

/** What of a Transaction can be refunded. */
export type Refundable = Settings['transactions.refundable']
export type AnyRecord = { id: string; created: string; [field: string]: unknown }

export const FAMILIES = ['locations', 'accounts', 'users', 'tickets', 'transactions', 'refunds'] as const satisfies readonly Family[]
export type LinkedRecord = { family: Family; record: AnyRecord }

/** Fields that hold the id of another record, and its family. */
const LINKS: Readonly<Record<Family, Readonly<Record<string, Family>>>> = {
  accounts: { reseller: 'accounts' },
  users: { account: 'accounts' },
  locations: { account: 'accounts' },
  tickets: { location: 'locations' },
  transactions: { ticket: 'tickets', location: 'locations' },
  refunds: { transaction: 'transactions' }
}

export const recordsOf = (state: State, family: Family): readonly AnyRecord[] => state[family] as readonly AnyRecord[]

/** Newest first, as the API lists them: equal instants in the reverse order of the state. */
export const newestFirst = (records: readonly AnyRecord[]): AnyRecord[] =>
  records
    .map((record, place) => ({ record, place, at: Date.parse(record.created) }))
    .sort((one, other) => other.at - one.at || other.place - one.place)
    .map(({ record }) => record)

/** A record by its id. */
export const recordIn = (state: State, family: Family, id: string): AnyRecord | undefined => recordsOf(state, family).find(record => record.id === id)

/** The family of a record, as a link to an id needs it. */
export function familiesOfIds(state: State): ReadonlyMap<string, Family> {
  return new Map(FAMILIES.flatMap(family => recordsOf(state, family).map(({ id }) => [id, family] as const)))
}

/** What a record belongs to. */
export function parentsOf(state: State, family: Family, record: AnyRecord): (LinkedRecord & { field: string })[] {
  return Object.entries(LINKS[family]).flatMap(([field, of]) => {
    const found = typeof record[field] === 'string' ? recordIn(state, of, record[field]) : undefined
    return found === undefined ? [] : [{ field, family: of, record: found }]
  })
}

/** What belongs to a record, by family, newest first. */
export function childrenOf(state: State, family: Family, id: string): { family: Family; field: string; records: AnyRecord[] }[] {
  return FAMILIES.flatMap(of =>
    Object.entries(LINKS[of]).flatMap(([field, to]) => {
      const records = to === family ? recordsOf(state, of).filter(record => record[field] === id) : []
      return records.length === 0 ? [] : [{ family: of, field, records: newestFirst(records) }]
    })
  )
}

/** `1 refund`, `1,200 refunds`. */
export const countOf = (count: number, family: Family): string => `${count.toLocaleString('en')} ${count === 1 ? family.slice(0, -1) : family}`

/** Whether each word of a search is somewhere in a record: in a name or a value, without regard to case. */
export function matches(record: AnyRecord, search: string): boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const text = words.length === 0 ? '' : JSON.stringify(record).toLowerCase()
  return words.every(word => text.includes(word))
}

/** What a record is called beside its id. */
export function nameOf({ display_name, name, reference, payment_type, reason, amount, currency }: AnyRecord): string {
  const amounts = typeof amount === 'number' ? shownMoney(amount, currency) : null
  return [display_name ?? name ?? reference ?? payment_type, amounts, reason].filter(text => typeof text === 'string').join(', ')
}

/** `4,200 usd`, in the smallest sub-unit of the currency, as the API counts. */
export const shownMoney = (amount: number, currency: unknown): string => `${amount.toLocaleString('en')} ${typeof currency === 'string' ? currency : ''}`.trim()

/** What was charged, refunded and remains of a Transaction. */
export function moneyIn(state: State, transaction: AnyRecord, settings: Pick<Settings, 'transactions.refundable'>): Money {
  const refunds = recordsOf(state, 'refunds').filter(refund => refund.transaction === transaction.id)
  const sum = refunds.reduce((total, { amount }) => total + (amount as number), 0)
  return moneyOf(
    { tip_amount: null, donation_amount: null, ...(transaction as object), amount_refunded: sum } as Parameters<typeof moneyOf>[0],
    settings as Settings
  )
}
