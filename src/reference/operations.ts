/**
 * The 22 endpoints of the service, in the order of the reference (§4), each with the rules and
 * assumptions that can touch it.
 */
import type { AssumptionId } from './assumptions.js'
import type { RuleId } from './rules.js'
import { each, keysOf } from './rules.js'

export type Method = 'GET' | 'POST' | 'DELETE'
export type Family = 'locations' | 'accounts' | 'users' | 'tickets' | 'transactions' | 'refunds'
export const RESOURCE_NAMES: Readonly<Record<Family, string>> = {
  locations: 'Location',
  accounts: 'Account',
  users: 'User',
  tickets: 'Ticket',
  transactions: 'Transaction',
  refunds: 'Refund'
}
export const LINKED_FAMILIES = {
  account: 'accounts',
  reseller: 'accounts',
  location: 'locations',
  ticket: 'tickets',
  transaction: 'transactions'
} as const satisfies Readonly<Record<string, Family>>
export type Kind = 'create' | 'read' | 'update' | 'list' | 'delete'
export type Operation = {
  method: Method
  /** `{name}` is a path parameter. */
  path: string
  family: Family
  kind: Kind
  title: string
  /** False for the one operation that needs no API key (AUTH-2). */
  key: boolean
  /** The rule that disables it: 501 right after the key. */
  disabledBy?: RuleId
  /**
   * The rules that a request can pass or violate, in the order of their checks;
   * `evidence/judgement.ts` says when each is passed.
   */
  rules: readonly RuleId[]
  assumptions: readonly AssumptionId[]
}

type Rules = readonly RuleId[]
type Assumptions = readonly AssumptionId[]

const ADDRESS = ['ADDR-1', 'ADDR-2'] as const
const METADATA_UPDATE = ['META-1', 'META-2', 'META-3'] as const
const CREATED_FILTERS = ['FILT-1', 'FILT-2', 'FILT-3', 'FILT-4', 'FILT-6'] as const
const LISTED = ['LIST-1', 'LIST-2'] as const
const SEARCHED = ['A11', 'A12', 'A13'] as const

const ANY: Assumptions = ['A07', 'A08', 'A14', 'A35', 'A36', 'A39']
const SHOWN = ['A04', 'A05'] as const
/** What the operations of a kind have in common; their own rules decide after these. */
const KINDS: Readonly<Record<Kind, { method: Method; rules: Rules; assumptions: Assumptions }>> = {
  create: {
    method: 'POST',
    rules: ['FORM-1', 'FORM-2'],
    assumptions: ['A02', 'A03', ...SHOWN, 'A06', 'A16', 'A32', 'A40']
  },
  read: { method: 'GET', rules: ['FORM-2'], assumptions: ['A19', 'A37', ...SHOWN] },
  update: { method: 'POST', rules: ['FORM-1', 'FORM-2'], assumptions: [...SHOWN, 'A32'] },
  list: {
    method: 'GET',
    rules: ['FORM-2', 'FORM-3', 'LIST-3'],
    assumptions: ['A19', 'A37', ...SHOWN, 'A09', 'A10', 'A16']
  },
  delete: { method: 'DELETE', rules: ['FORM-2'], assumptions: ['A19', 'A37'] }
}

function operation<F extends Family, K extends Kind>(
  kind: K,
  family: F,
  path: string,
  title: string,
  {
    rules: ownRules = [],
    assumptions: also = [],
    key = true
  }: { rules?: Rules; assumptions?: Assumptions; key?: boolean } = {}
): Operation & { family: F; kind: K } {
  const { method, rules, assumptions } = KINDS[kind]
  const caller: Rules = key ? ['AUTH-1', 'AUTH-3'] : ['AUTH-2']
  const keyed: Assumptions = key ? ['A18'] : []
  const all = {
    rules: ['BASE-1', ...caller, ...rules, ...ownRules] as const,
    assumptions: [...ANY, ...keyed, ...assumptions, ...also]
  }
  return { method, path, family, kind, title, key, ...all }
}

const disabled = <F extends Family>(
  family: F,
  path: string,
  title: string,
  disabledBy: RuleId
): Operation & { family: F; kind: 'delete' } => ({
  ...operation('delete', family, path, title),
  disabledBy,
  rules: ['BASE-1', 'AUTH-1', 'AUTH-3', disabledBy],
  assumptions: ['A07', 'A08', 'A18', 'A39']
})

export const OPERATIONS = {
  createLocation: operation('create', 'locations', '/locations', 'Create a Location', {
    rules: ['LOC-1', 'LOC-2', ...ADDRESS, 'META-1', 'LOC-3'],
    assumptions: ['A17', 'A21', 'A30']
  }),
  readLocation: operation('read', 'locations', '/locations/{id}', 'Read a Location'),
  updateLocation: operation('update', 'locations', '/locations/{id}', 'Update a Location', {
    rules: [...ADDRESS, ...METADATA_UPDATE, 'UPD-1', 'UPD-2'],
    assumptions: ['A16', 'A17', 'A19', 'A30', 'A40']
  }),
  listLocations: operation('list', 'locations', '/locations', 'List Locations', {
    rules: [...LISTED],
    assumptions: ['A11']
  }),
  deleteLocation: disabled(
    'locations',
    '/locations/{id}',
    'Delete a Location (always 501)',
    'LOC-4'
  ),

  createAccount: operation('create', 'accounts', '/accounts', 'Create an Account', {
    rules: ['ACC-1', 'ACC-2', 'ACC-3', 'ACC-4', ...ADDRESS, 'META-1'],
    assumptions: ['A17', 'A21', 'A30']
  }),
  readAccount: operation('read', 'accounts', '/accounts/{id}', 'Read an Account'),
  updateAccount: operation('update', 'accounts', '/accounts/{id}', 'Update an Account', {
    rules: ['ACC-1', ...ADDRESS, ...METADATA_UPDATE, 'UPD-1', 'UPD-2'],
    assumptions: ['A16', 'A17', 'A19', 'A30', 'A31', 'A40']
  }),
  listAccounts: operation('list', 'accounts', '/accounts', 'List Accounts', {
    rules: [...LISTED],
    assumptions: ['A11']
  }),
  deleteAccount: disabled('accounts', '/accounts/{id}', 'Delete an Account (always 501)', 'ACC-5'),

  createUser: operation('create', 'users', '/accounts/{id}/users', 'Create a User of an Account', {
    rules: ['USR-2', 'USR-3', 'USR-1'],
    assumptions: ['A19', 'A21', 'A30']
  }),
  listUsers: operation('list', 'users', '/accounts/{id}/users', 'List the Users of an Account', {
    rules: [...CREATED_FILTERS, 'USR-1', ...LISTED],
    assumptions: ['A11', 'A38']
  }),
  deleteUser: operation(
    'delete',
    'users',
    '/accounts/{account_id}/users/{user_id}',
    'Delete a User',
    { rules: ['USR-1', 'USR-4'] }
  ),

  readTicket: operation('read', 'tickets', '/tickets/{id}', 'Read a Ticket'),
  listTickets: operation('list', 'tickets', '/tickets', 'List Tickets', {
    rules: ['FILT-5', ...CREATED_FILTERS, ...LISTED, 'SRCH-1', 'SRCH-3'],
    assumptions: [...SEARCHED, 'A38', 'A40']
  }),

  readTransaction: operation('read', 'transactions', '/transactions/{id}', 'Read a Transaction', {
    rules: ['TXN-8'],
    assumptions: ['A09', 'A29']
  }),
  createTransaction: operation('create', 'transactions', '/transactions', 'Create a Transaction', {
    rules: ['TXN-1', 'TXN-2', 'TXN-6', 'TXN-7', 'TXN-3', 'TXN-4', 'TXN-5', 'TXN-8'],
    assumptions: ['A09', 'A17', 'A18', 'A20', 'A22', 'A24', 'A25', 'A26', 'A27', 'A29', 'A30'],
    key: false
  }),
  listTransactions: operation('list', 'transactions', '/transactions', 'List Transactions', {
    rules: ['FILT-5', ...CREATED_FILTERS, ...LISTED, 'SRCH-2', 'SRCH-3', 'TXN-8'],
    assumptions: [...SEARCHED, 'A29', 'A38', 'A40']
  }),

  createRefund: operation('create', 'refunds', '/refunds', 'Create a Refund', {
    rules: ['REF-1', 'REF-3', 'META-1', 'REF-6', 'REF-7', 'REF-4', 'REF-5', 'REF-2', 'REF-8'],
    assumptions: ['A17', 'A19', 'A23', 'A24', 'A27', 'A28']
  }),
  readRefund: operation('read', 'refunds', '/refunds/{id}', 'Read a Refund'),
  updateRefund: operation('update', 'refunds', '/refunds/{id}', "Update a Refund's metadata", {
    rules: [...METADATA_UPDATE, 'REF-9'],
    assumptions: ['A15', 'A17', 'A19']
  }),
  listRefunds: operation('list', 'refunds', '/refunds', 'List Refunds', {
    rules: ['REF-10', ...LISTED]
  })
} satisfies Record<string, Operation>

export type OperationId = keyof typeof OPERATIONS
export const OPERATION_IDS = keysOf(OPERATIONS)
export const operationOf = (id: OperationId): Operation => OPERATIONS[id]
export const isChange = ({ kind, disabledBy }: Operation): boolean =>
  kind !== 'read' && kind !== 'list' && disabledBy === undefined

/** True for an unknown operation too. */
export const needsKey = (method: string, path: string): boolean =>
  operationsAt(path).find(operation => operation.method === method)?.key ?? true

/** `POST /refunds`, as documents name an operation. */
export const nameOf = (operation: OperationId): string =>
  `${OPERATIONS[operation].method} ${OPERATIONS[operation].path}`
const BY_NAME = new Map(OPERATION_IDS.map(id => [nameOf(id), id]))
export const OPERATION_NAMES: readonly string[] = [...BY_NAME.keys()]

/** By a name such as `GET /tickets/{id}`; null where the reference has none. */
export const operationNamed = (name: string): OperationId | null =>
  BY_NAME.get(inCapitals(name)) ?? null
const inCapitals = (name: string) => name.trim().replace(/^[a-z]+/i, method => method.toUpperCase())

/** Operations by a name or pattern: in `* /refunds` and `GET *`, `*` is any text. */
export function operationsNamed(pattern: string): OperationId[] {
  const name = inCapitals(pattern)
  if (!name.includes('*')) return [BY_NAME.get(name) ?? []].flat()
  // the ends are marks that no part between two stars can be found at
  const parts = `^${name}$`.split('*')
  return [...BY_NAME].flatMap(([name, operation]) =>
    holdsInOrder(`^${name}$`, parts) ? [operation] : []
  )
}

function holdsInOrder(text: string, parts: readonly string[]): boolean {
  let end = 0
  for (const part of parts) {
    const at = text.indexOf(part, end)
    if (at < 0) return false
    end = at + part.length
  }
  return true
}

const partsOf = (path: string): string[] =>
  path.slice(1, path.endsWith('/') ? -1 : undefined).split('/')

/** Paths alternate between words and parameters: a second word, if any, is their third part. */
const ROUTES = OPERATION_IDS.map(operation => {
  const { method, path } = OPERATIONS[operation]
  const parts = partsOf(path)
  return { operation, method, size: parts.length, family: parts[0], nested: parts[2] }
})
type Route = (typeof ROUTES)[number]
const isAt = (route: Route, parts: readonly string[]) =>
  route.size === parts.length && route.nested === parts[2] && route.family === parts[0]

/** The operations of any method at a path relative to the base address. */
export function operationsAt(path: string): Operation[] {
  const parts = partsOf(path)
  return path.startsWith('/') && !parts.includes('')
    ? ROUTES.filter(route => isAt(route, parts)).map(({ operation }) => operationOf(operation))
    : []
}

/** The parameters in the path of each operation, with the family that each names a record of. */
export const PATH_RECORDS = each(OPERATION_IDS, operation => {
  const parts = partsOf(OPERATIONS[operation].path)
  return parts.flatMap((part, place) =>
    part.startsWith('{')
      ? [{ name: part.slice(1, -1), place, family: parts[place - 1] as Family }]
      : []
  )
})

/**
 * The operation at a path relative to the base address, with the decoded values of its path
 * parameters; null where the reference has none. Errors: `URIError`.
 */
export function operationAt(
  method: string,
  path: string
): { operation: OperationId; params: Readonly<Record<string, string>> } | null {
  const parts = partsOf(path)
  const route = ROUTES.find(route => route.method === method && isAt(route, parts))
  if (route === undefined) return null
  const { operation } = route
  const params: Record<string, string> = {}
  for (const { name, place } of PATH_RECORDS[operation]) {
    const value = parts[place] as string
    if (value === '') return null
    params[name] = value.includes('%') ? decodeURIComponent(value) : value
  }
  return { operation, params }
}
