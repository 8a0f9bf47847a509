import { type Charge, type Money, moneyOf, moneyShown } from '../../../../core/money.js'
import { remembered } from '../../../../core/remembered.js'
import type { Settings } from '../../../../core/settings.js'
import { LINKED_FAMILIES, RESOURCE_NAMES } from '../../../../reference/operations.js'
import { keysOf } from '../../../../reference/rules.js'
import type { Family, State } from '../../control/client.js'
import { countOf } from '../count.js'

export type Refundable = Settings['transactions.refundable']
export type AnyRecord = { id: string; created: string; [field: string]: unknown }

export const FAMILIES = keysOf(RESOURCE_NAMES)

const LINKS: Readonly<Record<string, Family>> = LINKED_FAMILIES
export const linkedFamily = (field: string): Family | undefined => LINKS[field]

export const recordsOf = (state: State, family: Family): readonly AnyRecord[] => state[family]

/** As the API lists them: of equal instants the later one in the state comes first. */
export const newestFirst = (records: readonly AnyRecord[]): AnyRecord[] =>
  [...records]
    .reverse()
    .sort((a, b) => Number(a.created < b.created) - Number(a.created > b.created))

export const familiesById = (state: State): ReadonlyMap<string, Family> =>
  new Map(FAMILIES.flatMap(family => recordsOf(state, family).map(({ id }) => [id, family])))

export function childrenOf(
  state: State,
  family: Family,
  id: string
): (readonly [family: Family, records: AnyRecord[]])[] {
  const fields = Object.keys(LINKED_FAMILIES).filter(field => linkedFamily(field) === family)
  return FAMILIES.flatMap(of => {
    const records = recordsOf(state, of).filter(record =>
      fields.some(field => record[field] === id)
    )
    return records.length === 0 ? [] : [[of, newestFirst(records)] as const]
  })
}

export const countIn = (family: string, count: number): string =>
  countOf(count, family.slice(0, -1))

const textOf = remembered((record: object) => JSON.stringify(record).toLowerCase())

/** Whether a record has each word of a search, in any letter case. */
export function matching(search: string): (record: object) => boolean {
  const words = search.toLowerCase().split(/\s+/)
  return record => words.every(word => textOf(record).includes(word))
}

export function nameOf({
  display_name,
  name,
  reference,
  payment_type,
  reason,
  amount,
  currency
}: AnyRecord): string {
  const amounts = typeof amount === 'number' ? moneyShown(amount, currency) : null
  return [display_name ?? name ?? reference ?? payment_type, amounts, reason]
    .filter(text => typeof text === 'string')
    .join(', ')
}

export function moneyIn(state: State, transaction: AnyRecord, refundable: Refundable): Money {
  const refunds = recordsOf(state, 'refunds').filter(
    refund => refund.transaction === transaction.id
  )
  const sum = refunds.reduce((total, { amount }) => total + Number(amount), 0)
  const charge = {
    tip_amount: null,
    donation_amount: null,
    ...(transaction as object),
    amount_refunded: sum
  } as Charge
  return moneyOf(charge, { 'transactions.refundable': refundable } as Settings)
}
