/** Retired words of scripts and generate: each is refused with a replacement that loads. */
import t from 'tap'
import { parse } from 'yaml'
import { RETIRED_NAMES } from '../../src/core/retired.js'
import { smallFixture } from '../support/emulator.js'
import { lookedAt } from '../support/first-state.js'

/** The old document, the object with the word, and its replacement. */
type Row = [old: object, place: string, now: object]

const ROWS: Readonly<Record<string, Record<string, Row>>> = parse(`
entry:
  at:
    - { script: [{ on: POST /refunds, at: 22:00-06:00, fault: hang }] }
    - script[0]
    - { script: [{ on: POST /refunds, from: '2026-03-01T22:00:00Z', until: '2026-03-02T06:00:00Z', fault: hang }] }
  bandwidth:
    - { script: [{ on: GET /tickets, bandwidth: 100 }] }
    - script[0]
    - { script: [{ on: GET /tickets, delay: 2s }] }
  cut_after:
    - { script: [{ on: POST /refunds, cut_after: 10 }] }
    - script[0]
    - { script: [{ on: POST /refunds, fault: truncated_body, when: after }] }
match:
  any:
    - { script: [{ on: POST /refunds, match: { any: [{ key: a }, { body: { amount: [1, 2] } }] }, fault: hang }] }
    - script[0].match
    - { script: [{ on: POST /refunds, match: { key: a }, fault: hang }, { on: POST /refunds, match: { body: { amount: [1, 2] } }, fault: hang }] }
delay:
  from: &growing
    - { script: [{ on: GET /tickets, delay: { from: 1s, by: 1s, every: 2 } }] }
    - script[0].delay
    - { script: [{ on: GET /tickets, calls: 1-2, delay: 1s }, { on: GET /tickets, delay: { min: 2s, max: 3s } }] }
  by: *growing
  every: *growing
hold:
  once:
    - { script: [{ on: POST /refunds, hold: { until: 2, once: true } }] }
    - script[0].hold
    - { script: [{ on: POST /refunds, calls: 1-2, hold: { until: 2 } }] }
generate:
  amounts:
    - { generate: [{ tickets: 1 }, { transactions: 2, amounts: { '450': 3, '1200': 1 } }] }
    - generate[1]
    - { generate: [{ tickets: 1 }, { transactions: 3, amount: { min: 450, max: 450 } }, { transactions: 1, amount: { min: 1200, max: 1200 } }] }
created:
  hours: &busy
    - { generate: [{ tickets: 3, created: { from: 2026-02-01, to: 2026-03-01, hours: { 18-22: 3 }, weekdays: { sat: 2 }, months: { feb: 2 } } }] }
    - generate[0].created
    - { generate: [{ tickets: 2, created: { from: 2026-02-01, to: 2026-03-01 } }, { tickets: 1, created: { from: '2026-02-07T18:00:00Z', to: '2026-02-07T22:00:00Z' } }] }
  weekdays: *busy
  months: *busy
  zone:
    - { generate: [{ tickets: 1, created: { from: 2026-02-01, to: 2026-03-01, zone: Europe/Berlin } }] }
    - generate[0].created
    - { generate: [{ tickets: 1, created: { from: '2026-02-01T00:00:00+01:00', to: '2026-03-01T00:00:00+01:00' } }] }
amount:
  around:
    - { generate: [{ tickets: 1 }, { transactions: 1, amount: { min: 1, max: 9, around: 3 } }] }
    - generate[1].amount
    - { generate: [{ tickets: 1 }, { transactions: 1, amount: { min: 1, max: 9 } }] }
`)

for (const [part, words] of Object.entries(ROWS)) {
  const retired = RETIRED_NAMES[part as 'entry'] as Readonly<Record<string, string>>
  t.strictSame(Object.keys(words), Object.keys(retired), `every word of ${part}`)
  for (const [name, [old, place, now]] of Object.entries(words)) {
    t.test(`${part}: ${name} is retired`, async t => {
      const { problems } = await lookedAt({ data: smallFixture(), ...old })
      t.match(
        problems.filter(({ path }) => path === `${place}.${name}`),
        [{ code: 'unknown_name', message: `unknown name ${name}; write ${retired[name]}` }]
      )
      t.ok(
        problems.every(({ path }) => path?.startsWith(place)),
        'and nothing else is wrong'
      )
      const { problems: left, warnings } = await lookedAt({ data: smallFixture(), ...now })
      t.strictSame([left, warnings], [[], []], 'what is written instead loads')
    })
  }
}

t.test('use: override went with the object around the name of a group', async t => {
  const override = { 'every call takes its time': { delay: '2s' } }
  const group = 'outages#slow-service'
  const { problems } = await lookedAt({ use: [{ group, override }] })
  t.match(problems, [
    {
      code: 'wrong_type',
      path: 'use[0]',
      message: `must be text; got an object; ${RETIRED_NAMES.use}`
    }
  ])
  const own = { on: '*', delay: '2s' }
  const { first } = await lookedAt({ use: [group], script: [own] })
  t.strictSame(first?.script.listed()[0]?.entry, own, 'an entry of the scenario is tried first')
})
