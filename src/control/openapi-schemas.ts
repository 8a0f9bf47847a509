/** The reference's tables in the words of JSON Schema 2020-12: their rules and assumptions stay as notes and are written out as sentences. */
import { ACCOUNT, ACCOUNT_LIST } from '../reference/accounts.js'
import { ASSUMPTIONS, type AssumptionId } from '../reference/assumptions.js'
import { LOCATION, LOCATION_LIST } from '../reference/locations.js'
import { ADDRESS, type Format, type Schema, schemaOf } from '../reference/parameters.js'
import { PAYMENT_METHOD } from '../reference/payment-methods.js'
import { REFUND, REFUND_LIST } from '../reference/refunds.js'
import { RULES, type RuleId } from '../reference/rules.js'
import { TICKET, TICKET_LIST } from '../reference/tickets.js'
import { TRANSACTION, TRANSACTION_LIST } from '../reference/transactions.js'
import { USER, USER_LIST } from '../reference/users.js'

export type Json = Record<string, unknown>
/** What a table is for. In an update nothing is required, and what the create requires cannot be unset. */
export type Use = 'answer' | 'create' | 'update' | 'query'

/** The tables that answers are made of, by the name that they are referred to by. */
export const ANSWERS: Readonly<Record<string, Schema>> = {
  Location: schemaOf(LOCATION),
  LocationList: schemaOf(LOCATION_LIST),
  Account: schemaOf(ACCOUNT),
  AccountList: schemaOf(ACCOUNT_LIST),
  User: schemaOf(USER),
  UserList: schemaOf(USER_LIST),
  Ticket: schemaOf(TICKET),
  TicketList: schemaOf(TICKET_LIST),
  Transaction: schemaOf(TRANSACTION),
  TransactionList: schemaOf(TRANSACTION_LIST),
  Refund: schemaOf(REFUND),
  RefundList: schemaOf(REFUND_LIST),
  Address: schemaOf(ADDRESS),
  PaymentMethod: schemaOf(PAYMENT_METHOD)
}
const NAMES = new Map(Object.entries(ANSWERS).map(([name, table]) => [table, name]))

/** The name of an answer's table. */
export const answerName = (table: Schema): string => NAMES.get(table) as string
/** A reference to a component of the document. */
export const referTo = (kind: 'schemas' | 'examples' | 'headers', name: string) => ({ $ref: `#/components/${kind}/${name}` })

export const ruleText = (id: RuleId): string => `Rule ${id}: ${RULES[id].text}.`
export const assumptionText = (id: AssumptionId): string => `Assumption ${id}, ${ASSUMPTIONS[id].topic}: ${ASSUMPTIONS[id].default}.`

/** Words of the tables that the document keeps as they are. */
const KEPT = new Set(['type', 'enum', 'minimum', 'maximum', 'default', 'x-rule', 'x-required-by', 'x-assumption'])

/** The formats of the tables in words that every validator knows. */
const FORMATS: Readonly<Record<Format, Json>> = {
  email: { format: 'email' },
  instant: { pattern: '^\\d{4}-?\\d{2}-?\\d{2}(T.+)?$' },
  country: { pattern: '^[A-Za-z]{2}$' },
  currency: { pattern: '^[a-z]{3}$' },
  last4: { pattern: '^\\d{4}$' }
}
/** An instant is answered with date and time, and may be sent as a date. */
const formatWords = (format: Format, use: Use) => (format === 'instant' && use === 'answer' ? { format: 'date-time' } : FORMATS[format])

/** A table as the document has it. Inside an answer, what answers share is referred to. */
export function published(table: Schema, use: Use, isRequired = false): Json {
  const { format, properties, additionalProperties, items, required = [] } = table
  const part = (inner: Schema, isRequired = false) =>
    use === 'answer' && NAMES.has(inner) ? referTo('schemas', answerName(inner)) : published(inner, use, isRequired)
  const text = sentences(table, use, isRequired)
  return {
    ...Object.fromEntries(Object.entries(table).filter(([word]) => KEPT.has(word))),
    ...(text !== '' && { description: text }),
    ...(format !== undefined && formatWords(format as Format, use)),
    // an empty value of what is required is refused, not read as empty text
    ...(use !== 'answer' && isRequired && table.type === 'string' && !table.enum && { minLength: 1 }),
    ...(table['x-secret'] && { writeOnly: true }),
    ...(table['x-fixed'] && { readOnly: true }),
    // an empty value for all metadata unsets it
    ...(use === 'update' && typeof additionalProperties === 'object' && { type: [table.type, 'string'], maxLength: 0 }),
    ...(items && { items: part(items) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, part(inner, required.includes(name))])),
      ...(use !== 'update' && required.length > 0 && { required })
    }),
    ...(additionalProperties !== undefined && { additionalProperties: typeof additionalProperties === 'object' ? part(additionalProperties) : false })
  }
}

/** What a table says of itself, then the rules and assumptions that it names. */
function sentences(table: Schema, use: Use, isRequired: boolean): string {
  const { description, 'x-rule': rule, 'x-required-by': requiredBy, 'x-assumption': assumption } = table
  const rules = [...new Set([rule, requiredBy])].filter(id => id !== undefined)
  return [
    description,
    ...rules.map(ruleText),
    assumption && assumptionText(assumption),
    table['x-fixed'] && 'Named only to be refused: it cannot be updated.',
    table['x-empty'] === 'refused' && 'An empty value is refused.',
    use === 'update' && isRequired && 'It is required, so an empty value is refused (A16).'
  ]
    .filter(Boolean)
    .join(' ')
}
