/** Near misses of a scenario's expectations and script entries. */
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import {
  explainedMessage,
  type NearMiss,
  nearMissText
} from '../../src/scenario/match/near-misses.js'
import { MERCHANT, smallFixture, startTestEmulator } from '../support/emulator.js'
import type { Json } from '../support/json.js'
import { opened } from '../support/socket.js'

const CHARGE = { id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 10_000 }
const USER = { id: 'usr_x', account: 'mch_a', name: 'X', email: 'x@example.com' }
const start = (t: Test, scenario: object) =>
  startTestEmulator(t, {
    scenario: { data: smallFixture({ transactions: [CHARGE] }), ...scenario }
  })
type Emulator = Awaited<ReturnType<typeof start>>
const textsOf = (near: NearMiss[] = []) => near.map(nearMissText)

/**
 * Sends requests, written `pay FORM`, `refund FORM` or METHOD PATH, separated by bars, each with
 * the merchant's key or, after `@`, another.
 */
async function make({ call }: Emulator, requests: string): Promise<void> {
  for (const request of requests.split(' | ')) {
    const [, key, what = '', rest = ''] = /^(?:@(\S+) )?(\S+) (.*)$/.exec(request) ?? []
    if (what === 'pay')
      await call('POST /transactions', {
        key: null,
        body: `ticket=tkt_a&payment_type=card&${rest}`
      })
    else if (what === 'refund')
      await call('POST /refunds', { body: `transaction=txn_a&${rest}`, ...(key && { key }) })
    else await call(`${what} ${rest}`).catch(() => {})
  }
}

t.test('near misses: what counted, and the conditions that others missed', async t => {
  const REFUNDS = 'POST /refunds'
  const PAYMENTS = 'POST /transactions'
  const cold = 'amount=3&reason=cold'
  const number = { card: { number: '4242424242424242' } }
  const hidden = 'expected the value in match; got a value that is not stored in req_1'
  // biome-ignore format: a table
  const cases: [
    title: string,
    expect: object,
    requests: string,
    near: string[],
    counted?: string[]
  ][] = [
    [
      'a value below the bound', { on: REFUNDS, match: { body: { amount: { gte: 5000 } } } }, 'refund amount=4999',
      ['amount: expected >= 5000; got 4999 in req_1']
    ],
    [
      'the one that misses least comes first, and of those the newest; the same miss is told once',
      { on: REFUNDS, match: { body: { amount: 3, reason: 'cold', metadata: { a: '1' } } } },
      `refund ${['amount=3&reason=hot&metadata[a]=2', cold, `${cold}&metadata[a]=3`, `${cold}&metadata[a]=3`, 'amount=1&reason=cold&metadata[a]=1'].join(' | refund ')}`,
      ['amount: expected 3; got 1 in req_5', 'metadata.a: expected 1; got 3 in req_4', 'metadata.a: expected 1; got nothing in req_2']
    ],
    [
      'several conditions of one request',
      { on: REFUNDS, match: { body: { reason: '/^c/', metadata: { a: { present: true } } }, about: { ticket: 'tkt_b' } } },
      'refund amount=3',
      ['reason: expected /^c/; got nothing, metadata.a: expected a value; got nothing, ticket: expected tkt_b; got tkt_a in req_1']
    ],
    [
      'what became of it', { on: REFUNDS, took_effect: true, answered: true, status: 201 }, 'refund amount=10001',
      ['took_effect: expected true; got false, status: expected 201; got 400 in req_1']
    ],
    [
      'an answer that did not come', { on: 'GET /locations', status: 200 }, 'GET /locations',
      ['status: expected 200; got nothing in req_1']
    ],
    [
      'a key that is not known', { on: REFUNDS, match: { body: { amount: 1 } } }, '@sk_none refund amount=1',
      ['request: expected a request with a known API key; got refused with 401 (api_key_unknown) in req_1']
    ],
    [
      'too many: those that counted', { on: REFUNDS, match: { body: { amount: 1 } }, times: 1 },
      'refund amount=1 | refund amount=2 | refund amount=1', [], ['req_1', 'req_3']
    ],
    [
      'too few: those that counted, and the others', { on: REFUNDS, match: { body: { amount: 1 } }, times: 2 },
      'refund amount=1 | refund amount=2', ['amount: expected 1; got 2 in req_2'], ['req_1']
    ],
    [
      'what is not kept cannot be told apart, but was not sent', { on: PAYMENTS, match: { body: number } },
      'pay amount=1&card[number]=4000000000000002', [`card.number: ${hidden}`]
    ],
    [
      'what is not kept, where something else is known to be wrong', { on: PAYMENTS, match: { body: number }, status: 402 },
      'pay amount=1&card[number]=4000000000000002', ['status: expected 402; got 200 in req_1']
    ],
    [
      'a pattern for what is not kept, and a digest of what is',
      { on: PAYMENTS, match: { body: { card: { csc: '/^1/' }, payload: `sha256:${'0'.repeat(64)}` } } },
      'pay amount=1&card[csc]=234&payload=x', [`card.csc: expected /^1/; got a value that is not stored, payload: ${hidden}`]
    ],
    [
      'a key is not kept either', { on: REFUNDS, match: { key: 'sk_reseller', body: { amount: 1 } } }, 'refund amount=1 | refund amount=2',
      ['amount: expected 1; got 2 in req_2', `key: ${hidden}`]
    ],
    [
      'of each value, the requests of the first that it does not hold for', { on: 'GET *', per: 'ticket', times: 1 },
      'GET /tickets | GET /tickets/tkt_a | GET /tickets/tkt_b | GET /tickets/tkt_b', [], ['req_3', 'req_4']
    ],
    [
      'a sequence of which one came too soon', { sequence: [{ on: 'GET /tickets' }, { on: 'GET /tickets', no_sooner_than: '1s' }] },
      'GET /tickets | GET /locations | GET /tickets | GET /tickets', [], ['req_1']
    ],
    [
      'a sequence of each value: only requests of this one',
      { sequence: [{ on: 'GET /tickets/{id}' }, { on: PAYMENTS, match: { body: { amount: 2 } } }], per: 'ticket', others: true },
      'GET /tickets/tkt_b | GET /tickets/tkt_a | pay amount=1', [], ['req_1']
    ],
    ['a field of the response', { on: REFUNDS, response: { amount: 5 } }, 'refund amount=6', ['response.amount: expected 5; got 6 in req_1']],
    [
      'a response without a body, and none', { on: ['DELETE *', 'GET /locations'], response: { error: { code: 'x' } } },
      'DELETE /accounts/mch_a/users/usr_x | GET /locations',
      ['response.error.code: expected x; got nothing in req_1', 'answered: expected true; got false, response.error.code: expected x; got nothing in req_2']
    ],
    [
      'what is not kept, where all else is met',
      { on: REFUNDS, match: { key: 'sk_reseller', headers: { 'X-Build': '/8/', 'Test-Name': { present: false } } } }, 'refund amount=3',
      [`key: ${hidden.replace(' in req_1', '')}, X-Build: expected /8/; got a value that is not stored in req_1`]
    ],
    [
      'headers that are kept', { on: REFUNDS, match: { headers: { 'USER-AGENT': '/ios/', 'X-Build': '8' } } }, 'refund amount=3',
      ['USER-AGENT: expected /ios/; got lightMyRequest in req_1']
    ],
    [
      'a sequence: those that came in order, and those that nearly were the next one',
      { sequence: [{ on: PAYMENTS }, { on: REFUNDS, match: { body: { amount: 5 } } }] }, 'pay amount=5 | GET /refunds | refund amount=6',
      ['amount: expected 5; got 6 in req_3'], ['req_1']
    ],
    ['nothing that is like it', { on: REFUNDS }, 'GET /tickets', []],
    [
      'what is not kept decided which one counted', { on: REFUNDS, match: { key: 'sk_merchant' }, times: 2 },
      'refund amount=1 | @sk_reseller refund amount=1', [], ['req_1']
    ],
    [
      'nor in a sequence', { sequence: [{ on: REFUNDS, match: { key: 'sk_reseller' } }, { on: PAYMENTS }] },
      'refund amount=1 | pay amount=1', [`key: ${hidden}`]
    ]
  ]
  const emulator = await start(t, {})
  for (const [title, expect, requests, near, counted] of cases) {
    const scenario = {
      data: smallFixture({ transactions: [CHARGE], users: [USER] }),
      expect: [expect],
      script: [{ on: 'GET /locations', fault: 'connection_reset' }]
    }
    t.equal((await emulator.control('POST /load', { scenario })).status, 200, title)
    await make(emulator, requests)
    const [verdict] = (await emulator.control('POST /verify')).body.expectations
    t.strictSame([verdict.requests, textsOf(verdict.near_misses)], [counted, near], title)
  }
})

const REFUSED = 'request: expected a request that reaches the script; got refused with'

t.test('near misses: a script entry that was never applied says why', async t => {
  const answer = { respond: { status: 402 } }
  const on = 'POST /refunds'
  const counted = ['calls: expected 2; got 1 that matched in req_2']
  const applied = 'applied: expected a response that it can change; got'
  // biome-ignore format: a table
  const cases: [entry: object, near: string[]][] = [
    [{ on, match: { body: { amount: 3 } }, ...answer }, ['amount: expected 3; got 2 in req_2']],
    [{ on, calls: 2, match: { body: { amount: 2 } }, ...answer }, counted],
    [{ on, per: 'transaction', calls: 2, match: { body: { amount: 2 } }, ...answer }, counted],
    [{ on, after: 'never', ...answer }, ['after: expected "never"; got not yet in req_2']],
    [{ on, per: 'test', calls: 1, ...answer }, ['per: expected a test; got none in req_2']],
    [{ on, per: 'key', calls: 2, ...answer }, counted],
    [{ on, from: '2100-01-01T00:00:00Z', ...answer }, ['from: expected 2100-01-01T00:00:00Z; got 2026-03-01T18:05:00.000Z in req_2']],
    [{ on, until: '2000-01-01T00:00:00Z', ...answer }, ['until: expected before 2000-01-01T00:00:00Z; got 2026-03-01T18:05:00.000Z in req_2']],
    [{ on, until: '2026-03-01T18:05:00Z', ...answer }, ['until: expected before 2026-03-01T18:05:00Z; got 2026-03-01T18:05:00.000Z in req_2']],
    [{ on, from: '2026-03-01T18:05:00Z', chance: 0, ...answer }, ['chance: expected 0; got not selected in req_2']],
    [{ on, chance: 0, ...answer }, ['chance: expected 0; got not selected in req_2']],
    [{ on: 'GET /tickets', ...answer }, ['entry: expected no earlier entry that applies; got “slow” in req_4']],
    [{ on: 'GET /locations', ...answer }, ['entry: expected no earlier entry that applies; got scr_2, GET /locations in req_5']],
    [{ on: 'GET /tickets/{id}', respond: { patch: { a: 1 } } }, [`${applied} a 404 in req_6`]],
    [
      { on: 'GET /refunds', hold: { until: 2, for: '1ms' } },
      [`${applied} a hold that ended too early in req_7`]
    ],
    [
      { on: 'GET /transactions', change: { delete: ['txn_none'] } },
      [`${applied} change.delete[0]: no record has the id txn_none in req_8`]
    ],
    [{ name: 'never', on: 'GET /accounts', calls: 1, ...answer }, []]
  ]
  const slow = { name: 'slow', on: 'GET /tickets', match: { query: { limit: 1 } }, delay: '1ms' }
  const emulator = await start(t, {
    clock: '2026-03-01T18:05:00Z',
    script: [
      slow,
      { ...slow, name: undefined, on: 'GET /locations' },
      ...cases.map(([entry]) => entry)
    ]
  })
  await make(
    emulator,
    'refund amount=x | refund amount=2 | @sk_none refund amount=2 | GET /tickets?limit=1 | GET /locations?limit=1 | GET /tickets/tkt_none | GET /refunds | GET /transactions'
  )

  const { body } = await emulator.control('POST /verify')

  const refusals = ['400 (parameter_invalid) in req_1', '401 (api_key_unknown) in req_3'] as const
  const [early, late] = refusals.map(refusal => `${REFUSED} ${refusal}`)
  const found = body.unused_script_entries.map(({ near_misses }: Json) =>
    textsOf(near_misses).filter(text => text !== early && text !== late)
  )
  t.strictSame(
    found,
    cases.map(([, near]) => near)
  )
  t.ok(textsOf(body.unused_script_entries[0].near_misses).includes(String(late)))
})

t.test('near misses: of a journal that has dropped requests', async t => {
  const expect = [
    {
      sequence: [
        { on: 'POST /transactions' },
        { on: 'POST /refunds', match: { body: { amount: 5 } } }
      ]
    },
    { on: ['POST /transactions', 'POST /refunds'], times: 3 }
  ]
  const emulator = await startTestEmulator(t, {
    settings: { 'limits.journal': 1 },
    scenario: { data: smallFixture({ transactions: [CHARGE] }), expect }
  })
  await make(emulator, 'pay amount=5 | refund amount=6')

  const [sequence, count] = (await emulator.control('POST /verify')).body.expectations
  t.strictSame(
    [sequence.requests, textsOf(sequence.near_misses)],
    [['req_1'], ['amount: expected 5; got 6 in req_2']]
  )
  t.strictSame([count.requests, count.near_misses, count.seen], [['req_1', 'req_2'], undefined, 2])
})

t.test(
  "near misses: a request aborted before its body had arrived is not the script's",
  async t => {
    const emulator = await start(t, { script: [{ on: 'POST /refunds', respond: { status: 402 } }] })
    const head = `POST /next/refunds HTTP/1.1\r\nhost: localhost\r\nauthorization: Basic ${btoa(`${MERCHANT}:`)}\r\ncontent-type: application/x-www-form-urlencoded`
    const { socket } = opened(
      t,
      await emulator.listen(),
      `${head}\r\ncontent-length: 100\r\n\r\ntransaction=txn_a`
    )
    await sleep(50)
    socket.destroy()
    while (emulator.sandbox.evidence.journal.size < 1) await sleep(5)

    const { body } = await emulator.control('POST /verify')
    t.strictSame(textsOf(body.unused_script_entries[0].near_misses), [
      `${REFUSED} 400 (request_malformed) in req_1`
    ])
  }
)

t.test('near misses: why and explain say what a request nearly matched', async t => {
  const script = [
    {
      name: 'declined',
      on: 'POST /refunds',
      match: { body: { amount: 300 } },
      respond: { status: 402 }
    }
  ]
  const expect = [
    { on: 'POST /refunds', match: { body: { reason: 'cold' } }, times: 1 },
    { sequence: [{ on: 'GET /refunds' }, { on: 'POST /refunds' }] },
    { on: 'POST /refunds', times: 0 },
    { state: { refunds: { count: 5 } } }
  ]
  const emulator = await start(t, { script, expect })
  await make(emulator, 'refund amount=200')
  const nearly = [
    'amount: expected 300; got 200 in the script entry “declined”',
    'reason: expected cold; got nothing in the expectation POST /refunds with {"body":{"reason":"cold"}}: 1 request'
  ]

  t.strictSame(
    textsOf((await emulator.control('GET /requests/req_1')).body.why.near_misses),
    nearly
  )
  const { text } = await emulator.control('GET /requests/req_1?format=text')
  t.ok(
    text.includes(
      '\nIt nearly matched:\n  the script entry “declined”: amount: expected 300; got 200\n'
    ),
    text
  )
  const asked = {
    method: 'POST',
    path: '/refunds',
    body: { transaction: 'txn_a', amount: 300, reason: 'cold' }
  }
  t.strictSame((await emulator.control('POST /explain', asked)).body.why.near_misses, undefined)
  const other = await emulator.control('POST /explain', {
    ...asked,
    body: { ...asked.body, amount: 200 }
  })
  t.strictSame(textsOf(other.body.why.near_misses), nearly.slice(0, 1))
  const named = await start(t, { expect: [{ on: 'GET /refunds', match: { query: { limit: 3 } } }] })
  await named.call('GET /refunds', { query: 'limit=2', headers: { 'test-name': 'a' } })
  t.strictSame((await named.control('POST /verify')).body.expectations[0].tests, ['a'])
  await emulator.call('GET /nowhere')
  t.strictSame((await emulator.control('GET /requests/req_2')).body.why.near_misses, undefined)
})

t.test('near misses: at most twenty are explained, from the newest thousand requests', async t => {
  const expect = Array.from({ length: 25 }, (_, nth) => ({
    on: 'GET /refunds',
    match: { query: { limit: nth + 1 } }
  }))
  const script = Array.from({ length: 25 }, (_, nth) => ({
    on: 'GET /refunds',
    match: { query: { limit: nth + 1 } },
    delay: '1ms'
  }))
  const emulator = await start(t, { expect, script })
  await emulator.call('GET /refunds?limit=90')
  const { body } = await emulator.control('POST /verify')
  const explained = (list: Json[]) =>
    list.filter(({ near_misses }) => near_misses !== undefined).length
  t.strictSame([body.expectations, body.unused_script_entries].map(explained), [20, 20])
})

t.test('near misses: a message holds what counted and what nearly did', t => {
  const near_misses = [
    { in: 'req_7', misses: [{ condition: 'amount', wanted: '>= 5000', got: '4999' }] }
  ]
  t.equal(explainedMessage('It failed.', {}), 'It failed.')
  t.equal(
    explainedMessage('It failed.', { near_misses }),
    'It failed; nearly: amount: expected >= 5000; got 4999 in req_7'
  )
  t.equal(
    explainedMessage('1 came', { requests: ['req_1', 'req_2'], near_misses }),
    '1 came (req_1, req_2); nearly: amount: expected >= 5000; got 4999 in req_7'
  )
  t.end()
})
