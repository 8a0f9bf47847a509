import t from 'tap'
import { RecentMap } from '../../src/evidence/recent-map.js'

t.test('recent map: it holds the latest value of each key, and drops the older half at once', t => {
  const map = new RecentMap<number>(4)
  const values = () => map.entries().map(([, value]) => value)
  t.equal(map.isEmpty, true)
  for (const [index, key] of ['a', 'b', 'c', 'a'].entries()) map.set(key, index)
  t.strictSame(values(), [1, 2, 3], 'each key once')
  map.set('d', 4)

  t.strictSame(values(), [2, 3, 4], 'what was set longest ago is gone')
  t.strictSame(
    ['a', 'b', 'c', 'd'].map(key => map.get(key)),
    [3, undefined, 2, 4]
  )
  map.set('b', 5)
  t.strictSame(values(), [2, 3, 4, 5])
  map.set('a', 6)
  t.strictSame([values(), map.get('a')], [[4, 5, 6], 6])
  map.delete('a')
  map.delete('d')
  t.strictSame([map.get('a'), map.get('d'), map.isEmpty], [undefined, undefined, false])
  map.clear()
  t.strictSame([map.isEmpty, values()], [true, []])
  t.end()
})
