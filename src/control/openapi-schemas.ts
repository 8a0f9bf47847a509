/** The reference's tables in the words of JSON Schema 2020-12: their rules and assumptions stay as notes and are written out as sentences. */
import type { Settings } from '../core/settings.js'
import { ACCOUNT, ACCOUNT_LIST } from '../reference/accounts.js'
import { ASSUMPTIONS, type AssumptionId } from '../reference/assumptions.js'
import { LOCATION, LOCATION_LIST } from '../reference/locations.js'
import type { Operation } from '../reference/operations.js'
import { ADDRESS, type Format, type Schema, schemaOf } from '../reference/parameters.js'
import { PAYMENT_METHOD } from '../reference/payment-methods.js'
import { REFUND, REFUND_LIST } from '../reference/refunds.js'
import { RULES, type RuleId } from '../reference/rules.js'
import { TICKET, TICKET_LIST } from '../reference/tickets.js'
import { TRANSACTION, TRANSACTION_LIST } from '../reference/transactions.js'
import { USER, USER_LIST } from '../reference/users.js'

export type Json = Record<string, unknown>
/** What a table is for: an answer, or what a call of an operation sends. In an update nothing is required. */
export type Use = 'answer' | { operation: Operation; settings: Settings }

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
const KEPT = new Set(['type', 'enum', 'minimum', 'maximum', 'default', 'x-assumption'])

/** The formats of the tables in words that every validator knows. */
const FORMATS: Readonly<Record<Format, Json>> = {
  email: { format: 'email' },
  instant: { pattern: '^\\d{4}-?(\\d{2}-?\\d{2}|\\d{3}|[Ww]\\d{2}-?\\d)([Tt].+)?$' },
  country: { pattern: '^[A-Za-z]{2}$' },
  currency: { pattern: '^[a-z]{3}$' },
  last4: { pattern: '^\\d{4}$' }
}
/** An instant is answered with date and time, and may be sent as a date. */
const formatWords = (format: Format, use: Use) => (format === 'instant' && use === 'answer' ? { format: 'date-time' } : FORMATS[format])

const isUpdate = (use: Use) => use !== 'answer' && use.operation.kind === 'update'
const mayUnsetRequired = (use: Use) => use !== 'answer' && use.settings['parameters.unset_required'] === 'allow'

/** A table as the document has it. Inside an answer, what answers share is referred to. */
export function published(table: Schema, use: Use): Json {
  return publishedPart(table, use, { isRequired: false, isClearable: false })
}

/** `isClearable`: an empty value unsets the parameter (UPD-2). */
type Place = { isRequired: boolean; isClearable: boolean }

function publishedPart(table: Schema, use: Use, { isRequired, isClearable }: Place): Json {
  const { type, enum: words, format, properties, additionalProperties, items, required = [] } = table
  const part = (inner: Schema, isRequired: boolean) => {
    if (use === 'answer' && NAMES.has(inner)) return referTo('schemas', answerName(inner))
    const isClearable = isUpdate(use) && !inner['x-fixed'] && (!isRequired || mayUnsetRequired(use))
    return publishedPart(inner, use, { isRequired, isClearable })
  }
  const rules = rulesOf(table, use)
  const text = sentences(table, use, { isRequired, isClearable })
  const formatted = format !== undefined && formatWords(format as Format, use)
  return {
    ...Object.fromEntries(Object.entries(table).filter(([word]) => KEPT.has(word))),
    ...rules,
    ...(text !== '' && { description: text }),
    ...(isClearable && formatted ? { anyOf: [formatted, { maxLength: 0 }] } : formatted),
    ...(isClearable && words && { enum: [...words, ''] }),
    ...(isClearable && type === 'object' && { type: [type, 'string'], maxLength: 0 }),
    // an empty value of what is required is refused, not read as empty text
    ...(use !== 'answer' && isRequired && !isClearable && type === 'string' && !words && { minLength: 1 }),
    ...(table['x-secret'] && { writeOnly: true }),
    ...(table['x-fixed'] && { readOnly: true }),
    ...(items && { items: part(items, false) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, part(inner, required.includes(name))])),
      ...(!isUpdate(use) && required.length > 0 && { required })
    }),
    ...(additionalProperties !== undefined && { additionalProperties: typeof additionalProperties === 'object' ? part(additionalProperties, false) : false })
  }
}

/** The rules that a table names and that a call of the operation can break: an update cannot break what only a create needs. */
function rulesOf(table: Schema, use: Use): { 'x-rule'?: RuleId; 'x-required-by'?: RuleId } {
  const words = (['x-rule', 'x-required-by'] as const).flatMap(word => {
    const rule = table[word]
    return rule !== undefined && (use === 'answer' || use.operation.rules.includes(rule)) ? [[word, rule]] : []
  })
  return Object.fromEntries(words)
}

/** What a table says of itself, then the rules and assumptions that it names. */
function sentences(table: Schema, use: Use, { isRequired, isClearable }: Place): string {
  const { description, 'x-assumption': assumption } = table
  const rules = [...new Set(Object.values(rulesOf(table, use)))]
  return [
    description,
    ...rules.map(ruleText),
    assumption && assumptionText(assumption),
    table['x-fixed'] && 'Named only to be refused: it cannot be updated.',
    table['x-empty'] === 'refused' && 'An empty value is refused.',
    isUpdate(use) && isRequired && !isClearable && table.type === 'string' && 'It is required, so an empty value is refused (A16).'
  ]
    .filter(Boolean)
    .join(' ')
}
