/** Fixtures: the records of documents, by their families. */
import { type Ids, kindOf } from '../../core/ids.js'
import { isoOf } from '../../core/instants.js'
import type { Step } from '../../core/places.js'
import { didYouMean, type Said } from '../../core/sentences.js'
import type { Settings } from '../../core/settings.js'
import type { AccountType } from '../../reference/accounts.js'
import { type Family, LINKED_FAMILIES, RESOURCE_NAMES } from '../../reference/operations.js'
import { each } from '../../reference/rules.js'
import { FAMILIES, type RecordOf, type Store } from '../../store/store.js'
import { completed } from '../completion.js'
import type { DocumentProblem, Problems } from '../documents.js'
import type { SourceDocument } from '../read/document.js'
import { say } from '../sentences.js'
import { instantIn } from '../shape/checked.js'

export type RecordFields = Readonly<Record<string, unknown>>
export type Sourced = {
  fields: RecordFields
  index: number
  list: { document: SourceDocument; steps: readonly Step[] }
}
export type Fixture = Readonly<Record<Section, readonly Sourced[]>>
export type GenerationContext = {
  store: Store
  ids: Ids
  now: number
  settings: Settings
  /** Records may refer to others that are elsewhere. */
  isOpen?: boolean
}

export const OWNERS = {
  accounts: null,
  users: 'account',
  locations: 'account',
  tickets: 'location',
  transactions: 'ticket',
  refunds: 'transaction'
} as const satisfies Readonly<Record<Family, keyof typeof LINKED_FAMILIES | null>>

export const SECTIONS = ['api_keys', ...FAMILIES, 'deleted_users'] as const
type Section = (typeof SECTIONS)[number]

export const fixtureIn = (
  document: SourceDocument,
  data: Readonly<Partial<Record<Section, unknown>>>,
  under: readonly Step[] = []
): Fixture =>
  each(SECTIONS, section => {
    const list = { document, steps: [...under, section] }
    return ((data[section] ?? []) as readonly RecordFields[]).map((fields, index) => ({
      fields,
      index,
      list
    }))
  })

export const recordsIn = (fixtures: readonly Fixture[]): number =>
  fixtures
    .flatMap(fixture => Object.values(fixture))
    .reduce((sum, sources) => sum + sources.length, 0)

/** Users, and those that were deleted after some of them were created. */
export const usersIn = ({ users, deleted_users: deleted }: Fixture): readonly Sourced[] =>
  [
    ...users.map((user, index) => ({ user, place: index + 1 })),
    ...deleted.map(user => ({ user, place: Number(user.fields.after ?? users.length) + 0.5 }))
  ]
    .sort((a, b) => a.place - b.place)
    .map(({ user }) => user)

/** Later records win by id, in the place of the first; one fixture has each once. */
export const merged = (fixtures: readonly Fixture[], problems: Problems): Fixture =>
  each(SECTIONS, section => {
    const field = section === 'api_keys' ? 'key' : 'id'
    const byName = new Map<unknown, Sourced>()
    for (const { [section]: sources } of fixtures) {
      const names = new Set<unknown>()
      for (const source of sources) {
        const name = source.fields[field] ?? source
        const what = section === 'api_keys' ? 'the key' : `the id ${name}`
        if (names.has(name)) problems.push(problemOf(source, [field], say('listed_twice', what)))
        byName.set(names.has(name) ? source : name, source)
        names.add(name)
      }
    }
    return [...byName.values()]
  })

export const problemOf = (
  { list: { document, steps }, index }: Sourced,
  path: readonly Step[],
  problem: Said
): DocumentProblem => ({
  document,
  steps: [...steps, index, ...path],
  ...problem
})

export const someIds = (store: Store, families: readonly Family[] = FAMILIES): string[] =>
  families.flatMap(family => store[family].someIds())

/** Suggests a similar id, or one of `words`. */
export function missingRecord(
  id: string,
  families: readonly Family[],
  store: Store,
  otherwise = '',
  words: readonly string[] = []
): Said {
  const names = families.map(family => RESOURCE_NAMES[family])
  const resource = families === FAMILIES ? 'record' : names.join(' or ')
  const advice = didYouMean(id, [...words, ...someIds(store, families)]) || otherwise
  return say('missing_record', resource, id, advice)
}

/** Without an id it gets one that is drawn; without a time it is created now. */
export function recordOf<F extends Family>(
  family: F,
  fields: RecordFields,
  { store, ids, now, settings }: GenerationContext
): RecordOf<F> {
  const { type, created } = fields
  const id = fields.id ?? ids.draw(kindOf(family, type as AccountType), settings, store[family])
  const identity = { id, created: created == null ? isoOf(now) : storedInstant(String(created)) }
  const link = OWNERS[family]
  const parent = link ? store[LINKED_FAMILIES[link]].get(String(fields[link])) : undefined
  return completed(family, { ...fields, ...identity }, { settings, parent })
}

/** Keeps the text if it already has the form of stored instants (A05). */
const storedInstant = (text: string): string =>
  IS_STORED_INSTANT.test(text) ? text : isoOf(instantIn(text))
const IS_STORED_INSTANT = /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/
