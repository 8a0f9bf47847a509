/**
 * The resource table of each family, and each operation's parameter tables and response (reference
 * §4).
 */
import type { TSchema } from 'typebox'
import { ACCOUNT, CREATE_ACCOUNT, CREATE_USER, UPDATE_ACCOUNT, USER } from './accounts.js'
import { CREATE_LOCATION, LIST_TICKETS, LOCATION, TICKET, UPDATE_LOCATION } from './locations.js'
import { type Family, LINKED_FAMILIES, type OperationId } from './operations.js'
import {
  CREATED_FILTERS,
  closed,
  listOf,
  NO_PARAMETERS,
  PAGINATION,
  parameters,
  type Schema,
  schemaOf,
  text
} from './parameters.js'
import { CREATE_REFUND, LIST_REFUNDS, REFUND, UPDATE_REFUND } from './refunds.js'
import { mapValues } from './rules.js'
import { CREATE_TRANSACTION, LIST_TRANSACTIONS, TRANSACTION } from './transactions.js'

export type Tables = {
  params?: TSchema
  body?: TSchema
  querystring?: TSchema
  response?: TSchema
}

export const RESOURCES = {
  accounts: schemaOf(ACCOUNT),
  users: schemaOf(USER),
  locations: schemaOf(LOCATION),
  tickets: schemaOf(TICKET),
  transactions: schemaOf(TRANSACTION),
  refunds: schemaOf(REFUND)
} satisfies Record<Family, Schema>

type Fields = Readonly<Record<string, Schema>>
const fieldsOf = ({ refunds: _, ...fields }: Fields = {}): Fields => fields
/** The fields of a record by its family; the Refunds in a Transaction are records of their own. */
export const FIELDS = mapValues(RESOURCES, ({ properties }) => fieldsOf(properties))
/** By the field of a record that refers to another one, the fields of that. */
export const LINKED_FIELDS: ReadonlyMap<Schema, Fields> = new Map(
  Object.values(FIELDS).flatMap(fields =>
    Object.entries(LINKED_FAMILIES).flatMap(([name, family]) =>
      fields[name] ? [[fields[name], FIELDS[family]]] : []
    )
  )
)

const ID = closed({ id: text() })
const PAGED = parameters(PAGINATION)
const USERS_PAGED = parameters({ ...PAGINATION, ...CREATED_FILTERS })

export const TABLES = {
  createLocation: { body: CREATE_LOCATION, response: LOCATION },
  readLocation: { params: ID, response: LOCATION },
  updateLocation: { params: ID, body: UPDATE_LOCATION, response: LOCATION },
  listLocations: { querystring: PAGED, response: listOf(LOCATION) },
  deleteLocation: { params: ID },

  createAccount: { body: CREATE_ACCOUNT, response: ACCOUNT },
  readAccount: { params: ID, response: ACCOUNT },
  updateAccount: { params: ID, body: UPDATE_ACCOUNT, response: ACCOUNT },
  listAccounts: { querystring: PAGED, response: listOf(ACCOUNT) },
  deleteAccount: { params: ID },

  createUser: { params: ID, body: CREATE_USER, response: USER },
  listUsers: { params: ID, querystring: USERS_PAGED, response: listOf(USER) },
  deleteUser: { params: closed({ account_id: text(), user_id: text() }) },

  readTicket: { params: ID, response: TICKET },
  listTickets: { querystring: LIST_TICKETS, response: listOf(TICKET) },

  readTransaction: { params: ID, response: TRANSACTION },
  createTransaction: { body: CREATE_TRANSACTION, response: TRANSACTION },
  listTransactions: { querystring: LIST_TRANSACTIONS, response: listOf(TRANSACTION) },

  createRefund: { body: CREATE_REFUND, response: REFUND },
  readRefund: { params: ID, response: REFUND },
  updateRefund: { params: ID, body: UPDATE_REFUND, response: REFUND },
  listRefunds: { querystring: LIST_REFUNDS, response: listOf(REFUND) }
} as const satisfies Record<OperationId, Tables>

const ALL: readonly Tables[] = Object.values(TABLES)

/** The parameters of lists, but for the cursors, whose names a setting gives (A10). */
export const LIST_PARAMETERS: readonly string[] = [
  ...new Set(
    ALL.flatMap(({ querystring = NO_PARAMETERS }) =>
      Object.entries({ ...schemaOf(querystring).properties })
    ).flatMap(([name, part]) => (part['x-cursor'] === undefined ? name : []))
  )
]

export const PARAMETER_TABLES: readonly Schema[] = ALL.flatMap(({ body, querystring }) =>
  [body ?? [], querystring ?? []].flat().map(schemaOf)
)
