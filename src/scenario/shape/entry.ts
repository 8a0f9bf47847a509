/** The schemas of conditions on requests, and of script entries. */
import type { Static, TUnsafe } from 'typebox'
import { OPERATION_NAMES } from '../../reference/operations.js'
import { schemaOf } from '../../reference/parameters.js'
import { TABLES, type Tables } from '../../reference/tables.js'
import {
  allAs,
  closed,
  counts,
  duration,
  either,
  headers,
  instant,
  integer,
  letters,
  listOf,
  mapOf,
  name,
  object,
  recordId,
  recordLists,
  SOME,
  share,
  text,
  typed,
  under,
  wordOf
} from './parts.js'

export const OPERATION = {
  what: 'an operation',
  advice:
    'an operation is written as a method and a path, such as POST /refunds; * stands for any text, as in GET * and * /refunds',
  others: '[*]'
}
const ONE = wordOf<string>(
  ['*', ...OPERATION_NAMES],
  'A method and a path of the reference; * stands for any text.',
  { 'x-many': OPERATION, 'x-published': 'operation' }
)
export const ON = {
  ...either(
    listOf(ONE, undefined, SOME),
    ONE,
    'An operation, a list of them, or a pattern such as *, GET * or * /refunds.',
    'array'
  ),
  'x-published': 'on'
}
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
export const isScalar = (value: unknown): value is Scalar =>
  SCALARS.some(type => type === typeof value)
export const SCALAR = typed<Scalar>({ type: SCALARS })
const wanted = (depth: number, scalars: readonly string[] = SCALARS): TUnsafe<Wanted> =>
  typed({
    type: [...scalars, 'array', ...(depth > 0 ? ['object'] : [])],
    items: { type: scalars },
    ...SOME,
    ...(depth > 0 && { additionalProperties: wanted(depth - 1, scalars) }),
    description:
      'A value, a list of values, /a regular expression/, conditions (gt, gte, lt, lte, not, present), or nested names.',
    'x-name': scalars === SCALARS ? 'MatchValue' : 'FieldValue'
  })
const names = (description: string) => typed<Names>(mapOf(wanted(4), description))
export const fields = (description?: string, notes?: object) =>
  typed<Names>(mapOf(wanted(8, [...SCALARS, 'null']), description, notes))
const idSchema = (description?: string) => ({ ...wanted(1), ...(description && { description }) })
export const ABOUT = ['location', 'ticket', 'transaction', 'account'] as const
const namesIn = (table: 'querystring' | 'body') =>
  Object.values<Tables>(TABLES).flatMap(({ [table]: schema }) =>
    Object.keys((schema && schemaOf(schema).properties) ?? {})
  )
const MATCHED = {
  params: names('Path parameters.'),
  query: names('Query parameters.'),
  body: names('Body parameters.'),
  headers: names(
    'Headers; their names are case-insensitive. The journal stores only User-Agent and the test header.'
  ),
  key: idSchema('The API key.'),
  about: closed(
    allAs(ABOUT, idSchema()),
    'Records that the request is about, such as the Location of its Ticket.'
  )
}
const MATCH_NOTES = [
  'What the request must contain; by default, every request matches.',
  {
    'x-name': 'Match',
    'x-instead': {
      ...under('query', namesIn('querystring')),
      ...under('body', namesIn('body')),
      ...under('about', ABOUT),
      id: 'put it under params',
      any: 'write an entry or expectation for each, or a list of values'
    }
  }
] as const
export const MATCH = closed(MATCHED, ...MATCH_NOTES)
/** Filters of the journal can match the Account too. */
export const JOURNAL_MATCH = closed(
  { ...MATCHED, account: idSchema('The Account of the key.') },
  ...MATCH_NOTES
)
export type MatchData = Static<typeof JOURNAL_MATCH>
export const PER = [...ABOUT, 'key', 'test'] as const
export type Per = (typeof PER)[number]

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
    until: integer(
      'Size of a group of requests that wait for each other; later requests form the next group.',
      { minimum: 2, maximum: 1000 }
    ),
    gate: text('The name by which a control request opens the gate.', letters(64, 'a name')),
    release: wordOf(RELEASES, 'Whether the requests continue in order of arrival, or in reverse.', {
      default: 'in_order'
    }),
    for: duration('The maximum time that a request waits.')
  },
  'Holds requests until enough of them are waiting, or until a control request opens a gate.',
  {
    'x-rules': [['one', ['until', 'gate']]],
    'x-instead': { once: 'write calls next to hold, such as calls: 1-2' }
  }
)
export type Hold = Static<typeof HOLD>
const ERROR = closed(
  {
    type: name('The type of the error.'),
    code: name('The code of the error.'),
    message: text('The text of the error.'),
    param: name('The invalid parameter, in bracket notation.')
  },
  'The error in the body; type, code and message default to those of the status.'
)
const RESPOND = closed(
  {
    status: integer('Default: 200; with error, 400; with patch, the status of the operation.', {
      minimum: 200,
      maximum: 599
    }),
    headers: headers('Additional headers.'),
    body: typed<unknown>({ description: 'Any JSON; text is sent unchanged.' }),
    patch: object("A JSON Merge Patch for the operation's response, applied if it succeeds."),
    error: ERROR,
    retry_after: duration('The Retry-After header, written in whole seconds.')
  },
  'Responds instead of the operation, or changes its response.',
  {
    'x-rules': [
      ['excludes', ['error'], 'body'],
      ['excludes', ['body', 'error'], 'patch']
    ]
  }
)
export type Respond = Static<typeof RESPOND>
const CHANGE = closed(
  {
    data: typed<Record<string, unknown>>(
      closed(recordLists(), 'Records as in a fixture; each replaces the record with the same id.')
    ),
    delete: listOf(recordId(), 'Ids of records to delete, before those under data are added.', SOME)
  },
  'Changes records when the entry is applied: all of them, or none.'
)
export type ChangeData = Static<typeof CHANGE>
const GROWING = 'write min and max, or an entry for each delay, with calls'
const DELAY = closed(
  { min: duration('The minimum delay.'), max: duration('The maximum delay.') },
  undefined,
  {
    required: ['min', 'max'],
    'x-ordered': ['min', 'max'],
    'x-instead': { from: 'write min', to: 'write max', by: GROWING, every: GROWING }
  }
)

export const SCRIPT_ENTRY = closed(
  {
    name: name('The name of the entry in lists and reports.'),
    on: ON,
    match: MATCH,
    calls: counts(
      'calls',
      'Which matching requests it applies to: 0, 1, 2-3, 4+ or every 7; by default, all.'
    ),
    per: wordOf(
      PER,
      'Counts separately for each value, such as each Ticket; calls, chance and for use these counts.'
    ),
    chance: share(
      'The share of matching requests that it applies to; the seed decides which ones.',
      {
        default: 1
      }
    ),
    from: instant("Requests match from this instant on, by the sandbox's clock."),
    until: instant("Requests match before this instant, by the sandbox's clock."),
    after: name('Applies only after the entry with this name was applied.', {
      'x-advice':
        'write the name of an entry; to follow one that has ended, put this entry below it, without after'
    }),
    for: duration(
      "How long it applies after the first request that it is applied to, by the sandbox's clock."
    ),
    hold: HOLD,
    delay: either(
      DELAY,
      duration('A duration, such as 250ms, 2s, 36h, 7d or PT36H.'),
      'How long to wait before acting: a duration, or min and max to draw one from the seed.'
    ),
    respond: RESPOND,
    change: CHANGE,
    stale: duration(
      "Responds with the records as they were this long ago, by the sandbox's clock."
    ),
    fault: wordOf(FAULTS, 'How the response is lost.'),
    when: wordOf(
      ['before', 'after'] as const,
      'before: a fault or response replaces the operation, and a change is made before it. after: the operation takes effect first.',
      { default: 'before' }
    )
  },
  'What the emulator does differently for some requests.',
  {
    required: ['on'],
    'x-name': 'ScriptEntry',
    'x-ordered': ['from', 'until'],
    'x-rules': [
      ['needs', ['respond', 'change', 'stale', 'delay', 'fault', 'hold']],
      ['needs', ['calls', 'chance', 'for'], 'per']
    ],
    'x-instead': {
      at: 'write from and until, or advance the clock',
      bandwidth: 'write fault: truncated_body, or delay',
      between: 'write from and until',
      cut_after: 'write fault: truncated_body',
      group_by: 'write per',
      times: 'write calls',
      wait: 'write delay'
    }
  }
)
export type EntryData = Static<typeof SCRIPT_ENTRY>
