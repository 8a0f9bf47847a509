import { type BigIntStats, readFileSync } from 'node:fs'
import {
  chmod,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile
} from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { ApiError } from '../../src/core/errors.js'
import { type RunningEmulator, type RunOptions, runEmulator } from '../../src/emulator.js'
import { DataFile } from '../../src/sandbox/data-file.js'
import { lineOf, linesRead, readLines } from '../../src/sandbox/lines.js'
import { REFUSALS, SAYS } from '../../src/sandbox/sentences.js'
import type { PresentSandboxes } from '../../src/sandbox/state.js'
import { documentOf } from '../../src/scenario/documents.js'
import type { Json } from '../support/json.js'
import { placeOf } from '../support/places.js'
import {
  type Answer,
  answerOf,
  MERCHANT,
  NOW,
  RESELLER,
  sentBy,
  smallFixture
} from '../support/requests.js'
import { fileText } from '../support/saved-lines.js'

const START = Date.parse(NOW)
const PAID = {
  id: 'txn_a',
  ticket: 'tkt_a',
  payment_type: 'card',
  payment_method: { card: { brand: 'visa', last4: '4242' } },
  amount: 1000,
  tip_amount: 200
}
const SCENARIO = {
  name: 'shop',
  clock: NOW,
  seed: 7,
  settings: { pagination: { max_limit: 50 } },
  data: smallFixture({
    users: ['ana', 'ben', 'cleo', 'dan', 'eve'].map(name => ({
      id: `usr_${name}`,
      account: 'mch_a',
      name,
      email: `${name}@example.com`
    })),
    tickets: [{ location: 'loc_a', reference: 'an id is drawn for it' }],
    transactions: [PAID],
    refunds: [{ id: 'rfd_a', transaction: 'txn_a', amount: 100, reason: 'cold soup' }]
  }),
  script: [
    {
      name: 'declined',
      on: 'POST /transactions',
      match: { body: { payment_type: 'card' } },
      calls: '2-3',
      respond: { status: 402, body: { declined: true } }
    },
    { on: 'GET /tickets', calls: 2, respond: { status: 503, body: 'busy' } }
  ],
  expect: [{ on: 'POST /refunds', times: '1+' }]
}

type Call = string

async function called({ app }: RunningEmulator, call: Call, key = MERCHANT): Promise<Answer> {
  const [, method, url, payload] = /^(\S+) (\S+) ?(.*)$/s.exec(call) as unknown as [
    '',
    'GET',
    string,
    string
  ]
  const isControl = url.includes('/_control')
  const { headers } = sentBy('GET /', { key })
  const type = {
    'content-type': isControl ? 'application/json' : 'application/x-www-form-urlencoded'
  }
  const answer = await app.inject({
    method,
    url,
    headers: { host: 'localhost', ...(!isControl && headers), ...(payload !== '' && type) },
    ...(payload !== '' && { payload })
  })
  return answerOf(answer.statusCode, answer.headers, answer.payload)
}

/** Starts in process, with the machine's time to set; closed when the test ends. */
async function started(
  t: Test,
  { now = () => START, scenario = SCENARIO, ...options }: RunOptions = {}
) {
  const emulator = await runEmulator({ scenario, now, ...options })
  t.teardown(() => emulator.close().catch(() => {}))
  return { ...emulator, call: (call: Call, key?: string) => called(emulator, call, key) }
}
/**
 * An emulator with a data file in a folder of its own; `again` ends it and starts the next one with
 * the file.
 */
async function opened(t: Test) {
  const place = await placeOf(t)
  const emulator = await started(t, withData(place.file))
  const again = async (options: RunOptions = {}) => {
    await emulator.close()
    return started(t, { ...withData(place.file), ...options })
  }
  return { ...place, ...emulator, again }
}
const withData = (data: string, more: RunOptions['settings'] = {}) => ({
  settings: { data, ...more }
})
const refusalOf = (options: RunOptions): Promise<ApiError> =>
  runEmulator({ scenario: SCENARIO, ...options }).then(
    ({ close }) => close().then(() => Promise.reject(new Error('it started'))),
    error => error
  )
/** What a file holds. */
async function saved(file: string): Promise<Json> {
  const data: Json = (await readLines(file)).data
  return {
    ...data,
    sandboxes: data.sandboxes.sort((a: Json, b: Json) =>
      String(a.name ?? '') < String(b.name ?? '') ? -1 : 1
    )
  }
}
/** What tells one version of a file from the next. */
const version = async (file: string) => {
  const { ino, mtimeNs, ctimeNs } = (await stat(file, { bigint: true })) as BigIntStats
  return `${ino} ${mtimeNs} ${ctimeNs}`
}

const LATER = {
  tickets: [{ id: 'tkt_x', location: 'loc_a' }],
  transactions: [{ id: 'txn_x', ticket: 'tkt_a', payment_type: 'emv', amount: 50 }],
  refunds: [{ id: 'rfd_x', transaction: 'txn_x', amount: 20 }]
}

t.test('started again, an emulator goes on as one that never stopped', async t => {
  const { file } = await placeOf(t)
  const inEach = (calls: Call[]) =>
    ['', '/sandbox/one'].flatMap(prefix => calls.map(call => call.replace(' /', ` ${prefix}/`)))
  const make = (note: string) => [
    `POST /next/locations display_name=${note}&address[country]=US&metadata[__proto__]=${note}&metadata[a.b]=c`,
    `POST /next/accounts type=reseller&name=${note}&email=${note}@example.com&address[country]=GB&address[line1]=1+Way`,
    `POST /next/accounts/mch_a/users name=${note}&email=${note}@example.com`,
    `POST /_control/records {"tickets":[{"location":"loc_a","reference":"${note}","extra":{"covers":[1,null]}}]}`,
    `POST /next/transactions ticket=tkt_a&payment_type=emv&amounts[payment_amount]=500&amounts[tip_amount]=50&donation_amount=5&customer[name]=${note}&adjustment_number=-1.5`,
    'POST /next/transactions ticket=tkt_a&payment_type=card&amount=4200&card[number]=4242424242424242&card[brand]=visa',
    `POST /next/refunds transaction=txn_a&amount=10&reason=${note}&metadata[${note}]=x`,
    'POST /_control/keys {"account":"mch_a"}'
  ]
  const look = [
    // the journal, in which near misses of the script are looked for, is not kept
    'DELETE /_control/requests',
    ...['', '/state', '/clock', '/script', '/settings'].map(path => `GET /_control${path}`),
    ...'refunds?limit=3 refunds?starting_after=rfd_x&limit=2 transactions/txn_a transactions/txn_x tickets locations?search=x'
      .split(' ')
      .map(path => `GET /next/${path}`),
    ...['starting_after=usr_cleo', 'ending_before=usr_dan'].map(
      query => `GET /next/accounts/mch_a/users?${query}`
    )
  ]
  const data = smallFixture({ transactions: [PAID] })
  const other = {
    name: 'other',
    seed: 3,
    clock: { now: '2030-01-01T00:00:00Z' },
    settings: { ids: { length: 8 } },
    data
  }
  const load = `POST /sandbox/one/_control/load ${JSON.stringify({ scenario: other })}`
  const chapters: Call[][] = [
    inEach([...look, ...make('first')]),
    inEach([
      'DELETE /next/accounts/mch_a/users/usr_cleo',
      'DELETE /next/accounts/mch_a/users/usr_dan',
      `POST /_control/records ${JSON.stringify(LATER)}`,
      ...make('second'),
      'DELETE /_control/records/refunds/rfd_x',
      'PATCH /_control/records/transactions/txn_x {"amount":40}',
      'POST /_control/script {"on":"GET /tickets","change":{"data":{"tickets":[{"location":"loc_a"}]},"delete":["tkt_x"]},"when":"after"}',
      ...look
    ]),
    [
      'PATCH /_control/settings {"ids":{"prefixes":{"ticket":"T_"}},"statuses":{"created":201},"seed":9}',
      'PUT /sandbox/one/_control/clock {"now":"2031-05-05T05:05:05Z","running":true}',
      'POST /_control/clock/advance {"by":"36h"}',
      'POST /_control/script {"on":"POST /refunds","calls":"2+","respond":{"error":{"code":"late","message":"Too late."}}}',
      'DELETE /sandbox/one/_control/script/scr_1',
      ...inEach([...make('third'), ...look])
    ],
    [
      'POST /_control/reset',
      load,
      'GET /sandbox/two/next/tickets',
      'GET /_control/sandboxes',
      ...inEach(look)
    ],
    inEach([...look, ...make('fourth')]),
    [
      'POST /sandbox/one/_control/reset',
      'DELETE /_control/sandboxes/two',
      'GET /_control/sandboxes',
      ...inEach([...make('fifth'), ...look])
    ]
  ]
  let time = START
  const now = () => time
  const twin = await started(t, { now })
  let again = await started(t, { now, ...withData(file) })

  const own = /"(port|data|file)":/
  for (const [index, chapter] of chapters.entries()) {
    for (const call of chapter) {
      time += 250
      const [expected, found] = [await twin.call(call), await again.call(call)]
      // ids of control answers are the process's own
      const part = ({ status, headers, body }: Answer) => [
        call.includes('/_control') || headers['request-id'],
        [status, body.settings ? { ...body.settings, data: null } : body]
      ]
      t.strictSame(part(found), part(expected), `chapter ${index}: ${call}`)
    }
    t.notOk(own.test(JSON.stringify((await saved(file)).sandboxes[0].settings)))
    await again.close()
    again = await started(t, {
      scenario: { name: 'not-this-one', data: smallFixture() } as unknown as typeof SCENARIO,
      now,
      ...withData(file)
    })
    t.strictSame([again.resumed, again.scenario], [file, twin.scenario], 'the file wins')
  }
  await again.close()
})

t.test('what is as its scenario made it is shared, and left out of the file', async t => {
  const { file, call, again } = await opened(t)
  await call('GET /sandbox/one/next/tickets')
  await call('POST /sandbox/two/next/accounts/mch_a/users name=Fay&email=fay@example.com')
  await call('POST /sandbox/three/next/refunds transaction=txn_a&amount=1')
  await call('POST /sandbox/four/_control/load {"scenario":"empty"}')
  await call('POST /sandbox/six/next/transactions ticket=tkt_a&payment_type=external&amount=1')
  const { first_states, sandboxes } = await saved(file)

  const families = sandboxes.map(
    ({ name, from, records: { api_keys, ...records } }: Json) =>
      `${name} from ${from}: ${Object.keys(records)}`
  )
  const charged = ['six', 'three'].map(name => `${name} from 0: transactions,refunds`)
  t.strictSame(families, [
    'null from 0: ',
    'four from 1: ',
    'one from 0: ',
    ...charged,
    'two from 0: users'
  ])
  t.equal(first_states.length, 2)

  const { sandboxes: later, close } = await again()
  const isShared = (name: string) =>
    later.find(name).store.users.revision === later.main.store.users.revision
  t.strictSame(['one', 'three', 'two'].map(isShared), [true, true, false], 'and shared again')
  t.equal(
    later.find('six').store.transactions.get('txn_a')?.amount_refunded,
    100,
    'what was refunded of a Transaction stays with it'
  )
  await close()
  t.strictSame(await saved(file), { first_states, sandboxes, start: 0 })
})

t.test('a file that cannot be used is named, and left byte for byte as it is', async t => {
  const { folder, file } = await placeOf(t)
  for (const [content, why] of [
    ['', SAYS.empty],
    [lineOf('{"format":5}'), SAYS.otherFormat(5, 4)]
  ] as const) {
    await writeFile(file, content)
    const before = await version(file)

    const { code, message } = await refusalOf(withData(file))

    t.strictSame([code, message], ['document_invalid', REFUSALS.unreadable(file, why).message])
    t.strictSame(
      [await readFile(file, 'utf8'), await version(file), await readdir(folder)],
      [content, before, ['shop.json']]
    )
  }
  await rm(file)
  const emulator = await started(t, withData(file))
  t.equal(emulator.resumed, null, 'without it a new one is made')

  for (const amount of [1, 2])
    await emulator.call(`POST /next/refunds transaction=txn_a&amount=${amount}`)
  const whole = await readFile(file, 'utf8')
  await emulator.close()
  const warnings: string[] = []
  await writeFile(file, whole.slice(0, -40))
  const again = await started(t, { ...withData(file), warn: line => warnings.push(line) })
  t.equal((await again.call('GET /next/transactions/txn_a')).body.amount_refunded, 101)
  const lines = whole.split(/(?<=\n)/)
  t.strictSame(warnings, [
    `${file}:${lines.length} ${SAYS.torn((lines.at(-1) as string).length - 40)}`
  ])
})

t.test('every problem of a file is reported with its place', async t => {
  const { folder, file, call, close } = await opened(t)
  await call('POST /sandbox/one/next/refunds transaction=txn_a&amount=1')
  await call('POST /sandbox/two/_control/load {"scenario":"empty"}')
  await close()
  const good = await saved(file)
  const [first, empty] = good.first_states
  const [base, one, two] = good.sandboxes
  const inFirst = (more: object) => ({ ...good, first_states: [{ ...first, ...more }, empty] })
  const inBase = (more: object) => ({ ...good, sandboxes: [{ ...base, ...more }, one, two] })
  const inOne = (records: object) => ({
    ...good,
    sandboxes: [base, { ...one, records: { ...one.records, ...records } }, two]
  })
  const listed = (entry: object) => ({
    entry: { on: 'GET /tickets', ...entry },
    matched: 0,
    applied: 0
  })
  const refunds = [{ id: 'rfd_x', transaction: 'txn_a', amount: 1201 }]
  const tickets = [{ id: 'tkt_x', location: 'loc_x', reference: 'X' }]
  const shapes = {
    clock: { at: 'x', running: 1 },
    settings: { port: 1, seed: -1 },
    expectations: [{ on: 'x' }]
  }
  const own = {
    counters: { user: 'x' },
    script: [{ id: 'x', ...listed({ on: 1 }) }],
    records: { ...base.records, cats: [] }
  }
  const compiled = {
    script: [{ id: 'scr_1', ...listed({}) }],
    expectations: [{ on: 'POST /refunds', times: '3-2' }]
  }
  const cases: [data: Json, at: string, paths: string, settings?: object][] = [
    [
      inFirst(shapes),
      'first_states[0].',
      'clock.at,clock.running,expectations[0].on,settings.port,settings.seed'
    ],
    [inBase(own), 'sandboxes[0].', 'counters.user,records.cats,script[0].entry.on,script[0].id'],
    [
      inOne({ tickets, transactions: [PAID], refunds }),
      'sandboxes[1].records.',
      'tickets[0].location,transactions[0].ticket'
    ],
    [inOne({ refunds }), 'sandboxes[1].records.', 'refunds[0].amount'],
    [inFirst(compiled), 'first_states[0].', 'expectations[0].times,script[0].entry'],
    [
      inBase({ script: [{ id: 'scr_2', ...listed({}), values: [{ value: 5 }] }] }),
      'sandboxes[0].',
      'script[0].values[0],script[0].values[0],script[0].values[0].value'
    ],
    [
      inBase({ script: [{ id: 'scr_2', ...listed({ calls: 'x', delay: '1s' }) }] }),
      'sandboxes[0].',
      'script[0].entry.calls'
    ],
    [good, '', 'first_states[1],sandboxes[2]', { 'auth.accept_any_key': 'mch_a' }]
  ]
  for (const [data, at, paths, settings = {}] of cases) {
    const text = fileText(data)
    await writeFile(file, text)

    const { code, problems = [] } = await refusalOf(withData(file, settings))

    t.equal(code, 'document_invalid')
    const found = problems.map(({ path }) => path).sort()
    t.equal(found.map(path => path.replace(at, '')).join(), paths)
    t.ok(problems.every(problem => problem.file === file && problem.path.startsWith(at)))
    t.strictSame([await readFile(file, 'utf8'), await readdir(folder)], [text, ['shop.json']])
  }
})

t.test('a state that another setting allowed can be gone on from', async t => {
  const { call, again } = await opened(t)
  await call(
    'PATCH /_control/settings {"transactions":{"refundable":"amount_plus_extras"},"parameters":{"unset_required":"allow"}}'
  )
  t.equal((await call('POST /next/refunds transaction=txn_a')).body.amount, 1100)
  t.equal(
    (await call('POST /next/locations/loc_a display_name=&address[country]=')).body.display_name,
    null
  )
  t.equal(
    (await call('POST /next/accounts/rsl_r type=&name=&email=&address[country]=', RESELLER)).body
      .type,
    null
  )
  await call(
    'PATCH /_control/settings {"transactions":{"refundable":"amount"},"parameters":{"unset_required":"reject"}}'
  )
  const state = (await call('GET /_control/state')).body
  const later = await again()
  t.strictSame((await later.call('GET /_control/state')).body, state)
  t.equal(
    (await later.call('POST /next/refunds transaction=txn_a')).body.error.code,
    'charge_already_refunded'
  )
})

t.test('every answered change is in the file; a refusal', async t => {
  const { file, call, sandboxes } = await opened(t)
  const changes: Call[] = [
    'POST /next/transactions ticket=tkt_a&payment_type=external&amount=5',
    'POST /next/locations/loc_a phone=1',
    'DELETE /next/accounts/mch_a/users/usr_ana',
    'GET /next/tickets',
    'GET /next/tickets',
    'POST /next/transactions ticket=tkt_a&payment_type=card&amount=5',
    'POST /next/transactions ticket=tkt_a&payment_type=card&amount=5',
    'POST /sandbox/one/next/refunds transaction=txn_a&amount=1',
    'PUT /_control/clock {"running":true}',
    'PATCH /sandbox/one/_control/settings {"seed":3}',
    'POST /_control/script {"on":"GET /refunds","delay":"1ms"}',
    'POST /_control/keys {"account":"mch_a"}',
    'POST /_control/records {"tickets":[{"id":"tkt_b","location":"loc_a","reference":"T-7"}]}',
    'PATCH /_control/records/tickets/tkt_a {"reference":"T-8"}',
    'DELETE /_control/records/tickets/tkt_b',
    'DELETE /_control/script/scr_3',
    'POST /_control/reset',
    'POST /_control/load {"scenario":"empty"}',
    'DELETE /_control/sandboxes/one'
  ]
  for (const change of changes) {
    const before = await version(file)
    const { status } = await call(change)
    t.ok(status < 300 || status === 402 || status === 503, `${change}: ${status}`)
    t.not(await version(file), before, change)
    const inFile = (await saved(file)).sandboxes.map(({ requests }: Json) => requests)
    const present = sandboxes.all().map(({ requests }) => requests)
    t.strictSame(inFile, present, 'the file is of this moment')
  }

  await call('POST /_control/load {"scenario":"bistro"}')
  await call('POST /_control/script {"on":"POST /refunds","calls":"9","respond":{"status":503}}')
  const idle: [Call, status: number, key?: string][] = [
    ['GET /next/tickets', 200, 'sk_test_merchant'],
    ['POST /next/locations display_name=x', 400, 'sk_test_merchant'],
    ['POST /next/locations display_name=x', 401, 'sk_unknown'],
    ['POST /nowhere', 404],
    ['PATCH /_control/settings {"seed":-1}', 400],
    ['POST /sandbox/three/_control/load {"scenario":"nowhere"}', 404],
    ['POST /_control/load?dry_run {"scenario":"empty"}', 200],
    ['PUT /_control/snapshots/a', 201],
    ['DELETE /_control/requests', 204]
  ]
  for (const [read, status, key] of idle) {
    const before = await version(file)
    t.equal((await call(read, key)).status, status, read)
    await sleep(5)
    t.equal(await version(file), before, read)
  }
})

/** A data file of its own, with how often it was written, and a change to write. */
async function unit(t: Test) {
  const { folder, file } = await placeOf(t)
  const { sandboxes } = await started(t)
  const data = await DataFile.take(file)
  t.teardown(() => data.close())
  let writes = 0
  data.writeFrom((): PresentSandboxes => {
    writes++
    return sandboxes.present
  })
  const change = () =>
    void sandboxes.main.changeSettings({ seed: sandboxes.main.settings.seed + 1 })
  const changed = () => {
    change()
    return data.saved()
  }
  const seed = async () =>
    ((await linesRead([readFileSync(file)])).data.sandboxes as Json)[0].settings.seed
  return { folder, file, data, main: sandboxes.main, change, changed, seed, writes: () => writes }
}

t.test('changes that come together share a write', async t => {
  const { data, change, changed, seed, writes } = await unit(t)
  t.equal(data.isNew, true)

  await Promise.all(Array.from({ length: 50 }, changed))
  t.strictSame([writes(), await seed()], [1, 57])

  const first = changed()
  while (writes() === 1) await sleep(0)
  change()
  let isSecondSaved = false
  const rest = Array.from({ length: 20 }, () => data.saved().then(() => (isSecondSaved = true)))
  await first
  t.strictSame(
    [writes(), await seed(), isSecondSaved],
    [2, 58, false],
    'the answer that waits for the first write need not wait for the second'
  )
  await Promise.all(rest)
  t.strictSame([writes(), await seed()], [3, 59])

  await data.saved()
  t.equal(writes(), 4)

  const ofOneTurn: Promise<void>[] = []
  await new Promise<void>(resolve => {
    for (let nth = 0; nth < 5; nth++)
      setImmediate(() => ofOneTurn.push(data.saved()) === 5 && resolve())
  })
  await Promise.all(ofOneTurn)
  t.equal(writes(), 5, 'calls that are judged in one turn of the loop')
})

t.test('closing waits for the write that is under way and for the one that waits', async t => {
  const { folder, file, data, changed, seed, writes } = await unit(t)
  const first = changed()
  while (writes() === 0) await sleep(0)
  const second = changed()
  await data.close()
  t.strictSame([writes(), await seed(), await readdir(folder)], [2, 9, ['shop.json']])
  await Promise.all([first, second])
  const before = await version(file)
  await t.rejects(changed(), {
    code: 'data_not_written',
    message: /: the emulator has stopped\./
  })
  t.equal(await version(file), before)
})

t.test('nothing to save is not written, and a state that cannot be a text is reported', async t => {
  const { file } = await placeOf(t)
  const data = await DataFile.take(file)
  await t.rejects(data.saved(), { code: 'data_not_written' })
  data.writeFrom(() => {
    throw new RangeError('Invalid string length')
  })
  await t.rejects(data.saved(), {
    code: 'data_not_written',
    message: /: Invalid string length\./
  })
  await data.close()
  await t.rejects(stat(file))
})

t.test('a change that would make a long line replaces the file', async t => {
  const { file, data, main } = await unit(t)
  await data.saved()
  const { ino } = await stat(file)
  const extra = { text: 'x'.repeat(2 ** 19) }
  const add = async (count: number) => {
    const tickets = Array.from({ length: count }, () => ({
      location: 'loc_a',
      reference: 'T-9',
      extra
    }))
    await main.addRecords(documentOf('more', { tickets }))
    await data.saved()
  }
  const longest = async () =>
    Math.max(...(await readFile(file, 'latin1')).split('\n').map(({ length }) => length))

  await add(1)
  t.equal((await stat(file)).ino, ino, 'a shorter one is added')
  await add(40)

  t.not((await stat(file)).ino, ino)
  t.ok((await longest()) < extra.text.length + 1000, 'a long record has a line of its own')
  t.equal((await saved(file)).sandboxes[0].records.tickets.length, main.store.tickets.size)
})

t.test('data_sync: without it nothing waits for the device, and the file is the same', async t => {
  const { folder } = await placeOf(t)
  const handle = await open(folder)
  const prototype = Object.getPrototypeOf(handle)
  await handle.close()
  const { sync, datasync } = prototype
  t.teardown(() => Object.assign(prototype, { sync, datasync }))
  const files: string[] = []
  for (const data_sync of [true, false]) {
    let syncs = 0
    const count = async () => void syncs++
    Object.assign(prototype, { sync: count, datasync: count })
    const file = join(folder, String(data_sync))
    const emulator = await started(t, withData(file, { data_sync }))
    for (const amount of [1, 2])
      await emulator.call(`POST /next/refunds transaction=txn_a&amount=${amount}`)
    files.push(await readFile(file, 'utf8'))
    await emulator.close()
    t.equal(
      syncs,
      data_sync ? 6 : 0,
      'a file and its folder at the start and at the end, and two changes'
    )
  }
  t.equal(files[1], files[0])
})

t.test('links are followed, so that a file has one lock however it is named', async t => {
  const { folder, file } = await placeOf(t)
  await mkdir(join(folder, 'far'))
  await symlink('far', join(folder, 'near'))
  await symlink('near/shop.json', join(folder, 'link.json'))
  await symlink('link.json', file)
  const emulator = await started(t, withData(file))

  t.equal((await lstat(file)).isSymbolicLink(), true)
  t.equal((await stat(join(folder, 'far', 'shop.json'))).isFile(), true)
  for (const name of ['shop.json', 'link.json', 'near/shop.json', 'far/shop.json'])
    t.equal(
      (await refusalOf(withData(join(folder, name)))).message,
      REFUSALS.locked(join(folder, name)).message
    )
  await emulator.call('POST /next/refunds transaction=txn_a&amount=7')
  await emulator.close()
  t.equal((await lstat(file)).isSymbolicLink(), true, 'a write leaves the links')
  t.equal(
    (await started(t, withData(join(folder, 'far', 'shop.json')))).resumed,
    join(folder, 'far', 'shop.json')
  )
  t.strictSame((await readdir(folder)).sort(), ['far', 'link.json', 'near', 'shop.json'])
})

t.test('a path where no file can be is reported with what to do', async t => {
  const { folder, file } = await placeOf(t)
  await writeFile(file, 'x')
  await mkdir(join(folder, 'folder'))
  await symlink('turn', join(folder, 'turn'))
  await symlink('none/x.json', join(folder, 'dangling'))
  await writeFile(join(folder, 'fixed.json'), '{}')
  await chmod(join(folder, 'fixed.json'), 0o444)
  await writeFile(join(folder, 'poetry.lock'), 'precious')
  const long = 'x'.repeat(150)
  const cases: [path: string, refused: (path: string) => ApiError | { message: RegExp }][] = [
    ['none/shop.json', path => REFUSALS.noFolder(path, join(folder, 'none'))],
    ['dangling', path => REFUSALS.noFolder(path, join(folder, 'none'))],
    ['folder', REFUSALS.isFolder],
    ['/dev/null', REFUSALS.notAFile],
    ['fixed.json', REFUSALS.readOnly],
    ['shop.json/x', () => ({ message: /: ENOTDIR: / })],
    ['turn', () => ({ message: /: ELOOP: / })],
    [long, () => ({ message: new RegExp(SAYS.longName(`${long}.lock-[0-9a-f]{8}.new`)) })],
    [long + long, () => ({ message: /: ENAMETOOLONG: / })]
  ]
  for (const [path, refused] of cases) {
    const at = resolve(folder, path)
    const { code, message } = await refusalOf(withData(at))
    t.equal(code, 'document_invalid')
    t.match(message, refused(at).message)
  }
  const emulator = await started(t, withData(join(folder, 'poetry')))
  await emulator.close()
  t.equal(
    await readFile(join(folder, 'poetry.lock'), 'utf8'),
    'precious',
    'a file that is called as a lock could be is left alone'
  )
  t.strictSame(
    (await readdir(folder)).sort(),
    'dangling fixed.json folder poetry poetry.lock shop.json turn'.split(' ')
  )
})

t.test('a start that fails for another reason leaves the file free', async t => {
  const { folder, file } = await placeOf(t)
  t.equal((await refusalOf({ scenario: { sede: 3 }, ...withData(file) })).code, 'document_invalid')
  t.strictSame(await readdir(folder), [], 'and makes none')
  const emulator = await started(t, withData(file))
  await emulator.call('POST /next/refunds transaction=txn_a&amount=7')
  await emulator.close()
  const before = await readFile(file)

  const taken = await started(t)
  const { port } = taken.app.server.address() as { port: number }
  t.equal((await refusalOf(withData(file, { port }))).code, 'EADDRINUSE')

  t.strictSame([await readFile(file), await readdir(folder)], [before, ['shop.json']])
  t.equal((await started(t, withData(file))).resumed, file)
})

t.test('with --watch a scenario that is loaded anew is in the file', async t => {
  const { folder, file } = await placeOf(t)
  const own = join(folder, 'own.json')
  await writeFile(own, JSON.stringify({ ...SCENARIO, name: 'before' }))
  const emulator = await started(t, {
    scenario: own as unknown as typeof SCENARIO,
    ...withData(file, { watch: true })
  })
  await emulator.call('POST /sandbox/one/next/refunds transaction=txn_a&amount=7')
  t.equal((await saved(file)).first_states[0].scenario.name, 'before')

  await writeFile(own, JSON.stringify({ ...SCENARIO, name: 'after' }))
  while ((await saved(file)).start === 0) await sleep(10)

  const { first_states, sandboxes, start } = await saved(file)
  t.strictSame(
    [start, first_states.map(({ scenario }: { scenario: { name: string } }) => scenario.name)],
    [1, ['before', 'after']]
  )
  t.equal(
    sandboxes.map(({ name, from }: Json) => `${name} ${from}`).join(),
    'null 1,one 0',
    'a sandbox that was there goes back to what it began with'
  )
  await emulator.close()
  const again = await started(t, withData(file))
  t.equal(again.scenario.name, 'after')
  t.equal((await again.call('GET /sandbox/one/next/transactions/txn_a')).body.amount_refunded, 107)
})
