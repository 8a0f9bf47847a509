/** How full the memory of the process is, as it collects it by itself. */
import { getHeapStatistics } from 'node:v8'

/** What was in use after the last whole collection, as a share of the limit. */
let share = 0
const collections = new FinalizationRegistry(() => {
  const { used_heap_size, heap_size_limit } = getHeapStatistics()
  share = used_heap_size / heap_size_limit
  watch()
})
const watch = () => collections.register({}, null)
watch()

export const heldShare = (): number => share

/** Something large may be gone: there is room until the next collection tells. */
export function freed(): void {
  share = 0
}
