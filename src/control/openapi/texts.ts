/** What the OpenAPI document says of the families and of the operations. */
import {
  type Family,
  type OperationId,
  operationOf,
  RESOURCE_NAMES
} from '../../reference/operations.js'
import { schemaOf } from '../../reference/parameters.js'
import { TABLES, type Tables } from '../../reference/tables.js'

export const TAG_TEXTS: Readonly<Record<Family, string>> = {
  locations: 'Places where a merchant sells.',
  accounts: 'Merchants and resellers.',
  users: 'People who belong to an Account.',
  tickets: 'What is to be paid at a Location. Tickets are read-only through this interface.',
  transactions: 'Payments against a Ticket.',
  refunds: 'Funds returned from a Transaction.'
}

/** A resource with its article. */
export const aNamed = (family: Family) =>
  `${/^A/.test(RESOURCE_NAMES[family]) ? 'an' : 'a'} ${RESOURCE_NAMES[family]}`
/** What says more than the title. */
const OWN: { readonly [Id in OperationId]?: string } = {
  createLocation: 'Creates a Location of the Account whose key is used, which must be a merchant.',
  createAccount: 'Creates a merchant or reseller Account.',
  readTransaction: 'Returns a Transaction with its 10 most recent Refunds.',
  createTransaction: 'Pays a Ticket. This request needs no API key.',
  createRefund: 'Refunds part of a Transaction; without `amount`, all that remains of it.',
  updateRefund: 'Changes the metadata of a Refund, and nothing else.',
  listRefunds: 'Returns a page of Refunds, most recent first.'
}
const FILTERS = ['location', 'transaction', 'created']
const fieldsIn = ({ querystring }: Tables) =>
  (querystring && schemaOf(querystring).properties) ?? {}

/** What an operation does. */
export function summaryOf(id: OperationId): string {
  const { kind, title, disabledBy } = operationOf(id)
  if (disabledBy !== undefined)
    return 'The service disables this operation: it always responds with 501.'
  const fields = fieldsIn(TABLES[id])
  const filters = FILTERS.filter(name => name in fields).map(name => `\`${name}\``)
  return [
    OWN[id] ?? `${title}.`,
    kind === 'update' &&
      'Parameters that are left out stay as they are; an empty value unsets a parameter.',
    filters.length > 0 && `Narrow it with ${filters.join(' and ')}.`
  ]
    .filter(Boolean)
    .join(' ')
}

/** The same, and how to get the next page; `after` is the cursor that it starts after. */
export const operationText = (id: OperationId, after: string): string =>
  [
    summaryOf(id),
    'search_query' in fieldsIn(TABLES[id]) &&
      '`search_query` filters each page after it is retrieved: a page may be empty even though more follow.',
    operationOf(id).kind === 'list' &&
      `For the next page, set \`${after}\` to the id of the last record that was retrieved for this one.`
  ]
    .filter(Boolean)
    .join(' ')
