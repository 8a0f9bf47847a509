/** The records that a request is about: those it names and their parents. */
import { type Family, type OperationId, operationOf } from '../reference/operations.js'
import { schemaOf } from '../reference/parameters.js'
import { TABLES, type Tables } from '../reference/tables.js'
import type { Store } from '../store/store.js'
import type { About, SentCall } from './match/matching.js'
import { present } from './shape/checked.js'

type RequestParts = Pick<SentCall, 'operation' | 'params' | 'query' | 'body'> & {
  /** The Account that the caller acts as; a request that names nothing is about it. */
  account: string | null
}

export function aboutIn(store: Store, request: RequestParts): SentCall['about'] {
  let records: ReturnType<typeof recordsNamed> | undefined
  return what => {
    records ??= recordsNamed(store, request)
    return records[what] || undefined
  }
}

function recordsNamed(
  store: Store,
  { operation, params, query, body, account: actor }: RequestParts
): Partial<Record<About, string | null>> {
  if (operation === null) return {}
  const { family } = operationOf(operation)
  // the path of a User names its Account
  const inPath = params([operation === 'deleteUser' ? 'account_id' : 'id']) ?? ''
  const named = (name: About, ...families: Family[]): string =>
    body([name]) || query([name]) || (families.includes(family) ? inPath : '')
  const refund = family === 'refunds' ? store.refunds.get(inPath) : undefined
  const transaction = refund?.transaction || named('transaction', 'transactions')
  const ticket = named('ticket', 'tickets') || store.transactions.get(transaction)?.ticket || ''
  const location = named('location', 'locations') || store.tickets.get(ticket)?.location || ''
  const account = named('account', 'accounts', 'users') || store.locations.get(location)?.account
  return { transaction, ticket, location, account: account || actor }
}

const NAMED: readonly (readonly [About, ...Family[]])[] = [
  ['transaction', 'transactions', 'refunds'],
  ['ticket', 'tickets'],
  ['location', 'locations']
]

export const canBeAbout =
  (what: About) =>
  (operation: OperationId): boolean => {
    const { params, body, querystring }: Tables = TABLES[operation]
    const isNamed = ([name, ...families]: (typeof NAMED)[number]) =>
      [body, querystring].some(table => table && name in present(schemaOf(table).properties)) ||
      (params !== undefined && families.includes(operationOf(operation).family))
    // what a Transaction belongs to is known with it
    const last = NAMED.findIndex(([name]) => name === what)
    return last < 0 || NAMED.slice(0, last + 1).some(isNamed)
  }
