/**
 * Decodes a call's parameters from its table and refuses what the table does not allow: first any unknown parameter, then the table's order (A08).
 * Values are read strictly: an integer is digits, nothing is coerced (A27).
 */
import { ApiError } from '../core/errors.js'
import { FormList, type FormNode, FormObject } from '../core/form.js'
import { FORMATS } from '../core/formats.js'
import { didYouMean, sentence } from '../core/nearest.js'
import type { Settings } from '../core/settings.js'
import type { Trace } from '../core/trace.js'
import type { Metadata, MetadataChange, Schema } from '../reference/parameters.js'
import { RULES, type RuleId } from '../reference/rules.js'

export type Decoding = {
  settings: Settings
  trace: Trace
  /** Told of each parameter that `parameters.unknown = warn` drops. */
  warn: (message: string) => void
}
type Place = {
  /** In the caller's own bracket notation. */
  path: string
  schema: Schema
  required: boolean
}
type Empty = 'absent' | 'unsets'

/** The values of a table's parameters, by name. Errors: `parameter_unknown`, `parameter_not_updatable`, `parameter_missing`, `parameter_invalid`. */
export function decodeParameters(table: Schema, form: FormObject, decoding: Decoding): Record<string, unknown> {
  refuseUnknown(table, form, decoding)
  return new Decoder(decoding, table['x-empty'] === 'unsets' ? 'unsets' : 'absent').object(table, form, '')
}

/** Refuses parameters that the table does not name (A14); `hint` says instead where they belong. */
export function refuseUnknown(table: Schema, form: FormObject, { settings, trace, warn }: Decoding, hint?: string): void {
  const unknown = [...unknownIn(table, form, '')]
  if (unknown.length === 0) return
  trace.assumed('A14')
  const known = namesIn(table, '')
  const messages = unknown.map(param => {
    const inner = known.find(name => name.endsWith(`[${param}]`))
    return `${param} is not a parameter of this call${hint ?? (inner ? `; did you mean ${inner}?` : didYouMean(param, known) || knownList(known))}`
  })
  if (settings['parameters.unknown'] === 'warn') for (const message of messages) warn(message)
  if (settings['parameters.unknown'] !== 'reject') return
  throw new ApiError('parameter_unknown', { message: messages.join(' '), param: unknown[0] as string, assumption: 'A14' })
}

const knownList = (known: string[]) => (known.length > 0 ? `; it takes ${known.join(', ')}.` : '; it takes none.')

function* unknownIn(table: Schema, form: FormObject, path: string): Generator<string> {
  for (const [name, node] of form.parts) {
    const schema = table.properties && Object.hasOwn(table.properties, name) ? table.properties[name] : undefined
    const here = inBrackets(path, name)
    if (schema === undefined) yield leafOf(here, node)
    else if (schema.properties && node instanceof FormObject) yield* unknownIn(schema, node, here)
  }
}

/** The first name under a node as the caller wrote it. */
function leafOf(path: string, node: FormNode): string {
  if (node instanceof FormList) return `${path}[]`
  if (typeof node === 'string') return path
  const [name, part] = [...node.parts][0] as [string, FormNode]
  return leafOf(inBrackets(path, name), part)
}

function namesIn(table: Schema, path: string): string[] {
  return Object.entries(table.properties as Record<string, Schema>).flatMap(([name, schema]) => {
    const here = inBrackets(path, name)
    return schema.properties ? namesIn(schema, here) : [here]
  })
}

const inBrackets = (path: string, name: string) => (path === '' ? name : `${path}[${name}]`)

class Decoder {
  readonly #settings: Settings
  readonly #trace: Trace
  readonly #empty: Empty

  constructor({ settings, trace }: Decoding, empty: Empty) {
    this.#settings = settings
    this.#trace = trace
    this.#empty = empty
  }

  /** The parts of an object that were sent; in an update of a cleared object, null for those that were not. */
  object(schema: Schema, form: FormObject, path: string): Record<string, unknown> {
    const values: Record<string, unknown> = {}
    let isPartial = false
    for (const [name, part] of Object.entries(schema.properties as Record<string, Schema>)) {
      const place: Place = { path: inBrackets(path, name), schema: part, required: schema.required?.includes(name) ?? false }
      const node = form.parts.get(name) ?? (form.cleared && this.#empty === 'unsets' ? '' : undefined)
      const value = node === undefined ? this.#leftOut(place) : this.#value(place, node)
      if (value === undefined) isPartial = true
      else values[name] = value
    }
    if (this.#empty === 'unsets' && isPartial) this.#trace.held('UPD-1')
    return values
  }

  #value(place: Place, node: FormNode): unknown {
    const { schema } = place
    if (schema['x-fixed']) return this.#fixed(place)
    if (schema.additionalProperties && schema.type === 'object') return this.#metadata(place, node)
    if (schema.properties) return this.#nested(place, node)
    if (node === '') return this.#emptied(place)
    if (typeof node !== 'string') this.#refuse(place, `one value was expected, not ${node instanceof FormList ? 'a list' : 'an object'}`, 'FORM-2')
    const value = this.#scalar(place, node as string)
    this.#kept(schema)
    return value
  }

  #leftOut(place: Place): unknown {
    if (!place.required || this.#empty === 'unsets') return undefined
    if (place.schema.properties) return this.object(place.schema, new FormObject(), place.path)
    return this.#missing(place)
  }

  /** An empty value: as if absent, or in an update unset (A16, UPD-2). */
  #emptied(place: Place): null | undefined {
    this.#trace.assumed('A16')
    if (place.schema['x-empty'] === 'refused') this.#refuse(place, 'a value was expected, not an empty one', 'LIST-3')
    if (this.#empty === 'absent') return this.#leftOut(place) as undefined
    if (place.required && this.#settings['parameters.unset_required'] === 'reject') {
      throw new ApiError('parameter_missing', {
        message: `${place.path} is required, so an empty value cannot unset it; leave it out to keep it as it is.`,
        param: place.path,
        assumption: 'A16'
      })
    }
    this.#trace.held('UPD-2')
    return null
  }

  #missing({ path, schema }: Place): never {
    const rule = schema['x-required-by'] ?? schema['x-rule']
    const about = schema.description ? ` ${schema.description}` : ''
    const words = schema.enum ? ` One of ${schema.enum.join(', ')}.` : ''
    throw new ApiError('parameter_missing', { message: `${path} is required.${about}${words}`, param: path, ...(rule && { rule }) })
  }

  /** Named by the reference, but not updatable (A15, REF-9). */
  #fixed({ path, schema }: Place): undefined {
    if (this.#settings['parameters.not_updatable'] === 'ignore') {
      this.#trace.assumed('A15')
      return undefined
    }
    const rule = schema['x-rule'] as RuleId
    throw new ApiError('parameter_not_updatable', { message: `${path} cannot be changed by an update; only metadata can.`, param: path, rule })
  }

  #nested(place: Place, node: FormNode): unknown {
    if (node === '') {
      if (this.#empty === 'absent') return this.#leftOut(place)
      const cleared = new FormObject()
      cleared.cleared = true
      return this.object(place.schema, cleared, place.path)
    }
    if (!(node instanceof FormObject)) {
      const [example] = namesIn(place.schema, place.path)
      this.#refuse(place, `an object was expected, sent as ${example}=…`, 'FORM-2')
    }
    this.#trace.held('FORM-2')
    if (place.schema['x-rule']) this.#trace.held(place.schema['x-rule'])
    const values = this.object(place.schema, node as FormObject, place.path)
    return this.#empty === 'absent' && Object.keys(values).length === 0 ? undefined : values
  }

  /** Metadata: on a create the pairs that have a value, on an update what to set and unset (META-1 to META-3, A17). */
  #metadata(place: Place, node: FormNode): Metadata | MetadataChange | undefined {
    if (node === '') {
      if (this.#empty === 'absent') return undefined
      this.#trace.held('META-3')
      return { cleared: true, entries: {} }
    }
    if (!(node instanceof FormObject)) this.#refuse(place, `key-value pairs were expected, sent as ${place.path}[key]=value`, 'META-1')
    const { parts, cleared } = node as FormObject
    const entries: Record<string, string | null> = Object.create(null)
    for (const [key, value] of parts) {
      if (typeof value !== 'string') {
        const param = leafOf(inBrackets(place.path, key), value)
        throw new ApiError('parameter_invalid', {
          message: `${param}: a metadata value is text; it cannot be nested and cannot be a list.`,
          param,
          assumption: 'A17'
        })
      }
      if (value !== '') entries[key] = value
      else if (this.#empty === 'unsets') {
        entries[key] = null
        this.#trace.held('META-2')
      }
    }
    this.#trace.held('META-1')
    if (this.#empty === 'absent') return entries as Metadata
    if (cleared) this.#trace.held('META-3')
    return { cleared, entries }
  }

  #scalar(place: Place, text: string): unknown {
    const { schema } = place
    if (schema.type === 'integer') return this.#integer(place, text)
    if (schema.type === 'number') {
      const value = Number(text)
      if (!/^-?\d+(\.\d+)?$/.test(text) || Math.abs(value) > Number.MAX_SAFE_INTEGER) this.#refuse(place, `a decimal number was expected${sent(schema, text)}`)
      return value
    }
    if (schema.enum && !schema.enum.includes(text)) {
      const words = schema.enum as string[]
      this.#refuse(place, `one of ${words.join(', ')} was expected${sent(schema, text)}${didYouMean(text, words)}`)
    }
    const format = schema.format === undefined ? undefined : FORMATS[schema.format as keyof typeof FORMATS]
    const problem = format?.problem(text)
    if (problem) this.#refuse(place, `${problem.expected}${sent(schema, text)}`)
    return format?.stored?.(text) ?? text
  }

  #integer(place: Place, text: string): number {
    const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = place.schema
    const value = Number(text)
    if (!(minimum >= 0 ? /^\d+$/ : /^-?\d+$/).test(text)) this.#refuse(place, `a whole number, digits only, was expected${sent(place.schema, text)}`)
    if (value < minimum) this.#refuse(place, `at least ${minimum} was expected${sent(place.schema, text)}`)
    if (value > maximum) this.#refuse(place, `at most ${maximum} was expected${sent(place.schema, text)}`)
    return value
  }

  #kept(schema: Schema): void {
    if (schema['x-required-by']) this.#trace.held(schema['x-required-by'])
    if (schema['x-rule']) this.#trace.held(schema['x-rule'])
    else if (schema['x-assumption']) this.#trace.assumed(schema['x-assumption'])
  }

  #refuse({ path, schema }: Place, expected: string, otherwise?: RuleId): never {
    const own = schema['x-rule']
    const rule = own && RULES[own].violable ? own : schema['x-assumption'] ? undefined : otherwise
    throw new ApiError('parameter_invalid', {
      message: sentence(`${path}: ${expected}`),
      param: path,
      ...(rule ? { rule } : { assumption: schema['x-assumption'] ?? 'A08' })
    })
  }
}

/** The value that was sent, for the message; never a secret one, and never a part of one, since half a card number cannot be told from other digits. */
const sent = ({ 'x-secret': secret }: Schema, text: string) => (secret ? '' : `, not ${text.length > 40 ? `a text of ${text.length} characters` : text}`)
