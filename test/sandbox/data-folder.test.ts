import { type BigIntStats, readFileSync } from 'node:fs'
import {
  copyFile,
  mkdir,
  open,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile
} from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { ApiError } from '../../src/core/errors.js'
import { type RunningEmulator, type RunOptions, runEmulator } from '../../src/emulator.js'
import { DataFolder } from '../../src/sandbox/saved/data-folder.js'
import { REFUSALS, SAYS } from '../../src/sandbox/sentences.js'
import { changeSettings } from '../../src/sandbox/settings.js'
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
import { documentIn, documentsIn, fileIn } from '../support/saved-states.js'

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

async function started(
  t: Test,
  { now = () => START, scenario = SCENARIO, ...options }: RunOptions = {}
) {
  const emulator = await runEmulator({ scenario, now, ...options })
  t.teardown(() => emulator.close().catch(() => {}))
  return { ...emulator, call: (call: Call, key?: string) => called(emulator, call, key) }
}
async function opened(t: Test) {
  const place = await placeOf(t)
  const emulator = await started(t, withData(place.data))
  const again = async (options: RunOptions = {}) => {
    await emulator.close()
    return started(t, { ...withData(place.data), ...options })
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
const shownNames = (documents: Json[]) => documents.map(({ name }) => String(name))
async function version(data: string) {
  const files = await readdir(data, { recursive: true })
  const documents = files.filter(file => file.endsWith('.json')).sort()
  const stats = documents.map(async file => {
    const { ino, mtimeNs } = (await stat(join(data, file), { bigint: true })) as BigIntStats
    return `${file} ${ino} ${mtimeNs}`
  })
  return (await Promise.all(stats)).join()
}

const LATER = {
  tickets: [{ id: 'tkt_x', location: 'loc_a' }],
  transactions: [{ id: 'txn_x', ticket: 'tkt_a', payment_type: 'emv', amount: 50 }],
  refunds: [{ id: 'rfd_x', transaction: 'txn_x', amount: 20 }]
}

t.test('a restarted emulator continues like one that never stopped', async t => {
  const { data: file } = await placeOf(t)
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
    // the journal, which near misses of the script come from, is not kept
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
      // ids of control responses belong to the process
      const part = ({ status, headers, body }: Answer) => [
        call.includes('/_control') || headers['request-id'],
        [status, body.settings ? { ...body.settings, data: null } : body]
      ]
      t.strictSame(part(found), part(expected), `chapter ${index}: ${call}`)
    }
    t.notOk(own.test(JSON.stringify((await documentIn(file)).state.settings)))
    await again.close()
    again = await started(t, {
      scenario: { name: 'not-this-one', data: smallFixture() } as unknown as typeof SCENARIO,
      now,
      ...withData(file)
    })
    t.strictSame([again.resumed, again.scenario], [file, twin.scenario], 'the folder wins')
  }
  await again.close()
})

t.test('a document is whole: each can be continued from alone, and records are shared', async t => {
  const { folder, data, call, again } = await opened(t)
  await call('GET /sandbox/one/next/tickets')
  await call('POST /sandbox/two/next/accounts/mch_a/users name=Fay&email=fay@example.com')
  await call('POST /sandbox/Six/next/transactions ticket=tkt_a&payment_type=external&amount=1')
  const documents = await documentsIn(data)

  const others = ['notes.txt', 'My.json'].map(name => join(data, name))
  for (const file of others) await writeFile(file, 'left alone')
  const { sandboxes: later, close } = await again()
  for (const file of others) await rm(file)
  const isShared = (name: string) =>
    later.find(name).store.users.revision === later.main.store.users.revision
  t.strictSame(['one', 'two'].map(isShared), [true, false])
  await later.delete('two')
  await close()
  await mkdir(join(folder, 'copy'))
  await copyFile(fileIn(data, '~six'), fileIn(join(folder, 'copy')))
  const copy = await started(t, withData(join(folder, 'copy')))
  t.equal((await copy.call('GET /next/transactions?limit=1')).body.data[0].amount, 1)
  t.strictSame(
    await documentsIn(data),
    documents.filter(({ name }) => name !== 'two')
  )
})

t.test('a document that cannot be used is named, and not changed', async t => {
  const { data, call, close } = await opened(t)
  await call('POST /sandbox/one/next/refunds transaction=txn_a&amount=1')
  await close()
  for (const file of [null, 'one'].map(name => fileIn(data, name))) {
    const good = await readFile(file, 'utf8')
    for (const [content, why] of [
      ['', SAYS.damaged],
      [good.slice(0, -9), SAYS.damaged],
      ['null', SAYS.foreign],
      ['{"tickets":[]}', SAYS.foreign],
      ['{"format":5}', SAYS.otherFormat(5, 7)]
    ] as const) {
      await writeFile(file, content)
      const before = await version(data)

      const { code, message } = await refusalOf(withData(data))

      t.strictSame([code, message], ['document_invalid', REFUSALS.unreadable(file, why).message])
      t.strictSame([await readFile(file, 'utf8'), await version(data)], [content, before])
    }
    await writeFile(file, good)
  }
  t.equal((await started(t, withData(data))).resumed, data)
})

t.test('a document that nobody wrote so is refused, with the reason', async t => {
  const { data, call, close } = await opened(t)
  await call('POST /sandbox/two/_control/load {"scenario":"empty"}')
  await close()
  const base = await documentIn(data)
  const inState = (more: object) => ({ ...base, state: { ...base.state, ...more } })
  const script = (entry: object) => [{ id: 'scr_1', entry, matched: 0, applied: 0 }]
  const cases: [document: Json, why: RegExp, settings?: object][] = [
    [inState({ records: {} }), /not iterable/],
    [{ format: 7 }, /undefined/],
    [
      inState({ script: script({ on: 'GET /tickets', calls: '3-2', delay: '1s' }) }),
      /: must be 0, 1, /
    ],
    [
      { ...base, first: { ...base.first, expect: [{ on: 'POST /refunds', times: '3-2' }] } },
      /: must be 0, 1, /
    ],
    [base, /no Account has the id mch_none/, { 'auth.accept_any_key': 'mch_none' }],
    [inState({ settings: { 'auth.accept_any_key': 'mch_none' } }), /no Account has the id mch_none/]
  ]
  const file = fileIn(data)
  for (const [document, why, settings = {}] of cases) {
    const text = JSON.stringify(document)
    await writeFile(file, text)

    const { code, message } = await refusalOf(withData(data, settings))

    t.equal(code, 'document_invalid')
    t.match(message, why)
    t.ok(message.startsWith(`The document ${file} cannot be read: `), message)
    t.equal(await readFile(file, 'utf8'), text)
  }
})

t.test('a state that another setting allowed can be continued', async t => {
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

t.test('every confirmed change is on disk; a refusal', async t => {
  const { data, call, sandboxes } = await opened(t)
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
    'DELETE /_control/records/tickets/tkt_b',
    'DELETE /_control/script/scr_3',
    'POST /_control/reset',
    'POST /_control/load {"scenario":"empty"}',
    'DELETE /_control/sandboxes/one'
  ]
  for (const change of changes) {
    const before = await version(data)
    const { status } = await call(change)
    t.ok(status < 300 || status === 402 || status === 503, `${change}: ${status}`)
    t.not(await version(data), before, change)
    const documents = await documentsIn(data)
    const present = sandboxes.all().map(({ name }) => String(name))
    t.strictSame(shownNames(documents), present)
    const changed = change.includes('/sandbox/') ? documents.at(-1) : documents[0]
    const sandbox = sandboxes.get(changed?.name) ?? sandboxes.main
    t.equal(changed?.requests, sandbox.requests, 'the document is of this moment')
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
    const before = await version(data)
    t.equal((await call(read, key)).status, status, read)
    await sleep(5)
    t.equal(await version(data), before, read)
  }
})

async function unit(t: Test) {
  const { data: path } = await placeOf(t)
  const { sandboxes } = await started(t)
  let writes = 0
  const data = await DataFolder.take(path, () => {
    // each write checks twice: for changes, and for deletions
    writes += 0.5
    return sandboxes.present()
  })
  t.teardown(() => data.close().catch(() => {}))
  const change = () =>
    void changeSettings(sandboxes.main, { seed: sandboxes.main.settings.seed + 1 })
  const changed = () => {
    change()
    return data.saved()
  }
  const seed = () => JSON.parse(readFileSync(fileIn(path), 'utf8')).state.settings.seed
  return { path, data, change, changed, seed, writes: () => Math.ceil(writes) }
}

t.test('concurrent changes share a write', async t => {
  const { data, change, changed, seed, writes } = await unit(t)
  t.equal(data.isNew, true)

  await Promise.all(Array.from({ length: 50 }, changed))
  t.strictSame([writes(), seed()], [1, 57])

  const first = changed()
  while (writes() === 1) await sleep(0)
  change()
  let isSecondSaved = false
  const rest = Array.from({ length: 20 }, () => data.saved().then(() => (isSecondSaved = true)))
  await first
  t.strictSame(
    [writes(), seed(), isSecondSaved],
    [2, 58, false],
    'the answer that waits for the first write need not wait for the second'
  )
  await Promise.all(rest)
  t.strictSame([writes(), seed()], [3, 59])

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

t.test('closing waits for the current and the next write', async t => {
  const { path, data, changed, seed, writes } = await unit(t)
  const first = changed()
  while (writes() === 0) await sleep(0)
  const second = changed()
  await data.close()
  t.strictSame([writes(), seed()], [3, 9])
  t.strictSame(await readdir(path), ['_base.json'])
  await Promise.all([first, second])
  const before = await version(path)
  await t.rejects(changed(), {
    code: 'data_not_written',
    message: /: the emulator has stopped\./
  })
  t.equal(await version(path), before)
})

t.test('nothing to save is not written, and a state that cannot be a text is reported', async t => {
  const { data: path } = await placeOf(t)
  let fails = true
  const data = await DataFolder.take(path, () => {
    if (fails) throw new RangeError('Invalid string length')
    return []
  })
  await t.rejects(data.saved(), {
    code: 'data_not_written',
    message: /: Invalid string length\./
  })
  fails = false
  await data.saved()
  await data.close()
  t.equal(await version(path), '')
})

t.test('a change waits for the device', async t => {
  const { folder } = await placeOf(t)
  const handle = await open(folder)
  const prototype = Object.getPrototypeOf(handle)
  await handle.close()
  const { sync } = prototype
  t.teardown(() => Object.assign(prototype, { sync }))
  let syncs = 0
  Object.assign(prototype, { sync: async () => void syncs++ })
  const emulator = await started(t, withData(join(folder, 'state')))
  for (const amount of [1, 2])
    await emulator.call(`POST /next/refunds transaction=txn_a&amount=${amount}`)
  await emulator.close()
  t.equal(syncs, 6, 'a document and its folder at the start and two changes')
})

t.test('a path where no folder can be is reported with advice', async t => {
  const { folder } = await placeOf(t)
  await mkdir(join(folder, 'real'))
  await symlink('real', join(folder, 'link'))
  await symlink('turn', join(folder, 'turn'))
  await writeFile(join(folder, 'shop.json'), '{"sha256":"0"}')
  const long = 'x'.repeat(300)
  const cases: [path: string, refused: (path: string) => ApiError | { message: RegExp }][] = [
    ['shop.json', () => ({ message: /: EEXIST: / })],
    ['', REFUSALS.notEmpty],
    ['shop.json/x', () => ({ message: /: ENOTDIR: / })],
    ['turn', () => ({ message: /: (ELOOP|EEXIST|ENOENT): / })],
    [long, () => ({ message: /: ENAMETOOLONG: / })]
  ]
  for (const [path, refused] of cases) {
    const at = join(folder, path)
    const { code, message } = await refusalOf(withData(at))
    t.equal(code, 'document_invalid')
    t.match(message, refused(at).message)
  }
  const emulator = await started(t, withData(join(folder, 'real')))
  for (const name of ['real', 'link', 'link/'].map(name => join(folder, name)))
    t.equal((await refusalOf(withData(name))).message, REFUSALS.locked(name).message)
  await emulator.close()
  t.equal((await started(t, withData(join(folder, 'link')))).resumed, join(folder, 'link'))
  t.strictSame((await readdir(folder)).sort(), ['link', 'real', 'shop.json', 'turn'])
})

t.test('a start that fails for another reason leaves the folder free', async t => {
  const { data } = await placeOf(t)
  t.equal((await refusalOf({ scenario: { sede: 3 }, ...withData(data) })).code, 'document_invalid')
  t.equal(await version(data), '', 'and writes nothing')
  const emulator = await started(t, withData(data))
  await emulator.call('POST /next/refunds transaction=txn_a&amount=7')
  await emulator.close()
  const before = await version(data)

  const taken = await started(t)
  const { port } = taken.app.server.address() as { port: number }
  t.equal((await refusalOf(withData(data, { port }))).code, 'EADDRINUSE')

  t.equal(await version(data), before)
  t.equal((await started(t, withData(data))).resumed, data)
})

t.test('new sandboxes begin with the start scenario, also after another load', async t => {
  const { call, again } = await opened(t)
  await call('POST /_control/load {"scenario":"empty"}')
  const later = await again()
  await later.call('POST /sandbox/one/_control/reset')
  t.equal((await later.call('GET /sandbox/one/_control')).body.scenario.name, 'shop')
})

t.test('with --watch a reloaded scenario is on disk', async t => {
  const { folder, data } = await placeOf(t)
  const own = join(folder, 'own.json')
  await writeFile(own, JSON.stringify({ ...SCENARIO, name: 'before' }))
  const options = { scenario: own as unknown as typeof SCENARIO }
  const emulator = await started(t, { ...options, ...withData(data, { watch: true }) })
  await emulator.call('POST /sandbox/one/next/refunds transaction=txn_a&amount=7')
  await emulator.call('POST /_control/load {"scenario":"empty"}')
  t.equal((await documentIn(data)).start.scenario.name, 'before')

  await writeFile(own, JSON.stringify({ ...SCENARIO, name: 'after' }))
  while ((await documentIn(data)).first.scenario.name !== 'after') await sleep(10)

  t.equal((await documentIn(data)).start, undefined)
  t.equal(
    (await documentIn(data, 'one')).first.scenario.name,
    'before',
    'a sandbox that was there goes back to what it began with'
  )
})
