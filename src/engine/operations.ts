/** The operations of all families, and the parameter table of each, ready to decode with. */
import { OPERATION_IDS, type OperationId } from '../reference/operations.js'
import { schemaOf } from '../reference/parameters.js'
import { TABLES, type Tables } from '../reference/tables.js'
import type { Handlers } from './handler.js'
import { accountOperations } from './operations/accounts.js'
import { locationOperations } from './operations/locations.js'
import { refundOperations } from './operations/refunds.js'
import { ticketOperations } from './operations/tickets.js'
import { transactionOperations } from './operations/transactions.js'
import { userOperations } from './operations/users.js'
import { compileTable, type Table } from './parameters.js'

/** What each operation does that the reference does not disable. */
export const HANDLERS: Handlers<Exclude<OperationId, 'deleteLocation' | 'deleteAccount'>> = {
  ...locationOperations,
  ...accountOperations,
  ...userOperations,
  ...ticketOperations,
  ...transactionOperations,
  ...refundOperations
}

/** The compiled parameter table of each operation: that of the body, or of the query. */
export const PARAMETERS = new Map<OperationId, Table>(
  OPERATION_IDS.map(id => {
    const { body, querystring }: Tables = TABLES[id]
    const table = body ?? querystring
    return [id, compileTable(table && schemaOf(table))]
  })
)
