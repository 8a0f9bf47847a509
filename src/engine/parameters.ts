/** Decodes parameters by the operation's table (A08). Nothing is coerced (A27). */
import { ApiError, type ErrorCode } from '../core/errors.js'
import { type FormNode, FormObject, inBrackets } from '../core/form.js'
import { FORMATS } from '../core/formats.js'
import { type Instant, instantProblem, parseInstant } from '../core/instants.js'
import { readDecimal, readInteger } from '../core/money.js'
import { didYouMean, sentence, shownGot, someOf } from '../core/sentences.js'
import type { AssumptionId } from '../reference/assumptions.js'
import { operationOf } from '../reference/operations.js'
import type { Schema } from '../reference/parameters.js'
import { type Caller, inBody, redacted } from './keys.js'
import { positionOf } from './listing.js'
import { NO_WARNINGS, type Routed } from './reading.js'
import { type Blame, EXPECTS, REFUSALS } from './sentences.js'
import type { Field, Table } from './tables.js'

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
      if (field.schema.type !== 'object' || Array.isArray(node)) throw misshapen(field, node)
      if (field.table) unknown.push(...unknownIn(field.table, node, field.path))
    }
  }
  return unknown
}

function misshapen(field: Field, node: string[] | FormObject): ApiError {
  const expected =
    field.schema.type === 'object'
      ? EXPECTS.nested(exampleOf(field))
      : EXPECTS.oneValue(Array.isArray(node) ? 'a list' : 'an object')
  return refusal(leafOf(field.path, node), expected, { assumption: 'A36' }, 'form_malformed')
}

function leafOf(path: string, node: FormNode): string {
  if (Array.isArray(node)) return `${path}[]`
  if (typeof node === 'string') return path
  const [[name, part] = ['', '']] = node
  return leafOf(inBrackets(path, name), part)
}

const namesIn = ({ fields }: Table): string[] =>
  fields.flatMap(({ path, table }) => (table ? namesIn(table) : [path]))

/** Why there is no such parameter, with the nearest that there is. */
function suggestion(param: string, table: Table): string {
  const known = namesIn(table)
  const inner = known.find(name => name.endsWith(`[${param}]`) || name.endsWith(`_${param}`))
  if (known.length === 0) return '; it takes none.'
  return inner
    ? `; did you mean ${inner}?`
    : didYouMean(param, known) || `; it takes ${known.join(', ')}.`
}

const EMPTY_OBJECT = new FormObject()
const CLEARED_OBJECT = Object.assign(new FormObject(), { cleared: true })

/** Decodes a form, and keeps what it has read when a value is refused. */
export class Decoder {
  isUnknown = false
  warnings: readonly string[] = NO_WARNINGS
  /** The record that the form names. */
  record: Routed['record'] = null
  readonly #caller: Caller & Pick<Routed, 'params' | 'operation'>

  constructor(
    private readonly reading: Routed,
    private readonly table: Table,
    private readonly form: FormObject
  ) {
    const { actor, relied, settings, params, operation, world } = reading
    this.#caller = { actor, relied, settings, params, operation, store: world.state.store }
  }

  /** Unknown parameters (A14); `table` is null for the query of a POST. */
  refuseUnknown([param = '', ...others]: readonly string[], table: Table | null): void {
    const { relied, settings, world, authorization } = this.reading
    const problem = table
      ? `is not a parameter of this operation${suggestion(param, table)}`
      : 'belongs in the form-encoded body of a POST.'
    const more = others.length > 0 ? ` Nor is ${someOf(others.map(shownGot))}.` : ''
    const message = `${shownGot(param)} ${problem}${more}`
    this.isUnknown = true
    relied.add('A14')
    if (settings['parameters.unknown'] === 'reject') throw REFUSALS.unknown(message, param)
    if (settings['parameters.unknown'] === 'warn')
      this.warnings = [...this.warnings, redacted(message, world, authorization)]
  }

  /**
   * Parts that were sent; in an update of a cleared object, null for the others. Errors:
   * `parameter_not_updatable`, `parameter_missing`, `parameter_invalid`.
   */
  object({ fields }: Table, form: FormObject): Record<string, unknown> {
    const values: Record<string, unknown> = {}
    for (const field of fields) {
      const node = form.get(field.name) ?? (form.cleared && this.table.unsets ? '' : undefined)
      const value = node === undefined ? this.#leftOut(field) : this.#value(field, node)
      if (value !== undefined) values[field.key] = value
    }
    return values
  }

  #value(field: Field, node: FormNode): unknown {
    const { path, schema, table } = field
    if (schema['x-fixed']) return this.#fixed(field)
    if (node === '') return this.#emptied(field)
    if (schema.type === 'object') {
      if (node instanceof FormObject) return this.#nested(path, table, node)
      const rule = schema['x-rule'] ?? 'FORM-2'
      throw refusal(path, `${EXPECTS.nested(exampleOf(field))}; got one value`, { rule })
    }
    const text = String(node)
    if (text.trim() === '' && this.#isNeeded(field))
      throw refusal(path, EXPECTS.notBlank, { assumption: 'A40' })
    if (schema.type === 'integer') return this.#integer(field, text)
    return schema.type === 'number' ? decimal(field, text) : this.#text(field, text)
  }

  #isNeeded({ required, schema }: Field): boolean {
    const [name, value] = schema['x-required-if'] ?? ['']
    return (
      schema.type === 'string' &&
      !schema.enum &&
      (required || (value !== undefined && this.form.get(name) === value))
    )
  }

  #leftOut({ path, schema, table, required, blame }: Field): unknown {
    if (!required || this.table.unsets) return undefined
    if (table) return this.object(table, EMPTY_OBJECT)
    const about = schema.enum ? `One of ${schema.enum.join(', ')}.` : schema.description
    const { 'x-required-by': rule } = schema
    throw REFUSALS.missing(path, about, rule ? { rule } : blame)
  }

  /** An empty value: as if absent, or in an update unset (A16, UPD-2). */
  #emptied(field: Field): unknown {
    const { path, schema, table, required } = field
    const { settings, relied } = this.#caller
    const { 'x-empty': empty } = schema
    if (empty === 'refused' || (empty === 'refunds.empty_amount' && settings[empty] === 'reject')) {
      throw refusal(path, EXPECTS.notEmpty, { assumption: 'A16' })
    }
    if (!this.table.unsets) {
      relied.add('A16')
      return this.#leftOut(field)
    }
    if (table) return this.object(table, CLEARED_OBJECT)
    if (schema.type === 'object') return { cleared: true, entries: {} }
    if (required && settings['parameters.unset_required'] === 'reject') {
      throw refusal(path, EXPECTS.kept, { assumption: 'A16' }, 'parameter_missing')
    }
    if (required) relied.add('A16')
    return null
  }

  /** Named by the reference, but not updatable (A15, REF-9). */
  #fixed({ path, blame }: Field): undefined {
    const { settings, relied } = this.#caller
    relied.add('A15')
    if (settings['parameters.not_updatable'] === 'reject') throw REFUSALS.fixed(path, blame)
  }

  /** Of metadata pairs that have a value, or what to set and unset (META-1 to META-3, A17). */
  #nested(path: string, table: Table | null, form: FormObject): unknown {
    const { relied } = this.#caller
    const { cleared } = form
    if (cleared) {
      // with an empty whole, an update sets the parts after it
      relied.add('A17')
      if (!this.table.unsets) relied.add('A16')
    }
    if (table !== null) {
      const values = this.object(table, form)
      return !this.table.unsets && Object.keys(values).length === 0 ? undefined : values
    }
    // `__proto__` is a key of metadata like any other
    const entries: Record<string, string | null> = form.has('__proto__') ? Object.create(null) : {}
    for (const [key, value] of form) {
      if (typeof value !== 'string')
        throw refusal(leafOf(inBrackets(path, key), value), EXPECTS.text, { assumption: 'A17' })
      if (value !== '') entries[key] = value
      else if (this.table.unsets) entries[key] = null
      else relied.add('A16')
    }
    return this.table.unsets ? { cleared, entries } : entries
  }

  #text(field: Field, text: string): unknown {
    const { path, schema } = field
    const { 'x-refers': family, 'x-cursor': cursor, maxLength, format } = schema
    if (family) {
      this.record = inBody(this.#caller, family, text, field)
      return this.record
    }
    if (schema.enum && !schema.enum.includes(text))
      throw wrong(field, EXPECTS.oneOf(schema.enum.join(', ')), text)
    if (format === 'instant') return this.#instant(field, text)
    if (format !== undefined) {
      const { problem, stored, reliesOn } = FORMATS[format as keyof typeof FORMATS]
      const flaw = problem(text)
      if (flaw !== null) throw wrong(field, flaw.expected, text, flaw.assumption)
      const assumption = reliesOn?.(text)
      if (assumption) this.#caller.relied.add(assumption)
      return stored?.(text) ?? text
    }
    if (maxLength !== undefined && text.length > maxLength)
      throw wrong(field, EXPECTS.shorter(maxLength), text, 'A35')
    if (cursor !== undefined) this.#checkCursor(path, text)
    return text
  }

  #instant(field: Field, text: string): Instant {
    const instant = parseInstant(text)
    if (instant === null) {
      const { expected, assumption } = instantProblem(text)
      throw wrong(field, expected, text, assumption)
    }
    if (instant.usesA38) this.#caller.relied.add('A38')
    return instant
  }

  /** Errors: for a cursor that names no record of the list, or comes with another (A10). */
  #checkCursor(param: string, id: string): void {
    const { settings, operation } = this.#caller
    const [after, before] = settings['pagination.cursors']
    if (param === before && this.form.get(after)) throw REFUSALS.twoCursors(after, before)
    positionOf(this.#caller, operationOf(operation).family, param, id)
  }

  /** Of sub-units, or a page size, which settings bound (LIST-3, A10, A27). */
  #integer(field: Field, text: string): number {
    const { 'x-page-size': isPage, minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = field.schema
    const { settings, relied } = this.#caller
    const { value, problem } = readInteger(text)
    if (problem === 'not_an_integer') throw wrong(field, EXPECTS.whole, text)
    const [least, most] = isPage ? [1, settings['pagination.max_limit']] : [minimum, maximum]
    if (problem === null && value >= least && value <= most) return value
    if (isPage && settings['pagination.out_of_range'] === 'clamp') {
      relied.add('A10')
      return Math.min(Math.max(value, least), most)
    }
    if (isPage) throw wrong(field, EXPECTS.between(least, most), text, 'A10')
    if (value > most) throw wrong(field, EXPECTS.atMost(most), text, 'A27')
    throw wrong(field, EXPECTS.atLeast(least), text, least > 0 ? undefined : 'A27')
  }
}

function decimal(field: Field, text: string): number {
  const { value, problem } = readDecimal(text)
  if (problem === null) return value
  throw wrong(field, problem === 'inexact' ? EXPECTS.exact : EXPECTS.decimal, text)
}

/** A nested name to send instead. */
const exampleOf = ({ path, table }: Field) => table?.fields[0]?.path ?? `${path}[key]`

const refusal = (
  param: string,
  expected: string,
  blame: Blame,
  code: ErrorCode = 'parameter_invalid'
) => new ApiError(code, { message: sentence(`${param} ${expected}`), param, ...blame })

/** Refuses a value, by the rule of its parameter unless by an assumption. */
const wrong = (
  { path, schema, blame }: Field,
  expected: string,
  text: string,
  assumption?: AssumptionId
) => refusal(path, `${expected}${sent(schema, text)}`, assumption ? { assumption } : blame)

/** The value for a message; never part of a secret: half a card number would not be masked. */
function sent({ 'x-secret': secret }: Schema, text: string): string {
  if (secret) return ''
  return `; got ${text.length > 40 ? `${text.length} characters` : shownGot(text)}`
}
