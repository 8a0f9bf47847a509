import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { encodeForm } from '../../src/core/form-encoding.js'
import { durationText, isoOf } from '../../src/core/instants.js'
import { scenarioOf, scenarioOfCall } from '../../src/replay/recorded-scenario.js'
import { recordingOf } from '../../src/replay/recording.js'
import { SAYS } from '../../src/replay/sentences.js'
import { addKey } from '../../src/sandbox/records.js'
import { scenarioText } from '../../src/scenario/yaml.js'
import { failuresIn } from '../support/checked.js'
import {
  type Blame,
  blameOf,
  MERCHANT,
  NOW,
  RESELLER,
  smallFixture,
  startTestEmulator
} from '../support/emulator.js'
import type { Json } from '../support/json.js'

type Emulator = Awaited<ReturnType<typeof startTestEmulator>>
type Call = NonNullable<Parameters<Emulator['call']>[1]>

/** Problems of a scenario, by `check`. */
async function problemsOf(t: Test, text: string): Promise<string[]> {
  const file = `${t.testdir({ 'recorded.yaml': text })}/recorded.yaml`
  return (await failuresIn([file])).flatMap(({ title, messages }) =>
    messages.map(message => `${title}: ${message}`)
  )
}
const commentsIn = (text: string) =>
  text.split('\n').flatMap(line => (line.startsWith('# ') ? [line.slice(2)] : []))
/** The comments on differences from the original requests. */
const notesIn = (text: string) => commentsIn(text).slice(2)
const recordedIn = async ({ sandbox }: Emulator) => scenarioOf(await recordingOf(sandbox))
const recorded = async (emulator: Emulator): Promise<string> => {
  const { data, notes } = await recordedIn(emulator)
  return scenarioText(data, notes)
}
/** The scenario of one request, the last one by default; null if there is none. */
const repeated = async ({ sandbox }: Emulator, id?: string): Promise<string | null> => {
  const { journal } = sandbox.evidence
  const one = id === undefined ? journal.requests().at(-1) : sandbox.evidence.find(id)
  const found = await scenarioOfCall(await recordingOf(sandbox, one && [one]))
  return found === undefined ? null : scenarioText(found.data, found.notes)
}
/** The plays of a scenario in order: requests and waits. */
const playedIn = (text: string): string[] =>
  parse(text).play.map(({ wait, do: on }: Json) => wait ?? on)
const idsOf = (records: Json) => records?.map(({ id }: Json) => id)

const RECORDS = parse(`
  accounts: [{ id: mch_b, type: merchant, name: B, email: b@example.com, address: { country: US } }]
  users: [{ id: usr_a, account: mch_a, name: U, email: u@example.com }, { id: usr_b, account: mch_b, name: V, email: v@example.com }]
  locations: [{ id: loc_b, account: mch_b, display_name: B, address: { country: US } }]
  tickets: [{ id: tkt_b, location: loc_a, reference: T-b }, { id: tkt_c, location: loc_a, reference: T-c }, { id: tkt_d, location: loc_a, reference: T-d }]
  transactions:
    - { id: txn_a, ticket: tkt_a, payment_type: card, amount: 1000, payment_method: { type: card, card: { brand: visa, last4: '4242' } } }
    - { id: txn_b, ticket: tkt_b, payment_type: external, amount: 500 }
    - { id: txn_c, ticket: tkt_c, payment_type: external, amount: 0 }
  refunds: [{ id: rfd_a, transaction: txn_a, amount: 300 }, { id: rfd_b, transaction: txn_a, amount: 100 }, { id: rfd_c, transaction: txn_b, amount: 500 }]
`)
const US = { 'address[country]': 'US' }
const PAID = { ticket: 'tkt_a', payment_type: 'external', amount: 100 }

/** A play in the form of the test. */
function playedCall(document: Json): [on: string, call: Call] {
  const [{ do: on, key, query, body }] = document.play
  const [first] = document.data?.api_keys ?? []
  return [
    on,
    {
      key: key ?? first?.key ?? null,
      ...(query && { query: encodeForm(query) }),
      ...(body && { body: encodeForm(body) })
    }
  ]
}

const REFUSALS: readonly (readonly [on: string, call: Call, blame: Blame, records: number])[] =
  parse(`
  - [POST /refunds, {body: {transaction: txn_none}}, [400, reference_missing, transaction, REF-1], 1]
  - [POST /refunds, {body: {transaction: txn_a, amount: 0}}, [400, parameter_invalid, amount, REF-3], 4]
  - [POST /refunds, {body: {transaction: txn_b}}, [400, charge_already_refunded, transaction, REF-6], 5]
  - [POST /refunds, {body: {transaction: txn_a, amount: 601}}, [400, refund_exceeds_remaining, amount, REF-7], 6]
  - [POST /refunds, {body: {transaction: txn_c}}, [400, charge_has_no_amount, transaction, A24], 4]
  - [POST /refunds/rfd_a, {body: {amount: 1}}, [400, parameter_not_updatable, amount, REF-9], 1]
  - [POST /transactions, {body: {ticket: tkt_none, payment_type: external, amount: 100}}, [400, reference_missing, ticket, TXN-1], 0]
  - [POST /transactions, {body: {ticket: tkt_a, payment_type: vip, amount: 100}}, [400, parameter_missing, "customer[phone]", TXN-3], 3]
  - [POST /locations, {body: {"address[country]": US}}, [400, parameter_missing, display_name, LOC-1], 1]
  - [POST /locations, {body: {display_name: N, "address[country]": US}, key: ${RESELLER}}, [403, merchant_required, null, LOC-3], 1]
  - [DELETE /locations/loc_a, {}, [501, operation_disabled, null, LOC-4], 1]
  - [POST /accounts, {body: {type: other, name: N, email: n@example.com, "address[country]": US}}, [400, parameter_invalid, type, ACC-1], 1]
  - [DELETE /accounts/mch_a/users/usr_b, {}, [404, resource_missing, user_id, USR-1], 3]
  - [POST /accounts/mch_b/users, {body: {email: n@example.com}}, [400, parameter_missing, name, USR-2], 1]
  - [GET /tickets, {query: limit=x}, [400, parameter_invalid, limit, LIST-3], 1]
  - [GET /tickets, {query: starting_after=tkt_none}, [400, cursor_unknown, starting_after, A10], 1]
  - [GET /tickets/tkt_none, {}, [404, resource_missing, id, A08], 1]
  - [GET /tickets, {query: page=2}, [400, parameter_unknown, page, A14], 1]
  - [GET /tickets, {key: sk_nobody}, [401, api_key_unknown, null, A18], 0]
  - [GET /tickets, {key: null}, [401, api_key_missing, null, AUTH-3], 0]
`)

t.test('the scenario of a refused request: the same rule refuses it there', async t => {
  const emulator = await startTestEmulator(t, { records: RECORDS })
  const other = await startTestEmulator(t, { logged: false })
  t.ok(
    new Set(REFUSALS.map(([, , [, , , by]]) => by)).size > 15,
    'there are more than fifteen rules and assumptions'
  )
  for (const [on, call, blame, records] of REFUSALS) {
    await emulator.control('POST /reset')
    const title = `${blame[3]}: ${on} ${JSON.stringify(call)}`
    t.strictSame(blameOf(await emulator.call(on, call)), blame, title)

    const text = await repeated(emulator)
    const document = parse(text as string)
    const played = async (scenario: object) => {
      const { status } = await other.control('POST /load', { scenario })
      if (status !== 200) return 'it cannot be loaded'
      const answer = await other.call(...playedCall(document))
      return answer.status < 300 ? 'it is answered' : blameOf(answer)
    }

    t.strictSame(await played(document), blame, title)
    const { rules } = (await other.control('GET /requests/req_1')).body.why
    t.ok(
      /^A\d/.test(blame[3]) || rules.at(-1).rule === blame[3],
      `${title}: the why ends with the rule`
    )
    const { api_keys: _keys, ...families } = document.data ?? {}
    const count = Object.values(families as Record<string, Json[]>).flat().length
    t.equal(count, records, `${title}\n${text}`)
    for (const [family, list] of Object.entries(families as Record<string, Json[]>)) {
      for (const record of family === 'refunds' ? [] : list) {
        const without = {
          ...document,
          data: { ...document.data, [family]: list.filter(other => other !== record) }
        }
        t.strictNotSame(await played(without), blame, `${title} without ${record.id}`)
      }
    }
  }
})

t.test('the scenario of a successful request: its response, and its pages', async t => {
  const emulator = await startTestEmulator(t, { records: RECORDS })
  for (const [on, call, expected] of parse(`
      - [GET /tickets/tkt_b, {}, { tickets: [tkt_b] }]
      - [GET /tickets, { query: limit=1 }, { tickets: [tkt_a, tkt_b, tkt_c, tkt_d] }]
      - [GET /tickets, { query: limit=2&starting_after=tkt_d }, { tickets: [tkt_a, tkt_b, tkt_c, tkt_d] }]
      - [GET /tickets, { query: location=loc_b }, { tickets: }]
      - [GET /tickets, { query: limit=2&search_query=T-c }, { tickets: [tkt_a, tkt_b, tkt_c, tkt_d] }]
      - [GET /transactions/txn_a, {}, { transactions: [txn_a], refunds: [rfd_a, rfd_b] }]
      - [POST /refunds, { body: transaction=txn_a }, { transactions: [txn_a], refunds: [rfd_a, rfd_b] }]
      - [POST /refunds, { body: transaction=txn_a&amount=1 }, { transactions: [txn_a], refunds: [rfd_a, rfd_b] }]
      - [POST /refunds/rfd_b, { body: 'metadata[a]=1' }, { refunds: [rfd_b] }]
      - [POST /locations/loc_b, { body: phone= }, { accounts: [mch_a, mch_b], locations: [loc_b] }]
      - [DELETE /accounts/mch_a/users/usr_a, {}, { users: [usr_a] }]
    `)) {
    await emulator.control('POST /reset')
    t.ok((await emulator.call(on, call)).status < 300, on)

    const text = (await repeated(emulator)) as string
    const { data } = parse(text)
    for (const [family, ids] of Object.entries(expected))
      t.strictSame(idsOf(data[family]) ?? null, ids, `${on} ${JSON.stringify(call)}: ${family}`)
    t.strictSame(await problemsOf(t, text), [], text)
  }
})

t.test('a recording: every request is played again with its response', async t => {
  const emulator = await startTestEmulator(t, { records: RECORDS })
  const { call, control } = emulator
  const paid = await call('POST /transactions', {
    key: null,
    body: {
      ...PAID,
      payment_type: 'card',
      'card[number]': '5555555555554444',
      'card[brand]': 'mastercard',
      'card[csc]': '987',
      'card[token]': ''
    }
  })
  await call('POST /refunds', {
    body: { transaction: paid.body.id, amount: 40, reason: '5555555555554444 and ${more}' }
  })
  await call('POST /locations', { key: RESELLER, body: { display_name: 'N', ...US } })
  await call('POST /locations/loc_a', { body: 'metadata=&metadata[a]=1&website=https://a.example' })
  await call('GET /transactions', { query: `limit=2&ending_before=txn_a` })
  await call(`GET /transactions/${paid.body.id}`)

  const text = await recorded(emulator)

  t.strictSame(await problemsOf(t, text), [])
  t.notMatch(text, /5555555555554444|987/)
  t.notMatch(text, new RegExp(`${MERCHANT}|${RESELLER}`))
  t.strictSame(notesIn(text), [])
  const document = parse(text)
  t.strictSame([document.clock, document.data.tickets.length, document.script], [NOW, 3, undefined])
  const [pay, refund, refused, update, list, read] = document.play
  t.strictSame(
    [pay.as, pay.key, pay.body.card],
    [
      'transaction_1',
      undefined,
      { number: '0000000000004444', brand: 'mastercard', csc: 'secret', token: '' }
    ]
  )
  t.strictSame(
    [refund.as, refund.body],
    [
      'refund_2',
      { transaction: '${transaction_1.id}', amount: 40, reason: '**************** and $ {more}' }
    ]
  )
  t.strictSame(refund.expect, { status: 200 }, 'what is not played as it was is not expected')
  t.strictSame([refused.key, refused.expect.status], ['sk_test_rsl_r', 403])
  t.strictSame(update.body, { metadata: '', 'metadata[a]': '1', website: 'https://a.example' })
  t.strictSame(
    list.expect.body,
    { object: 'list', data: [{ id: 'txn_c' }, { id: 'txn_b' }], has_more: true },
    'a list is its ids'
  )
  t.strictSame(read.do, 'GET /transactions/${transaction_1.id}')
  t.strictSame([read.expect.body.id, read.expect.body.amount_refunded], ['${transaction_1.id}', 40])
  t.equal((await control('GET /requests?format=scenario')).text, text)
  t.equal((await control('GET /requests/req_6?format=scenario')).text, await repeated(emulator))
  t.equal((await control('POST /load', text, { 'content-type': 'application/yaml' })).status, 200)
})

t.test('a recording: card and account numbers keep only their visible digits', async t => {
  const emulator = await startTestEmulator(t)
  const { call } = emulator
  const cases: [body: Json, sent: Json][] = parse(`
    - [{ 'card[number]': '378282246310005', 'card[brand]': amex }, { number: '0000000000000005', brand: amex }]
    - [{ 'card[number]': '123' }, { number: none }]
    - [{ 'card[expiry]': 11/39, 'card[token]': tok_1 }, { expiry: secret, token: secret }]
    - [{ 'card[number]': '4242424242424242', 'card[last4]': '12' }, { number: '0000000000004242', last4: '12' }]
    - [{ 'bank_account[account_number]': '000123456789', payment_type: vip, 'customer[phone]': '1' }, { account_number: '0000000000006789' }]
    - [{ 'bank_account[account_number]': '12', payment_type: vip, 'customer[phone]': '1' }, { account_number: none }]
    - [{ 'bank_account[account_number]': '000123456789', 'bank_account[routing_number]': '1', payload: x }, { account_number: '0000000000004242', routing_number: secret }]
  `)
  for (const [body] of cases)
    await call('POST /transactions', {
      key: null,
      body: { ...PAID, payment_type: 'card', ...body }
    })

  const text = await recorded(emulator)
  const { play } = parse(text)

  for (const [index, [body, sent]] of cases.entries()) {
    const played = play[index].body
    t.strictSame(played.card ?? played.bank_account, sent, JSON.stringify(body))
  }
  t.strictSame(notesIn(text), [])
  t.strictSame(await problemsOf(t, text), [], text)
})

t.test('a recording: requests that cannot be played', async t => {
  const emulator = await startTestEmulator(t, { records: RECORDS })
  const { call, control } = emulator
  await call('GET /nowhere')
  await call('POST /refunds', { body: 'transaction=txn_a&transaction=txn_a' })
  await call('POST /refunds', { body: '{}', headers: { 'content-type': 'application/json' } })
  await call('GET /tickets', { key: null })
  await call('GET /tickets/tkt_a')
  await call('POST /locations', { body: 'display_name[]=A&display_name[]=B' })

  const text = await recorded(emulator)

  t.strictSame(notesIn(text), [
    SAYS.not_played('req_1 GET /nowhere', 404),
    SAYS.not_played('req_2 POST /refunds', 400),
    SAYS.not_played('req_3 POST /refunds', 415),
    SAYS.not_played('req_4 GET /tickets', 401)
  ])
  t.strictSame(playedIn(text), ['GET /tickets/tkt_a', 'POST /locations'])
  t.strictSame(parse(text).play[1].body, { display_name: ['A', 'B'] }, 'it is played as a list')
  t.strictSame(await problemsOf(t, text), [])
  for (const [path, param] of Object.entries({
    '/req_1?format=scenario': 'format',
    '?format=scenario&limit=5': 'limit',
    '?scope=run&format=scenario': 'scope',
    '?on=GET%20/tikets&format=scenario': 'on',
    '?format=yaml': 'format'
  })) {
    const { status, body } = await control(`GET /requests${path}`)
    t.strictSame([status, body.error.code, body.error.param], [400, 'parameter_invalid', param])
  }
  for (const id of ['req_2', 'req_3']) t.equal(await repeated(emulator, id), null)
  t.equal((await control('GET /requests?format=json')).body.object, 'list')
})

t.test('a recording: of some requests it plays only those', async t => {
  const emulator = await startTestEmulator(t, { records: RECORDS })
  const { call, control } = emulator
  const { body: paid } = await call('POST /transactions', { body: PAID })
  const { body: refunded } = await call('POST /refunds', {
    body: { transaction: paid.id, amount: 30 }
  })
  await call('POST /refunds', { body: { transaction: paid.id, amount: 80 } })
  await call('GET /tickets/tkt_b')
  await call('POST /refunds', { body: { transaction: paid.id, amount: 70 } })
  await call('POST /refunds', { body: { transaction: 'txn_a', amount: 1 } })
  const chosen = async (query: string) =>
    (await control(`GET /requests?format=scenario&${query}`)).text

  const refused = await chosen('ids=req_3,req_4')
  t.strictSame(playedIn(refused), ['POST /refunds', 'GET /tickets/tkt_b'])
  t.equal(parse(refused).play[0].expect.body.error.code, 'refund_exceeds_remaining')
  t.strictSame(idsOf(parse(refused).data.transactions), [paid.id])
  t.strictSame(idsOf(parse(refused).data.refunds), [refunded.id], 'nothing that came later')
  t.strictSame(await problemsOf(t, refused), [])

  const all = await chosen('on=POST%20/refunds')
  t.strictSame(playedIn(all), ['POST /refunds', 'POST /refunds', 'POST /refunds', 'POST /refunds'])
  t.strictSame(await problemsOf(t, all), [])
  t.strictSame(parse(await chosen('status=5xx')).play, [])
  t.strictSame(
    (await control('GET /requests?ids=req_4,req_2,req_99')).body.data.map(({ id }: Json) => id),
    ['req_4', 'req_2']
  )
})

t.test('a recording: a frozen clock is moved on by wait', async t => {
  const emulator = await startTestEmulator(t, { records: RECORDS })
  const { call, control } = emulator
  await call('POST /transactions', { body: PAID })
  await control('POST /clock/advance', { by: '90m' })
  const since = isoOf(Date.parse(NOW) + 1)
  await call('GET /transactions', { query: encodeForm({ 'created[gte]': since }) })
  await control('POST /clock/advance', { by: '30m' })
  await call('POST /transactions', { body: PAID })
  await call('GET /transactions', { query: encodeForm({ 'created[gte]': since }) })
  await control('PUT /clock', { now: NOW })
  await call('POST /transactions', { body: PAID })

  const text = await recorded(emulator)
  const { play } = parse(text)

  const playedCalls = [
    'POST /transactions',
    '90m',
    'GET /transactions',
    '30m',
    'POST /transactions',
    'GET /transactions',
    'POST /transactions'
  ]
  t.strictSame(playedIn(text), playedCalls)
  t.strictSame(play[5].expect.body, {
    object: 'list',
    data: [{ id: '${transaction_3.id}' }],
    has_more: false
  })
  t.strictSame(await problemsOf(t, text), [])
})

t.test('a recording: a running clock that was advanced is moved on by wait', async t => {
  for (const clock of [undefined, { now: '2026-03-31T23:00:00Z' }]) {
    let machine = Date.parse(NOW)
    const scenario = { ...(clock && { clock }), data: smallFixture(RECORDS) }
    const emulator = await startTestEmulator(t, { machine: () => (machine += 137), scenario })
    const { call, control } = emulator
    const since = isoOf(Date.parse(clock?.now ?? NOW) + 60 * 60_000)
    const listed = { query: encodeForm({ 'created[gte]': since }) }
    await call('POST /transactions', { body: PAID })
    await call('POST /transactions', { body: PAID })
    await control('POST /clock/advance', { by: '90m' })
    await call('GET /transactions', listed)
    await call('POST /transactions', { body: PAID })
    await control('POST /clock/advance', { by: '10s' })
    await control('POST /clock/advance', { by: '5s' })
    await call('GET /transactions', listed)

    const text = await recorded(emulator)

    const playedCalls = [
      'POST /transactions',
      'POST /transactions',
      '90m',
      'GET /transactions',
      'POST /transactions',
      '15s',
      'GET /transactions'
    ]
    t.strictSame(playedIn(text), playedCalls)
    t.strictSame(parse(text).play.at(-1).expect.body, {
      object: 'list',
      data: [{ id: '${transaction_4.id}' }],
      has_more: false
    })
    t.strictSame(await problemsOf(t, text), [])
  }
})

t.test('a recording: a running clock that was set back', async t => {
  let machine = Date.parse(NOW)
  const emulator = await startTestEmulator(t, {
    machine: () => machine,
    scenario: { clock: { now: NOW }, data: smallFixture(RECORDS) }
  })
  const { call, control } = emulator
  await call('GET /tickets')
  machine += 5000
  await control('PUT /clock', { now: NOW })
  machine += 1000
  await call('GET /tickets')
  await control('POST /clock/advance', { by: '5s' })
  await call('GET /tickets')
  await control('POST /clock/advance', { by: '1s' })
  await call('GET /tickets')

  const text = await recorded(emulator)

  t.strictSame(playedIn(text), [
    'GET /tickets',
    'GET /tickets',
    'GET /tickets',
    '1s',
    'GET /tickets'
  ])
})

t.test('a recording: control changes in between are in the initial state', async t => {
  const emulator = await startTestEmulator(t, {
    records: RECORDS,
    settings: { 'statuses.refund_refused': 422 }
  })
  const { call, control } = emulator
  await call('GET /tickets/tkt_a')
  await control('POST /records', {
    tickets: [{ id: 'tkt_new', location: 'loc_a', reference: 'NEW' }]
  })
  await call('GET /tickets/tkt_new')
  await control('PUT /clock', { now: '2026-03-02T00:00:00Z' })
  await call('POST /refunds', { body: { transaction: 'txn_b' } })
  await call('GET /locations', { query: 'limit=1' })
  await control('PUT /snapshots/before')
  await call('POST /locations', { body: { display_name: 'N', ...US } })
  await control('POST /snapshots/before/restore')
  await call('GET /locations', { query: 'limit=1' })
  await control('PATCH /settings', { statuses: { refund_refused: 402 } })
  for (let left = 25; left > 0; left--)
    await call('POST /refunds', { body: { transaction: 'txn_b' } })
  await call('POST /refunds', { body: { transaction: 'txn_a' } })

  const text = await recorded(emulator)
  const { play, settings, clock, data } = parse(text)

  t.strictSame(play[2], {
    wait: durationText(Date.parse('2026-03-02T00:00:00Z') - Date.parse(NOW))
  })
  t.strictSame([play.length, settings, clock], [8, { statuses: { refund_refused: 422 } }, NOW])
  t.strictSame(data.tickets.at(-1).id, 'tkt_new')
  t.strictSame(notesIn(text).slice(0, 1), [SAYS.other_values('req_6 GET /locations')])
  t.strictSame(notesIn(text).slice(1, 2), [SAYS.not_played('req_7 POST /refunds', 402)])
  t.equal(notesIn(text).length, 1 + 25)
  t.strictSame(await problemsOf(t, text), [])
  const alone = parse((await repeated(emulator, 'req_8')) as string)
  t.strictSame(
    alone.settings,
    { statuses: { refund_refused: 402 } },
    'a call alone has the settings that it was judged by'
  )
})

t.test('a recording: a record that a snapshot removed is there for its request', async t => {
  const emulator = await startTestEmulator(t, { records: RECORDS })
  const { call, control } = emulator
  await control('PUT /snapshots/before')
  await control('POST /records', {
    tickets: [{ id: 'tkt_new', location: 'loc_a', reference: 'NEW' }]
  })
  t.equal((await call('GET /tickets/tkt_new')).status, 200)
  await control('POST /snapshots/before/restore')

  const text = await recorded(emulator)

  const { data, play } = parse(text)
  t.strictSame(
    [notesIn(text).length, data.tickets.at(-1).id, play[0].expect.body.id],
    [0, 'tkt_new', 'tkt_new'],
    text
  )
  t.strictSame(await problemsOf(t, text), [])
})

t.test('a recording: requests that the journal no longer has are in the initial state', async t => {
  const emulator = await startTestEmulator(t, {
    records: RECORDS,
    settings: { 'limits.journal': 3 }
  })
  const { call } = emulator
  await call('DELETE /accounts/mch_a/users/usr_a')
  const first = await call('POST /refunds', { body: { transaction: 'txn_a', amount: 100 } })
  const second = await call('POST /refunds', { body: { transaction: 'txn_a', amount: 200 } })
  await call('POST /locations/loc_a', { body: { phone: '1' } })
  await call('DELETE /accounts/mch_b/users/usr_b')

  const text = await recorded(emulator)
  const { data, play } = parse(text)

  t.ok(notesIn(text).includes(SAYS.dropped(2)))
  const ids = data.refunds.map(({ id }: Json) => id)
  t.strictSame(
    [ids.includes(first.body.id), ids.includes(second.body.id), play.length],
    [true, false, 3]
  )
  t.strictSame(
    [data.locations[0].phone, data.users.map(({ id }: Json) => id)],
    [undefined, ['usr_b']]
  )
  t.strictSame(await problemsOf(t, text), [])
})

t.test('a recording: responses sent or lost by a script are in a separate script', async t => {
  const emulator = await startTestEmulator(t, { records: RECORDS })
  const { call, control } = emulator
  const refund = { body: { transaction: 'txn_a', amount: 10 } }
  await control('POST /script', {
    on: 'POST /refunds',
    calls: '2-3',
    respond: { status: 503, retry_after: '2s' },
    name: 'an outage'
  })
  await control('POST /script', {
    on: 'POST /refunds',
    calls: 4,
    fault: 'connection_reset',
    when: 'after'
  })
  await control('POST /script', { on: 'POST /refunds', calls: 5, fault: 'empty_response' })
  await control('POST /script', { on: 'GET /tickets/{id}', delay: '1ms' })
  await control('POST /script', { on: 'GET /transactions', fault: 'truncated_body', when: 'after' })
  await control('POST /script', { on: 'GET /accounts', respond: { status: 200, body: 'closed' } })
  await control('POST /script', {
    on: 'GET /locations',
    respond: { status: 200, body: { open: true } }
  })
  await call('POST /refunds', { body: { transaction: 'txn_none' } })
  for (let made = 0; made < 5; made++) await call('POST /refunds', refund).catch(() => null)
  await call('GET /refunds', { query: 'limit=2' })
  await call('GET /tickets/tkt_a')
  await call('GET /accounts')
  await call('GET /locations')
  await call('GET /transactions').catch(() => null)

  const text = await recorded(emulator)
  const { play, script } = parse(text)

  t.strictSame(script, [
    ...[2, 3].map(calls => ({
      name: 'an outage',
      on: 'POST /refunds',
      calls,
      respond: { status: 503, retry_after: '2s' }
    })),
    { on: 'POST /refunds', calls: 4, fault: 'connection_reset', when: 'after' },
    { on: 'POST /refunds', calls: 5, fault: 'empty_response' },
    { on: 'GET /accounts', calls: 1, respond: { status: 200, body: 'closed' } },
    { on: 'GET /locations', calls: 1, respond: { status: 200, body: { open: true } } },
    { on: 'GET /transactions', calls: 1, fault: 'truncated_body', when: 'after' }
  ])
  const seen = play.map(({ expect }: Json) => expect.fault ?? expect.status)
  t.strictSame(seen, [
    400,
    200,
    503,
    503,
    'connection_reset',
    'empty_response',
    200,
    200,
    200,
    200,
    'truncated_body'
  ])
  t.strictSame(play[2].expect.body.error.code, 'service_unavailable')
  t.strictSame(
    [play[8].expect, play[9].expect],
    [{ status: 200 }, { status: 200, body: { open: true } }]
  )
  t.match(play[6].expect.body.data[0].id, /^rfd_/, 'the id of a lost answer is drawn again')
  t.strictSame(await problemsOf(t, text), [])

  const outage = parse((await repeated(emulator, 'req_3')) as string)
  t.strictSame(
    [outage.script, outage.data.refunds],
    [
      [
        {
          name: 'an outage',
          on: 'POST /refunds',
          calls: 1,
          respond: { status: 503, retry_after: '2s' }
        }
      ],
      undefined
    ]
  )
  t.strictSame(await problemsOf(t, (await repeated(emulator, 'req_6')) as string), [])

  const { data } = parse(text)
  const sizes = Object.entries(data as Record<string, Json[]>).map(
    ([family, list]) => `${family} ${list.length}`
  )
  t.strictSame(sizes, [
    'api_keys 1',
    'accounts 1',
    'locations 1',
    'tickets 3',
    'transactions 3',
    'refunds 3'
  ])
})

t.test('a recording: records and responses that a script changed, it changes again', async t => {
  const emulator = await startTestEmulator(t, { records: RECORDS })
  const { call, control } = emulator
  const other = {
    on: 'GET /transactions',
    calls: 2,
    change: {
      data: {
        transactions: [
          { id: 'txn_z', ticket: 'tkt_d', payment_type: 'card', amount: 4111111111111111 }
        ]
      }
    }
  }
  const less = { on: 'POST /refunds', calls: 1, change: { delete: ['rfd_a'] }, when: 'after' }
  const fee = { on: 'POST /refunds', calls: 2, respond: { patch: { fee: 3, reason: null } } }
  for (const entry of [other, less, fee]) await control('POST /script', entry)
  for (let nth = 0; nth < 3; nth++) await call('GET /transactions', { query: 'limit=2' })
  for (let nth = 0; nth < 2; nth++)
    await call('POST /refunds', { body: { transaction: 'txn_a', amount: 10 } })
  await call('GET /refunds', { query: 'transaction=txn_a' })
  const old = { on: 'GET /refunds/{id}', stale: '5s' }
  await control('POST /script', old)
  const { id } = (await call('POST /refunds', { body: { transaction: 'txn_a', amount: 11 } })).body
  await call(`GET /refunds/${id}`)
  await control('POST /clock/advance', { by: '5s' })
  await call(`GET /refunds/${id}`)

  const text = await recorded(emulator)
  const { data, script, play } = parse(text)

  t.strictSame(script, [other, less, fee, ...[1, 2].map(calls => ({ ...old, calls }))])
  t.strictSame(await problemsOf(t, text), [])
  t.notOk(idsOf(data.transactions).includes('txn_z'), 'what the script adds is not there before')
  t.ok(idsOf(data.refunds).includes('rfd_a'))
  t.strictSame(
    play.slice(0, 3).map(({ expect }: Json) => idsOf(expect.body.data)),
    [
      ['txn_c', 'txn_b'],
      ['txn_z', 'txn_c'],
      ['txn_z', 'txn_c']
    ]
  )
  t.strictSame(
    [play[4].expect.body.fee, play[5].expect.body.data.length, play[7].expect.status],
    [3, 3, 404]
  )
  for (const id of ['req_2', 'req_4', 'req_5']) {
    const one = (await repeated(emulator, id)) as string
    t.strictSame([await problemsOf(t, one), parse(one).script.length], [[], 1], id)
  }
  const { transactions, tickets } = parse((await repeated(emulator, 'req_2')) as string).data
  t.strictSame(
    [transactions.length, idsOf(tickets).includes('tkt_d')],
    [3, true],
    'what it refers to'
  )
})

t.test('a recording: it has the records that its requests touched', async t => {
  const settings = { seed: 7, 'auth.accept_any_key': 'mch_b', 'pagination.default_limit': 2 }
  const emulator = await startTestEmulator(t, { records: RECORDS, settings })
  await emulator.call('GET /tickets')
  await emulator.call('GET /nowhere')

  const { data } = await recordedIn(emulator)

  t.strictSame([Object.values(data.data as Json).flat().length, data.seed], [8, 7])
})

t.test('a recording: requests whose state is no longer known are left out', async t => {
  const emulator = await startTestEmulator(t, { settings: { 'limits.journal': 3 } })
  await emulator.call('GET /tickets')
  for (let left = 200; left > 0; left--) addKey(emulator.sandbox, 'mch_a')
  await emulator.call('GET /tickets')

  const text = await recorded(emulator)

  t.ok(notesIn(text).includes(SAYS.dropped(1)), text)
  t.strictSame(
    [
      parse(text).play.length,
      await repeated(emulator, 'req_1'),
      typeof (await repeated(emulator, 'req_2'))
    ],
    [1, null, 'string']
  )
})

t.test('a recording: a request whose client left before it took effect is left out', async t => {
  const emulator = await startTestEmulator(t, { records: RECORDS })
  const empty = await recorded(emulator)
  t.strictSame([parse(empty).play, parse(empty).clock], [[], undefined])
  t.equal((await problemsOf(t, empty)).length, 1, 'nothing was sent')

  const port = await emulator.listen()
  await emulator.control('POST /script', {
    on: 'POST /refunds',
    delay: '500ms',
    respond: { status: 503 }
  })
  const request = [
    'POST /next/refunds HTTP/1.1',
    'Host: localhost',
    `Authorization: Basic ${Buffer.from(`${MERCHANT}:`).toString('base64')}`,
    'Content-Type: application/x-www-form-urlencoded',
    'Content-Length: 17',
    '',
    'transaction=txn_a'
  ]
  const socket = connect(port, '127.0.0.1', () => socket.write(request.join('\r\n')))
  while (emulator.sandbox.script.listed()[0]?.applied === 0) await sleep(5)
  socket.destroy()
  while (emulator.sandbox.evidence.journal.size === 0) await sleep(20)
  const text = await recorded(emulator)

  t.ok(notesIn(text).includes(SAYS.not_played('req_1 POST /refunds', 503)), text)
  t.strictSame(parse(text).play, [])
  t.equal(isoOf(Date.parse(parse(text).clock)), NOW)
})

t.test('docs: the scenario of a request in docs/record.md passes check', async t => {
  const page = readFileSync(new URL('../../docs/record.md', import.meta.url), 'utf8')
  const [, example = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? []
  t.match(example, 'do: POST /refunds')
  t.strictSame(await problemsOf(t, example), [])
})

t.test('a recording: what control requests add is there from the beginning', async t => {
  const emulator = await startTestEmulator(t)
  const { call, control } = emulator
  await call('GET /tickets/tkt_a')
  await control('PUT /snapshots/before')
  await control('POST /records', {
    tickets: [{ id: 'tkt_gone', location: 'loc_a', reference: 'GONE' }]
  })
  await call('GET /tickets/tkt_gone')
  await control('POST /snapshots/before/restore')
  const { id } = (await call('POST /transactions', { body: PAID })).body
  await call('GET /tickets')
  await call('GET /tickets/tkt_new')
  t.equal(
    (
      await control('POST /records', {
        tickets: [{ id: 'tkt_new', location: 'loc_a', reference: 'NEW' }]
      })
    ).status,
    200
  )
  await call(`GET /transactions/${id}`)

  const text = await recorded(emulator)

  const { data } = parse(text)
  t.strictSame(idsOf(data.tickets), ['tkt_a', 'tkt_new'])
  t.strictSame(playedIn(text), [
    'GET /tickets/tkt_a',
    'POST /transactions',
    'GET /tickets',
    'GET /transactions/${transaction_2.id}'
  ])
  t.ok(text.includes(SAYS.not_played('GET /tickets/tkt_gone', 200)), text)
  t.ok(text.includes(SAYS.not_played('GET /tickets/tkt_new', 404)), text)
})

/**
 * Expectations, requests (`+N` moves the clock by ms), the extra request, the recording's
 * expectations, and notes.
 */
const EXPECTED: [
  expect: string,
  sent: string,
  surplus: number | null,
  kept: string,
  notes?: string[]
][] = [
  ['{ on: POST /refunds, times: 1 }', 'refund refund', 1, ''],
  ['{ on: POST /refunds, times: 1 }', 'refund read', null, ''],
  ['{ on: POST /refunds, took_effect: true, per: ticket, times: 1 }', 'refund refund other', 1, ''],
  [
    '{ sequence: [{ on: POST /refunds }, { on: "GET /tickets/{id}" }] }',
    'refund refund read',
    1,
    ''
  ],
  ['{ state: { refunds: { count: 4 }, users: { usr_a: { name: U } } } }', 'refund refund', 1, ''],
  ['{ state: { transactions: { txn_b: null } } }', 'other', null, ''],
  [
    '{ on: POST /refunds, match: { key: sk_b }, times: 1 }',
    'refund asB asB',
    1,
    '{ on: POST /refunds, match: { key: sk_test_mch_b }, times: 1 }'
  ],
  ['{ on: POST /refunds, per: key, times: 1 }', 'refund asB refund', 2, ''],
  ['{ on: POST /refunds, per: test, times: 1 }', 'test1 test2 test2', 1, ''],
  ['{ on: POST /refunds, per: test, times: 1 }', 'test1 refund', null, ''],
  ['{ on: "*", match: { headers: { User-Agent: till } }, times: 0 }', 'read refund', null, ''],
  ['{ on: POST /refunds, no_sooner_than: 2s }', 'refund +2000 refund +1000 refund', 2, ''],
  ['{ on: POST /refunds, no_sooner_than: 2s }', 'refund read +2000 refund', null, ''],
  [
    '{ on: POST /refunds, match: { body: { transaction: "${paid.id}", reason: sk_merchant } }, times: 0 }',
    'ofStep refund',
    null,
    '{ on: POST /refunds, match: { body: { transaction: "$PAID", reason: sk_test_mch_a } }, times: 0 }'
  ],
  [
    '{ on: POST /refunds, match: { about: { transaction: "${later.id}" } } }',
    'refund',
    null,
    'null',
    ['it refers to what is not recorded']
  ],
  ...(
    [
      '{ on: POST /transactions, match: { body: { card: { number: "4242424242424242" } } } }',
      '{ on: POST /refunds, match: { key: sk_nobody }, times: 0 }',
      '{ on: POST /refunds, match: { headers: { Accept: x } }, times: 0 }'
    ] as const
  ).map(
    expect =>
      [expect, 'refund', null, 'null', ['it refers to what is not recorded']] as [
        string,
        string,
        null,
        string,
        string[]
      ]
  )
]

t.test('a recording expects what its scenario expects', async t => {
  const [fixture, refund] = [smallFixture(RECORDS), { transaction: 'txn_a', amount: 1 }]
  for (const [expect, sent, surplus, kept, left = []] of EXPECTED) {
    const emulator = await startTestEmulator(t, {
      logged: false,
      scenario: {
        clock: { now: NOW },
        data: { ...fixture, api_keys: [...fixture.api_keys, { key: 'sk_b', account: 'mch_b' }] },
        steps: [{ as: 'paid', do: 'POST /transactions', body: PAID }],
        play: [{ as: 'later', do: 'POST /transactions', body: PAID }],
        expect: [parse(expect)]
      }
    })
    const { call, control, sandbox } = emulator
    const [paid] = [...sandbox.store.transactions.inCreationOrder()].slice(-1)
    for (const what of sent.split(' ')) {
      if (what.startsWith('+')) await control('POST /clock/advance', { by: `${what.slice(1)}ms` })
      else if (what === 'read') await call('GET /tickets/tkt_a')
      else if (what === 'other')
        await call('POST /refunds', { body: { transaction: 'txn_c', amount: 1 } })
      else if (what === 'ofStep')
        await call('POST /refunds', { body: { transaction: paid?.id, amount: 2 } })
      else
        await call('POST /refunds', {
          body: refund,
          key: what === 'asB' ? 'sk_b' : MERCHANT,
          ...(what.startsWith('test') && { headers: { 'Test-Name': what } })
        })
    }
    const label = `${expect} after ${sent}`
    const text = await recorded(emulator)
    const document = parse(text)
    const written = parse((kept || expect).replaceAll('$PAID', String(paid?.id)))
    t.strictSame(document.expect ?? [], written === null ? [] : [written], label)
    t.equal(notesIn(text).filter(note => left.some(why => note.includes(why))).length, left.length)
    const { holds } = (await control('POST /verify')).body
    t.equal((await problemsOf(t, text)).length === 0, holds || written === null, `${label} ${text}`)
    if (surplus === null) continue
    t.notOk(holds, label)
    const isSurplus = (_: Json, index: number) =>
      index ===
      document.play.findIndex(
        (one: Json) => one === document.play.filter((one: Json) => one.do)[surplus]
      )
    const mended = {
      ...document,
      play: document.play.filter((one: Json, index: number) => !isSurplus(one, index))
    }
    t.strictSame(await problemsOf(t, JSON.stringify(mended)), [], `${label} without ${surplus}`)
  }
})

t.test('a recording: no response that would be a reference', async t => {
  const records = parse("tickets: [{ id: tkt_x, location: loc_a, reference: '${x}' }]")
  const emulator = await startTestEmulator(t, { records })
  await emulator.call('GET /tickets/tkt_x')
  const { data } = (await recordedIn(emulator)) as Json
  t.strictSame(data.play[0].expect, { status: 200 })
})
