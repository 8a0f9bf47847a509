/** Responses of steps and plays, as expectations refer to them. */
import { writeFile } from 'node:fs/promises'
import t from 'tap'
import { connect } from '../../../src/client/connect.js'
import type { Verdict } from '../../../src/client/documents.js'
import { type RunOptions, runEmulator } from '../../../src/emulator.js'
import { failuresIn } from '../../support/checked.js'
import { coded } from '../../support/codes.js'
import { smallFixture } from '../../support/emulator.js'
import { lookedAt } from '../../support/first-state.js'

const PAY = {
  as: 'pay',
  do: 'POST /transactions',
  body: { ticket: 'tkt_a', payment_type: 'external', amount: 1000 }
}
const PAY_AGAIN = { do: PAY.do, body: PAY.body }
/** Each refers to the response of `pay` in another place. */
// biome-ignore format: a table
const EXPECT = [
  { on: 'POST /refunds', match: { body: { transaction: '${pay.id}' } }, times: 1 },
  { on: 'POST /refunds', match: { body: { amount: { lt: '${pay.amount}' } } }, times: 1 },
  { sequence: [{ on: 'POST /refunds', match: { about: { transaction: ['${ pay.id }'] } } }] },
  {
    state: { transactions: { '${pay.id}': { ticket: '${pay.ticket}', amount: '${pay.amount}', amount_refunded: { lt: '${pay.amount}' } } } }
  },
  { state: { refunds: { count: 1, where: { transaction: '${pay.id}', currency: '${pay.currency}' } } } }
]

t.test('expect: responses of steps are known by their names', async t => {
  const data = `${t.testdir()}/data`
  const ofPlay = { on: 'GET /tickets', match: { query: { location: '${later.url}' } }, times: 0 }
  const scenario = {
    data: smallFixture(),
    steps: [PAY],
    play: [{ as: 'later', do: 'GET /tickets' }],
    expect: [...EXPECT, ofPlay]
  }
  const started = async (options: RunOptions) => {
    const running = await runEmulator({ ...options, settings: { data } })
    t.teardown(() => running.close().catch(() => {}))
    return { ...running, client: await connect({ url: new URL(running.baseUrl).origin }) }
  }
  const first = await started({ scenario })
  const [paid] = (await first.client.state()).transactions
  const refund = { body: { transaction: paid?.id ?? '', amount: 400 }, key: 'sk_merchant' }
  const held = async ({ client }: typeof first) => {
    const { expectations } = await client
      .verify()
      .catch(({ verdict }: { verdict: Verdict }) => verdict)
    return expectations?.map(({ holds }) => holds)
  }

  const none = [false, false, false, false, false, false]
  const met = [true, true, true, true, true, false]
  t.strictSame(await held(first), none, 'before a request')
  await first.client.inject('POST /refunds', refund)
  t.strictSame(await held(first), met, 'all but the one about a play that was not sent')
  await first.client.reset()
  t.strictSame(await held(first), none, 'after a reset')
  await first.close()

  const again = await started({})
  await again.client.inject('POST /refunds', refund)
  t.strictSame(await held(again), met, 'after a restart')
  await again.close()
})

t.test('expect: check knows the responses of steps and plays', async t => {
  const refund = { do: 'POST /refunds', body: { transaction: '${pay.id}', amount: 400 } }
  // biome-ignore format: a table
  const cases: [scenario: object, status: number][] = [
    [{ steps: [PAY, refund], expect: EXPECT }, 0], [{ play: [PAY, refund], expect: EXPECT }, 0],
    [{ steps: [PAY], play: [refund], expect: EXPECT }, 0],
    [
      {
        play: [PAY],
        expect: [{ state: { transactions: { '${pay.id}': { tip_amount: '${pay.tip_amount}', payment_type: '${pay.payment_type}' } } } }]
      },
      0
    ],
    [{ play: [PAY], expect: [{ state: { transactions: { '${pay.id}': { tip_amount: '${pay.amount}' } } } }] }, 1],
    [{ play: [PAY], expect: [{ on: 'POST /transactions', match: { body: { tip_amount: '${pay.tip_amount}' } } }] }, 1],
    [{ play: [PAY, PAY_AGAIN], expect: [{ on: 'POST /transactions', match: { body: { tip_amount: '${pay.tip_amount}' } }, times: 1 }] }, 0],
    [{ play: [PAY], expect: [{ state: { transactions: { '${pay.id}': { ticket: '${pay.location}' } } } }] }, 1],
    [{ play: [PAY], expect: [{ on: 'POST /transactions', match: { body: { ticket: '${pay.location}' } } }] }, 1],
    [{ play: [PAY], expect: [{ on: 'POST /transactions', match: { body: { amount: { gt: '${pay.tip_amount}' } } } }] }, 1],
    [{ play: [{ ...PAY, body: { ...PAY.body, amount: 400 } }, refund], expect: EXPECT }, 1],
    [{ play: [{ ...PAY, expect: { status: 402 } }], expect: [{ state: { transactions: { '${pay.id}': {} } } }] }, 1],
    [{ play: [{ ...PAY, expect: { status: 402 } }], expect: [{ state: { transactions: { count: 1, where: { id: '${pay.id}' } } } }] }, 1]
  ]
  const folder = t.testdir()
  for (const [nth, [scenario, status]] of cases.entries()) {
    const file = `${folder}/${nth}.json`
    await writeFile(file, JSON.stringify({ data: smallFixture(), ...scenario }))
    t.equal((await failuresIn([file])).length === 0, status === 0, JSON.stringify(scenario))
  }
})

t.test('expect: an unknown record is a problem', async t => {
  const z = 'z'.repeat(24)
  // biome-ignore format: a table
  const cases: [state: object, problem?: string][] = [
    [{ refunds: { sums: { amount: 5 } } }, 'refunds.sums'], [{ tickets: { tkt_z: {} } }, 'tickets.tkt_z'],
    [{ refunds: { count: 1, where: { transaction: `txn_${z}` } } }], [{ tickets: { [`tkt_${z}`]: {} } }, `tickets.tkt_${z}`],
    [{ transactions: { count: 1, where: { ticket: ['tkt_a', 'b'] } } }, 'transactions.where.ticket[1]'],
    [{ transactions: { count: 1, where: { id: `txn_${z}` } } }],
    [{ transactions: { every: { ticket: { id: 'tkt_z' } } } }, 'transactions.every.ticket.id'],
    [{ transactions: { every: { ticket: { location: `loc_${z}`, reference: 'tkt_z' } } } }],
    [{ accounts: { [`rsl_${z}`]: {} } }], [{ users: { [`usr_${z}`]: null, '${pay.id}': {} } }],
    [{ tickets: { tkt_y: { location: 'loc_a' } } }]
  ]
  const change = { data: { tickets: [{ id: 'tkt_y', location: 'loc_a' }] } }
  for (const [state, problem] of cases) {
    const { problems, warnings } = await lookedAt({
      data: smallFixture(),
      script: [{ on: 'GET /tickets', change }],
      steps: [PAY],
      expect: [{ state }]
    })
    t.strictSame(
      problems.map(({ path, ...said }) => coded(path, said)),
      problem === undefined ? [] : [`expect[0].state.${problem} missing_record`],
      JSON.stringify(state)
    )
    t.strictSame(warnings, [])
  }
  const { problems } = await lookedAt({
    data: smallFixture(),
    expect: [{ state: { refunds: { evry: {} } } }]
  })
  t.match(problems[0]?.message, /; did you mean every\?$/)
})

t.test('script: entries after a missing entry', async t => {
  const waits = (after: string) => ({
    on: '*',
    after,
    delay: '1s'
  })
  const script = [
    { name: 'down', on: 'GET /tickets', calls: 1, fault: 'hang' },
    { name: 'flawed', on: 'GET /tickets', calls: 'x', fault: 'hang' },
    ...['down', 'flawed', 'dwon'].map(waits)
  ]
  const waiting = (await lookedAt({ data: smallFixture(), script })).problems.map(
    ({ path, ...said }) => coded(path, said)
  )
  t.strictSame(waiting, ['script[1].calls not_counts', 'script[4].after unknown_entry'])
  const on = ['* /transactions', 'POST /refunds']
  const match = { about: { ticket: 'tkt_y' }, body: { ticket: ['tkt_a', 'tkt_z'] } }
  const { problems } = await lookedAt({
    data: smallFixture(),
    script: [{ on, match, delay: '1s' }]
  })
  t.strictSame(
    problems.map(({ path, ...said }) => coded(path, said)),
    ['script[0].match.body.ticket[1] missing_record', 'script[0].match.about.ticket missing_record']
  )
})
