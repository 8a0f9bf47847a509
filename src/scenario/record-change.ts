/** Changes of records that are made as a whole or not at all: some are made or replaced, as by a fixture, and some deleted. */
import type { Settings } from '../core/settings.js'
import { type Family, LINKED_FAMILIES } from '../reference/operations.js'
import { EARLIEST, LATEST } from '../store/ordered-index.js'
import { collectionOf, type Records, type Store } from '../store/store.js'

/** The families whose records refer to one of a family, each with the index that has these together. */
const REFERRING: Readonly<Record<Family, readonly (readonly [family: Family, index: string])[]>> = {
  accounts: [
    ['accounts', 'account'],
    ['users', 'account'],
    ['locations', 'account']
  ],
  users: [],
  locations: [['tickets', 'location']],
  tickets: [['transactions', 'location']],
  transactions: [['refunds', 'transaction']],
  refunds: []
}
const LINKS = Object.keys(LINKED_FAMILIES)

/** What refers to a record, so that it cannot be deleted: the ids of others, and what acts as an Account. */
export function referrers(store: Store, settings: Settings, family: Family, id: string): string[] {
  const group = family === 'tickets' ? (store.tickets.get(id) as Records['tickets']).location : id
  const range = { after: EARLIEST, before: LATEST, descending: false, count: Number.POSITIVE_INFINITY }
  const others = REFERRING[family].flatMap(([other, index]) => collectionOf(store, other).index(index).range(group, range))
  const ids = others.flatMap(({ record }) => (LINKS.some(link => (record as Readonly<Record<string, unknown>>)[link] === id) ? [record.id] : []))
  if (family !== 'accounts') return ids
  const isActor = settings['auth.accept_any_key'] === id
  return [...ids, ...([...store.keys.values()].includes(id) ? ['an API key'] : []), ...(isActor ? ['auth.accept_any_key'] : [])]
}
