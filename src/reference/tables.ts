/**
 * The resource table of each family, and each operation's parameter tables and response (reference
 * §4).
 */
import type { TSchema } from 'typebox'
import { ACCOUNT, ACCOUNT_LIST, CREATE_ACCOUNT, LIST_ACCOUNTS, UPDATE_ACCOUNT } from './accounts.js'
import {
  CREATE_LOCATION,
  LIST_LOCATIONS,
  LOCATION,
  LOCATION_LIST,
  UPDATE_LOCATION
} from './locations.js'
import { type Family, LINKED_FAMILIES, type OperationId } from './operations.js'
import { closed, type Schema, schemaOf, text } from './parameters.js'
import { CREATE_REFUND, LIST_REFUNDS, REFUND, REFUND_LIST, UPDATE_REFUND } from './refunds.js'
import { mapValues } from './rules.js'
import { LIST_TICKETS, TICKET, TICKET_LIST } from './tickets.js'
import {
  CREATE_TRANSACTION,
  LIST_TRANSACTIONS,
  TRANSACTION,
  TRANSACTION_LIST
} from './transactions.js'
import { CREATE_USER, LIST_USERS, USER, USER_LIST } from './users.js'

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

export const TABLES = {
  createLocation: { body: CREATE_LOCATION, response: LOCATION },
  readLocation: { params: ID, response: LOCATION },
  updateLocation: { params: ID, body: UPDATE_LOCATION, response: LOCATION },
  listLocations: { querystring: LIST_LOCATIONS, response: LOCATION_LIST },
  deleteLocation: { params: ID },

  createAccount: { body: CREATE_ACCOUNT, response: ACCOUNT },
  readAccount: { params: ID, response: ACCOUNT },
  updateAccount: { params: ID, body: UPDATE_ACCOUNT, response: ACCOUNT },
  listAccounts: { querystring: LIST_ACCOUNTS, response: ACCOUNT_LIST },
  deleteAccount: { params: ID },

  createUser: { params: ID, body: CREATE_USER, response: USER },
  listUsers: { params: ID, querystring: LIST_USERS, response: USER_LIST },
  deleteUser: { params: closed({ account_id: text(), user_id: text() }) },

  readTicket: { params: ID, response: TICKET },
  listTickets: { querystring: LIST_TICKETS, response: TICKET_LIST },

  readTransaction: { params: ID, response: TRANSACTION },
  createTransaction: { body: CREATE_TRANSACTION, response: TRANSACTION },
  listTransactions: { querystring: LIST_TRANSACTIONS, response: TRANSACTION_LIST },

  createRefund: { body: CREATE_REFUND, response: REFUND },
  readRefund: { params: ID, response: REFUND },
  updateRefund: { params: ID, body: UPDATE_REFUND, response: REFUND },
  listRefunds: { querystring: LIST_REFUNDS, response: REFUND_LIST }
} as const satisfies Record<OperationId, Tables>

/** The parameters of lists, but for the cursors, whose names a setting gives (A10). */
export const LIST_PARAMETERS: readonly string[] = [
  ...new Set(
    Object.values(TABLES as Record<string, Tables>)
      .flatMap(({ querystring }) =>
        Object.entries(
          querystring === undefined
            ? {}
            : (schemaOf(querystring).properties as Record<string, Schema>)
        )
      )
      .filter(([, part]) => part['x-cursor'] === undefined)
      .map(([name]) => name)
  )
]

export const PARAMETER_TABLES: readonly Schema[] = Object.values(
  TABLES as Record<string, Tables>
).flatMap(({ body, querystring }) =>
  [body, querystring].flatMap(table => (table ? [schemaOf(table)] : []))
)
