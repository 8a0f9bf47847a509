import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { playIn } from '../../src/engine/play.js'
import { OPERATION_NAMES } from '../../src/reference/operations.js'
import { loadScenario } from '../../src/sandbox/loading.js'
import type { Sandbox } from '../../src/sandbox/sandbox.js'
import type { Located } from '../../src/scenario/documents.js'
import { Library, preparedDocument } from '../../src/scenario/library.js'
import { readDocument } from '../../src/scenario/read/document.js'
import { kindOf, shapeProblems } from '../../src/scenario/shape/scenario.js'
import { failuresIn } from '../support/checked.js'
import { startTestEmulator } from '../support/emulator.js'
import { checkedAlone } from '../support/first-state.js'
import { startWorld, stateOf } from '../support/world.js'

const FOLDER = fileURLToPath(new URL('../../scenarios/', import.meta.url))
const fileOf = (name: string) => `${FOLDER}${name}.yaml`
const textOf = (name: string) => readFileSync(fileOf(name), 'utf8')
const GUIDE = readFileSync(new URL('../../docs/scenarios.md', import.meta.url), 'utf8')
const NOW = '2026-04-01T12:00:00.000Z'
const key = 'sk_test_merchant'
const LIBRARY = new Library({ fixtures: null, scenarios: null })

/** Each shipped scenario, and the responses to the curl lines of its comment, in order. */
const CURL_LINES: Record<string, (number | 'lost')[]> = {
  'concurrent-refunds': [400, 200, 200, 200],
  'declined-at-one-location': [402, 200, 200, 200],
  'declined-then-approved': [402, 200],
  default: [200, 200],
  'double-payment': ['lost', 200, 200],
  'flaky-network': [200, 503, 200, 200],
  'late-refunds': [200, 200, 200, 200],
  'lost-refund-response': ['lost', 200, 200],
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

const load = async (name: string, sandbox: Sandbox) =>
  loadScenario(
    sandbox,
    await LIBRARY.scenario(name),
    { name, file: fileOf(name) },
    { play: playIn }
  )

/** The app with the machine's clock frozen, and curl lines sent over a real socket. */
async function listening(t: Test) {
  const { control, listen, ...emulator } = await startTestEmulator(t, {
    loaded: false,
    machine: () => Date.parse(NOW)
  })
  await load('default', emulator.sandbox)
  const address = `127.0.0.1:${await listen()}`
  const statusOf = async (line: string) => {
    const { url, options } = readCurl(line, address)
    const answer = await fetch(url, { signal: AbortSignal.timeout(60_000), ...options })
    await answer.text()
    return answer.status
  }
  /** Waits until a request waits at the first gate. */
  const someoneWaits = async () => {
    while ((await control('GET /gates')).body.data[0].waiting.length === 0) await sleep(5)
  }
  return { ...emulator, control, statusOf, someoneWaits }
}

const card = (fields: Record<string, string> = {}) => ({
  ticket: 'tkt_60',
  payment_type: 'card',
  amount: '4200',
  ...fields
})

/** Sends the request of a curl line; only the flags used there are supported. */
function readCurl(line: string, address: string): { url: string; options: RequestInit } {
  const [, ...words] = [...line.replace(/ +[>#] .*$/, '').matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, quoted, plain]) => (quoted ?? plain) as string
  )
  const data: string[] = []
  const headers: Record<string, string> = {}
  let [method, url, inQuery] = ['', '', false]
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '-d') data.push(words.shift() as string)
    else if (word === '-u')
      headers.authorization = `Basic ${Buffer.from(words.shift() as string).toString('base64')}`
    else if (word === '-H')
      headers['content-type'] = (words.shift() as string).replace(/^content-type: /, '')
    else if (word === '-X') method = words.shift() as string
    else if (word === '-w') words.shift()
    else if (word === '-G') inQuery = true
    else if (word !== '-i' && word !== '-s')
      url = word.replace(/^localhost:4010/, `http://${address}`)
  }
  if (inQuery) return { url: `${url}?${data.join('&')}`, options: { headers } }
  if (data.length === 0) return { url, options: { method: method || 'GET', headers } }
  return {
    url,
    options: {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: data.join('&')
    }
  }
}

const SHARED = 'outages.yaml'

t.test('the build has prepared each shipped document', async t => {
  const root = t.testdir({ 'changed.yaml': `${textOf('default')}seed: 3\n` })
  const folders = ['fixtures', 'scenarios'].map(name => new URL(`../../${name}/`, import.meta.url))
  for (const folder of folders) {
    for (const file of readdirSync(folder)) {
      const text = readFileSync(new URL(file, folder), 'utf8')
      const prepared = preparedDocument(file, text) as Located
      t.hasStrict(prepared, { name: file, data: parse(text) }, file)
      const kind = kindOf(prepared.data)
      Object.assign(prepared.data as object, { wrong: 1 })
      t.strictSame(shapeProblems(prepared, kind), [])
    }
  }
  const { placesOf } = await LIBRARY.scenario('default')
  t.strictSame(
    await placesOf([{ steps: ['name'] }]),
    [{ line: 5, column: 7 }],
    'places are those of its text'
  )

  t.equal(preparedDocument('default', `${textOf('default')} `), null)
  t.strictSame(
    Object.keys(await LIBRARY.file(`${root}/changed.yaml`)),
    'name data numbers placesOf'.split(' ')
  )
})

t.test('the shipped scenarios are those of the folder', async t => {
  t.strictSame(readdirSync(FOLDER).sort(), [...NAMES.map(name => `${name}.yaml`), SHARED].sort())
})

const isComment = (line: string | undefined) => /^# [A-Z].{20,}$/.test(line ?? '')

t.test('each says what it is for: schema, comment, name, one sentence', async t => {
  for (const name of NAMES) {
    const [schema, comment] = textOf(name).split('\n')

    t.equal(schema, '# yaml-language-server: $schema=../docs/schema/scenario.json', name)
    t.equal(isComment(comment), true, `${name} says what to try`)
    t.equal(new RegExp(`^name: ${name}$`, 'm').test(textOf(name)), true, `${name} is called so`)
    t.equal(
      /^description: [^.]+\.$/m.test(textOf(name)),
      true,
      `${name} is described in one sentence`
    )
    t.equal(
      new RegExp(`^\\| \`${name}\` \\|.+\\|$`, 'm').test(GUIDE),
      true,
      `${name} has a row in the guide`
    )
  }
  for (const name of ['bistro', 'empty']) {
    const [schema, comment] = readFileSync(`${FOLDER}../fixtures/${name}.yaml`, 'utf8').split('\n')
    t.equal(schema, '# yaml-language-server: $schema=../docs/schema/fixture.json', name)
    t.equal(isComment(comment), true, `${name} says what it holds`)
  }
})

t.test('A03: loads with one seed, and a reset, give the same state, byte for byte', async t => {
  const { world } = await startWorld({ loaded: false })

  for (const name of NAMES) {
    await load(name, world)
    const first = stateOf(world)
    await load(name, world)
    const second = stateOf(world)
    world.reset()

    t.equal(world.scenario.name, name)
    t.equal(second === first, true, `${name} loaded again`)
    t.equal(stateOf(world) === first, true, `${name} reset`)
  }
})

/** Failures of `check`, by file. */
async function failing(files: readonly string[]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  for (const { file, title, messages } of await failuresIn(files))
    found.set(file, [...(found.get(file) ?? []), `${title}: ${messages.join('; ')}`])
  return found
}

/** Documents with a script that their plays notice, without it. Delays alone change no response. */
const withoutScript = (documents: readonly [name: string, text: string][]) =>
  documents.flatMap(([name, text]) => {
    const { script = [], ...rest } = parse(text)
    const isNoticed =
      rest.play !== undefined &&
      script.some((entry: object) => !('delay' in entry || 'hold' in entry))
    return isNoticed ? [[`${name}.json`, JSON.stringify(rest)] as const] : []
  })

t.test('a shipped or documented scenario passes with its script, not without', async t => {
  const texts = GUIDE.split(/^#{2,3} /m).flatMap(section => {
    const [heading = ''] = section.split('\n')
    return [...section.matchAll(/^```yaml\n(.*?)^```$/gms)].map(
      ([, text = ''], nth): [string, string] => [
        `${heading.replaceAll(/\W+/g, '-')}-${nth + 1}`,
        text
      ]
    )
  })
  const isShared = ([, text]: [string, string]) => /^groups:/m.test(text)
  const examples = texts.filter(example => !isShared(example))
  t.ok(texts.some(isShared))
  for (const [name, text] of texts.filter(isShared))
    await checkedAlone(await readDocument(name, text))
  const bare = withoutScript([
    ...NAMES.map((name): [string, string] => [name, textOf(name)]),
    ...examples
  ])
  const root = t.testdir({
    ...Object.fromEntries(examples.map(([name, text]) => [`${name}.yaml`, text])),
    ...Object.fromEntries(bare)
  })
  const guide = examples.map(([name]) => `${root}/${name}.yaml`)
  const missing = bare.map(([name]) => `${root}/${name}`)

  t.ok(examples.length >= 20 && new Set(guide).size === examples.length && bare.length >= 15)
  t.strictSame(await failing([...NAMES.map(fileOf), ...guide]), new Map())
  t.strictSame([...(await failing(missing)).keys()], missing)
})

t.test('every curl line of the guide and of a comment works unchanged', async t => {
  const { sandbox, statusOf, someoneWaits } = await listening(t)
  const statuses = []
  for (const [line] of GUIDE.replaceAll(/\\\n\s*/g, '').matchAll(/^curl [^@\n]+$/gm))
    statuses.push(await statusOf(line))
  t.strictSame(statuses, [201, 200, 204, 200])

  for (const name of NAMES) {
    await load(name, sandbox)
    const seen: unknown[] = []
    for (const [, line, behind] of textOf(name).matchAll(/^# {3}(curl .+?)( &)?$/gm)) {
      const status = statusOf(line as string).catch(() => 'lost')
      seen.push(behind ? status : await status)
      if (behind) await someoneWaits()
    }

    t.strictSame(await Promise.all(seen), CURL_LINES[name], name)
  }
})

t.test('service-outage: every operation that is not disabled is down', async t => {
  const scripted: string[] = parse(textOf('service-outage')).script.map(
    ({ on }: { on: string }) => on
  )
  const disabled = ['DELETE /locations/{id}', 'DELETE /accounts/{id}']
  t.strictSame(scripted.toSorted(), OPERATION_NAMES.filter(on => !disabled.includes(on)).toSorted())
})

t.test('split-bill: each card is charged once; a card charged twice is caught', async t => {
  const { call, control, sandbox } = await startTestEmulator(t, {
    loaded: false,
    machine: () => Date.parse(NOW)
  })
  await load('split-bill', sandbox)
  const pay = async (last4: string) =>
    (await call('POST /transactions', { key, body: card({ 'card[last4]': last4 }) })).status
  const verified = async () => (await control('POST /verify')).status

  const statuses = [
    await pay('4242'),
    await verified(),
    await pay('4444'),
    await verified(),
    await pay('4444'),
    await verified()
  ]

  t.strictSame(statuses, [200, 409, 200, 200, 200, 409])
  const [refund] = (await call('GET /refunds', { key, query: 'limit=1' })).body.data
  t.hasStrict(
    refund,
    { amount: 1100, payment_method: { card: { brand: 'mastercard', last4: '4444' } } },
    'REF-2'
  )
})

t.test('slow-lists: a list is slow, a single record is not', async t => {
  const { world, executed } = await startWorld({ loaded: false })
  await load('slow-lists', world)
  const waits = (on: string, query?: string) => {
    const { outcome, script } = executed(on, { key, ...(query && { query }) })
    return [outcome.status, script?.action.delay ?? 0]
  }
  t.strictSame(waits('GET /transactions'), [200, 1500])
  t.strictSame(waits('GET /refunds', 'transaction=txn_1'), [200, 500])
  t.strictSame(waits('GET /transactions/txn_1'), [200, 0])
})

t.test('test-cards: the outcome of a payment by its card', async t => {
  const { world, executed, call } = await startWorld({ loaded: false })
  await load('test-cards', world)
  const numbers = {
    '4242424242424242': null,
    '4000000000000002': 'card_declined',
    '4000000000009995': 'insufficient_funds'
  }
  const more = {
    '4000000000000069': 'expired_card',
    '4000000000000127': 'incorrect_csc',
    '4000000000000119': 'processing_error'
  }
  const outcomes: [fields: Record<string, string>, code: string | null][] = [
    ...Object.entries({ ...numbers, ...more }).flatMap(([number, code]): typeof outcomes => [
      [{ 'card[number]': number }, code],
      [{ 'card[last4]': number.slice(-4) }, code]
    ]),
    [{ 'card[last4]': '4242', amount: '66600' }, 'amount_too_large'],
    [{ payment_type: 'external', amount: '66600' }, null],
    [{ 'card[last4]': '4242', 'customer[email]': 'declined@shop.example' }, 'card_declined']
  ]
  for (const [fields, code] of outcomes) {
    const { status, body } = call('POST /transactions', { key, body: card(fields) })
    const wanted = code === null ? [200, null, null] : [402, code, 'card_error']
    t.strictSame(
      [status, body.error?.code ?? null, body.error?.type ?? null],
      wanted,
      JSON.stringify(fields)
    )
  }
  const slow = executed('POST /transactions', {
    key,
    body: card({ 'card[number]': '4000000000000077' })
  })
  const lost = executed('POST /transactions', {
    key,
    body: card({ 'card[number]': '4000000000000341' })
  })

  t.strictSame([slow.outcome.status, slow.script?.action.delay], [200, 2000])
  t.equal(lost.outcome.name, 'lost_after')
  const [latest] = call('GET /transactions', { key, query: 'limit=1' }).body.data
  t.equal(latest.payment_method.card.last4, '0341', 'the payment whose answer was lost is made')
})
