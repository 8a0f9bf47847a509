/** Changes of records, all or none: deletions, then records as in a fixture. */
import { didYouMean } from '../../core/nearest.js'
import type { Said } from '../../core/sentences.js'
import type { Settings } from '../../core/settings.js'
import { type Family, LINKED_FAMILIES } from '../../reference/operations.js'
import { collectionOf, FAMILIES, type Store } from '../../store/store.js'
import { documentOf, type Problems, type Report } from '../documents.js'
import { fieldIn } from '../match/fields.js'
import { say } from '../sentences.js'
import { present } from '../shape/checked.js'
import type { ChangeData } from '../shape/entry.js'
import { type Fixture, fixtureIn, type GenerationContext, recordsIn } from './fixture.js'
import { FixtureImporter, type ImportedRecords } from './importer.js'

/** `removed`: ids to delete first, in these families. */
export type Edit = { fixture: Fixture; removed: readonly string[]; families?: readonly Family[] }
export type RecordName = { family: Family; id: string }
export type Edited = { imported: ImportedRecords; removed: readonly RecordName[] }

/** The request waits for the edit. */
const MAX_NAMED = 100
const DOCUMENT = documentOf('script', null)

export function editOf({ data = {}, delete: removed = [] }: ChangeData, report: Report): Edit {
  const fixture = fixtureIn(DOCUMENT, data, ['change', 'data'])
  const count = recordsIn([fixture]) + removed.length
  if (count === 0) report(['change'], say('no_change'))
  if (count > MAX_NAMED) report(['change'], say('change_too_large', MAX_NAMED, count))
  return { fixture, removed }
}

/** In a copy of a store. Yields after each record. Deleting a record again is no problem. */
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
    const note = (problem: Said) =>
      problems.push({ document: DOCUMENT, steps: ['change', 'delete', nth], ...problem })
    const family = removed.find(name => name.id === id)?.family
    const referring = family ? referrers(store, generation.settings, family, id, links) : []
    const remaining = referring.filter(name => !ids.includes(name))
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

const REFERRING: Partial<Record<Family, readonly [index: string, ...families: Family[]]>> = {
  accounts: ['account', 'accounts', 'users', 'locations'],
  locations: ['location', 'tickets'],
  tickets: ['location', 'transactions'],
  transactions: ['transaction', 'refunds']
}
const LINKS = Object.keys(LINKED_FAMILIES)

/** `known` remembers the links of each group of records. */
function referrers(
  store: Store,
  settings: Settings,
  family: Family,
  id: string,
  known: Map<string, Map<unknown, string[]>>
): string[] {
  const group = family === 'tickets' ? present(store.tickets.get(id)).location : id
  const [index = '', ...families] = REFERRING[family] ?? []
  const place = `${family} ${group}`
  const links = known.get(place) ?? new Map<unknown, string[]>()
  if (!known.has(place))
    for (const referringFamily of families)
      for (const { record } of collectionOf(store, referringFamily).group(index, group))
        for (const link of LINKS) {
          const to = fieldIn(record, link)
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
