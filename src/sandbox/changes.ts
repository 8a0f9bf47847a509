/** How a sandbox differs from the first state that a reset goes back to. */
import type { Clock } from '../core/clock.js'
import { isoOf } from '../core/instants.js'
import type { SettingKey } from '../core/settings.js'
import type { Family } from '../reference/operations.js'
import type { FirstState } from '../scenario/scenario.js'
import type { ListedEntry } from '../scenario/script.js'
import type { Collection, StoredRecord } from '../store/collection.js'
import { collectionOf, FAMILIES } from '../store/store.js'
import { inSlices } from '../work/slices.js'
import type { LiveState } from './state.js'

/** How many records or keys were added, changed and deleted. */
type Differences = { added: number; changed: number; deleted: number }
export type Changes = {
  records: Partial<Record<Family, Differences>>
  keys: Pick<Differences, 'added' | 'deleted'>
  /** `now` null is the machine's time; `changed`: set, frozen or started since. */
  clock: { began: { now: string | null; running: boolean }; changed: boolean }
  /** Ids of entries; `matched` counts requests of those that are there. */
  script: { added: string[]; removed: string[]; matched: number }
  settings: SettingKey[]
}

/** `begun` is the clock that the sandbox had when it began there. */
export async function changesOf(
  first: FirstState,
  { store, clock, script, settings }: LiveState,
  begun: Clock
): Promise<Changes> {
  const records: Changes['records'] = {}
  for (const family of FAMILIES) {
    const differences = { added: 0, changed: 0, deleted: 0 }
    await inSlices(
      compared(collectionOf(first.store, family), collectionOf(store, family), differences)
    )
    if (Object.values(differences).some(count => count > 0)) records[family] = differences
  }
  const { at, running } = first.clock
  const isAsBegun = clock === begun || (clock.reading.at === at && clock.running === running)
  const [before, after] = [first.script.listed(), script.listed()]
  return {
    records,
    keys: {
      added: beyond(store.keys.keys(), [...first.store.keys.keys()]).length,
      deleted: beyond(first.store.keys.keys(), [...store.keys.keys()]).length
    },
    clock: { began: { now: at === null ? null : isoOf(at), running }, changed: !isAsBegun },
    script: {
      added: beyond(after, before, shown).map(({ id }) => id),
      removed: beyond(before, after, shown).map(({ id }) => id),
      matched: after.reduce((sum, { matched }) => sum + matched, 0)
    },
    settings: Object.keys(settings) as SettingKey[]
  }
}

function* compared<R extends StoredRecord>(
  before: Collection<R>,
  after: Collection<R>,
  differences: Differences
): Generator<void> {
  for (const id of new Set([...after.ids(), ...before.ids()])) {
    const [was, is] = [before.get(id), after.get(id)]
    if (was === undefined) differences.added += is === undefined ? 0 : 1
    else if (is === undefined) differences.deleted++
    else if (was !== is && JSON.stringify(was) !== JSON.stringify(is)) differences.changed++
    yield
  }
}

function beyond<M>(
  list: Iterable<M>,
  others: readonly M[],
  shown: (member: M) => unknown = member => member
): M[] {
  const known = new Set(others.map(shown))
  return [...list].filter(member => !known.has(shown(member)))
}

const shown = ({ id, entry }: ListedEntry) => JSON.stringify([id, entry])
