/** The handlers of all families, and the compiled parameter table of each operation. */
import { remembered } from '../core/remembered.js'
import { OPERATION_IDS, type OperationId } from '../reference/operations.js'
import { type Cursors, schemaOf } from '../reference/parameters.js'
import { each } from '../reference/rules.js'
import { TABLES, type Tables } from '../reference/tables.js'
import type { Handlers } from './handler.js'
import { accountOperations } from './operations/accounts.js'
import { locationOperations } from './operations/locations.js'
import { refundOperations } from './operations/refunds.js'
import { ticketOperations } from './operations/tickets.js'
import { transactionOperations } from './operations/transactions.js'
import { userOperations } from './operations/users.js'
import { compileTable } from './parameters.js'

export const HANDLERS: Handlers<Exclude<OperationId, 'deleteLocation' | 'deleteAccount'>> = {
  ...locationOperations,
  ...accountOperations,
  ...userOperations,
  ...ticketOperations,
  ...transactionOperations,
  ...refundOperations
}

/** The tables of bodies or queries, by the names of the cursors. */
export const tablesWith = remembered((cursors: Cursors) =>
  each(OPERATION_IDS, id => {
    const { body, querystring }: Tables = TABLES[id]
    const table = body ?? querystring
    return compileTable(table && schemaOf(table), cursors)
  })
)
