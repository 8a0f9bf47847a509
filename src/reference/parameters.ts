/**
 * The pieces of the parameter and resource tables. A table is a TypeBox schema, which decoding,
 * types, responses and documents come from. It adds these to JSON Schema's own keywords:
 *
 * - `x-rule`: the rule that a wrong value breaks · `x-required-by`: the rule that requires it,
 *   where that is another one
 * - `x-assumption`: where no rule speaks of the value, the assumption that refuses a wrong one
 * - `x-refers`: the family of the record that a body names, which has to exist · `x-cursor`: names
 *   a record of the list, and is sent under the name at this place of `pagination.cursors` ·
 *   `x-page-size`: bounded by settings
 * - `x-empty`: what an empty value means in the table (`absent`, `unsets`, `refused`), or the
 *   setting that says whether it is refused
 * - `x-required-if`: the parameter and its value that require this one
 * - `x-fixed`: named by the reference for this operation's resource, but not updatable
 * - `x-secret`: used and forgotten, never repeated in an error
 * - `x-derived`: a response field that is computed, so a fixture leaves it out · `x-needed`: a
 *   field that a fixture must give
 */
import type { Static, TObject, TProperties, TSchema } from 'typebox'
import * as Type from 'typebox'
import type { AssumptionId } from './assumptions.js'
import type { Family } from './operations.js'
import { each, keysOf, mapValues, type RuleId } from './rules.js'

export type Note = {
  description?: string
  'x-rule'?: RuleId
  'x-required-by'?: RuleId
  'x-assumption'?: AssumptionId
  'x-refers'?: Family
  'x-cursor'?: 0 | 1
  'x-page-size'?: true
  'x-secret'?: true
  'x-empty'?: 'absent' | 'unsets' | 'refused' | 'refunds.empty_amount'
  'x-required-if'?: readonly [parameter: string, value: string]
  'x-fixed'?: true
  'x-derived'?: true
  'x-needed'?: true
}
/** What each means: `core/formats.ts`. */
export type Format = 'email' | 'country' | 'currency' | 'instant' | 'last4'

export type Schema = Note & {
  type?: string | string[]
  format?: string
  pattern?: string
  enum?: readonly unknown[]
  minimum?: number
  maximum?: number
  maxLength?: number
  default?: unknown
  properties?: Readonly<Record<string, Schema>>
  additionalProperties?: boolean | Schema
  required?: readonly string[]
  items?: Schema
}

export const schemaOf = (table: TSchema): Schema => table as Schema

export const text = (note: Note & { format?: Format; maxLength?: number } = {}) => Type.String(note)
/** The id of a record; an operation that takes one is handed the record. */
export type Reference<F extends Family> = string & { readonly refersTo: F }
export const refersTo = <F extends Family>(note: Note & { 'x-refers': F }) =>
  Type.Unsafe<Reference<F>>({ type: 'string', ...note })
export const word = <T extends string>(words: readonly T[], note: Note = {}) =>
  Type.Unsafe<T>({ type: 'string', enum: [...words], ...note })
export const integer = (note: Note & { minimum?: number; maximum?: number } = {}) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, ...note })
export const nullable = <T extends TSchema>(table: T) => {
  const { type, enum: words } = schemaOf(table)
  return Type.Unsafe<Static<T> | null>({
    ...table,
    type: [type, 'null'],
    ...(words && { enum: [...words, null] })
  })
}
export const closed = <P extends TProperties>(properties: P, note: Note = {}) =>
  Type.Object(properties, { additionalProperties: false, ...note })
export const optional = Type.Optional

/** Metadata as posted with a create and as returned (META-1, A17). */
export const METADATA = Type.Unsafe<Metadata>({
  type: 'object',
  additionalProperties: { type: 'string' },
  'x-rule': 'META-1',
  description: 'Key-value pairs of your own.'
})
export type Metadata = Readonly<Record<string, string>>

/**
 * Metadata as posted with an update: `cleared` when an empty `metadata=` came, then the keys to set
 * or, with null, to unset (META-2, META-3).
 */
export type MetadataChange = { cleared: boolean; entries: Readonly<Record<string, string | null>> }

export const PHONE = 'Phone number.'

const ADDRESS_PARTS = {
  line1: 'Street, PO Box or company name.',
  line2: 'Apartment, suite, unit or building.',
  city: 'City, district, suburb, town or village.',
  postal_code: 'ZIP or postal code.',
  state: 'State, county, province or region.'
} as const
const eachPart = <T extends TSchema>(make: (description: string) => T) =>
  mapValues(ADDRESS_PARTS, make)
export const ADDRESS_NAMES = ['country', ...keysOf(ADDRESS_PARTS)] as const
const COUNTRY = 'Two-letter country code (ISO 3166-1 alpha-2).'

/** Address parameters of a create; the country is required by the given rule (reference §2). */
export const addressParameters = (requiredBy: RuleId) =>
  closed(
    {
      country: text({
        format: 'country',
        'x-rule': 'ADDR-2',
        'x-required-by': requiredBy,
        description: COUNTRY
      }),
      ...eachPart(description => optional(text({ 'x-rule': 'ADDR-1', description })))
    },
    { 'x-rule': 'ADDR-1', 'x-required-by': requiredBy }
  )

/** An address as returned: always its six sub-fields (A04). */
export const ADDRESS = closed(
  {
    country: nullable(text({ format: 'country', description: COUNTRY, 'x-needed': true })),
    ...eachPart(description => nullable(text({ description })))
  },
  {
    description:
      'The address; in a response always with all six sub-fields, null where there is no value.',
    'x-needed': true
  }
)
export type Address = Static<typeof ADDRESS>

/** Every sub-field that was not sent is null (A04). */
export const addressOf = (sent: Partial<Address>): Address => ({ ...NO_ADDRESS, ...sent })
const NO_ADDRESS = each(ADDRESS_NAMES, () => null)

/** The fields of every resource (A04, A05), and its own. */
export const resource = <T extends string, P extends TProperties>(object: T, fields: P) =>
  closed({
    id: text({ 'x-assumption': 'A03', description: 'Resource identifier.' }),
    object: word([object], { description: 'Which resource it is.', 'x-derived': true }),
    created: text({
      format: 'instant',
      'x-assumption': 'A05',
      description: 'Creation time, ISO 8601 in UTC.'
    }),
    ...fields
  })

/** The names of the two cursors, as they are sent (A10). */
export type Cursors = readonly [after: string, before: string]
export const CURSORS: Cursors = ['starting_after', 'ending_before']
export const sentName = (name: string, { 'x-cursor': place }: Schema, cursors: Cursors): string =>
  place === undefined ? name : cursors[place]
const cursor = (place: 0 | 1, verb: string) =>
  optional(
    text({
      'x-assumption': 'A10',
      'x-cursor': place,
      description: `A record id: the page ${verb} it. Not shown in the reference.`
    })
  )
/** Base pagination parameters, accepted by every list (LIST-3, A10). */
export const PAGINATION = {
  limit: optional(
    Type.Integer({
      'x-rule': 'LIST-3',
      'x-page-size': true,
      'x-empty': 'refused',
      description: 'Page size, 1 to 100; 10 by default.'
    })
  ),
  starting_after: cursor(0, 'starts after'),
  ending_before: cursor(1, 'ends before')
}

const instant = (rule: RuleId, description: string) =>
  optional(text({ format: 'instant', 'x-rule': rule, description }))
/** The four created filters (FILT-1 to FILT-4). */
export const CREATED_FILTERS = {
  created: optional(
    closed({
      gte: instant('FILT-1', 'On or after this ISO 8601 instant.'),
      gt: instant('FILT-2', 'After this ISO 8601 instant.'),
      lte: instant('FILT-3', 'On or before this ISO 8601 instant.'),
      lt: instant('FILT-4', 'Before this ISO 8601 instant.')
    })
  )
}

/** A create's or a query's parameter table: an empty value is as if absent (A16). */
export const parameters = <P extends TProperties>(properties: P) =>
  closed(properties, { 'x-empty': 'absent' })
export const NO_PARAMETERS = parameters({})

/** What an update may carry: null unsets a parameter, metadata merges by key. */
export type Changes<T> = {
  [K in keyof T]?: NonNullable<T[K]> extends Metadata
    ? string extends keyof NonNullable<T[K]>
      ? MetadataChange
      : Changes<NonNullable<T[K]>>
    : T[K] | null
}

/** The table of an update: every parameter is optional, an empty value unsets it (UPD-1, UPD-2). */
export const updateOf = <P extends TProperties>(create: TObject<P>) =>
  Type.Unsafe<Changes<Static<TObject<P>>>>({ ...create, 'x-empty': 'unsets' })

export type List<T> = {
  object: 'list'
  url: string
  data: readonly T[]
  has_more: boolean
  first_id: string | null
  last_id: string | null
}

const retrieved = (place: string) =>
  nullable(
    text({
      'x-assumption': 'A09',
      description: `The ${place} record retrieved for the page, before any post-hoc filter.`
    })
  )

/** A list object of a resource (LIST-1, A09). */
export const listOf = <T extends TSchema>(resource: T, note: Note = {}) =>
  Type.Unsafe<List<Static<T>>>({
    ...closed({
      object: word(['list'], { 'x-assumption': 'A09' }),
      url: text({ 'x-assumption': 'A09', description: 'The path of the list.' }),
      data: Type.Array(resource, { 'x-rule': 'LIST-1' }),
      has_more: Type.Boolean({
        'x-rule': 'LIST-2',
        description: 'True when more results can be fetched.'
      }),
      first_id: retrieved('first'),
      last_id: retrieved('last')
    }),
    ...note
  })
