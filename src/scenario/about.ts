/** The records that a request is about: those it names and their parents. */
import {
  type Family,
  LINKED_FAMILIES,
  type OperationId,
  operationOf
} from '../reference/operations.js'
import { schemaOf } from '../reference/parameters.js'
import { TABLES, type Tables } from '../reference/tables.js'
import type { Store } from '../store/store.js'
import { fieldIn } from './match/fields.js'
import type { About, SentCall } from './match/matching.js'
import { present } from './shape/checked.js'

type RequestParts = Pick<SentCall, 'operation' | 'params' | 'query' | 'body'> & {
  /** The Account that the caller acts as; a request that names nothing is about it. */
  account: string | null
}
type Ids = { [W in About]?: string | undefined }

/** Each belongs to the next. */
const CHAIN = ['transaction', 'ticket', 'location', 'account'] as const satisfies About[]

export function aboutIn(store: Store, request: RequestParts): SentCall['about'] {
  let ids: Ids | undefined
  return what => {
    ids ??= idsIn(store, request)
    return ids[what]
  }
}

/** The path of a User names its Account. */
const familyInPath = (operation: OperationId): Family => {
  const { family } = operationOf(operation)
  return family === 'users' ? 'accounts' : family
}

function idsIn(store: Store, { operation, params, query, body, account }: RequestParts): Ids {
  if (operation === null) return {}
  const family = familyInPath(operation)
  const inPath = params([operation === 'deleteUser' ? 'account_id' : 'id']) ?? ''
  const ids: Ids = {}
  let record: object | undefined = family === 'refunds' ? store.refunds.get(inPath) : undefined
  for (const what of CHAIN) {
    const linked = LINKED_FAMILIES[what]
    const named = (linked === family && inPath) || body([what]) || query([what])
    const id = named || fieldIn<unknown>(record, what)
    ids[what] = typeof id === 'string' ? id : undefined
    record = store[linked].get(ids[what] ?? '')
  }
  return { ...ids, account: ids.account ?? account ?? undefined }
}

export const canBeAbout =
  (what: About) =>
  (operation: OperationId): boolean => {
    const { params, body, querystring }: Tables = TABLES[operation]
    const family = familyInPath(operation)
    const isNamed = (name: About) =>
      [body, querystring].some(table => table && name in present(schemaOf(table).properties)) ||
      (params !== undefined && LINKED_FAMILIES[name] === family)
    // what a Transaction belongs to is known with it, and a Transaction with its Refund
    return (
      what === 'account' ||
      (params !== undefined && family === 'refunds') ||
      CHAIN.slice(0, CHAIN.indexOf(what) + 1).some(isNamed)
    )
  }
