/** What a sandbox has changed since its last load or reset: how it differs from the first state that a reset goes back to. */
import type { Clock } from '../core/clock.js'
import { isoOf } from '../core/instants.js'
import type { SettingKey } from '../core/settings.js'
import type { Family } from '../reference/operations.js'
import type { FirstState } from '../scenario/scenario.js'
import type { ListedEntry, Script } from '../scenario/script.js'
import { collectionOf, FAMILIES, type Store } from '../store/store.js'
import { inSlices } from '../work/slices.js'
import type { LiveState } from './state.js'

/** How many records or keys are there that were not, differ from what they were, and are gone. */
type Differences = { added: number; changed: number; deleted: number }
export type Changes = {
  /** The families that differ. */
  records: Partial<Record<Family, Differences>>
  keys: Pick<Differences, 'added' | 'deleted'>
  /** How the clock began, `now` null being the machine's time, and whether it was set, frozen, or started since. */
  clock: { began: { now: string | null; running: boolean }; changed: boolean }
  /** The ids of entries that were added and removed, and how many calls the others and the added ones matched. */
  script: { added: string[]; removed: string[]; matched: number }
  /** The settings that were changed by control calls. */
  settings: SettingKey[]
}

/** Compares a state with the first one; `begun` is the clock that the sandbox had when it began there. */
export async function changesOf(first: FirstState, { store, clock, script, settings }: LiveState, begun: Clock): Promise<Changes> {
  const records: Changes['records'] = {}
  for (const family of FAMILIES) {
    const differences = await differencesOf(family, first.store, store)
    if (Object.values(differences).some(count => count > 0)) records[family] = differences
  }
  const { at, running } = first.clock
  const isAsBegun = clock === begun || (clock.reading.at === at && clock.running === running)
  return {
    records,
    keys: { added: countIn(store.keys, first.store.keys), deleted: countIn(first.store.keys, store.keys) },
    clock: { began: { now: at === null ? null : isoOf(at), running }, changed: !isAsBegun },
    script: scriptChanges(first.script, script),
    settings: Object.keys(settings) as SettingKey[]
  }
}

async function differencesOf<F extends Family>(family: F, first: Store, now: Store): Promise<Differences> {
  const [before, after] = [collectionOf(first, family), collectionOf(now, family)]
  const all = function* () {
    yield* after.ids()
    for (const id of before.ids()) if (after.get(id) === undefined) yield id
  }
  const differences = { added: 0, changed: 0, deleted: 0 }
  const compare = function* (ids: Iterable<string>) {
    for (const id of ids) {
      const [was, is] = [before.get(id), after.get(id)]
      if (is === undefined) differences.deleted += was === undefined ? 0 : 1
      else if (was === undefined) differences.added++
      else if (was !== is && JSON.stringify(was) !== JSON.stringify(is)) differences.changed++
      yield
    }
  }
  await inSlices(compare(after.changedSince(before.revision) ?? all()))
  return differences
}

/** How many keys of a map another one does not have. */
const countIn = (map: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>) => [...map.keys()].filter(key => !other.has(key)).length

function scriptChanges(first: Script, now: Script): Changes['script'] {
  const [before, after] = [first.listed(), now.listed()]
  const idsBeyond = (entries: ListedEntry[], others: ListedEntry[]) => {
    const known = new Set(others.map(shown))
    return entries.filter(entry => !known.has(shown(entry))).map(({ id }) => id)
  }
  return { added: idsBeyond(after, before), removed: idsBeyond(before, after), matched: after.reduce((sum, { matched }) => sum + matched, 0) }
}

const shown = ({ id, entry }: ListedEntry) => JSON.stringify([id, entry])
