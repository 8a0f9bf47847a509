/** Decodes parameters by the operation's table (A08). Nothing is coerced (A27). */
import { ApiError, type ErrorCode } from '../core/errors.js'
import { FormList, type FormNode, FormObject, inBrackets } from '../core/form.js'
import { FORMATS } from '../core/formats.js'
import { didYouMean, sentence } from '../core/nearest.js'
import { readDecimal, readInteger } from '../core/numbers.js'
import { shownGot } from '../core/sentences.js'
import type { Settings } from '../core/settings.js'
import type { AssumptionId } from '../reference/assumptions.js'
import type { Family } from '../reference/operations.js'
import {
  CURSORS,
  type Cursors,
  type Metadata,
  type MetadataChange,
  NO_PARAMETERS,
  type Schema,
  schemaOf,
  sentName
} from '../reference/parameters.js'
import type { RuleId } from '../reference/rules.js'
import { type Blame, EXPECTS, JSON_HINT, REFUSALS, unsetHint } from './sentences.js'

export type BodyReference = { param: string; blame: Blame }
export type Values = Readonly<Record<string, unknown>>
export const NO_VALUES: Values = Object.freeze({})
export type DecodeContext = {
  readonly settings: Settings
  readonly relied: { readonly add: (assumption: AssumptionId) => unknown }
  hearUnknown: (messages: readonly string[]) => void
  /** Errors: for an id that names no record. */
  find: (family: Family, id: string, reference: BodyReference) => unknown
  /** Errors: for a cursor that names no record of the list, or comes with another. */
  checkCursor: (param: string, id: string) => void
}

/** A parameter: `name` is how it is sent, `key` where its value is. */
type Field = {
  key: string
  name: string
  path: string
  schema: Schema
  required: boolean
  table: Table | null
}
export type Table = {
  fields: readonly Field[]
  byName: ReadonlyMap<string, Field>
  unsets: boolean
  hasRequired: boolean
}

export function compileTable(
  schema: Schema = schemaOf(NO_PARAMETERS),
  cursors: Cursors = CURSORS,
  under = '',
  unsets = schema['x-empty'] === 'unsets'
): Table {
  const { properties = {} } = schema
  const fields = Object.entries(properties).map(([key, part]): Field => {
    const name = sentName(key, part, cursors)
    const path = inBrackets(under, name)
    const required = schema.required?.includes(key) ?? false
    return {
      key,
      name,
      path,
      schema: part,
      required,
      table: part.properties ? compileTable(part, cursors, path, unsets) : null
    }
  })
  return {
    fields,
    byName: new Map(fields.map(field => [field.name, field])),
    unsets,
    hasRequired: fields.some(({ required }) => required)
  }
}

const NO_TABLE = compileTable()
const IN_BODY =
  'belongs in the form-encoded body: a POST reads no parameters from the query string.'

/**
 * Errors: `parameter_unknown`, `parameter_not_updatable`, `parameter_missing`, `parameter_invalid`,
 * and those of `unknownIn`.
 */
export function decodeParameters(
  table: Table,
  form: FormObject,
  context: DecodeContext,
  unknown = unknownIn(table, form)
): Values {
  if (form.size === 0 && !table.hasRequired) return NO_VALUES
  if (unknown.length > 0) refuseUnknown(unknown, table, context)
  return new Decoder(context, form, table.unsets).object(table, form)
}

/**
 * The parameters that a table does not have. Errors: `form_malformed` for a value, names or a list
 * where another shape belongs (A36).
 */
export function unknownIn({ byName }: Table, form: FormObject, path = ''): string[] {
  const unknown: string[] = []
  for (const [name, node] of form) {
    const field = byName.get(name)
    if (field === undefined) unknown.push(leafOf(inBrackets(path, name), node))
    else if (typeof node !== 'string') {
      if (field.schema.type !== 'object' || node instanceof FormList) throw misshapen(field, node)
      if (field.table) unknown.push(...unknownIn(field.table, node, field.path))
    }
  }
  return unknown
}

function misshapen(field: Field, node: FormList | FormObject): ApiError {
  const expected =
    field.schema.type === 'object'
      ? EXPECTS.nested(exampleOf(field))
      : EXPECTS.oneValue(node instanceof FormList ? 'a list' : 'an object')
  return refusal(leafOf(field.path, node), expected, { assumption: 'A36' }, 'form_malformed')
}

/** Refuses parameters in the query of an operation with a body (A14). */
export function refuseInQuery(query: FormObject, context: DecodeContext): void {
  refuseUnknown(unknownIn(NO_TABLE, query), NO_TABLE, context, IN_BODY)
}

/** Refuses unknown parameters, at least one (A14); `hint` says where they belong. */
function refuseUnknown(
  params: readonly string[],
  table: Table,
  context: DecodeContext,
  hint?: string
): void {
  context.relied.add('A14')
  const known = namesIn(table)
  const [first = ''] = params
  const messages: string[] = []
  let list = known.length > 0 ? `; it takes ${known.join(', ')}.` : '; it takes none.'
  for (const param of params.slice(0, MAX_NAMED)) {
    const suggestion = nearestHint(param, known)
    messages.push(
      `${shownGot(param)} ${hint ?? `is not a parameter of this operation${suggestion || list}`}`
    )
    // once is enough
    if (suggestion === '') list = '.'
  }
  if (params.length > MAX_NAMED)
    messages.push(`${params.length - MAX_NAMED} more are not parameters either.`)
  context.hearUnknown(messages)
  if (context.settings['parameters.unknown'] === 'reject') throw REFUSALS.unknown(messages, first)
}

const MAX_NAMED = 20

/** A name that begins or ends alike, or is spelled alike. */
function nearestHint(param: string, known: readonly string[]): string {
  if (param.startsWith('{')) return JSON_HINT
  const inner = known.find(name => name.endsWith(`[${param}]`) || name.endsWith(`_${param}`))
  if (inner) return `; did you mean ${inner}?`
  const [beginning] = /^(?:\w+\[)?[a-z]{3,4}/.exec(param) ?? []
  const alike =
    beginning && known.find(name => name.startsWith(beginning) || name.includes(`[${beginning}`))
  return didYouMean(param, known) || (alike ? `; did you mean ${alike}?` : '')
}

function leafOf(path: string, node: FormNode): string {
  if (node instanceof FormList) return `${path}[]`
  if (typeof node === 'string') return path
  const [[name, part] = ['', '']] = node
  return leafOf(inBrackets(path, name), part)
}

const namesIn = ({ fields }: Table): string[] =>
  fields.flatMap(({ path, table }) => (table ? namesIn(table) : [path]))

const blameOf = ({ 'x-rule': rule, 'x-assumption': assumption }: Schema): Blame =>
  rule ? { rule } : { assumption: assumption ?? 'A36' }

/** An object as JavaScript, Go, PHP, then JSON, Python and Ruby print it. */
const PRINTED_OBJECT = /^\[object \w+\]$|^map\[.*\]$|^Array$|^[{[].*[}\]]$/s
const EMPTY_OBJECT = new FormObject()
const CLEARED_OBJECT = Object.assign(new FormObject(), { cleared: true })

class Decoder {
  readonly #context: DecodeContext
  readonly #form: FormObject
  /** An empty value unsets a parameter, as in an update, or is as if absent (A16, UPD-2). */
  readonly #unsets: boolean

  constructor(context: DecodeContext, form: FormObject, unsets: boolean) {
    this.#context = context
    this.#form = form
    this.#unsets = unsets
  }

  /** Parts that were sent; in an update of a cleared object, null for the others. */
  object({ fields }: Table, form: FormObject): Record<string, unknown> {
    const values: Record<string, unknown> = {}
    for (const field of fields) {
      const node = form.get(field.name) ?? (form.cleared && this.#unsets ? '' : undefined)
      const value = node === undefined ? this.#leftOut(field) : this.#value(field, node)
      if (value !== undefined) values[field.key] = value
    }
    return values
  }

  #value(field: Field, node: FormNode): unknown {
    const { path, schema, table } = field
    if (schema['x-fixed']) return this.#fixed(field)
    if (node === '') return this.#emptied(field)
    if (table) return this.#nested(field, table, node)
    if (schema.additionalProperties) return this.#metadata(field, node)
    const text = String(node)
    if (text.trim() === '' && this.#isNeeded(field))
      throw refusal(path, EXPECTS.notBlank, { assumption: 'A40' })
    return this.#scalar(field, text)
  }

  #isNeeded({ required, schema }: Field): boolean {
    const [name, value] = schema['x-required-if'] ?? ['']
    return (
      schema.type === 'string' &&
      !schema.enum &&
      (required || (value !== undefined && this.#form.get(name) === value))
    )
  }

  #leftOut({ path, schema, table, required }: Field): unknown {
    if (!required || this.#unsets) return undefined
    if (table) return this.object(table, EMPTY_OBJECT)
    const about = schema.enum ? `One of ${schema.enum.join(', ')}.` : schema.description
    const { 'x-required-by': rule } = schema
    throw REFUSALS.missing(path, about, rule ? { rule } : blameOf(schema))
  }

  /** An empty value: as if absent, or in an update unset (A16, UPD-2). */
  #emptied(field: Field): unknown {
    const { path, schema, table, required } = field
    const context = this.#context
    const { 'x-empty': empty } = schema
    if (
      empty === 'refused' ||
      (empty === 'refunds.empty_amount' && context.settings[empty] === 'reject')
    ) {
      throw refusal(path, EXPECTS.notEmpty, { assumption: 'A16' })
    }
    if (!this.#unsets) {
      context.relied.add('A16')
      return this.#leftOut(field)
    }
    if (table) return this.object(table, CLEARED_OBJECT)
    if (schema.additionalProperties) return { cleared: true, entries: {} }
    if (required && context.settings['parameters.unset_required'] === 'reject') {
      throw refusal(path, EXPECTS.kept, { assumption: 'A16' }, 'parameter_missing')
    }
    if (required) context.relied.add('A16')
    return null
  }

  /** Named by the reference, but not updatable (A15, REF-9). */
  #fixed({ path, schema }: Field): undefined {
    this.#context.relied.add('A15')
    if (this.#context.settings['parameters.not_updatable'] === 'reject')
      throw REFUSALS.fixed(path, blameOf(schema))
  }

  #nested(field: Field, table: Table, node: FormNode): unknown {
    if (!(node instanceof FormObject))
      throw notNested(field, String(node), field.schema['x-rule'] ?? 'FORM-2')
    this.#clearedIn(node)
    const values = this.object(table, node)
    return !this.#unsets && Object.keys(values).length === 0 ? undefined : values
  }

  /** Pairs that have a value, or what to set and unset (META-1 to META-3, A17). */
  #metadata(field: Field, node: FormNode): Metadata | MetadataChange {
    if (!(node instanceof FormObject)) throw notNested(field, String(node), 'META-1')
    this.#clearedIn(node)
    // `__proto__` is a key of metadata like any other
    const entries: Record<string, string | null> = node.has('__proto__') ? Object.create(null) : {}
    for (const [key, value] of node) {
      if (typeof value !== 'string')
        throw refusal(leafOf(inBrackets(field.path, key), value), EXPECTS.text, {
          assumption: 'A17'
        })
      if (value !== '') entries[key] = value
      else if (this.#unsets) entries[key] = null
      else this.#context.relied.add('A16')
    }
    return this.#unsets ? { cleared: node.cleared, entries } : (entries as Metadata)
  }

  /** With an empty whole, an update sets the parts after it (A17). */
  #clearedIn({ cleared }: FormObject): void {
    if (!cleared) return
    this.#context.relied.add('A17')
    if (!this.#unsets) this.#context.relied.add('A16')
  }

  #scalar(field: Field, text: string): unknown {
    const { path, schema } = field
    if (schema.type === 'integer') return this.#integer(field, text)
    if (schema.type === 'number') return decimal(field, text)
    if (schema.enum && !schema.enum.includes(text)) {
      const words = schema.enum.map(String)
      throw wrong(field, EXPECTS.oneOf(words), text, { hint: didYouMean(text, words) })
    }
    if (schema.format !== undefined) return this.#formatted(field, text)
    const { 'x-refers': family } = schema
    if (family) return this.#context.find(family, text, { param: path, blame: blameOf(schema) })
    if (schema.maxLength !== undefined && text.length > schema.maxLength)
      throw wrong(field, EXPECTS.shorter(schema.maxLength), text, { assumption: 'A35' })
    if (schema['x-cursor'] !== undefined) this.#context.checkCursor(path, text)
    return text
  }

  #formatted(field: Field, text: string): string {
    const { problem, stored, reliesOn } = FORMATS[field.schema.format as keyof typeof FORMATS]
    const flaw = problem(text)
    if (flaw !== null) throw wrong(field, flaw.expected, text, flaw)
    const assumption = reliesOn?.(text)
    if (assumption) this.#context.relied.add(assumption)
    return stored?.(text) ?? text
  }

  /** Of sub-units, or a page size, which settings bound (LIST-3, A10, A27). */
  #integer(field: Field, text: string): number {
    const { schema } = field
    const { value, problem } = readInteger(text)
    if (problem === 'not_an_integer') throw wrong(field, EXPECTS.whole, text)
    const { settings, relied } = this.#context
    const { 'x-page-size': isPage, minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema
    const [least, most] = isPage ? [1, settings['pagination.max_limit']] : [minimum, maximum]
    if (problem === null && value >= least && value <= most) return value
    if (isPage && settings['pagination.out_of_range'] === 'clamp') {
      relied.add('A10')
      return Math.min(Math.max(value, least), most)
    }
    if (isPage) throw wrong(field, EXPECTS.between(least, most), text, { assumption: 'A10' })
    if (value > most) throw wrong(field, EXPECTS.atMost(most), text, { assumption: 'A27' })
    throw wrong(field, EXPECTS.atLeast(least), text, least > 0 ? {} : { assumption: 'A27' })
  }
}

function decimal(field: Field, text: string): number {
  const { value, problem } = readDecimal(text)
  if (problem === null) return value
  throw wrong(field, problem === 'inexact' ? EXPECTS.exact : EXPECTS.decimal, text)
}

/** The nested name to send instead. */
function exampleOf({ path, table }: Field, value?: string): string {
  const names = table ? namesIn(table) : [`${path}[key]`]
  const [first = path] = names
  return names.find(name => name.endsWith(`[${value}]`)) ?? first
}

function notNested(field: Field, node: string, rule: RuleId): ApiError {
  return refusal(
    field.path,
    `${EXPECTS.nested(exampleOf(field, node))}; got one value${PRINTED_OBJECT.test(node.trim()) ? '; the client turned an object into text' : unsetHint(node)}`,
    { rule }
  )
}

const refusal = (
  param: string,
  expected: string,
  blame: Blame,
  code: ErrorCode = 'parameter_invalid'
) => new ApiError(code, { message: sentence(`${param} ${expected}`), param, ...blame })

type Reason = { assumption?: AssumptionId | undefined; hint?: string }
/** Refuses a value, by the rule of its parameter unless by an assumption. */
const wrong = (
  { path, schema }: Field,
  expected: string,
  text: string,
  { assumption, hint = '' }: Reason = {}
) =>
  refusal(
    path,
    `${expected}${sent(schema, text)}${hint}`,
    assumption ? { assumption } : blameOf(schema)
  )

/** The value for a message; never part of a secret: half a card number would not be masked. */
function sent({ 'x-secret': secret }: Schema, text: string): string {
  if (secret) return ''
  return text.length > 40
    ? `; got ${text.length} characters`
    : `; got ${shownGot(text)}${unsetHint(text)}`
}
