/** What a reset of a sandbox would undo. */
import { isoOf } from '../core/instants.js'
import type { Family } from '../reference/operations.js'
import type { FirstState } from '../scenario/scenario.js'
import { collectionOf, FAMILIES, type Store } from '../store/store.js'
import { pause } from '../work/slices.js'
import type { State } from './state.js'

/** How many records or keys were added, changed and deleted. */
type Differences = { added: number; changed: number; deleted: number }

export async function changesOf(first: FirstState, { store, clock, script, settings }: State) {
  const records: Partial<Record<Family, Differences>> = {}
  for (const family of FAMILIES) {
    const differences = await differencesIn(family, first.store, store)
    if (Object.values(differences).some(count => count > 0)) records[family] = differences
  }
  const { at, running } = first.clock
  const before = entriesOf(first.script)
  const after = entriesOf(script)
  return {
    records,
    keys: {
      added: missing(store.keys, first.store.keys).length,
      deleted: missing(first.store.keys, store.keys).length
    },
    // null is the machine's time
    clock: {
      began: { now: at === null ? null : isoOf(at), running },
      changed: clock.start.at !== at || clock.running !== running
    },
    script: {
      added: missing(after, before),
      removed: missing(before, after),
      matched: script.listed().reduce((sum, { matched }) => sum + matched, 0)
    },
    settings: Object.keys(settings)
  }
}

async function differencesIn(family: Family, first: Store, store: Store): Promise<Differences> {
  const differences = { added: 0, changed: 0, deleted: 0 }
  const before = collectionOf(first, family)
  const after = collectionOf(store, family)
  if (before.revision === after.revision) return differences
  for (const record of after.inCreationOrder()) {
    const earlier = before.get(record.id)
    if (earlier === undefined) differences.added++
    else if (earlier !== record && JSON.stringify(earlier) !== JSON.stringify(record))
      differences.changed++
    await pause()
  }
  differences.deleted = before.size + differences.added - after.size
  return differences
}

/** The ids of entries by their contents. */
const entriesOf = (script: State['script']): Map<string, string> =>
  new Map(script.listed().map(({ id, entry }) => [JSON.stringify([id, entry]), id]))

const missing = <V>(from: ReadonlyMap<string, V>, others: ReadonlyMap<string, V>): V[] =>
  [...from].flatMap(([key, value]) => (others.has(key) ? [] : value))
