/**
 * Scenarios as a tester writes them from the documents alone: each passes `check`, and real clients
 * pass or fail it.
 */
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { startEmulator } from '../../src/index.js'
import { failuresIn } from '../support/checked.js'
import type { Json } from '../support/json.js'

/** The failures of `check` for a document. */
async function failures(t: Test, document: string): Promise<string[]> {
  const root = t.testdir({ 'own.yaml': document })
  return (await failuresIn([`${root}/own.yaml`])).map(
    ({ title, messages }) => `${title}: ${messages.join('; ')}`
  )
}

/**
 * An emulator with a scenario, and a client with its own connection; `patience` is how long it
 * waits for a response, in milliseconds.
 */
async function listening(t: Test, document: string) {
  const emulator = await startEmulator({ scenario: parse(document) })
  t.teardown(emulator.close)
  const send = async (on: string, parameters: Record<string, string> = {}, patience = 60_000) => {
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
  - { on: GET /tickets, match: { query: { search_query: needle } }, times: 7+ }
  - { on: "GET /tickets/{id}", match: { params: { id: tkt_needle } } }
`

t.test('SRCH-3: a needle on the seventh page', async t => {
  const unmet =
    'expects GET /tickets/{id} with {"params":{"id":"tkt_needle"}}: at least 1 request: got 0 requests'
  t.strictSame(await failures(t, NEEDLE), [unmet], 'the rest is still expected of a client')
  t.strictSame((await failures(t, NEEDLE.replace('tickets: 64', 'tickets: 59'))).slice(0, 1), [
    'play 6. GET /tickets: body.data: must be a list of 0; got a list of 1'
  ])

  for (const isPatient of [true, false]) {
    const title = isPatient ? 'a client that pages on' : 'a client that stops at an empty page'
    const { send, verify, findings } = await listening(t, NEEDLE)
    let [found, pages]: [found: Json, pages: number] = [undefined, 0]
    for (let after = ''; found === undefined && (isPatient || pages === 0); pages++) {
      const { body: list }: { body: Json } = await send('GET /tickets', {
        search_query: 'needle',
        starting_after: after
      })
      found = list.data[0]
      after = list.last_id
    }
    if (found) await send(`GET /tickets/${found.id}`)
    const verdict = await verify().then(
      () => 'met',
      ({ code }) => code
    )

    t.strictSame([pages, verdict], isPatient ? [7, 'met'] : [1, 'expectation_unmet'], title)
    const stopped = (await findings()).data.filter(
      ({ finding }) => finding === 'stopped-at-empty-page'
    ).length
    t.equal(stopped, isPatient ? 0 : 1, title)
  }
})

/**
 * The first Refund is refused, the second hangs before or after it took effect, then all succeed.
 */
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

t.test('Refunds hang at the second attempt, then work', async t => {
  t.strictSame(
    [await failures(t, hanging('before')), await failures(t, hanging('after'))],
    [[], []]
  )

  /**
   * Refunds until it gets a response; a careful client checks whether the Refund exists before it
   * retries.
   */
  const refund = async (
    { send, clock }: Awaited<ReturnType<typeof listening>>,
    looksFirst: boolean
  ) => {
    for (let tries = 1; tries <= 4; tries++) {
      const answer = await send(
        'POST /refunds',
        { transaction: 'txn_119', amount: '1500' },
        250
      ).catch(() => null)
      if (answer?.status === 200) return tries
      if (answer?.status === 503) await clock.advance(`${answer.headers.get('retry-after')}s`)
      if (
        !answer &&
        looksFirst &&
        (await send('GET /refunds', { transaction: 'txn_119' })).body.data.length > 0
      )
        return tries
    }
    return 0
  }
  const cases: [when: string, looksFirst: boolean, tries: number, made: number, title: string][] = [
    ['before', true, 3, 1, 'lost before it took effect: a client that looks tries again, rightly'],
    ['after', true, 2, 1, 'lost after it took effect: a client that looks leaves it at that'],
    [
      'after',
      false,
      3,
      2,
      'lost after it took effect: a client that tries again blindly refunds twice'
    ]
  ]
  for (const [when, looksFirst, tries, made, title] of cases) {
    const emulator = await listening(t, hanging(when))
    const needed = await refund(emulator, looksFirst)
    const { holds, message = '' } = await emulator.verify().catch(({ verdict }) => verdict)

    t.strictSame([needed, holds], [tries, made === 1], title)
    if (made > 1)
      t.ok(
        message.includes(`POST /refunds that took effect: expected 1 request; got ${made}`),
        message
      )
    const { refunds } = await emulator.state()
    t.equal(refunds.filter(({ transaction }) => transaction === 'txn_119').length, made, title)
  }
  const emulator = await listening(t, hanging('before'))
  await t.rejects(
    emulator.verify(),
    { code: 'expectation_unmet' },
    'a client that never refunds is caught too'
  )
})
