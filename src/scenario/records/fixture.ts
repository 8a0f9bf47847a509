/** Fixtures: the records of documents, by their families. */
import type { Step } from '../../core/places.js'
import type { Said } from '../../core/sentences.js'
import { each } from '../../reference/rules.js'
import { FAMILIES } from '../../store/store.js'
import type { DocumentProblem, Located, Problems } from '../documents.js'
import { say } from '../sentences.js'
import type { RecordFields } from './record.js'

export type Sourced = {
  fields: RecordFields
  index: number
  list: { document: Located; steps: readonly Step[] }
}
export type Fixture = Readonly<Record<Section, readonly Sourced[]>>
export const SECTIONS = ['api_keys', ...FAMILIES] as const
type Section = (typeof SECTIONS)[number]

export const fixtureIn = (
  document: Located,
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
