/** The schemas of expectations, and of steps and plays. */
import type { Static, TInteger, TProperties, TUnsafe } from 'typebox'
import * as Type from 'typebox'
import { RETIRED } from '../../core/retired.js'
import { keysOf } from '../../reference/rules.js'
import { RESOURCES } from '../../reference/tables.js'
import {
  BY_ACCOUNT,
  FAULTS,
  fields,
  MATCH,
  type MatchData,
  matchSchema,
  type Names,
  ON,
  PER
} from './entry.js'
import {
  allAs,
  closed,
  count,
  countsAs,
  duration,
  either,
  headers,
  isTrue,
  type Json,
  listOf,
  mapOf,
  name,
  notEmpty,
  published,
  someOf,
  typed,
  wordOf
} from './parts.js'

const STATUS = {
  type: ['integer', 'string'],
  minimum: 100,
  maximum: 599,
  pattern: '^[1-5](\\d\\d|[xX]{2})$',
  'x-expected': 'a status, such as 402 or 2xx',
  description: 'A status, or a class such as 2xx.'
}
const STATUSES = typed<number | string | readonly (number | string)[]>({
  ...published(STATUS, 'statuses'),
  type: [...STATUS.type, 'array'],
  minItems: 1,
  items: STATUS
})
export type Statuses = Static<typeof STATUSES>

const object = (description: string) => typed<Record<string, Json>>({ type: 'object', description })
const callOf = <E extends TProperties, M extends TProperties>(expected: E, more: M) => ({
  as: name('The name by which later steps refer to its response: ${name.field}.'),
  do: name('A method and a path, such as POST /transactions or GET /transactions/${payment.id}.'),
  key: name('An API key; by default, that of the first merchant.'),
  query: object('Parameters of the query.'),
  body: object('Parameters of the body.'),
  expect: closed(
    {
      status: {
        ...STATUSES,
        description: 'A status, a class such as 2xx, or a list; 2xx by default.'
      },
      body: typed<Json>({
        description:
          'What the response must contain: values, or conditions as in match. Other names are not compared.'
      }),
      ...expected
    },
    { description: 'What the response must be; by default, a success.' }
  ),
  ...more
})
const OF_CALLS = {
  'x-elsewhere': {
    ...allAs(['status', 'fault'], 'expect'),
    ...allAs(['transaction', 'ticket', 'amount', 'payment_type'], 'body')
  }
}
export const STEP = closed(callOf({}, {}), {
  required: ['do'],
  description: 'A request that is sent through the API when the scenario loads.',
  'x-name': 'Step',
  ...OF_CALLS
})
const PLAYED = callOf(
  {
    headers: headers('Headers that the response must have, such as Retry-After.'),
    fault: wordOf(FAULTS, 'How the response is lost.')
  },
  { headers: headers('Headers of the request, such as User-Agent.') }
)
const AT_ONCE = closed(PLAYED, {
  required: ['do'],
  description: 'One of several requests that are sent at once.',
  'x-name': 'PlayedCall',
  ...OF_CALLS
})
const PLAYS = closed(
  {
    ...PLAYED,
    repeat: Type.Integer({
      minimum: 1,
      maximum: 1000,
      default: 1,
      description: 'How many times it is sent, in sequence.'
    }),
    at_once: someOf(AT_ONCE, 'Requests to send together, each over its own connection.'),
    wait: duration("Moves the sandbox's clock forward; `check` itself does not wait.")
  },
  {
    description: 'A request that `check` sends as a client would, or several at once.',
    'x-name': 'Play',
    ...OF_CALLS
  }
)
type Play = Required<Static<typeof PLAYS>>
export type StepData = Static<typeof AT_ONCE> & Partial<Pick<Play, 'repeat'>>
export type PlayData = StepData | Pick<Play, 'at_once'> | Pick<Play, 'wait'>
export const PLAY = typed<PlayData>(PLAYS)

const quantity = (number: TInteger, description: string) =>
  either(
    'object',
    notEmpty(
      closed(
        allAs(['gt', 'gte', 'lt', 'lte', 'not'] as const, {
          ...number,
          description: 'A condition.'
        })
      )
    ),
    { ...number, 'x-advice': 'or write conditions, such as { gte: 1 }' },
    description
  )
const QUANTITIES = {
  where: fields('Only records with these values; all by default.'),
  count: quantity(count(), 'Number of records: a number, or conditions (gt, gte, lt, lte, not).'),
  sum: notEmpty(
    mapOf(
      quantity(Type.Integer(), 'The sum: a whole number, or conditions.'),
      'The sums of fields, such as { amount: 500 }.'
    )
  ),
  every: notEmpty(fields('Every record must have these values.'))
}
export type Quantities = { [K in keyof typeof QUANTITIES]?: Static<(typeof QUANTITIES)[K]> }
export type Quantity = NonNullable<Quantities['count']>
export const STATE_WORDS: readonly string[] = Object.keys(QUANTITIES)
export const STATE_NAMES = `a name here is the id of a record, or one of ${STATE_WORDS.join(', ')}`
type FamilyState = {
  readonly [id: string]: Names | Quantities[keyof Quantities] | null
} & Quantities
const FAMILY_STATE = typed<FamilyState>({
  'x-name': 'ExpectedRecords',
  description:
    'Records of a family by id, with their expected values, and conditions on all records.',
  type: 'object',
  minProperties: 1,
  properties: QUANTITIES,
  additionalProperties: { ...fields(), type: ['object', 'null'], 'x-advice': STATE_NAMES }
})
const STATE = notEmpty(
  closed(allAs(keysOf(RESOURCES), FAMILY_STATE), {
    description:
      'Records by family and id, with their expected values; null for a record that must not exist.'
  })
)
export type StateData = Static<typeof STATE>

const pause = (limit: string) =>
  duration(`${limit} time between the previous response and each request, by the sandbox's clock.`)
export const PAUSES = ['no_sooner_than', 'no_later_than'] as const
const calls = (match: TUnsafe<MatchData>) => ({
  on: ON,
  match,
  took_effect: isTrue('Whether the request changed records.'),
  status: { ...STATUSES, description: 'The status of the response that the client got.' },
  answered: isTrue('Whether the client got a response.'),
  response: notEmpty(fields('Fields of the response body that the client got.')),
  no_sooner_than: pause('Minimum'),
  no_later_than: pause('Maximum')
})

/** `account` lets a match name the Account of the key. */
export function expectationSchema({ account = false } = {}) {
  const call = calls((account ? matchSchema(BY_ACCOUNT) : MATCH) as TUnsafe<MatchData>)
  return closed(
    {
      ...call,
      times: countsAs('times', 'Number of requests: 0, 1, 2-3 or 4+; 1+ by default.'),
      sequence: listOf(
        closed(call, {
          required: ['on'],
          description: 'A request of a sequence.',
          'x-ordered': PAUSES,
          'x-name': 'ExpectedCall'
        }),
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
    {
      description: 'Which requests the client must send, or which records must exist at the end.',
      'x-ordered': PAUSES,
      'x-elsewhere': allAs([...Object.keys(RESOURCES), 'where', 'sum'], 'state'),
      'x-instead': RETIRED.expectation
    }
  )
}
type Expected = Required<Static<ReturnType<typeof expectationSchema>>>
/** `took_effect`, `status` and `answered` are known when a request has ended. */
export type CallsData = Expected['sequence'][number]
export type CountData = CallsData & Partial<Pick<Expected, 'times' | 'per'>>
export type SequenceData = Pick<Expected, 'sequence'> & Partial<Pick<Expected, 'per' | 'others'>>
export type ExpectationData = CountData | SequenceData | Pick<Expected, 'state'>
