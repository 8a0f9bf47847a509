/** What differs between the records of two sandboxes. */
import { RESOURCE_NAMES } from '../../../../reference/operations.js'
import type { Family, State } from '../../control/client.js'

type Counts = { same: number; changed: number; first: number; second: number }
type Different = { family: Family; id: string; first: object | undefined; second: object | undefined }
export type Compared = { counts: Readonly<Record<Family, Counts>>; different: readonly Different[] }

export function comparison(one: State, other: State): Compared {
  const counts = {} as Record<Family, Counts>
  const different: Different[] = []
  for (const family of Object.keys(RESOURCE_NAMES) as Family[]) {
    const byId = (state: State) => new Map((state[family] as readonly { id: string }[]).map(record => [record.id, record]))
    const [firsts, seconds] = [byId(one), byId(other)]
    const count: Counts = { same: 0, changed: 0, first: 0, second: 0 }
    for (const id of new Set([...firsts.keys(), ...seconds.keys()])) {
      const [first, second] = [firsts.get(id), seconds.get(id)]
      if (first && second && JSON.stringify(first) === JSON.stringify(second)) count.same++
      else {
        different.push({ family, id, first, second })
        if (first && second) count.changed++
        else count[first ? 'first' : 'second']++
      }
    }
    counts[family] = count
  }
  return { counts, different }
}
