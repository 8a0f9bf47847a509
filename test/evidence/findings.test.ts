import t, { type Test } from 'tap'
import { drawnFraction } from '../../src/core/draws.js'
import { Evidence, Run } from '../../src/evidence/evidence.js'
import { FINDINGS, type FindingId, Findings } from '../../src/evidence/findings.js'
import { type Entry, Journal } from '../../src/evidence/journal.js'
import { Memory } from '../../src/evidence/memory.js'
import { findingsText, xml } from '../../src/evidence/reports.js'
import { explained, explainedText } from '../../src/evidence/why.js'
import { MERCHANT, NOW, startTestEmulator, world } from '../support/emulator.js'
import { type Judged, judged } from '../support/judged.js'

type Emulator = Awaited<ReturnType<typeof startTestEmulator>>
type Options = Parameters<Emulator['call']>[1] & { port?: number }

/** An entry with what matters to a test. */
const entry = ({ judgements = [], assumptions = [], ...given }: Partial<Entry> & Judged = {}): Entry => ({
  id: 'req_1',
  at: Date.parse(NOW),
  method: 'GET',
  path: '/tickets',
  operation: 'listTickets',
  params: null,
  account: 'mch_a',
  query: '{}',
  body: '{}',
  userAgent: null,
  status: 200,
  answer: '',
  answered: true,
  tookEffect: false,
  script: null,
  refusal: null,
  ms: 1,
  length: 0,
  ...judged({ judgements, assumptions }),
  changedBy: [],
  ...given
})
/** An entry that differs from that of any other number in every field that can. */
const differing = (number: number, length: number): Entry => ({
  id: `req_${number}`,
  at: Date.parse(NOW) + number,
  method: `M${number}`,
  path: `/tickets/${number}`,
  operation: (['readTicket', null] as const)[number % 2] as Entry['operation'],
  params: number % 2 === 0 ? null : { id: `tkt_${number}` },
  account: `mch_${number}`,
  query: `{"q":"${number}"}`,
  body: `{"b":"${number}"}`,
  userAgent: `agent ${number}`,
  status: number,
  answer: `answer ${number}`,
  length,
  answered: number % 2 === 0,
  tookEffect: number % 2 === 1,
  script: { id: `scr_${number}`, name: null, fault: null },
  refusal: { code: `code_${number}`, rule: null, assumption: null, param: null },
  ms: number / 10,
  ...judged({ judgements: [{ rule: number % 2 === 0 ? 'REF-7' : 'REF-6', held: true, facts: { asked: number } }] }),
  changedBy: [`req_${number - 1}`]
})
const clues = (answer = '') => ({ signature: () => 's', cardNumberSent: false, answer })
const kept = JSON.stringify

/** A world where a search for `last` meets three empty pages of one Ticket or Transaction each before its match, the oldest. */
const SEARCHED = {
  tickets: ['last', 'b', 'c', 'd'].map((reference, index) => ({
    id: `tkt_${reference}`,
    location: 'loc_a',
    reference,
    created: `2026-02-0${index + 1}T00:00:00Z`
  })),
  transactions: ['1111', '2222'].map((last4, index) => ({
    id: `txn_${last4}`,
    ticket: 'tkt_b',
    payment_type: 'card',
    amount: 1000,
    payment_method: { card: { last4 } },
    created: `2026-02-0${index + 1}T00:00:00Z`
  }))
}

/** Calls by a socket, for answers that get lost; whatever comes back is let go. */
async function send(emulator: Emulator, port: number, on: string, body?: string): Promise<void> {
  const [method, path] = on.split(' ') as [string, string]
  const headers = { authorization: `Basic ${btoa(`${MERCHANT}:`)}`, ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }) }
  const before = emulator.sandbox.run.calls.size
  await fetch(`http://127.0.0.1:${port}/next${path}`, { method, headers, ...(body !== undefined && { body }), signal: AbortSignal.timeout(1000) })
    .then(answer => answer.text())
    .catch(() => before)
}

const found = async ({ control }: Emulator, scope = ''): Promise<[string, number, string[]][]> =>
  (await control(`GET /findings${scope}`)).body.data.map(({ finding, times, requests }: any) => [finding, times, requests])

/** The calls of a client, and what is found of them. */
type Case = [title: string, calls: [on: string, options?: Options][], finds: [FindingId, number, string[]][]]
const search = (query: string, on = 'GET /tickets'): [string, Options] => [on, { query }]
const pay = (body: string, key: string | null = null): [string, Options] => ['POST /transactions', { body: `ticket=tkt_a&payment_type=card&${body}`, key }]
const CASES: Case[] = [
  ['SRCH-3: a client that stops at an empty page', [search('location=loc_a&limit=1&search_query=last')], [['stopped-at-empty-page', 1, ['req_1']]]],
  [
    'SRCH-3: a client that goes on and stops at the next empty page',
    [search('location=loc_a&limit=1&search_query=last'), search('location=loc_a&limit=1&search_query=last&starting_after=tkt_a')],
    [['stopped-at-empty-page', 1, ['req_2']]]
  ],
  [
    'SRCH-3: not a client that pages on to the match, with another limit too',
    [
      search('location=loc_a&limit=1&search_query=last'),
      search('location=loc_a&limit=2&search_query=last&starting_after=tkt_a'),
      search('location=loc_a&limit=2&search_query=last&starting_after=tkt_c')
    ],
    []
  ],
  [
    'SRCH-3: not a client that asks for the next page and is refused it',
    [search('location=loc_a&limit=1&search_query=last'), search('location=loc_a&limit=5000&search_query=last&starting_after=tkt_a')],
    []
  ],
  [
    'SRCH-3: another search is not the next page',
    [search('location=loc_a&limit=1&search_query=last'), search('location=loc_a&limit=1&search_query=other&starting_after=tkt_a')],
    [['stopped-at-empty-page', 2, ['req_1', 'req_2']]]
  ],
  [
    'SRCH-3: pages go backward too',
    [search('location=loc_a&limit=1&search_query=T-1&ending_before=tkt_last'), search('location=loc_a&limit=1&search_query=T-1&ending_before=tkt_b')],
    [['stopped-at-empty-page', 1, ['req_2']]]
  ],
  [
    'SRCH-3: not a client that pages backward to the end',
    [search('location=loc_a&limit=1&search_query=T-1&ending_before=tkt_c'), search('location=loc_a&limit=1&search_query=T-1&ending_before=tkt_d')],
    []
  ],
  ['SRCH-3: not an empty page that is the last', [search('location=loc_a&search_query=none')], []],
  ['SRCH-3: not a page whose Transaction has no Refunds', [search('location=loc_a&limit=1&search_query=2222', 'GET /transactions')], []],
  [
    'FILT-6: a search without location and created',
    [search('search_query=T-1'), search('search_query=T-1&location='), search('search_query=1', 'GET /transactions')],
    [['search-without-narrowing', 3, ['req_1', 'req_2', 'req_3']]]
  ],
  [
    'FILT-6: not a search by location or created, no search, and a refused one',
    [
      search('search_query=T-1&location=loc_a'),
      search('search_query=T-1&created[gte]=2026-01-01'),
      search(''),
      search('search_query='),
      search('search_query=T&limit=x')
    ],
    []
  ],
  [
    'A14: a parameter that the call does not have',
    [search('serch_query=T-1'), ['GET /tickets/tkt_a', { query: 'expand=location' }], pay('note=x')],
    [['unknown-parameter', 3, ['req_1', 'req_2', 'req_3']]]
  ],
  ['A26: bank_account with another payment_type than vip', [pay('bank_account[bank_name]=B')], [['unused-parameter', 1, ['req_1']]]],
  [
    'A26: not bank_account with vip',
    [['POST /transactions', { body: 'ticket=tkt_a&payment_type=vip&customer[phone]=1&bank_account[bank_name]=B', key: null }]],
    []
  ],
  ['A20: a key sent to POST /transactions, a wrong one too', [pay('', MERCHANT), pay('', 'sk_wrong_key')], [['key-sent-needlessly', 2, ['req_1', 'req_2']]]],
  [
    'A25: a whole card number, refused or not',
    [pay('card[number]=4242 4242 4242 4242'), pay('card[number]=4242424242424242&amount=x')],
    [['card-number-sent', 2, ['req_1', 'req_2']]]
  ],
  ['A25: not a token, the last four digits or a card that is none', [pay('card[token]=tok_1'), pay('card[number]=4242'), pay('card='), pay('amount=1')], []],
  [
    'a refused call made again, unchanged',
    [
      ['GET /tickets/tkt_none'],
      ['GET /tickets/tkt_none'],
      ['DELETE /locations/loc_a'],
      ['DELETE /locations/loc_a'],
      ['POST /refunds', { body: 'transaction=txn_1111&amount=9000' }],
      ['POST /refunds', { body: 'amount=9000&transaction=txn_1111' }],
      ['GET /tickets', { query: 'limit=x&created[gte]=2026-01-01&list[]=1' }],
      ['GET /tickets', { query: 'list[]=1&created[gte]=2026-01-01&limit=x' }]
    ],
    [
      ['unknown-parameter', 2, ['req_7', 'req_8']],
      ['refused-and-repeated', 4, ['req_1', 'req_2', 'req_3', 'req_4', 'req_5', 'req_6', 'req_7', 'req_8']]
    ]
  ],
  [
    'not a refused call that was changed, that succeeded, that another caller made, or whose body was not read',
    [
      ['POST /refunds', { body: 'transaction=txn_1111&amount=9000' }],
      ['POST /refunds', { body: 'transaction=txn_1111&amount=900' }],
      ['GET /tickets', { key: 'sk_wrong_key' }],
      ['GET /tickets', { key: 'sk_other_key' }],
      ['GET /tickets'],
      ['GET /tickets'],
      ['POST /refunds', { body: '{"transaction":"txn_1111"}', headers: { 'content-type': 'application/json' } }],
      ['POST /refunds', { body: '{"transaction":"txn_2222"}', headers: { 'content-type': 'application/json' } }],
      ['GET /nothing', { query: 'a=1' }],
      ['GET /nothing', { query: 'a=2' }]
    ],
    []
  ]
]

t.test('findings: what a client does wrong is found, with the calls that show it, and what it does well is not', async t => {
  for (const [title, calls, finds] of CASES) {
    const emulator = await startTestEmulator(t, { records: SEARCHED })

    for (const [on, options] of calls) await emulator.call(on, options)

    t.strictSame(await found(emulator), finds, title)
    t.strictSame(await found(emulator, '?scope=run'), finds, `${title}, in the run`)
  }
})

const lossy = async (t: Test, entry: object) => {
  const emulator = await startTestEmulator(t, {
    scenario: { clock: NOW, data: world(SEARCHED), script: [{ on: 'POST /refunds', calls: '1', fault: 'connection_reset', when: 'after', ...entry }] }
  })
  return { emulator, port: await emulator.listen() }
}
const REFUND = 'transaction=txn_1111&amount=10'

t.test('findings: the same Refund posted again after its answer was lost', async t => {
  const { emulator, port } = await lossy(t, {})

  await send(emulator, port, 'POST /refunds', REFUND)
  await emulator.call('GET /refunds', { query: 'transaction=txn_2222' })
  await emulator.call('GET /refunds', { query: 'transaction=txn_1111&limit=x' })
  await emulator.call('POST /refunds', { body: 'transaction=txn_1111&amount=11' })
  await emulator.call('POST /refunds', { body: REFUND })
  await emulator.call('POST /refunds', { body: REFUND })

  t.strictSame(await found(emulator), [['double-refund-risk', 1, ['req_1', 'req_5']]])
})

t.test('findings: a Refund whose answer is lost again is found again', async t => {
  const { emulator, port } = await lossy(t, { calls: '1-2' })

  for (const _ of [1, 2, 3]) await send(emulator, port, 'POST /refunds', REFUND)

  t.strictSame(await found(emulator), [['double-refund-risk', 2, ['req_1', 'req_2', 'req_3']]])
})

t.test('findings: a client that looks first, or whose Refund was never made, risks nothing', async t => {
  for (const [look, query] of [
    ['GET /refunds', 'transaction=txn_1111'],
    ['GET /refunds', ''],
    ['GET /transactions/txn_1111', '']
  ] as const) {
    const { emulator, port } = await lossy(t, {})
    await send(emulator, port, 'POST /refunds', REFUND)
    await emulator.call(look, { query })
    await emulator.call('POST /refunds', { body: REFUND })
    t.strictSame(await found(emulator), [], look)
  }
  const { emulator, port } = await lossy(t, { when: 'before' })
  await send(emulator, port, 'POST /refunds', REFUND)
  await emulator.call('POST /refunds', { body: REFUND })
  t.strictSame(await found(emulator), [])
})

t.test('findings: a scripted refusal is no refused call, and a scripted page that is no list is passed over', async t => {
  const emulator = await startTestEmulator(t, {
    scenario: {
      clock: NOW,
      data: world(),
      script: [
        { on: 'GET /locations', respond: { status: 402, error: { code: 'no', message: 'No.' } } },
        { on: 'GET /tickets', calls: 1, respond: { body: 'a "data":[] of sorts' } },
        { on: 'GET /tickets', respond: { body: { data: [], has_more: true, last_id: 'tkt_x' } } }
      ]
    }
  })

  for (const _ of [1, 2]) await emulator.call('GET /locations')
  await emulator.call('GET /tickets', { query: 'search_query=a&location=loc_a' })
  t.strictSame(await found(emulator), [])
  await emulator.call('GET /tickets', { query: 'search_query=a&location=loc_a' })

  t.strictSame(await found(emulator), [['stopped-at-empty-page', 1, ['req_4']]])
})

t.test('findings: a page that never arrived was not stopped at', t => {
  const findings = new Findings()
  const query = kept({ search_query: 'a', location: 'loc_a' })
  const page = clues('{"data":[],"has_more":true,"last_id":"tkt_1"}')

  findings.look(entry({ query, answered: false }), page)
  t.strictSame(findings.list(), [])
  findings.look(entry({ query, id: 'req_2' }), page)

  t.strictSame(
    findings.list().map(({ requests }) => requests),
    [['req_2']]
  )
  t.end()
})

t.test("findings: a refusal of the emulator's own is nobody's mistake", t => {
  const findings = new Findings()
  const refused = (code: string) => entry({ status: 500, refusal: { code, rule: null, assumption: null, param: null } })

  for (const code of ['internal_error', 'internal_error', 'not_ready', 'not_ready']) findings.look(refused(code), clues())

  t.strictSame(findings.list(), [])
  t.end()
})

t.test('findings: each is told with its severity, what it is and what to do, at most 20 calls by name', t => {
  const findings = new Findings()
  for (let call = 1; call <= 25; call++) findings.look(entry({ id: `req_${call}`, assumptions: ['A14', 'A20'] }), clues())
  for (let call = 1; call <= 25; call++) {
    const query = kept({ search_query: 's', location: `loc_${call}` })
    findings.look(entry({ id: `page_${call}`, query }), clues('{"data":[],"has_more":true,"last_id":"x"}'))
  }

  const list = findings.list()
  const text = findingsText(list)
  findings.clear()

  t.strictSame(
    list.map(({ finding, severity, times, requests }) => [finding, severity, times, requests.length]),
    [
      ['stopped-at-empty-page', 'error', 25, 20],
      ['unknown-parameter', 'error', 25, 20],
      ['key-sent-needlessly', 'warning', 25, 20]
    ]
  )
  t.strictSame(list[1], { finding: 'unknown-parameter', ...FINDINGS['unknown-parameter'], times: 25, requests: list[1]?.requests })
  t.ok(text.includes(`warning: key-sent-needlessly (25×, req_1, req_2,`))
  t.ok(text.includes(`\n  ${FINDINGS['key-sent-needlessly'].advice}\n`))
  t.equal(findingsText(findings.list()), 'No findings.\n')
  t.strictSame(Object.keys(FINDINGS), [
    'stopped-at-empty-page',
    'search-without-narrowing',
    'unknown-parameter',
    'unused-parameter',
    'key-sent-needlessly',
    'card-number-sent',
    'double-refund-risk',
    'refused-and-repeated'
  ])
  t.end()
})

t.test('findings: they are cleared by a reset, not in the run', async t => {
  const emulator = await startTestEmulator(t)
  await emulator.call('GET /tickets', { query: 'search_query=a' })

  await emulator.control('POST /reset')

  t.strictSame(await found(emulator), [])
  t.strictSame(await found(emulator, '?scope=run'), [['search-without-narrowing', 1, ['req_1']]])
})

t.test('journal: it is bounded in number; the oldest make room', t => {
  const journal = new Journal({ entries: 3, bytes: 1_000_000 })
  const heard: string[] = []
  const stop = journal.listen(({ id }) => heard.push(id))

  for (let call = 1; call <= 20; call++) {
    journal.add(entry({ id: `req_${call}` }))
    if (call === 10) stop()
  }

  t.strictSame([journal.size, journal.dropped], [3, 17])
  t.strictSame(
    journal.entries().map(({ id }) => id),
    ['req_18', 'req_19', 'req_20']
  )
  t.equal(journal.get('req_17'), undefined)
  t.equal(journal.get('req_18')?.id, 'req_18')
  t.strictSame([heard.length, heard.at(-1)], [10, 'req_10'])
  journal.skip()
  t.equal(journal.dropped, 18)
  journal.clear()
  t.strictSame([journal.size, journal.dropped, journal.entries()], [0, 0, []])
  t.end()
})

t.test('journal: it is bounded in bytes, of answers, kept or not, paths and parameters', t => {
  const big = 'x'.repeat(10_000)
  const holds = (given: Partial<Entry>) => {
    const journal = new Journal({ entries: 1000, bytes: 65_536 })
    for (let call = 1; call <= 20; call++) journal.add(entry({ id: `req_${call}`, ...given }))
    return [journal.size, journal.dropped]
  }

  t.strictSame(holds({}), [20, 0])
  for (const [what, given] of Object.entries({
    'an answer': { length: big.length },
    'a path': { path: big },
    'a value of a query': { query: kept({ a: big }) },
    'a list in a body': { body: kept({ a: [big] }) },
    'a nested value of a body': { body: kept({ a: { b: big } }) },
    'a name in a body': { body: kept({ [big]: '' }) }
  })) {
    t.strictSame(holds(given), [6, 14], what)
  }
  t.strictSame(holds({ length: big.length * 7 }), [0, 20])
  t.end()
})

t.test('journal: whatever was added, kept, dropped or cleared before, it holds the last entries that fit, in order', t => {
  let drawn = 0
  const draw = () => drawnFraction(7, 'journal', drawn++)
  for (let round = 0; round < 40; round++) {
    const limits = { entries: 1 + Math.floor(draw() * 60), bytes: 65_536 }
    const journal = new Journal(limits)
    let model: Entry[] = []
    let dropped = 0
    for (let call = 1; call <= 300; call++) {
      const added = differing(round * 1000 + call, draw() < 0.8 ? 10 : Math.floor(draw() * 70_000))
      if (draw() < 0.005) {
        journal.clear()
        model = []
        dropped = 0
      }
      journal.add(added)
      model.push({ ...added })
      const bytes = () => model.reduce((sum, { length, path, query, body }) => sum + 600 + length + path.length + query.length + body.length, 0)
      while (model.length > limits.entries || bytes() > limits.bytes) {
        model.shift()
        dropped++
      }
      if (call % 20 === 0 || call > 295) {
        const held = journal.entries()
        if (held.length !== model.length || journal.dropped !== dropped || journal.size !== model.length) t.fail(`round ${round}, call ${call}`)
        t.strictSame(held, model)
      }
    }
  }
  t.end()
})

t.test('evidence: the records that were changed longest ago are forgotten first, and a memory is bounded', t => {
  const evidence = new Evidence({ entries: 10, bytes: 1_000_000 }, new Run())
  const kinds = { journal: false, coverage: false }
  evidence.record(entry({ id: 'req_1' }), clues(), { changed: ['old', 'a', 'b'], kinds })
  evidence.record(entry({ id: 'req_2' }), clues(), { changed: ['b'], kinds })
  t.strictSame(evidence.changesOf(['a', 'b', 'none', 'a']), ['req_1', 'req_2'])

  evidence.record(entry({ id: 'req_3' }), clues(), { changed: Array.from({ length: 20_000 }, (_, index) => `id_${index}`), kinds })

  t.strictSame(evidence.changesOf(['old', 'id_0', 'id_19999']), ['req_3'])
  t.end()
})

t.test('memory: the latest value of each key is told, the older half is forgotten at once', t => {
  const memory = new Memory<number>(4)
  t.equal(memory.isEmpty, true)
  for (const [index, key] of ['a', 'b', 'c', 'a'].entries()) memory.set(key, index)
  t.strictSame(memory.values(), [1, 2, 3], 'nothing is told twice')
  memory.set('d', 4)

  t.strictSame(memory.values(), [2, 3, 4], 'what was set longest ago is gone')
  t.strictSame(
    ['a', 'b', 'c', 'd'].map(key => memory.get(key)),
    [3, undefined, 2, 4]
  )
  memory.set('b', 5)
  t.strictSame(memory.values(), [2, 3, 4, 5])
  memory.set('a', 6)
  t.strictSame([memory.values(), memory.get('a')], [[4, 5, 6], 6])
  memory.delete('a')
  memory.delete('d')
  t.strictSame([memory.get('a'), memory.get('d'), memory.isEmpty], [undefined, undefined, false])
  memory.clear()
  t.strictSame([memory.isEmpty, memory.values()], [true, []])
  t.end()
})

t.test('evidence: calls are measured by operation and status, scripted ones are counted', t => {
  const run = new Run()

  run.measure({ operation: 'listTickets', status: 200, ms: 1, isScripted: true })
  run.measure({ operation: 'listTickets', status: 200, ms: 20_000, isScripted: false })
  run.measure({ operation: null, status: 404, ms: 3, isScripted: false })

  t.strictSame(Object.fromEntries([...run.calls].map(([name, statuses]) => [name, [...statuses]])), { listTickets: [[200, 2]], none: [[404, 1]] })
  t.strictSame(run.latencies.get('listTickets'), { buckets: [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], sum: 20_001 })
  t.strictSame(run.latencies.get('none'), { buckets: [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], sum: 3 })
  t.equal(run.scripted, 1)
  t.end()
})

t.test('why: every part of a call is told as text', t => {
  const text = explainedText(
    entry({
      id: 'req_7',
      method: 'POST',
      path: '/refunds',
      operation: 'createRefund',
      query: kept({ a: 'b' }),
      body: kept({ transaction: 'txn_1', metadata: { k: 'v' }, list: ['1', '2'] }),
      status: 200,
      answered: false,
      tookEffect: true,
      script: { id: 'scr_1', name: 'lost', fault: 'hang' },
      judgements: [
        { rule: 'REF-7', held: true, facts: { remaining: 600, asked: 100 } },
        { rule: 'FORM-1', held: false }
      ],
      assumptions: ['A23'],
      changedBy: ['req_3', 'req_5'],
      answer: '{"id":"rfd_1"}'
    })
  )

  t.equal(
    text,
    `req_7  POST /refunds  200, but the answer was lost, took effect  (${NOW})
  query: a=b
  body: transaction=txn_1 metadata[k]=v list[]=1 list[]=2
  script: scr_1 (lost) acted: hang

Judged, in order:
  held   REF-7   a Refund above the remainder is an error  [remaining 600, asked 100]
  BROKE  FORM-1  POST bodies are form-encoded key/value pairs

What it was judged by was last changed by req_3, req_5.

The answer leans on:
  A23  what can be refunded

Answer:
  {"id":"rfd_1"}
`
  )
  t.end()
})

t.test('why: a call that was judged by nothing and answered nothing, or text', t => {
  const bare = explainedText(entry({ script: { id: 'scr_1', name: null, fault: null } }))
  const plain = explainedText(entry({ answer: 'not JSON 4242424242424242' }))

  t.ok(bare.includes('  script: scr_1 acted\n'))
  t.ok(bare.endsWith('Judged, in order:\n  nothing\n\nAnswer:\n  (no body)\n'))
  t.ok(bare.startsWith('req_1  GET /tickets  answered 200, changed nothing  ('))
  t.ok(plain.endsWith('Answer:\n  not JSON ****************\n'))
  t.strictSame([explained(entry()).answer, explained(entry({ answer: 'text' })).answer], [null, 'text'])
  t.equal(explained(entry({ operation: null, params: {} })).on, null)
  t.end()
})

t.test('reports: XML takes no markup and no control characters', t => {
  t.equal(xml('<a href="x">&\u0000\u001b\n\t'), '&lt;a href=&quot;x&quot;&gt;&amp;\n\t')
  t.end()
})
