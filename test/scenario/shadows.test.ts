/** Entries that an earlier one leaves no call, as a load warns of them. */
import t from 'tap'
import { coded } from '../support/codes.js'
import { smallFixture } from '../support/emulator.js'
import { lookedAt } from '../support/first-state.js'

const on = 'POST /transactions'
const body = (body: object) => ({ match: { body } })
const answer = { respond: { status: 402 } }

t.test('script: an entry that can never apply is warned about, with the entry that shadows it', async t => {
  const shadowed: [title: string, earlier: object, later: object][] = [
    ['the same', body({ payment_type: 'card' }), body({ payment_type: 'card' })],
    ['a narrower match', body({ payment_type: 'card' }), body({ payment_type: 'card', amount: { gt: 5 } })],
    ['a member of a list', body({ payment_type: ['card', 'emv'] }), body({ payment_type: 'emv' })],
    ['a list of members', body({ payment_type: ['card', 'emv', 'vip'] }), body({ payment_type: ['vip', 'card'] })],
    ['a value that meets a bound', body({ amount: { gte: 5 } }), body({ amount: 6 })],
    ['a value that meets a pattern', body({ 'card[brand]': '/^v/' }), body({ card: { brand: 'visa' } })],
    ['the same calls', { ...body({ amount: 6 }), calls: '1-3' }, { ...body({ amount: 6 }), calls: 2 }],
    ['the first of the same calls', { calls: '1-3' }, { calls: 1 }],
    ['the last of the same calls', { calls: '1-3' }, { calls: 3 }],
    ['more operations', { on: ['GET /tickets', on], ...body({ amount: 6 }) }, body({ amount: 6 })],
    ['a longer time', { ...body({ amount: 6 }), from: '2026-01-01' }, { ...body({ amount: 6 }), from: '2026-02-01' }]
  ]
  const apart: [title: string, earlier: object, later: object][] = [
    ['a wider match', body({ payment_type: 'card', amount: 5 }), body({ payment_type: 'card' })],
    ['another part', body({ amount: 6 }), { match: { about: { ticket: 'tkt_a' } } }],
    ['another part with the same name', body({ ticket: 'tkt_a' }), { match: { about: { ticket: 'tkt_a' } } }],
    ['another parameter', body({ amount: 6 }), body({ tip_amount: 6 })],
    ['another value', body({ amount: 5 }), body({ amount: 6 })],
    ['a pattern for a value', body({ 'card[brand]': 'visa' }), body({ 'card[brand]': '/visa/' })],
    ['a pattern that meets the pattern', body({ 'card[brand]': '/v/' }), body({ 'card[brand]': '/v|x/' })],
    ['a condition for a pattern', body({ 'card[brand]': '/o/' }), body({ 'card[brand]': { present: true } })],
    ['a member that is not in the list', body({ payment_type: ['card', 'emv'] }), body({ payment_type: ['card', 'vip'] })],
    ['a condition for a value', body({ amount: { gte: 5 } }), body({ amount: { gt: 4 } })],
    ['all calls but the first', { calls: '2+' }, body({ amount: 6 })],
    ['the first calls', { calls: '1-2' }, body({ amount: 6 })],
    ['other calls', { ...body({ amount: 6 }), calls: 1 }, { ...body({ amount: 6 }), calls: 2 }],
    ['a call before the same ones', { calls: 2 }, { calls: '1-2' }],
    ['the same calls of a wider match', { ...body({ payment_type: 'card' }), calls: 1 }, { ...body({ payment_type: 'card', amount: 6 }), calls: 1 }],
    ['the same calls of more operations', { on: ['GET /tickets', on], calls: 1 }, { calls: 1 }],
    ['the same calls of a longer time', { calls: 1, from: '2026-01-01' }, { calls: 1, from: '2026-02-01' }],
    ['the same calls of a time that ends later', { calls: 1, until: '2026-02-01' }, { calls: 1, until: '2026-01-01' }],
    ['by chance', { chance: 0.5 }, {}],
    ['for a time', { for: '1s' }, {}],
    ['from a time on', { from: '2026-01-01' }, {}],
    ['until a time', { until: '2026-01-01' }, {}],
    ['another operation', { on: 'POST /refunds', ...body({ amount: 6 }) }, body({ amount: 6 })],
    ['card data, of which no value is kept', body({ 'card[number]': '4242424242424242' }), body({ 'card[number]': '4000000000000002' })],
    ['card data, whose digest a pattern meets', body({ 'card[number]': '/a/' }), body({ 'card[number]': '4242424242424242' })]
  ]
  const warningsOf = async (...entries: object[]): Promise<string[]> => {
    const script = entries.map(entry => ({ on, ...answer, ...entry }))
    const { problems, warnings } = await lookedAt({ data: smallFixture(), script })
    t.strictSame(problems, [])
    return warnings.map(({ path, message, ...said }) => `${coded(path, said)} ${message.includes('"first"')}`)
  }
  for (const [title, earlier, later] of shadowed) t.strictSame(await warningsOf({ name: 'first', ...earlier }, later), ['script[1] shadowed true'], title)
  for (const [title, earlier, later] of apart) t.strictSame(await warningsOf(earlier, later), [], title)
  const unnamed = [5, 6, 5].map(amount => body({ amount }))
  t.strictSame(await warningsOf(...unnamed), ['script[2] shadowed false'], 'one without a name is called by its place')
})
