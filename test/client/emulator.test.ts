/** The object of the package, in process and over HTTP: every case runs both ways. */

import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { errorFrom } from '../../src/client/error.js'
import {
  connect,
  type Emulator,
  EmulatorError,
  type Scenario,
  startEmulator
} from '../../src/index.js'
import type { Json } from '../support/json.js'

const NOW = '2026-03-01T18:05:00.000Z'
const ACCOUNT = {
  type: 'merchant',
  name: 'A',
  email: 'a@example.com',
  address: { country: 'US' }
} as const
const SCENARIO = {
  name: 'small',
  clock: NOW,
  data: {
    api_keys: [{ key: 'sk_a', account: 'mch_a' }],
    accounts: [{ id: 'mch_a', ...ACCOUNT }],
    locations: [{ id: 'loc_a', account: 'mch_a', display_name: 'A', address: { country: 'US' } }],
    tickets: [{ id: 'tkt_a', location: 'loc_a', reference: 'T-1' }],
    transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'external', amount: 1000 }]
  },
  expect: [{ on: 'POST /refunds', times: 1 }]
} as const satisfies Scenario
const LOADED = { scenario: { name: 'small', description: null } }
const REFUND = [
  'POST /refunds',
  { body: { transaction: 'txn_a', amount: 100, metadata: { shift: 'late' } } }
] as const
const ADDRESSES = [
  '/sandbox/worker-1',
  '/sandbox/worker-1/next',
  '/sandbox/worker-1/_control',
  '/sandbox/worker-2'
]
const CLOCK = { now: NOW, running: false }
const DECLINED = { on: 'POST /refunds', calls: 1, respond: { status: 402 } } as const

const outcome = (work: () => Promise<unknown>): Promise<Json> =>
  work().catch(error => {
    if (!(error instanceof EmulatorError)) throw error
    const { name, code, message, problems, status, param, verdict } = error
    return {
      name,
      code,
      message,
      ...(problems.length > 0 && { problems }),
      status,
      param,
      ...(verdict && { verdict })
    }
  })

const WAYS: { [way: string]: (t: Test, scenario?: Scenario) => Promise<Emulator> } = {
  'in process': async (t, scenario = SCENARIO) => {
    const emulator = await startEmulator({ scenario, now: () => Date.parse(NOW) })
    t.teardown(emulator.close)
    return emulator
  },
  connected: async (t, scenario) => {
    const emulator = await connect({
      url: (await WAYS['in process']?.(t, scenario))?.url as string
    })
    t.teardown(emulator.close)
    return emulator
  }
}

type Case = { title: string; run: (emulator: Emulator) => Promise<unknown>; is: Json }
const refused = (code: string, status?: number, param?: string, more: object = {}) => ({
  name: 'EmulatorError',
  code,
  status,
  param,
  ...more
})

const bare = (value: unknown): Json =>
  value &&
  JSON.parse(
    JSON.stringify(value, (name, part) =>
      name === 'message' || (name === 'code' && part === 'missing_record') ? undefined : part
    )
  )

const REFUSED: [title: string, run: Case['run'], code: string, param: string, status?: number][] = [
  ['a name that leads elsewhere', ({ snapshot }) => snapshot('..'), 'option_invalid', 'id'],
  [
    'the name of a sandbox, before any call',
    async ({ sandbox }) => sandbox('../other'),
    'name_invalid',
    'name'
  ],
  ['what is no id of an entry', ({ script }) => script.remove(''), 'option_invalid', 'id'],
  [
    'an option that it does not have',
    ({ control }) => control('POST /keys', { boby: {} } as object),
    'option_invalid',
    'boby'
  ],
  ['what is no call', ({ inject }) => inject('refunds'), 'option_invalid', 'on'],
  ...['/../_control', '/a/.%2E/%2e%2E/_control/x', '/..\\_control', '/.?a=b'].map(
    (path): (typeof REFUSED)[number] => [
      `a path of dots: ${path}`,
      ({ inject }) => inject(`GET ${path}`),
      'option_invalid',
      'on'
    ]
  ),
  [
    'a call that the journal does not hold',
    ({ why }) => why('req_7'),
    'request_unknown',
    'id',
    404
  ],
  [
    'the state before one',
    ({ state }) => state({ before: 'req_7' }),
    'request_unknown',
    'before',
    404
  ]
]

/** Each case begins after a reset; values that differ between processes are not compared. */
const CASES: Case[] = [
  {
    title: 'reset answers the scenario, and undoes what was changed',
    run: async ({ inject, reset, state }) => {
      await inject(...REFUND)
      return [await reset(), (await state()).refunds]
    },
    is: [LOADED, []]
  },
  {
    title: 'load takes a document, and the keys are its own',
    run: async emulator => {
      const before = emulator.key
      const loaded = await emulator.load({
        name: 'other',
        data: {
          api_keys: [{ key: 'sk_o', account: 'mch_o' }],
          accounts: [{ id: 'mch_o', ...ACCOUNT }]
        }
      })
      const { key, keys } = emulator
      await emulator.load(SCENARIO)
      return [loaded, before, key, keys, emulator.key]
    },
    is: [
      { scenario: { name: 'other', description: null }, dry_run: false },
      'sk_a',
      'sk_o',
      [{ key: 'sk_o', account: 'mch_o' }],
      'sk_a'
    ]
  },
  {
    title: 'records adds to the state, or refuses what is wrong',
    run: async ({ records }) => [
      (await records({ tickets: [{ id: 'tkt_b', location: 'loc_a' }] })).tickets,
      await outcome(() => records({ tickets: [{ id: 'tkt_c', location: 'loc_b' }] }))
    ],
    is: [
      [{ id: 'tkt_b', object: 'ticket', created: NOW, location: 'loc_a', reference: null }],
      refused('document_invalid', 400, undefined, {
        problems: [{ path: 'tickets[0].location', file: 'body', line: 1, column: 38 }]
      })
    ]
  },
  {
    title: 'deleteRecord deletes a single record, or refuses what is wrong',
    run: async ({ deleteRecord, inject }) => [
      await outcome(() => deleteRecord('tickets', 'tkt_a')),
      await outcome(() => deleteRecord('tickets', '')),
      await deleteRecord('transactions', 'txn_a'),
      await deleteRecord('tickets', 'tkt_a'),
      (await inject('GET /tickets')).body.data
    ],
    is: [
      refused('record_in_use', 409, 'id'),
      refused('option_invalid', undefined, 'id'),
      null,
      null,
      []
    ]
  },
  {
    title: 'snapshot and restore keep a state and go back to it',
    run: async ({ snapshot, restore, inject, state }) => {
      const kept = await snapshot('before')
      await inject(...REFUND)
      const during = (await state()).refunds.length
      return [kept, during, await restore('before'), (await state()).refunds.length]
    },
    is: [
      { name: 'before', scenario: 'small', clock: CLOCK },
      1,
      { name: 'before', scenario: 'small', clock: CLOCK },
      0
    ]
  },
  {
    title: 'clock.now and clock.advance; clock.set takes a date, and what is left out stays',
    run: async ({ clock }) => {
      const shown = [
        await clock.now(),
        await clock.advance('36h'),
        await clock.set({ now: new Date('2026-04-01T00:00:00Z') })
      ]
      return [...shown, await clock.set({ now: '2026-05-01', running: true })].map(
        ({ now, running }) => `${now} ${running}`
      )
    },
    is: [
      `${NOW} false`,
      '2026-03-03T06:05:00.000Z false',
      '2026-04-01T00:00:00.000Z false',
      '2026-05-01T00:00:00.000Z true'
    ]
  },
  {
    title: 'script.add, list, remove and clear',
    run: async ({ script, inject }) => {
      const { id, ...added } = await script.add(DECLINED)
      const { status } = await inject(...REFUND)
      const listed = await script.list()
      const gone = await script.remove(id)
      await script.add(DECLINED)
      await script.clear()
      return [
        added,
        status,
        listed.data.map(({ matched, applied }) => [matched, applied]),
        gone,
        await script.list()
      ]
    },
    is: [{ entry: DECLINED, matched: 0, applied: 0 }, 402, [[1, 1]], undefined, { data: [] }]
  },
  {
    title: 'gates.list shows who waits, and gates.open lets them go on',
    run: async ({ script, gates, inject }) => {
      await script.add({ on: 'POST /refunds', hold: { gate: 'kitchen' } })
      const held = [inject(...REFUND), inject(...REFUND)]
      let gate = (await gates.list()).data[0]
      for (; gate?.waiting.length !== 2; gate = (await gates.list()).data[0]) await sleep(1)
      const opened = await gates.open('kitchen', { release: 'reverse' })
      const statuses = (await Promise.all(held)).map(({ status }) => status)
      const ids = gate.waiting.map(({ id }) => id)
      const isReverse = opened.released.join() === ids.toReversed().join()
      return [
        gate.waiting.map(({ on }) => on),
        opened.name,
        isReverse,
        statuses.toSorted(),
        (await gates.list()).data,
        await gates.open('kitchen')
      ]
    },
    is: [
      ['POST /refunds', 'POST /refunds'],
      'kitchen',
      true,
      [200, 200],
      [{ name: 'kitchen', open: true, waiting: [] }],
      { name: 'kitchen', released: [] }
    ]
  },
  {
    title: 'requests is the journal, newest first',
    run: async ({ inject, requests }) => {
      for (const path of ['/tickets/tkt_a', '/tickets/tkt_none', '/locations'])
        await inject(`GET ${path}`)
      const { data, ...more } = await requests({ limit: 2 })
      const missing = await requests({ on: 'GET /tickets/{id}', status: 404, since: 'req_1' })
      const shown = data.map(({ id, on, status, account, user_agent }) =>
        [id, on, status, account, user_agent].join(' ')
      )
      return [...shown, more, missing.data.map(({ id }) => id)]
    },
    is: [
      'req_3 GET /locations 200 mch_a commerce-emulator',
      'req_2 GET /tickets/{id} 404 mch_a commerce-emulator',
      { object: 'list', has_more: true, dropped: 0 },
      ['req_2']
    ]
  },
  {
    title: 'why says why a call was answered so',
    run: async ({ inject, why }) => {
      const { headers } = await inject('POST /refunds', {
        body: { transaction: 'txn_a', amount: 1001 }
      })
      const { refusal, why: reasons } = await why(headers['request-id'] as string)
      return [refusal, reasons.rules.at(-1)?.facts, reasons.changed_by]
    },
    is: [
      { code: 'refund_exceeds_remaining', rule: 'REF-7', assumption: null, param: 'amount' },
      {
        transaction: 'txn_a',
        currency: 'usd',
        charged: 1000,
        refunded: 0,
        remaining: 1000,
        asked: 1001
      },
      []
    ]
  },
  {
    title: 'state is that before or after a call too',
    run: async ({ inject, state }) => {
      const { headers } = await inject(...REFUND)
      const id = headers['request-id'] as string
      return [await state({ before: id }), await state({ after: id })].map(
        ({ refunds }) => refunds.length
      )
    },
    is: [0, 1]
  },
  {
    title: 'explain says what a call would be answered, and changes nothing',
    run: async ({ explain, inject, requests }) => {
      const tried = await explain('post /refunds', { body: { transaction: 'txn_a', amount: 1001 } })
      const refunded = await explain('POST /refunds', { body: { transaction: 'txn_a' } })
      const { headers } = await inject(...REFUND)
      const explained = [
        tried.refusal?.rule,
        tried.id,
        refunded.status,
        refunded.changes.records.map(({ id }) => id).slice(1)
      ]
      return [...explained, headers['request-id'], (await requests()).data.length]
    },
    is: ['REF-7', 'req_0', 200, ['txn_a'], 'req_1', 1]
  },
  {
    title:
      'verify resolves where what was expected came, and rejects with the verdict where it did not',
    run: async ({ inject, verify }) => {
      await inject(...REFUND)
      const { requests: _calls, ...verdict } = await verify({
        on: 'POST /refunds',
        match: { body: { amount: 100 }, account: 'mch_a' },
        times: 1,
        within: '1s'
      })
      const others = [
        (await verify()).holds,
        (await verify({ sequence: [{ on: 'POST /refunds' }] })).requests?.map(({ id }) => id)
      ]
      return [verdict, ...others, await outcome(() => verify({ on: 'GET /refunds' }))]
    },
    is: [
      { holds: true, verdict: 'met', seen: 1 },
      true,
      ['req_1'],
      refused('expectation_unmet', 409, undefined, {
        verdict: { holds: false, verdict: 'never exercised', seen: 0, requests: [] }
      })
    ]
  },
  {
    title: 'coverage and findings, of the sandbox and of the run',
    run: async ({ inject, coverage, findings }) => {
      const { possible } = await coverage({ scope: 'run' })
      await inject('GET /tickets', { query: { search_query: 'T-1' } })
      const { rules } = await coverage()
      const found = (await findings()).data.map(({ finding, requests }) => `${finding} ${requests}`)
      return [
        possible,
        rules.find(({ rule }) => rule === 'SRCH-1')?.passed,
        found,
        (await findings({ scope: 'run' })).data.length > 0
      ]
    },
    is: [91, 1, ['search-without-narrowing req_1'], true]
  },
  {
    title: 'control makes any other control call',
    run: async ({ control }) => {
      const changed = await control('PATCH /settings', { body: { 'pagination.max_limit': 7 } })
      const yaml = await control('GET /state', { query: { format: 'yaml' } })
      const { name, links } = await control('get /')
      const entry = await control('POST /script', { body: DECLINED })
      return [
        changed.settings['pagination.max_limit'].value,
        yaml.slice(0, 9),
        name,
        links.state,
        await control(`DELETE /script/${entry.id}`)
      ]
    },
    is: [7, 'api_keys:', 'commerce-emulator', '/_control/state', undefined]
  },
  {
    title: 'inject sends parameters as a form, and returns the answer',
    run: async ({ inject }) => {
      const { body, text, ...more } = await inject(...REFUND)
      const listed = await inject('GET /tickets', {
        query: { created: { gte: '2026-03-01' }, limit: 1 }
      })
      return [body.metadata, JSON.parse(text).amount, more, listed.body.data.length]
    },
    is: [
      { shift: 'late' },
      100,
      {
        status: 200,
        headers: { 'content-type': 'application/json; charset=utf-8', 'request-id': 'req_1' }
      },
      1
    ]
  },
  {
    title: 'inject sends a key that is given, or none, and none where none is needed',
    run: async ({ inject, findings }) => [
      (await inject('GET /tickets')).status,
      (await inject('GET /nowhere')).body.error.code,
      (await inject('GET /tickets', { key: null })).body.error.code,
      (await inject('GET /tickets', { key: 'sk_wrong' })).body.error.code,
      (
        await inject('POST /transactions', {
          body: { ticket: 'tkt_a', payment_type: 'external', amount: 1 }
        })
      ).status,
      (await findings()).data.map(({ finding }) => finding)
    ],
    is: [200, 'path_unknown', 'api_key_missing', 'api_key_unknown', 200, []]
  },
  {
    title:
      'inject sends text and headers as they are; a refusal is an answer, what is no JSON is text, and no body is null',
    run: async ({ inject, script, records }) => {
      const form = await inject('POST /refunds', { body: 'transaction=txn_a&amount=1' })
      const json = await inject('POST /refunds?x=1', {
        body: '{}',
        headers: { 'Content-Type': 'application/json' }
      })
      const unset = await inject(`POST /refunds/${form.body.id}`, { body: { metadata: null } })
      await script.add({ on: 'GET /refunds', respond: { body: 'no JSON' } })
      await records({
        users: [{ id: 'usr_a', account: 'mch_a', name: 'A', email: 'a@example.com' }]
      })
      const gone = await inject('DELETE /accounts/mch_a/users/usr_a')
      return [
        form.body.amount,
        json.status,
        json.body.error.code,
        unset.status,
        (await inject('GET /refunds')).body,
        gone.status,
        gone.body,
        gone.text
      ]
    },
    is: [1, 415, 'content_type_unsupported', 200, 'no JSON', 204, null, '']
  },
  {
    title: 'a sandbox is the same object, isolated, and made by its first reset',
    run: async ({ sandbox, control, inject, url, load, findings }) => {
      const own = sandbox('worker-1')
      const unmade = await outcome(() => own.state())
      await load('split-bill')
      const reset = await own.reset()
      await own.inject(...REFUND)
      const ids = [(await own.requests()).data.length, (await findings()).data.length]
      const listed = (await control('GET /sandboxes')).data.map(
        ({ name, api }: Json) => `${name} ${api}`
      )
      await load(SCENARIO)
      const addresses = [own.url, own.baseUrl, own.controlUrl, own.sandbox('worker-2').url].map(
        address => address.slice(url.length)
      )
      const answer = await inject(...REFUND)
      await own.close()
      await own.close()
      return [
        unmade.code,
        reset,
        own.key,
        ids,
        listed,
        addresses,
        answer.status,
        (await control('GET /sandboxes')).data,
        (await own.reset()).scenario.name
      ]
    },
    is: [
      'sandbox_unknown',
      LOADED,
      'sk_a',
      [1, 0],
      ['worker-1 /sandbox/worker-1/next'],
      ADDRESSES,
      200,
      [],
      'small'
    ]
  },
  ...REFUSED.map(
    ([title, run, code, param, status]): Case => ({
      title: `it refuses ${title}`,
      run,
      is: refused(code, status, param)
    })
  )
]

for (const [way, start] of Object.entries(WAYS)) {
  t.test(`api: ${way}, each method returns what its control request returns`, async t => {
    const emulator = await start(t)
    for (const { title, run, is } of CASES) {
      await emulator.reset()
      t.strictSame(bare(await outcome(() => run(emulator))), bare(is), title)
    }
  })

  t.test(`api: ${way}, a response lost by a script is no response`, async t => {
    const { inject, script } = await start(t)
    for (const fault of ['connection_reset', 'empty_response', 'truncated_body'] as const) {
      await script.clear()
      await script.add({ on: 'GET /refunds', fault })
      const { code, message, status } = await outcome(() => inject('GET /refunds'))
      t.strictSame([code, status], ['no_answer', undefined], fault)
      t.match(message, /^GET http:\/\/localhost:\d+\/next\/refunds got no response: .+\.$/)
    }
  })

  t.test(`api: ${way}, closing ends waiting requests, and refuses new ones`, async t => {
    const emulator = await start(t, {
      ...SCENARIO,
      script: [{ on: 'GET /refunds', fault: 'hang' }]
    })
    const own = emulator.sandbox('own')
    await own.reset()
    const hung = outcome(() => emulator.inject('GET /refunds'))
    const waiting = outcome(() => emulator.verify({ on: 'POST /refunds', within: '60s' }))
    await emulator.verify({ on: 'GET /refunds', times: 1, within: '1s' })

    await emulator.close()

    t.strictSame([(await hung).code, (await waiting).code], ['no_answer', 'no_answer'])
    t.strictSame(bare(await outcome(() => own.reset())), bare(refused('closed')))
    await t.resolves(own.close(), 'there is no sandbox to delete any more')
    await t.resolves(emulator.close(), 'closing again does nothing')
  })
}

t.test('errorFrom: an error without a code is an internal one', async t => {
  t.match(errorFrom(new Error('unknown')), { code: 'internal_error', message: 'unknown' })
})
