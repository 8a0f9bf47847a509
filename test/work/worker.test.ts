/** Large documents: read in a worker, handed over in parts, bounded, all or nothing. */
import { once } from 'node:events'
import { MessageChannel } from 'node:worker_threads'
import t from 'tap'
import { settingsInForce } from '../../src/core/settings.js'
import { answerJobs } from '../../src/jobs.js'
import { Body } from '../../src/scenario/body.js'
import type { Job, Question } from '../../src/scenario/reader.js'
import { readBy } from '../../src/scenario/reading.js'
import { inSlices } from '../../src/work/slices.js'
import type { Reply } from '../../src/work/thread.js'
import { Worker } from '../../src/work/worker.js'
import type { Text } from '../../src/work/writing.js'
import { sandboxClient, smallFixture, startTestEmulator } from '../support/emulator.js'
import type { Json } from '../support/json.js'

const SANDBOX = {}
const NEVER = new AbortController().signal
const FOLDERS = { fixtures: null, scenarios: null }
const launchOf = (settings = {}) => ({ flag: settings, environment: {} })
const workerWith = (settings = {}) =>
  new Worker(
    { folders: FOLDERS, launch: launchOf(settings) },
    settingsInForce(launchOf(settings)).values
  )
const bytesOf = (data: unknown) =>
  new Uint8Array(Buffer.from(typeof data === 'string' ? data : JSON.stringify(data)))
const tickets = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, n) => ({
    id: `tkt_${n}`,
    location: 'loc_a',
    reference: `T-${n}`,
    ...more
  }))
const steps = (count: number) => Array.from({ length: count }, () => ({ do: 'GET /tickets' }))
const range = { from: '2026-01-01', to: '2026-02-01' }

/** The worker's side in this thread. */
function reader(t: { teardown: (end: () => void) => void }, settings = {}) {
  const { port1, port2 } = new MessageChannel()
  answerJobs(port1, { folders: FOLDERS, launch: launchOf(settings) })
  t.teardown(() => port2.close())
  return async (question: Question | Text): Promise<Reply> => {
    port2.postMessage({ id: 1, question })
    const [{ reply }] = await once(port2, 'message')
    return reply
  }
}

const partsFrom = async (ask: ReturnType<typeof reader>) => {
  const parts: unknown[] = []
  for (;;) {
    const { answer: part } = (await ask({ next: true })) as { answer: string | null }
    if (part === null) return parts
    parts.push(JSON.parse(part))
  }
}

t.test('worker: a first state comes in parts, with its warnings', async t => {
  const ask = reader(t)
  const data = smallFixture({
    tickets: [
      { id: 'tkt_late', location: 'loc_a', created: '2026-03-02' },
      { id: 'tkt_early', location: 'loc_a', created: '2026-03-01' }
    ]
  })
  const entry = { on: 'GET /tickets', delay: '1ms' }
  const generate = [
    { tickets: 2000, location: 'loc_a' },
    { transactions: 10, location: 'loc_a', refunded: 1 }
  ]
  const scenario = {
    name: 'x',
    clock: '2026-02-03',
    data,
    generate,
    script: [entry],
    expect: [{ on: 'GET /tickets' }],
    steps: steps(1)
  }

  const reply = await ask({
    read: { kind: 'load', type: 'json', now: 0, bytes: bytesOf({ scenario }) }
  })
  t.hasStrict(reply, {
    answer: {
      scenario: { name: 'x', description: null },
      clock: { running: false },
      warnings: [{ path: 'clock' }]
    }
  })
  const parts = (await partsFrom(ask)) as [string, Json[]][]
  const all = (name: string) => parts.flatMap(([list, members]) => (list === name ? [members] : []))
  t.strictSame([all('tickets')[0]?.[1].id, all('tickets')[0]?.[2].id], ['tkt_late', 'tkt_early'])
  t.ok(all('tickets').length > 2, 'many come in several parts')
  t.equal(
    all('refunds')[0]?.[0].payment_method,
    null,
    'Refunds come without what their Transactions have'
  )
  t.strictSame([all('script'), all('expect')], [[[entry]], [[{ on: 'GET /tickets' }]]])
  t.strictSame(all('steps').flat(2)[0], { do: 'GET /tickets' })
  t.strictSame(await ask({ next: true }), { answer: null }, 'the end stays the end')
})

t.test('worker: fixtures and other bodies are checked', async t => {
  const ask = reader(t, { 'limits.records': 3 })
  const read = (job: Partial<Job> & { kind: Job['kind'] }, data: unknown) =>
    ask({ read: { type: 'json', bytes: bytesOf(data), ...job } as Job })
  const refusalOf = async (reply: Promise<Reply>): Promise<Json> => ((await reply) as Json).refusal
  const two = { tickets: tickets(2) }

  t.strictSame(await read({ kind: 'fixture' }, two), { answer: null })
  const places = [JSON.stringify(two).indexOf('{"id":"tkt_1"') + 1, 1].map(column => ({
    line: 1,
    column
  }))
  t.strictSame(await ask({ places: [[['tickets', 1], ['none']]] }), { answer: places })
  t.strictSame(await partsFrom(ask), [['tickets', two.tickets]])
  t.equal(
    (await refusalOf(read({ kind: 'fixture' }, { tickets: tickets(4) }))).code,
    'document_too_large'
  )
  const { code, problems } = await refusalOf(
    read({ kind: 'fixture' }, { tickets: Array(2).fill({}) })
  )
  t.strictSame(
    [code, problems.map(({ path }: Json) => path)],
    ['document_invalid', ['tickets[0]', 'tickets[1]']]
  )
  t.equal((await refusalOf(read({ kind: 'fixture' }, '{"a":'))).code, 'body_malformed')

  const schema = {
    type: 'object',
    additionalProperties: false,
    properties: { a: { type: 'string' } }
  }
  t.strictSame(await read({ kind: 'value', schema }, { a: 'x' }), { answer: null })
  t.strictSame(await partsFrom(ask), [['value', [{ a: 'x' }]]])
  t.equal((await refusalOf(read({ kind: 'value', schema }, { a: 5 }))).code, 'document_invalid')

  await read({ kind: 'fixture' }, { tickets: [{ location: 'x'.repeat(1_100_000) }] })
  t.match(
    (await refusalOf(ask({ next: true }))).message,
    /^tickets\[0\] has more than 1048576 characters/
  )
  t.match((await read({ kind: 'value', schema: { unknown: 1 } }, {})) as object, {
    defect: /there is no quick check of unknown/
  })
})

t.test('worker: texts are written of JSON, as bytes', async t => {
  const ask = reader(t)
  const coverage = { percent: 0, rules: [], never_exercised: [], never_violated: [] }
  const run = { calls: 0, coverage, findings: [], assumptions: [], unused_script_entries: [] }
  const report = {
    ...run,
    unused_scenarios: [],
    object: 'run',
    scenario: { name: 'shop' },
    expectations: [],
    sandboxes: [],
    tests: [],
    requests: [],
    omitted: {}
  }
  const cases: [write: Text['write'], value: unknown, text: RegExp][] = [
    ['yaml', { tickets: [{ id: 'é' }] }, /^tickets:\n {2}- id: é\n$/],
    [
      'scenario',
      { data: { name: 'x', expect: [{ on: 'GET /tickets' }] }, notes: ['why'] },
      /^# why\nname: x\nexpect:\n {2}- \{ on: GET \/tickets \}\n$/
    ],
    ['html', report, /^<!doctype html>/i],
    ['junit', report, /^<\?xml/],
    ['markdown', report, /shop/]
  ]
  for (const [write, value, text] of cases) {
    const { answer } = (await ask({ write, json: JSON.stringify(value) })) as { answer: Uint8Array }
    t.match(Buffer.from(answer).toString(), text, write)
  }
})

t.test('worker: one document after the other, so many at once', async t => {
  const worker = workerWith({ 'limits.loads': 2 })
  t.teardown(() => worker.end())
  const order: number[] = []
  const given = (): Job => ({
    kind: 'fixture',
    type: 'json',
    bytes: bytesOf({ tickets: tickets(3) })
  })
  const read = (
    n: number,
    {
      job = given(),
      signal = NEVER,
      stays = false
    }: { job?: Job; signal?: AbortSignal; stays?: boolean } = {}
  ): Promise<Json> => {
    const take = async ({ parts }: { parts: () => AsyncGenerator<unknown> }) => {
      if (stays) await new Promise(() => {})
      const all: unknown[] = []
      for await (const part of parts()) all.push(part)
      order.push(n)
      return all.length
    }
    return readBy(worker.jobsOf(SANDBOX), job, signal, take).catch(error => error.code ?? error)
  }

  const [first, second] = [read(1), read(2)]
  t.equal(await read(3), 'load_limit')
  t.strictSame([await first, await second, order], [1, 1, [1, 2]])

  const leaving = new AbortController()
  const reason = new Error('left')
  const left = read(4, { signal: leaving.signal, stays: true })
  const waiting = read(5)
  leaving.abort(reason)
  t.equal(await read(6, { signal: AbortSignal.abort(reason) }), 'load_limit')
  t.equal(await left, reason)
  t.equal(await waiting, 1, 'the next is read by another worker')
  t.equal(await read(7, { signal: AbortSignal.abort(reason) }), reason)
  t.match(
    (
      await read(8, {
        job: { kind: 'value', schema: { unknown: 1 }, type: 'json', bytes: bytesOf('{}') }
      })
    ).message,
    /no quick check/
  )
})

t.test('worker: a worker that ends by itself refuses its document', async t => {
  const worker = workerWith()
  t.teardown(() => worker.end())
  const job = (): Job => ({ kind: 'fixture', type: 'json', bytes: bytesOf('{}') })
  for (const [code, refused] of [
    [
      'ERR_WORKER_OUT_OF_MEMORY',
      { code: 'document_too_large', message: /more than \d+ MiB of memory/ }
    ],
    ['ERR_OTHER', { code: 'ERR_OTHER' }]
  ] as const) {
    process.once('worker', worker => {
      worker.emit('error', Object.assign(new Error('ended'), { code }))
      worker.emit('error', new Error('again'))
    })
    const reading = readBy(worker.jobsOf(SANDBOX), job(), NEVER, async () => {})
    await t.rejects(reading, refused)
  }
  t.equal(await readBy(worker.jobsOf(SANDBOX), job(), NEVER, async ({ head }) => head), null)
})

t.test('worker: its end refuses the job that runs', async t => {
  const worker = workerWith()
  const read = () =>
    readBy(
      worker.jobsOf(SANDBOX),
      { kind: 'fixture', type: 'json', bytes: bytesOf('{}') },
      NEVER,
      async () => {}
    ).catch(error => error)
  const reading = [read(), read()]
  const [thread] = await once(process, 'worker')

  const ending = worker.end()
  await once(thread, 'exit')
  await ending

  const errors = await Promise.all([...reading, read()])
  t.strictSame(
    errors.map(({ code }) => code),
    ['not_ready', 'not_ready', 'not_ready']
  )
})

t.test('loads: a large document makes the same state as a small one', async t => {
  const generate = [
    { tickets: 3000, location: 'loc_a', created: range },
    { transactions: 2500, location: 'loc_a', created: range, refunded: 0.3 }
  ]
  const extra = {
    tickets: tickets(3, { created: '2026-01-15', extra: { a: 1 } }),
    locations: [
      {
        id: 'loc_m',
        account: 'mch_a',
        display_name: 'M',
        address: { country: 'US' },
        metadata: { __proto__: null, x: 'y' }
      }
    ]
  }
  const script = [{ on: 'GET /refunds', fault: 'hang' }]
  const scenario = {
    clock: '2026-03-03',
    seed: 7,
    data: smallFixture(extra),
    generate,
    script,
    steps: steps(1),
    expect: [{ on: 'GET /tickets' }]
  }
  const direct = await startTestEmulator(t, { scenario })
  const large = await startTestEmulator(t)

  t.strictSame((await large.control('POST /load', { scenario })).status, 200)

  t.equal(await large.state(), await direct.state())
  for (const on of ['GET /tickets', 'GET /transactions', 'GET /locations']) {
    const [one, other] = await Promise.all(
      [large, direct].map(emulator => emulator.call(on, { query: 'limit=100' }))
    )
    t.strictSame(one?.text.replace(/req_\d+/, ''), other?.text.replace(/req_\d+/, ''), on)
  }
  t.strictSame(await large.nextIds(), await direct.nextIds())
  t.equal((await large.control('POST /reset')).status, 200)
  await direct.control('POST /reset')
  t.equal(await large.state(), await direct.state())
})

t.test('loads: what is wrong with a large document is listed with its place', async t => {
  const emulator = await startTestEmulator(t)
  const before = await emulator.state()
  const bad = tickets(3000)
  bad[2999] = { ...bad[2999], location: 'none' } as never
  const text = JSON.stringify({ scenario: { data: smallFixture({ tickets: bad }) } })

  const fixture = JSON.stringify({ tickets: bad })
  const sequence = (count: number) => ({
    sequence: Array.from({ length: count }, () => ({ on: 'GET /tickets' }))
  })
  const failing = {
    scenario: {
      data: smallFixture({ tickets: tickets(3000) }),
      steps: [{ do: 'GET /tickets/none', expect: { status: 200 } }]
    }
  }
  const cases: [on: string, body: object | string, code: string, path?: string, column?: number][] =
    [
      [
        'POST /load',
        text,
        'document_invalid',
        'data.tickets[3000].location',
        text.indexOf('"none"') + 1
      ],
      [
        'POST /records',
        fixture,
        'document_invalid',
        'tickets[2999].location',
        fixture.indexOf('"none"') + 1
      ],
      [
        'POST /load',
        { scenario: { data: smallFixture(), generate: [{ tickets: 1_000_000 }] } },
        'document_too_large'
      ],
      [
        'POST /load',
        failing,
        'document_invalid',
        'steps[0]',
        JSON.stringify(failing).indexOf('{"do"') + 1
      ],
      ['POST /script', { on: 'x'.repeat(70_000) }, 'document_invalid', 'on', 7],
      ['PATCH /settings', { x: 'x'.repeat(2_000_000) }, 'body_too_large'],
      ['POST /verify', sequence(10_001), 'document_too_large'],
      [
        'POST /load',
        { scenario: { script: Array(10_001).fill({ on: 'GET /tickets', fault: 'hang' }) } },
        'document_too_large'
      ]
    ]
  for (const [on, body, code, path, column] of cases) {
    const answer = await emulator.control(on, body)
    const [first = {}] = answer.body.error.problems ?? []
    t.strictSame(
      [answer.status, answer.body.error.code, first.path, first.column],
      [code === 'document_invalid' ? 400 : 413, code, path, column],
      on
    )
    t.equal(await emulator.state(), before)
  }
  t.equal((await emulator.control('POST /verify', sequence(10_000))).body.holds, false)
})

t.test('loads: a large fixture is merged', async t => {
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
    emulator.sandbox.addKey('mch_a')
    setImmediate(change)
  }
  change()
  t.equal((await merge('b_')).body.error.code, 'state_changed')
  isOver = true
  t.equal((await merge('b_')).status, 200)
  t.equal((await merge('c_')).body.error.code, 'document_too_large', 'more than a sandbox may hold')
})

t.test('loads: a sandbox that is deleted meanwhile gets none', async t => {
  const emulator = await startTestEmulator(t)
  const { call, control } = sandboxClient(emulator, 'one')
  await call('GET /tickets')
  const loading = control('POST /load', {
    scenario: { name: 'big', data: smallFixture({ tickets: tickets(3000) }) }
  })
  while (emulator.sandboxes.find('one').inFlight === 0)
    await new Promise(resolve => setImmediate(resolve))
  await emulator.sandboxes.delete('one')
  const { status, body } = await loading
  t.strictSame([status, body.error.code], [404, 'sandbox_unknown'])
})

t.test('slices: work goes on until its end, and others are let in', async t => {
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
  t.equal(new Body('yaml', bytesOf('é')).text, 'é')
})
