/** What a script and expectations keep of card data. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { runEmulator } from '../../src/emulator.js'
import { withDigests } from '../../src/scenario/script/digests.js'
import { NOW, smallFixture } from '../support/emulator.js'

const CARD = '4242424242424242'
const OTHER = '5555555555554444'
const digest = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const JSON_BODY = { host: 'localhost', 'content-type': 'application/json' }

t.test('A25: a match keeps a digest of every secret value', async t => {
  // biome-ignore format: a table
  const cases: [match: object, kept: object][] = [
    [
      { body: { card: { number: CARD, brand: 'visa', last4: '4242' } } },
      { body: { card: { number: digest(CARD), brand: 'visa', last4: '4242' } } }
    ],
    [{ body: { 'card[number]': [CARD, OTHER] } }, { body: { 'card[number]': [digest(CARD), digest(OTHER)] } }],
    [{ body: { 'card[number]': 4_242_424_242_424_242 } }, { body: { 'card[number]': digest(CARD) } }],
    [
      { body: { card: { csc: '123', expiry: '12/29', token: 't' } } },
      { body: { card: { csc: digest('123'), expiry: digest('12/29'), token: digest('t') } } }
    ],
    [
      { body: { bank_account: { account_number: '1', bank_name: 'B' } } },
      { body: { bank_account: { account_number: digest('1'), bank_name: 'B' } } }
    ],
    [{ body: { metadata: { note: `card ${CARD}` }, amount: 5 } }, { body: { metadata: { note: digest(`card ${CARD}`) }, amount: 5 } }],
    [{ headers: { 'X-Card-Number': '42', Via: 'a' } }, { headers: { 'X-Card-Number': digest('42'), Via: 'a' } }],
    [{ body: { card: { number: '/0002$/' } } }, { body: { card: { number: '/0002$/' } } }],
    [{ body: { card: { number: digest(CARD) } } }, { body: { card: { number: digest(CARD) } } }]
  ]
  for (const [match, kept] of cases) t.strictSame(withDigests(match), kept, JSON.stringify(match))
  const open = { query: { search_query: '4242' }, key: 'sk_test', account: ['mch_a'] }
  t.strictSame(withDigests(open), open)
})

t.test('A25: an entry and an expectation match by digest, and no file', async t => {
  const folder = t.testdir()
  const settings = {
    data: join(folder, 'state'),
    snapshots_dir: join(folder, 'snapshots'),
    log_level: 'silent'
  } as const
  const match = { body: { card: { number: CARD } } }
  const scenario = {
    clock: NOW,
    data: smallFixture(),
    script: [
      { name: `declines ${CARD}`, on: 'POST /transactions', match, respond: { status: 402 } }
    ],
    expect: [{ on: 'POST /transactions', match, times: 1 }]
  }
  const pay = async ({ app }: Awaited<ReturnType<typeof runEmulator>>, number: string) =>
    (
      await app.inject({
        method: 'POST',
        url: '/next/transactions',
        headers: FORM,
        payload: `ticket=tkt_a&payment_type=card&amount=5&card[number]=${number}`
      })
    ).statusCode
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
  shown.push(
    readFileSync(join(settings.data, '_base.json'), 'utf8'),
    ...readdirSync(settings.snapshots_dir).map(name =>
      readFileSync(join(settings.snapshots_dir, name), 'utf8')
    )
  )
  t.equal(shown.length, 9)
  for (const text of shown) t.notOk(text.includes(CARD), text.slice(0, 80))
  t.ok(shown[7]?.includes(digest(CARD)))

  const second = await runEmulator({ scenario, settings })
  t.strictSame(
    [await pay(second, OTHER), await pay(second, CARD)],
    [200, 402],
    'the digest still matches after a restart'
  )
  await second.app.inject({
    method: 'POST',
    url: '/_control/snapshots/one/restore',
    headers: { host: 'localhost' }
  })
  t.strictSame([await pay(second, OTHER), await pay(second, CARD)], [200, 402], 'and in a snapshot')
  await second.close()
})
