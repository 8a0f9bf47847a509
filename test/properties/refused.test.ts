/**
 * Refused requests change neither the state nor the next draws: an emulator that never got them,
 * its twin, stays identical to the byte.
 */
import { equal } from 'node:assert/strict'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { apiCall, type Call, RECORDS } from '../support/calls.js'
import { type Answer, NOW, startTestEmulator } from '../support/emulator.js'
import { property } from '../support/property.js'

const ticket = { location: 'loc_a', reference: 'T' }
const payment = {
  ticket: 'tkt_a',
  payment_type: 'external',
  payment_method: { type: 'external' },
  amount: 5
}
const refund = { transaction: 'txn_a', amount: 1000 }
/** Control requests by path, some valid and some with an invalid end. */
const CONTROL: [on: string, ...bodies: unknown[]][] = [
  [
    'POST /records',
    { tickets: [ticket] },
    { tickets: [ticket, { location: 'loc_none' }] },
    { tickets: [ticket], refunds: [refund] },
    { nothing: [] },
    []
  ],
  [
    'POST /records',
    { transactions: [payment], users: [{}] },
    { api_keys: [{ key: 'sk_new', account: 'none' }] },
    { locations: [{ id: 'loc_b' }] }
  ],
  [
    'POST /records',
    { accounts: [{ id: 'mch_a', type: 'reseller' }] },
    ...[['a b'], ['tkt_x', 'tkt_x']].map(ids => ({ tickets: ids.map(id => ({ ...ticket, id })) }))
  ],
  ['POST /keys', { account: 'mch_a' }, { account: 'none' }, {}, { account: 5 }],
  [
    'POST /load',
    ...[
      'none',
      { seed: -1 },
      { data: { tickets: [ticket] } },
      { steps: [{ do: 'POST /refunds' }] }
    ].map(scenario => ({ scenario })),
    {}
  ],
  ['POST /reset?x=1', undefined],
  ...parse(`
    - [PATCH /settings, {seed: 5}, {seed: 5, pagination: {max_limit: 0}}, {port: 1}, {ids: {length: 8, x: 1}}, {auth: {accept_any_key: none}}]
    - [PATCH /settings, {statuses: {refund_refused: 409}}, {parameters: {unset_required: allow}}, {parameters: {unknown: no}}]
    - [PUT /clock, {now: 2026-04-01}, {now: soon}, {now: 2026-04-01, running: no}, {}]
    - [POST /clock/advance, {by: 1h}, {by: -1h}, {by: 9999y}, {by: 5}]
    - [POST /script, {on: POST /nothing, delay: 1s}, {on: POST /refunds}, {on: POST /refunds, match: {body: {x: 1}}, delay: 1s}]
    - [POST /script, {on: 'DELETE /accounts/{id}', delay: 1s}]
  `),
  ...[
    'DELETE /script/scr_9',
    'PUT /snapshots/one',
    'PUT /snapshots/%20',
    'POST /snapshots/none/restore'
  ].map((on): [string, unknown] => [on, undefined]),
  ['POST /verify', { on: 'POST /nothing' }, { on: 'POST /refunds', times: 99 }, { within: 'long' }],
  ...['DELETE /snapshots/none', 'DELETE /state'].map((on): [string, unknown] => [on, undefined]),
  ['POST /nothing', {}]
]
/** Headers of a control request, usually none. */
const OWN_HEADERS: Record<string, string>[] = [
  ...Array(6).fill({}),
  { origin: 'http://evil.example' },
  { host: 'evil.example' },
  { 'content-type': 'text/plain' }
]
const controlCall: fc.Arbitrary<Call> = fc
  .tuple(
    fc.constantFrom(
      ...CONTROL.flatMap(([on, ...bodies]) =>
        bodies.map(body => ({ on, body: body === undefined ? undefined : JSON.stringify(body) }))
      )
    ),
    fc.constantFrom(...OWN_HEADERS)
  )
  .map(([{ on, body }, own]): Call => {
    return {
      of: 'control',
      on,
      body,
      headers: {
        host: 'localhost',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...own
      }
    }
  })

const SEEN = ['/state', '/settings', '/clock', '/script', '/snapshots']

async function start(t: Test) {
  const { inject, control, nextIds } = await startTestEmulator(t, {
    records: RECORDS,
    logged: false
  })
  const make = ({ of, on, body, headers }: Call): Promise<Answer> => {
    const [method, url] = on.split(' ') as ['POST', string]
    return inject({
      method,
      url: `/${of === 'api' ? 'next' : '_control'}${url}`,
      headers,
      ...(body !== undefined && { payload: body })
    })
  }
  const seen = async () =>
    (await Promise.all(SEEN.map(async path => (await control(`GET ${path}`)).text))).join('\n')
  const begin = async () => {
    for (const { name } of (await control('GET /snapshots')).body.data)
      await control(`DELETE /snapshots/${name}`)
    equal((await control('POST /load', { scenario: { clock: NOW, data: startState } })).status, 200)
  }
  const startState = (await control('GET /state')).body
  return { make, seen, begin, nextIds }
}

t.test('through the API', async t => {
  const one = await start(t)
  const twin = await start(t)
  const statuses = new Map<boolean, number>()

  await property(
    t,
    'A08: whatever is refused changes nothing, and a twin that never got it draws the same ids',
    {
      of: fc.array(fc.oneof({ weight: 3, arbitrary: apiCall }, controlCall), {
        minLength: 1,
        maxLength: 12
      }),
      runs: 24
    },
    async calls => {
      await one.begin()
      await twin.begin()
      let before = await one.seen()
      for (const call of calls) {
        const { status, text } = await one.make(call)
        const after = await one.seen()
        const isRefused = status >= 400
        statuses.set(isRefused, (statuses.get(isRefused) ?? 0) + 1)
        if (isRefused) equal(after, before)
        else equal((await twin.make(call)).text, text)
        before = after
      }

      equal(before, await twin.seen())
      equal((await one.nextIds()).join(), (await twin.nextIds()).join())
      equal(await one.seen(), await twin.seen())
    }
  )

  const isShort = process.env.FAST_CHECK_RUNS !== undefined && 'the number of runs was given'
  await t.test('many requests of both kinds were generated', { skip: isShort }, async t => {
    const [refused = 0, made = 0] = [statuses.get(true), statuses.get(false)]
    t.ok(refused > 50 && made > 25, `${refused} refused, ${made} made`)
  })
})
