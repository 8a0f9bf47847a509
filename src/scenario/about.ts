/** Which records a request is about: those it names, and those these belong to. */
import { operationOf } from '../reference/operations.js'
import type { Store } from '../store/store.js'
import type { About, SentCall } from './matching.js'

type Named = Pick<SentCall, 'operation' | 'params' | 'query' | 'body'> & {
  /** The Account that the caller acts as; a request that names nothing is about it. */
  account: string | null
}

/** Such as the Location of its Ticket; looked up only when asked for. */
export function aboutIn(store: Store, named: Named): SentCall['about'] {
  let found: Readonly<Record<About, string | undefined>> | undefined
  return what => {
    found ??= recordsNamed(store, named)
    return found[what]
  }
}

function recordsNamed(
  store: Store,
  { operation, params, query, body, account: actor }: Named
): Readonly<Record<About, string | undefined>> {
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
  return { transaction, ticket, location, account: account ?? actor ?? undefined }
}
