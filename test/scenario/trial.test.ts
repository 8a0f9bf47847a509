/** Scenarios as a tester writes them from the documents alone: each proves itself by `check`, and is kept or failed by real clients. */
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { startEmulator } from '../../src/index.js'
import { failuresIn } from '../support/checked.js'
import type { Json } from '../support/json.js'

/** The lines that `check` fails with for a document. */
async function failures(t: Test, document: string): Promise<string[]> {
  const root = t.testdir({ 'own.yaml': document })
  return (await failuresIn([`${root}/own.yaml`])).map(({ title, messages }) => `${title}: ${messages.join('; ')}`)
}

/** Replaces one piece of a document, to show that the rest notices. */
function changed(document: string, from: string, to: string): string {
  if (!document.includes(from)) throw new Error(`${from} is not in the document`)
  return document.replace(from, to)
}

/** An emulator with a scenario, and a client of it over a connection of its own; `patience` is how long it waits for an answer, in milliseconds. */
async function listening(t: Test, document: string) {
  const emulator = await startEmulator({ scenario: parse(document) })
  t.teardown(emulator.close)
  const send = async (on: string, parameters: Record<string, string> = {}, patience = 5000) => {
    const [method, path] = on.split(' ') as [string, string]
    const form = new URLSearchParams(parameters)
    const answer = await fetch(`${emulator.baseUrl}${path}${method === 'GET' ? `?${form}` : ''}`, {
      method,
      headers: { authorization: `Basic ${btoa(`${emulator.key}:`)}` },
      signal: AbortSignal.timeout(patience),
      ...(method === 'POST' && { body: form })
    })
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Json }
  }
  return { ...emulator, send }
}

const DECLINED_SECOND = `
name: second-amex-declined
fixtures: [bistro]
script:
  - name: the second American Express at the harbor is declined
    on: POST /transactions
    match: { about: { location: loc_bistro_harbor }, body: { payment_type: card, card: { brand: amex } } }
    calls: 2
    respond: { status: 402 }
play:
  - { do: POST /transactions, body: { ticket: tkt_37, payment_type: card, amount: 1000, card: { brand: amex, last4: "8431" } } }
  - { do: POST /transactions, body: { ticket: tkt_60, payment_type: card, amount: 1000, card: { brand: amex, last4: "8431" } }, repeat: 3 }
  - { do: POST /transactions, body: { ticket: tkt_37, payment_type: card, amount: 1000, card: { brand: visa, last4: "4242" } } }
  - do: POST /transactions
    body: { ticket: tkt_37, payment_type: card, amount: 1000, card: { brand: amex, last4: "8431" } }
    expect: { status: 402, body: { error: { type: card_error } } }
  - { do: POST /transactions, body: { ticket: tkt_37, payment_type: card, amount: 1000, card: { brand: amex, last4: "8431" } } }
expect:
  - { on: POST /transactions, match: { about: { location: loc_bistro_harbor } }, took_effect: true, times: 3 }
  - { on: POST /transactions, status: 402, times: 1 }
`

t.test('trial 1: the second card payment declined, for American Express at one Location only', async t => {
  t.strictSame(await failures(t, DECLINED_SECOND), [])
  t.strictSame(
    await failures(t, changed(DECLINED_SECOND, 'about: { location: loc_bistro_harbor }, ', '')),
    [
      'play 2. POST /transactions: status: must be a 2xx; got 402 (The card was declined.)',
      'play 4. POST /transactions: status: must be 402; got 200; body.error: must be an object; got nothing',
      'expects POST /transactions with {"about":{"location":"loc_bistro_harbor"}} that took effect: 3 requests: got 4 requests (play 1. POST /transactions, play 3. POST /transactions, play 4. POST /transactions, play 5. POST /transactions)'
    ],
    'without the Location, the second card anywhere'
  )
})

const MONTH_END = `
name: month-end
fixtures: [empty]
clock: 2026-02-28T23:30:00Z
data:
  locations: [ { id: loc_a, created: 2026-01-01, account: mch_bistro, display_name: A, address: { country: US } } ]
  tickets: [ { id: tkt_open, created: 2026-02-28T23:00:00Z, location: loc_a, reference: Open } ]
generate:
  - { tickets: 100, location: loc_a, created: { from: 2026-02-01, to: 2026-02-02 } }
  - { transactions: 300, location: loc_a, created: { from: 2026-02-03, to: 2026-02-28T23:00:00Z } }
play:
  - { as: february, do: POST /transactions, body: { ticket: tkt_open, payment_type: external, amount: 100 } }
  - { wait: 1d }
  - { as: march, do: POST /transactions, body: { ticket: tkt_open, payment_type: external, amount: 200 } }
  - { do: GET /transactions, query: { "created[gte]": 2026-03-01 }, expect: { body: { data: [ { id: "\${march.id}", created: "2026-03-01T23:30:00.000Z" } ], has_more: false } } }
  - { do: GET /transactions, query: { "created[lt]": 2026-03-01, limit: 1 }, expect: { body: { data: [ { id: "\${february.id}" } ], has_more: true } } }
expect:
  - { state: { transactions: { count: 302 } } }
`

t.test('trial 2: month-end with 300 generated payments, the clock advanced by a day', async t => {
  t.strictSame(await failures(t, MONTH_END), [])
  const [first] = await failures(t, changed(MONTH_END, 'wait: 1d', 'wait: 29m'))
  t.equal(first, 'play 4. GET /transactions: body.data: must have 1 item; got 0', 'half an hour is too short')

  const { send, clock } = await listening(t, MONTH_END)
  const pay = async () => (await send('POST /transactions', { ticket: 'tkt_open', payment_type: 'external', amount: '1' })).body
  const before = await pay()
  await clock.advance('1d')
  const after = await pay()
  const march = (await send('GET /transactions', { 'created[gte]': '2026-03-01' })).body

  t.strictSame([before.created, after.created], ['2026-02-28T23:30:00.000Z', '2026-03-01T23:30:00.000Z'])
  t.strictSame(
    march.data.map(({ id }: { id: string }) => id),
    [after.id]
  )
})

const page = (nth: number) =>
  `  - { as: page${nth}, do: GET /tickets, query: { search_query: needle${nth > 1 ? `, starting_after: "\${page${nth - 1}.last_id}"` : ''} }, expect: { body: { data: [${nth === 7 ? ' { id: tkt_needle } ' : ''}], has_more: true } } }`
const NEEDLE = `
name: needle-on-page-seven
fixtures: [empty]
data:
  locations: [ { id: loc_a, created: 2026-01-01, account: mch_bistro, display_name: A, address: { country: US } } ]
  tickets: [ { id: tkt_needle, created: 2026-01-10, location: loc_a, reference: The Needle } ]
generate:
  - { tickets: 64, location: loc_a, created: { from: 2026-01-11, to: 2026-02-01 } }
  - { tickets: 20, location: loc_a, created: { from: 2026-01-02, to: 2026-01-09 } }
play:
${[1, 2, 3, 4, 5, 6, 7].map(page).join('\n')}
expect:
  - { on: GET /tickets, match: { query: { search_query: needle } }, at_least: 7 }
  - { on: "GET /tickets/{id}", match: { params: { id: tkt_needle } } }
`

t.test('trial 3: SRCH-3: a needle on the seventh page', async t => {
  t.strictSame(
    await failures(t, NEEDLE),
    ['expects GET /tickets/{id} with {"params":{"id":"tkt_needle"}}: at least 1 request: got 0 requests'],
    'what the play does not do itself is still expected of a client'
  )
  t.strictSame((await failures(t, changed(NEEDLE, 'tickets: 64', 'tickets: 59'))).slice(0, 1), ['play 6. GET /tickets: body.data: must have 0 items; got 1'])

  for (const [title, isPatient] of [
    ['a client that pages on', true],
    ['a client that stops at an empty page', false]
  ] as const) {
    const { send, verify, findings } = await listening(t, NEEDLE)
    let found: Json
    let pages = 0
    for (let after = ''; found === undefined && (isPatient || pages === 0); pages++) {
      const { body: list }: { body: Json } = await send('GET /tickets', { search_query: 'needle', starting_after: after })
      found = list.data[0]
      after = list.last_id
    }
    if (found) await send(`GET /tickets/${found.id}`)
    const verdict = await verify().then(
      () => 'met',
      ({ code }) => code
    )

    t.strictSame([pages, verdict], isPatient ? [7, 'met'] : [1, 'expectation_unmet'], title)
    t.strictSame(
      (await findings()).data.map(({ finding }) => finding).filter(finding => finding === 'stopped-at-empty-page'),
      isPatient ? [] : ['stopped-at-empty-page'],
      title
    )
  }
})

/** The first Refund is refused, the second hangs before or after it took effect, then all is well. */
const hanging = (when: string) => `
name: refunds-hang
fixtures: [bistro]
script:
  - { name: refused for a moment, on: POST /refunds, calls: 1, respond: { status: 503, retry_after: 1s } }
  - { name: then it hangs, on: POST /refunds, calls: 2, fault: hang, when: ${when} }
play:
  - { do: POST /refunds, body: { transaction: txn_119, amount: 1500 }, expect: { status: 503, headers: { Retry-After: "1" } } }
  - { wait: 1s }
  - { do: POST /refunds, body: { transaction: txn_119, amount: 1500 }, expect: { fault: hang } }
  - { do: GET /refunds, query: { transaction: txn_119 }, expect: { body: { data: [${when === 'after' ? ' { amount: 1500 } ' : ''}] } } }
${when === 'after' ? '' : '  - { do: POST /refunds, body: { transaction: txn_119, amount: 1500 } }'}
expect:
  - { on: POST /refunds, took_effect: true, times: 1 }
`

t.test('trial 4: Refunds hang at the second try, then work', async t => {
  t.strictSame([await failures(t, hanging('before')), await failures(t, hanging('after'))], [[], []])

  /** Refunds until it has an answer; one that looks first asks whether the Refund was made before it tries again. */
  const refund = async ({ send, clock }: Awaited<ReturnType<typeof listening>>, looksFirst: boolean) => {
    for (let tries = 1; tries <= 4; tries++) {
      const answer = await send('POST /refunds', { transaction: 'txn_119', amount: '1500' }, 250).catch(() => null)
      if (answer?.status === 200) return tries
      if (answer?.status === 503) await clock.advance(`${answer.headers.get('retry-after')}s`)
      if (!answer && looksFirst && (await send('GET /refunds', { transaction: 'txn_119' })).body.data.length > 0) return tries
    }
    return 0
  }
  const cases: [title: string, when: string, looksFirst: boolean, tries: number, made: number][] = [
    ['lost before it took effect: a client that looks tries again, rightly', 'before', true, 3, 1],
    ['lost after it took effect: a client that looks leaves it at that', 'after', true, 2, 1],
    ['lost after it took effect: a client that tries again blindly refunds twice', 'after', false, 3, 2]
  ]
  for (const [title, when, looksFirst, tries, made] of cases) {
    const emulator = await listening(t, hanging(when))
    const needed = await refund(emulator, looksFirst)
    const { holds, message = '' } = await emulator.verify().catch(({ verdict }) => verdict)

    t.strictSame([needed, holds], [tries, made === 1], title)
    if (made > 1) t.ok(message.includes(`POST /refunds that took effect: expected 1 request; got ${made}`), message)
    const { refunds } = await emulator.state()
    t.equal(refunds.filter(({ transaction }) => transaction === 'txn_119').length, made, title)
  }
  const emulator = await listening(t, hanging('before'))
  await t.rejects(emulator.verify(), { code: 'expectation_unmet' }, 'a client that never refunds is caught too')
})

const OUTAGE = `
name: three-calls-down
fixtures: [bistro]
script:
  - { name: three calls in all, on: "*", calls: 1-3, respond: { status: 503, retry_after: 2s } }
play:
  - { do: GET /tickets, expect: { status: 503, headers: { Retry-After: "2" }, body: { error: { code: service_unavailable } } } }
  - { do: POST /transactions, body: { ticket: tkt_60, payment_type: external, amount: 100 }, expect: { status: 503, headers: { Retry-After: "2" } } }
  - { do: GET /accounts/mch_bistro, expect: { status: 503, headers: { Retry-After: "2" } } }
  - { do: GET /tickets }
  - { do: POST /transactions, body: { ticket: tkt_60, payment_type: external, amount: 100 } }
expect:
  - { on: "*", status: 503, times: 3 }
  - { on: POST /transactions, took_effect: true, times: 1 }
  - sequence: [ { on: "*", status: 503 }, { on: "*", status: 503 }, { on: "*", status: 503 }, { on: POST /transactions, status: 200 } ]
`

t.test('trial 5: an outage of three calls in all with Retry-After, then recovery, proved by check', async t => {
  t.strictSame(await failures(t, OUTAGE), [])
  t.strictSame(
    (await failures(t, changed(OUTAGE, 'calls: 1-3', 'calls: 1-2'))).at(0),
    'play 3. GET /accounts/mch_bistro: status: must be 503; got 200; headers.Retry-After: must be "2"; got nothing'
  )
  t.strictSame((await failures(t, changed(OUTAGE, 'calls: 1-3', 'calls: 1-4'))).slice(0, 1), [
    'play 4. GET /tickets: status: must be a 2xx; got 503 (The service is unavailable; try again later.)'
  ])
  t.match((await failures(t, changed(OUTAGE, 'retry_after: 2s', 'retry_after: 3s')))[0], /Retry-After: must be "2"; got "3"/)
})

const RESELLER = `
name: reseller-wants-a-location
fixtures: [bistro]
play:
  - do: POST /locations
    key: sk_test_reseller
    body: { display_name: Partner's own, address: { country: US } }
    expect: { status: 403, body: { error: { code: merchant_required, rule: LOC-3 } } }
  - { do: POST /locations, body: { display_name: Bistro Nine Park, address: { country: US } }, expect: { body: { account: mch_bistro } } }
expect:
  - { on: POST /locations, match: { key: sk_test_reseller }, took_effect: true, times: 0 }
  - { on: POST /locations, match: { about: { account: rsl_partner } }, status: 403, times: 1 }
  - { state: { locations: { count: 0, where: { account: rsl_partner } } } }
`

t.test('trial 6: LOC-3: a reseller tries to create a Location', async t => {
  t.strictSame(await failures(t, RESELLER), [])
  t.strictSame(
    (await failures(t, changed(RESELLER, 'key: sk_test_reseller\n', 'key: sk_test_merchant\n'))).map(line => line.replace(/ \(.*/, '')),
    [
      'play 1. POST /locations: status: must be 403; got 200; body.error: must be an object; got nothing',
      'expects POST /locations with {"about":{"account":"rsl_partner"}} answered with 403: 1 request: got 0 requests; nearly: account: wanted rsl_partner; got mch_bistro, status: wanted 403; got 200 in play 2. POST /locations'
    ],
    'the same by a merchant'
  )
})
