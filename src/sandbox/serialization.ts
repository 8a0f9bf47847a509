/** A sandbox's state as the lines of a file hold it, and back: parts, each as a whole, and records in the order of creation. */

import { Ids } from '../core/ids.js'
import { LATEST_INSTANT } from '../core/instants.js'
import type { Step } from '../core/places.js'
import { flattened, type GivenSettings, nested, SETTINGS, type Settings, settingsSchema } from '../core/settings.js'
import type { Family } from '../reference/operations.js'
import { type Problems, reportTo, type SourceDocument } from '../scenario/documents.js'
import { keysIn, recordText } from '../scenario/export.js'
import { FixtureImporter, fixtureIn } from '../scenario/fixture.js'
import { entrySchema, fixtureSchema } from '../scenario/schemas.js'
import { compileEntry, Script } from '../scenario/script.js'
import { FAMILIES, Store } from '../store/store.js'
import type { SavedState } from './lines.js'
import type { SandboxState } from './state.js'

const COUNT = { type: 'integer', minimum: 0 }
/** A schema of an object that has all of some properties. */
export const objectOf = (properties: Record<string, object>) => ({ type: 'object', required: Object.keys(properties), properties })
export const listOf = (items: object) => ({ type: 'array', items })

/** The properties of a state, as schemas. */
export const stateProperties = () => ({
  settings: settingsSchema(key => SETTINGS[key].scope === 'sandbox'),
  counters: { type: 'object', additionalProperties: COUNT },
  clock: objectOf({ at: { type: ['integer', 'null'], minimum: -LATEST_INSTANT, maximum: LATEST_INSTANT }, running: { type: 'boolean' } }),
  script: listOf({
    ...objectOf({ id: { type: 'string', pattern: '^scr_[1-9][0-9]{0,8}$' }, entry: entrySchema(), matched: COUNT, applied: COUNT }),
    additionalProperties: { type: 'integer' }
  }),
  records: fixtureSchema()
})

/** The JSON texts of the parts of a state by name; what changes in one is written as a whole. */
export type PartTexts = Readonly<Record<string, string>>
/** The revision of each family. */
export type Revisions = Readonly<Record<Family, number>>

export const partTexts = ({ settings, counters, clock, script, store }: SandboxState, more: object): PartTexts => {
  const parts = { settings: nested(settings), counters, clock, script: script.listed(), api_keys: keysIn(store), ...more }
  return Object.fromEntries(Object.entries(parts).map(([name, value]) => [name, JSON.stringify(value)]))
}

export const revisionsOf = (store: Store): Revisions => Object.fromEntries(FAMILIES.map(family => [family, store[family].revision])) as Revisions
const EMPTY = revisionsOf(new Store())

/** The text of an amendment, whose first member says what it is of. */
export const amendmentText = (of: string, parts: PartTexts): string =>
  `{${[of, ...Object.entries(parts).map(([name, text]) => `"${name}":${text}`)].join(',')}}`

/** The amendments that make a state of nothing, each made when it is asked for: the state must not change until then. */
export function* stateTexts(of: string, state: SandboxState, more: object): Generator<string> {
  yield amendmentText(of, partTexts(state, more))
  yield* recordTexts(of, state.store, changedIds(state.store, EMPTY))
}

/** The families that have changed since revisions of them, each with the ids of its changed records, null for all. */
export const changedIds = (store: Store, since: Revisions) =>
  FAMILIES.map(family => [family, store[family].changedSince(since[family])] as const).filter(([, ids]) => ids?.size !== 0)

/** Characters that the records of an amendment have together, at most; a longer record is alone. */
const ENOUGH = 2 ** 16

/** The amendments with changed records of a store, each made when it is asked for. */
export function* recordTexts(of: string, store: Store, changed: ReturnType<typeof changedIds>): Generator<string> {
  for (const [family, ids] of changed) {
    const textWith = (content: string) => `{${of},"family":"${family}",${content}}`
    if (ids === null) yield textWith('"all":true')
    let records = ''
    for (const text of textsOf(store, family, ids)) {
      const isFull = records !== '' && records.length + text.length > ENOUGH
      if (isFull) yield textWith(`"records":[${records}]`)
      records = isFull || records === '' ? text : `${records},${text}`
    }
    if (records !== '') yield textWith(`"records":[${records}]`)
  }
}

/** The texts of records with some ids, null being all, and of the places of deleted ones, in the order of creation. */
function* textsOf(store: Store, family: Family, ids: ReadonlySet<string> | null): Generator<string> {
  const collection = store[family]
  const isAnyGone = ids === null || [...ids].some(id => !collection.stored(id))
  const tombstones = new Map(isAnyGone ? collection.tombstones().map(({ id, at, owners }) => [id, { at, owners }]) : [])
  const present = ids ?? collection.someIds(Number.POSITIVE_INFINITY)
  const inOrder = () => {
    const places = Array.from(new Set([...tombstones.keys(), ...present]), id => ({ id, nth: collection.position(id)?.nth as number }))
    return places.sort((a, b) => a.nth - b.nth).map(({ id }) => id)
  }
  for (const id of ids === null && tombstones.size === 0 ? present : inOrder()) {
    const stored = collection.stored(id)
    yield stored ? recordText(family, stored.record) : JSON.stringify({ id, deleted: tombstones.get(id) })
  }
}

/** Where a saved state is, the settings that its records are checked with, and where its problems go. */
export type ReadContext = { document: SourceDocument; at: readonly Step[]; settings: Settings; problems: Problems }

/** The state that a saved one is; the families that its records leave out are those of `base`. Problems are added to those of the context. */
export async function stateOf(saved: SavedState, context: ReadContext, base = new Store()): Promise<SandboxState> {
  const { counters, clock, settings } = saved
  const script = await scriptOf(saved, context)
  return { store: storeOf(saved, context, base), counters, clock, script, settings: flattened(settings) as GivenSettings }
}

function storeOf({ records, deleted }: SavedState, { document, at, settings, problems }: ReadContext, base: Store): Store {
  const store = base.without(FAMILIES.filter(family => records[family] !== undefined))
  store.keys.clear()
  // Refunds that were made when tips could be refunded stay when the setting is changed
  const loosest = { ...settings, 'transactions.refundable': 'amount_plus_extras' } as const
  const importer = new FixtureImporter(store, { ids: new Ids(), now: 0, settings: loosest }, problems)
  importer.import(fixtureIn(document, records, [...at, 'records']))
  for (const family of FAMILIES) for (const tombstone of deleted[family] ?? []) store[family].addTombstone(tombstone)
  return store
}

async function scriptOf({ script: entries }: SavedState, { document, at, problems }: ReadContext): Promise<Script> {
  const script = new Script()
  for (const [index, { id, entry: data, ...count }] of entries.entries()) {
    const entry = await compileEntry(data, reportTo(problems, document, [...at, 'script', index, 'entry']))
    if (entry) script.put(id, entry, count)
  }
  return script
}
