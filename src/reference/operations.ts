/** The service's 22 endpoints, in the reference's order (reference §4). */

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
export type Operation = {
  method: Method
  /** Relative to the base address; `{name}` is a path parameter. */
  path: string
  family: Family
  /** False for the one call that needs no API key (AUTH-2). */
  key: boolean
  title: string
}

export const OPERATIONS = {
  createLocation: { method: 'POST', path: '/locations', family: 'locations', key: true, title: 'Create a Location' },
  readLocation: { method: 'GET', path: '/locations/{id}', family: 'locations', key: true, title: 'Read a Location' },
  updateLocation: { method: 'POST', path: '/locations/{id}', family: 'locations', key: true, title: 'Update a Location' },
  listLocations: { method: 'GET', path: '/locations', family: 'locations', key: true, title: 'List Locations' },
  deleteLocation: { method: 'DELETE', path: '/locations/{id}', family: 'locations', key: true, title: 'Delete a Location (always 501)' },

  createAccount: { method: 'POST', path: '/accounts', family: 'accounts', key: true, title: 'Create an Account' },
  readAccount: { method: 'GET', path: '/accounts/{id}', family: 'accounts', key: true, title: 'Read an Account' },
  updateAccount: { method: 'POST', path: '/accounts/{id}', family: 'accounts', key: true, title: 'Update an Account' },
  listAccounts: { method: 'GET', path: '/accounts', family: 'accounts', key: true, title: 'List Accounts' },
  deleteAccount: { method: 'DELETE', path: '/accounts/{id}', family: 'accounts', key: true, title: 'Delete an Account (always 501)' },

  createUser: { method: 'POST', path: '/accounts/{id}/users', family: 'users', key: true, title: 'Create a User of an Account' },
  listUsers: { method: 'GET', path: '/accounts/{id}/users', family: 'users', key: true, title: 'List the Users of an Account' },
  deleteUser: { method: 'DELETE', path: '/accounts/{account_id}/users/{user_id}', family: 'users', key: true, title: 'Delete a User' },

  readTicket: { method: 'GET', path: '/tickets/{id}', family: 'tickets', key: true, title: 'Read a Ticket' },
  listTickets: { method: 'GET', path: '/tickets', family: 'tickets', key: true, title: 'List Tickets' },

  readTransaction: { method: 'GET', path: '/transactions/{id}', family: 'transactions', key: true, title: 'Read a Transaction' },
  createTransaction: { method: 'POST', path: '/transactions', family: 'transactions', key: false, title: 'Create a Transaction' },
  listTransactions: { method: 'GET', path: '/transactions', family: 'transactions', key: true, title: 'List Transactions' },

  createRefund: { method: 'POST', path: '/refunds', family: 'refunds', key: true, title: 'Create a Refund' },
  readRefund: { method: 'GET', path: '/refunds/{id}', family: 'refunds', key: true, title: 'Read a Refund' },
  updateRefund: { method: 'POST', path: '/refunds/{id}', family: 'refunds', key: true, title: "Update a Refund's metadata" },
  listRefunds: { method: 'GET', path: '/refunds', family: 'refunds', key: true, title: 'List Refunds' }
} as const satisfies Record<string, Operation>

export type OperationId = keyof typeof OPERATIONS

const PATTERNS = Object.values(OPERATIONS).map(operation => ({
  operation: operation as Operation,
  pattern: new RegExp(`^${operation.path.replace(/\{[^}]+\}/g, '[^/]+')}/?$`)
}))

/** The operations that the reference has at a path relative to the base address, whatever their method; none where it knows no such path. */
export function operationsAt(path: string): Operation[] {
  return PATTERNS.filter(({ pattern }) => pattern.test(path)).map(({ operation }) => operation)
}

const BY_NAME = new Map(Object.entries(OPERATIONS).map(([id, { method, path }]) => [`${method} ${path}`, id as OperationId]))
/** What an operation is called in a document: `POST /refunds`. */
export const nameOf = (operation: OperationId): string => `${OPERATIONS[operation].method} ${OPERATIONS[operation].path}`
/** Every operation as a document writes it: `POST /refunds`, `GET /tickets/{id}`. */
export const OPERATION_NAMES: readonly string[] = [...BY_NAME.keys()]

/** The operation with a name such as `GET /tickets/{id}`; null where the reference has none. */
export const operationNamed = (name: string): OperationId | null => BY_NAME.get(name.trim().replace(/^[a-z]+/i, method => method.toUpperCase())) ?? null

/** The operation at a path relative to the base address, with the values of its path parameters; null where the reference has none. */
export function operationAt(method: string, path: string): { operation: OperationId; params: Readonly<Record<string, string>> } | null {
  const parts = path.replace(/\/$/, '').split('/')
  for (const [id, { method: its, path: pattern }] of Object.entries(OPERATIONS)) {
    const names = pattern.split('/')
    const fits =
      its === method && names.length === parts.length && names.every((name, index) => (name.startsWith('{') ? parts[index] !== '' : name === parts[index]))
    const operation = id as OperationId
    if (fits) return { operation, params: paramsIn(operation, path, decodeURIComponent) }
  }
  return null
}

/** The values of an operation's path parameters in a path to it, as they stand there or decoded. */
export function paramsIn(operation: OperationId, path: string, decoded: (part: string) => string = part => part): Readonly<Record<string, string>> {
  const parts = path.split('/')
  const names = OPERATIONS[operation].path.split('/')
  return Object.fromEntries(names.flatMap((name, index) => (name.startsWith('{') ? [[name.slice(1, -1), decoded(parts[index] as string)]] : [])))
}
