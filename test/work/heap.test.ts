import t from 'tap'
import { Heap, processHeap } from '../../src/work/heap.js'

/** A heap of 100 bytes, of which some are garbage. */
function meter({ kept, garbage = 0 }: { kept: number; garbage?: number }) {
  const state = { kept, garbage, time: 0, collections: 0 }
  const heap = new Heap({
    limit: 100,
    used: () => state.kept + state.garbage,
    now: () => state.time,
    collect: () => {
      state.collections++
      state.garbage = 0
    }
  })
  return { heap, state }
}

t.test(
  'heap: there is room while less than three quarters are in use, scarce room up to 85 %, then none',
  async t => {
    const cases: [kept: number, garbage: number, room: string, collections: number][] = [
      [74, 0, 'free', 0],
      [10, 64, 'free', 0],
      [10, 89, 'free', 1],
      [75, 0, 'scarce', 1],
      [84, 15, 'scarce', 1],
      [85, 0, 'none', 1],
      [99, 0, 'none', 1]
    ]
    for (const [kept, garbage, room, collections] of cases) {
      const { heap, state } = meter({ kept, garbage })
      t.strictSame([heap.room(), state.collections], [room, collections], `${kept} and ${garbage}`)
    }
  }
)

t.test('heap: it is collected again after growth or a second, and not at each look', async t => {
  const { heap, state } = meter({ kept: 80 })
  for (let look = 0; look < 3; look++) t.equal(heap.room(), 'scarce')
  t.equal(state.collections, 1)
  state.kept = 86
  t.strictSame([heap.room(), state.collections], ['none', 2], 'after growth')
  state.kept = 76
  t.strictSame(
    [heap.room(), state.collections],
    ['none', 2],
    'what was freed is seen a second later'
  )
  state.time = 1001
  t.strictSame([heap.room(), state.collections], ['scarce', 3])
  state.kept = 20
  t.equal(heap.room(), 'free')
})

t.test('heap: that of the process can be measured and collected', async t => {
  const { limit, used, collect, now } = processHeap()
  const before = used()
  collect()
  t.ok(used() > 0 && before < limit && now() > 0)
  t.equal(new Heap().room(), 'free')
})
