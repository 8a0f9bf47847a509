/** Which records a call is about: those that it names, and those that these belong to. */
import { type OperationId, operationOf } from '../reference/operations.js'
import type { Store } from '../store/store.js'
import type { About, SentCall } from './matching.js'

type Named = Pick<SentCall, 'operation' | 'params' | 'query' | 'body'> & {
  /** The Account that the caller acts as; what a call that names nothing is about. */
  account: string | null
}

/** What finds the id of the record that a call is about, such as the Location of its Ticket; records are looked up only when they are asked for. */
export function aboutIn(store: Store, named: Named): SentCall['about'] {
  let found: Partial<Record<About, string>> | undefined
  return what => {
    found ??= recordsNamed(store, named)
    return found[what]
  }
}

function recordsNamed(store: Store, { operation, params, query, body, account: actor }: Named): Partial<Record<About, string>> {
  const inPath = idInPath(operation, params)
  const { family } = operationOf(operation)
  const of = (value: string | null | undefined) => value || undefined
  const refund = family === 'refunds' && inPath !== undefined ? store.refunds.get(inPath) : undefined
  const transaction = refund?.transaction ?? of(body(['transaction'])) ?? of(query(['transaction'])) ?? (family === 'transactions' ? inPath : undefined)
  const ticket = of(body(['ticket'])) ?? (family === 'tickets' ? inPath : store.transactions.get(transaction ?? '')?.ticket)
  const location = of(query(['location'])) ?? (family === 'locations' ? inPath : store.tickets.get(ticket ?? '')?.location)
  const account = family === 'accounts' || family === 'users' ? inPath : store.locations.get(location ?? '')?.account
  return Object.fromEntries(Object.entries({ transaction, ticket, location, account: account ?? actor ?? undefined }).filter(([, id]) => id !== undefined))
}

/** The id of the record that the path names, or of the Account that the path's User belongs to. */
function idInPath(operation: OperationId, params: SentCall['params']): string | undefined {
  const name = operation === 'deleteUser' ? 'account_id' : 'id'
  return params([name]) ?? undefined
}
