/** A state as files hold it, and back: records and keys as a fixture, deleted ids, counters, clock and script. */
import type { Step } from '../core/checking.js'
import type { ClockStart } from '../core/clock.js'
import { type IdCounters, Ids } from '../core/ids.js'
import { LATEST_INSTANT } from '../core/instants.js'
import type { Settings } from '../core/settings.js'
import type { Family } from '../reference/operations.js'
import type { Found, SourceDocument } from '../scenario/documents.js'
import { duplicatesIn, fixtureIn, put } from '../scenario/fixture.js'
import { entrySchema, fixtureSchema } from '../scenario/schemas.js'
import { type Count, compileEntry, type EntryData, Script } from '../scenario/script.js'
import type { Removed } from '../store/collection.js'
import { FAMILIES, Store } from '../store/store.js'

export type FiledScript = ({ id: string; entry: EntryData } & Count)[]
/** What every state in a file has beside its records. */
export type Filed = { counters: IdCounters; clock: ClockStart; script: FiledScript; deleted: Partial<Record<Family, Removed[]>> }
export type FiledRecords = Readonly<Record<string, unknown[]>>

const COUNT = { type: 'integer', minimum: 0 }
/** A schema of an object that has all of some properties. */
export const objectOf = (properties: Record<string, object>) => ({ type: 'object', required: Object.keys(properties), properties })

/** The schemas of what a filed state holds. */
export const filedSchemas = () => ({
  records: fixtureSchema(),
  counters: { type: 'object', additionalProperties: COUNT },
  clock: objectOf({ at: { type: ['integer', 'null'], minimum: -LATEST_INSTANT, maximum: LATEST_INSTANT }, running: { type: 'boolean' } }),
  script: { type: 'array', items: objectOf({ id: { type: 'string', pattern: '^scr_[1-9][0-9]{0,8}$' }, entry: entrySchema(), fitted: COUNT, acted: COUNT }) },
  deleted: {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(
      FAMILIES.map(family => [family, { type: 'array', items: objectOf({ id: { type: 'string' }, at: { type: 'integer' }, after: COUNT }) }])
    )
  }
})

/** All of a state but its records. */
export function filed({ store, counters, clock, script }: { store: Store; counters: IdCounters; clock: ClockStart; script: Script }): Filed {
  const deleted = FAMILIES.flatMap(family => {
    const removed = store[family].removed()
    return removed.length === 0 ? [] : [[family, removed] as const]
  })
  return { counters, clock, script: script.listed(), deleted: Object.fromEntries(deleted) }
}

/** Where a filed state stands, and where problems with it go. */
export type Reading = { document: SourceDocument; at: readonly Step[]; settings: Settings; found: Found[] }

/** The store that filed records and keys make; the families that `records` leaves out are those of `base`. Problems are added to `found`. */
export function storeIn(records: FiledRecords, { deleted }: Filed, { document, at, settings, found }: Reading, base = new Store()): Store {
  const store = base.without(FAMILIES.filter(family => records[family] !== undefined))
  store.keys.clear()
  const fixture = fixtureIn(document, records, [...at, 'records'])
  // Refunds that were made when tips could be refunded stay when the setting is changed
  const loosest = { ...settings, 'transactions.refundable': 'amount_plus_extras' } as const
  found.push(...duplicatesIn(fixture), ...put(fixture, store, { ids: new Ids(), now: 0, settings: loosest }).problems)
  for (const [family, removed] of Object.entries(deleted)) {
    if (records[family] !== undefined) for (const one of removed) store[family as Family].bury(one)
  }
  return store
}

/** The script that filed entries make. Problems are added to `found`. */
export async function scriptIn({ script: entries }: Filed, { document, at, found }: Reading): Promise<Script> {
  const script = new Script()
  for (const [index, { id, entry: data, fitted, acted }] of entries.entries()) {
    const entry = await compileEntry(data, (steps, message) => found.push({ document, steps: [...at, 'script', index, 'entry', ...steps], message }))
    if (entry) script.put(id, entry, { fitted, acted })
  }
  return script
}
