/**
 * Requests of the console: the list, its search, and a request in other forms. Nothing here needs a
 * browser.
 */
import t from 'tap'
import { parse } from 'yaml'
import type { JournalCall } from '../../src/client/documents.js'
import { completions, type Schema } from '../../src/console/ui/components/schema-completion.js'
import { type Token, tokensOf } from '../../src/console/ui/components/values.js'
import { yamlOf } from '../../src/console/ui/components/yaml.js'
import type { JournalEvent } from '../../src/console/ui/control/client.js'
import {
  addressOf,
  curlOf,
  entryYaml,
  isMasked,
  pairsIn
} from '../../src/console/ui/views/requests/copies.js'
import {
  type Filter,
  filtered,
  queryIn,
  suggestionsFor,
  TERMS,
  termIn,
  unknownIn,
  withTerm
} from '../../src/console/ui/views/requests/query.js'
import {
  breakingShown,
  type CallList,
  MAX_REQUESTS,
  markOf,
  msShown,
  NO_REQUESTS,
  outcomeShown,
  pathShown,
  periodOf,
  withEvents,
  withJournals
} from '../../src/console/ui/views/requests/request-list.js'
import {
  amountOf,
  defaultCurrency,
  learn,
  shortPath,
  summaryOf
} from '../../src/console/ui/views/requests/summary.js'
import { pairsOf } from '../../src/core/form-encoding.js'
import { smallFixture, startTestEmulator } from '../support/emulator.js'

const call = (changes: Partial<JournalCall> = {}): JournalCall => ({
  id: 'req_1',
  at: '2026-03-01T18:05:00.000Z',
  on: 'POST /refunds',
  method: 'POST',
  path: '/refunds',
  params: {},
  account: 'mch_a',
  query: {},
  body: { transaction: 'txn_1', metadata: { order: 'A-1' } },
  user_agent: null,
  test: null,
  trace: null,
  outcome: 'answered',
  status: 200,
  answer: { id: 'rfd_1', object: 'refund' },
  answered: true,
  took_effect: true,
  script: null,
  refusal: null,
  ms: 1,
  ...changes
})
const event = (id: string, sandbox = '', changes: Partial<JournalCall> = {}): JournalEvent => ({
  sandbox,
  call: call({ id, ...changes })
})
const clear = (sandbox = ''): JournalEvent => ({ sandbox, call: null })
const readAgain = (list: CallList, events: readonly JournalEvent[], isWhole = true) =>
  withJournals(list, events as CallList['rows'], isWhole)
const keysOf = ({ rows }: Pick<CallList, 'rows'>) => rows.map(({ key }) => key)
const ALL: Filter = { text: '', sandbox: undefined, keys: undefined }

t.test(
  'requests: the newest comes first, each once, and ids start again with each period of a sandbox',
  async t => {
    const first = withEvents(NO_REQUESTS, [event('req_1'), event('req_2'), event('req_1', 'till')])
    const second = withEvents(first, [event('req_2'), clear(), event('req_1'), clear('till')])

    t.strictSame(keysOf(first), ['till/0/req_1', '/0/req_2', '/0/req_1'])
    t.strictSame(keysOf(second), ['/1/req_1', 'till/0/req_1', '/0/req_2', '/0/req_1'])
    t.strictSame(
      [periodOf(second, ''), periodOf(second, 'till'), periodOf(second, 'other')],
      [1, 1, 0]
    )
    t.strictSame(keysOf(NO_REQUESTS), [])
  }
)

t.test(
  'requests: the journals are read again: a journal without the last listed request was cleared',
  async t => {
    const list = readAgain(NO_REQUESTS, [event('req_1'), event('req_2'), event('req_1', 'till')])
    const later = { at: '2026-03-01T18:06:00.000Z' }
    const cases: [
      title: string,
      held: readonly JournalEvent[],
      periods: number[],
      keys: string[]
    ][] = [
      ['it holds them still', [event('req_1'), event('req_2'), event('req_1', 'till')], [0, 0], []],
      [
        'more came',
        [event('req_1'), event('req_2'), event('req_3'), event('req_1', 'till')],
        [0, 0],
        ['/0/req_3']
      ],
      [
        'so many came that they are no longer there',
        [event('req_9'), event('req_10'), event('req_1', 'till')],
        [0, 0],
        ['/0/req_10', '/0/req_9']
      ],
      ['it is empty', [event('req_1'), event('req_2')], [0, 1], []],
      [
        'ids began anew',
        [event('req_1', '', later), event('req_2', '', later), event('req_1', 'till')],
        [1, 0],
        ['/1/req_2', '/1/req_1']
      ],
      [
        'fewer came since',
        [event('req_1', '', later), event('req_1', 'till')],
        [1, 0],
        ['/1/req_1']
      ]
    ]
    for (const [title, held, periods, added] of cases) {
      const read = readAgain(list, held)
      t.strictSame([periodOf(read, ''), periodOf(read, 'till')], periods, title)
      t.strictSame(keysOf(read), [...added, ...keysOf(list)], title)
    }
    const cleared = withEvents(list, [clear()])
    t.strictSame(
      keysOf(readAgain(cleared, [event('req_1', '', later)])).slice(0, 2),
      ['/1/req_1', 'till/0/req_1'],
      'once is enough'
    )
    t.equal(
      periodOf(readAgain(list, [event('req_1')], false), 'till'),
      0,
      'where not all was read, what is missing may be there'
    )
  }
)

t.test('requests: of more than 10,000 the oldest are dropped', async t => {
  const list = withEvents(
    NO_REQUESTS,
    Array.from({ length: MAX_REQUESTS + 5 }, (_, place) => event(`req_${place}`))
  )

  t.strictSame(
    [list.rows.length, list.rows[0]?.key, list.rows.at(-1)?.key],
    [10_000, '/0/req_10004', '/0/req_5']
  )
})

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'

t.test('requests: each filter matches what it names, and no near miss', async t => {
  const { rows } = withEvents(NO_REQUESTS, [
    event('req_1', '', { test: 'pays', body: { amount: '1005' } }),
    event('req_2', '', {
      on: 'GET /tickets',
      method: 'GET',
      path: '/tickets',
      query: { search_query: 'Lunch' },
      body: {},
      took_effect: false
    }),
    event('req_3', 'till', {
      status: 400,
      outcome: 'refused',
      took_effect: false,
      refusal: { code: 'x', rule: 'REF-7', assumption: null, param: null }
    }),
    event('req_4', '', {
      trace: TRACE,
      status: 402,
      outcome: 'scripted',
      took_effect: false,
      script: { id: 'scr_1', name: 'decline', fault: null }
    }),
    event('req_5', '', {
      outcome: 'lost_after',
      answered: false,
      script: { id: 'scr_2', name: null, fault: 'hang' }
    }),
    event('req_6', '', {
      outcome: 'lost_before',
      answered: false,
      took_effect: false,
      status: 404,
      test: 'Pays'
    })
  ])
  const cases: [filter: Partial<Filter>, ids: string[]][] = [
    [{}, ['req_6', 'req_5', 'req_4', 'req_3', 'req_2', 'req_1']],
    [{ text: 'lunch' }, ['req_2']],
    [{ text: 'AMOUNT=1005' }, ['req_1']],
    [{ text: 'amount 400' }, []],
    [{ text: ' ref-7 ' }, ['req_3']],
    [{ text: 'decline 402' }, ['req_4']],
    [{ text: 'on:"GET /tickets"' }, ['req_2']],
    [{ text: 'on:"GET /ticket"' }, []],
    [{ text: 'status:40' }, []],
    [{ text: 'status:400' }, ['req_3']],
    [{ text: 'status:4xx' }, ['req_6', 'req_4', 'req_3']],
    [{ text: 'is:refused' }, ['req_3']],
    [{ text: 'is:lost' }, ['req_5']],
    [{ text: 'is:scripted took:no' }, ['req_4']],
    [{ text: 'is:unknown' }, []],
    [{ text: `trace:${TRACE}` }, ['req_4']],
    [{ text: 'trace:other' }, []],
    [{ text: 'took:yes method:post' }, ['req_5', 'req_1']],
    [{ text: 'code:x' }, ['req_3']],
    [{ text: 'script:decl' }, ['req_4']],
    [{ text: 'account:mch_b' }, []],
    [{ text: 'slower:2' }, []],
    [{ text: 'slower:1 test:pays' }, ['req_6', 'req_1']],
    [{ text: 'amount:1005' }, []],
    [{ sandbox: 'till' }, ['req_3']],
    [{ sandbox: '', text: 'status:400' }, []],
    [{ text: 'rule:REF-7 in:all' }, ['req_6', 'req_5', 'req_4', 'req_3', 'req_2', 'req_1']],
    [{ keys: new Set(['/0/req_3', 'till/0/req_3', '/1/req_1']) }, ['req_3']]
  ]
  for (const [filter, ids] of cases) {
    t.strictSame(
      filtered(rows, { ...ALL, ...filter }).map(({ call }) => call.id),
      ids,
      JSON.stringify(filter)
    )
  }
})

t.test('requests: parameters are in brackets, and the decision is named', async t => {
  const sent = { amount: '5', card: { number: '***', list: ['a', 'b'] } }

  t.strictSame(pairsOf(sent), [
    ['amount', '5'],
    ['card[number]', '***'],
    ['card[list][]', 'a'],
    ['card[list][]', 'b']
  ])
  t.equal(
    addressOf(call({ path: '/tickets', query: { metadata: { 'a b': 'ä&=' }, x: '' } })),
    '/tickets?metadata[a+b]=%C3%A4%26%3D&x='
  )
  t.equal(addressOf(call()), '/refunds')
  t.strictSame(pairsIn(' a =1=2\n\nb'), [
    ['a', '1=2'],
    ['b', '']
  ])
  t.equal(
    pathShown(call({ query: { limit: '5', created: { gte: 'x y' } } })),
    '/refunds?limit=5&created[gte]=x y'
  )
  t.equal(pathShown(call()), '/refunds')
  t.strictSame(
    [0, 0.4, 99.9, 100, 29_943.6].map(ms => msShown(call({ ms }))),
    ['0', '0.4', '99.9', '100', '29944']
  )
  const refusal = { code: 'path_unknown', rule: null, assumption: null, param: null }
  const script = { id: 'scr_1', name: null, fault: null }
  const marks: [changes: Partial<JournalCall>, icon: string, kind: string][] = [
    [{}, 'done', 'good'],
    [{ script }, 'done', 'scripted'],
    [{ refusal, status: 404 }, 'refused', 'warn'],
    [{ outcome: 'scripted', status: 402, script }, 'scripted', 'scripted'],
    [{ answered: false }, 'lost', 'bad'],
    [{ outcome: 'not_written', status: 500 }, 'lost', 'bad'],
    [{ status: 503 }, 'refused', 'bad']
  ]
  for (const [changes, icon, kind] of marks)
    t.strictSame(markOf(call(changes)), { icon, kind }, JSON.stringify(changes))
  const lost = { outcome: 'lost_before', took_effect: false, answered: false } as const
  const outcomes: [changes: Partial<JournalCall>, changed: number | undefined, words: string][] = [
    [{}, undefined, 'OK · took effect'],
    [{}, 2, 'OK · 2 records changed'],
    [{ took_effect: false }, 0, 'OK · nothing changed'],
    [{ outcome: 'refused', took_effect: false }, 0, 'Refused · nothing changed'],
    [{ outcome: 'scripted', took_effect: false }, 0, 'Scripted · nothing changed'],
    [lost, undefined, 'No response · nothing changed'],
    [{ answered: false }, 1, 'No response · 1 record changed'],
    [
      { outcome: 'not_written', answered: false, took_effect: false },
      0,
      'Could not be saved · nothing changed'
    ]
  ]
  for (const [changes, changed, words] of outcomes)
    t.equal(outcomeShown(call(changes), changed), words)
})

t.test('requests: a response that the script altered says so', async t => {
  const malformed = 'the script entry broken made the body malformed. This was sent.'
  const truncated = 'the script entry scr_1 truncated the body. Only the first half was sent.'
  const nothing =
    'the script entry scr_1 lost the response (connection_reset). None of it was sent.'
  const [lost, broken] = [{ fault: 'truncated_body' }, { name: 'broken', fault: 'malformed_body' }]
  const pay = ['POST /transactions', 'ticket=tkt_a&payment_type=external&amount=5'] as const
  const cases: [
    title: string,
    entry: object,
    sent: readonly [on: string, body?: string],
    shown: string | null
  ][] = [
    ['in place of the operation', broken, pay, malformed],
    ['after the operation', { ...broken, when: 'after' }, pay, malformed],
    [
      'a refusal of the operation',
      { ...broken, when: 'after' },
      ['GET /tickets/tkt_none'],
      malformed
    ],
    ['a text of the script', { ...broken, respond: { body: 'words' } }, pay, malformed],
    ['a refusal before the script', broken, ['POST /transactions', 'amount=x'], null],
    [
      'an answer without a body',
      { ...broken, when: 'after' },
      ['DELETE /accounts/mch_a/users/usr_a'],
      null
    ],
    ['truncated in place of the operation', lost, pay, truncated],
    ['truncated after the operation', { ...lost, when: 'after' }, pay, truncated],
    ['nothing to truncate', { ...lost, respond: { status: 204 } }, pay, null],
    ['lost before its body', { fault: 'connection_reset' }, pay, nothing],
    ['lost after the operation', { fault: 'connection_reset', when: 'after' }, pay, nothing],
    ['a text that is not broken', { respond: { body: 'words{' } }, pay, null],
    ['an answer that is late', { delay: '1ms' }, pay, null]
  ]
  for (const [title, entry, [on, body], shown] of cases) {
    const users = [{ id: 'usr_a', account: 'mch_a', name: 'A', email: 'a@example.com' }]
    const emulator = await startTestEmulator(t, {
      scenario: { data: smallFixture({ users }), script: [{ on: '*', ...entry }] }
    })
    await emulator.call(on, { ...(body !== undefined && { body }) }).catch(() => {})

    const { body: told } = await emulator.control('GET /requests/req_1')
    t.equal(breakingShown(told), shown, title)
  }
  const script = { id: 'scr_1', name: null, fault: 'malformed_body' }
  t.equal(
    breakingShown(call({ script })),
    null,
    'an answer of the emulator in place of the broken one'
  )
  t.equal(breakingShown(call({ script: { ...script, fault: 'truncated_body' } })), null)
})

t.test('requests: as curl, with everything quoted for a shell', async t => {
  const base = 'http://localhost:4010/next'

  t.equal(
    curlOf(
      call({
        method: 'GET',
        path: "/tickets/it's",
        query: { q: '$(x) `y`', created: { gte: '2026' } },
        body: {}
      }),
      {
        base: 'http://[::1]:4010/next',
        key: null
      }
    ),
    `curl 'http://[::1]:4010/next/tickets/it'\\''s?q=%24%28x%29+%60y%60&created%5Bgte%5D=2026'\n`
  )
  t.equal(
    curlOf(call({ test: "it's" }), { base, key: 'sk_1' }),
    `curl -X POST 'http://localhost:4010/next/refunds' \\\n  -u 'sk_1:' \\\n  --data-urlencode 'transaction=txn_1' \\\n  --data-urlencode 'metadata[order]=A-1' \\\n  -H 'Test-Name: it'\\''s'\n`
  )
  t.strictSame(
    [
      call(),
      call({ body: { card: { number: '***' } } }),
      call({ path: '/tickets/***' }),
      call({ query: { '***': '' } }),
      call({ body: { a: '**' } })
    ].map(isMasked),
    [false, true, true, true, false]
  )
})

t.test('requests: as a script entry that repeats the response', async t => {
  const emulator = await startTestEmulator(t)
  const { body: paid } = await emulator.call('POST /transactions', {
    body: 'ticket=tkt_a&payment_type=external&amount=500'
  })
  await emulator.call('POST /refunds', {
    body: { transaction: paid.id, amount: 600, 'metadata[order]': 'on' }
  })
  const { body: refused } = await emulator.control('GET /requests/req_2')

  const [entry] = parse(entryYaml(refused))
  t.equal((await emulator.control('POST /script', entry)).status, 201)
  const again = await emulator.call('POST /refunds', {
    body: { transaction: paid.id, amount: 600, 'metadata[order]': 'on' }
  })
  t.strictSame([again.status, again.body], [400, refused.answer])
  const entryOf = (changes: Partial<JournalCall>) => parse(entryYaml(call(changes)))[0]
  t.strictSame(entryOf({ body: {}, answer: null }), {
    on: 'POST /refunds',
    calls: 1,
    respond: { status: 200 }
  })
  t.strictSame(
    entryOf({
      params: { id: 'tkt_1' },
      body: { card: { number: '***', brand: 'visa' }, list: ['a'] }
    }),
    {
      on: 'POST /refunds',
      match: { params: { id: 'tkt_1' }, body: { 'card[brand]': 'visa' } },
      calls: 1,
      respond: { status: 200, body: { id: 'rfd_1', object: 'refund' } }
    }
  )
  t.throws(() => entryYaml(call({ on: null })), /No operation matched/)
})

t.test('console: what it writes as YAML is read as the same value', async t => {
  const written = ` |plain|POST /tickets/{id}|no|NULL|true|1|1.5|0x1|-|- a|a: b|a #b|it's|"|a\nb|*|&a|@|%|~|2026-03-01|12:30|ä|\u2028|on|.inf|=|<<`
  const texts = ['', ...written.split('|')]
  const values = [
    null,
    1,
    -1.5,
    true,
    [],
    {},
    { a: undefined },
    [[1, [2]], [{ a: [] }]],
    { on: 'x', 'a b': { c: [{ d: 1, e: [null] }] } },
    ...texts,
    texts,
    Object.fromEntries(texts.map(text => [text, text]))
  ]
  for (const value of values)
    t.strictSame(
      parse(yamlOf(value)),
      JSON.parse(JSON.stringify(value)),
      encodeURIComponent(JSON.stringify(value))
    )
})

t.test('console: JSON in colours is the text of the value', async t => {
  const text = (tokens: readonly Token[]) => tokens.map(token => token.text).join('')
  for (const value of [
    null,
    'a"<b>',
    1,
    -1.5e-7,
    1e21,
    true,
    [],
    {},
    [1, [{}]],
    { a: { b: [null, 'x'] }, c: undefined }
  ])
    t.equal(text(tokensOf(value)), JSON.stringify(value, null, 2))
  const tokens = tokensOf({ 'a"\\': ['b": 1, \\', -1.5e-7, null] }).filter(
    ({ kind }) => kind !== 'plain'
  )
  t.strictSame(tokens, [
    { kind: 'name', text: '"a\\"\\\\"' },
    { kind: 'text', text: '"b\\": 1, \\\\"', content: 'b": 1, \\' },
    { kind: 'number', text: '-1.5e-7' },
    { kind: 'word', text: 'null' }
  ])
  t.equal(text(tokensOf(undefined)), 'null')
})

t.test('requests: a search is words and terms', async t => {
  t.strictSame(queryIn('Lunch status:4xx test:"refunds twice" amount:5 "two words"'), {
    words: ['lunch', 'amount:5', 'two words'],
    terms: [
      { name: 'status', value: '4xx' },
      { name: 'test', value: 'refunds twice' }
    ]
  })
  t.equal(
    withTerm('lunch status:4xx', 'on', 'POST /refunds'),
    'lunch status:4xx on:"POST /refunds"'
  )
  t.equal(withTerm('lunch status:4xx', 'status', '200'), 'lunch status:200')
  t.equal(withTerm('status:4xx', 'status', ''), '')
  t.strictSame(
    ['status', 'on'].map(name => termIn(queryIn('status:4xx status:200'), name)),
    ['200', ''],
    'of two the last'
  )
  const unknown = (text: string) => unknownIn(queryIn(text)).map(([part]) => part)
  t.strictSame(unknown('lunch "a b" status:4xx rule:REF-7 took:maybe a:'), [])
  t.strictSame(
    unknown('amount:5 status:abc is:odd on:"GET /x" rule:REF-99 slower:x in:none'),
    ['amount:5', 'status:abc', 'is:odd', 'on:GET /x', 'rule:REF-99', 'slower:x', 'in:none'],
    'what means nothing is told'
  )
  for (const [name, { example }] of Object.entries(TERMS))
    t.strictSame(unknown(`${name}:${example}`), [], name)
  const cases: [text: string, before: string, written: string[]][] = [
    ['lunch sl', 'lunch ', ['slower:100']],
    ['ru', '', ['rule:']],
    ['is:', '', ['is:refused', 'is:lost', 'is:scripted']],
    ['a on:"get /re', 'a ', ['on:"GET /refunds/{id}"', 'on:"GET /refunds"']],
    ['in:a', '', ['in:all']],
    ['in:all', '', []],
    ['test:re', '', ['test:"refunds twice"']],
    ['code:', '', ['code:card_declined']],
    ['amount:', '', []]
  ]
  for (const [text, before, written] of cases) {
    const found = suggestionsFor(text, ['checkout', 'refunds twice'])
    t.equal(found.before, before, text)
    t.strictSame(
      found.suggestions.map(one => one.replacement),
      written,
      text
    )
  }
  t.equal(suggestionsFor('lunch ', []).suggestions.length, Object.keys(TERMS).length)
})

t.test('requests: each shows in a few words what distinguishes it', async t => {
  const transaction = {
    id: 'txn_4Zh5FjGaM20F',
    object: 'transaction',
    currency: 'eur',
    amount: 4200,
    payment_method: { card: { last4: '4242' } }
  }
  const refusal = { code: 'x', rule: null, assumption: null, param: null }
  const cases: [changes: Partial<JournalCall>, summary: string][] = [
    [
      { on: 'POST /refunds', body: { transaction: 'txn_9', amount: '3500' }, answer: null },
      '3,500 of txn_9'
    ],
    [
      {
        on: 'POST /transactions',
        body: { ticket: 'tkt_1', payment_type: 'card' },
        answer: transaction
      },
      '€42.00 card •••• 4242 for tkt_1'
    ],
    [
      {
        on: 'POST /refunds',
        body: { transaction: transaction.id, amount: '3500' },
        answer: null
      },
      '€35.00 of txn_4Zh5…'
    ],
    [
      { on: 'POST /refunds', body: { transaction: transaction.id }, answer: null },
      'the rest of txn_4Zh5…'
    ],
    [
      {
        on: 'POST /transactions',
        body: { ticket: 'tkt_1', payment_type: 'cash', amount: '12.50' },
        answer: null
      },
      '12.50 cash for tkt_1'
    ],
    [
      {
        on: 'GET /tickets',
        query: { search_query: 'T-1' },
        body: {},
        answer: { data: [{}, {}], has_more: true }
      },
      '“T-1” 2 Tickets, more to come'
    ],
    [
      {
        on: 'GET /accounts/{id}/users',
        body: {},
        answer: { data: [{ id: 'usr_1', name: 'A' }], has_more: false }
      },
      '1 User'
    ],
    [
      { on: 'GET /tickets', query: { search_query: ['a'] }, body: {}, answer: { data: [] } },
      '0 Tickets'
    ],
    [{ on: 'GET /tickets/{id}', body: {}, answer: { data: ['of a script entry'] } }, '1 record'],
    [{ on: 'GET /tickets/{id}', body: {}, answer: { data: 'of a script entry' } }, ''],
    [{ on: 'GET /tickets/{id}', body: {}, answer: { id: 'tkt_1', reference: 'T-1' } }, 'T-1'],
    [
      { on: 'POST /accounts', body: { display_name: 'Sent' }, answer: { display_name: 'Made' } },
      'Made'
    ],
    [
      {
        on: 'POST /accounts',
        body: { display_name: 'Sent' },
        answer: { display_name: 'Made' },
        refusal
      },
      'Sent'
    ],
    [
      {
        on: 'GET /refunds/{id}',
        body: {},
        answer: { id: 'rfd_1', transaction: 'txn_2', amount: 0, currency: 'jpy' }
      },
      '¥0'
    ],
    [
      { on: 'POST /refunds', body: { transaction: 'txn_2', amount: '3000' }, answer: null },
      '¥3,000 of txn_2'
    ],
    [{ on: 'POST /refunds', body: { amount: '' }, answer: 'a text of the script' }, 'the rest'],
    [
      {
        on: 'POST /transactions',
        body: { amounts: { transaction_amount: '5', payment_amount: '6', currency: 'eur' } },
        answer: null
      },
      '€0.05'
    ],
    [
      {
        on: 'POST /transactions',
        body: { amounts: { payment_amount: '6' }, currency: 'eur' },
        answer: null
      },
      '€0.06'
    ],
    [
      {
        on: 'POST /transactions',
        body: { amounts: '5', card: 'x', payment_type: 'card' },
        answer: null
      },
      'card'
    ],
    [
      { on: 'POST /transactions', body: { card: { last4: '1234' } }, answer: transaction },
      '€42.00 •••• 1234'
    ],
    [{ on: 'POST /transactions', body: { card: { last4: '***' } }, answer: null }, ''],
    [{ on: null, body: {}, answer: { error: {} } }, '']
  ]
  for (const [changes, summary] of cases) {
    const row = { call: call(changes) }
    learn([
      { sandbox: '', call: null },
      { sandbox: '', ...row }
    ])
    const said = [amountOf(row.call), summaryOf(row.call)].filter(Boolean).join(' ')
    t.equal(said, summary, JSON.stringify(changes))
  }
  defaultCurrency.value = 'usd'
  t.equal(
    amountOf(call({ on: 'POST /transactions', body: { amount: '100' }, answer: null })),
    '$1.00'
  )
  t.equal(shortPath('/transactions/txn_4Zh5FjGaM20F/x'), '/transactions/txn_4Zh5…/x')
})

t.test('console: the editor completes names and values by the schema, at any depth', async t => {
  const { body } = await (await startTestEmulator(t)).control('GET /schema/scenario.json')
  const labels = (text: string) =>
    completions(body as Schema, text, text.length).options.map(({ label }) => label)

  t.ok(['fixtures', 'script', 'clock', 'expect'].every(name => labels('').includes(name)))
  t.ok(['on', 'match', 'fault', 'delay'].every(name => labels('script:\n  - ').includes(name)))
  t.ok(
    ['on', 'match', 'fault', 'delay'].every(name =>
      labels('script:\n  - on: GET /tickets\n    ').includes(name)
    )
  )
  t.strictSame(
    labels('script:\n  - on: GET /tickets\n    fault: co').sort(),
    'connection_reset empty_response hang malformed_body truncated_body'.split(' ')
  )
  t.ok(
    labels('script:\n  - on: GET /tickets\n    respond:\n      error:\n        ').includes('code')
  )
  t.equal(completions(body as Schema, 'script:\n  - fau', 15).from, 12)
  t.strictSame(labels('name: x # '), [])
  t.strictSame(
    labels('script:\n\n  # next\n  - on: GET /tickets\n    match:\n      key: x\n    when: '),
    ['before', 'after'],
    'by the lines around it that are deeper or empty'
  )
  t.strictSame(labels('clock:\n  running: '), ['true', 'false'])
  t.ok(labels('script:\n  - on: ').includes('*'), 'a value that is the only one')
})
