/** The service's 22 endpoints, in the reference's order (reference §4), each with the rules and assumptions that can touch it. */
import type { AssumptionId } from './assumptions.js'
import type { RuleId } from './rules.js'

export type Method = 'GET' | 'POST' | 'DELETE'
export type Family = 'locations' | 'accounts' | 'users' | 'tickets' | 'transactions' | 'refunds'
/** What a record of each family is called. */
export const RESOURCE_NAMES: Readonly<Record<Family, string>> = {
  locations: 'Location',
  accounts: 'Account',
  users: 'User',
  tickets: 'Ticket',
  transactions: 'Transaction',
  refunds: 'Refund'
}
/** The family of the record that a field of another one names. */
export const LINKED_FAMILIES = {
  account: 'accounts',
  reseller: 'accounts',
  location: 'locations',
  ticket: 'tickets',
  transaction: 'transactions'
} as const satisfies Readonly<Record<string, Family>>
/** What an operation does with a resource. */
export type Kind = 'create' | 'read' | 'update' | 'list' | 'delete'
export type Operation = {
  method: Method
  /** Relative to the base address; `{name}` is a path parameter. */
  path: string
  family: Family
  kind: Kind
  title: string
  /** False for the one call that needs no API key (AUTH-2). */
  key: boolean
  /** The rule by which the reference disables it: it aborts with 501 right after the key. */
  disabledBy?: RuleId
  /** The rules that a call of it can keep or break, in the order in which they are decided. When each is kept, `evidence/judgement.ts` says. */
  rules: readonly RuleId[]
  /** The assumptions that an answer of it can rely on. */
  assumptions: readonly AssumptionId[]
}

const KEYED = ['BASE-1', 'AUTH-1', 'AUTH-3'] as const
const ADDRESS = ['ADDR-1', 'ADDR-2'] as const
const METADATA_UPDATE = ['META-1', 'META-2', 'META-3'] as const
const CREATED_FILTERS = ['FILT-1', 'FILT-2', 'FILT-3', 'FILT-4', 'FILT-6'] as const
const LISTED = ['LIST-1', 'LIST-2'] as const

/** What any answer can rely on. */
const ANY = ['A07', 'A08', 'A14', 'A32', 'A35', 'A36', 'A39'] as const
const WITH_KEY = [...ANY, 'A18'] as const
const SHOWN = ['A04', 'A05'] as const
const CREATED = ['A02', 'A03', 'A04', 'A05', 'A06', 'A16', 'A40'] as const
const READ = [...WITH_KEY, 'A19', 'A37', ...SHOWN] as const
const LIST = [...READ, 'A09', 'A10', 'A16'] as const

export const OPERATIONS = {
  createLocation: {
    method: 'POST',
    path: '/locations',
    family: 'locations',
    kind: 'create',
    title: 'Create a Location',
    key: true,
    rules: [...KEYED, 'FORM-1', 'FORM-2', 'LOC-1', 'LOC-2', ...ADDRESS, 'META-1', 'LOC-3'],
    assumptions: [...WITH_KEY, ...CREATED, 'A17', 'A21', 'A30']
  },
  readLocation: {
    method: 'GET',
    path: '/locations/{id}',
    family: 'locations',
    kind: 'read',
    title: 'Read a Location',
    key: true,
    rules: [...KEYED, 'FORM-2'],
    assumptions: READ
  },
  updateLocation: {
    method: 'POST',
    path: '/locations/{id}',
    family: 'locations',
    kind: 'update',
    title: 'Update a Location',
    key: true,
    rules: [...KEYED, 'FORM-1', 'FORM-2', ...ADDRESS, ...METADATA_UPDATE, 'UPD-1', 'UPD-2'],
    assumptions: [...WITH_KEY, ...SHOWN, 'A16', 'A17', 'A19', 'A30', 'A40']
  },
  listLocations: {
    method: 'GET',
    path: '/locations',
    family: 'locations',
    kind: 'list',
    title: 'List Locations',
    key: true,
    rules: [...KEYED, 'FORM-2', 'FORM-3', 'LIST-3', ...LISTED],
    assumptions: [...LIST, 'A11']
  },
  deleteLocation: {
    method: 'DELETE',
    path: '/locations/{id}',
    family: 'locations',
    kind: 'delete',
    title: 'Delete a Location (always 501)',
    key: true,
    disabledBy: 'LOC-4',
    rules: [...KEYED, 'LOC-4'],
    assumptions: ['A07', 'A08', 'A18', 'A39']
  },

  createAccount: {
    method: 'POST',
    path: '/accounts',
    family: 'accounts',
    kind: 'create',
    title: 'Create an Account',
    key: true,
    rules: [...KEYED, 'FORM-1', 'FORM-2', 'ACC-1', 'ACC-2', 'ACC-3', 'ACC-4', ...ADDRESS, 'META-1'],
    assumptions: [...WITH_KEY, ...CREATED, 'A17', 'A21', 'A30']
  },
  readAccount: {
    method: 'GET',
    path: '/accounts/{id}',
    family: 'accounts',
    kind: 'read',
    title: 'Read an Account',
    key: true,
    rules: [...KEYED, 'FORM-2'],
    assumptions: READ
  },
  updateAccount: {
    method: 'POST',
    path: '/accounts/{id}',
    family: 'accounts',
    kind: 'update',
    title: 'Update an Account',
    key: true,
    rules: [...KEYED, 'FORM-1', 'FORM-2', 'ACC-1', ...ADDRESS, ...METADATA_UPDATE, 'UPD-1', 'UPD-2'],
    assumptions: [...WITH_KEY, ...SHOWN, 'A16', 'A17', 'A19', 'A30', 'A31', 'A40']
  },
  listAccounts: {
    method: 'GET',
    path: '/accounts',
    family: 'accounts',
    kind: 'list',
    title: 'List Accounts',
    key: true,
    rules: [...KEYED, 'FORM-2', 'FORM-3', 'LIST-3', ...LISTED],
    assumptions: [...LIST, 'A11']
  },
  deleteAccount: {
    method: 'DELETE',
    path: '/accounts/{id}',
    family: 'accounts',
    kind: 'delete',
    title: 'Delete an Account (always 501)',
    key: true,
    disabledBy: 'ACC-5',
    rules: [...KEYED, 'ACC-5'],
    assumptions: ['A07', 'A08', 'A18', 'A39']
  },

  createUser: {
    method: 'POST',
    path: '/accounts/{id}/users',
    family: 'users',
    kind: 'create',
    title: 'Create a User of an Account',
    key: true,
    rules: [...KEYED, 'FORM-1', 'FORM-2', 'USR-2', 'USR-3', 'USR-1'],
    assumptions: [...WITH_KEY, ...CREATED, 'A19', 'A21', 'A30']
  },
  listUsers: {
    method: 'GET',
    path: '/accounts/{id}/users',
    family: 'users',
    kind: 'list',
    title: 'List the Users of an Account',
    key: true,
    rules: [...KEYED, 'FORM-2', 'FORM-3', 'LIST-3', ...CREATED_FILTERS, 'USR-1', ...LISTED],
    assumptions: [...LIST, 'A11', 'A38']
  },
  deleteUser: {
    method: 'DELETE',
    path: '/accounts/{account_id}/users/{user_id}',
    family: 'users',
    kind: 'delete',
    title: 'Delete a User',
    key: true,
    rules: [...KEYED, 'FORM-2', 'USR-1', 'USR-4'],
    assumptions: [...WITH_KEY, 'A19', 'A37']
  },

  readTicket: {
    method: 'GET',
    path: '/tickets/{id}',
    family: 'tickets',
    kind: 'read',
    title: 'Read a Ticket',
    key: true,
    rules: [...KEYED, 'FORM-2'],
    assumptions: READ
  },
  listTickets: {
    method: 'GET',
    path: '/tickets',
    family: 'tickets',
    kind: 'list',
    title: 'List Tickets',
    key: true,
    rules: [...KEYED, 'FORM-2', 'FORM-3', 'LIST-3', 'FILT-5', ...CREATED_FILTERS, ...LISTED, 'SRCH-1', 'SRCH-3'],
    assumptions: [...LIST, 'A11', 'A12', 'A13', 'A38', 'A40']
  },

  readTransaction: {
    method: 'GET',
    path: '/transactions/{id}',
    family: 'transactions',
    kind: 'read',
    title: 'Read a Transaction',
    key: true,
    rules: [...KEYED, 'FORM-2', 'TXN-8'],
    assumptions: [...READ, 'A29']
  },
  createTransaction: {
    method: 'POST',
    path: '/transactions',
    family: 'transactions',
    kind: 'create',
    title: 'Create a Transaction',
    key: false,
    rules: ['BASE-1', 'AUTH-2', 'FORM-1', 'FORM-2', 'TXN-1', 'TXN-2', 'TXN-6', 'TXN-7', 'TXN-3', 'TXN-4', 'TXN-5', 'TXN-8'],
    assumptions: [...ANY, ...CREATED, 'A20', 'A22', 'A24', 'A25', 'A26', 'A27', 'A29', 'A30']
  },
  listTransactions: {
    method: 'GET',
    path: '/transactions',
    family: 'transactions',
    kind: 'list',
    title: 'List Transactions',
    key: true,
    rules: [...KEYED, 'FORM-2', 'FORM-3', 'LIST-3', 'FILT-5', ...CREATED_FILTERS, ...LISTED, 'SRCH-2', 'SRCH-3', 'TXN-8'],
    assumptions: [...LIST, 'A11', 'A12', 'A13', 'A29', 'A38', 'A40']
  },

  createRefund: {
    method: 'POST',
    path: '/refunds',
    family: 'refunds',
    kind: 'create',
    title: 'Create a Refund',
    key: true,
    rules: [...KEYED, 'FORM-1', 'FORM-2', 'REF-1', 'REF-3', 'META-1', 'REF-6', 'REF-7', 'REF-4', 'REF-5', 'REF-2', 'REF-8'],
    assumptions: [...WITH_KEY, ...CREATED, 'A17', 'A19', 'A23', 'A24', 'A27', 'A28']
  },
  readRefund: {
    method: 'GET',
    path: '/refunds/{id}',
    family: 'refunds',
    kind: 'read',
    title: 'Read a Refund',
    key: true,
    rules: [...KEYED, 'FORM-2'],
    assumptions: READ
  },
  updateRefund: {
    method: 'POST',
    path: '/refunds/{id}',
    family: 'refunds',
    kind: 'update',
    title: "Update a Refund's metadata",
    key: true,
    rules: [...KEYED, 'FORM-1', 'FORM-2', ...METADATA_UPDATE, 'REF-9'],
    assumptions: [...WITH_KEY, ...SHOWN, 'A15', 'A17', 'A19']
  },
  listRefunds: {
    method: 'GET',
    path: '/refunds',
    family: 'refunds',
    kind: 'list',
    title: 'List Refunds',
    key: true,
    rules: [...KEYED, 'FORM-2', 'FORM-3', 'LIST-3', 'REF-10', ...LISTED],
    assumptions: LIST
  }
} as const satisfies Record<string, Operation>

export type OperationId = keyof typeof OPERATIONS
export const OPERATION_IDS = Object.keys(OPERATIONS) as OperationId[]
/** An operation as the table has it, in the general type. */
export const operationOf = (id: OperationId): Operation => OPERATIONS[id]
/** Whether an operation changes records when it runs. */
export const isChange = ({ kind, disabledBy }: Operation): boolean => kind !== 'read' && kind !== 'list' && disabledBy === undefined

const PATTERNS = Object.values(OPERATIONS).map(operation => ({
  operation: operation as Operation,
  pattern: new RegExp(`^${operation.path.replace(/\{[^}]+\}/g, '[^/]+')}/?$`)
}))

/** The operations that the reference has at a path relative to the base address, whatever their method; none where it knows no such path. */
export function operationsAt(path: string): Operation[] {
  return PATTERNS.filter(({ pattern }) => pattern.test(path)).map(({ operation }) => operation)
}

/** Whether the call with a method and a path needs an API key; true where the reference has no such call. */
export const needsKey = (method: string, path: string): boolean => operationsAt(path).find(operation => operation.method === method)?.key ?? true

const BY_NAME = new Map(Object.entries(OPERATIONS).map(([id, { method, path }]) => [`${method} ${path}`, id as OperationId]))
/** What an operation is called in a document: `POST /refunds`. */
export const nameOf = (operation: OperationId): string => `${OPERATIONS[operation].method} ${OPERATIONS[operation].path}`
/** Every operation as a document writes it: `POST /refunds`, `GET /tickets/{id}`. */
export const OPERATION_NAMES: readonly string[] = [...BY_NAME.keys()]

/** The operation with a name such as `GET /tickets/{id}`; null where the reference has none. */
export const operationNamed = (name: string): OperationId | null => BY_NAME.get(name.trim().replace(/^[a-z]+/i, method => method.toUpperCase())) ?? null

/** The operations by method, number of parts of the path, and the words in it. */
const ROUTES = new Map(OPERATION_IDS.map(operation => [routeOf(OPERATIONS[operation].method, OPERATIONS[operation].path.slice(1).split('/')), operation]))

/** Paths alternate between words and parameters: `POST /accounts/{id}/users` → `POST 3 accounts users`. */
function routeOf(method: string, parts: readonly string[]): string {
  const [family, , nested] = parts
  return nested === undefined ? `${method} ${parts.length} ${family}` : `${method} ${parts.length} ${family} ${nested}`
}

/** The names of the parameters in the path of each operation, each with the family that it names a record of. */
export const PATH_RECORDS = Object.fromEntries(
  OPERATION_IDS.map(operation => {
    const parts = OPERATIONS[operation].path.slice(1).split('/')
    return [operation, parts.flatMap((part, place) => (part.startsWith('{') ? [{ name: part.slice(1, -1), place, family: parts[place - 1] as Family }] : []))]
  })
) as unknown as Readonly<Record<OperationId, readonly { name: string; place: number; family: Family }[]>>

/** The operation at a path relative to the base address, with the decoded values of its path parameters; null where the reference has none. Errors: `URIError`. */
export function operationAt(method: string, path: string): { operation: OperationId; params: Readonly<Record<string, string>> } | null {
  const parts = path.slice(1, path.endsWith('/') ? -1 : undefined).split('/')
  const operation = ROUTES.get(routeOf(method, parts))
  if (operation === undefined) return null
  const params: Record<string, string> = {}
  for (const { name, place } of PATH_RECORDS[operation]) {
    const value = parts[place] as string
    if (value === '') return null
    params[name] = value.includes('%') ? decodeURIComponent(value) : value
  }
  return { operation, params }
}
