import t from 'tap'
import { parse } from 'yaml'
import { checkerOf } from '../../src/core/checking.js'
import { pathOf } from '../../src/core/places.js'
import { type OperationId, operationNamed } from '../../src/reference/operations.js'
import { compileExpectation, type ExpectationData } from '../../src/scenario/expect/expectations.js'
import { areMet } from '../../src/scenario/match/conditions.js'
import { type About, MAX_VALUES, type SentCall } from '../../src/scenario/match/matching.js'
import { compileEntry, type Entry } from '../../src/scenario/script/entry.js'
import {
  type EntryCount,
  type EntryData,
  type ListedEntry,
  Script
} from '../../src/scenario/script.js'
import { FAULTS, SCRIPT_ENTRY } from '../../src/scenario/shape/entry.js'
import { problemsOfShape } from '../../src/scenario/shape/scenario.js'
import { coded, reported } from '../support/codes.js'
import type { Json } from '../support/json.js'

type Sent = {
  key?: string | null
  test?: string
  at?: number
  params?: object
  query?: object
  body?: object
  headers?: Readonly<Record<string, string>>
  about?: Partial<Record<About, string>>
}
const sent = (
  on: string,
  {
    key = null,
    test,
    at = 0,
    params = {},
    query = {},
    body = {},
    headers = {},
    about = {}
  }: Sent = {}
): SentCall => {
  const valuesOf = (data: object) => (name: readonly string[]) => {
    const value = name.reduce<unknown>(
      (at, step) => (at as Record<string, unknown> | undefined)?.[step],
      data
    )
    return typeof value === 'string' || value === undefined ? value : null
  }
  const operation = operationNamed(on) as OperationId
  const named = {
    params: valuesOf(params),
    query: valuesOf(query),
    body: valuesOf(body),
    header: (name: string) => headers[name]
  }
  return { operation, key, test: test ?? null, arrivedAt: at, ...named, about: what => about[what] }
}
const ENTRY_CHECKER = checkerOf(() => SCRIPT_ENTRY)
const NOW = { seed: 1, instant: 0 }

/** The problems of an entry: those of its schema, or else those of compiling it. */
const problemsOf = async (data: unknown): Promise<string[]> => {
  const shape = (await ENTRY_CHECKER.problems(data)).map(problem => coded(problem.path, problem))
  if (shape.length > 0) return shape
  const { found, report } = reported()
  await compileEntry(data as EntryData, report)
  return found
}
const compiled = async (data: EntryData): Promise<Entry> => {
  t.strictSame(await problemsOf(data), [], JSON.stringify(data).slice(0, 200))
  return compileEntry(data, () => {})
}
const scriptOf = async (...entries: EntryData[]): Promise<Script> =>
  new Script(await Promise.all(entries.map(compiled)))
const appliedBy = (script: Script, calls: readonly SentCall[]): (number | null)[] =>
  calls.map(call => {
    const action = script.act(call, NOW)
    return action && script.listed().findIndex(({ id }) => id === action.id)
  })
const idsOf = (script: Script) => script.listed().map(({ id }) => id)
const countsOf = (script: Script) =>
  script
    .listed()
    .map(({ matched, applied }) => `${matched}/${applied}`)
    .join(' ')
const repeated = (count: number, call: SentCall) => new Array(count).fill(call) as SentCall[]

t.test('script: every kind of problem of an entry, with its place in it', async t => {
  // valid entries, and additions that make one invalid: of a delayed Refund, in the match of a
  // payment, in its body, and in the response to a Refund
  const tables: Json = parse(`{
    entries: [
      [x, wrong_type], [{}, required, needs], [{ on: GET /tickets }, needs], [{ on: GET /tickets, match: { key: k }, calls: 1 }, needs],
      [{ on: GET /tickets, dealy: 1s }, dealy unknown_name], [{ on: POST /refund, delay: 1s }, on unknown_word],
      [{ on: 'DELETE /locations/{id}', delay: 1s }, on disabled], [{ on: 'DELETE /accounts/{id}', fault: hang }, on disabled],
      [{ on: POST /refunds, fault: conection_reset }, fault not_one_of],
      [{ on: [POST /refunds, POST /transactions], match: { body: { amount: much } }, delay: 1s }, match.body.amount never_matches],
      [{ on: GET /tickets, match: { query: { created: { gte: { gt: May } } } }, delay: 1s }, match.query.created.gte.gt wrong_format],
      [{ on: GET /tickets, hold: {} }, hold needs], [{ on: GET /tickets, hold: { until: 2, gate: a } }, hold not_together],
      [{ on: [POST /refunds, POST /refund], delay: 1s }, 'on[1] unknown_word'], [{ on: [], delay: 1s }, on too_few_items],
      [{ on: [POST /refunds, 'DELETE /accounts/{id}'], delay: 1s }, on disabled], [{ on: 'DELETE /*}', delay: 1s }],
      [{ on: [GET *, '* /refund', 'refunds*'], delay: 1s }, 'on[1] unknown_word', 'on[2] unknown_word'], [{ on: '*refunds', delay: 1s }],
      [{ on: [GET /tickets, POST /refunds], match: { body: { locaton: x } }, delay: 1s }, match.body.locaton unknown_field],
      [{ on: [GET /tickets, GET /refunds], match: { body: {} }, delay: 1s }, match.body no_section],
      [{ on: 'DELETE /accounts/{account_id}/users/{user_id}', match: { params: { id: x } }, delay: 1s }, match.params.id unknown_field],
      [{ on: POST /refunds, respond: {}, fault: hang, when: after }],
      [{ on: POST /refunds, respond: { patch: { a: 1 } }, fault: hang }, respond.patch not_together],
      [{ on: [GET /tickets, POST /refunds], stale: 5s }, stale stale_change], [{ on: GET /tickets, stale: 5s, respond: {} }, stale not_together],
      [{ on: GET /tickets, stale: 5s, fault: hang }, stale not_together], [{ on: GET /tickets, change: {} }, change no_change],
      [{ on: GET /tickets, change: { data: { tickets: [] } } }, change no_change],
      [{ on: GET /tickets, change: { delete: ['a b'] } }, 'change.delete[0] wrong_characters'],
      [{ on: GET /tickets, change: { delete: [a] }, respond: {}, when: after }],
      [{ on: 'DELETE /accounts/{account_id}/users/{user_id}', respond: { patch: { a: 1 } } }, respond.patch no_section]
    ],
    refund: [
      [{ after: '' }, after empty], [{ after: { ended: x } }, after wrong_type], [{ per: ticket, delay: { min: 1s, max: 2s } }, per needs],
      [{ per: key, for: 1s }], [{ chance: 1.1 }, chance too_large],
      [{ match: { body: { metadata: { a: { b: '1' } } } } }, match.body.metadata.a.b unknown_field], [{ calls: 0 }], [{ calls: -1 }, calls too_small],
      [{ calls: 1.0e+21 }, calls not_counts], [{ delay: 600001ms }, delay too_large], [{ delay: { min: 2s, max: 100ms } }, delay reversed],
      [{ delay: 1s, from: 2026-03-02, until: 2026-03-01 }, reversed], [{ delay: { min: x, max: y } }, delay.min wrong_format, delay.max wrong_format],
      [{ delay: { min: 2s, max: 11m } }, delay.max too_large], [{ when: after }, when needs]
    ],
    match: [
      [{ key: { lt: a } }, key.lt not_comparable], [{ key: { foo: x } }, key.foo unknown_field], [{ params: { id: x } }, params no_section],
      [{ key: '/a**/' }, key bad_pattern], [{ headers: { AUTHORIZATION: x } }, headers.AUTHORIZATION header_of_key],
      [{ headers: { User Agent: x } }, headers.User Agent not_a_header], [{ headers: { Via: { a: x } } }, headers.Via.a unknown_field]
    ],
    body: [
      [{ amuont: 5 }, amuont unknown_field], [{ card: { nubmer: '4' } }, card.nubmer unknown_field],
      [{ 'card[nubmer]': '4' }, 'card[nubmer] unknown_field'], [{ amount: { x: '4' } }, amount.x unknown_field],
      [{ 'card[number': '4' }, 'card[number unknown_field'], [{ card: { 'a[b[c]]': '4' } }, 'card.a[b[c]] unknown_field'],
      [{ toString: x, constructor: y }, toString unknown_field, constructor unknown_field], [{ payment_type: visa }, payment_type never_matches],
      [{ payment_type: [card, crad] }, payment_type never_matches], [{ amount: much }, amount never_matches], [{ amount: '>= 5' }, amount never_matches],
      [{ amount: ['>5'] }, amount never_matches], [{ amount: '>2026-03-01' }, amount never_matches], [{ amount: ['10', 10.5] }, amount never_matches],
      [{ card: { last4: 42 } }, card.last4 never_matches], [{ card: { last4: '42' } }, card.last4 never_matches], [{ currency: 84 }, currency never_matches],
      [{ ticket: { gt: tkt_1 } }, ticket.gt not_comparable], [{ present: false }, present unknown_field],
      [{ amount: { gt: '\${pay.amount}' } }, amount.gt reference_without_value], [{ amount: { above: 5 } }, amount.above unknown_field],
      [{ amount: [1, null, {}] }, 'amount[1] wrong_type', 'amount[2] wrong_type'], [{ ticket: '/(/' }, ticket bad_pattern],
      [{ ticket: '/(?=a)/' }, ticket bad_pattern], [{ 'customer[email]': [x@example.com, '/*/'] }, 'customer[email] bad_pattern']
    ],
    respond: [
      [{ status: 400, body: x, error: { code: c, message: m } }, .body not_together], [{ status: 200, error: { code: c, message: m } }],
      [{ status: 204, body: {} }, .status no_section], [{ status: 204, error: { code: c, message: m } }, .status no_section],
      [{ patch: {}, body: x }, .patch not_together], [{ patch: {}, error: {} }, .patch not_together],
      [{ patch: {} }, .patch empty], [{ patch: {}, status: 204 }, .status no_section]
    ]
  }`)
  const answer = (respond: object) => ({ on: 'POST /refunds', respond })
  const of = (table: string, entryOf: (part: Json) => Json, place: string) =>
    tables[table].map(([part, ...problems]: string[]) => [
      entryOf(part),
      ...problems.map(problem => place + problem)
    ])
  const header = (problem: string, names: string[]) =>
    names.map(name => [answer({ headers: { [name]: '5' } }), `respond.headers.${name} ${problem}`])
  // biome-ignore format: a table
  const calls = [
    '01', '-1', '1.5', '', '3-2', '1-', '+', '4-+', '1-2-3', '1,2', '10000000000', '1e3', 'every', 'every 0', 'every 2+', 'Every 7', 'every7'
  ]
  const framing =
    'connection Content-Length KEEP-ALIVE proxy-connection te trailer Transfer-Encoding upgrade Request-Id'.split(
      ' '
    )
  const values = ['a\r\nx: y', 'a\nb', 'a\rb', 'a\0b', 'a\x7Fb', '\u{1F35C}']
  // biome-ignore format: a table
  const cases: [data: Json, ...problems: string[]][] = [
    ...tables.entries, ...of('refund', more => ({ on: 'POST /refunds', delay: '1s', ...more }), ''),
    ...of('match', match => ({ on: 'POST /transactions', match, delay: '1s' }), 'match.'),
    ...of('body', body => ({ on: 'POST /transactions', match: { body }, delay: '1s' }), 'match.body.'), ...of('respond', answer, 'respond'),
    ...calls.map(calls => [{ on: 'POST /refunds', delay: '1s', calls }, 'calls not_counts']), ...header('framing_header', framing),
    ...header('not_a_header', ['', 'a b', 'a:b', 'a\r\nb', 'ä', 'content-length\n']),
    ...values.map(value => [answer({ headers: { 'x-a': value } }), 'respond.headers.x-a not_a_header']),
    [{ on: 'GET /tickets', change: { delete: new Array(101).fill('a') } }, 'change too_many_items']
  ]
  for (const [data, ...problems] of cases)
    t.strictSame(await problemsOf(data), problems, JSON.stringify(data))
})

t.test('script: valid entries', async () => {
  await compiled({ on: 'POST /refunds', delay: '1s', when: 'before' })
  for (const fault of FAULTS)
    for (const when of ['before', 'after'] as const)
      await compiled({ on: 'POST /refunds', fault, when })
  const entries: EntryData[] = parse(`
    - { on: POST /refunds, delay: 0ms }
    - { on: POST /refunds, delay: 10m }
    - { on: POST /refunds, delay: { min: 0s, max: 10m } }
    - { on: POST /refunds, respond: {} }
    - { on: POST /refunds, respond: { status: 204 } }
    - { on: POST /refunds, respond: { body: null } }
    - { on: POST /refunds, respond: { status: 500, body: text, headers: { Retry-After: '5', content-type: text/plain, x-empty: '', x-latin: café } } }
    - { on: POST /refunds, respond: { error: { code: c, message: '' } } }
    - { on: POST /refunds, respond: { status: 599, error: { type: t, code: c, message: m, param: p } } }
    - { on: POST /refunds, respond: { status: 200 }, fault: truncated_body, delay: 1s, name: all at once, calls: 2 - 3 }
    - { on: GET /tickets, match: { query: { 'created[gte]': /./, created: { lt: 2026-03-01 }, limit: 5 }, key: [a, /b/] }, delay: 1s }
    - { on: 'DELETE /accounts/{account_id}/users/{user_id}', match: { params: { account_id: a, user_id: b } }, fault: hang }
    - { on: [POST /refunds, 'POST /refunds/{id}'], match: { body: { amount: much } }, delay: 1s }
    - on: POST /locations/{id}
      match: { params: { id: x }, body: { address: { city: Boston }, 'metadata[a]': b, metadata: { toString: '1' } } }
      delay: 1s
  `)
  for (const entry of entries) await compiled(entry)
})

t.test('script: an operation is looked for by its name', async t => {
  const { found, report } = reported()
  const entry = await compileEntry({ on: 'get /tickets', delay: '1s' }, report)
  t.strictSame([...entry.operations], ['listTickets'])

  const match = { body: { x: 1 } }
  await compileEntry({ on: 'PATCH /everything/else', match, delay: '11m' }, report)
  t.strictSame(found, ['on unknown_word', 'delay too_large'], 'but for match')
})

t.test('match: values compare as text with what was sent', async t => {
  const bodies: [match: Json, fits: Json[], not: Json[]][] = parse(`[
    [{ amount: 600 }, [{ amount: '600' }, { amount: '0600' }, { amount: '600.0' }, { amounts: { transaction_amount: '600' } },
        { amounts: { payment_amount: '0600' } }, { amount: '', amounts: { transaction_amount: '600', payment_amount: '5' } }],
      [{}, { amount: '' }, { amount: '6000' }, { amount: 600x }, { amount: { x: '600' } }, { amount: '60', amounts: { transaction_amount: '600' } },
        { amounts: { tip_amount: '600' } }, { amounts: { amount: '600' } }, { amounts: { transaction_amount: '5', payment_amount: '600' } }]],
    [{ amount: '0600' }, [{ amount: '600' }], [{ amount: '06000' }]], [{ amount: { not: 600 } }, [{ amount: '60' }, {}], [{ amount: '0600' }]],
    [{ tip_amount: { gt: 5 } }, [{ amounts: { tip_amount: '6' } }], [{ amounts: { transaction_amount: '6' } }]],
    [{ payload: 600 }, [{ payload: '600' }], [{ payload: '0600' }]], [{ card: { last4: '0600' } }, [{ card: { last4: '0600' } }], [{ card: { last4: '600' } }]],
    [{ amount: { present: false } }, [{ amounts: { tip_amount: '1' } }], [{ amounts: { transaction_amount: '1' } }]],
    [{ amount: '600' }, [{ amount: '600' }], [{ amount: '60' }]], [{ payload: true }, [{ payload: 'true' }], [{ payload: 'TRUE' }, { payload: '1' }]],
    [{ payload: '' }, [{ payload: '' }], [{}, { payload: ' ' }]], [{ payload: Card }, [{ payload: Card }], [{ payload: card }, { payload: 'Card ' }]],
    [{ amount: [600, '700'] }, [{ amount: '600' }, { amount: '700' }], [{}, { amount: '800' }, { amount: '600,700' }]],
    [{ amount: [/^6/, 700] }, [{ amount: '600' }, { amount: '6' }, { amount: '700' }], [{ amount: '7' }, { amount: '76' }]],
    [{ payload: /soup/ }, [{ payload: cold soup today }], [{}, { payload: Soup }, { payload: '' }]],
    [{ payload: /soup/i }, [{ payload: cold SOUP today }, { payload: soup }], [{ payload: sou p }]],
    [{ payload: '/^a\\/b$/' }, [{ payload: a/b }], [{ payload: a/bc }]], [{ payload: /a/b/ }, [{ payload: xa/bx }], [{ payload: ab }]],
    [{ payload: // }, [{ payload: '' }, { payload: anything }], [{}]], [{ payload: / }, [{ payload: / }], [{ payload: '' }, { payload: x }]],
    [{ payload: /a/g }, [{ payload: /a/g }], [{ payload: a }]], [{ payload: "/a.b\\n/" }, [{ payload: "axb\\n" }], [{ payload: axb }]],
    [{ payload: '/^\\p{L}+$/' }, [{ payload: Größe }], [{ payload: a1 }]], [{ payload: /.../ }, [{ payload: abc }], [{ payload: ab }]],
    [{ 'customer[email]': '/@shop\\.example$/i' }, [{ customer: { email: a@SHOP.example } }],
      [{ customer: { email: a@shop.example.com } }, { 'customer[email]': a@shop.example }]],
    [{ card: { last4: '4242', brand: [visa, amex] } }, [{ card: { last4: '4242', brand: amex } }],
      [{ card: { last4: '4242' } }, { card: { brand: visa } }, { card: visa }]],
    [{ ticket: tkt_1, amount: '/^[1-9]/', 'customer[phone]': '1' }, [{ ticket: tkt_1, amount: '5', customer: { phone: '1' } }],
      [{ ticket: tkt_1, amount: '0', customer: { phone: '1' } }, { ticket: tkt_1, amount: '5' }]],
    [{ 'card[number]': /4444$/ }, [{ card: { number: '5555555555554444' } }], [{ card: { number: '4242424242424242' } }]],
    [{ amount: { gt: 600 } }, [{ amount: '601' }, { amount: '6000' }], [{}, { amount: '600' }, { amount: '70' }, { amount: x }, { amount: '' }]],
    [{ amount: { gte: 600, lt: 700 } }, [{ amount: '600' }, { amount: '699' }], [{}, { amount: '599' }, { amount: '700' }]],
    [{ adjustment_number: { lte: 1.5 } }, [{ adjustment_number: '-2' }, { adjustment_number: '1.5' }],
      [{ adjustment_number: '1.51' }, { adjustment_number: x }]],
    [{ adjustment_number: 1.5 }, [{ adjustment_number: '1.5' }], [{ adjustment_number: '1' }]],
    [{ amount: { gt: 3, gte: 5, lte: 5 } }, [{ amount: '5' }], [{ amount: '4' }, { amount: '6' }]],
    [{ 'card[brand]': { not: amex } }, [{}, { card: { brand: visa } }], [{ card: { brand: amex } }]],
    [{ card: { brand: { not: [amex, /^v/], present: true } } }, [{ card: { brand: jcb } }], [{}, { card: { brand: visa } }, { card: {} }]],
    [{ amount: { not: { gt: 5 } } }, [{}, { amount: '5' }], [{ amount: '6' }]],
    [{ card: { present: false } }, [{}, { amount: '1' }], [{ card: {} }, { card: { brand: visa } }, { card: '' }]],
    [{ card: { present: true } }, [{ card: { brand: visa } }], [{}, { bank_account: {} }]], [{ ticket: { present: false } }, [{}], [{ ticket: '' }]]
  ]`)
  const others: [match: Json, fits: Sent[], not: Sent[]][] = parse(`[
    [{}, [{}, { key: x }, { body: { ticket: x } }], []], [{ body: {} }, [{}], []], [{ body: { customer: {} } }, [{}], []],
    [{ key: sk_a }, [{ key: sk_a }], [{ key: null }, { key: sk_ab }, { key: SK_A }]],
    [{ key: [sk_a, /^sk_b/] }, [{ key: sk_a }, { key: sk_bcd }], [{ key: null }, { key: '' }, { key: xsk_b }]],
    [{ key: // }, [{ key: '' }, { key: any }], [{ key: null }]],
    [{ about: { location: loc_a } }, [{ about: { location: loc_a } }], [{}, { about: { location: loc_b } }, { body: { ticket: loc_a } }]],
    [{ about: { account: [/^mch/, x], ticket: { not: tkt_1 } } }, [{ about: { account: mch_a } }, { about: { account: x, ticket: tkt_2 } }],
      [{}, { about: { account: mch_a, ticket: tkt_1 } }]],
    [{ headers: { User-Agent: /ios/i, X-Build: { not: '7' } } }, [{ headers: { user-agent: Shop/1 (iOS), x-build: '8' } }, { headers: { user-agent: ios } }],
      [{}, { headers: { user-agent: Android } }, { headers: { user-agent: ios, x-build: '7' } }]],
    [{ key: sk_a, body: { amount: 5 } }, [{ key: sk_a, body: { amount: '5' } }], [{ key: sk_a }, { key: sk_b, body: { amount: '5' } }]]
  ]`)
  const inBody = (list: Json[]): Sent[] => list.map(body => ({ body }))
  const cases = [
    ...others,
    ...bodies.map(([body, fits, not]): (typeof others)[number] => [
      { body },
      inBody(fits),
      inBody(not)
    ])
  ]
  for (const [match, fits, not] of cases) {
    const { matches } = await compiled({ on: 'POST /transactions', match, delay: '1s' })
    t.equal(matches.length === 0, not.length === 0, `${JSON.stringify(match)} fits everything`)
    const fitting = (call: Sent) => areMet(matches, sent('POST /transactions', call))
    for (const call of fits)
      t.ok(fitting(call), `${JSON.stringify(match)} fits ${JSON.stringify(call)}`)
    for (const call of not)
      t.notOk(fitting(call), `${JSON.stringify(match)} does not fit ${JSON.stringify(call)}`)
  }
})

t.test('match: names of the path, the query, a deep body and metadata', async t => {
  const cases: [on: string, match: NonNullable<EntryData['match']>, fits: Sent, not: Sent][] =
    parse(`[
    ['GET /tickets/{id}', { params: { id: [tkt_1, tkt_2] } }, { params: { id: tkt_2 } }, { params: { id: tkt_3 } }],
    ['DELETE /accounts/{account_id}/users/{user_id}', { params: { user_id: /^usr_/, account_id: mch_a } },
      { params: { account_id: mch_a, user_id: usr_a } }, { params: { account_id: mch_b, user_id: usr_a } }],
    [GET /transactions, { query: { 'created[gte]': 2026-03-01, limit: 10 } }, { query: { created: { gte: 2026-03-01 }, limit: '10' } }, { query: { limit: '10' } }],
    ['POST /accounts/{id}', { body: { address: { country: US } }, params: { id: a } }, { params: { id: a }, body: { address: { country: US } } },
      { params: { id: a } }],
    [GET /tickets, { query: { created: { gte: { gte: 2026-03-01 } } } }, { query: { created: { gte: '2026-03-01T00:00:00Z' } } },
      { query: { created: { gte: 2026-02-28 } } }],
    ['POST /refunds/{id}', { body: { metadata: { not: x } } }, { body: { metadata: { not: x } } }, { body: { metadata: { a: y } } }],
    ['POST /refunds/{id}', { body: { 'metadata[table 5]': x } }, { body: { metadata: { table 5: x } } }, { body: { metadata: {} } }],
    ['POST /refunds/{id}', { body: { metadata: { constructor: x } } }, { body: { metadata: { constructor: x } } }, { body: { metadata: {} } }],
    ['POST /refunds/{id}', { body: { metadata: '' } }, { body: { metadata: '' } }, { body: { metadata: { a: '' } } }]
  ]`)
  for (const [on, match, fits, not] of cases) {
    const { matches } = await compiled({ on, match, delay: '1s' })
    t.equal(areMet(matches, sent(on, fits)), true, `${on} ${JSON.stringify(match)}`)
    t.equal(areMet(matches, sent(on, not)), false, `${on} not ${JSON.stringify(not)}`)
  }
})

t.test('on: several operations, or any', async t => {
  const both = ['GET /tickets', 'POST /transactions', 'POST /refunds']
  const cases: [on: EntryData['on'], match: EntryData['match'], acts: string[]][] = parse(`[
    [[GET /tickets, POST /refunds], {}, [GET /tickets, POST /refunds]], [[POST /refunds, POST /refunds], {}, [POST /refunds]],
    ['*', {}, [GET /tickets, POST /transactions, POST /refunds]],
    ['*', { body: { amount: { gt: 5 } } }, [POST /transactions, POST /refunds]], ['*', { body: { transaction: txn_1 } }, [POST /refunds]],
    ['*', { query: { location: loc_a } }, [GET /tickets]], [GET *, {}, [GET /tickets]], [post /*, {}, [POST /transactions, POST /refunds]],
    ['* /refunds', {}, [POST /refunds]], [['* /tickets*', '*T*/r*s'], {}, [GET /tickets, POST /refunds]]
  ]`)
  const calls = both.map(on =>
    sent(
      on,
      on.startsWith('GET')
        ? { query: { location: 'loc_a' } }
        : { body: { amount: '6', ...(on.endsWith('refunds') && { transaction: 'txn_1' }) } }
    )
  )
  for (const [on, match, acts] of cases) {
    const script = await scriptOf({ on, match, delay: '1s' } as EntryData)
    const applied = appliedBy(script, calls)
    const acted = both.filter((_, index) => applied[index] !== null)
    t.strictSame(acted, acts, JSON.stringify([on, match]))
  }
  const together = await scriptOf({ on: '*', calls: '1-3', respond: { status: 503 } })
  t.strictSame(
    appliedBy(together, [...calls, ...calls]),
    [0, 0, 0, null, null, null],
    'counted together'
  )
  const all = await scriptOf({ on: '*', delay: '1s' })
  t.notOk(all.operations.has('deleteAccount'), 'what is disabled answers before the script')
  t.ok(all.operations.has('listUsers'))
  t.ok(all.remove('scr_1'))
  t.notOk(all.operations.has('listUsers'))
})

t.test('script: from and until, for, and chance', async t => {
  const at = (instant: string) => Date.parse(instant)
  const tickets = sent('GET /tickets')
  const actedAt = (script: Script, times: readonly number[], seed = 1) =>
    times.filter(at => script.act(tickets, { seed, instant: at }) !== null)

  const slow = (more: Partial<EntryData>) => scriptOf({ on: 'GET /tickets', delay: '1s', ...more })
  const between = await slow({ from: '2026-03-01', until: '2026-03-02T12:00:00+01:00' })
  const [first, last] = [at('2026-03-01T00:00:00Z'), at('2026-03-02T11:00:00Z') - 1]
  t.strictSame(actedAt(between, [first - 1, first, last, last + 1]), [first, last])
  t.equal(between.listed()[0]?.matched, 2, 'other calls are not counted')

  const lasting = await slow({ for: '10s' })
  t.strictSame(actedAt(lasting, [5000, 14_999, 15_000, 20_000]), [5000, 14_999])
  const { entry: _, ...lasted } = lasting.listed()[0] as ListedEntry
  t.strictSame(lasted, { id: 'scr_1', matched: 4, applied: 2, first: 5000 })
  const copy = lasting.clone()
  t.strictSame(actedAt(copy, [14_999]), [14_999], 'a copy goes on from the same first call')
  const fromSecond = await slow({ calls: '2+', for: '10s' })
  t.strictSame(
    actedAt(fromSecond, [0, 20_000, 29_999, 30_000]),
    [20_000, 29_999],
    'with calls it lasts from the first call that it was applied to'
  )
  const second = await scriptOf(
    { on: 'GET /tickets', calls: 1, respond: { status: 500 } },
    { on: 'GET /tickets', for: '10s', delay: '1s' }
  )
  const answering = [0, 20_000, 29_999, 30_000].map(
    at => second.act(tickets, { seed: 1, instant: at })?.id
  )
  t.strictSame(
    answering,
    ['scr_1', 'scr_2', 'scr_2', undefined],
    'one answered by another begins nothing'
  )

  const times = Array.from({ length: 1000 }, (_, index) => index)
  const chances = async (chance: number, seed: number) =>
    actedAt(await slow({ chance }), times, seed)
  const some = await chances(0.1, 1)
  t.ok(some.length > 60 && some.length < 150, `${some.length} of 1000`)
  t.strictSame(await chances(0.1, 1), some, 'the same seed draws the same')
  t.notSame(await chances(0.1, 2), some)
  t.strictSame([(await chances(0, 1)).length, (await chances(1, 1)).length], [0, 1000])
  const flaky = { on: 'GET /tickets', chance: 0.1, delay: '1s' } as const
  const drawnBy = async (entry: EntryData, ...before: EntryData[]) =>
    actedAt(await scriptOf(...before, entry), times)
  const alone = await drawnBy(flaky)
  t.strictSame(await drawnBy(flaky, { on: 'GET /refunds', delay: '1s' }), alone, 'nor one in front')
  t.notSame(await drawnBy({ ...flaky, name: 'flaky' }), alone, 'its name is what the draw goes by')
  t.strictSame(
    await drawnBy({ ...flaky, name: 'flaky', delay: '2s' }),
    await drawnBy({ ...flaky, name: 'flaky' }),
    'whatever else it says'
  )
})

t.test('per: calls, for and chance count separately for each value', async t => {
  const pay = (ticket: string | undefined, more: Sent = {}) =>
    sent('POST /transactions', { about: ticket === undefined ? {} : { ticket }, ...more })
  const paying = (more: Partial<EntryData>) =>
    scriptOf({ on: 'POST /transactions', fault: 'hang', ...more })
  const third = await paying({ per: 'ticket', calls: 3 })
  const tickets = ['a', 'b', 'a', undefined, 'a', 'b', 'a', 'b', undefined, undefined]
  const before = third.revision
  third.act(pay(undefined), NOW)
  t.equal(third.revision, before, 'a call that is about none is not counted')
  t.strictSame(
    tickets.flatMap((ticket, nth) => (third.act(pay(ticket), NOW) === null ? [] : [nth])),
    [4, 7]
  )
  const { id, entry: _, ...count } = third.listed()[0] as ListedEntry
  const values = [
    { value: 'a', matched: 4, applied: 1 },
    { value: 'b', matched: 3, applied: 1 }
  ]
  t.strictSame(count, { matched: 7, applied: 2, values })
  const copy = third.clone()
  t.strictSame(copy.listed(), third.listed())
  copy.act(pay('a'), NOW)
  copy.recount(id, { matched: 9, applied: 2, values: [{ value: 'c', matched: 2, applied: 0 }] })
  t.strictSame(third.listed()[0]?.values, values, 'a copy counts for itself')
  t.ok(copy.act(pay('c'), NOW), 'and goes on from counts that are given')

  const noted: EntryCount[] = []
  third.act(pay('b'), NOW, (_id, count) => void noted.push(count))
  t.strictSame(
    noted,
    [{ matched: 8, applied: 2, values: [{ value: 'b', matched: 4, applied: 1 }] }],
    'only what has changed is noted'
  )

  const lasting = await paying({ per: 'test', for: '10s' })
  const acted: [test: string, at: number][] = parse(
    '[[x, 0], [y, 9000], [x, 10000], [y, 18999], [y, 19000]]'
  )
  t.strictSame(
    acted.map(
      ([test, at]) => lasting.act(pay(undefined, { test }), { seed: 1, instant: at }) !== null
    ),
    [true, true, false, true, false]
  )

  const byKey = await paying({ per: 'key', calls: 1 })
  const keys = ['sk_secret', 'sk_secret', 'sk_other', null]
  t.strictSame(
    keys.map(key => byKey.act(pay('a', { key }), NOW) !== null),
    [true, false, true, false]
  )
  t.notMatch(JSON.stringify(byKey.listed()), 'sk_', 'a key is not shown')
  lasting.act(pay(undefined, { test: `pays with 4242424242424242 ${'x'.repeat(300)}` }), NOW)
  t.match(
    lasting.listed()[0]?.values?.at(-1)?.value,
    /^pays with \*{16} x{173}…$/,
    'no card number'
  )
  t.match(byKey.listed()[0]?.values?.[0]?.value, /^sha256:[\da-f]{64}$/)

  const drawn = await paying({ per: 'ticket', chance: 0.5 })
  const actsOf = (script: Script, length: number) =>
    Array.from({ length }, (_, nth) => script.act(pay(`t${nth}`), NOW) !== null)
  const firsts = actsOf(drawn, 200).filter(Boolean).length
  t.ok(firsts > 60 && firsts < 140, `${firsts} of 200 first calls: each value draws for itself`)

  const many = await paying({ per: 'ticket', calls: 1 })
  const all = actsOf(many, MAX_VALUES + 2)
  t.strictSame(
    [all.filter(Boolean).length, all.at(-1), many.act(pay('t0'), NOW)],
    [MAX_VALUES, false, null]
  )
  const { matched, uncounted } = many.listed()[0] as EntryCount
  t.strictSame(
    [matched, uncounted],
    [MAX_VALUES + 1, 2],
    'of so many values, calls of further ones are not counted, and that is said'
  )
})

t.test('after: an entry waits until another one was applied', async t => {
  const tickets = sent('GET /tickets')
  const first: EntryData = { name: 'first', on: 'GET /tickets', calls: '2-3', fault: 'hang' }
  const next: EntryData = { on: 'GET /tickets', delay: '1s', after: 'first' }
  const cases: [more: object, acts: Json][] = parse(`
    - [{}, [~, 0, 0, 1, 1]]
    - [{ calls: every 2 }, [~, 0, 1, 0, 1]]
    - [{ calls: 1, chance: 0 }, [~, ~, ~, ~, ~]]
  `)
  for (const [more, acts] of cases) {
    const script = await scriptOf({ ...first, ...more }, next)
    t.strictSame(appliedBy(script, repeated(5, tickets)), acts, JSON.stringify(more))
  }
  const before = await scriptOf(next, first)
  t.strictSame(appliedBy(before, repeated(4, tickets)), [null, 1, 0, 0])
  t.equal(countsOf(before), '2/2 4/1')
  const script = await scriptOf(first, next, { ...next, name: 'never' }, first)
  t.strictSame(appliedBy(script, repeated(2, tickets)), [null, 0])
  script.remove('scr_1')
  t.strictSame(appliedBy(script, [tickets]), [2], 'the next of the name')
  script.clear()
  script.put('scr_9', await compiled(next), { matched: 0, applied: 0 })
  t.equal(script.act(tickets, NOW), null, 'removed')
})

t.test('calls: which of the matching requests an entry applies to', async t => {
  const tickets = sent('GET /tickets')
  const cases: [acts: number[], ...calls: EntryData['calls'][]][] = parse(`[
    [[1, 2, 3, 4, 5, 6], every 1, 0+, 1+], [[1], 1, '1'], [[3], 3], [[2, 3], 2-3, ' 2 - 3 '], [[5], 5-5], [[4, 5, 6], 4+, 4 +],
    [[1, 2], 0-2], [[3, 6], every 3], [[], 0, 7, every 7, '999999999']
  ]`)
  for (const [acts, calls] of [
    ...cases.flatMap(([acts, ...all]) => all.map(calls => [acts, { calls }] as const)),
    [[1, 2, 3, 4, 5, 6], {}] as const
  ]) {
    const script = await scriptOf({ on: 'GET /tickets', delay: '1s', ...calls } as EntryData)
    const applied = appliedBy(script, repeated(6, tickets)).flatMap((index, nth) =>
      index === null ? [] : [nth + 1]
    )

    const label = JSON.stringify(calls)
    t.strictSame([applied, countsOf(script)], [acts, `6/${acts.length}`], label)
  }
})

t.test('calls: an entry counts every match, whichever entry was applied', async t => {
  const script = await scriptOf(
    { on: 'GET /tickets', match: { query: { search_query: 'x' } }, calls: 2, delay: '1s' },
    { on: 'GET /tickets', calls: '2-3', delay: '1s' },
    { on: 'GET /refunds', delay: '1s' },
    { on: 'GET /tickets', calls: '4+', delay: '1s' },
    { on: 'GET /tickets', match: { query: { search_query: 'x' } }, delay: '1s' }
  )
  const plain = sent('GET /tickets')
  const search = sent('GET /tickets', { query: { search_query: 'x' } })
  const others = [sent('GET /refunds'), sent('GET /users')]
  const applied = appliedBy(script, [plain, search, search, plain, search, ...others])
  t.strictSame(applied, [null, 1, 0, 3, 3, 2, null])
  t.equal(countsOf(script), '3/1 5/1 1/1 5/2 3/0')
})

t.test('A03: a delay is drawn from the seed, within min and max, both included', async t => {
  const tickets = sent('GET /tickets')
  const drawn = async (seed: number, delay: EntryData['delay'], count: number) => {
    const script = await scriptOf({ on: 'GET /tickets', ...(delay && { delay }), fault: 'hang' })
    return repeated(count, tickets).map(call => script.act(call, { seed, instant: 0 })?.delay)
  }

  const first = await drawn(7, { min: '100ms', max: '2s' }, 500)
  t.strictSame(await drawn(7, { min: '100ms', max: '2s' }, 500), first, 'the same for one seed')
  t.notSame(await drawn(8, { min: '100ms', max: '2s' }, 500), first, 'others for another')
  for (const delay of first)
    t.ok(Number.isInteger(delay) && Number(delay) >= 100 && Number(delay) <= 2000, `${delay}`)
  t.ok(new Set(first).size > 350, 'they differ')

  t.strictSame([...new Set(await drawn(1, { min: '3ms', max: '5ms' }, 100))].sort(), [3, 4, 5])
  t.strictSame(await drawn(1, { min: '2s', max: '2s' }, 2), [2000, 2000])
  t.strictSame(await drawn(1, '1500ms', 2), [1500, 1500])
  t.strictSame(await drawn(1, '0s', 1), [0])
  t.strictSame(await drawn(1, undefined, 1), [0], 'none is none')
})

t.test('A03: each entry draws its own delays, one for each request', async t => {
  const random = { min: '0ms', max: '10m' }
  const tickets = sent('GET /tickets')
  const refunds = sent('GET /refunds')
  const alone = await scriptOf({ name: 'slow', on: 'GET /tickets', delay: random })
  const among = await scriptOf(
    { on: 'GET /refunds', delay: random },
    { name: 'slow', on: 'GET /tickets', calls: '2+', delay: random }
  )

  const expected = repeated(3, tickets).map(call => alone.act(call, NOW)?.delay)
  const applied = [tickets, refunds, tickets, refunds, refunds, tickets, tickets].map(call =>
    among.act(call, NOW)
  )

  const own = applied.filter(action => action?.id === 'scr_2').map(action => action?.delay)
  t.strictSame(own, expected, 'neither an entry in front, nor calls before its first move them')
  t.equal(new Set(applied.slice(1).map(action => action?.delay)).size, 6, 'the entries draw apart')
})

t.test('script: entries are added after the others, shown with id and counts', async t => {
  const tickets: EntryData = { name: 'first', on: 'GET /tickets', calls: '1', delay: '1s' }
  const refunds: EntryData = { on: 'GET /refunds', respond: { status: 500 } }
  const script = await scriptOf(tickets, refunds)

  const { id } = script.add(await compiled(tickets))

  t.equal(id, 'scr_3')
  t.strictSame(
    appliedBy(script, [sent('GET /tickets'), sent('GET /tickets'), sent('GET /refunds')]),
    [0, null, 1]
  )
  t.strictSame(script.listed(), [
    { id: 'scr_1', entry: tickets, matched: 2, applied: 1 },
    { id: 'scr_2', entry: refunds, matched: 1, applied: 1 },
    { id: 'scr_3', entry: tickets, matched: 2, applied: 0 }
  ])

  t.equal(script.remove('scr_9'), false)
  t.equal(script.remove('__proto__'), false)
  t.equal(script.remove('scr_1'), true)
  t.equal(script.remove('scr_1'), false, 'once only')
  t.equal(script.operations.has('listTickets'), true, 'another of the operation is left')
  t.equal(script.remove('scr_3'), true)
  t.equal(script.operations.has('listTickets'), false)
  t.equal(script.act(sent('GET /tickets'), NOW), null)
  t.strictSame(idsOf(script), ['scr_2'])
  t.equal(script.add(await compiled(tickets)).id, 'scr_4', 'an id is not given out again')

  script.clear()
  t.strictSame(
    [script.listed(), script.operations.has('listTickets'), script.operations.has('listRefunds')],
    [[], false, false]
  )
  script.clear()
  t.equal(script.add(await compiled(tickets)).id, 'scr_5')
})

t.test('script: a copy has the same ids and counts, and neither changes the other', async t => {
  const script = await scriptOf(
    { on: 'GET /tickets', calls: '2+', delay: { min: '0ms', max: '10m' } },
    { on: 'GET /tickets', calls: 1, delay: '1s' }
  )
  const tickets = sent('GET /tickets')
  appliedBy(script, repeated(3, tickets))
  script.remove(script.add(await compiled({ on: 'GET /refunds', delay: '1s' })).id)
  const before = script.listed()

  const copy = script.clone()
  t.strictSame(copy.listed(), before)

  const next = copy.act(tickets, NOW)
  t.strictSame(script.listed(), before, 'what the copy counts the original does not count')
  t.strictSame(script.act(tickets, NOW)?.delay, next?.delay, 'both draw the same delay next')

  copy.clear()
  script.remove('scr_2')
  t.strictSame([...idsOf(script), ...idsOf(copy)], ['scr_1'])
  const entry = await compiled({ on: 'GET /refunds', delay: '1s' })
  t.strictSame(
    [script.add(entry).id, copy.add(entry).id],
    ['scr_4', 'scr_4'],
    'an id that was given out before is not given out by a copy'
  )
})

t.test('script: an entry is put back with its former id and counts', async t => {
  const entry = await compiled({ on: 'GET /tickets', calls: '4', delay: '1s' })
  const script = new Script()

  script.put('scr_7', entry, { matched: 3, applied: 0 })
  script.put('scr_2', entry, { matched: 0, applied: 0 })

  t.equal(script.act(sent('GET /tickets'), NOW)?.id, 'scr_7')
  t.strictSame([...idsOf(script), countsOf(script)], ['scr_7', 'scr_2', '4/1 1/0'])
  t.equal(script.add(entry).id, 'scr_8')
})

/** The problems of an expectation: those of its schema, or else those of compiling it. */
const expectationProblems = async (data: unknown): Promise<string[]> => {
  const shape = problemsOfShape('scenario', { expect: [data] }).map(({ steps, ...said }) =>
    coded(pathOf(steps.slice(2)), said)
  )
  if (shape.length > 0) return shape
  const { found, report } = reported()
  await compileExpectation(data as ExpectationData, report)
  return found
}

t.test('expect: every kind of problem of an expectation', async t => {
  const cases: [data: unknown, ...problems: string[]][] = parse(`[
    [{}, needs], [{ on: POST /refunds, sequence: [{ on: POST /refunds }] }, not_together], [{ sequence: [] }, sequence too_few_items],
    [{ on: [GET /tickets, POST /refunds], took_effect: true }], [{ sequence: [{ on: POST /refunds, times: 1 }] }, 'sequence[0].times unknown_name'],
    [{ sequence: [{ on: POST /refunds }, { on: POST refunds }] }, 'sequence[1].on unknown_word'], [{ on: POST /refunds, status: 3x }, status wrong_characters],
    [{ on: POST /refunds, status: [200, 600] }, 'status[1] too_large'], [{ state: { refunds: { where: { amount: 1 } } } }, state.refunds.where needs],
    [{ state: { refunds: { count: 1, where: { amout: 1 } } } }, state.refunds.where.amout unknown_field],
    [{ state: { transactions: { txn_1: { amount: 1, refunded: 2 } } } }, state.transactions.txn_1.refunded unknown_field],
    [{ state: { transactions: { txn_1: { refunds: {} } } } }, state.transactions.txn_1.refunds unknown_field],
    [{ on: GET *x, per: ticket, times: 1, took_effect: true, response: { x: 1 } }, on unknown_word], [{ on: POST /refunds, times: -1 }, times too_small],
    [{ on: POST /refunds, times: 3-2 }, times not_counts], [{ on: POST /refunds, times: 2 to 3 }, times not_counts],
    [{ on: POST /refunds, times: 1.5 }, times wrong_type], [{ on: GET /tickets, match: { body: {} } }, match.body no_section],
    [{ on: GET /tickets, match: { query: { locaton: x } } }, match.query.locaton unknown_field],
    [{ on: POST /refunds, match: { body: { reason: '/(/' } } }, match.body.reason bad_pattern],
    [{ on: POST /transactions, match: { body: { card.last4: '1' } } }, match.body.card.last4 unknown_field],
    [{ on: POST /refunds, no_sooner_than: 1 }, no_sooner_than wrong_format], [{ on: POST /refunds, no_sooner_than: 1s, per: ticket }],
    [{ sequence: [{ on: POST /refunds, no_sooner_than: 1s }] }, 'sequence[0].no_sooner_than needs'], [{ on: POST /refunds, per: ticket }, per needs],
    [{ on: POST /refunds, per: ticket, times: 1+ }, per needs], [{ on: POST /refunds, per: ticket, times: 0 }],
    [{ on: POST /refunds, per: card, times: 1 }, per not_one_of], [{ state: { refunds: { count: 1 } }, per: ticket }, per needs],
    [{ state: { refunds: { count: 1 } }, others: true }, others needs], [{ on: POST /refunds, others: true }, others needs],
    [{ on: POST /refunds, times: 0+ }, times allows_anything], [{ on: POST /refunds, response: {} }, response empty],
    [{ on: POST /refunds, response: { amout: 1 } }, response.amout unknown_field],
    [{ on: POST /refunds, response: { amount: { gt: 100 }, error: { code: x } } }], [{ on: GET /refunds, response: { has_more: false } }],
    [{ on: 'DELETE /accounts/{account_id}/users/{user_id}', response: { error: { code: resource_missing } } }],
    [{ on: POST /refunds, no_sooner_than: 2s, no_later_than: 1s }, reversed],
    [{ sequence: [{ on: POST /refunds, no_later_than: 1s }] }, 'sequence[0].no_later_than needs'],
    [{ on: GET /locations, per: ticket, times: 1 }, per has_none], [{ on: POST /transactions, per: transaction, times: 1 }, per has_none],
    [{ sequence: [{ on: POST /refunds }, { on: GET /locations }], per: ticket }, per has_none],
    [{ on: GET /locations, per: location, times: 1 }, per has_none], [{ on: GET /transactions, per: location, times: 1 }],
    [{ on: 'GET /tickets/{id}', per: ticket, times: 1 }], [{ on: '*', per: ticket, times: 1 }], [{ on: POST /accounts, per: account, times: 1 }],
    [{ on: POST /accounts, per: key, times: 1 }], [{ on: POST /accounts, per: ticket, times: 1 }, per has_none],
    [{ on: POST /refunds, no_sooner_than: 1s, no_later_than: 1s }]
  ]`)
  for (const [data, ...problems] of cases)
    t.strictSame(await expectationProblems(data), problems, JSON.stringify(data))
})
