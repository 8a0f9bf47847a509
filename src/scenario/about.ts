/** Which records a request is about: those that it names, and those that these belong to. */
import { type OperationId, operationOf } from '../reference/operations.js'
import { schemaOf } from '../reference/parameters.js'
import { TABLES, type Tables } from '../reference/tables.js'
import type { Store } from '../store/store.js'
import type { About, SentCall } from './match/matching.js'

type Named = Pick<SentCall, 'operation' | 'params' | 'query' | 'body'> & {
  /** The Account that the caller acts as; a request that names nothing is about it. */
  account: string | null
}

/** Such as the Location of its Ticket; looked up only when asked for. */
export function aboutIn(store: Store, named: Named): SentCall['about'] {
  let found: Readonly<Partial<Record<About, string>>> | undefined
  return what => {
    found ??= recordsNamed(store, named)
    return found[what]
  }
}

function recordsNamed(
  store: Store,
  { operation, params, query, body, account: actor }: Named
): Readonly<Partial<Record<About, string>>> {
  if (operation === null) return {}
  const { family } = operationOf(operation)
  // the path of a User names its Account
  const inPath = params([operation === 'deleteUser' ? 'account_id' : 'id']) ?? undefined
  const refund =
    family === 'refunds' && inPath !== undefined ? store.refunds.get(inPath) : undefined
  const transaction =
    refund?.transaction ||
    body(['transaction']) ||
    query(['transaction']) ||
    (family === 'transactions' ? inPath : undefined)
  const ticket =
    body(['ticket']) ||
    (family === 'tickets' ? inPath : store.transactions.get(transaction ?? '')?.ticket)
  const location =
    query(['location']) ||
    (family === 'locations' ? inPath : store.tickets.get(ticket ?? '')?.location)
  const account =
    family === 'accounts' || family === 'users'
      ? inPath
      : store.locations.get(location ?? '')?.account
  return { transaction, ticket, location, account: account ?? actor ?? undefined } as Partial<
    Record<About, string>
  >
}

/** Whether a request of an operation can be about a record of this kind. */
export const canBeAbout =
  (what: About) =>
  (operation: OperationId): boolean => {
    const { family } = operationOf(operation)
    const { params, body, querystring } = TABLES[operation] as Tables
    const has = (name: string) =>
      [body, querystring].some(table => table && name in (schemaOf(table).properties as object))
    const isRead = (...families: string[]) => params !== undefined && families.includes(family)
    const byTransaction = has('transaction') || isRead('transactions', 'refunds')
    const byTicket = byTransaction || has('ticket') || isRead('tickets')
    return {
      transaction: byTransaction,
      ticket: byTicket,
      location: byTicket || has('location') || isRead('locations'),
      account: true
    }[what]
  }
