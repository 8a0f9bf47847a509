/** The schemas of expectations, and of steps and plays. */
import type { Static, TProperties, TUnsafe } from 'typebox'
import { keysOf } from '../../reference/rules.js'
import { RESOURCES } from '../../reference/tables.js'
import {
  FAULTS,
  fields,
  JOURNAL_MATCH,
  MATCH,
  type MatchData,
  type Names,
  ON,
  PER
} from './entry.js'
import {
  allAs,
  closed,
  count,
  counts,
  duration,
  either,
  headers,
  integer,
  isTrue,
  type Json,
  listOf,
  mapOf,
  NOT_EMPTY,
  name,
  object,
  SOME,
  typed,
  under,
  wordOf
} from './parts.js'

const STATUS = {
  type: ['integer', 'string'],
  minimum: 100,
  maximum: 599,
  pattern: '^[1-5](\\d\\d|[xX]{2})$',
  'x-expected': 'a status, such as 402 or 2xx'
}
const statuses = (description: string) =>
  typed<number | string | readonly (number | string)[]>({
    ...STATUS,
    type: [...STATUS.type, 'array'],
    minItems: 1,
    items: STATUS,
    description,
    'x-published': 'statuses'
  })
export type Statuses = Static<ReturnType<typeof statuses>>

const callOf = <E extends TProperties>(expected: E) => ({
  as: name('The name by which later steps refer to its response: ${name.field}.'),
  do: name('A method and a path, such as POST /transactions or GET /transactions/${payment.id}.'),
  key: name('An API key; by default, that of the first merchant.'),
  query: object('Query parameters.'),
  body: object('Body parameters.'),
  expect: closed(
    {
      status: statuses('A status, a class such as 2xx, or a list; 2xx by default.'),
      body: typed<Json>({
        description:
          'What the response must contain: values, or conditions as in match. Other names are not compared.'
      }),
      ...expected
    },
    'What the response must be; by default, a success.',
    { 'x-rules': [['excludes', ['status', 'body', 'headers'], 'fault']] }
  )
})
const OF_CALLS = {
  ...under('body', ['transaction', 'ticket', 'amount', 'payment_type']),
  on: 'write do',
  request: 'write do'
}
export const STEP = closed(
  callOf({}),
  'A request that is sent through the API when the scenario loads.',
  { required: ['do'], 'x-name': 'Step', 'x-instead': OF_CALLS }
)
const PLAYED = {
  ...callOf({
    headers: headers('Headers that the response must have, such as Retry-After.'),
    fault: wordOf(FAULTS, 'How the response is lost.')
  }),
  headers: headers('Headers of the request, such as User-Agent.')
}
const AT_ONCE = closed(PLAYED, 'One of several requests that are sent at once.', {
  required: ['do'],
  'x-name': 'PlayedCall',
  'x-instead': OF_CALLS
})
const ALONE = ['at_once', 'wait']
const OF_ONE = [...keysOf(PLAYED).filter(name => name !== 'do'), 'repeat']
const PLAYS = closed(
  {
    ...PLAYED,
    repeat: integer('How many times it is sent, in sequence.', {
      minimum: 1,
      maximum: 1000,
      default: 1
    }),
    at_once: listOf(AT_ONCE, 'Requests to send together, each over its own connection.', SOME),
    wait: duration("Moves the sandbox's clock forward; `check` itself does not wait.")
  },
  'A request that `check` sends as a client would, or several at once.',
  {
    'x-name': 'Play',
    'x-rules': [
      ['one', ['do', ...ALONE]],
      ...ALONE.map(name => ['excludes', OF_ONE, name] as const)
    ],
    'x-instead': OF_CALLS
  }
)
type Play = Required<Static<typeof PLAYS>>
export type StepData = Static<typeof AT_ONCE> & Partial<Pick<Play, 'repeat'>>
export type PlayData = StepData | Pick<Play, 'at_once'> | Pick<Play, 'wait'>
export const PLAY = typed<PlayData>(PLAYS)

const QUANTITY = 'A number, or conditions (gt, gte, lt, lte, not).'
const quantity = (number: TUnsafe<number>) =>
  either(
    closed(
      allAs(['gt', 'gte', 'lt', 'lte', 'not'] as const, { ...number, description: 'A condition.' }),
      undefined,
      NOT_EMPTY
    ),
    { ...number, 'x-advice': 'or write conditions, such as { gte: 1 }' },
    QUANTITY
  )
const QUANTITIES = {
  where: fields('Only records with these values; all by default.'),
  count: quantity(count()),
  sum: mapOf(quantity(integer()), 'The sums of fields, such as { amount: 500 }.', NOT_EMPTY),
  every: fields('Every record must have these values.', NOT_EMPTY)
}
export type Quantities = { [K in keyof typeof QUANTITIES]?: Static<(typeof QUANTITIES)[K]> }
export type Quantity = NonNullable<Quantities['count']>
export const STATE_WORDS: readonly string[] = Object.keys(QUANTITIES)
export const STATE_NAMES = `a name here is the id of a record, or one of ${STATE_WORDS.join(', ')}`
type FamilyState = {
  readonly [id: string]: Names | Quantities[keyof Quantities] | null
} & Quantities
const FAMILY_STATE = typed<FamilyState>({
  type: 'object',
  ...NOT_EMPTY,
  properties: QUANTITIES,
  additionalProperties: { ...fields(), type: ['object', 'null'], 'x-advice': STATE_NAMES },
  description:
    'Records of a family by id, with their expected values, and conditions on all records.',
  'x-name': 'ExpectedRecords',
  'x-rules': [['needs', ['count', 'sum', 'every'], 'where']]
})
const STATE = closed(
  allAs(keysOf(RESOURCES), FAMILY_STATE),
  'Records by family and id, with their expected values; null for a record that must not exist.',
  NOT_EMPTY
)
export type StateData = Static<typeof STATE>

const pause = (limit: string) =>
  duration(`${limit} time between the previous response and each request, by the sandbox's clock.`)
export const PAUSES = ['no_sooner_than', 'no_later_than'] as const

const OF_EXPECTATIONS = {
  ...under('a family of state', ['where', 'sum']),
  at_least: 'write times: 2+',
  at_most: 'write times: 0-2',
  count: 'write times',
  group_by: 'write per',
  none: 'write times: 0',
  same: 'write per'
}
const expectedCall = (match: TUnsafe<MatchData>) => ({
  on: ON,
  match,
  took_effect: isTrue('Whether the request changed records.'),
  status: statuses('The status of the response that the client got.'),
  answered: isTrue('Whether the client got a response.'),
  response: fields('Fields of the response body that the client got.', NOT_EMPTY),
  no_sooner_than: pause('Minimum'),
  no_later_than: pause('Maximum')
})

export function expectationSchema(isOfJournal = false) {
  const call = expectedCall(isOfJournal ? JOURNAL_MATCH : MATCH)
  const step = closed(call, 'A request of a sequence.', {
    required: ['on'],
    'x-ordered': PAUSES,
    'x-name': 'ExpectedCall'
  })
  return closed(
    {
      ...call,
      times: counts('times', 'Number of requests: 0, 1, 2-3 or 4+; 1+ by default.'),
      sequence: listOf(
        step,
        'Requests in this order, without other requests of these operations.',
        { minItems: 1 }
      ),
      others: isTrue('Whether other requests of these operations are allowed.'),
      per: wordOf(
        PER,
        'Must be met separately for each value, such as each Ticket of these requests.'
      ),
      state: STATE
    },
    'Which requests the client must send, or which records must exist at the end.',
    {
      'x-ordered': PAUSES,
      'x-rules': [
        ['one', ['on', 'sequence', 'state']],
        ['needs', ['sequence'], 'others'],
        ['needs', ['on', 'sequence'], 'per']
      ],
      'x-instead': OF_EXPECTATIONS
    }
  )
}
type Expected = Required<Static<ReturnType<typeof expectationSchema>>>
/** `took_effect`, `status` and `answered` are known when a request has ended. */
export type CallsData = Expected['sequence'][number]
export type CountData = CallsData & Partial<Pick<Expected, 'times' | 'per'>>
export type SequenceData = Pick<Expected, 'sequence'> & Partial<Pick<Expected, 'per' | 'others'>>
export type ExpectationData = CountData | SequenceData | Pick<Expected, 'state'>
