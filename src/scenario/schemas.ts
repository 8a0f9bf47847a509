/**
 * The parts of documents, each stated once: checks, types and the JSON Schemas that editors read
 * come from its schema. Besides JSON Schema's own words and the notes of the resource tables it uses:
 *
 * - `x-expected`: how a right text is described, with `x-instead`, the characters of a wrong one
 *   that may stay · `x-many`: the kind of a long list of words
 * - `x-elsewhere`: the parts that unknown names go under · `x-duration`: a length of time
 * - `x-meant`: what to write for other names · `x-single`: the name that a value belongs under
 *   where it is written for the whole
 * - `x-advice`: advice for a value of another type
 * - `x-published`: the schema that is published in its place · `x-name`: the name of its type in
 *   clients
 */
import type { Static, TInteger, TProperties, TSchema, TUnsafe } from 'typebox'
import * as Type from 'typebox'
import { checkerOf } from '../core/checking.js'
import { NOT_BLANK } from '../core/formats.js'
import { RETIRED_NAMES } from '../core/retired.js'
import { SETTINGS, settingsSchema } from '../core/settings.js'
import { type Family, OPERATION_NAMES, RESOURCE_NAMES } from '../reference/operations.js'
import { type Schema, schemaOf } from '../reference/parameters.js'
import { PAYMENT_TYPES, type PaymentType } from '../reference/payment-methods.js'
import { RESOURCES, TABLES, type Tables } from '../reference/tables.js'

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json }
type Given<P extends TProperties, R> = {
  [K in keyof P as K extends R ? K : never]: Static<P[K]>
} & {
  [K in keyof P as K extends R ? never : K]?: Static<P[K]>
}

/** A schema of values of a type. */
const of = <T>(schema: object) => schema as TUnsafe<T>
/** An object without other names; `name` is its type in clients. */
const closed = <P extends TProperties, R extends keyof P>(
  description: string,
  required: readonly R[],
  properties: P,
  name?: string
) => {
  const schema = {
    type: 'object',
    additionalProperties: false,
    ...(required.length > 0 && { required }),
    properties,
    ...(description && { description })
  }
  return { ...schema, ...(name && { 'x-name': name }) } as unknown as TUnsafe<Given<P, R>> & {
    properties: P
  }
}
/** An object whose values are all of one schema. */
const named = <T>(values: TUnsafe<T>, description?: string) =>
  of<Readonly<Record<string, T>>>({ type: 'object', additionalProperties: values, description })
const listOf = <T extends TSchema>(items: T, description?: string, note?: object) =>
  of<readonly Static<T>[]>({ type: 'array', ...note, items, description })
const someOf = <T extends TSchema>(items: T, description?: string) =>
  listOf(items, description, { minItems: 1, maxItems: MAX_ITEMS })
const wordOf = <T>(words: readonly T[], description?: string) =>
  of<T>({ type: 'string', enum: words, description })
const MAX_ITEMS = 1000
const either = <A extends TSchema, B extends TSchema>(
  type: string,
  then: A,
  otherwise: B,
  description: string
) =>
  of<Static<A> | Static<B>>({
    description,
    ...Object.fromEntries(Object.entries({ if: { type }, then, else: otherwise }))
  })
const allAs = <N extends string, T>(names: readonly N[], same: T) =>
  Object.fromEntries(names.map(name => [name, same])) as { [name in N]: T }
/** A definition of the published schemas. */
export const referTo = (name: string) => ({ $ref: `#/$defs/${name}` })

const letters = (most: number, what: string) => ({
  pattern: `^[A-Za-z0-9_-]{1,${most}}$`,
  'x-expected': `${what} of 1 to ${most} letters, digits, _ and -`,
  'x-instead': '[A-Za-z0-9_-]+'
})
/** The id of a record, as a fixture may give it. */
export const ID = /^[A-Za-z0-9_-]{1,128}$/
const RECORD_ID = Type.String({
  ...letters(128, 'an id'),
  description: 'Letters, digits, _ and -.'
})
const KEY = Type.String({
  pattern: '^[\\x21-\\x39\\x3B-\\x7E]{1,255}$',
  description: 'Printable, without spaces and without a colon.'
})
const NAME = Type.String({ minLength: 1 })
const INSTANT = Type.String({ format: 'instant', 'x-published': referTo('instant') })
const DURATION = Type.String({
  format: 'duration',
  'x-duration': true,
  'x-published': referTo('duration'),
  description: 'A duration, such as 250ms, 2s, 36h, 7d or PT36H.'
})
const COUNT = Type.Integer({ minimum: 0, maximum: 1_000_000 })
const SHARE = Type.Number({ minimum: 0, maximum: 1 })
const HEADERS = named(Type.Unsafe<string>({ type: 'string' }))

/** Without derived fields; what is not needed may be left out or null. */
function recordSchema({ properties = {} }: Schema, more: object = {}): Schema {
  const given = Object.entries(properties).filter(([, schema]) => !schema['x-derived'])
  const schemas = given.map(([name, schema]): [string, Schema] => {
    const { type, description } = schema
    const part = schema.properties
      ? { ...recordSchema(schema), ...(type && { type }), ...(description && { description }) }
      : schema
    return [name, schema['x-needed'] ? notBlank(part) : orNull(part)]
  })
  const required = given.filter(([, schema]) => schema['x-needed']).map(([name]) => name)
  return {
    type: 'object',
    additionalProperties: false,
    properties: { ...Object.fromEntries(schemas), ...more },
    required
  }
}

/** A text that has to be given is not of white space alone (A40). */
const notBlank = (schema: Schema): Schema =>
  [schema.type].flat().includes('string') && !schema.format && !schema.enum
    ? { ...schema, pattern: NOT_BLANK }
    : schema

const orNull = (schema: Schema): Schema => ({
  ...schema,
  type: [...new Set([schema.type as string | string[], 'null'].flat())],
  ...(schema.enum && { enum: [...new Set([...schema.enum, null])] })
})

/** The name of a resource in a sentence. */
export const withArticle = (name: string): string => `${name.startsWith('A') ? 'An' : 'A'} ${name}`

/** By family, as a fixture gives them. */
export function recordSchemas(): Readonly<Record<string, Schema>> {
  const more = {
    id: RECORD_ID,
    extra: { type: 'object', description: 'Further fields, returned as they are.' }
  }
  const families = Object.entries(RESOURCES).map(([family, resource]) => {
    const name = RESOURCE_NAMES[family as Family]
    return [
      family,
      {
        ...recordSchema(resource, more),
        description: `${withArticle(name)} as a fixture gives it.`,
        'x-name': `${name}Fixture`
      }
    ]
  })
  return Object.fromEntries(families)
}

/** `isNamed`: the published schema refers to that of a record. */
function recordLists(isNamed = false) {
  const lists = Object.entries(recordSchemas()).map(([family, record]) => {
    const published = isNamed && { 'x-published': referTo(family) }
    return [
      family,
      listOf({ ...record, ...published } as TSchema, `${RESOURCE_NAMES[family as Family]}s.`)
    ]
  })
  return Object.fromEntries(lists)
}

export function fixtureSchema(isNamed = false): Schema {
  const key = closed(
    'An API key, and the Account that it acts as.',
    ['key', 'account'],
    { key: KEY, account: RECORD_ID },
    'ApiKey'
  )
  return closed('', [], {
    api_keys: listOf(key, 'API keys, each bound to one Account.'),
    ...recordLists(isNamed),
    deleted_users: listOf(
      closed('A User that was deleted.', ['id', 'account', 'created'], {
        id: RECORD_ID,
        account: RECORD_ID,
        created: INSTANT,
        after: { ...COUNT, description: 'How many of the Users listed come before it.' }
      }),
      'Users that were deleted: lists still go on from their ids.'
    )
  })
}

/** For messages; `others` are patterns, checked when compiled. */
export const OPERATION = {
  what: 'an operation',
  advice:
    'an operation is written as a method and a path, such as POST /refunds; * stands for any text, as in GET * and * /refunds',
  others: '[*]'
}
const ONE = {
  ...wordOf<string>(
    ['*', ...OPERATION_NAMES],
    'A method and a path of the reference; * stands for any text.'
  ),
  'x-many': OPERATION,
  'x-published': referTo('operation')
}
const ON = {
  ...either(
    'array',
    someOf(ONE),
    ONE,
    'One operation, a list of them, or a pattern: * is any, GET * any that reads, * /refunds any at this path.'
  ),
  'x-published': referTo('on')
}
export type On = Static<typeof ON>

export type Scalar = string | number | boolean
/** Conditions that must all hold. `not` also holds for a value that was not sent. */
export type Conditions = {
  gt?: Scalar
  gte?: Scalar
  lt?: Scalar
  lte?: Scalar
  not?: Wanted
  present?: boolean
}
/** Null, of a field of a record alone, is no value. */
export type Wanted = Scalar | null | readonly (Scalar | null)[] | Conditions
/** Names to values, lists, `/regular expressions/` or conditions, nested or in brackets. */
export type Names = { readonly [name: string]: Wanted | Names }
const SCALARS = ['string', 'number', 'boolean'] as const
const SCALAR = of<Scalar>({ type: SCALARS })
/** With further names below to a depth; a field of a record can be null. */
const wanted = (depth: number, scalars: readonly string[] = SCALARS): TUnsafe<Wanted> =>
  of({
    type: [...scalars, 'array', ...(depth > 0 ? ['object'] : [])],
    items: { type: scalars },
    maxItems: MAX_ITEMS,
    ...(depth > 0 && { additionalProperties: wanted(depth - 1, scalars) }),
    'x-published': referTo(scalars === SCALARS ? 'wanted' : 'field'),
    description:
      'A value, a list of values, /a regular expression/, conditions (gt, gte, lt, lte, not, present), or nested names.',
    'x-name': scalars === SCALARS ? 'MatchValue' : 'FieldValue'
  })
const NAMES = of<Names>(named(wanted(4)))
const WANTED_ID = wanted(1)
/** Found through the records that a request names. */
export const ABOUT = ['location', 'ticket', 'transaction', 'account'] as const
const namesIn = (table: 'querystring' | 'body') =>
  Object.values(TABLES as Readonly<Record<string, Tables>>).flatMap(({ [table]: schema }) =>
    Object.keys((schema && schemaOf(schema).properties) ?? {})
  )
const MATCHED = {
  params: { ...NAMES, description: 'Path parameters.' },
  query: { ...NAMES, description: 'Parameters of the query.' },
  body: { ...NAMES, description: 'Parameters of the body.' },
  headers: {
    ...NAMES,
    description:
      'Headers, their names in any case. The journal keeps User-Agent and the header of the test only.'
  },
  key: { ...WANTED_ID, description: 'The API key.' },
  about: {
    'x-single': 'ticket',
    ...closed(
      'The records that the request is about, found through the records that it names: for example the Location of its Ticket.',
      [],
      allAs(ABOUT, WANTED_ID)
    )
  }
}
const PER = [...ABOUT, 'key', 'test'] as const
export type Per = (typeof PER)[number]
const BY_ACCOUNT = { account: { ...WANTED_ID, description: 'The Account of the key.' } }
const ELSEWHERE = {
  'x-elsewhere': {
    ...allAs(namesIn('querystring'), 'query'),
    ...allAs(namesIn('body'), 'body'),
    ...allAs(ABOUT, 'about'),
    id: 'params'
  }
}
/** In the journal the Account of the key can be matched too. */
function matchSchema<P extends TProperties>(more: P) {
  const whole = closed(
    'What the request must contain; left out: every request of the operation.',
    [],
    { ...MATCHED, ...more },
    'Match'
  )
  return {
    ...whole,
    ...ELSEWHERE,
    'x-meant': RETIRED_NAMES.match,
    'x-published': referTo('match')
  }
}
const MATCH = matchSchema({})
/** The value of `match`. */
export type MatchData = Static<ReturnType<typeof matchSchema<typeof BY_ACCOUNT>>>

export const FAULTS = [
  'connection_reset',
  'empty_response',
  'truncated_body',
  'malformed_body',
  'hang'
] as const
export type Fault = (typeof FAULTS)[number]
/** As they came, or the last one first. */
export const RELEASES = ['in_order', 'reverse'] as const
export type Release = (typeof RELEASES)[number]

const HOLD = {
  ...closed(
    'Makes requests wait until a number of them wait, or until a control request opens a gate.',
    [],
    {
      until: Type.Integer({
        minimum: 2,
        maximum: 1000,
        description:
          'How many requests must wait before they go on together; later ones wait for as many again.'
      }),
      gate: Type.String({
        ...letters(64, 'a name'),
        description: 'The name by which a control request opens it.'
      }),
      release: {
        ...wordOf(
          RELEASES,
          'The order in which requests go on: in order of arrival, or in reverse.'
        ),
        default: 'in_order'
      },
      for: { ...DURATION, description: 'The maximum time that a request waits.' }
    }
  ),
  'x-meant': RETIRED_NAMES.hold
}
export type Hold = Static<typeof HOLD>
const ERROR = {
  type: { ...NAME, description: 'The type of the error.' },
  code: { ...NAME, description: 'The code of the error.' },
  message: Type.String({ description: 'The text of the error.' }),
  param: { ...NAME, description: 'The parameter to blame, in bracket notation.' }
}
const RESPOND_PARTS = closed('Responds instead of the operation, or changes its response.', [], {
  status: Type.Integer({
    minimum: 200,
    maximum: 599,
    description:
      'The status of the response; left out: 200, or 400 with an error; with patch, the status of the operation.'
  }),
  headers: { ...HEADERS, description: 'Further headers.' },
  body: of<unknown>({ description: 'Any JSON; text is sent as it is.' }),
  patch: of<object>({
    type: 'object',
    description:
      'A JSON Merge Patch of the response: the operation runs, and if it succeeds, its response is changed.'
  }),
  error: {
    'x-single': 'code',
    ...closed(
      'An error in the shape of the service; parts that are left out have a default for each status.',
      [],
      ERROR
    )
  },
  retry_after: { ...DURATION, description: 'Writes the Retry-After header, in whole seconds.' }
})
const RESPOND = { ...RESPOND_PARTS, 'x-elsewhere': allAs(Object.keys(ERROR), 'error') }
export type Respond = Static<typeof RESPOND>
const OF_DATA = allAs(['api_keys', ...Object.keys(RESOURCES)], 'data')
const CHANGE = {
  ...closed('Changes records when the entry is applied: all of it, or nothing.', [], {
    data: of<Record<string, unknown>>({
      ...closed('', [], recordLists(true)),
      description: 'Records as in a fixture; each replaces the one with the same id.'
    }),
    delete: someOf(RECORD_ID, 'Ids of records to delete, before those under data are made.')
  }),
  'x-elsewhere': OF_DATA
}
export type ChangeData = Static<typeof CHANGE>
const DELAY = {
  'x-meant': { to: 'max', ...RETIRED_NAMES.delay },
  ...closed('', ['min', 'max'], {
    min: { ...DURATION, description: 'The shortest delay that can be drawn.' },
    max: { ...DURATION, description: 'The longest delay that can be drawn.' }
  })
}
const ENDED = closed('', ['ended'], {
  ended: {
    ...NAME,
    description: 'The name of the entry that must have ended, by its calls, for or until.'
  }
})
const countsAs = (name: string) =>
  of<number | string>({
    type: ['integer', 'string'],
    minimum: 0,
    'x-published': referTo(name)
  })
const WHEN = wordOf(
  ['before', 'after'] as const,
  'Of a fault or a response, before: instead of the operation; after: the operation takes effect first. Of a change: before or after the operation.'
)

const ENTRY = {
  ...closed('What the emulator does differently for some requests.', ['on'], {
    name: { ...NAME, description: 'The name of the entry in lists and reports.' },
    on: ON,
    match: MATCH,
    calls: {
      ...countsAs('calls'),
      description: 'Which of the matching requests: 0, 1, 2-3, 4+ or every 7; left out: all.'
    },
    per: wordOf(
      PER,
      'Counts separately for each Ticket (and so on), key or test of the requests; calls, chance and for go by these counts.'
    ),
    chance: {
      ...SHARE,
      default: 1,
      description: 'The share of these requests that the entry is applied to, drawn from the seed.'
    },
    from: {
      ...INSTANT,
      description: "The instant of the sandbox's clock from which requests match."
    },
    until: {
      ...INSTANT,
      description: "The instant of the sandbox's clock at which requests stop matching."
    },
    after: either(
      'object',
      ENDED,
      NAME,
      'The name of another entry: applies only once that was first applied; or { ended: NAME }, once that can no longer apply.'
    ),
    for: {
      ...DURATION,
      description:
        "How long the entry is applied, from the first request that it is applied to, by the sandbox's clock."
    },
    hold: { ...HOLD, 'x-single': 'until', 'x-published': referTo('hold') },
    delay: either(
      'object',
      DELAY,
      DURATION,
      'Waits first: a duration, or min and max, between which it is drawn from the seed.'
    ),
    respond: { ...RESPOND, 'x-single': 'status', 'x-published': referTo('respond') },
    change: { ...CHANGE, 'x-published': referTo('change') },
    stale: {
      ...DURATION,
      description: "Reads records as they were this long ago, by the sandbox's clock."
    },
    fault: wordOf(FAULTS, 'Loses the response.'),
    when: { ...WHEN, default: 'before' }
  }),
  'x-elsewhere': {
    ...allAs(Object.keys(MATCH.properties), 'match'),
    ...allAs(['status', 'headers', 'patch', 'error', 'retry_after'], 'respond')
  },
  'x-meant': {
    between: 'from and until',
    times: 'calls',
    wait: 'delay',
    ...RETIRED_NAMES.entry
  },
  'x-name': 'ScriptEntry'
}
export type EntryData = Static<typeof ENTRY>
export const entrySchema = () => of<EntryData>({ ...ENTRY, 'x-published': referTo('entry') })

export const GENERATED_FAMILIES = [
  'accounts',
  'users',
  'locations',
  'tickets',
  'transactions'
] as const
const WEIGHT = {
  ...of<number>({
    type: 'number',
    minimum: 0,
    description: 'How often, compared with the others; 0 for never.'
  }),
  'x-published': referTo('weight')
}
const CREATED = closed(
  'The period of their creation times, spread evenly over it.',
  ['from', 'to'],
  {
    from: { ...INSTANT, description: 'The earliest.' },
    to: { ...INSTANT, description: 'The latest.' }
  }
)
const GENERATE = closed('Records of one family to generate from the seed.', [], {
  ...allAs(GENERATED_FAMILIES, { ...COUNT, description: 'How many to generate.' }),
  account: { ...RECORD_ID, description: 'The Account that they belong to.' },
  location: either(
    'object',
    named(WEIGHT),
    { ...RECORD_ID, 'x-advice': 'write several with their weights: { loc_a: 3, loc_b: 1 }' },
    'The Location that they are at, or Locations with their weights.'
  ),
  created: {
    ...CREATED,
    'x-advice': 'write { from: 2025-01-01, to: 2025-12-31 }',
    'x-meant': RETIRED_NAMES.created
  },
  payment_types: either(
    'object',
    closed('', [], allAs(PAYMENT_TYPES, WEIGHT)),
    someOf(wordOf<PaymentType>(PAYMENT_TYPES)),
    'The payment types of the Transactions, or their weights.'
  ),
  amount: {
    ...closed(
      'The bill before the tip, in sub-units; 350 to 12000 when left out.',
      ['min', 'max'],
      {
        min: Type.Integer({ minimum: 1, description: 'The smallest.' }),
        max: Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'The largest.' })
      }
    ),
    'x-advice': 'write { min: 450, max: 18000 }',
    'x-meant': RETIRED_NAMES.amount
  },
  refunded: {
    ...SHARE,
    description:
      'The share of the Transactions that get one Refund, whole or in part; beside partly_refunded, whole.'
  },
  partly_refunded: { ...SHARE, description: 'The share that get one Refund of a part.' },
  payments_per_ticket: {
    ...countsAs('per_ticket'),
    minimum: 1,
    description: 'How many of the Transactions each paid Ticket gets: 2 or 1-3.'
  }
})
export type GenerateData = Static<typeof GENERATE>

const STATUS = of<number | string>({
  type: ['integer', 'string'],
  'x-published': referTo('status'),
  description: 'A status, or a class such as 2xx.'
})
const STATUSES = of<number | string | readonly (number | string)[]>({
  type: ['integer', 'string', 'array'],
  minItems: 1,
  items: STATUS,
  'x-published': { anyOf: [referTo('status'), { type: 'array', items: referTo('status') }] }
})
/** `402`, `2xx` for any of them, or a list of such. */
export type Statuses = Static<typeof STATUSES>

const OBJECT = of<Record<string, Json>>({ type: 'object' })
const callOf = <E extends TProperties, M extends TProperties>(expected: E, more: M) => ({
  as: {
    ...NAME,
    description: 'The name by which later steps refer to its response: ${name.field}.'
  },
  do: {
    ...NAME,
    description:
      'A method and a path, such as POST /transactions or GET /transactions/${payment.id}.'
  },
  key: { ...NAME, description: "An API key; the first merchant's when left out." },
  query: { ...OBJECT, description: 'Parameters of the query.' },
  body: { ...OBJECT, description: 'Parameters of the body.' },
  expect: {
    'x-single': 'status',
    ...closed('What the response must be; left out: a success.', [], {
      status: {
        ...STATUSES,
        minimum: 100,
        maximum: 599,
        description:
          'The status of the response, a class such as 2xx, or a list; 2xx when left out.'
      },
      body: of<Json>({
        description:
          'What the response must contain: values, or the conditions of match; names that are left out are not compared.'
      }),
      ...expected
    })
  },
  ...more
})
const OF_CALLS = {
  'x-elsewhere': {
    ...allAs(['status', 'fault'], 'expect'),
    ...allAs(['transaction', 'ticket', 'amount', 'payment_type'], 'body')
  },
  'x-meant': { on: 'do', request: 'do' },
  'x-single': 'do'
}
const STEP = {
  ...closed(
    'A request that is sent through the API when the scenario loads.',
    ['do'],
    callOf({}, {}),
    'Step'
  ),
  ...OF_CALLS
}
const PLAYED = callOf(
  {
    headers: {
      ...HEADERS,
      description: 'Headers that the response must have, such as Retry-After.'
    },
    fault: wordOf(FAULTS, 'How the response is lost.')
  },
  { headers: { ...HEADERS, description: 'Headers of the request, such as User-Agent.' } }
)
const AT_ONCE = {
  ...closed('One of several requests that are sent at once.', ['do'], PLAYED, 'PlayedCall'),
  ...OF_CALLS
}
const PLAYS = closed('A request that `check` sends as a client would, or several at once.', [], {
  ...PLAYED,
  repeat: Type.Integer({
    minimum: 1,
    maximum: 1000,
    default: 1,
    description: 'How often the request is sent, one after the other.'
  }),
  at_once: someOf(AT_ONCE, 'Requests that are sent together, each over its own connection.'),
  wait: {
    ...DURATION,
    description: "Moves the sandbox's clock forward by this much; `check` itself does not wait."
  }
})
type Play = Required<Static<typeof PLAYS>>
/** Only a play repeats one, and looks at headers and faults. */
export type StepData = Static<typeof AT_ONCE> & Partial<Pick<Play, 'repeat'>>
/** One request after the other, or several at once; or time that passes. */
export type PlayData = StepData | Pick<Play, 'at_once'> | Pick<Play, 'wait'>

/** Below a field that refers to another record those of that, through the longest chain. */
const FIELD_VALUES = of<Names>(named(wanted(8, [...SCALARS, 'null'])))
const quantity = (number: TInteger, description: string) =>
  either(
    'object',
    closed(
      '',
      [],
      allAs(['gt', 'gte', 'lt', 'lte', 'not'] as const, { ...number, description: 'A condition.' })
    ),
    { ...number, 'x-advice': 'or write conditions, such as { gte: 1 }' },
    description
  )
const QUANTITIES = {
  where: {
    ...FIELD_VALUES,
    description: 'Looks only at records with these values; without it, at all of the family.'
  },
  count: quantity(
    COUNT,
    'How many there must be: a number, or conditions (gt, gte, lt, lte, not).'
  ),
  sum: named(
    quantity(Type.Integer(), 'The sum: a whole number, or conditions.'),
    'The sums of fields, such as { amount: 500 }.'
  ),
  every: { ...FIELD_VALUES, description: 'Every record must have these values.' }
}
/** Expectations of all records of a family, or of those that `where` names. */
export type Quantities = { [K in keyof typeof QUANTITIES]?: Static<(typeof QUANTITIES)[K]> }
export type Quantity = NonNullable<Quantities['count']>
/** The names of a family's state that are not ids. */
export const STATE_WORDS: readonly string[] = Object.keys(QUANTITIES)
export const STATE_NAMES = `a name here is the id of a record, or one of ${STATE_WORDS.join(', ')}`
/** By id, null for one that must not exist, and expectations of all of them. */
type FamilyState = {
  readonly [id: string]: Names | Quantities[keyof Quantities] | null
} & Quantities
const FAMILY_STATE = of<FamilyState>({
  'x-name': 'ExpectedRecords',
  'x-single': 'count',
  'x-meant': RETIRED_NAMES.state,
  description:
    'Records of a family by id, with the values that they must have, and expectations of all of them.',
  type: 'object',
  properties: QUANTITIES,
  additionalProperties: { ...FIELD_VALUES, type: ['object', 'null'], 'x-advice': STATE_NAMES }
})
const STATE = closed(
  'Records by family and id, with the values that they must have at the end; null for one that must not exist.',
  [],
  allAs(Object.keys(RESOURCES) as Family[], { ...FAMILY_STATE, 'x-published': referTo('records') })
)
/** Names that are left out are not compared. */
export type StateData = Static<typeof STATE>

const PAUSE = (when: string) =>
  `How long after the response to the request before it each must come ${when}, by the sandbox's clock.`

/**
 * Requests and how often they come, requests in order, or records; with `account`, that of the key
 * can be matched.
 */
export function expectationSchema({ account = false } = {}) {
  const match = account ? matchSchema(BY_ACCOUNT) : MATCH
  const calls = {
    on: ON,
    match: match as TUnsafe<MatchData>,
    took_effect: Type.Boolean({ description: 'Whether the request changed records.' }),
    status: { ...STATUSES, description: 'The status of the response that the client got.' },
    answered: Type.Boolean({ description: 'Whether the client got a response.' }),
    response: {
      ...FIELD_VALUES,
      description: 'Fields of the body of the response that the client got.'
    },
    no_sooner_than: { ...DURATION, description: PAUSE('at the earliest') },
    no_later_than: { ...DURATION, description: PAUSE('at the latest') }
  }
  const words = closed(
    'Requests and how often they come, requests in order, or records at the end.',
    [],
    {
      ...calls,
      times: {
        ...countsAs('times'),
        description: 'How many requests: 0, 1, 2-3 or 4+; left out: 1+.'
      },
      sequence: listOf(
        { 'x-single': 'on', ...closed('A request of a sequence.', ['on'], calls, 'ExpectedCall') },
        'Requests in this order, and no others of their operations.',
        { minItems: 1 }
      ),
      others: Type.Boolean({
        description: 'Whether other requests of the operations of a sequence may come in between.'
      }),
      per: wordOf(
        PER,
        'It must hold separately for each Ticket (and so on), key or test of these requests.'
      ),
      state: STATE
    }
  )
  return {
    ...words,
    'x-elsewhere': allAs([...Object.keys(RESOURCES), 'where', 'sum'], 'state'),
    'x-meant': { count: 'times', ...RETIRED_NAMES.calls, ...RETIRED_NAMES.sequence }
  }
}
type Expected = Required<Static<ReturnType<typeof expectationSchema>>>
/** `took_effect`, `status` and `answered` are known when a request has ended. */
export type CallsData = Expected['sequence'][number]
/** How often requests must come, in all or for each value. */
export type CountData = CallsData & Partial<Pick<Expected, 'times' | 'per'>>
/** Requests in order, in all or for each value. */
export type SequenceData = Pick<Expected, 'sequence'> & Partial<Pick<Expected, 'per' | 'others'>>
/** An expectation as a document writes it. */
export type ExpectationData = CountData | SequenceData | Pick<Expected, 'state'>

const CLOCK = closed('', ['now'], {
  now: { ...INSTANT, description: 'The time at which the clock starts.' },
  running: Type.Boolean({ description: 'Whether it runs from there; true when left out.' })
})
const VARS = named(
  SCALAR,
  'Variables with their defaults: text, a number, or true or false. The value replaces ${vars.NAME} in any text.'
)
const DATA =
  'Records and API keys, as in a fixture; each replaces the whole record of the fixtures with the same id.'
/** Whether a scenario can give this setting. */
export const isOfScenarios = (key: keyof typeof SETTINGS) =>
  SETTINGS[key].scope === 'sandbox' && key !== 'seed'

/** The parts of a scenario that groups of other files can add to. */
const sharedParts = () => ({
  data: of<Record<string, unknown>>({ ...fixtureSchema(true), description: DATA }),
  generate: listOf(
    { ...GENERATE, 'x-meant': RETIRED_NAMES.generate, 'x-name': 'Generate' },
    'Records to generate from the seed, after data.'
  ),
  script: listOf(
    entrySchema(),
    'What the emulator does differently; if several entries apply to a request, the first is used.'
  ),
  steps: listOf(STEP, 'Requests that are sent through the API when the scenario loads.'),
  play: listOf(
    of<PlayData>({ ...PLAYS, ...OF_CALLS, 'x-name': 'Play' }),
    'Requests that `check` sends as a client would, after the steps: scripted, journaled and counted.'
  ),
  expect: listOf(
    of<ExpectationData>({ ...expectationSchema(), 'x-name': 'Expectation' }),
    'What the client must do, and what the records must be at the end.'
  )
})
export type SharedParts = {
  [K in keyof ReturnType<typeof sharedParts>]?: Static<ReturnType<typeof sharedParts>[K]>
}

export const sharedScriptSchema = () =>
  closed('', ['groups'], {
    description: Type.String({ description: 'What the groups are for, in a sentence.' }),
    vars: VARS,
    groups: named(
      either(
        'array',
        listOf(entrySchema(), undefined, { minItems: 1 }),
        { ...closed('', [], sharedParts()), 'x-elsewhere': OF_DATA },
        'A list of script entries, or an object with any of data, generate, script, steps, play and expect.'
      ),
      'Groups by their names; a scenario includes a group with use: [FILE#GROUP].'
    )
  })

export const scenarioSchema = () => ({
  ...closed('', [], {
    name: { ...NAME, description: 'The name of the scenario; its file name when left out.' },
    description: Type.String({ description: 'What the scenario is for, in a sentence.' }),
    fixtures: listOf(
      NAME,
      'Names, or paths relative to this file; they are merged in order, and the last record with an id counts.'
    ),
    seed: { ...SETTINGS.seed.schema, description: SETTINGS.seed.about },
    clock: either(
      'object',
      CLOCK,
      INSTANT,
      "An instant at which the clock is frozen, or { now, running }; left out: the machine's clock."
    ),
    settings: of<object>({
      ...settingsSchema(isOfScenarios),
      description: 'Settings of the sandbox.'
    }),
    vars: VARS,
    use: listOf(
      { ...NAME, 'x-advice': RETIRED_NAMES.use },
      'Groups of other files, such as outages.yaml#brief-outage.'
    ),
    ...sharedParts()
  }),
  'x-elsewhere': OF_DATA
})
export type ScenarioData = Static<ReturnType<typeof scenarioSchema>>

/** The parts that are published once, by the names that others refer to them by. */
export const publishedParts = (): Readonly<Record<string, object>> => ({
  ...{
    change: CHANGE,
    entry: ENTRY,
    hold: HOLD,
    match: MATCH,
    on: ON,
    records: FAMILY_STATE,
    respond: RESPOND,
    weight: WEIGHT
  },
  ...recordSchemas()
})

export const FIXTURE_CHECKER = checkerOf(fixtureSchema)
export const SCENARIO_CHECKER = checkerOf(scenarioSchema)
export const SANDBOX_SETTINGS_CHECKER = checkerOf(() =>
  settingsSchema(key => SETTINGS[key].scope === 'sandbox')
)
