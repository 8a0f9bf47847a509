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
import { each, keysOf } from './rules.js'
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
  answer?: TSchema
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
export const FIELDS = each(keysOf(RESOURCES), family => fieldsOf(RESOURCES[family].properties))
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
  createLocation: { body: CREATE_LOCATION, answer: LOCATION },
  readLocation: { params: ID, answer: LOCATION },
  updateLocation: { params: ID, body: UPDATE_LOCATION, answer: LOCATION },
  listLocations: { querystring: LIST_LOCATIONS, answer: LOCATION_LIST },
  deleteLocation: { params: ID },

  createAccount: { body: CREATE_ACCOUNT, answer: ACCOUNT },
  readAccount: { params: ID, answer: ACCOUNT },
  updateAccount: { params: ID, body: UPDATE_ACCOUNT, answer: ACCOUNT },
  listAccounts: { querystring: LIST_ACCOUNTS, answer: ACCOUNT_LIST },
  deleteAccount: { params: ID },

  createUser: { params: ID, body: CREATE_USER, answer: USER },
  listUsers: { params: ID, querystring: LIST_USERS, answer: USER_LIST },
  deleteUser: { params: closed({ account_id: text(), user_id: text() }) },

  readTicket: { params: ID, answer: TICKET },
  listTickets: { querystring: LIST_TICKETS, answer: TICKET_LIST },

  readTransaction: { params: ID, answer: TRANSACTION },
  createTransaction: { body: CREATE_TRANSACTION, answer: TRANSACTION },
  listTransactions: { querystring: LIST_TRANSACTIONS, answer: TRANSACTION_LIST },

  createRefund: { body: CREATE_REFUND, answer: REFUND },
  readRefund: { params: ID, answer: REFUND },
  updateRefund: { params: ID, body: UPDATE_REFUND, answer: REFUND },
  listRefunds: { querystring: LIST_REFUNDS, answer: REFUND_LIST }
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
