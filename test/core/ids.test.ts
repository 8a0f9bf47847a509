import t from 'tap'
import {
  drawnFraction,
  drawnText,
  type IdKind,
  Ids,
  kindOf,
  TEXTS_A_BLOCK
} from '../../src/core/ids.js'
import { type GivenSettings, type Settings, settingsInForce } from '../../src/core/settings.js'

const settings = (given: GivenSettings = {}): Settings => settingsInForce({ flag: given }).values

const KINDS = {
  merchant: 'mch_',
  reseller: 'rsl_',
  location: 'loc_',
  ticket: 'tkt_',
  transaction: 'txn_',
  user: 'usr_',
  refund: 'rfd_'
}
const free = new Set<string>()

t.test('A02 A03: ids are a prefix and 24 letters and digits, by seed, kind and number', async t => {
  const drawThree = (given: GivenSettings, kind: IdKind) => {
    const ids = new Ids()
    return [1, 2, 3].map(() => ids.draw(kind, settings(given), free))
  }

  const all: string[] = []
  for (const [kind, prefix] of Object.entries(KINDS) as [IdKind, string][]) {
    const drawn = drawThree({}, kind)
    for (const id of drawn) t.ok(new RegExp(`^${prefix}[A-Za-z0-9]{24}$`).test(id), id)
    t.strictSame(drawThree({}, kind), drawn, 'the same calls draw the same ids')
    t.strictSame(drawThree({ seed: 1 }, kind), drawn, 'the default seed is 1')
    all.push(...drawn, ...drawThree({ seed: 2 }, kind))
  }
  t.equal(new Set(all).size, all.length, 'seeds, kinds and numbers draw apart')
  t.equal(new Set(all.map(id => id.slice(4))).size, all.length, 'the bodies differ too')
})

t.test('A03: each kind is counted separately, an id that exists is skipped', async t => {
  const plain = new Ids()
  for (const kind of ['refund', 'user', 'key'] as const) plain.draw(kind, settings(), free)
  t.equal(
    plain.draw('location', settings(), free),
    new Ids().draw('location', settings(), free),
    'the draws of one kind do not move another'
  )
  t.strictSame(plain.counters, { refund: 1, user: 1, key: 1, location: 1 })
  const [first, second, third] = [0, 1, 2].map(location =>
    new Ids({ location }).draw('location', settings(), free)
  ) as [string, string, string]

  const skipping = new Ids()
  t.equal(skipping.draw('location', settings(), new Set([first, second])), third)
  t.strictSame(skipping.counters, { location: 3 })

  const on = new Ids({ location: 1 })
  t.equal(on.draw('location', settings(), free), second)
  const { counters } = on
  on.draw('location', settings(), free)
  t.strictSame(counters, { location: 2 }, 'counters that were read do not move')
})

t.test('A02 A03: ids.prefixes and ids.length shape the ids', async t => {
  for (const length of [8, 24, 64])
    t.ok(
      new RegExp(`^x-[A-Za-z0-9]{${length}}$`).test(
        new Ids().draw(
          'refund',
          settings({ 'ids.length': length, 'ids.prefixes.refund': 'x-' }),
          free
        )
      )
    )
  t.ok(
    /^[A-Za-z0-9]{24}$/.test(
      new Ids().draw('refund', settings({ 'ids.prefixes.refund': '' }), free)
    )
  )

  const ids = new Ids()
  const letters = new Set(
    Array.from({ length: 200 }, () => ids.draw('user', settings(), free).slice(4)).join('')
  )
  t.equal(letters.size, 62)
})

t.test('A18: API keys are drawn from the seed too', async t => {
  const first = new Ids().draw('key', settings(), free)

  t.ok(/^sk_test_[A-Za-z0-9]{24}$/.test(first), first)
  t.equal(new Ids().draw('key', settings(), free), first)
  t.not(new Ids().draw('key', settings({ seed: 2 }), free), first)
  t.not(new Ids().draw('key', settings(), new Set([first])), first)
  t.equal(new Ids().draw('key', settings({ 'ids.length': 8 }), free), first, 'it is of ids alone')
})

t.test("A02: a family's kind; an Account's depends on its type", async t => {
  const kinds = [
    kindOf('accounts', 'merchant'),
    kindOf('accounts', 'reseller'),
    kindOf('accounts'),
    kindOf('accounts', null)
  ]
  t.strictSame(kinds, ['merchant', 'reseller', 'merchant', 'merchant'])
  for (const kind of ['user', 'location', 'ticket', 'transaction', 'refund'] as const)
    t.equal(kindOf(`${kind}s`), kind)
})

t.test('A03: a draw depends only on the seed, the label and its number', async t => {
  const labels = ['delay:scr_1', 'delay:scr_2', '']
  const draws = [0, 1, 2, 4_294_967_295].flatMap(seed =>
    labels.flatMap(label => [0, 1, 2, 1_000_000].map(n => [seed, label, n] as const))
  )
  const drawn = (draw: (typeof draws)[number]) =>
    [drawnFraction(...draw), drawnText(...draw, 24)] as const

  const first = draws.map(drawn)

  t.strictSame(draws.toReversed().map(drawn), first.toReversed(), 'in whatever order drawn')
  for (const place of [0, 1] as const)
    t.equal(
      new Set(first.map(one => one[place])).size,
      draws.length,
      'seeds, labels, numbers apart'
    )
})

t.test('A03: fractions lie from 0 up to 1 and are spread evenly', async t => {
  const tenths = new Array(10).fill(0)

  for (let n = 0; n < 10_000; n++) {
    const fraction = drawnFraction(7, 'delay', n)
    if (!(fraction >= 0 && fraction < 1)) t.fail(`${fraction} lies outside`)
    tenths[Math.floor(fraction * 10)]++
  }

  for (const [tenth, count] of tenths.entries())
    t.ok(count > 850 && count < 1150, `${count} in tenth ${tenth}`)
})

t.test('A03: ids continue across the end of a block', async t => {
  const plain = new Ids()
  const drawn = Array.from({ length: 3 * TEXTS_A_BLOCK }, () =>
    plain.draw('refund', settings(), free)
  )
  t.equal(new Set(drawn).size, drawn.length)
  for (const start of [0, 1, TEXTS_A_BLOCK - 1, TEXTS_A_BLOCK, 2 * TEXTS_A_BLOCK + 5])
    t.equal(new Ids({ refund: start }).draw('refund', settings(), free), drawn[start])

  const ids = new Ids()
  const [first, other, longer, seeded] = [
    settings(),
    settings({ 'ids.prefixes.refund': 'r-' }),
    settings({ 'ids.length': 30 }),
    settings({ seed: 2 })
  ].map(given => ids.draw('refund', given, free)) as [string, string, string, string]
  t.equal(first, drawn[0])
  t.equal(other.slice(2), drawn[1]?.slice(4))
  t.match(longer, /^[a-z]+_\w{30}$/)
  t.notOk(drawn.includes(seeded))
})
