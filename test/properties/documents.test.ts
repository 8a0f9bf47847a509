/**
 * Every list of a document with no item, one, many and a huge number: it is read or refused, and
 * never causes a defect.
 */
import fc from 'fast-check'
import t from 'tap'
import { Clock } from '../../src/core/clock.js'
import { ApiError } from '../../src/core/errors.js'
import { settingsInForce } from '../../src/core/settings.js'
import { Library } from '../../src/scenario/library.js'
import { firstStateOf, requestedScenario } from '../../src/scenario/loading.js'
import { readDocument } from '../../src/scenario/read/document.js'
import { Body } from '../../src/scenario/reading.js'
import { property } from '../support/property.js'

const SIZES = [0, 1, 300, 10_001]
const repeat = (count: number, make: (n: number) => unknown) =>
  Array.from({ length: count }, (_, n) => make(n))
const names = (count: number, value: unknown) =>
  Object.fromEntries(repeat(count, n => [`n${n}`, value]) as [string, unknown][])
const ACCOUNT = {
  id: 'mch_a',
  type: 'merchant',
  name: 'A',
  email: 'a@example.com',
  address: { country: 'US' }
}

/** Lists and objects with this many items, valid and invalid. */
const LISTS: Record<string, (count: number) => unknown> = {
  'unknown names': count => names(count, 1),
  fixtures: count => ({ fixtures: repeat(count, () => 'empty') }),
  'fixtures of no type': count => ({ fixtures: repeat(count, n => n) }),
  'fixtures that there are not': count => ({ fixtures: repeat(count, n => `x${n}`) }),
  'the same fixture, which there is not': count => ({ fixtures: repeat(count, () => 'bistor') }),
  accounts: count => ({ data: { accounts: repeat(count, n => ({ ...ACCOUNT, id: `mch_${n}` })) } }),
  'the same account': count => ({ data: { accounts: repeat(count, () => ACCOUNT) } }),
  'accounts with unknown resellers': count => ({
    data: { accounts: repeat(count, n => ({ ...ACCOUNT, id: `mch_${n}`, reseller: `rsl_${n}` })) }
  }),
  keys: count => ({
    data: {
      accounts: [ACCOUNT],
      api_keys: repeat(count, n => ({ key: `k${n}`, account: 'mch_a' }))
    }
  }),
  'tickets that are none': count => ({ data: { tickets: repeat(count, () => 5) } }),
  'tickets nowhere': count => ({
    data: { tickets: repeat(count, n => ({ location: `loc_${n}` })) }
  }),
  metadata: count => ({ data: { accounts: [{ ...ACCOUNT, metadata: names(count, 'x') }] } }),
  'wrong metadata': count => ({ data: { accounts: [{ ...ACCOUNT, metadata: names(count, []) }] } }),
  extra: count => ({ data: { accounts: [{ ...ACCOUNT, extra: names(count, 1) }] } }),
  generate: count => ({ fixtures: ['bistro'], generate: repeat(count, () => ({ tickets: 0 })) }),
  'generate nothing': count => ({ generate: repeat(count, () => ({})) }),
  'payment types': count => ({
    fixtures: ['bistro'],
    generate: [{ transactions: 1, payment_types: repeat(count, () => 'card') }]
  }),
  script: count => ({
    script: repeat(count, n => ({ on: 'GET /tickets', calls: n + 1, delay: '1ms' }))
  }),
  'script entries that can never apply': count => ({
    script: repeat(count, () => ({ on: 'GET /tickets', delay: '1ms' }))
  }),
  'script of wrong operations': count => ({
    script: repeat(count, () => ({ on: 'GET /tickest', delay: '1ms' }))
  }),
  'values of a match': count => ({
    script: [
      { on: 'POST /refunds', match: { body: { amount: repeat(count, n => n) } }, delay: '1ms' }
    ]
  }),
  'names of a match': count => ({
    script: [
      { on: 'POST /refunds', match: { body: { metadata: names(count, 'x') } }, delay: '1ms' }
    ]
  }),
  headers: count => ({ script: [{ on: 'GET /tickets', respond: { headers: names(count, 'x') } }] }),
  expect: count => ({ expect: repeat(count, () => ({ on: 'GET /tickets' })) }),
  steps: count => ({ steps: repeat(count, n => ({ as: `s${n}`, do: 'GET /tickets' })) }),
  'steps of one name': count => ({ steps: repeat(count, () => ({ as: 's', do: 'GET /tickets' })) }),
  'steps that refer to nothing': count => ({
    steps: repeat(count, n => ({ as: `s${n}`, do: `GET /tickets/\${x${n}.id}` }))
  }),
  settings: count => ({ settings: names(count, 1) })
}

const launch = { flag: {}, environment: {} }
const library = new Library({ fixtures: null, scenarios: null }, settingsInForce(launch).values)

t.test('documents: lists of every size are read or refused', async t => {
  for (const [name, make] of Object.entries(LISTS))
    for (const count of SIZES) {
      const body = new Body('json', Buffer.from(JSON.stringify({ scenario: make(count) })))
      const outcome = await requestedScenario(body, library)
        .then(({ document, origin }) =>
          firstStateOf(document, origin, {
            library,
            launch,
            clockFor: start => new Clock(() => 0, start)
          })
        )
        .then(
          () => 'read',
          error => (error instanceof ApiError ? error : (error as Error).stack)
        )
      if (outcome instanceof ApiError) {
        t.ok(
          ['document_invalid', 'document_too_large'].includes(outcome.code),
          `${count} × ${name}: ${outcome.message.slice(0, 200)}`
        )
        t.ok((outcome.problems?.length ?? 0) <= 1001)
      } else t.equal(outcome, 'read', `${count} × ${name}`)
    }
})

await property(
  t,
  'documents: the places of everything in a JSON text',
  { of: fc.tuple(fc.json({ maxDepth: 4 }), fc.constantFrom(0, 1, 2)), runs: 150 },
  async ([json, indent]) => {
    const data = JSON.parse(json)
    const text = JSON.stringify(data, null, indent)
    const places: (string | number)[][] = []
    const walk = (value: unknown, steps: (string | number)[]) => {
      places.push(steps)
      if (typeof value === 'object' && value !== null)
        for (const [name, part] of Object.entries(value))
          walk(part, [...steps, Array.isArray(value) ? Number(name) : name])
    }
    walk(data, [])
    const lines = text.split('\n')
    const found = await (await readDocument('doc', text, { type: 'json' })).placesOf(
      places.map(steps => ({ steps }))
    )
    for (const [index, place] of found.entries()) {
      const { line, column } = place as NonNullable<typeof place>
      const value = (places[index] as (string | number)[]).reduce((at, step) => at[step], data)
      const rest = [(lines[line - 1] as string).slice(column - 1), ...lines.slice(line)].join('')
      const begin = JSON.stringify(value).slice(0, 1)
      if (!rest.startsWith(begin))
        throw new Error(`${places[index]} is not at ${line}:${column} of ${text}`)
    }
  }
)
