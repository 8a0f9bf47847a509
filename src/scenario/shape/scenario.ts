/** The schemas of scenarios, and of files of groups that scenarios share. */
import type { Static } from 'typebox'
import { checkerOf } from '../../core/checking.js'
import { type PlacedProblem, problemAt } from '../../core/places.js'
import { nearest } from '../../core/sentences.js'
import { flatSettingsSchema, SETTINGS, settingsSchema } from '../../core/settings.js'
import { PAYMENT_TYPES, type PaymentType } from '../../reference/payment-methods.js'
import { isObject } from '../../reference/rules.js'
import type { Located } from '../documents.js'
import { withNumbers } from '../read/numbers.js'
import { SECTIONS } from '../records/fixture.js'
import { say } from '../sentences.js'
import { SCALAR, SCRIPT_ENTRY } from './entry.js'
import { type ExpectationData, expectationSchema, PLAY, STEP } from './expectation.js'
import {
  allAs,
  closed,
  count,
  counts,
  either,
  fixtureSchema,
  instant,
  integer,
  isTrue,
  listOf,
  mapOf,
  NOT_EMPTY,
  name,
  recordId,
  SOME,
  share,
  text,
  typed,
  wordOf
} from './parts.js'

export const GENERATED_FAMILIES = [
  'accounts',
  'users',
  'locations',
  'tickets',
  'transactions'
] as const
const WEIGHT = typed<number>({
  type: 'number',
  minimum: 0,
  description: 'How often it is chosen, relative to the others; 0 for never.',
  'x-published': 'weight'
})
const PERIODS = 'write from and to alone, and an entry for each busier period'
const INSTANTS = 'write instants in created: { from, to }'
const GENERATE = closed(
  {
    ...allAs(GENERATED_FAMILIES, count('How many to generate.')),
    account: recordId('The Account that they belong to.'),
    location: either(
      mapOf(WEIGHT, undefined, NOT_EMPTY),
      { ...recordId(), 'x-advice': 'write several with their weights: { loc_a: 3, loc_b: 1 }' },
      'The Location that they are at, or several with their weights.'
    ),
    created: closed(
      { from: instant('The earliest time.'), to: instant('The latest time.') },
      'The period over which they are created, spread evenly.',
      {
        required: ['from', 'to'],
        'x-ordered': ['from', 'to'],
        'x-advice': 'write { from: 2025-01-01, to: 2025-12-31 }',
        'x-instead': {
          ...allAs(['hours', 'weekdays', 'months'], PERIODS),
          ...allAs(['zone', 'time_zone'], 'write from and to with an offset')
        }
      }
    ),
    payment_types: either(
      closed(allAs(PAYMENT_TYPES, WEIGHT), undefined, NOT_EMPTY),
      listOf(wordOf<PaymentType>(PAYMENT_TYPES), undefined, SOME),
      'The payment types of the Transactions, or their weights.'
    ),
    amount: closed(
      {
        min: integer('The minimum.', { minimum: 1 }),
        max: integer('The maximum.', { minimum: 1, maximum: 1_000_000_000 })
      },
      'The bill before the tip, in sub-units; 350 to 12000 by default.',
      {
        required: ['min', 'max'],
        'x-ordered': ['min', 'max'],
        'x-advice': 'write { min: 450, max: 18000 }'
      }
    ),
    refunded: share(
      'The share of Transactions that get one Refund, full or partial; only full with partly_refunded.'
    ),
    partly_refunded: share('The share of Transactions that get one partial Refund.'),
    payments_per_ticket: counts(
      'per_ticket',
      'How many Transactions a paid Ticket gets, such as 2 or 1-3.',
      1
    )
  },
  'Records of one family to generate from the seed.',
  {
    'x-name': 'Generate',
    'x-rules': [
      ['one', GENERATED_FAMILIES],
      ...['refunded', 'partly_refunded', 'payments_per_ticket'].map(
        name => ['needs', ['transactions'], name] as const
      )
    ],
    'x-instead': allAs(['time_zone', 'weekdays', 'months'], INSTANTS)
  }
)
export type GenerateData = Static<typeof GENERATE>

const VARS = mapOf(
  SCALAR,
  'Variables with their defaults: text, a number, or true or false. The value replaces ${vars.NAME} in any text.'
)
export const isOfScenarios = (key: keyof typeof SETTINGS) =>
  SETTINGS[key].scope === 'sandbox' && key !== 'seed'

export const sharedScriptSchema = () =>
  closed(
    {
      description: text('What the groups are for.'),
      vars: VARS,
      groups: mapOf(
        listOf(SCRIPT_ENTRY, 'Script entries.', {
          minItems: 1,
          'x-advice':
            'write other parts in the scenario, and records in a fixture that it names under fixtures; write an entry as - { on: … }'
        }),
        'Groups by their names; a scenario includes a group with use: [FILE#GROUP].'
      )
    },
    undefined,
    { required: ['groups'] }
  )

export const scenarioSchema = () =>
  closed({
    name: name('The name of the scenario; by default, its file name.'),
    description: text('What the scenario is for.'),
    fixtures: listOf(
      name(),
      'Names, or paths relative to this file; a later record replaces an earlier record with the same id.'
    ),
    seed: { ...SETTINGS.seed.schema, description: SETTINGS.seed.about },
    clock: either(
      closed(
        {
          now: instant('When it starts.'),
          running: isTrue('Whether it runs from there; true by default.')
        },
        undefined,
        { required: ['now'] }
      ),
      instant(),
      "An instant at which the clock is frozen, or { now, running }; by default, the machine's clock."
    ),
    settings: typed<object>({
      ...settingsSchema(isOfScenarios),
      description: 'Settings of the sandbox.'
    }),
    vars: VARS,
    use: listOf(
      name(undefined, {
        'x-advice':
          'write the group alone, as in outages.yaml#brief-outage; for override, an entry under script'
      }),
      'Groups of other files, such as outages.yaml#brief-outage.'
    ),
    data: typed<Record<string, unknown>>({
      ...fixtureSchema(),
      description:
        'Records and API keys, as in a fixture; each replaces the record with the same id.'
    }),
    generate: listOf(GENERATE, 'Records to generate from the seed, after data.'),
    script: listOf(
      SCRIPT_ENTRY,
      'What the emulator does differently; the first entry that applies to a request is used.'
    ),
    steps: listOf(STEP, 'Requests that are sent through the API when the scenario loads.'),
    play: listOf(
      PLAY,
      'Requests that `check` sends as a client would, after the steps: scripted, journaled and counted.'
    ),
    expect: listOf(
      typed<ExpectationData>({ ...expectationSchema(), 'x-name': 'Expectation' }),
      'What the client must do, and what the records must be at the end.'
    )
  })
export type ScenarioData = Static<ReturnType<typeof scenarioSchema>>

export const SCENARIO_NAMES = Object.keys(scenarioSchema().properties)

const CHECKERS = {
  fixture: checkerOf(fixtureSchema),
  scenario: checkerOf(scenarioSchema),
  script: checkerOf(sharedScriptSchema)
}

export type Kind = keyof typeof CHECKERS

export function kindOf(data: unknown): Kind {
  const names = isObject(data) ? Object.keys(data) : []
  if (names.includes('groups')) return 'script'
  const isFixture =
    names.some(name => SECTIONS.some(section => section === name)) &&
    !names.some(name => SCENARIO_NAMES.includes(name))
  return isFixture ? 'fixture' : 'scenario'
}

/** Whether at least half of the names are similar to those of a scenario or fixture. */
export function isScenarioOrFixture(data: unknown): boolean {
  const names = Object.keys(isObject(data) ? data : {}).filter(
    name => !/^(name|description)$/.test(name)
  )
  const known = [...SCENARIO_NAMES, ...SECTIONS]
  const similar = names.filter(name => nearest(name, known) !== null)
  return similar.length > 0 && similar.length * 2 >= names.length
}

export const problemsOfShape = (kind: Kind, data: unknown): readonly PlacedProblem[] =>
  data === null ? [problemAt([], say('empty_document'))] : CHECKERS[kind].problems(data)

/** Data of a right shape, which is not checked again. */
const RIGHT = new WeakMap<object, Kind>()

export function asRight(data: unknown, kind: Kind | undefined): unknown {
  if (typeof data === 'object' && data !== null && kind !== undefined) RIGHT.set(data, kind)
  return data
}

export const shapeProblems = (
  document: Pick<Located, 'data' | 'numbers'>,
  kind: Kind
): readonly PlacedProblem[] =>
  RIGHT.get(Object(document.data)) === kind
    ? []
    : withNumbers(document, document.data, problemsOfShape(kind, document.data))

export const SANDBOX_SETTINGS_CHECKER = checkerOf(() =>
  flatSettingsSchema(key => SETTINGS[key].scope === 'sandbox')
)
