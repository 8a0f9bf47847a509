/** What a script and expectations keep of card data, and how much a pattern may be. */
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { runEmulator } from '../../src/emulator.js'
import { MOST_INSTRUCTIONS, MOST_MATCHED, MOST_PATTERN } from '../../src/scenario/conditions.js'
import { withDigests } from '../../src/scenario/digests.js'
import { compileExpectation, Tally } from '../../src/scenario/expectations.js'
import type { SentCall } from '../../src/scenario/matching.js'
import { compileEntry, type EntryData, Script } from '../../src/scenario/script.js'
import { Store } from '../../src/store/store.js'
import { NOW, smallFixture } from '../support/emulator.js'

const CARD = '4242424242424242'
const OTHER = '5555555555554444'
const digest = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const JSON_BODY = { host: 'localhost', 'content-type': 'application/json' }

t.test('A25: a match keeps a digest of every secret value, and everything else as it is', async t => {
  const cases: [match: object, kept: object][] = [
    [{ body: { card: { number: CARD, brand: 'visa', last4: '4242' } } }, { body: { card: { number: digest(CARD), brand: 'visa', last4: '4242' } } }],
    [{ body: { 'card[number]': [CARD, OTHER] } }, { body: { 'card[number]': [digest(CARD), digest(OTHER)] } }],
    [{ body: { 'card[number]': 4_242_424_242_424_242 } }, { body: { 'card[number]': digest(CARD) } }],
    [{ body: { card: { csc: '123', expiry: '12/29', token: 't' } } }, { body: { card: { csc: digest('123'), expiry: digest('12/29'), token: digest('t') } } }],
    [{ body: { bank_account: { account_number: '1', bank_name: 'B' } } }, { body: { bank_account: { account_number: digest('1'), bank_name: 'B' } } }],
    [{ body: { metadata: { note: `card ${CARD}` }, amount: 5 } }, { body: { metadata: { note: digest(`card ${CARD}`) }, amount: 5 } }],
    [{ body: { card: { number: '/0002$/' } } }, { body: { card: { number: '/0002$/' } } }],
    [{ body: { card: { number: digest(CARD) } } }, { body: { card: { number: digest(CARD) } } }],
    [
      { query: { search_query: '4242' }, key: 'sk_test', account: ['mch_a'] },
      { query: { search_query: '4242' }, key: 'sk_test', account: ['mch_a'] }
    ]
  ]
  for (const [match, kept] of cases) t.strictSame(withDigests(match), kept, JSON.stringify(match))
})

t.test('A25: an entry and an expectation match by digest, and no file, list or report holds the number', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'digests-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const settings = { data: join(folder, 'state.json'), snapshots_dir: join(folder, 'snapshots'), log_level: 'silent' } as const
  const match = { body: { card: { number: CARD } } }
  const scenario = {
    clock: NOW,
    data: smallFixture(),
    script: [{ name: `declines ${CARD}`, on: 'POST /transactions', match, respond: { status: 402 } }],
    expect: [{ on: 'POST /transactions', match, times: 1 }]
  }
  const pay = async ({ app }: Awaited<ReturnType<typeof runEmulator>>, number: string) =>
    (await app.inject({ method: 'POST', url: '/next/transactions', headers: FORM, payload: `ticket=tkt_a&payment_type=card&amount=5&card[number]=${number}` }))
      .statusCode
  const shown: string[] = []
  const first = await runEmulator({ scenario, settings })
  t.strictSame([await pay(first, OTHER), await pay(first, CARD)], [200, 402])
  const own = { on: 'POST /refunds', match: { body: { reason: `not ${CARD}` } }, delay: '1ms' }
  for (const [method, url, payload] of [
    ['POST', '/script', own],
    ['GET', '/script'],
    ['GET', '/state'],
    ['POST', '/verify'],
    ['POST', '/verify', { on: 'POST /refunds', match: own.match }],
    ['PUT', '/snapshots/one'],
    ['GET', '/requests']
  ] as const) {
    const { statusCode, payload: text } = await first.app.inject({
      method,
      url: `/_control${url}`,
      headers: JSON_BODY,
      ...(payload && { payload: JSON.stringify(payload) })
    })
    t.ok(statusCode < 300 || statusCode === 409, `${method} ${url}: ${statusCode} ${text}`)
    shown.push(text)
  }
  await first.close()
  shown.push(readFileSync(settings.data, 'utf8'), ...readdirSync(settings.snapshots_dir).map(name => readFileSync(join(settings.snapshots_dir, name), 'utf8')))
  t.equal(shown.length, 9)
  for (const text of shown) t.notOk(text.includes(CARD), text.slice(0, 80))
  t.ok(shown[7]?.includes(digest(CARD)))

  const second = await runEmulator({ scenario, settings })
  t.strictSame([await pay(second, OTHER), await pay(second, CARD)], [200, 402], 'the digest still matches after a restart')
  await second.app.inject({ method: 'POST', url: '/_control/snapshots/one/restore', headers: { host: 'localhost' } })
  t.strictSame([await pay(second, OTHER), await pay(second, CARD)], [200, 402], 'and in a snapshot')
  await second.close()
})

const entry = (reason: unknown) => ({ on: 'POST /refunds', match: { body: { reason } }, delay: '1ms' }) as EntryData
const sent = (reason: string): SentCall => ({
  operation: 'createRefund',
  key: null,
  params: () => undefined,
  query: () => undefined,
  body: ([name]) => (name === 'reason' ? reason : undefined),
  about: () => undefined,
  steps: MAX_STEPS
})

t.test('a pattern is bounded in its length, its repeats and what it compiles to, and holds no card number', async t => {
  const cases: [pattern: string, problem: string | null][] = [
    [`/${'a'.repeat(MOST_PATTERN)}/`, `/${'a'.repeat(MOST_PATTERN)}/ is too large: it compiles to more than ${MOST_INSTRUCTIONS} instructions`],
    [`/${'a'.repeat(MOST_PATTERN + 1)}/`, `a pattern has at most ${MOST_PATTERN} characters, not ${MOST_PATTERN + 1}`],
    [`/${'[0-9]'.repeat(90)}/`, null],
    [`/a{${MOST_INSTRUCTIONS + 1}}/`, `/a{${MOST_INSTRUCTIONS + 1}}/ repeats too often: all counts in {} may add up to ${MOST_INSTRUCTIONS}`],
    ['/a{1,400}b{101,}/', '/a{1,400}b{101,}/ repeats too often: all counts in {} may add up to 500'],
    ['/(a{30}){30}/', '/(a{30}){30}/ is too large: it compiles to more than 500 instructions'],
    ['/(a{20}){20}/', null],
    [`/^${CARD}$/`, 'a pattern cannot hold a whole card number; write the number as text; a digest of it is kept'],
    ['/^4242/', null],
    ['/(/', '/(/ is not a regular expression of the RE2 syntax: error parsing regexp: missing closing ): `(`']
  ]
  for (const [pattern, problem] of cases) {
    const found: string[] = []
    const compiled = await compileEntry(entry(pattern), (_steps, message) => found.push(message))
    t.strictSame([found, compiled === null], [problem === null ? [] : [problem], problem !== null], pattern.slice(0, 60))
  }
})

t.test('a value that is too long for a pattern does not match, and the entry and the expectation say so', async t => {
  const long = 'x'.repeat(MOST_MATCHED + 1)
  const fits = 'x'.repeat(MOST_MATCHED)
  const script = new Script([(await compileEntry(entry(['/x/', 'short']), () => {})) as NonNullable<Awaited<ReturnType<typeof compileEntry>>>])
  const text = new Script([(await compileEntry(entry([long, '/x/']), () => {})) as NonNullable<Awaited<ReturnType<typeof compileEntry>>>])
  const tally = new Tally([
    (await compileExpectation({ on: 'POST /refunds', match: { body: { reason: '/x/' } }, times: 1 }, () => {})) as NonNullable<
      Awaited<ReturnType<typeof compileExpectation>>
    >
  ])

  t.strictSame(
    [fits, 'short', 'y'].map(reason => script.act(sent(reason), { seed: 1, at: 0 }) !== null),
    [true, true, false]
  )
  t.strictSame(
    script.listed().map(({ matched, too_long }) => [matched, too_long]),
    [[2, undefined]]
  )
  t.strictSame(
    [long, long].map(reason => script.act(sent(reason), { seed: 1, at: 0 })),
    [null, null]
  )
  t.strictSame(
    script.listed().map(({ matched, too_long }) => [matched, too_long]),
    [[2, 2]]
  )
  for (const reason of [{ not: '/y/' }, { not: '/y/', present: true }]) {
    const negated = new Script([(await compileEntry(entry(reason), () => {})) as NonNullable<Awaited<ReturnType<typeof compileEntry>>>])
    t.strictSame(
      [fits, long, 'y'].map(reason => negated.act(sent(reason), { seed: 1, at: 0 }) !== null),
      [true, false, false],
      'what nobody looked at is not the contrary either'
    )
    t.strictSame(negated.listed()[0]?.too_long, 1)
  }
  t.not(text.act(sent(long), { seed: 1, at: 0 }), null, 'text is compared at any length')
  t.strictSame(
    text.listed().map(({ matched, too_long }) => [matched, too_long]),
    [[1, undefined]]
  )
  for (const reason of [fits, long, 'y']) tally.count(sent(reason))
  tally.count({ ...sent(long), operation: 'listRefunds' })
  t.strictSame(
    tally.verdicts(new Store()).map(({ seen, holds, message }) => [seen, holds, message]),
    [
      [
        1,
        true,
        'POST /refunds with {"body":{"reason":"/x/"}}: 1 call was expected, 1 came; in 1 more a value is longer than the 4096 characters that a pattern is matched against'
      ]
    ]
  )
})
