import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { freed, heldShare } from '../../src/work/heap.js'

t.test('heap: it is measured after each collection, until something is freed', async t => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let round = 0; round < 2; round++) {
    freed()
    t.equal(heldShare(), 0)
    for (let turn = 0; turn < 100 && heldShare() === 0; turn++) {
      collect()
      await new Promise(resolve => setImmediate(resolve))
    }
    t.ok(heldShare() > 0 && heldShare() < 1, String(heldShare()))
  }
})
