/** Fixtures: the records of documents, by their families. */
import type { Ids } from '../../core/ids.js'
import type { Step } from '../../core/places.js'
import type { Said } from '../../core/sentences.js'
import type { Settings } from '../../core/settings.js'
import type { Family } from '../../reference/operations.js'
import { each } from '../../reference/rules.js'
import { FAMILIES } from '../../store/store.js'
import type { DocumentProblem } from '../documents.js'
import type { SourceDocument } from '../read/document.js'
import { say } from '../sentences.js'

export type RecordFields = Readonly<Record<string, unknown>>
type Section = Family | 'api_keys' | 'deleted_users'
export type Sourced = {
  fields: RecordFields
  index: number
  list: { document: SourceDocument; steps: readonly Step[] }
}
export type Fixture = Readonly<Record<Section, readonly Sourced[]>>
export type GenerationContext = {
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
} as const satisfies Readonly<Record<Family, string | null>>

export const SECTIONS = ['api_keys', ...FAMILIES, 'deleted_users'] as const
const nameOf = (section: Section) => (section === 'api_keys' ? 'key' : 'id')
export const inSections = <T>(make: (section: Section) => T) => each(SECTIONS, make)

export const fixtureIn = (
  document: SourceDocument,
  data: Readonly<Partial<Record<Section, unknown>>>,
  under: readonly Step[] = []
): Fixture =>
  inSections(section => {
    const list = { document, steps: [...under, section] }
    return ((data[section] ?? []) as readonly RecordFields[]).map((fields, index) => ({
      fields,
      index,
      list
    }))
  })

export const recordsIn = (fixtures: readonly Fixture[]): number =>
  fixtures.reduce(
    (sum, fixture) => SECTIONS.reduce((all, section) => all + fixture[section].length, sum),
    0
  )

export const usersIn = ({ users, deleted_users: deleted }: Fixture): readonly Sourced[] =>
  [
    ...users.map((user, index) => ({ user, place: index + 1 })),
    ...deleted.map(user => ({ user, place: Number(user.fields.after ?? users.length) + 0.5 }))
  ]
    .sort((a, b) => a.place - b.place)
    .map(({ user }) => user)

export function merged(fixtures: readonly Fixture[]): Fixture {
  return inSections(section => {
    const byName = new Map<unknown, Sourced>()
    for (const { [section]: sources } of fixtures)
      for (const source of sources) byName.set(source.fields[nameOf(section)] ?? source, source)
    return [...byName.values()]
  })
}

export function duplicatesIn(fixture: Fixture): DocumentProblem[] {
  return SECTIONS.flatMap(section => {
    const names = new Set<unknown>()
    const field = nameOf(section)
    return fixture[section].flatMap(source => {
      const name = source.fields[field]
      if (name == null || names.size < names.add(name).size) return []
      return [
        problemOf(
          source,
          [field],
          say('listed_twice', section === 'api_keys' ? 'the key' : `the id ${name}`)
        )
      ]
    })
  })
}

export const problemOf = (
  { list: { document, steps }, index }: Sourced,
  path: readonly Step[],
  problem: Said
): DocumentProblem => ({
  document,
  steps: [...steps, index, ...path],
  ...problem
})
