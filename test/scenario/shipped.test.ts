import { readdirSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { buildApp } from '../../src/app.js'
import { settingsInForce } from '../../src/core/settings.js'
import { playIn } from '../../src/engine/play.js'
import { OPERATION_NAMES } from '../../src/reference/operations.js'
import { Sandboxes } from '../../src/sandbox/sandboxes.js'
import { Library } from '../../src/scenario/library.js'
import { DEFAULT_LIMITS } from '../../src/scenario/limits.js'
import { preparedDocument } from '../../src/scenario/prepared.js'
import { failuresIn } from '../support/checked.js'
import type { Json } from '../support/json.js'

const FOLDER = fileURLToPath(new URL('../../scenarios/', import.meta.url))
const fileOf = (name: string) => `${FOLDER}${name}.yaml`
const textOf = (name: string) => readFileSync(fileOf(name), 'utf8')
const GUIDE = ['scenarios', 'scenario-parts'].map(page => readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8')).join('\n')
const NOW = '2026-04-01T12:00:00.000Z'
const MERCHANT = 'sk_test_merchant'
const LAUNCH = { flag: {}, environment: {} }

/** Each shipped scenario, and how the curl lines of its comment are answered, in their order. */
const CURL_LINES: Record<string, (number | 'lost')[]> = {
  'concurrent-refunds': [400, 200, 200, 200],
  'declined-at-one-location': [402, 200, 200, 200],
  'declined-then-approved': [402, 200],
  default: [200, 200],
  'double-payment': ['lost', 200, 200],
  'flaky-network': [200, 503, 200, 200],
  'late-refunds': [200, 200, 200, 200],
  'lost-refund-answer': ['lost', 200, 200],
  'month-end': [200, 200, 200],
  'needle-on-a-late-page': [200, 200, 200, 200],
  'partial-refunds': [200, 400, 200],
  'reseller-onboarding': [200, 200, 200],
  'service-outage': [503, 503, 200],
  'slow-lists': [200, 200],
  'split-bill': [200, 200, 200, 200],
  'test-cards': [402, 402, 402],
  'thousand-ticket-day': [200, 200, 200],
  'timed-outage': [503, 503, 200, 200, 200]
}
const NAMES = Object.keys(CURL_LINES)

/** The app that ships, with the machine's clock standing. */
async function startApp(t: Test) {
  const library = new Library({ fixtures: null, scenarios: null })
  const sandboxes = new Sandboxes({ library, launch: LAUNCH, machine: () => Date.parse(NOW) })
  const sandbox = sandboxes.main
  const app = await buildApp({ sandboxes, library, settings: settingsInForce(LAUNCH).values, version: '0.0.0' })
  t.teardown(() => app.close())
  const load = async (name: string) => sandbox.load(await library.scenario(name), { name, file: fileOf(name) }, { play: playIn })
  return { app, sandbox, load }
}

type Answer = { status: number; headers: Headers; body: Json; ms: number }
type Call = { query?: Record<string, string>; body?: Record<string, string>; key?: string }

/** Clients of the app over a real socket. */
async function listen(t: Test) {
  const { app, load, sandbox } = await startApp(t)
  await load('default')
  await app.listen({ port: 0, host: '127.0.0.1' })
  const address = `127.0.0.1:${(app.server.address() as AddressInfo).port}`

  const send = async (url: string, options: RequestInit = {}): Promise<Answer> => {
    const since = performance.now()
    const { status, headers, ...answer } = await fetch(url, { signal: AbortSignal.timeout(10_000), ...options }).then(async answer => ({
      status: answer.status,
      headers: answer.headers,
      text: await answer.text()
    }))
    return { status, headers, body: answer.text === '' ? null : JSON.parse(answer.text), ms: performance.now() - since }
  }
  const call = (on: string, { query = {}, body, key = MERCHANT }: Call = {}) => {
    const [method, path] = on.split(' ') as [string, string]
    return send(`http://${address}/next${path}?${new URLSearchParams(query)}`, {
      method,
      headers: { authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` },
      ...(method === 'POST' && { body: new URLSearchParams(body ?? {}) })
    })
  }
  const control = (on: string, body?: object) => {
    const [method, path] = on.split(' ') as [string, string]
    return send(`http://${address}/_control${path}`, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
    })
  }
  /** The calls at the first gate, as soon as so many wait there. */
  const whoWaits = async (count = 1): Promise<string[]> => {
    for (;;) {
      const [{ waiting }] = (await control('GET /gates')).body.data
      if (waiting.length >= count) return waiting.map(({ id }: { id: string }) => id)
      await sleep(5)
    }
  }
  /** Loads a scenario as a client does, by its name or as a document. */
  const loadByName = async (scenario: string | object) => {
    const { status, body } = await control('POST /load', { scenario })
    if (status !== 200) throw new Error(JSON.stringify(body))
  }
  return { address, app, call, control, send, sandbox, load: loadByName, whoWaits }
}

const card = (fields: Record<string, string> = {}) => ({ ticket: 'tkt_60', payment_type: 'card', amount: '4200', ...fields })

/** Sends what a curl line of a comment sends. Only the flags used there are known. */
function readCurl(line: string, address: string): { url: string; options: RequestInit } {
  const [, ...words] = [...line.replace(/ +[>#] .*$/, '').matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => (quoted ?? plain) as string)
  const data: string[] = []
  const headers: Record<string, string> = {}
  let [method, url, inQuery] = ['', '', false]
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '-d') data.push(words.shift() as string)
    else if (word === '-u') headers.authorization = `Basic ${Buffer.from(words.shift() as string).toString('base64')}`
    else if (word === '-H') headers['content-type'] = (words.shift() as string).replace(/^content-type: /, '')
    else if (word === '-X') method = words.shift() as string
    else if (word === '-w') words.shift()
    else if (word === '-G') inQuery = true
    else if (word !== '-i' && word !== '-s') url = word.replace(/^localhost:4010/, `http://${address}`)
  }
  if (inQuery) return { url: `${url}?${data.join('&')}`, options: { headers } }
  if (data.length === 0) return { url, options: { method: method || 'GET', headers } }
  return { url, options: { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers }, body: data.join('&') } }
}

/** Script entries that scenarios share. */
const SHARED = 'outages.yaml'

t.test('the build has prepared each shipped document; one that was changed since is read as any other', async t => {
  const library = new Library({ fixtures: null, scenarios: null })
  const root = t.testdir({ 'changed.yaml': `${textOf('default')}seed: 3\n` })
  const folders = { fixture: new URL('../../fixtures/', import.meta.url), scenario: new URL('../../scenarios/', import.meta.url) }
  for (const [kind, folder] of Object.entries(folders)) {
    for (const file of readdirSync(folder)) {
      const text = readFileSync(new URL(file, folder), 'utf8')
      t.hasStrict(preparedDocument(file, text, DEFAULT_LIMITS), { name: file, data: parse(text), checkedAs: file === SHARED ? 'script' : kind }, file)
    }
  }
  const { checkedAs, locate } = await library.scenario('default')
  t.equal(checkedAs, 'scenario')
  t.strictSame(await locate([['name']]), [{ line: 5, column: 7 }], 'places are those of its text')

  t.equal(preparedDocument('default', `${textOf('default')} `, DEFAULT_LIMITS), null)
  t.strictSame(Object.keys(await library.file(`${root}/changed.yaml`)), ['name', 'data', 'limits', 'locate'])
})

t.test('the shipped scenarios are those of the folder', async t => {
  t.strictSame(readdirSync(FOLDER).sort(), [...NAMES.map(name => `${name}.yaml`), SHARED].sort())
})

const isComment = (line: string | undefined) => /^# [A-Z].{20,}$/.test(line ?? '')

t.test('each says what it is for: schema, comment, name, one sentence, and a row in the guide', async t => {
  for (const name of NAMES) {
    const [schema, comment] = textOf(name).split('\n')

    t.equal(schema, '# yaml-language-server: $schema=../docs/schema/scenario.json', name)
    t.equal(isComment(comment), true, `${name} says what to try`)
    t.equal(new RegExp(`^name: ${name}$`, 'm').test(textOf(name)), true, `${name} is called so`)
    t.equal(/^description: [^.]+\.$/m.test(textOf(name)), true, `${name} is described in one sentence`)
    t.equal(new RegExp(`^\\| \`${name}\` \\|.+\\|.+\\|$`, 'm').test(GUIDE), true, `${name} has a row in the guide`)
  }
  for (const name of ['bistro', 'empty']) {
    const [schema, comment] = readFileSync(`${FOLDER}../fixtures/${name}.yaml`, 'utf8').split('\n')
    t.equal(schema, '# yaml-language-server: $schema=../docs/schema/fixture.json', name)
    t.equal(isComment(comment), true, `${name} says what it holds`)
  }
})

t.test('A03: two loads with one seed give the same state, byte for byte; so does a reset', async t => {
  const { app, sandbox, load } = await startApp(t)
  const state = async () => (await app.inject({ url: '/_control/state', headers: { host: 'localhost' } })).payload

  for (const name of NAMES) {
    await load(name)
    const first = await state()
    await load(name)
    const second = await state()
    sandbox.reset()

    t.equal(sandbox.scenario.name, name)
    t.equal(second === first, true, `${name} loaded again`)
    t.equal((await state()) === first, true, `${name} reset`)
  }
})

/** What fails when files are checked, by file. */
async function failing(files: readonly string[]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  for (const { file, title, messages } of await failuresIn(files)) found.set(file, [...(found.get(file) ?? []), `${title}: ${messages.join('; ')}`])
  return found
}

/** Documents with a script that their plays notice, without it. One that only makes calls wait changes no answer. */
const withoutScript = (documents: readonly [name: string, text: string][]) =>
  documents.flatMap(([name, text]) => {
    const { script = [], ...rest } = parse(text)
    const isNoticed = rest.play !== undefined && script.some((entry: object) => !('delay' in entry || 'hold' in entry))
    return isNoticed ? [[`${name}.json`, JSON.stringify(rest)] as const] : []
  })

t.test('what a scenario shows by its plays, it shows by its script: each shipped one and each example of the guide holds, and fails without', async t => {
  const examples = GUIDE.split(/^#{2,3} /m).flatMap(section => {
    const [heading = ''] = section.split('\n')
    // a file of entries to share is no scenario
    const texts = [...section.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text]) => text as string).filter(text => !/^groups:/m.test(text))
    return texts.map((text, nth): [string, string] => [`${heading.replaceAll(/\W+/g, '-')}-${nth + 1}`, text])
  })
  const bare = withoutScript([...NAMES.map((name): [string, string] => [name, textOf(name)]), ...examples])
  const root = t.testdir({ ...Object.fromEntries(examples.map(([name, text]) => [`${name}.yaml`, text])), ...Object.fromEntries(bare) })
  const guide = examples.map(([name]) => `${root}/${name}.yaml`)
  const missing = bare.map(([name]) => `${root}/${name}`)

  t.ok(examples.length >= 29 && new Set(guide).size === examples.length && bare.length >= 19)
  t.strictSame(await failing([...NAMES.map(fileOf), ...guide]), new Map())
  t.strictSame([...(await failing(missing)).keys()], missing)
})

t.test('every curl line of the guide works as it is written', async t => {
  const { address, load } = await listen(t)
  await load('default')
  const lines = [...GUIDE.replaceAll(/\\\n\s*/g, '').matchAll(/^(curl [^@\n]+)$/gm)].map(([line]) => line)

  const statuses = []
  for (const line of lines) {
    const { url, options } = readCurl(line, address)
    statuses.push((await fetch(url, options)).status)
  }

  t.strictSame(statuses, [200, 201, 200, 204, 409])
})

t.test('every curl line of a comment works as it is written', async t => {
  const { address, send, load, whoWaits } = await listen(t)

  for (const name of NAMES) {
    await load(name)
    const seen: unknown[] = []
    for (const [, line, behind] of textOf(name).matchAll(/^# {3}(curl .+?)( &)?$/gm)) {
      const { url, options } = readCurl(line as string, address)
      const status = send(url, options).then(
        ({ status }) => status,
        () => 'lost'
      )
      seen.push(behind ? status : await status)
      if (behind) await whoWaits()
    }

    t.strictSame(await Promise.all(seen), CURL_LINES[name], name)
  }
})

t.test('service-outage: every operation that is not disabled is down', async t => {
  const scripted: string[] = parse(textOf('service-outage')).script.map(({ on }: { on: string }) => on)
  const disabled = ['DELETE /locations/{id}', 'DELETE /accounts/{id}']
  t.strictSame(scripted.toSorted(), OPERATION_NAMES.filter(on => !disabled.includes(on)).toSorted())
})

t.test('over a socket: those that have no plays, or more to show', async t => {
  const { call, control, load } = await listen(t)
  const isLost = (call: Promise<unknown>) =>
    call.then(
      () => false,
      () => true
    )

  await t.test('split-bill: each card is charged once; a card charged twice is caught', async t => {
    await load('split-bill')

    const first = await call('POST /transactions', { body: card({ 'card[last4]': '4242' }) })
    const early = await control('POST /verify')
    const second = await call('POST /transactions', { body: card({ 'card[last4]': '4444' }) })
    const inTime = await control('POST /verify')
    await call('POST /transactions', { body: card({ 'card[last4]': '4444' }) })
    const late = await control('POST /verify')

    t.strictSame([first.status, second.status], [200, 200])
    t.strictSame([early.status, inTime.status, late.status], [409, 200, 409])
    const [refund] = (await call('GET /refunds', { query: { limit: '1' } })).body.data
    t.hasStrict(refund, { amount: 1100, payment_method: { card: { brand: 'mastercard', last4: '4444' } } }, 'REF-2')
  })

  await t.test('slow-lists: a list is slow, a record beside it is not', async t => {
    await load('slow-lists')

    const [list, refunds, record] = await Promise.all([
      call('GET /transactions'),
      call('GET /refunds', { query: { transaction: 'txn_1' } }),
      call('GET /transactions/txn_1')
    ])

    t.strictSame([list.status, refunds.status, record.status], [200, 200, 200])
    t.ok(list.ms >= 1490, `the list took ${list.ms} ms`)
    t.ok(refunds.ms >= 490 && refunds.ms < list.ms, `the narrowed list took ${refunds.ms} ms`)
    t.ok(record.ms < 490, `the record took ${record.ms} ms`)
  })

  await t.test('test-cards: what a payment comes to by what it is made with', async t => {
    await load('test-cards')
    const outcomes: [Record<string, string>, number, string | null][] = [
      [{ 'card[number]': '4242424242424242' }, 200, null],
      [{ 'card[last4]': '4242' }, 200, null],
      [{ 'card[number]': '4000000000000002' }, 402, 'card_declined'],
      [{ 'card[number]': '4000000000009995' }, 402, 'insufficient_funds'],
      [{ 'card[number]': '4000000000000069' }, 402, 'expired_card'],
      [{ 'card[number]': '4000000000000127' }, 402, 'incorrect_csc'],
      [{ 'card[number]': '4000000000000119' }, 402, 'processing_error'],
      [{ 'card[last4]': '0002' }, 402, 'card_declined'],
      [{ 'card[last4]': '9995' }, 402, 'insufficient_funds'],
      [{ 'card[last4]': '0069' }, 402, 'expired_card'],
      [{ 'card[last4]': '0127' }, 402, 'incorrect_csc'],
      [{ 'card[last4]': '0119' }, 402, 'processing_error'],
      [{ 'card[last4]': '4242', amount: '66600' }, 402, 'amount_too_large'],
      [{ payment_type: 'external', amount: '66600' }, 200, null],
      [{ 'card[last4]': '4242', 'customer[email]': 'declined@shop.example' }, 402, 'card_declined']
    ]

    for (const [fields, status, code] of outcomes) {
      const { body, ...answer } = await call('POST /transactions', { body: card(fields) })
      t.strictSame([answer.status, body.error?.code ?? null, body.error?.type ?? null], [status, code, code && 'card_error'], JSON.stringify(fields))
    }
    const slow = await call('POST /transactions', { body: card({ 'card[number]': '4000000000000077' }) })
    const lost = await isLost(call('POST /transactions', { body: card({ 'card[number]': '4000000000000341' }) }))
    const [latest] = (await call('GET /transactions', { query: { limit: '1' } })).body.data

    t.equal(slow.status, 200)
    t.ok(slow.ms >= 1990, `the slow card took ${slow.ms} ms`)
    t.equal(lost, true)
    t.equal(latest.payment_method.card.last4, '0341', 'the payment whose answer was lost is made')
  })
})
