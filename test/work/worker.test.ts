/** Large documents: read in a thread, one at a time, returned in parts, all or nothing. */
import { once } from 'node:events'
import { MessageChannel } from 'node:worker_threads'
import t from 'tap'
import { runJobs } from '../../src/jobs.js'
import { addKey } from '../../src/sandbox/records.js'
import { DEFAULT_LIMITS, type Located } from '../../src/scenario/documents.js'
import { readDocument } from '../../src/scenario/read/document.js'
import { Body, below, type Reading, readBy, readLarge } from '../../src/scenario/reading.js'
import { type Kind, shapeProblems } from '../../src/scenario/shape/scenario.js'
import { inSlices } from '../../src/work/slices.js'
import { type Ask, type Text, Worker } from '../../src/work/worker.js'
import { sandboxClient, smallFixture, startTestEmulator } from '../support/emulator.js'
import type { Json } from '../support/json.js'

const LARGE = 262_144
const limits = DEFAULT_LIMITS
const never = () => new AbortController().signal
const large = (text: string) =>
  /^[[{"]/.test(text) ? text.padEnd(LARGE) : `${text}\n#${'x'.repeat(LARGE)}`
const tickets = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, n) => ({
    id: `tkt_${n}`,
    location: 'loc_a',
    reference: `T-${n}`,
    ...more
  }))
const list = (count: number) => Array.from({ length: count }, (_, n) => n)

/** Reads as the thread does, in this process. */
function readHere(text: string): Promise<Located> {
  const run = (_: AbortSignal, job: (ask: Ask) => Promise<unknown>) =>
    job(async question => structuredClone(await readLarge(question as Reading)))
  return readBy({ run } as unknown as Worker, never)('doc', text)
}

t.test('reading: a large text gives the same as a small one', async t => {
  const deep = { a: { b: { c: { d: { e: list(200) } } } } }
  const texts = {
    ...{ 'a value': '5', text: '"x"', nothing: 'null', 'a list': JSON.stringify(list(100)) },
    'short lists': JSON.stringify({ a: list(99), b: [], c: {} }),
    'long lists': JSON.stringify({ a: list(100), b: { c: list(30_000), d: [[list(101)]] } }),
    'long members': JSON.stringify({ a: Array(101).fill('x'.repeat(30_000)) }),
    'deep lists': JSON.stringify(deep),
    YAML: `a: [${list(150)}]\nb: 0042\n`,
    'numbers in JSON': '{"a": 1.10, "__proto__": [1e3]}'
  }
  for (const [title, text] of Object.entries(texts)) {
    const [one, other] = await Promise.all([
      readDocument('doc', large(text)),
      readHere(large(text))
    ])
    t.strictSame(other.data, one.data, title)
    t.strictSame(other.numbers, one.numbers)
    const places = [{ steps: ['a', 1], isOfName: true }, { steps: ['b'] }, { steps: ['none'] }]
    t.strictSame(await other.placesOf(places), await one.placesOf(places))
  }
  t.strictSame((await readHere('{}')).data, {}, 'a small one is read at once')
})

t.test('reading: a large text with a right shape is not checked again', async t => {
  const cases: [text: string, kind: Kind, isWhole: boolean, isPart: boolean][] = [
    ['{"tickets":[]}', 'fixture', true, false],
    ['name: x', 'scenario', true, false],
    ['groups: {}', 'script', true, false],
    ['[5]', 'scenario', false, false],
    ['{"scenario":{"name":"x"}}', 'scenario', false, true],
    ['{"scenario":{"tickets":[]}}', 'fixture', false, true],
    ['{"scenario":{"tickets":[5]}}', 'fixture', false, false],
    ['{"scenario":{"steps":[{"do":"GET /tickets","query":{"x":1.10}}]}}', 'scenario', false, false]
  ]
  for (const [text, kind, ...areRight] of cases) {
    const document = await readHere(large(text))
    const known = [document, below(document, 'scenario')].map(part => {
      Object.assign(Object(part.data), { wrong: 1 })
      return shapeProblems(part, kind).length === 0
    })
    t.strictSame(known, areRight, text)
  }
})

t.test('jobs: texts are written, invalid ones are refused, and a defect is reported', async t => {
  const { port1, port2 } = new MessageChannel()
  runJobs(port1)
  t.teardown(() => port2.close())
  const ask = async (question: Reading | Text): Promise<Json> => {
    port2.postMessage(question)
    return (await once(port2, 'message'))[0]
  }
  const coverage = { percent: 0, rules: [], never_exercised: [], never_violated: [] }
  const run = { calls: 0, coverage, findings: [], assumptions: [], unused_script_entries: [] }
  const report = {
    ...{ ...run, object: 'run', scenario: { name: 'shop' }, expectations: [] },
    ...{ unused_scenarios: [], sandboxes: [], tests: [], requests: [], omitted: {} }
  }
  const recorded = { data: { name: 'x', expect: [{ on: 'GET /tickets' }] }, notes: ['why'] }
  const cases: [write: Text['write'], value: unknown, text: RegExp][] = [
    ['scenario', recorded, /^# why\nname: x\nexpect:\n {2}- \{ on: GET \/tickets \}\n$/],
    ['html', report, /^<!doctype html>/i],
    ['junit', report, /^<\?xml/],
    ['markdown', report, /shop/]
  ]
  for (const [write, value, text] of cases)
    t.match((await ask({ write, json: JSON.stringify(value) })).result, text, write)
  const read = { name: 'doc', text: 'a: [', options: { limits } }
  t.match(await ask({ read }), {
    refusal: { code: 'document_invalid', problems: [{ file: 'doc', line: 1 }] }
  })
  t.match(await ask({ write: 'html', json: '' }), { defect: /^SyntaxError: .+\n +at / })
  t.strictSame(
    await ask({ read: { ...read, text: 'a: 5' } }),
    { result: ['{"data":{"a":5},"numbers":[]}'] },
    'the next question is answered'
  )
})

t.test('worker: one job at a time; however one ends, the next one runs', async t => {
  const worker = new Worker()
  t.teardown(() => worker.end())
  const order: string[] = []
  const read = { name: 'doc', text: 'a: 5', options: { limits } }
  const job = async (ask: Ask) => {
    order.push('begun')
    const head = await ask({ read })
    order.push('ended')
    return head
  }
  const stays = () => new Promise<never>(() => {})
  const left = new Error('left')
  const leaving = new AbortController()
  const fails = (code: string) => (ask: Ask) => {
    process.once('worker', thread => {
      thread.emit('error', Object.assign(new Error('ended'), { code }))
      thread.emit('error', new Error('again'))
    })
    return ask({ read })
  }
  const cases: [title: string, done: Promise<unknown>, error: object | null][] = [
    ['a job', worker.run(never(), job), null],
    ['one after it', worker.run(never(), job), null],
    ['a client that leaves', worker.run(leaving.signal, stays), left],
    ['one that left while it waited', worker.run(leaving.signal, job), left],
    ['one that left before', worker.run(AbortSignal.abort(left), job), left],
    ['a job that fails by itself', worker.run(never(), () => Promise.reject(left)), left],
    [
      'a refusal in the thread',
      worker.run(never(), ask => ask({ read: { ...read, text: 'a: [' } })),
      { code: 'document_invalid', problems: [{ path: '', line: 1 }] }
    ],
    [
      'a defect in the thread',
      worker.run(never(), ask => ask({ write: 'html', json: '' })),
      { message: /^SyntaxError: .+\n +at / }
    ],
    [
      'too much memory',
      worker.run(never(), fails('ERR_WORKER_OUT_OF_MEMORY')),
      { code: 'document_too_large', message: /more than \d+ MiB of memory/ }
    ],
    ['another end of the thread', worker.run(never(), fails('ERR_OTHER')), { code: 'ERR_OTHER' }],
    ['a last job', worker.run(never(), job), null]
  ]
  setImmediate(() => leaving.abort(left))
  const outcomes = await Promise.all(
    cases.map(([, done]) =>
      done.then(
        () => null,
        (error: object) => error
      )
    )
  )
  for (const [index, [title, , error]] of cases.entries())
    if (error === null) t.equal(outcomes[index], null, title)
    else t.match(outcomes[index], error, title)
  t.strictSame(order, Array(3).fill(['begun', 'ended']).flat())
})

t.test('worker: its end refuses the running job, waiting jobs and later ones', async t => {
  const worker = new Worker()
  const run = () =>
    worker
      .run(never(), ask => ask({ read: { name: 'doc', text: '5', options: { limits } } }))
      .catch(({ code }) => code)
  const running = [run(), run()]
  const [thread] = await once(process, 'worker')

  const ending = worker.end()
  await once(thread, 'exit')
  await ending

  t.strictSame(await Promise.all([...running, run()]), Array(3).fill('not_ready'))
})

const sentLarge = (data: object) => large(JSON.stringify(data))

t.test('loads: a large document gives the same state as a small one', async t => {
  const range = { from: '2026-01-01', to: '2026-02-01' }
  const scenario = {
    clock: '2026-03-03',
    seed: 7,
    data: smallFixture({ tickets: tickets(300, { created: '2026-01-15', extra: { a: 1 } }) }),
    generate: [
      { tickets: 300, location: 'loc_a', created: range },
      { transactions: 250, location: 'loc_a', created: range, refunded: 0.3 }
    ],
    script: [{ on: 'GET /refunds', fault: 'hang' }],
    steps: [{ do: 'GET /tickets' }],
    expect: [{ on: 'GET /tickets' }]
  }
  const direct = await startTestEmulator(t, { scenario })
  const other = await startTestEmulator(t)

  t.strictSame((await other.control('POST /load', sentLarge({ scenario }))).status, 200)

  t.equal(await other.state(), await direct.state())
  t.strictSame(await other.nextIds(), await direct.nextIds())
  for (const { control } of [direct, other]) t.equal((await control('POST /reset')).status, 200)
  t.equal(await other.state(), await direct.state())
})

t.test('loads: problems of a large document are listed with their places', async t => {
  const emulator = await startTestEmulator(t)
  const before = await emulator.state()
  const bad = [...tickets(300), { location: 'none' }]
  const steps = [{ do: 'GET /tickets/none', expect: { status: 200 } }]
  const cases: [on: string, body: object, code: string, path?: string, at?: string][] = [
    [
      'POST /load',
      { scenario: { data: smallFixture({ tickets: bad }) } },
      'document_invalid',
      'data.tickets[301].location',
      '"none"'
    ],
    ['POST /load', { scenario: { nam: 'x' } }, 'document_invalid', 'nam', '"nam"'],
    ['POST /load', { scenario: { steps } }, 'document_invalid', 'steps[0]', '{"do"'],
    ['POST /records', { tickets: bad }, 'document_invalid', 'tickets[300].location', '"none"'],
    ['POST /records', { tickets: [5] }, 'document_invalid', 'tickets[0]', '5'],
    ['POST /script', { on: 'x', delay: '1s' }, 'document_invalid', 'on', '"x"'],
    ['PATCH /settings', { x: 'x'.repeat(2_000_000) }, 'body_too_large']
  ]
  for (const [on, body, code, path, at] of cases) {
    const text = sentLarge(body)
    const answer = await emulator.control(on, text)
    const [first = {}] = answer.body.error.problems ?? []
    t.strictSame(
      [answer.body.error.code, first.path, first.column],
      [code, path, at && text.indexOf(at) + 1],
      `${on} ${path}`
    )
    t.equal(await emulator.state(), before)
  }
})

t.test('loads: a large fixture is merged, unless the records change meanwhile', async t => {
  const emulator = await startTestEmulator(t, { settings: { 'limits.records': 9000 } })
  const merge = (prefix: string) =>
    emulator.control('POST /records', {
      tickets: tickets(4000).map(ticket => ({ ...ticket, id: `${prefix}${ticket.id}` }))
    })

  const { status, body } = await merge('a_')
  t.strictSame([status, body.tickets.length, body.tickets[3999].id], [200, 4000, 'a_tkt_3999'])
  let isOver = false
  const change = () => {
    if (isOver) return
    addKey(emulator.sandbox, 'mch_a')
    setImmediate(change)
  }
  change()
  t.equal((await merge('b_')).body.error.code, 'state_changed')
  isOver = true
  t.equal((await merge('b_')).status, 200)
  t.equal((await merge('c_')).body.error.code, 'document_too_large', 'more than a sandbox may hold')
})

t.test('loads: a sandbox that is deleted meanwhile gets nothing', async t => {
  const emulator = await startTestEmulator(t)
  const { call, control } = sandboxClient(emulator, 'one')
  await call('GET /tickets')
  const loading = control('POST /load', sentLarge({ scenario: { data: smallFixture() } }))
  while (emulator.sandboxes.find('one').inFlight === 0)
    await new Promise(resolve => setImmediate(resolve))
  await emulator.sandboxes.delete('one')
  const { status, body } = await loading
  t.strictSame([status, body.error.code], [404, 'sandbox_unknown'])
})

t.test('bodies: one of white space is empty, unless it is large', t => {
  const body = (text: string) => new Body('yaml', Buffer.from(text))
  for (const [text, isEmpty] of [
    ['', true],
    [' \n', true],
    ['é', false],
    [' '.repeat(LARGE), false]
  ] as const)
    t.equal(body(text).isEmpty, isEmpty)
  t.equal(body('é').text, 'é')
  t.end()
})

t.test('slices: work continues to its end, with other requests in between', async t => {
  let [others, done] = [0, 0]
  const other = setInterval(() => others++, 0)
  await inSlices(
    (function* () {
      for (; others < 3; done++) yield
    })()
  )
  clearInterval(other)
  t.ok(done > 0)
  t.ok(others >= 3, `${others} times`)
})
