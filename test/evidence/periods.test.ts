import t from 'tap'
import { type Period, Periods } from '../../src/evidence/periods.js'

const entry = (name: string, applied: number) => ({ id: 'scr_1', entry: { name, on: 'GET /tickets' }, matched: applied, applied }) as Period['script'][number]
/** An expectation of one or two calls of which so many came. */
const verdict = (wanted: string, seen: number) =>
  ({
    expectation: { on: 'GET /tickets' },
    wanted,
    seen,
    holds: seen === 1 || seen === 2,
    exceeded: seen > 2,
    message: `${seen} came`
  }) as Period['verdicts'][number]
const added = (...periods: Period[]) => {
  const all = new Periods()
  for (const period of periods) all.add(period)
  return all
}
const unmetAfter = (...seen: number[]) =>
  added(...seen.map(count => ({ script: [], verdicts: [verdict('a', count)] })))
    .unmet()
    .map(({ message }) => message)

t.test('periods: a script entry is used that applied in any of them', t => {
  const periods = added(
    { script: [entry('a', 0), entry('b', 1), entry('c', 0)], verdicts: [] },
    { script: [entry('a', 1), entry('b', 0), entry('c', 0)], verdicts: [] }
  )

  t.strictSame(
    periods.unused().map(({ entry }) => entry.name),
    ['c']
  )
  t.end()
})

t.test('periods: an expectation is met that holds in any of them, unless more calls came than may in one', t => {
  for (const [seen, unmet] of [
    [[1], []],
    [[0], ['0 came']],
    [[0, 1], []],
    [[1, 0], []],
    [[0, 2, 0], []],
    [[3], ['3 came']],
    [[1, 3], ['3 came']],
    [[0, 3], ['3 came']],
    [[3, 1], ['3 came']],
    [[3, 0, 4], ['3 came']]
  ] as const) {
    t.strictSame(unmetAfter(...seen), unmet, `seen ${seen}`)
  }
  t.end()
})

t.test('periods: they are empty until one is added, and expectations are told apart by what they want', t => {
  const periods = new Periods()
  t.strictSame([periods.isEmpty, periods.unused(), periods.unmet()], [true, [], []])

  periods.add({ script: [], verdicts: [verdict('a', 0), verdict('b', 1), verdict('c', 9)] })

  t.strictSame([periods.isEmpty, periods.unmet().map(({ wanted }) => wanted)], [false, ['a', 'c']])
  t.end()
})

t.test('periods: of entries that say the same each is used on its own', t => {
  const periods = added({ script: [entry('a', 1), entry('a', 0), entry('a', 0)], verdicts: [] }, { script: [entry('a', 1), entry('a', 1)], verdicts: [] })

  t.strictSame(
    periods.unused().map(({ entry }) => entry.name),
    ['a'],
    'the third'
  )
  t.end()
})

t.test('periods: of a long life no more is judged than ten thousand entries and as many expectations', t => {
  const periods = new Periods()
  for (let nth = 0; nth < 10_050; nth++) periods.add({ script: [entry(`entry ${nth}`, 0)], verdicts: [verdict(`call ${nth}`, 0)] })
  t.strictSame([periods.unused().length, periods.unmet().length], [10_000, 10_000])

  periods.add({ script: [entry('entry 7', 1), entry('entry 10040', 0)], verdicts: [verdict('call 7', 1), verdict('call 8', 9), verdict('call 10040', 9)] })

  t.strictSame([periods.unused().length, periods.unmet().length], [9999, 9999], 'those that were seen are judged on')
  t.equal(periods.unmet().find(({ wanted }) => wanted === 'call 8')?.message, '9 came')
  t.end()
})
