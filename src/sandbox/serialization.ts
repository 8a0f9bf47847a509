/** A sandbox's state as JSON files hold it, and back: records and keys as a fixture, deleted ids, id counters, clock, script and settings. */

import type { ClockStart } from '../core/clock.js'
import { type IdCounters, Ids } from '../core/ids.js'
import { LATEST_INSTANT } from '../core/instants.js'
import type { Step } from '../core/places.js'
import { flattened, type GivenSettings, nested, SETTINGS, type Settings, settingsSchema } from '../core/settings.js'
import type { Family } from '../reference/operations.js'
import { type DocumentProblem, reportTo, type SourceDocument } from '../scenario/documents.js'
import { exportedText } from '../scenario/export.js'
import { FixtureImporter, fixtureIn } from '../scenario/fixture.js'
import { entrySchema, fixtureSchema } from '../scenario/schemas.js'
import { compileEntry, type EntryCount, type EntryData, Script } from '../scenario/script.js'
import type { Tombstone } from '../store/collection.js'
import { FAMILIES, Store } from '../store/store.js'
import type { SandboxState } from './state.js'

/** A state as a file holds it. Families that `records` leaves out are those of another state, which the file names. */
export type SerializedState = {
  settings: object
  counters: IdCounters
  clock: ClockStart
  script: ({ id: string; entry: EntryData } & EntryCount)[]
  deleted: Partial<Record<Family, Tombstone[]>>
  records: Readonly<Record<string, unknown[]>>
}

const COUNT = { type: 'integer', minimum: 0 }
/** A schema of an object that has all of some properties. */
export const objectOf = (properties: Record<string, object>) => ({ type: 'object', required: Object.keys(properties), properties })

/** The schema of a serialized state. */
export const stateSchema = () => ({
  ...objectOf({
    settings: settingsSchema(key => SETTINGS[key].scope === 'sandbox'),
    counters: { type: 'object', additionalProperties: COUNT },
    clock: objectOf({ at: { type: ['integer', 'null'], minimum: -LATEST_INSTANT, maximum: LATEST_INSTANT }, running: { type: 'boolean' } }),
    script: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['id', 'entry', 'matched', 'applied'],
        properties: {
          id: { type: 'string', pattern: '^scr_[1-9][0-9]{0,8}$' },
          entry: entrySchema(),
          matched: COUNT,
          applied: COUNT,
          too_long: COUNT,
          first: { type: 'integer' }
        }
      }
    },
    deleted: {
      type: 'object',
      additionalProperties: false,
      properties: Object.fromEntries(
        FAMILIES.map(family => [
          family,
          {
            type: 'array',
            items: objectOf({ id: { type: 'string' }, at: { type: 'integer' }, after: COUNT, owners: { type: 'array', items: { type: 'string' } } })
          }
        ])
      )
    },
    records: fixtureSchema()
  }),
  additionalProperties: false
})

/** What is small in a state, as a file holds it. */
const PARTS = {
  settings: ({ settings }: SandboxState) => nested(settings),
  counters: ({ counters }: SandboxState) => counters,
  clock: ({ clock }: SandboxState) => clock,
  script: ({ script }: SandboxState) => script.listed()
} satisfies Partial<Record<keyof SerializedState, (state: SandboxState) => unknown>>
export type PartName = keyof typeof PARTS
/** The JSON texts of the small parts of a state. */
export type PartTexts = Readonly<Record<PartName, string>>
const PART_NAMES = Object.keys(PARTS) as PartName[]

export const partTexts = (state: SandboxState): PartTexts =>
  Object.fromEntries(PART_NAMES.map(name => [name, JSON.stringify(PARTS[name](state))])) as Record<PartName, string>

/** JSON texts by name as the text of an object. */
export const objectText = (texts: Readonly<Record<string, string>>): string =>
  `{${Object.entries(texts)
    .map(([name, text]) => `"${name}":${text}`)
    .join(',')}}`

/** The JSON text of the deleted ids of each family that has any. */
export function deletedText(store: Store): string {
  const deleted = FAMILIES.map(family => [family, store[family].tombstones()] as const)
  return JSON.stringify(Object.fromEntries(deleted.filter(([, tombstones]) => tombstones.length > 0)))
}

/** The JSON text of a state, with the records of some families alone; keys are always among them. */
export function stateText(state: SandboxState, families: readonly Family[] = FAMILIES, parts: PartTexts = partTexts(state)): string {
  return objectText({ ...parts, deleted: deletedText(state.store), records: exportedText(state.store, families) })
}

/** Where a serialized state is, the settings that its records are checked with, and where its problems go. */
export type ReadContext = { document: SourceDocument; at: readonly Step[]; settings: Settings; problems: DocumentProblem[] }

/** The state that a serialized one holds; the families that its records leave out are those of `base`. Problems are added to those of the context. */
export async function stateOf(serialized: SerializedState, context: ReadContext, base = new Store()): Promise<SandboxState> {
  const { counters, clock, settings } = serialized
  const script = await scriptOf(serialized, context)
  return { store: storeOf(serialized, context, base), counters, clock, script, settings: flattened(settings) as GivenSettings }
}

function storeOf({ records, deleted }: SerializedState, { document, at, settings, problems }: ReadContext, base: Store): Store {
  const store = base.without(FAMILIES.filter(family => records[family] !== undefined))
  store.keys.clear()
  // Refunds that were made when tips could be refunded stay when the setting is changed
  const loosest = { ...settings, 'transactions.refundable': 'amount_plus_extras' } as const
  const importer = new FixtureImporter(store, { ids: new Ids(), now: 0, settings: loosest }, problems)
  importer.import(fixtureIn(document, records, [...at, 'records']))
  for (const [family, tombstones] of Object.entries(deleted)) {
    if (records[family] !== undefined) for (const tombstone of tombstones) store[family as Family].addTombstone(tombstone)
  }
  return store
}

async function scriptOf({ script: entries }: SerializedState, { document, at, problems }: ReadContext): Promise<Script> {
  const script = new Script()
  for (const [index, { id, entry: data, ...count }] of entries.entries()) {
    const entry = await compileEntry(data, reportTo(problems, document, [...at, 'script', index, 'entry']))
    if (entry) script.put(id, entry, count)
  }
  return script
}
