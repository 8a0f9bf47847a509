/** The schemas of conditions on requests, and of script entries. */
import type { Static, TProperties, TUnsafe } from 'typebox'
import * as Type from 'typebox'
import { RETIRED } from '../../core/retired.js'
import { OPERATION_NAMES } from '../../reference/operations.js'
import { schemaOf } from '../../reference/parameters.js'
import { RESOURCES, TABLES, type Tables } from '../../reference/tables.js'
import {
  allAs,
  closed,
  countsAs,
  duration,
  either,
  headers,
  instant,
  letters,
  MAX_ITEMS,
  mapOf,
  name,
  published,
  recordId,
  recordLists,
  share,
  someOf,
  text,
  typed,
  wordOf
} from './parts.js'

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
  'x-many': OPERATION
}
export const ON = published(
  either(
    'array',
    someOf(published(ONE, 'operation')),
    published(ONE, 'operation'),
    'An operation, a list of them, or a pattern such as *, GET * or * /refunds.'
  ),
  'on'
)
export type On = Static<typeof ON>

export type Scalar = string | number | boolean
/** All must hold. `not` also holds for a missing value. */
export type Conditions = {
  gt?: Scalar
  gte?: Scalar
  lt?: Scalar
  lte?: Scalar
  not?: Wanted
  present?: boolean
}
/** Null is for fields of records: no value. */
export type Wanted = Scalar | null | readonly (Scalar | null)[] | Conditions
export type Names = { readonly [name: string]: Wanted | Names }
const SCALARS = ['string', 'number', 'boolean'] as const
export const SCALAR = typed<Scalar>({ type: SCALARS })
const wantedSchema = (depth: number, scalars: readonly string[] = SCALARS): TUnsafe<Wanted> =>
  typed({
    type: [...scalars, 'array', ...(depth > 0 ? ['object'] : [])],
    items: { type: scalars },
    minItems: 1,
    maxItems: MAX_ITEMS,
    ...(depth > 0 && { additionalProperties: wantedSchema(depth - 1, scalars) }),
    description:
      'A value, a list of values, /a regular expression/, conditions (gt, gte, lt, lte, not, present), or nested names.',
    'x-name': scalars === SCALARS ? 'MatchValue' : 'FieldValue'
  })
const names = (description: string) => typed<Names>(mapOf(wantedSchema(4), description))
export const fields = (description?: string) =>
  typed<Names>(mapOf(wantedSchema(8, [...SCALARS, 'null']), description))
const WANTED_ID = wantedSchema(1)
export const ABOUT = ['location', 'ticket', 'transaction', 'account'] as const
const namesIn = (table: 'querystring' | 'body') =>
  Object.values<Tables>(TABLES).flatMap(({ [table]: schema }) =>
    Object.keys((schema && schemaOf(schema).properties) ?? {})
  )
const MATCHED = {
  params: names('Path parameters.'),
  query: names('Parameters of the query.'),
  body: names('Parameters of the body.'),
  headers: names(
    'Headers; their names are case-insensitive. The journal stores only User-Agent and the test header.'
  ),
  key: { ...WANTED_ID, description: 'The API key.' },
  about: closed(allAs(ABOUT, WANTED_ID), {
    description: 'Records that the request is about, such as the Location of its Ticket.'
  })
}
export const PER = [...ABOUT, 'key', 'test'] as const
export type Per = (typeof PER)[number]
/** Filters of the journal can match the Account too. */
export const BY_ACCOUNT = { account: { ...WANTED_ID, description: 'The Account of the key.' } }
export const matchSchema = <P extends TProperties>(more: P) =>
  closed(
    { ...MATCHED, ...more },
    {
      description: 'What the request must contain; by default, every request matches.',
      'x-name': 'Match',
      'x-elsewhere': {
        ...allAs(namesIn('querystring'), 'query'),
        ...allAs(namesIn('body'), 'body'),
        ...allAs(ABOUT, 'about'),
        id: 'params'
      },
      'x-instead': RETIRED.match
    }
  )
export const MATCH = matchSchema({})
export type MatchData = Static<ReturnType<typeof matchSchema<typeof BY_ACCOUNT>>>

export const FAULTS = [
  'connection_reset',
  'empty_response',
  'truncated_body',
  'malformed_body',
  'hang'
] as const
export type Fault = (typeof FAULTS)[number]
export const RELEASES = ['in_order', 'reverse'] as const
export type Release = (typeof RELEASES)[number]

const HOLD = closed(
  {
    until: Type.Integer({
      minimum: 2,
      maximum: 1000,
      description:
        'Number of requests that wait for each other; later requests form the next group.'
    }),
    gate: Type.String({
      ...letters(64, 'a name'),
      description: 'The name with which a control request opens the gate.'
    }),
    release: {
      ...wordOf(
        RELEASES,
        'Whether the requests continue in order of arrival, or in reverse order.'
      ),
      default: 'in_order'
    },
    for: duration('The maximum time that a request waits.')
  },
  {
    description: 'Holds requests until enough wait, or until a control request opens a gate.',
    'x-instead': RETIRED.hold
  }
)
export type Hold = Static<typeof HOLD>
const ERROR = closed(
  {
    type: name('The type of the error.'),
    code: name('The code of the error.'),
    message: text('The text of the error.'),
    param: name('The parameter that is wrong, in bracket notation.')
  },
  {
    description: 'An error of the service; by default, its parts follow from the status.'
  }
)
const RESPOND = closed(
  {
    status: Type.Integer({
      minimum: 200,
      maximum: 599,
      description: 'Default: 200; with error, 400; with patch, the status of the operation.'
    }),
    headers: headers('Additional headers.'),
    body: typed<unknown>({ description: 'Any JSON; text is sent unchanged.' }),
    patch: typed<object>({
      type: 'object',
      description: 'A JSON Merge Patch of the response of the operation, if it succeeds.'
    }),
    error: ERROR,
    retry_after: duration('The Retry-After header, written in whole seconds.')
  },
  {
    description: 'Responds instead of the operation, or changes its response.',
    'x-elsewhere': allAs(Object.keys(ERROR.properties), 'error')
  }
)
export type Respond = Static<typeof RESPOND>
export const OF_DATA = allAs(['api_keys', ...Object.keys(RESOURCES)], 'data')
const CHANGE = closed(
  {
    data: typed<Record<string, unknown>>(
      closed(recordLists(), {
        description: 'Records as in a fixture; each replaces the record with the same id.'
      })
    ),
    delete: someOf(recordId(), 'Ids of records to delete, before those under data are added.')
  },
  {
    description: 'Changes records when the entry is applied: all of them, or none.',
    'x-elsewhere': OF_DATA
  }
)
export type ChangeData = Static<typeof CHANGE>
const DELAY = closed(
  {
    min: duration('The minimum delay.'),
    max: duration('The maximum delay.')
  },
  {
    required: ['min', 'max'],
    'x-ordered': ['min', 'max'],
    'x-instead': RETIRED.delay
  }
)
const ENDED = closed(
  {
    ended: name('The name of an entry that must have ended, because of its calls, for or until.')
  },
  { required: ['ended'] }
)

const ENTRY = closed(
  {
    name: name('The name of the entry in lists and reports.'),
    on: ON,
    match: MATCH,
    calls: countsAs(
      'calls',
      'Which matching requests it applies to: 0, 1, 2-3, 4+ or every 7; by default, all.'
    ),
    per: wordOf(
      PER,
      'Counts separately for each value, such as each Ticket; calls, chance and for use these counts.'
    ),
    chance: {
      ...share('The share of these requests that it applies to; the seed decides which.'),
      default: 1
    },
    from: instant("The instant, by the sandbox's clock, from which requests match."),
    until: instant("The instant, by the sandbox's clock, from which requests no longer match."),
    after: either(
      'object',
      ENDED,
      name(),
      'Applies only after the entry with this name was applied; with { ended: NAME }, after it can no longer apply.'
    ),
    for: duration(
      "How long it applies, by the sandbox's clock, from the first request that it is applied to."
    ),
    hold: published(HOLD, 'hold'),
    delay: either(
      'object',
      DELAY,
      duration(),
      'Waits before it acts: a duration, or a random duration from min to max, based on the seed.'
    ),
    respond: published(RESPOND, 'respond'),
    change: published(CHANGE, 'change'),
    stale: duration("Responds with the records of this long ago, by the sandbox's clock."),
    fault: wordOf(FAULTS, 'Loses the response.'),
    when: {
      ...wordOf(
        ['before', 'after'] as const,
        'before: a fault or response replaces the operation, and a change precedes it. after: they follow once it has taken effect.'
      ),
      default: 'before'
    }
  },
  {
    required: ['on'],
    description: 'What the emulator does differently for some requests.',
    'x-ordered': ['from', 'until'],
    'x-elsewhere': {
      ...allAs(Object.keys(MATCH.properties), 'match'),
      ...allAs(['status', 'headers', 'patch', 'error', 'retry_after'], 'respond')
    },
    'x-instead': RETIRED.entry,
    'x-name': 'ScriptEntry'
  }
)
export type EntryData = Static<typeof ENTRY>
export const entrySchema = () => typed<EntryData>(ENTRY)
