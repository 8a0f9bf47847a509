/**
 * Texts from a client, of characters that patterns repeat: each gets a response, no name beyond its
 * limit is read, and no message repeats a whole text. In the long form (`npm run endurance`) their
 * processor time counts.
 */
import t from 'tap'
import { parse } from 'yaml'
import { startTestEmulator } from '../support/emulator.js'
import { startWorld } from '../support/world.js'

const CHARACTERS = [' ', '-', '0', '"', '[', ']', '[a]', '${', '/', 'é', 'a-', ': ']
const IS_LONG = process.env.ENDURANCE === 'long'
const SIZES = IS_LONG ? [16_384, 65_536, 1_000_000] : [16_384]
const PLACES: Readonly<Record<string, (text: string) => [on: string, sent: object]>> = {
  'a name of a body': text => ['POST /refunds', { body: `${text}=1` }],
  'a name of a query': text => ['GET /tickets', { query: `${text}=1` }],
  'a value': text => ['POST /refunds', { body: `reason=${text}` }],
  'a value of metadata': text => ['POST /refunds', { body: `metadata[a]=${text}` }],
  'a search': text => ['GET /tickets', { query: `limit=1&location=loc_a&search_query=${text}` }],
  'an id': text => [`GET /tickets/${text}`, {}]
}

for (const [place, sent] of Object.entries(PLACES))
  t.test(`${place}: long texts of one kind`, async t => {
    const { call } = await startWorld({})
    for (const characters of CHARACTERS)
      for (const size of SIZES) {
        const encoded = encodeURIComponent(characters)
        const text = encoded.repeat(size / encoded.length)
        const title = `${JSON.stringify(characters)} ${size}`
        const begun = process.cpuUsage()
        const { status, body } = call(...(sent(text) as Parameters<typeof call>))
        const { user, system } = process.cpuUsage(begun)
        if (IS_LONG) t.ok((user + system) / 1000 < (size > 65_536 ? 250 : 100), title)
        t.ok(status >= 400 && status < 500, `${title}: ${status}`)
        if (place.startsWith('a name')) t.match(body.error, { code: 'form_malformed' }, title)
        if (place.startsWith('a name') || place === 'a search')
          t.match(body.error.message, /at most 1000/, title)
      }
  })

const SCENARIO = parse(`
  title: a
  description: a
  clock: 2026-01-01T00:00:00Z
  fixtures: [bistro]
  vars: {a: a, b: {default: b, description: b}}
  settings: {evidence.test_header: a, shapes.error: {error: $type, m: $message}}
  data: {tickets: [{id: tkt_z, location: loc_bistro, reference: a, extra: {a: a}}], api_keys: [{key: sk_z, account: mch_a}]}
  generate: [{tickets: 1, location: loc_bistro}]
  script:
    - on: POST /refunds
      name: a
      calls: '1'
      for: 1m
      match: {headers: {a: a}, body: {reason: /a/}, key: sk_z}
      respond: {headers: {a: a}, error: {code: a, message: a}}
    - {on: POST /refunds, respond: {body: {a: '\${body.a}'}}}
    - {on: POST /refunds, hold: {gate: a}, change: {delete: [a]}}
  steps: [{as: a, do: POST /refunds, body: {reason: a}, expect: {status: a}}]
  expect:
    - {on: POST /refunds, within: 1s, match: {body: {reason: a}}}
    - {state: {tickets: {where: {reference: a}, count: 1}, refunds: {a: {reason: a}}}}
`)
const ENTRY = { on: 'POST /refunds', respond: { error: { message: 'a' } } }
const SENT: Readonly<Record<string, object | string>> = {
  'POST /load?dry_run': { scenario: SCENARIO },
  'POST /load': 'data: %',
  'POST /load?': '%: 1',
  'POST /load?dry_run=true': "title: '%'",
  'POST /records': { tickets: [{ location: 'loc_a', reference: 'a' }] },
  'POST /script': ENTRY,
  'POST /keys': { account: 'a' },
  'PUT /clock': { now: 'a' },
  'POST /clock/advance': { by: 'a' },
  'PATCH /settings': { 'ids.prefixes.ticket': 'a', pagination: { order: 'a' } },
  'POST /verify': { on: 'POST /refunds', within: 'a', match: { body: { reason: 'a' } } },
  'POST /verify?': { state: { tickets: { a: { reference: 'a' }, count: 1 } } },
  'POST /explain': { method: 'POST', path: '/refunds', body: { a: 'a' }, headers: { a: 'a' } }
}

/** The body with each text and name replaced in turn, by place. */
function* replacedIn(part: unknown, text: string, at = ''): Generator<[at: string, part: unknown]> {
  if (typeof part === 'string')
    yield [at, part.includes('%') ? part.replace('%', () => text) : text]
  if (typeof part !== 'object' || part === null) return
  for (const [name, value] of Object.entries(part)) {
    const own = `${at}.${name}`
    const put = (key: string, value: unknown) =>
      Array.isArray(part)
        ? part.with(Number(name), value)
        : Object.fromEntries(
            Object.entries(part).map(one => (one[0] === name ? [key, value] : one))
          )
    if (!Array.isArray(part)) yield [`${own} (name)`, put(text, value)]
    for (const [place, replaced] of replacedIn(value, text, own)) yield [place, put(name, replaced)]
  }
}

/** The longest text under a message of a verdict, problem or refusal. */
const longest = (body: unknown): number =>
  typeof body !== 'object' || body === null
    ? 0
    : Math.max(
        0,
        ...Object.entries(body).map(([name, part]) =>
          name === 'message' && typeof part === 'string' ? part.length : longest(part)
        )
      )

for (const [on, body] of Object.entries(SENT))
  t.test(`control, ${on}: each text and name is long`, async t => {
    const { control } = await startTestEmulator(t)
    let turn = 0
    for (const characters of CHARACTERS)
      for (const size of SIZES)
        for (const [place, sent] of replacedIn(body, characters.repeat(size / characters.length))) {
          // the short form uses another character in each place
          if (!IS_LONG && turn++ % 5 > 0) continue
          const title = `${place} ${JSON.stringify(characters)} ${size}`
          const type = `application/${typeof sent === 'string' ? 'yaml' : 'json'}`
          const begun = process.cpuUsage()
          const answer = await control(on, sent as object, { 'content-type': type })
          const { user, system } = process.cpuUsage(begun)
          if (IS_LONG) t.ok((user + system) / 1000 < (size > 65_536 ? 1000 : 250), title)
          t.ok(answer.status < 500, `${title}: ${answer.status}`)
          if (answer.status >= 400)
            t.ok(longest(answer.body) <= 700, `${title}: ${longest(answer.body)}`)
        }
  })

t.test('headers and paths are long', async t => {
  const { inject } = await startTestEmulator(t)
  const HEADERS = 'authorization content-type origin host cookie user-agent test-name accept'
  for (const characters of CHARACTERS)
    for (const path of ['/next/tickets', '/_control/clock']) {
      const text = characters.repeat(8000 / characters.length)
      const encoded = encodeURIComponent(text)
      for (const headers of HEADERS.split(' ').map(name => ({ [name]: encoded })))
        t.ok((await inject({ method: 'GET', url: path, headers })).status < 500)
      for (const url of [`${path}/${encoded}`, `${path}?on=${encoded}`, `/${encoded}`]) {
        const { status, body } = await inject({ method: 'GET', url })
        t.ok(status < 500, `${url.slice(0, 40)}: ${status}`)
        t.ok(longest(body) <= 700, url.slice(0, 40))
      }
    }
})
