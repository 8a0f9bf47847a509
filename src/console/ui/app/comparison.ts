/** What differs between the records of two sandboxes. */
import { RESOURCE_NAMES } from '../../../reference/operations.js'
import type { State } from '../control/client.js'
import { FAMILIES, linkedFamily, recordsOf } from '../views/data/records.js'

type Records = Readonly<Record<string, object>>
type Compared = { same: number; before: Records; after: Records }

/** Unless `isExact`, records are the same if only ids and creation times differ. */
export function comparison(first: State, second: State, isExact = false): Compared {
  const isLeftOut = (field: string) =>
    !isExact && (field === 'id' || field === 'created' || linkedFamily(field) !== undefined)
  const textsIn = (state: State) =>
    new Map(
      FAMILIES.flatMap(family =>
        recordsOf(state, family).map(record => [
          `${RESOURCE_NAMES[family]} ${record.id}`,
          JSON.stringify(record, (field, value) => (isLeftOut(field) ? undefined : value))
        ])
      )
    )
  const before = textsIn(first)
  const after = textsIn(second)
  const others = new Map<string, string[]>()
  for (const [name, text] of isExact ? [] : after) {
    if (before.has(name)) continue
    const names = others.get(text)
    if (names) names.push(name)
    else others.set(text, [name])
  }
  let same = 0
  for (const [name, text] of before) {
    const twin = after.has(name) ? name : others.get(text)?.pop()
    if (twin === undefined || after.get(twin) !== text) continue
    before.delete(name)
    after.delete(twin)
    same++
  }
  const read = (texts: Map<string, string>) =>
    Object.fromEntries([...texts].map(([name, text]) => [name, JSON.parse(text)]))
  return { same, before: read(before), after: read(after) }
}
