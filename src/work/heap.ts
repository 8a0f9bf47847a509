/** How full the memory of the process is, measured after each garbage collection. */
import { getHeapStatistics } from 'node:v8'

/** Of the limit, in use after the last collection. */
let share = 0
const collections = new FinalizationRegistry(() => {
  const { used_heap_size, heap_size_limit } = getHeapStatistics()
  share = used_heap_size / heap_size_limit
  watch()
})
const watch = () => collections.register({}, null)
watch()

export const heldShare = (): number => share

/** Assumes that there is room until the next collection. */
export function freed(): void {
  share = 0
}
