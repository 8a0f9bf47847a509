/**
 * `execute` and the app respond to any request alike and leave the same state. A refused request
 * passes at most the rules of admission, and violates the rule that its error names.
 */
import { deepEqual, equal, ok } from 'node:assert/strict'
import fc from 'fast-check'
import type { InjectOptions } from 'fastify'
import t from 'tap'
import { NO_WORDS } from '../../src/core/redaction.js'
import { tookEffect } from '../../src/engine/outcome.js'
import { execute } from '../../src/engine/play.js'
import { headersOf } from '../../src/engine/response.js'
import { close, type Entry, masked, textOf } from '../../src/evidence/entry.js'
import { explained } from '../../src/evidence/why.js'
import type { Sandbox } from '../../src/sandbox/sandbox.js'
import { apiCall, type Call, RECORDS } from '../support/calls.js'
import { type Answer, MERCHANT, startTestEmulator } from '../support/emulator.js'
import { property } from '../support/property.js'
import { recordsOf, startWorld, stateOf } from '../support/world.js'

/** Headers about how a response is sent. */
const OF_TRANSPORT = ['date', 'connection', 'content-length']
/** Records with texts to escape, and with extra fields. */
const extra = { note: 'l’été — "50 %"', tags: ['a', { deep: [null, 1.5, false] }], empty: {} }
const records = {
  ...RECORDS,
  locations: [
    {
      id: 'loc_x',
      account: 'mch_a',
      display_name: 'Été & Söhne "X"\n',
      address: { country: 'US' },
      metadata: { 'odd name': '[x]' },
      extra
    }
  ],
  users: [
    ...RECORDS.users,
    { id: 'usr_x', account: 'mch_a', name: 'V', email: 'v@example.com', extra }
  ]
}
/** Random parameters cause warnings, and random origins CORS headers. */
const settings = { 'parameters.unknown': 'warn' } as const
const READS =
  'locations locations/loc_x accounts accounts/mch_a accounts/mch_a/users tickets?limit=1&search_query=T-1 tickets/tkt_a transactions transactions/txn_a refunds?transaction=txn_a refunds/rfd_a'
const read = fc.constantFrom(...READS.split(' ')).map(
  (path): Call => ({
    of: 'api',
    on: `GET /${path}`,
    body: undefined,
    headers: { authorization: `Basic ${btoa(`${MERCHANT}:`)}` }
  })
)
const request = fc.oneof({ weight: 5, arbitrary: apiCall }, read)
const origin = fc.constantFrom<Record<string, string>>({}, {}, { origin: 'https://shop.example' })

const WAY_IN = ['BASE-1', 'AUTH-1', 'AUTH-3', 'FORM-1', 'FORM-2', 'FORM-3']
/** The documented 501 of a disabled delete passes its rule. */
const DISABLED = ['LOC-4', 'ACC-5']

/** Compares the rules of a response with its error. */
function checkEarned({ evidence }: Sandbox, { status, headers, body }: Answer) {
  const { journal, totals } = evidence
  const { rules } = explained(
    journal.get(String(headers['request-id'])) as Entry,
    evidence,
    NO_WORDS
  ).why
  const coverage = totals.coverage
    .report()
    .rules.filter(({ passed, violated }) => passed + violated > 0)
  const named = (wanted: string) =>
    rules.flatMap(({ rule, verdict }) => (verdict === wanted ? [rule] : []))
  equal(new Set(rules.map(({ rule }) => rule)).size, rules.length)
  deepEqual(
    new Map(coverage.map(({ rule, passed, violated }) => [rule, [passed, violated]])),
    new Map(rules.map(({ rule, verdict }) => [rule, verdict === 'passed' ? [1, 0] : [0, 1]]))
  )
  if (status < 400) return deepEqual(named('violated'), [])
  const { rule } = body.error
  if (DISABLED.includes(rule))
    return deepEqual([named('passed').includes(rule), named('violated')], [true, []])
  deepEqual(named('violated'), rule === undefined ? [] : [rule])
  ok(
    named('passed').every(id => WAY_IN.includes(id)),
    named('passed').join()
  )
}

t.test('execute and the app', async t => {
  let refused = 0
  for (const given of [{}, settings]) {
    const [{ world }, { inject, sandbox }] = [
      await startWorld({ records, settings: given }),
      await startTestEmulator(t, { records, settings: given })
    ]
    const shown: { entry: Entry; sent: string }[] = []

    await property(
      t,
      `answer any request alike: ${JSON.stringify(given)}`,
      { of: fc.tuple(request, origin), runs: 300 },
      async ([call, origin]) => {
        const [method, path] = call.on.split(' ') as [NonNullable<InjectOptions['method']>, string]
        const { body } = call
        const length =
          body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
        const request = {
          method,
          url: `/next${path}`,
          headers: { ...call.headers, ...length, ...origin }
        }

        const before = recordsOf(world)
        const response = execute(world, { ...request, body: body ?? null })
        const executed = close(response, true, 0)
        equal(
          tookEffect(executed),
          recordsOf(world) !== before,
          'it took effect where a record differs'
        )
        sandbox.evidence.totals.coverage.clear()
        const answer = await inject({ ...request, ...(body !== undefined && { payload: body }) })
        checkEarned(sandbox, answer)
        if (answer.status >= 400) refused++

        const { outcome, payload } = response
        const said = Object.entries(answer.headers).filter(([name]) => !OF_TRANSPORT.includes(name))
        deepEqual([outcome.status, String(payload)], [answer.status, answer.text])
        deepEqual({ ...headersOf(response) }, Object.fromEntries(said))
        equal(stateOf(world), stateOf(sandbox))
        if (outcome.result !== null)
          shown.push({ entry: masked(executed, response.reading), sent: String(payload) })
      }
    )

    const shownBy = new Set(shown.map(({ entry }) => entry.operation))
    t.equal(
      shownBy.size,
      19,
      `${shown.length} records and lists of every operation that shows something`
    )
    t.strictSame(
      shown.filter(
        ({ entry, sent }) =>
          textOf(entry) !== sent || entry.outcome.length !== Buffer.byteLength(sent)
      ),
      [],
      'whatever was changed since'
    )
  }
  t.ok(
    refused > 150 || process.env.FAST_CHECK_RUNS !== undefined,
    `among the requests that were made up many were refused: ${refused}`
  )
})
