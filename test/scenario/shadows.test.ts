/** Entries that an earlier one leaves no call, as a load warns of them. */
import { writeFile } from 'node:fs/promises'
import t from 'tap'
import { ran } from '../support/command.js'
import { smallFixture, startTestEmulator } from '../support/emulator.js'

const on = 'POST /transactions'
const body = (body: object) => ({ match: { body } })
const answer = { respond: { status: 402 } }

t.test('script: an entry that can never apply is warned about, with the entry that shadows it', async t => {
  const shadowed: [title: string, earlier: object, later: object][] = [
    ['the same', { ...body({ payment_type: 'card' }) }, { ...body({ payment_type: 'card' }) }],
    ['a narrower match', { ...body({ payment_type: 'card' }) }, { ...body({ payment_type: 'card', amount: { gt: 5 } }) }],
    ['a member of a list', { ...body({ payment_type: ['card', 'emv'] }) }, { ...body({ payment_type: 'emv' }) }],
    ['a list of members', { ...body({ payment_type: ['card', 'emv', 'vip'] }) }, { ...body({ payment_type: ['vip', 'card'] }) }],
    ['a value that meets a bound', { ...body({ amount: { gte: 5 } }) }, { ...body({ amount: 6 }) }],
    ['a value that meets a pattern', { ...body({ 'card[brand]': '/^v/' }) }, { ...body({ card: { brand: 'visa' } }) }],
    ['the same calls', { ...body({ amount: 6 }), calls: '1-3' }, { ...body({ amount: 6 }), calls: 2 }],
    ['the first of the same calls', { calls: '1-3' }, { calls: 1 }],
    ['the last of the same calls', { calls: '1-3' }, { calls: 3 }],
    ['more operations', { on: ['GET /tickets', on], ...body({ amount: 6 }) }, { ...body({ amount: 6 }) }],
    ['a longer time', { ...body({ amount: 6 }), from: '2026-01-01' }, { ...body({ amount: 6 }), from: '2026-02-01' }]
  ]
  const apart: [title: string, earlier: object, later: object][] = [
    ['a wider match', { ...body({ payment_type: 'card', amount: 5 }) }, { ...body({ payment_type: 'card' }) }],
    ['another part', { ...body({ amount: 6 }) }, { match: { about: { ticket: 'tkt_a' } } }],
    ['another part with the same name', { ...body({ ticket: 'tkt_a' }) }, { match: { about: { ticket: 'tkt_a' } } }],
    ['another parameter', { ...body({ amount: 6 }) }, { ...body({ tip_amount: 6 }) }],
    ['another value', { ...body({ amount: 5 }) }, { ...body({ amount: 6 }) }],
    ['a pattern for a value', { ...body({ 'card[brand]': 'visa' }) }, { ...body({ 'card[brand]': '/visa/' }) }],
    ['a pattern that meets the pattern', { ...body({ 'card[brand]': '/v/' }) }, { ...body({ 'card[brand]': '/v|x/' }) }],
    ['a condition for a pattern', { ...body({ 'card[brand]': '/o/' }) }, { ...body({ 'card[brand]': { present: true } }) }],
    ['a member that is not in the list', { ...body({ payment_type: ['card', 'emv'] }) }, { ...body({ payment_type: ['card', 'vip'] }) }],
    ['a condition for a value', { ...body({ amount: { gte: 5 } }) }, { ...body({ amount: { gt: 4 } }) }],
    ['all calls but the first', { calls: '2+' }, { ...body({ amount: 6 }) }],
    ['the first calls', { calls: '1-2' }, { ...body({ amount: 6 }) }],
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
    ['another operation', { on: 'POST /refunds', ...body({ amount: 6 }) }, { ...body({ amount: 6 }) }],
    ['card data, of which no value is kept', { ...body({ 'card[number]': '4242424242424242' }) }, { ...body({ 'card[number]': '4000000000000002' }) }],
    ['card data, whose digest a pattern meets', { ...body({ 'card[number]': '/a/' }) }, { ...body({ 'card[number]': '4242424242424242' }) }]
  ]
  const { control } = await startTestEmulator(t)
  const warningsOf = async (script: object[]): Promise<string[]> => {
    const { status, body } = await control('POST /load', { scenario: { data: smallFixture(), script } })
    t.equal(status, 200, JSON.stringify(body))
    return (body.warnings ?? []).map(({ path, message }: { path: string; message: string }) => `${path}: ${message}`)
  }
  for (const [title, earlier, later] of shadowed) {
    const warning = `script[1]: can never apply: the entry "first" acts on every call of ${on} that it is for`
    t.strictSame(
      await warningsOf([
        { name: 'first', on, ...answer, ...earlier },
        { on, ...answer, ...later }
      ]),
      [warning],
      title
    )
  }
  for (const [title, earlier, later] of apart)
    t.strictSame(
      await warningsOf([
        { on, ...answer, ...earlier },
        { on, ...answer, ...later }
      ]),
      [],
      title
    )
})

t.test('script: validate says which entry shadows another one', async t => {
  const file = `${t.testdir()}/own.json`
  const script = [5, 6, 5].map(amount => ({ on, ...body({ amount }), ...answer }))
  await writeFile(file, JSON.stringify({ data: smallFixture(), script }))
  const { status, stdout } = await ran(['validate', file])
  t.equal(status, 0)
  t.match(stdout, /warning: .*own\.json:1:\d+ script\[2\]: can never apply: entry 1 of the script acts on every call of POST \/transactions that it is for/)
})
