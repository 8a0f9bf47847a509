/**
 * What stands at a place of a document, as an editor asks: the names that lead to it, what is known
 * of it, and where what it names is.
 */
import { isMap, isPair, isScalar, isSeq, type Node, parseDocument } from 'yaml'
import { partAt as dataAt, type Step } from '../core/places.js'
import { isObject } from '../core/quick-check.js'
import { ASSUMPTIONS } from '../reference/assumptions.js'
import { RULES } from '../reference/rules.js'
import { FAMILIES } from '../store/store.js'
import type { DocumentKind, SourceDocument } from './documents.js'
import type { Library } from './library.js'
import type { Place } from './places.js'
import { isBareFixture } from './scenario.js'
import { fixtureSchema, scenarioSchema, sharedScriptSchema } from './schemas.js'
import { isSharedScript, partsOfUse } from './shared-script.js'

/**
 * A name or a value at a place of a text: the names that lead to it, and the value where it is one.
 */
export type Part = { steps: readonly Step[]; value: unknown }
/** A place in a file. */
export type Target = Place & { file: string }
type Schema = Readonly<Record<string, unknown>>

const contains = (node: unknown, at: number) => {
  const range = (node as Node | null)?.range
  return !!range && at >= range[0] && at <= range[1]
}

/**
 * The part of a YAML or JSON text that an offset is in; null between parts. What is half written is
 * read as far as it goes.
 */
export function partAt(text: string, at: number): Part | null {
  let node: unknown = parseDocument(text, { logLevel: 'silent', strict: false }).contents
  const steps: Step[] = []
  while (isMap(node) || isSeq(node)) {
    const index: number = node.items.findIndex(item =>
      isPair(item) ? contains(item.key, at) || contains(item.value, at) : contains(item, at)
    )
    const item = node.items[index]
    if (item === undefined) return null
    steps.push(isPair(item) ? String(item.key) : index)
    if (isPair(item) && contains(item.key, at)) return { steps, value: undefined }
    node = isPair(item) ? item.value : item
  }
  return isScalar(node) && contains(node, at) ? { steps, value: node.value } : null
}

/** The schemas that a part of a schema can have, below steps. */
function schemasAt(schema: Schema, [step, ...rest]: readonly Step[]): Schema[] {
  const { then: ofType, else: otherwise } = schema as { then?: Schema; else?: Schema }
  if (ofType && otherwise)
    return [ofType, otherwise].flatMap(one =>
      schemasAt(
        { description: schema.description, ...one },
        step === undefined ? [] : [step, ...rest]
      )
    )
  if (step === undefined) return [schema]
  const {
    properties = {},
    items,
    additionalProperties
  } = schema as {
    properties?: Record<string, Schema>
    items?: Schema
    additionalProperties?: Schema
  }
  const named = Object.hasOwn(properties, step) ? properties[step] : additionalProperties
  const part = typeof step === 'number' ? items : named
  return isObject(part) ? schemasAt(part as Schema, rest) : []
}

const SCHEMAS: Readonly<Record<DocumentKind, () => object>> = {
  fixture: fixtureSchema,
  scenario: scenarioSchema,
  script: sharedScriptSchema
}

/** Which kind of document data is, as far as it says so. */
export function kindOf(data: unknown): DocumentKind {
  if (isSharedScript(data)) return 'script'
  return isBareFixture(data) ? 'fixture' : 'scenario'
}

/**
 * What is known of a part: the sentence of the rule or assumption that `word` names, or the
 * description of the name; null where nothing is.
 */
export function aboutPart(part: Part | null, word: string, data: unknown): string | null {
  const rule = Object.entries(RULES).find(([id]) => id === word)
  if (rule !== undefined) return `**${word}**: ${rule[1].text}.`
  const assumption = Object.entries(ASSUMPTIONS).find(([id]) => id === word)
  if (assumption !== undefined)
    return `**${word}**, assumed: ${assumption[1].topic}: ${assumption[1].default}.`
  if (part === null) return null
  const { steps } = part
  const descriptions = schemasAt(SCHEMAS[kindOf(data)]() as Schema, steps).flatMap(
    ({ description }) => (typeof description === 'string' ? [description] : [])
  )
  const name = steps.filter(step => typeof step === 'string').join('.')
  return descriptions.length === 0 ? null : `**${name}**: ${[...new Set(descriptions)].join(' ')}`
}

/**
 * Where what a part names is: the file or group under `use` and `fixtures`, a variable, a step, a
 * script entry, or a record; null where nowhere.
 */
export async function targetOf(
  { steps: [list, index, key, name], value }: Part,
  word: string,
  { document, file, library }: { document: SourceDocument; file: string | null; library: Library }
): Promise<Target | null> {
  const uses = isObject(document.data) && Array.isArray(document.data.use) ? document.data.use : []
  if (list === 'use') {
    const { source, data, stepsTo } = await usedBy(uses[index as number] ?? value, file, library)
    const entry =
      key === 'override' && typeof name === 'string' ? namedSteps(data, name, name) : null
    return placeIn(source, stepsTo(entry ?? []))
  }
  if (typeof value !== 'string') return null
  if (list === 'fixtures') return placeIn(await library.fixture(value, file), [])
  const whole = [document, ...(await fixturesOf(document, file, library))].map(
    (source): Root => ({ source, data: source.data, stepsTo: steps => steps })
  )
  for (const { source, data, stepsTo } of [
    ...whole,
    ...(await Promise.all(uses.map(use => usedBy(use, file, library))))
  ]) {
    const steps = namedSteps(data, value, word)
    if (steps !== null) return placeIn(source, stepsTo(steps))
  }
  return null
}

/** The parts of a scenario, and where they are in a file. */
type Root = {
  source: SourceDocument | string
  data: unknown
  stepsTo: (steps: readonly Step[]) => readonly Step[]
}

/**
 * The group that a member of `use` names, as the parts of a scenario; the file alone where there is
 * no such group.
 */
async function usedBy(use: unknown, file: string | null, library: Library): Promise<Root> {
  const reference = isObject(use) ? use.group : use
  const { file: shared, group } = partsOfUse(typeof reference === 'string' ? reference : '')
  const source = await library.sharedScript(shared, file).catch(() => '')
  const at = group === null ? [] : ['groups', group]
  const data = typeof source === 'string' ? null : dataAt(source.data, at)
  return Array.isArray(data)
    ? { source, data: { script: data }, stepsTo: steps => [...at, ...steps.slice(1)] }
    : { source, data, stepsTo: steps => [...at, ...steps] }
}

async function fixturesOf(
  { data }: SourceDocument,
  file: string | null,
  library: Library
): Promise<SourceDocument[]> {
  const fixtures = isObject(data) && Array.isArray(data.fixtures) ? data.fixtures : []
  const found = await Promise.all(
    fixtures.map(name => library.fixture(String(name), file).catch(() => ''))
  )
  return found.filter(source => typeof source !== 'string')
}

/**
 * Where a document has what a value names: of `${vars.x}` the variable, of `${x.id}` the step, of
 * another text the script entry or the record.
 */
function namedSteps(data: unknown, value: string, word: string): readonly Step[] | null {
  if (!isObject(data)) return null
  const whole = data as Record<string, unknown>
  const [, variable] = new RegExp(`\\$\\{\\s*vars\\.(${word})\\s*\\}`).exec(value) ?? []
  if (variable !== undefined && isObject(whole.vars)) return ['vars', variable]
  const find = (list: unknown, isIt: (member: Record<string, unknown>) => boolean) =>
    Array.isArray(list)
      ? list.findIndex(one => isObject(one) && isIt(one as Record<string, unknown>))
      : -1
  const lists: [steps: readonly Step[], list: unknown, name: string, of: string][] = [
    ...['steps', 'play'].map((name): (typeof lists)[number] => [
      [name],
      whole[name],
      'as',
      value.includes(`\${${word}`) ? word : ''
    ]),
    [['script'], whole.script, 'name', value],
    ...FAMILIES.map((family): (typeof lists)[number] => {
      const inData = isObject(whole.data)
      return [
        inData ? ['data', family] : [family],
        (inData ? (whole.data as Record<string, unknown>) : whole)[family],
        'id',
        value
      ]
    })
  ]
  for (const [steps, list, name, wanted] of lists) {
    const index = find(list, member => member[name] === wanted)
    if (index >= 0) return [...steps, index]
  }
  return null
}

async function placeIn(
  source: SourceDocument | string,
  steps: readonly Step[]
): Promise<Target | null> {
  if (typeof source === 'string') return null
  const [place] = await source.locate([steps])
  return { file: source.name, ...(place ?? { line: 1, column: 1 }) }
}
