import { existsSync, readdirSync } from 'node:fs'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { parse } from 'yaml'
import type { ApiError } from '../../src/core/errors.js'
import type { GivenSettings } from '../../src/core/settings.js'
import type { Sandbox } from '../../src/sandbox/sandbox.js'
import { Sandboxes } from '../../src/sandbox/sandboxes.js'
import { REFUSALS } from '../../src/sandbox/sentences.js'
import { documentOf } from '../../src/scenario/documents.js'
import { Library } from '../../src/scenario/library.js'
import {
  type Emulator,
  NOW,
  namesIn,
  type SandboxClient,
  sandboxClient,
  smallFixture,
  startTestEmulator
} from '../support/emulator.js'

const ORIGIN = { name: 'test', file: null }
const START = { name: 'start', seed: 7, clock: NOW, data: smallFixture() }

async function sandboxesWith(
  flag: GivenSettings = {},
  { start = START as object | null, held = (): number => 0 } = {}
) {
  const dependencies = {
    library: new Library({ fixtures: null, scenarios: null }),
    launch: { flag, environment: {} },
    machine: () => Date.parse(NOW)
  }
  const sandboxes = new Sandboxes(dependencies, held)
  if (start !== null) await sandboxes.start(documentOf('test', start), ORIGIN)
  return sandboxes
}
function made(sandboxes: Sandboxes, name: string, isPage = false): Sandbox {
  const sandbox = sandboxes.use(name, isPage)
  sandboxes.keep(sandbox)
  return sandbox
}
const namesOf = (sandboxes: Sandboxes) => sandboxes.all().flatMap(({ name }) => name ?? [])
const refusalOf = (act: () => unknown): ApiError => {
  try {
    act()
  } catch (error) {
    return error as ApiError
  }
  throw new Error('nothing was refused')
}
const three = (emulator: Emulator, last = 'b') =>
  [null, 'a', last].map(name => sandboxClient(emulator, name)) as [
    SandboxClient,
    SandboxClient,
    SandboxClient
  ]

const RECORDS = 10_000
function largeScenario(): object {
  const thirds = Array.from({ length: (RECORDS - 4) / 3 }, (_, index) => index)
  const data = smallFixture({
    tickets: thirds.map(index => ({
      id: `tkt_${index}`,
      location: 'loc_a',
      reference: `T-${index}`
    })),
    transactions: thirds.map(index => ({
      id: `txn_${index}`,
      ticket: `tkt_${index}`,
      payment_type: 'card',
      amount: 1000 + index
    })),
    refunds: thirds.map(index => ({ id: `rfd_${index}`, transaction: `txn_${index}`, amount: 100 }))
  })
  return { data }
}

// first: garbage of other tests would count
t.test('sandboxes: one record of 10,000 costs at most a hundredth of time and memory', async t => {
  const document = documentOf('test', largeScenario())
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  /** Bytes in use after a full garbage collection. */
  const inUse = async () => {
    for (let round = 0; round < 3; round++) {
      await new Promise(resolve => setImmediate(resolve))
      collect()
    }
    return getHeapStatistics().used_heap_size
  }
  const flag = { 'limits.sandboxes': 100_000 }
  for (let index = 0; index < 50; index++) made(await sandboxesWith(flag), `warm-up-${index}`)

  const empty = await inUse()
  const sandboxes = await sandboxesWith(flag)
  await sandboxes.start(document, ORIGIN)
  const loaded = await inUse()
  for (let index = 0; index < 550; index++) made(sandboxes, `made-${index}`)

  const memory = { scenario: loaded - empty, sandbox: ((await inUse()) - loaded) / 550 }
  const sizes = new Set(sandboxes.all().map(({ store }) => store.size))
  t.strictSame(sizes, new Set([RECORDS]), 'each has all records')
  t.ok(memory.scenario > 1_000_000, `the scenario takes ${memory.scenario} bytes`)
  t.ok(
    memory.sandbox <= memory.scenario / 100,
    `the scenario takes ${memory.scenario} bytes, each sandbox ${memory.sandbox}`
  )
})

const PATHS = [
  '',
  '/state',
  '/clock',
  '/settings',
  '/script',
  '/snapshots',
  '/requests',
  '/coverage',
  '/findings',
  '/assumptions'
]
type Step = [target: 'call' | 'control', on: string, body?: Record<string, unknown>]
const SESSION: Step[] = [
  ...parse(`
    - [call, GET /locations]
    - [call, POST /locations, {display_name: New, 'address[country]': US}]
    - [call, POST /accounts, {type: merchant, name: B, email: b@example.com, 'address[country]': US}]
    - [call, POST /transactions, {ticket: tkt_a, payment_type: external, amount: 500}]
    - [call, POST /refunds, {transaction: $last, amount: 600}]
    - [call, POST /refunds, {transaction: $last, amount: 200}]
    - [call, GET /transactions/$last]
    - [call, GET /tickets?search_query=none&limit=1]
    - [control, POST /keys, {account: mch_a}]
    - [control, POST /records, {tickets: [{location: loc_a, reference: T-2}]}]
    - [control, POST /script, {on: GET /accounts, calls: 1, respond: {status: 503}}]
    - [call, GET /accounts]
    - [call, GET /accounts]
    - [control, PUT /snapshots/one]
    - [control, POST /clock/advance, {by: 36h}]
    - [control, PATCH /settings, {pagination.max_limit: 3}]
    - [call, GET /tickets?limit=4]
  `),
  ...PATHS.map((path): Step => ['control', `GET ${path}`]),
  ['control', 'GET /requests/req_6'],
  ['control', 'POST /verify', { on: 'POST /refunds', times: 2 }],
  ['control', 'POST /snapshots/one/restore'],
  ['control', 'GET /state'],
  ['control', 'POST /reset'],
  ['control', 'GET /state'],
  ['control', 'GET ']
]

const settled = (text: string, prefix: string) =>
  text.replaceAll(prefix === '' ? '\0' : prefix, '').replace(/"ms":[\d.]+/g, '')

async function played({ call, control, prefix }: SandboxClient): Promise<string[]> {
  const answers: string[] = []
  let last = ''
  for (const [target, on, body] of SESSION) {
    const filled =
      body &&
      Object.fromEntries(
        Object.entries(body).map(([name, value]) => [name, value === '$last' ? last : value])
      )
    const answer = await (target === 'call'
      ? call(on.replace('$last', last), { ...(filled && { body: filled }) })
      : control(on, filled))
    if (on === 'POST /transactions') last = answer.body.id
    const id = target === 'call' ? answer.headers['request-id'] : ''
    answers.push(`${on} ${answer.status} ${id} ${settled(answer.text, prefix)}`)
  }
  return answers
}

async function shown({ control, prefix }: SandboxClient): Promise<Record<string, string>> {
  const texts: Record<string, string> = {}
  for (const path of PATHS) texts[path] = settled((await control(`GET ${path}`)).text, prefix)
  return texts
}

const different = (one: Record<string, string>, other: Record<string, string>) =>
  PATHS.filter(path => one[path] !== other[path])

t.test('sandboxes: many at once respond like the base address', async t => {
  const emulator = await startTestEmulator(t, { scenario: START })
  const names = [null, ...Array.from({ length: 8 }, (_, index) => `w${index}`)]
  const [inMain = [], ...others] = await Promise.all(
    names.map(name => played(sandboxClient(emulator, name)))
  )
  for (const [index, answer] of inMain.entries())
    t.equal(others[0]?.[index], answer, SESSION[index]?.[1] ?? '')
  for (const answers of others) t.strictSame(answers, inMain)
  t.ok(inMain.filter(answer => / (200|201) /.test(answer)).length > 25, 'most of them do something')
})

t.test('sandboxes: changes of one are invisible in the others', async t => {
  const emulator = await startTestEmulator(t, { scenario: START })
  const [main, a, b] = three(emulator)
  for (const { call } of [main, a, b]) await call('GET /tickets')
  const before = await shown(b)
  t.strictSame(different(await shown(main), before), [], 'they begin alike')

  await played(a)
  await a.call('POST /refunds', { body: { transaction: 'txn_none', odd: 1 } })
  await a.call('POST /locations/loc_a', { body: { display_name: 'In a' } })
  await a.control('POST /script', { on: 'GET /tickets', respond: { status: 500 } })
  await a.control('PATCH /settings', { seed: 99 })
  await a.control('PUT /clock', { now: '2030-01-01T00:00:00Z' })

  t.strictSame(different(await shown(a), before), PATHS, 'everything is different in one')
  t.strictSame(different(await shown(b), before), [], 'nothing in another')
  t.strictSame(different(await shown(main), before), [])
  await main.call('POST /locations/loc_a', { body: { display_name: 'Main' } })
  t.equal((await b.call('GET /locations/loc_a')).body.display_name, 'A')
  await main.control('POST /reset')
  t.equal((await a.control('GET /script')).body.data.length, 1, 'a reset is one of its own sandbox')
})

t.test('sandboxes: a new one begins with the start scenario', async t => {
  const scenario = {
    ...START,
    settings: { pagination: { max_limit: 9 } },
    script: [{ on: 'GET /refunds', delay: '1ms' }]
  }
  const emulator = await startTestEmulator(t, { scenario })
  const [main, a, b] = three(emulator)
  await a.call('GET /tickets')
  const first = await shown(a)

  await main.control('POST /load', {
    scenario: {
      name: 'other',
      data: smallFixture({ tickets: [{ id: 'tkt_b', location: 'loc_a', reference: 'T-2' }] })
    }
  })
  await main.control('PATCH /settings', { 'pagination.max_limit': 2 })
  await b.call('GET /tickets')

  t.strictSame(different(await shown(b), first), [])
  await a.control('POST /load', { scenario: { name: 'own', data: smallFixture() } })
  const names = await Promise.all(
    [main, a, b].map(async ({ control }) => (await control('POST /reset')).body.scenario.name)
  )
  t.strictSame(names, ['other', 'own', 'start'], 'each goes back to what it was given')
})

t.test('sandboxes: the latest start applies to sandboxes created after it', async t => {
  const sandboxes = await sandboxesWith()
  const old = made(sandboxes, 'old')
  await sandboxes.start(documentOf('test', { ...START, name: 'newer' }), ORIGIN)
  await t.rejects(sandboxes.start(documentOf('test', { sede: 1 }), ORIGIN), {
    code: 'document_invalid'
  })
  t.strictSame(
    [old.scenario.name, sandboxes.main.scenario.name, sandboxes.use('new').scenario.name],
    ['start', 'newer', 'newer']
  )
  old.reset()
  t.equal(old.scenario.name, 'start')
})

t.test('sandboxes: they are listed by name', async t => {
  const unstarted = await sandboxesWith({}, { start: null })
  t.strictSame([refusalOf(() => unstarted.use('a')).code, namesOf(unstarted)], ['not_ready', []])
  const sandboxes = await sandboxesWith()
  const refused = (known: string[] | null, options = {}) => {
    const refusal = refusalOf(() => sandboxes.find('worker', options))
    t.strictSame(refusal, REFUSALS.noSandbox('worker', known))
  }

  refused([])
  for (const name of ['b', 'B', 'a-10', 'a-2', '7', 'b']) made(sandboxes, name)
  t.strictSame(
    [sandboxes.all()[0]?.name, namesOf(sandboxes)],
    [null, ['7', 'B', 'a-10', 'a-2', 'b']]
  )
  t.equal(sandboxes.find('b'), sandboxes.use('b'))
  refused(['7', 'B', 'a-10', 'a-2', 'b'])
  refused(null, { listsOthers: false })
})

t.test('limits.sandboxes: one above it is refused, and the others go on', async t => {
  const none = await sandboxesWith({ 'limits.sandboxes': 0 })
  const three = await sandboxesWith({ 'limits.sandboxes': 3 })
  for (const name of ['a', 'b', 'c']) made(three, name)
  const refusals = [refusalOf(() => none.use('a')), refusalOf(() => three.use('d'))]
  t.strictSame(refusals, [REFUSALS.tooManySandboxes(0), REFUSALS.tooManySandboxes(3)])
  t.equal(three.use('b').name, 'b')
  await three.delete('b')
  t.equal(made(three, 'd').name, 'd', 'one that was deleted makes room')
  t.strictSame(namesOf(three), ['a', 'c', 'd'])
})

t.test('sandboxes.evict_idle: the least recently used idle sandbox makes room', async t => {
  const sandboxes = await sandboxesWith({ 'limits.sandboxes': 3, 'sandboxes.evict_idle': true })
  const [a, b, c] = ['a', 'b', 'c'].map(name => made(sandboxes, name)) as [
    Sandbox,
    Sandbox,
    Sandbox
  ]
  sandboxes.use('a')
  sandboxes.find('b')

  made(sandboxes, 'd')
  t.strictSame([namesOf(sandboxes), b.ending.aborted], [['a', 'c', 'd'], true])
  c.inFlight = 1
  made(sandboxes, 'e')
  t.strictSame(namesOf(sandboxes), ['c', 'd', 'e'], 'one with a call in flight is passed over')
  t.strictSame([a.ending.aborted, c.ending.aborted], [true, false])
  for (const name of ['d', 'e']) sandboxes.find(name).inFlight = 1

  const refusal = refusalOf(() => sandboxes.use('f'))
  t.strictSame([refusal, namesOf(sandboxes)], [REFUSALS.tooManySandboxes(3), ['c', 'd', 'e']])
  c.inFlight = 0
  const anew = made(sandboxes, 'a')
  t.strictSame([namesOf(sandboxes), anew === a], [['a', 'd', 'e'], false])
})

t.test('sandboxes.evict_idle: those of pages go first unless they are busy', async t => {
  const sandboxes = await sandboxesWith({ 'limits.sandboxes': 3, 'sandboxes.evict_idle': true })
  made(sandboxes, 'worker')
  made(sandboxes, 'busy', true).inFlight = 1
  made(sandboxes, 'page', true)
  made(sandboxes, 'worker-2')
  t.strictSame(namesOf(sandboxes), ['busy', 'worker', 'worker-2'])
  made(sandboxes, 'worker-3')
  t.strictSame(namesOf(sandboxes), ['busy', 'worker-2', 'worker-3'])
})

t.test('sandboxes.evict_idle: only a request that keeps its sandbox takes a place', async t => {
  const sandboxes = await sandboxesWith({ 'limits.sandboxes': 2, 'sandboxes.evict_idle': true })
  const [a, b] = ['a', 'b'].map(name => made(sandboxes, name)) as [Sandbox, Sandbox]
  b.inFlight = 1

  const failing = sandboxes.use('failing')
  t.equal(refusalOf(() => sandboxes.use('another')).code, 'sandbox_limit')
  sandboxes.release(failing)

  t.strictSame([namesOf(sandboxes), a.ending.aborted], [['a', 'b'], false])
  sandboxes.keep(sandboxes.use('c'))
  t.strictSame([namesOf(sandboxes), a.ending.aborted], [['b', 'c'], true])

  const late = sandboxes.use('late')
  const c = sandboxes.find('c')
  c.inFlight = 1
  sandboxes.keep(late)
  t.strictSame(
    namesOf(sandboxes),
    ['b', 'c', 'late'],
    'where the idle one has become busy since, it stays'
  )
  for (const one of [b, c]) one.inFlight = 0
  made(sandboxes, 'd')
  t.equal(namesOf(sandboxes).length, 2, 'until there is room, then no more than the limit')
})

t.test('sandboxes: a sandbox that no request keeps ends with its last request', async t => {
  const sandboxes = await sandboxesWith()

  const alone = sandboxes.use('alone')
  t.equal(refusalOf(() => sandboxes.find('alone')).code, 'sandbox_unknown')
  t.strictSame([sandboxes.get('alone'), namesOf(sandboxes)], [undefined, []])
  sandboxes.release(alone)
  t.ok(alone.ending.aborted)

  const shared = sandboxes.use('shared')
  t.equal(sandboxes.use('shared'), shared)
  sandboxes.release(shared)
  t.notOk(shared.ending.aborted, 'another call may still keep it')
  sandboxes.keep(shared)
  sandboxes.release(shared)
  t.strictSame([namesOf(sandboxes), sandboxes.get('shared')], [['shared'], shared])

  sandboxes.release(sandboxes.main)
  t.equal(sandboxes.all()[0], sandboxes.main)
})

t.test('sandboxes: a deleted sandbox is gone completely; created again it is new', async t => {
  const emulator = await startTestEmulator(t)
  const { call, control } = sandboxClient(emulator, 'a')
  await call('POST /locations', { body: { display_name: 'X', 'address[country]': 'US' } })
  const { evidence } = emulator.sandboxes.find('a')
  await emulator.sandboxes.delete('a')
  await t.rejects(emulator.sandboxes.delete('a'), { code: 'sandbox_unknown' })
  t.equal(evidence.journal.size, 0)
  t.strictSame(
    [
      (await call('GET /locations')).body.data.length,
      (await control('GET /requests')).body.data.length
    ],
    [1, 1]
  )
})

const filesIn = (folder: string) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(file =>
        /\b(one|two)\.json$/.test(file)
      )
    : []

t.test('snapshots: each sandbox has its own, in memory and in a folder', async t => {
  for (const snapshots_dir of [null, t.testdir()]) {
    const emulator = await startTestEmulator(t, { settings: { snapshots_dir } })
    const clients = three(emulator, 'b.json')
    const [, a, b] = clients
    for (const { call, control, name } of clients) {
      await call('POST /locations/loc_a', { body: { display_name: String(name) } })
      t.equal((await control('PUT /snapshots/one')).status, 201)
      await call('POST /locations/loc_a', { body: { display_name: 'Changed' } })
    }
    await a.control('PUT /snapshots/two')
    const held = ({ control }: SandboxClient) =>
      control('GET /snapshots').then(({ body }) =>
        body.data.map(({ name }: { name: string }) => name).join()
      )

    t.strictSame(await Promise.all(clients.map(held)), ['one', 'one,two', 'one'])
    for (const { name, call, control } of clients) {
      t.equal((await control('POST /snapshots/one/restore')).status, 200)
      t.equal((await call('GET /locations/loc_a')).body.display_name, String(name))
    }
    t.equal((await b.control('POST /snapshots/two/restore')).status, 404)
    const files = [
      'one.json',
      'sandboxes/a/one.json',
      'sandboxes/a/two.json',
      'sandboxes/b.json/one.json'
    ]
    if (snapshots_dir) t.strictSame(filesIn(snapshots_dir).sort(), files)

    t.equal((await emulator.control('DELETE /sandboxes/a')).status, 204)
    await a.call('GET /tickets')
    t.strictSame(await Promise.all(clients.map(held)), ['one', '', 'one'])
    if (snapshots_dir) {
      const second = await startTestEmulator(t, { settings: { snapshots_dir } })
      const later = sandboxClient(second, 'b.json')
      t.equal((await later.control('POST /load', { scenario: { sede: 1 } })).status, 400)
      t.strictSame(
        [await namesIn(second), filesIn(snapshots_dir).sort()],
        [[], ['one.json', 'sandboxes/b.json/one.json']]
      )
      await later.call('GET /tickets')
      t.equal(await held(later), 'one', 'and files outlive the process')
    }
  }
})

t.test('A35: if memory is short, nothing is added', async t => {
  let used = 0
  const sandboxes = await sandboxesWith({}, { held: () => used })
  sandboxes.requireRoom()
  used = 0.86
  t.throws(() => sandboxes.requireRoom(), REFUSALS.noRoom())
})
