import t from 'tap'
import { keep } from '../../src/core/remembered.js'

t.test('keep: of more values than a map may hold, the one that was put in longest ago goes', async t => {
  const map = new Map<string, number>()
  for (const [key, value] of [
    ['a', 1],
    ['b', 2],
    ['a', 3],
    ['c', 4]
  ] as const)
    keep(map, key, value, 2)
  t.strictSame(
    [...map],
    [
      ['a', 3],
      ['c', 4]
    ]
  )
})
