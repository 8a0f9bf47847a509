import { setImmediate as turnEnd } from 'node:timers/promises'
import t from 'tap'
import { Evidence, Run } from '../../src/evidence/evidence.js'
import type { Clues } from '../../src/evidence/findings.js'
import { type Entry, keptIn, textOf } from '../../src/evidence/journal.js'
import { MERCHANT, NOW, startTestEmulator, world } from '../support/emulator.js'
import { type Judged, judged } from '../support/judged.js'

const LIMITS = { entries: 100, bytes: 1_000_000 }
const BOTH = { journal: true, coverage: true }
const EMPTY_PAGE = '{"data":[],"has_more":true,"last_id":"tkt_9"}'

type Call = Partial<Entry> & Judged & Partial<Pick<Clues, 'cardNumberSent'>> & { signature?: string; page?: string; changed?: string[] }

/** Records a call of a world, with what matters to a test. */
function record(
  evidence: Evidence,
  { signature = 's', cardNumberSent = false, page = '', changed = [], judgements = [], assumptions = [], ...given }: Call
): void {
  const entry: Entry = {
    id: 'req_1',
    at: 0,
    method: 'GET',
    path: '/tickets',
    operation: 'listTickets',
    params: null,
    account: 'mch_a',
    query: '{}',
    body: '{}',
    userAgent: null,
    status: 200,
    answer: page,
    answered: true,
    tookEffect: false,
    script: null,
    refusal: null,
    ms: 1,
    length: page.length,
    ...judged({ judgements, assumptions }),
    changedBy: [],
    ...given
  }
  evidence.record(entry, { signature: () => signature, cardNumberSent, answer: page }, { changed, kinds: BOTH })
}
const search = (id: string, location: string): Call => ({ id, query: JSON.stringify({ search_query: 's', location }), page: EMPTY_PAGE })
const REFUSED: Call = { status: 404, refusal: { code: 'resource_missing', rule: null, assumption: null, param: null } }
const found = ({ findings }: Run | Evidence['totals']) => findings.list().map(({ finding, times, requests }) => [finding, times, requests])

t.test('later: what waits is done at the end of the turn, in the order in which it came', async t => {
  const run = new Run()
  const done: number[] = []

  for (const task of [1, 2, 3]) run.later(() => done.push(task))
  t.strictSame(done, [])
  await turnEnd()
  t.strictSame(done, [1, 2, 3])
  run.later(() => done.push(4))
  await turnEnd()

  t.strictSame(done, [1, 2, 3, 4])
})

t.test('later: a turn that does not end lets no more than a hundred wait', t => {
  const run = new Run()
  const done: number[] = []

  for (let task = 1; task <= 250; task++) run.later(() => done.push(task))

  t.strictSame(
    done,
    Array.from({ length: 200 }, (_, index) => index + 1)
  )
  run.settle()
  t.strictSame([done.length, done.at(-1)], [250, 250])
  t.end()
})

t.test('later: whatever is read is read when what waits is done, once', async t => {
  const run = new Run()
  const evidence = new Evidence(LIMITS, run)
  const readers: Record<string, () => unknown> = {
    'the journal': () => evidence.journal,
    'the totals of the world': () => evidence.totals,
    'a settled world': () => evidence.settle(),
    'the coverage of the run': () => run.coverage,
    'the assumptions of the run': () => run.assumptions,
    'the findings of the run': () => run.findings,
    'the calls of the run': () => run.calls,
    'the latencies of the run': () => run.latencies,
    'the scripted calls of the run': () => run.scripted,
    'a cleared world': () => evidence.clear(),
    'an ended world': () => evidence.end()
  }

  for (const [what, read] of Object.entries(readers)) {
    let done = 0
    evidence.later(() => done++)
    t.equal(done, 0, what)
    read()
    t.equal(done, 1, what)
    await turnEnd()
    t.equal(done, 1, what)
  }
})

t.test('later: what is recorded while it is read is read whole the next time', t => {
  const evidence = new Evidence(LIMITS, new Run())
  const heard: [id: string, size: number][] = []
  evidence.journal.listen(({ id }) => heard.push([id, evidence.journal.size]))

  for (const id of ['req_1', 'req_2', 'req_3']) evidence.later(() => record(evidence, { id }))

  t.equal(evidence.journal.size, 3)
  t.strictSame(heard, [
    ['req_1', 1],
    ['req_2', 2],
    ['req_3', 3]
  ])
  t.end()
})

t.test('run: the calls of a named sandbox are told with its name', t => {
  const run = new Run()
  const [main, till] = [new Evidence(LIMITS, run), new Evidence(LIMITS, run, 'till')]

  record(main, { assumptions: ['A14'], judgements: [{ rule: 'FORM-2', held: true }] })
  record(till, { assumptions: ['A14'], judgements: [{ rule: 'FORM-2', held: false }], ...search('req_1', 'loc_a') })

  t.strictSame(found(run), [
    ['stopped-at-empty-page', 1, ['till/req_1']],
    ['unknown-parameter', 2, ['req_1', 'till/req_1']]
  ])
  t.strictSame(run.assumptions.get('A14'), { times: 2, requests: ['req_1', 'till/req_1'] })
  t.strictSame(run.assumptions.ids(), ['A14'])
  t.equal(run.coverage.report().seen, 2)
  t.strictSame(found(main.totals), [['unknown-parameter', 1, ['req_1']]])
  t.strictSame(found(till.totals), [
    ['stopped-at-empty-page', 1, ['req_1']],
    ['unknown-parameter', 1, ['req_1']]
  ])
  t.strictSame([till.totals.assumptions.get('A14'), till.totals.assumptions.get('A23')], [{ times: 1, requests: ['req_1'] }, undefined])
  t.equal(till.totals.coverage.report().seen, 1)
  t.end()
})

t.test('run: a refused call is repeated only in the world that refused it, and not over a reset', t => {
  const run = new Run()
  const [main, till] = [new Evidence(LIMITS, run), new Evidence(LIMITS, run, 'till')]

  record(main, REFUSED)
  record(till, REFUSED)
  main.clear()
  record(main, REFUSED)
  t.strictSame([found(main.totals), found(till.totals), found(run)], [[], [], []])
  record(main, { ...REFUSED, id: 'req_2' })
  record(till, { ...REFUSED, id: 'req_2' })
  main.clear()

  t.strictSame(found(main.totals), [])
  t.strictSame(found(till.totals), [['refused-and-repeated', 1, ['req_1', 'req_2']]])
  t.strictSame(found(run), [['refused-and-repeated', 2, ['req_1', 'req_2', 'till/req_1', 'till/req_2']]])
  t.end()
})

t.test('run: the same Refund in another world, or after a reset, is no risk', t => {
  const run = new Run()
  const [main, till] = [new Evidence(LIMITS, run), new Evidence(LIMITS, run, 'till')]
  const refund: Call = { operation: 'createRefund', tookEffect: true, body: '{"transaction":"txn_a"}' }

  record(main, { ...refund, answered: false })
  record(till, { ...refund, id: 'req_2' })
  main.clear()
  record(main, { ...refund, id: 'req_3' })
  t.strictSame(found(run), [])
  record(main, { ...refund, id: 'req_4', answered: false })
  record(main, { ...refund, id: 'req_5' })

  t.strictSame(found(run), [['double-refund-risk', 1, ['req_4', 'req_5']]])
  t.end()
})

t.test('run: an empty page counts as long as nobody goes on from it, in each world, and for good once its world is reset', t => {
  const run = new Run()
  const [main, till] = [new Evidence(LIMITS, run), new Evidence(LIMITS, run, 'till')]
  const goOn: Call = { id: 'req_2', query: JSON.stringify({ search_query: 's', location: 'loc_a', starting_after: 'tkt_9' }), page: '{"data":[{}]}' }

  record(main, search('req_1', 'loc_a'))
  record(till, search('req_1', 'loc_a'))
  const open = found(run)
  record(main, goOn)
  const wentOn = found(run)
  till.clear()
  record(till, goOn)

  t.strictSame(open, [['stopped-at-empty-page', 2, ['req_1', 'till/req_1']]])
  t.strictSame(wentOn, [['stopped-at-empty-page', 1, ['till/req_1']]])
  t.strictSame(found(till.totals), [])
  t.strictSame(found(run), [['stopped-at-empty-page', 1, ['till/req_1']]])
  main.clear()
  till.clear()
  t.strictSame(found(run), [['stopped-at-empty-page', 1, ['till/req_1']]], 'it counts once')
  t.end()
})

t.test('run: empty pages of resets and open ones are told together, at most 20 by name', t => {
  const run = new Run()
  const [main, till] = [new Evidence(LIMITS, run), new Evidence(LIMITS, run, 'till')]

  for (let call = 1; call <= 15; call++) record(main, search(`req_${call}`, `loc_${call}`))
  main.clear()
  for (let call = 1; call <= 15; call++) record(till, search(`req_${call}`, `loc_${call}`))

  const [[, times, requests]] = found(run) as [[string, number, string[]]]
  t.strictSame([times, requests.length, requests[0], requests.at(-1)], [30, 20, 'req_1', 'till/req_5'])
  t.end()
})

t.test('run: assumptions are counted for each call and each way of judging, with the first twenty calls', t => {
  const run = new Run()
  const till = new Evidence(LIMITS, run, 'till')
  for (let call = 1; call <= 30; call++) record(till, { id: `req_${call}`, assumptions: ['A14', 'A20'] })
  for (let call = 31; call <= 60; call++) record(till, { id: `req_${call}`, assumptions: call % 2 === 0 ? ['A20'] : ['A20', 'A26'] })

  for (const [when, calls] of [
    ['read', 60],
    ['counted on', 61]
  ] as const) {
    if (calls > 60) record(till, { id: `req_${calls}`, assumptions: ['A14', 'A20'] })
    const first20 = Array.from({ length: 20 }, (_, index) => `till/req_${index + 1}`)
    const odd = Array.from({ length: 15 }, (_, index) => `till/req_${31 + index * 2}`)
    t.strictSame(run.assumptions.get('A14'), { times: calls - 30, requests: first20 }, when)
    t.strictSame(run.assumptions.get('A20'), { times: calls, requests: first20 }, when)
    t.strictSame(run.assumptions.get('A26'), { times: 15, requests: odd }, when)
    t.strictSame(run.assumptions.ids(), ['A14', 'A20', 'A26'])
    t.strictSame([till.totals.assumptions.get('A20')?.times, till.totals.assumptions.get('A20')?.requests[0]], [calls, 'req_1'])
  }
  till.clear()
  t.strictSame([till.totals.assumptions.get('A20'), till.totals.assumptions.ids(), run.assumptions.get('A20')?.times], [undefined, [], 61])
  t.end()
})

t.test('run: of a world that is no more, what was counted stays', async t => {
  const run = new Run()
  const till = new Evidence(LIMITS, run, 'till')
  const { journal } = till
  record(till, { ...search('req_1', 'loc_a'), assumptions: ['A14'], judgements: [{ rule: 'FORM-2', held: true }] })
  till.later(() => record(till, { ...search('req_2', 'loc_b'), changed: ['loc_b'] }))

  till.end()

  const finds = [
    ['stopped-at-empty-page', 2, ['till/req_1', 'till/req_2']],
    ['unknown-parameter', 1, ['till/req_1']]
  ]
  t.strictSame([journal.size, found(till.totals), till.totals.coverage.report().seen, till.changesOf(['loc_b'])], [0, [], 0, []])
  t.strictSame(found(run), finds)
  t.strictSame([run.coverage.report().seen, run.assumptions.get('A14')?.times], [1, 1])

  record(till, { ...search('req_3', 'loc_c'), judgements: [{ rule: 'FORM-3', held: true }] })
  t.equal(run.coverage.report().seen, 2, 'a call that ends after its world counts')
  t.strictSame(found(run), finds, 'and its world is not held on to')
})

t.test('run: a forgotten world is not asked what is open in it', t => {
  const run = new Run()
  const world = { nameOf: (call: string) => call, stopped: () => ['req_1'], isOver: false }
  const evidence = new Evidence(LIMITS, run)
  record(evidence, {})
  const [entry] = evidence.journal.entries() as [Entry]

  t.strictSame(found(run), [])
  run.count(entry, world)
  t.strictSame(found(run), [['stopped-at-empty-page', 1, ['req_1']]])
  run.forget(world)

  t.strictSame(found(run), [])
  t.end()
})

t.test('run: the findings of an emulator stay over a reset and a load, and a refused call made again after them is none', async t => {
  const tickets = ['b', 'c'].map(name => ({ id: `tkt_${name}`, location: 'loc_a', reference: name }))
  const { call, control } = await startTestEmulator(t, { records: { tickets } })
  const finds = async (query: string) => (await control(`GET /findings${query}`)).body.data.map(({ finding, requests }: any) => [finding, requests])
  const visit = async () => {
    await call('GET /tickets', { query: 'location=loc_a&limit=1&search_query=T-1' })
    await call('GET /tickets/tkt_none')
  }
  const stopped = [['stopped-at-empty-page', ['req_1']]]

  await visit()
  t.strictSame([await finds(''), await finds('?scope=run')], [stopped, stopped])
  await control('POST /reset')
  t.strictSame([await finds(''), await finds('?scope=run')], [[], stopped])
  await visit()
  t.strictSame(await finds('?scope=run'), stopped, 'the same name is told once')
  await control('POST /load', { scenario: { clock: NOW, data: world() } })

  const { data } = (await control('GET /findings?scope=run')).body
  t.strictSame(
    data.map(({ finding, times, requests }: any) => [finding, times, requests]),
    [['stopped-at-empty-page', 2, ['req_1']]]
  )
})

t.test('run: what was found in a named sandbox is told with its name, also when the sandbox is deleted', async t => {
  const { call, control, inject, sandbox } = await startTestEmulator(t)
  const visit = (name: string) =>
    inject({ method: 'GET', url: `/sandbox/${name}/next/tickets/tkt_none?a=b`, headers: { authorization: `Basic ${btoa(`${MERCHANT}:`)}` } })
  const finds = () => found(sandbox.run)

  await call('GET /tickets/tkt_none', { query: 'a=b' })
  for (const name of ['till', 'till', 'bar']) await visit(name)
  const before = finds()
  const { status } = await control('DELETE /sandboxes/till')
  await visit('till')

  const calls = ['req_1', 'till/req_1', 'till/req_2', 'bar/req_1']
  t.strictSame(before, [
    ['unknown-parameter', 4, calls],
    ['refused-and-repeated', 1, ['till/req_1', 'till/req_2']]
  ])
  t.equal(status, 204)
  t.strictSame(finds(), [
    ['unknown-parameter', 5, calls],
    ['refused-and-repeated', 1, ['till/req_1', 'till/req_2']]
  ])
})

t.test('journal: what is kept as text is read as it was sent, whatever the names', t => {
  const sent = '{"__proto__":"a","constructor":{"toString":"b","list":["c","\\u0000\\"\\\\"]},"":""}'

  const kept = keptIn(sent)

  t.equal(JSON.stringify(kept), sent)
  t.strictSame([Object.getPrototypeOf(kept), Object.getPrototypeOf(kept.constructor)], [null, null])
  t.strictSame(Object.keys(kept), ['__proto__', 'constructor', ''])
  t.end()
})

t.test('journal: an answer is the text that was kept, or what is written again', t => {
  const user = { object: 'user', id: 'usr_1', account: 'mch_a', name: 'W', email: 'w@example.com', created: NOW }

  t.equal(textOf({ operation: null, answer: '{"id":1}' }), '{"id":1}')
  t.strictSame(JSON.parse(textOf({ operation: 'createUser', answer: { ...user, more: 'no schema lets this out' } })), user)
  t.end()
})
