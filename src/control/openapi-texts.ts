/** What the OpenAPI document says of the families and of the operations, in words of its own. */
import type { Settings } from '../core/settings.js'
import { type Family, type OperationId, operationOf } from '../reference/operations.js'

export const TAG_TEXTS: Readonly<Record<Family, string>> = {
  locations: 'Places where a merchant sells.',
  accounts: 'Merchants and resellers.',
  users: 'People who belong to an Account.',
  tickets: 'What is to be paid at a Location. Tickets are read-only through this interface.',
  transactions: 'Payments against a Ticket.',
  refunds: 'Returns of funds on a Transaction.'
}

const UPDATE = 'Parameters that are left out stay as they are; an empty value unsets a parameter.'
const CREATED = 'Narrow it with `created`.'
const SEARCH = '`search_query` filters each page after it was retrieved: a page may be empty though more follow.'
const DISABLED = 'The service disables this operation: it always aborts with 501.'

/** How a list is paged through. */
const pagesText = ({ 'pagination.cursors': [after] }: Settings): string =>
  `While more follow, the next page is the one with \`${after}\` set to the id of the last record that was retrieved for this one.`

const OPERATION_TEXTS: Readonly<Record<OperationId, string>> = {
  createLocation: 'Creates a Location of the Account whose key is used, which has to be a merchant.',
  readLocation: 'Returns a Location.',
  updateLocation: `Changes a Location. ${UPDATE}`,
  listLocations: 'Returns a page of Locations.',
  deleteLocation: DISABLED,
  createAccount: 'Creates a merchant or reseller Account.',
  readAccount: 'Returns an Account.',
  updateAccount: `Changes an Account. ${UPDATE}`,
  listAccounts: 'Returns a page of Accounts.',
  deleteAccount: DISABLED,
  createUser: 'Creates a User of the Account in the path.',
  listUsers: `Returns a page of the Users of the Account in the path. ${CREATED}`,
  deleteUser: 'Deletes a User of the Account in the path.',
  readTicket: 'Returns a Ticket.',
  listTickets: `Returns a page of Tickets. Narrow it with \`location\` and \`created\`. ${SEARCH}`,
  readTransaction: 'Returns a Transaction with its 10 most recent Refunds.',
  createTransaction: 'Pays a Ticket. This call needs no API key.',
  listTransactions: `Returns a page of Transactions. Narrow it with \`location\` and \`created\`. ${SEARCH}`,
  createRefund: 'Returns a part of a Transaction, or without `amount` all that remains of it.',
  readRefund: 'Returns a Refund.',
  updateRefund: `Changes the metadata of a Refund, and nothing else. ${UPDATE}`,
  listRefunds: 'Returns a page of Refunds, most recent first. Narrow it with `transaction`.'
}

/** What an operation does, by the settings. */
export const operationText = (id: OperationId, settings: Settings): string =>
  operationOf(id).kind === 'list' ? `${OPERATION_TEXTS[id]} ${pagesText(settings)}` : OPERATION_TEXTS[id]
