/** Shared limits, of which each sandbox gets a share, and bounded maps. */
import t from 'tap'
import { keep } from '../../src/core/remembered.js'
import { settingsInForce } from '../../src/core/settings.js'
import { Shares } from '../../src/core/shares.js'

const sharesOf = (waiting: number, more: object = {}) =>
  new Shares(
    { what: 'held requests', setting: 'limits.waiting', ...more },
    settingsInForce({ flag: { 'limits.waiting': waiting } }).values
  )
const [A, B, C] = [{}, {}, {}]
/** How much each sandbox gets when they take in turn until refused. */
const takenBy = (shares: Shares, sandboxes: readonly object[], amount = 1) =>
  sandboxes.map(sandbox => {
    for (let taken = 0; ; taken += amount) {
      try {
        shares.take(sandbox, amount)
      } catch {
        return taken
      }
    }
  })

t.test('shares: a sandbox gets its share', async t => {
  // biome-ignore format: a table
  const cases: [title: string, shares: Shares, amount: number, taken: number[]][] = [
    ['the share of each is reached first', sharesOf(4, { all: 2 }), 1, [4, 2, 1]],
    ['a sandbox alone has half of all, and each other one half of the rest', sharesOf(16, { all: 1 }), 1, [8, 4, 2]],
    ['exactly the share', sharesOf(5, { each: 2 }), 5, [10, 10, 10]], ['one more than the share', sharesOf(5, { each: 2 }), 11, [0, 0, 0]],
    ['one more than half of all', sharesOf(10, { all: 2 }), 11, [0, 0, 0]],
    ['the first of two takes all that it may, and the rest is for the other', sharesOf(10, { all: 2 }), 10, [10, 10, 0]],
    ['no share', sharesOf(0), 1, [0, 0, 0]]
  ]
  for (const [title, shares, amount, taken] of cases)
    t.strictSame(takenBy(shares, [A, B, C], amount), taken, title)
})

t.test('shares: a sandbox without any gets some, whatever others use', async t => {
  const shares = sharesOf(100)
  const many = Array.from({ length: 257 }, () => ({}))
  for (let round = 0; round < 100; round++) {
    for (const sandbox of many.slice(1)) {
      try {
        shares.take(sandbox)
      } catch {}
    }
  }
  t.doesNotThrow(() => shares.take(many[0] as object))
})

t.test('shares: a share is given back once', async t => {
  const shares = sharesOf(2)
  const free = shares.take(A)
  shares.take(A)
  t.throws(() => shares.take(A))

  free()
  free()

  t.strictSame(takenBy(shares, [A, B]), [1, 2])
})

t.test('shares: the refusal says who uses how much, and what to raise', async t => {
  const shares = sharesOf(1, {
    each: 3,
    all: 8,
    refusal: { assumption: 'A35', headers: { connection: 'close' } }
  })
  shares.take(A, 3)
  shares.take(B, 2)
  const message =
    'There is no room for more held requests: this sandbox has 2 of at most 3, all sandboxes together have 5 of 8. Try again when some have ended, or raise limits.waiting.'
  t.throws(() => shares.take(B, 2), {
    code: 'limit_reached',
    assumption: 'A35',
    headers: { connection: 'close' },
    message
  })
  t.throws(() => sharesOf(0).take(A), { code: 'limit_reached' })
})

t.test('keep: a full map drops its oldest value', async t => {
  const map = new Map<string, number>()
  for (const [value, key] of [...'abac'].entries()) keep(map, key, value, 2)
  t.equal(JSON.stringify([...map]), '[["a",2],["c",3]]')
})
