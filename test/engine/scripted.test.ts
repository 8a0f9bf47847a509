import t from 'tap'
import { parse } from 'yaml'
import { ApiError } from '../../src/core/errors.js'
import { recordsChanged, scriptAction, tookEffect } from '../../src/engine/outcome.js'
import { headersOf, refuseInstead } from '../../src/engine/response.js'
import { close, textOf } from '../../src/evidence/entry.js'
import { Changers } from '../../src/evidence/evidence.js'
import { judgementOf } from '../../src/evidence/judgement.js'
import { Findings } from '../../src/evidence/mistakes.js'
import { deleteRecord } from '../../src/sandbox/records.js'
import type { Action } from '../../src/scenario/script.js'
import { blameOf, type Call, NOW, RESELLER, smallFixture } from '../support/requests.js'
import { recordsOf, startWorld, stateOf } from '../support/world.js'

const CARD = '4000000000000002'
const JSON_TYPE = 'application/json; charset=utf-8'
const records = {
  transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 100_000 }],
  refunds: [{ id: 'rfd_a', transaction: 'txn_a', amount: 100 }]
}
/** A world with a script. */
const scripted = (script: object[], more: object = {}) =>
  startWorld({ scenario: { clock: NOW, data: smallFixture(records), script, ...more } })
type World = Awaited<ReturnType<typeof scripted>>['world']
const countsOf = ({ state }: World) =>
  state.script.listed().map(({ matched, applied }) => [matched, applied])

t.test('respond replaces the operation, and nothing is changed', async t => {
  const error = (type: string, code: string, message: string, more: object = {}) => ({
    error: { type, code, message, ...more, request_id: 'ID' }
  })
  const cases: [respond: object, status: number, type: string | undefined, body: unknown][] = [
    [{ status: 503, body: '', headers: { 'Retry-After': '2' } }, 503, undefined, ''],
    [
      { status: 503, retry_after: '1500ms' },
      503,
      JSON_TYPE,
      error('api_error', 'service_unavailable', 'The service is unavailable; try again later.')
    ],
    [
      { status: 402 },
      402,
      JSON_TYPE,
      error('card_error', 'card_declined', 'The card was declined.')
    ],
    [
      { status: 402, error: { code: 'expired_card' } },
      402,
      JSON_TYPE,
      error('card_error', 'expired_card', 'The card was declined.')
    ],
    [
      { status: 418, error: {} },
      418,
      JSON_TYPE,
      error('invalid_request_error', 'parameter_invalid', 'The request is not valid.')
    ],
    [{ status: 507 }, 507, JSON_TYPE, error('api_error', 'internal_error', 'The service failed.')],
    [{ status: 302 }, 302, undefined, ''],
    [{ status: 204 }, 204, undefined, ''],
    ...parse(`
      - [{body: {id: rfd_x, made_up: [1, null]}}, 200, ${JSON_TYPE}, {id: rfd_x, made_up: [1, null]}]
      - [{status: 201, body: []}, 201, ${JSON_TYPE}, []]
      - [{body: null}, 200, ${JSON_TYPE}, null]
      - [{body: 0}, 200, ${JSON_TYPE}, 0]
      - [{status: 502, body: <h1>Bad Gateway</h1>, headers: {content-type: text/html}}, 502, text/html, <h1>Bad Gateway</h1>]
      - [{body: plain}, 200, text/plain; charset=utf-8, plain]
    `),
    [{ body: '' }, 200, undefined, ''],
    [
      { error: { code: 'card_declined', message: 'No.' } },
      400,
      JSON_TYPE,
      error('invalid_request_error', 'card_declined', 'No.')
    ],
    [
      {
        status: 402,
        error: { type: 'card_error', code: 'card_declined', message: 'No.', param: 'card[number]' }
      },
      402,
      JSON_TYPE,
      error('card_error', 'card_declined', 'No.', { param: 'card[number]' })
    ]
  ]
  const script = cases.map(([respond], index) => ({
    on: 'POST /refunds',
    calls: index + 1,
    respond
  }))
  const { call, world } = await scripted(script, { settings: { statuses: { created: 201 } } })
  const before = stateOf(world)
  for (const [nth, [respond, status, type, expected]] of cases.entries()) {
    const { headers, text, ...answer } = call('POST /refunds', {
      body: 'transaction=txn_a',
      headers: { origin: 'https://shop.example' }
    })

    const { 'content-type': sent, 'retry-after': wait, ...others } = headers
    t.strictSame(
      [answer.status, sent, wait],
      [status, type, status === 503 ? '2' : undefined],
      JSON.stringify(respond)
    )
    t.equal(
      text,
      typeof expected === 'string'
        ? expected
        : JSON.stringify(expected).replace('ID', `req_${nth + 1}`)
    )
    const cors = {
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'Request-Id, Warning'
    }
    t.strictSame(others, { 'request-id': `req_${nth + 1}`, ...cors })
  }
  t.equal(stateOf(world), before)
  t.equal(
    call('POST /refunds', { body: 'transaction=txn_a' }).status,
    201,
    'and the operation itself is made when no entry applies'
  )
})

t.test('respond.patch: changes a response; a refusal and an empty body stay', async t => {
  const cases: [
    on: string,
    options: Call,
    respond: object,
    status: number,
    type: string | undefined,
    shown: object | string,
    outcome: string
  ][] = [
    [
      'POST /refunds',
      { body: 'transaction=txn_a&amount=5' },
      { patch: { amount: '5', extra: [1] } },
      201,
      JSON_TYPE,
      { amount: '5', extra: [1] },
      'scripted'
    ],
    [
      'POST /refunds',
      { body: 'transaction=txn_a' },
      { patch: { amount: null }, status: 202 },
      202,
      JSON_TYPE,
      { amount: undefined, reason: null },
      'scripted'
    ],
    ...parse(`
      - [POST /refunds, {body: transaction=txn_a}, {patch: {amount: 1}, status: 202, headers: {x-a: b}}, 400, ${JSON_TYPE}, {}, refused]
      - [GET /transactions/txn_a, {}, {patch: {payment_method: {type: null, card: {}}}, retry_after: 2s}, 200, ${JSON_TYPE}, {id: txn_a}, scripted]
      - [GET /refunds, {}, {patch: {has_more: true, data: []}, headers: {Content-Type: text/plain}}, 200, text/plain, '{"object":"list",', scripted]
    `),
    [
      'DELETE /accounts/mch_a/users/usr_a',
      {},
      { patch: { id: 'x' }, status: 200 },
      204,
      undefined,
      '',
      'answered'
    ]
  ]
  const users = [{ id: 'usr_a', account: 'mch_a', name: 'Ana', email: 'ana@example.com' }]
  const script = cases.map(([on, , respond], nth) => ({
    on: nth === 5 ? '*' : on.replace(/txn_a$/, '{id}'),
    calls: on === 'POST /refunds' ? nth + 1 : '1+',
    respond
  }))
  const { executed, world } = await scripted(script, {
    data: smallFixture({ ...records, users }),
    settings: { statuses: { created: 201 } }
  })
  for (const [on, options, respond, status, type, shown, outcome] of cases) {
    const exchange = executed(on, options)
    const { 'content-type': sent, 'x-a': own, 'retry-after': wait } = headersOf(exchange.response)
    const text = String(exchange.response.payload)
    t.strictSame(
      [exchange.outcome.status, sent, own, exchange.outcome.name],
      [status, type, undefined, outcome],
      `${on} ${JSON.stringify(respond)}`
    )
    t.equal(textOf(exchange), text, 'the journal shows what was sent')
    t.equal(wait, 'retry_after' in respond ? '2' : undefined)
    if (typeof shown === 'string') t.ok(text.startsWith(shown), text)
    else
      for (const [name, value] of Object.entries(shown))
        t.strictSame(JSON.parse(text)[name], value, name)
    const isChange = !on.startsWith('GET') && outcome !== 'refused'
    t.equal(tookEffect(exchange), isChange, 'the effect counts as made')
    const kept = judgementOf(exchange).passed
    t.equal(
      kept.includes('REF-1') || kept.includes('LIST-1'),
      false,
      'the answer proves nothing of the operation'
    )
    t.ok(outcome === 'refused' || kept.includes('AUTH-1'), 'nor is the way in forgotten')
  }
  t.equal(world.state.store.transactions.get('txn_a')?.amount_refunded, 100_000)

  t.strictSame(
    world.state.script.listed().map(({ applied }) => applied),
    [1, 1, 0, 1, 1, 0],
    'where nothing was changed, the entry was not applied'
  )

  const { executed: again } = await scripted([
    { on: 'POST /refunds', respond: { patch: { amount: 1 } } }
  ])
  const [lost, unwritten] = [
    again('POST /refunds', { body: 'transaction=txn_a&amount=1' }),
    again('POST /refunds', { body: 'transaction=txn_a&amount=2' })
  ]
  const noRoom = new ApiError('data_not_written', { message: 'No room.' })
  const ended = [
    close(lost.response, false, 0),
    close(refuseInstead(unwritten.response, noRoom), true, 0)
  ]
  t.strictSame(
    ended.map(({ outcome }) => outcome.name),
    ['lost_after', 'not_written']
  )
  t.strictSame(ended.map(tookEffect), [true, true])
  const { executed: pay } = await scripted([
    { on: 'POST /transactions', respond: { patch: { amount: 1 } } }
  ])
  const paid = pay('POST /transactions', {
    key: null,
    body: 'ticket=tkt_a&payment_type=card&bank_account[bank_name]=b'
  })
  const found = new Findings()
    .look(paid, paid.reading, new Changers())
    .map(({ finding }) => finding)
  t.strictSame(
    found,
    ['zero-payment', 'unused-parameter'],
    'what the client did wrong is found all the same'
  )
})

t.test('change: creates, replaces and deletes before or after, all or nothing', async t => {
  const OTHER = {
    transactions: [{ id: 'txn_b', ticket: 'tkt_a', payment_type: 'card', amount: 50 }]
  }
  const users = [{ id: 'usr_a', account: 'mch_a', name: 'Ana', email: 'ana@example.com' }]
  const shown = ({
    body
  }: {
    body: { data?: { id: string }[]; id?: string; error?: { code: string } }
  }) => body.data?.map(({ id }) => id) ?? body.id ?? body.error?.code
  const cases: [
    title: string,
    entry: object,
    on: string,
    call: Call,
    shown: unknown,
    changed: string[],
    tookEffect: boolean
  ][] = [
    [
      'before a list',
      { change: { data: OTHER } },
      'GET /transactions',
      {},
      ['txn_b', 'txn_a'],
      ['txn_b'],
      false
    ],
    [
      'after a list',
      { change: { data: OTHER }, when: 'after' },
      'GET /transactions',
      {},
      ['txn_a'],
      ['txn_b'],
      false
    ],
    ...parse(`
      - [a record that is gone, {change: {delete: [rfd_a]}}, GET /refunds/rfd_a, {}, resource_missing, [rfd_a], false]
      - - a charge that is gone
        - {change: {delete: [txn_a, rfd_a]}}
        - POST /refunds
        - {body: transaction=txn_a}
        - reference_missing
        - [rfd_a, txn_a]
        - false
      - - a charge that is lower
        - {change: {data: {transactions: [{id: txn_a, ticket: tkt_a, payment_type: card, amount: 150}]}}}
        - POST /refunds
        - {body: transaction=txn_a&amount=60}
        - refund_exceeds_remaining
        - [txn_a]
        - false
    `),
    [
      'after a refusal',
      { change: { data: OTHER }, when: 'after' },
      'POST /refunds',
      { body: 'transaction=txn_a&amount=100001' },
      'refund_exceeds_remaining',
      ['txn_b'],
      false
    ],
    [
      'not after what never ran',
      { change: { data: OTHER, delete: ['rfd_a'] }, when: 'after' },
      'POST /refunds',
      { body: 'transaction=txn_none' },
      'reference_missing',
      [],
      false
    ],
    [
      'with an answer in place of the operation',
      { change: { data: OTHER }, respond: { status: 402 } },
      'POST /refunds',
      { body: 'transaction=txn_a' },
      'card_declined',
      ['txn_b'],
      false
    ],
    [
      'with a changed answer',
      { change: { data: OTHER }, when: 'after', respond: { patch: { id: 'x' } } },
      'GET /transactions/txn_a',
      {},
      'x',
      ['txn_b'],
      false
    ],
    [
      'with a change of its own',
      { change: { delete: ['rfd_a'] } },
      'DELETE /accounts/mch_a/users/usr_a',
      {},
      undefined,
      ['usr_a', 'rfd_a'],
      true
    ],
    parse(`
      - replaced as new
      - {change: {data: {refunds: [{id: rfd_a, transaction: txn_a, amount: 7}]}, delete: [rfd_a]}}
      - GET /refunds/rfd_a
      - {}
      - rfd_a
      - [rfd_a, rfd_a]
      - false
    `)
  ]
  for (const [title, entry, on, options, expected, changed, effect] of cases) {
    const { executed, world } = await scripted([{ on: '*', calls: 1, ...entry }], {
      data: smallFixture({ ...records, users })
    })
    const { place } = world.inputs
    const before = stateOf(world)
    const exchange = executed(on, options)
    const text = String(exchange.response.payload)
    t.strictSame(shown({ body: text === '' ? {} : JSON.parse(text) }), expected, title)
    t.strictSame(
      recordsChanged(exchange).map(({ id }) => id),
      changed,
      title
    )
    t.strictSame([exchange.script?.problem ?? null, tookEffect(exchange)], [null, effect], title)
    t.equal(stateOf(world) !== before, changed.length > 0)
    t.equal(exchange.place + exchange.changes, world.inputs.place, 'its changes are the last ones')
    t.equal(
      stateOf({ ...world, state: await world.inputs.stateAt(place) } as typeof world),
      before,
      'and can be taken back'
    )
    t.equal(
      recordsOf({ state: await world.inputs.stateAt(world.inputs.place) }),
      recordsOf(world),
      'or made again'
    )
  }

  const wrong: [change: object, problem: string][] = [
    ...parse(`
      - [{data: {refunds: [{transaction: txn_late, amount: 5}]}}, 'change.data.refunds[0].transaction: no Transaction has the id txn_late']
      - [{delete: [txn_a]}, 'change.delete[0]: txn_a cannot be deleted: rfd_a refers to it']
      - [{delete: [rfd_a, mch_a, txn_a]}, 'change.delete[1]: mch_a cannot be deleted: loc_a, an API key refer to it']
      - [{delete: [rfd_drawn]}, 'change.delete[0]: no record has the id rfd_drawn']
      - - {data: {tickets: [{location: loc_a}], refunds: [{transaction: txn_a, amount: 99901}]}}
        - 'change.data.refunds[0].amount: txn_a was charged 100000 usd'
    `),
    [
      { data: { tickets: new Array(30).fill({ location: 'loc_a' }) } },
      'change: The sandbox would hold 36 records; limits.records allows 30.'
    ]
  ]
  for (const [change, problem] of wrong) {
    const { executed, world } = await startWorld({
      scenario: {
        clock: NOW,
        data: smallFixture(records),
        script: [{ on: 'GET /tickets', name: 'n', change }]
      },
      settings: { 'limits.records': 30 }
    })
    const before = stateOf(world)
    const exchange = executed('GET /tickets')
    t.ok(exchange.script?.problem?.startsWith(problem), `${exchange.script?.problem}`)
    t.equal(stateOf(world), before, 'nothing is changed')
    t.strictSame(
      [exchange.outcome.status, scriptAction(exchange)],
      [
        200,
        { id: 'scr_1', name: 'n', fault: null, applied: false, problem: exchange.script?.problem }
      ]
    )
    t.strictSame(
      new Findings().look(exchange, exchange.reading, new Changers()).map(({ finding }) => finding),
      ['change-not-made']
    )
  }

  // a defect of the emulator
  const defective = await scripted([{ on: 'GET /tickets', change: { data: OTHER } }])
  Object.assign(defective.world, { noteRecords: null })
  t.throws(() => defective.executed('GET /tickets'), TypeError)

  // deleting a record that is gone is fine; records without an id are created each time
  const { executed, call } = await scripted([
    {
      on: 'GET /refunds',
      change: { delete: ['rfd_a'], data: { tickets: [{ location: 'loc_a' }] } }
    }
  ])
  t.strictSame(
    [executed('GET /refunds').script?.problem, executed('GET /refunds').script?.problem],
    [null, null]
  )
  t.equal(call('GET /tickets').body.data.length, 3)
})

t.test("stale: records and lists are as they were then, by the sandbox's clock", async t => {
  const users = [{ id: 'usr_a', account: 'mch_a', name: 'Ana', email: 'ana@example.com' }]
  const tickets = [{ id: 'tkt_b', location: 'loc_a' }]
  const { call, executed, world } = await scripted([{ on: '*', stale: '5s' }], {
    data: smallFixture({ ...records, users, tickets })
  })
  const refund = (amount: number) =>
    call('POST /refunds', { body: { transaction: 'txn_a', amount } }).body.id
  const listed = () =>
    call('GET /refunds').body.data.map(({ amount }: { amount: number }) => amount)
  const refunded = () => call('GET /transactions/txn_a').body
  const seen = (by: number) => {
    world.setClock({ by })
    const { amount_refunded, refunds } = refunded()
    return [listed(), amount_refunded, refunds.data.length]
  }

  const first = refund(1)
  t.strictSame(seen(0), [[100], 100, 1], 'not yet')
  t.strictSame(
    blameOf(call(`GET /refunds/${first}`)),
    [404, 'resource_missing', 'id', 'A08'],
    'A08: what is not there yet is missing'
  )
  t.equal(
    call('GET /refunds', { query: `starting_after=${first}` }).status,
    400,
    'A10: nor is it a cursor'
  )
  t.strictSame(seen(4999), [[100], 100, 1])
  refund(2)
  t.strictSame(seen(1), [[1, 100], 101, 2], 'the first, five seconds later')
  t.equal(call(`GET /refunds/${first}`).body.amount, 1)
  t.strictSame(seen(4999), [[2, 1, 100], 103, 3], 'the second, after as long')
  call('DELETE /accounts/mch_a/users/usr_a')
  deleteRecord(world, 'tickets', 'tkt_b')
  const isThere = () => [
    call('GET /accounts/mch_a/users').body.data.length,
    call('GET /tickets/tkt_b').status
  ]
  t.strictSame(isThere(), [1, 200], 'what is deleted is there for as long')
  world.setClock({ by: 5000 })
  t.strictSame(isThere(), [0, 404])
  refund(4)
  world.setClock({ by: -60_000 })
  t.strictSame(seen(0), [[100], 100, 1], 'a clock that is set back shows what was known before')
  world.reset()
  t.strictSame(seen(0), [[100], 100, 1])
  t.strictSame(
    [executed('GET /refunds').outcome.name, listed().length, refund(5) !== undefined],
    ['answered', 1, true]
  )

  // a response instead of older data, and a changed one
  const { call: patched, world: other } = await scripted([
    { on: 'GET /refunds', stale: '5s', respond: { patch: { has_more: true } } }
  ])
  patched('POST /refunds', { body: { transaction: 'txn_a', amount: 1 } })
  const { data, has_more } = patched('GET /refunds').body
  t.strictSame([data.length, has_more], [1, true])
  other.setClock({ by: 5000 })
  t.equal(patched('GET /refunds').body.data.length, 2)

  // as many changes are kept as the journal has requests
  const { world: full, call: many } = await startWorld({
    scenario: {
      clock: NOW,
      data: smallFixture(records),
      script: [{ on: 'GET /refunds', stale: '1h' }]
    },
    settings: { 'limits.journal': 100 }
  })
  for (let nth = 0; nth < 350; nth++)
    many('POST /refunds', { body: { transaction: 'txn_a', amount: 1 } })
  const { data: known } = many('GET /refunds', { query: 'limit=100' }).body
  const { amount_refunded } = (
    await full.inputs.stateAt(full.inputs.earliest)
  ).store.transactions.get('txn_a') ?? { amount_refunded: 0 }
  t.strictSame([known.length, amount_refunded], [100, 351], 'the first state that is known')
  const { amount_refunded: before } = full.past(3_600_000).transactions.get('txn_a') ?? {
    amount_refunded: 0
  }
  t.equal(before, amount_refunded)
})

t.test('when: after: the operation takes effect, then the script responds', async t => {
  const html = { status: 502, body: '<p>', headers: { 'content-type': 'text/html' } }
  const cases: [respond: object, more: object, body: string, ...shown: unknown[]][] = [
    [html, {}, 'amount=5', 502, '<p>', true, 1, undefined],
    [
      { status: 504 },
      { per: 'transaction', calls: '1+' },
      'amount=5',
      504,
      /timeout/,
      true,
      1,
      undefined
    ],
    [{}, {}, 'amount=5', 200, '', true, 1, undefined],
    [{ status: 503 }, { fault: 'hang' }, 'amount=5', 503, /unavailable/, true, 1, undefined],
    [html, {}, 'amount=5000000', 400, /amount/, false, 0, false],
    [html, { per: 'transaction', calls: '1+' }, 'amount=5000000', 400, /amount/, false, 0, false],
    [html, { for: '5s', fault: 'hang' }, 'amount=5000000', 400, /amount/, false, 1, undefined],
    [html, { delay: '1s' }, 'amount=5000000', 400, /amount/, false, 1, undefined],
    [{ patch: { a: 1 } }, { for: '5s' }, 'amount=5000000', 400, /amount/, false, 0, false]
  ]
  for (const [respond, more, body, status, text, isMade, count, applied] of cases) {
    const { executed, world } = await scripted([
      { on: 'POST /refunds', when: 'after', respond, ...more }
    ])

    const exchange = executed('POST /refunds', { body: `transaction=txn_a&${body}` })

    const said = JSON.stringify([respond, more, body])
    t.strictSame(
      [exchange.outcome.status, tookEffect(exchange), scriptAction(exchange)?.applied],
      [status, isMade, applied],
      said
    )
    t.match(textOf(exchange), text as string, said)
    t.equal(textOf(exchange), String(exchange.response.payload), 'the journal shows what was sent')
    t.equal(world.state.store.refunds.size, isMade ? 2 : 1, said)
    const [entry] = world.state.script.listed()
    t.strictSame([entry?.matched, entry?.applied], [1, count], said)
    t.strictSame(
      entry?.values?.map(({ applied }) => applied),
      'per' in more ? [count] : undefined
    )
    t.equal(world.state.script.unused().length, count === 1 ? 0 : 1)
    t.equal(entry?.first === undefined, count === 0 || !('for' in more))
  }
  const { executed, world } = await scripted(
    parse(`
    - {on: POST /refunds, name: a, match: {body: {amount: 5}}, respond: {patch: {a: 1}}}
    - {on: GET /refunds, calls: 0, delay: 1s}
  `)
  )
  const exchange = executed('POST /refunds', { body: 'transaction=txn_a&amount=5' })
  t.strictSame(world.state.script.unused(), [], 'an entry for 0 calls is applied to none')
  world.state.script.clear()
  world.state.script.retract(exchange.script?.action as Action, () =>
    t.fail('of an entry that is gone')
  )
  t.equal(scriptAction(exchange)?.applied, false)
})

t.test('match: what a request is about is found through the records it names', async t => {
  const charge = { transaction: 'txn_a', ticket: 'tkt_a', location: 'loc_a', account: 'mch_a' }
  const about = (what: object) => ({ on: '*', match: { about: what }, respond: { status: 503 } })
  const cases: [on: string, call: Call, about: object][] = [
    [
      'POST /transactions',
      { body: 'ticket=tkt_a&payment_type=external', key: null },
      { ticket: 'tkt_a', location: 'loc_a', account: 'mch_a' }
    ],
    ['POST /refunds', { body: 'transaction=txn_a' }, charge],
    ['GET /transactions/txn_a', {}, charge],
    ['GET /tickets/tkt_a', {}, { ticket: 'tkt_a', location: 'loc_a', account: 'mch_a' }],
    ['GET /tickets', { query: 'location=loc_a' }, { location: 'loc_a', account: 'mch_a' }],
    ['GET /refunds', { query: 'transaction=txn_a' }, charge],
    ['GET /locations/loc_a', {}, { location: 'loc_a', account: 'mch_a' }],
    ['GET /accounts/mch_a', {}, { account: 'mch_a' }],
    ['GET /accounts/mch_a/users', {}, { account: 'mch_a' }],
    ['DELETE /accounts/mch_a/users/usr_none', {}, { account: 'mch_a' }],
    ['GET /refunds/rfd_a', {}, charge],
    ['GET /refunds/rfd_none', {}, { account: 'mch_a' }],
    ['GET /refunds', {}, { account: 'mch_a' }]
  ]
  const kinds = ['location', 'ticket', 'transaction', 'account'] as const
  for (const [on, options, expected] of cases) {
    const { world, executed } = await scripted(
      kinds.map(what => ({ ...about({ [what]: '//' }), calls: 1 }))
    )
    for (let nth = 0; nth < 4; nth++) executed(on, options)
    t.strictSame(
      countsOf(world).map(([matched]) => matched !== 0),
      kinds.map(what => what in expected),
      on
    )
    const { call: exact } = await scripted([about(expected)])
    t.equal(exact(on, options).status, 503, `${on} ${JSON.stringify(expected)}`)
    const { call: other } = await scripted([about({ ...expected, account: 'mch_b' })])
    t.not(other(on, options).status, 503)
  }

  const expect = [
    { on: 'POST /transactions', match: { about: { account: { present: false } } }, times: 1 }
  ]
  const { call, world } = await scripted([], { expect })
  t.equal(
    call('POST /transactions', { body: 'ticket=tkt_none&payment_type=external', key: null }).status,
    400
  )
  t.ok(
    (await world.tally.verdicts(world.state.store))[0]?.holds,
    'a request without a key that names nothing is about nobody'
  )
})

t.test('match: params, query, nested names, the key', async t => {
  const body = (text: string) => ({ respond: { body: text } })
  const { call } = await scripted([
    {
      on: 'GET /tickets/{id}',
      match: { params: { id: 'tkt_a' }, key: RESELLER },
      ...body('by key')
    },
    {
      on: 'GET /tickets',
      match: { query: { created: { gte: '/^2026/' } } },
      ...body('by query')
    },
    {
      on: 'POST /transactions',
      match: { body: { customer: { email: ['a@example.com', '/@b\\.example$/'] } } },
      ...body('by list')
    },
    {
      on: 'POST /transactions',
      match: { body: { 'amounts[tip_amount]': 5 } },
      ...body('by number')
    },
    { on: 'GET /locations', match: { headers: { 'X-Build': '7' } }, ...body('by a header') },
    { on: 'POST /transactions', match: { key: '/./' }, ...body('by any key') },
    {
      on: 'POST /transactions',
      match: { body: { card: { present: false } } },
      ...body('without a card')
    }
  ])
  const pay = (form: string, key: string | null = null) =>
    call('POST /transactions', {
      key,
      body: `ticket=tkt_a&payment_type=card&card[brand]=visa&${form}`
    })

  t.equal(call('GET /tickets/tkt_a', { key: RESELLER }).text, 'by key')
  t.equal(call('GET /tickets/tkt_a').body.id, 'tkt_a')
  t.equal(call('GET /tickets', { query: 'created%5Bgte%5D=2026-01-01' }).text, 'by query')
  t.equal(call('GET /tickets', { query: 'created[gte]=2025-01-01' }).status, 200)
  t.equal(call('GET /locations', { headers: { 'x-build': '7' } }).text, 'by a header')
  t.equal(call('GET /locations').body.object, 'list')
  t.equal(call('GET /tickets').body.object, 'list')
  t.equal(pay('customer[email]=x@b.example').text, 'by list')
  t.equal(pay('amounts[tip_amount]=5').text, 'by number')
  t.equal(pay('amounts[tip_amount]=50').body.object, 'transaction')
  t.equal(pay('amount=1', 'anything').text, 'by any key')
  t.equal(
    call('POST /transactions', { key: null, body: 'ticket=tkt_a&payment_type=card' }).text,
    'without a card'
  )
})

t.test('the script neither counts nor matches requests refused for key or parameters', async t => {
  const { call, world } = await scripted([{ on: 'POST /refunds', respond: { status: 418 } }])
  const refused: [options: Call, status: number][] = [
    [{ key: null, body: 'transaction=txn_a' }, 401],
    [{ key: 'nope', body: 'transaction=txn_a' }, 401],
    [{ body: '{}', headers: { 'content-type': 'application/json' } }, 415],
    [{ body: 'transaction=%zz' }, 400],
    [{ body: 'transaction=txn_a&colour=red' }, 400],
    [{ body: '' }, 400],
    [{ body: 'transaction=txn_a&amount=-1' }, 400],
    [{ body: 'transaction=txn_none' }, 400]
  ]
  for (const [options, status] of refused)
    t.equal(call('POST /refunds', options).status, status, JSON.stringify(options))
  t.equal(call('PUT /refunds').status, 405)
  t.strictSame(countsOf(world), [[0, 0]])
  t.equal(
    call('POST /refunds', { body: 'transaction=txn_a&amount=100001' }).status,
    418,
    'what the operation itself would refuse is matched'
  )
})

t.test('a request of an operation without entries costs nothing for the script', async t => {
  const { call, world } = await scripted([{ on: 'GET /tickets', respond: { body: 'scripted' } }])
  let asked = 0
  const act = world.state.script.act.bind(world.state.script)
  world.state.script.act = (...given) => {
    asked++
    return act(...given)
  }

  t.strictSame(
    [call('GET /tickets/tkt_a').status, call('GET /locations').status, asked],
    [200, 200, 0]
  )
  t.strictSame([call('GET /tickets').text, asked], ['scripted', 1])
})

t.test('Retry-After is in seconds, by both clocks, or a date', async t => {
  const after = ['2', 'Sun, 01 Mar 2026 18:06:00 GMT', 'soon', '']
  const { executed } = await scripted(
    after.map((header, index) => ({
      on: 'GET /tickets',
      calls: index + 1,
      respond: { status: 503, headers: { 'Retry-After': header } }
    }))
  )
  const [now, date] = [Date.parse(NOW), Date.parse(NOW) + 60_000]

  t.strictSame(
    [...after, 'answered'].map(() => executed('GET /tickets').outcome.pause),
    [
      { machine: now + 2000, sandbox: now + 2000 },
      { machine: date, sandbox: date },
      null,
      null,
      null
    ]
  )
})

t.test('A25: a card number is matched and forgotten', async t => {
  const script = parse(`
    - {on: POST /transactions, match: {body: {card: {number: /^4000 ?0000 ?0000 ?0002$/}}}, calls: 1, respond: {status: 402}}
    - {on: POST /transactions, match: {body: {card: {number: /0002$/}}}, calls: 2, fault: malformed_body, when: after}
  `)
  const expect = [
    { on: 'POST /transactions', match: { body: { 'card[number]': '/0002$/' } }, times: 2 }
  ]
  const { executed, world } = await scripted(script, { expect })
  const pay = (number: string) =>
    executed('POST /transactions', {
      key: null,
      body: { ticket: 'tkt_a', payment_type: 'card', 'card[number]': number }
    })

  const paid = [CARD, '4242424242424242', '4000 0000 0000 0002'].map(
    number => pay(number).outcome.name
  )

  const [verdict] = await world.tally.verdicts(world.state.store)
  t.strictSame(
    [paid, verdict?.holds, countsOf(world)],
    [['scripted', 'answered', 'answered'], true, Array(2).fill([2, 1])]
  )
  const kept = JSON.stringify([world.state.script.listed(), verdict]) + stateOf(world)
  for (const trace of [CARD, '4000 0000', '40000000', '4242424242', '424242424242'])
    t.notOk(kept.includes(trace), trace)
})
