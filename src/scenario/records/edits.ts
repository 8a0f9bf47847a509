/** Changes of records, made as a whole or not at all: deletions, then records as of a fixture. */
import { Ids, kindOf } from '../../core/ids.js'
import { didYouMean } from '../../core/nearest.js'
import { partAt } from '../../core/places.js'
import type { Said } from '../../core/sentences.js'
import type { Settings } from '../../core/settings.js'
import { ACCOUNT_TYPES } from '../../reference/accounts.js'
import { type Family, LINKED_FAMILIES } from '../../reference/operations.js'
import { collectionOf, FAMILIES, type Records, type Store } from '../../store/store.js'
import { type DocumentProblem, documentOf, type Problems, type Report } from '../documents.js'
import { say } from '../sentences.js'
import type { ChangeData, EntryData } from '../shape/entry.js'
import { type Fixture, fixtureIn, type GenerationContext, recordsIn } from './fixture.js'
import { FixtureImporter, type ImportedRecords } from './importer.js'

/** The ids of `removed` are deleted first, in these families. */
export type Edit = { fixture: Fixture; removed: readonly string[]; families?: readonly Family[] }
export type RecordName = { family: Family; id: string }
export type Edited = { imported: ImportedRecords; removed: readonly RecordName[] }

/** An edit is made while its request waits. */
const MAX_NAMED = 100
const DOCUMENT = documentOf('script', null)

/** Places are those in the entry. */
export function editOf({ data = {}, delete: removed = [] }: ChangeData, report: Report): Edit {
  const fixture = fixtureIn(DOCUMENT, data, ['change', 'data'])
  const count = recordsIn([fixture]) + removed.length
  if (count === 0) report(['change'], say('no_change'))
  if (count > MAX_NAMED) report(['change'], say('change_too_large', MAX_NAMED, count))
  return { fixture, removed }
}

/**
 * In a copy of a store, thrown away where there are problems. Yields after each record. To delete
 * one that was deleted before is no problem.
 */
export function* editing(
  store: Store,
  { fixture, removed: ids, families = FAMILIES }: Edit,
  generation: GenerationContext,
  problems: Problems
): Generator<void, Edited> {
  const removed = families
    .toReversed()
    .flatMap(family =>
      ids.flatMap((id): RecordName[] => (store[family].get(id) ? [{ family, id }] : []))
    )
  const links = new Map()
  for (const [nth, id] of ids.entries()) {
    const note = (said: Said) =>
      problems.push({ document: DOCUMENT, steps: ['change', 'delete', nth], ...said })
    const family = removed.find(name => name.id === id)?.family
    const by = family ? referrers(store, generation.settings, family, id, links) : []
    const remaining = by.filter(by => !ids.includes(by))
    if (remaining.length > 0) note(say('in_use', id, remaining))
    else if (!FAMILIES.some(family => store[family].has(id)))
      note(say('missing_record', 'record', id, didYouMean(id, suggestedIds(store))))
  }
  // a Refund goes before its Transaction, which then has less refunded
  if (problems.length === 0) for (const { family, id } of removed) store.remove(family, id)
  const importer = new FixtureImporter(store, generation, problems)
  yield* importer.importing([fixture])
  return { imported: importer.imported, removed }
}

const MAX_SUGGESTED = 200
export const suggestedIds = (store: Store, families: readonly Family[] = FAMILIES): string[] =>
  families.flatMap(family => store[family].someIds(MAX_SUGGESTED))

export const idsMade = (entries: readonly EntryData[]): ReadonlySet<unknown> =>
  new Set(
    entries.flatMap(({ change }) =>
      Object.values(change?.data ?? {}).flatMap(list =>
        (list as { id?: string }[]).map(({ id }) => id)
      )
    )
  )

/** A first state to try what is written in a script or expectation. */
export type Trial = {
  store: Store
  generation: GenerationContext
  /** Whether no record had a problem, and what is not there is nowhere else. */
  isKnown: boolean
  made: ReadonlySet<unknown>
}

export const isMissing = (
  { store, isKnown, made }: Trial,
  id: string,
  families: readonly Family[]
): boolean =>
  isKnown && !made.has(id) && families.every(family => store[family].get(id) === undefined)

/** How ids begin that a request may be given. */
export const prefixesOf = (
  { generation: { settings } }: Trial,
  families: readonly Family[]
): readonly string[] =>
  families.flatMap(family =>
    ACCOUNT_TYPES.map(type => settings[`ids.prefixes.${kindOf(family, type)}`])
  )

/** Problems that no request changes. */
const CERTAIN = ['listed_twice', 'reserved_field', 'other_type', 'sum_too_large']

/** On a copy of a first state: problems are warnings, unless the edit can never be made. */
export function checkEdit(
  entry: object,
  edit: Edit,
  trial: Trial,
  report: Report,
  warn: Report
): void {
  const found: DocumentProblem[] = []
  const { store, generation } = trial
  Array.from(editing(store.clone(), edit, { ...generation, ids: new Ids() }, found))
  for (const problem of found) {
    const { steps, code } = problem
    const [isNamed, id] = [code === 'missing_record', String(partAt(entry, steps))]
    if (isNamed && !isMissing(trial, id, FAMILIES)) continue
    // no request makes a Ticket
    const isDrawn = () => prefixesOf(trial, FAMILIES).some(prefix => id.startsWith(prefix))
    const isGone = isNamed && (steps.at(-1) === 'ticket' || (steps[1] === 'delete' && !isDrawn()))
    const say = isGone || CERTAIN.includes(code) ? report : warn
    say(steps, problem)
  }
}

const REFERRING: Partial<Record<Family, readonly [index: string, ...families: Family[]]>> = {
  accounts: ['account', 'accounts', 'users', 'locations'],
  locations: ['location', 'tickets'],
  tickets: ['location', 'transactions'],
  transactions: ['transaction', 'refunds']
}
const LINKS = Object.keys(LINKED_FAMILIES)

/**
 * What refers to a record. `known` has what was found for others, so that each group is gone
 * through once.
 */
function referrers(
  store: Store,
  settings: Settings,
  family: Family,
  id: string,
  known: Map<string, Map<unknown, string[]>>
): string[] {
  const group = family === 'tickets' ? (store.tickets.get(id) as Records['tickets']).location : id
  const [index = '', ...families] = REFERRING[family] ?? []
  const place = `${family} ${group}`
  const links = known.get(place) ?? new Map<unknown, string[]>()
  if (!known.has(place))
    for (const other of families)
      for (const { record } of collectionOf(store, other).group(index, group))
        for (const link of LINKS) {
          const to = (record as Readonly<Record<string, unknown>>)[link]
          const ids = links.get(to)
          if (ids) ids.push(record.id)
          else links.set(to, [record.id])
        }
  known.set(place, links)
  const ids = links.get(id) ?? []
  if (family !== 'accounts') return ids
  const isActor = settings['auth.accept_any_key'] === id
  return [
    ...ids,
    ...([...store.keys.values()].includes(id) ? ['an API key'] : []),
    ...(isActor ? ['auth.accept_any_key'] : [])
  ]
}
