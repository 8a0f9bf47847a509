/** The records around a request, and what it changed of them. */
import { recordsChanged } from '../engine/outcome.js'
import type { Entry } from '../evidence/entry.js'
import type { Family } from '../reference/operations.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { bytesOf } from '../store/bytes.js'
import type { Shape, Stored } from '../store/collection.js'
import { collectionOf, type RecordOf, type Store } from '../store/store.js'

export async function storeAt(
  { inputs }: Sandbox,
  { place, changes }: Entry,
  when: 'before' | 'after'
): Promise<Store> {
  const { store } = await inputs.stateAt(when === 'before' ? place : place + changes)
  return store
}

export const storesAround = (sandbox: Sandbox, entry: Entry): Promise<[Store, Store]> =>
  Promise.all([storeAt(sandbox, entry, 'before'), storeAt(sandbox, entry, 'after')])

/** The records that a request changed, its own first; null before creation and after deletion. */
export function changesBy(entry: Entry, [before, after]: readonly [Store, Store]) {
  const { caller, settings } = entry
  const shape = { base: caller.base, list: settings['shapes.list'] }
  return recordsChanged(entry).map(({ family, id }) => ({
    family,
    id,
    before: recordIn(before, family, id, shape),
    after: recordIn(after, family, id, shape)
  }))
}

function recordIn(store: Store, family: Family, id: string, shape: Shape): object | null {
  const stored = collectionOf(store, family).stored(id) as Stored<RecordOf<Family>> | undefined
  return stored === undefined ? null : JSON.parse(bytesOf(family, stored, store, shape).toString())
}
