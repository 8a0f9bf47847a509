/** The handlers of all families. */
import type { OperationId } from '../reference/operations.js'
import { accountOperations } from './operations/accounts.js'
import { locationOperations } from './operations/locations.js'
import { refundOperations } from './operations/refunds.js'
import { ticketOperations } from './operations/tickets.js'
import { transactionOperations } from './operations/transactions.js'
import { userOperations } from './operations/users.js'
import type { Handlers } from './world.js'

export const HANDLERS: Handlers<Exclude<OperationId, 'deleteLocation' | 'deleteAccount'>> = {
  ...locationOperations,
  ...accountOperations,
  ...userOperations,
  ...ticketOperations,
  ...transactionOperations,
  ...refundOperations
}
