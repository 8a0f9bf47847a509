/** Documents as they are written: YAML or JSON text, read with the place of each part. */
import { isUtf8 } from 'node:buffer'
import { type Checker, MAX_PROBLEMS } from '../core/checking.js'
import { ApiError, type Problem } from '../core/errors.js'
import { sentence } from '../core/nearest.js'
import { type PlacedProblem, partAt, pathOf, problemAt, type Step } from '../core/places.js'
import { isSecret } from '../core/redaction.js'
import type { Said } from '../core/sentences.js'
import { SETTING_KEYS, SETTINGS } from '../core/settings.js'
import { visible } from '../core/visible.js'
import type { Schema } from '../reference/parameters.js'
import { PARAMETER_TABLES } from '../reference/tables.js'
import { say } from './document-sentences.js'
import { lostInJson, placesInJson, sizeOfJson, type WrittenNumber } from './json-text.js'
import { DEFAULT_LIMITS, type DocumentLimits, MAX_NESTING, sizeProblem } from './limits.js'
import { type Locate, type Place, placesIn } from './places.js'
import type { ReadYaml } from './yaml.js'

export type SourceDocument = {
  /** The file's name, or where else the document came from. */
  name: string
  data: unknown
  limits: DocumentLimits
  locate: Locate<Promise<readonly (Place | null)[]>>
  /** Those that are not printed as they are written. */
  numbers?: readonly WrittenNumber[]
  /** The schema that the data is known to match. */
  checkedAs?: DocumentKind
}
export type TextType = 'json' | 'yaml'
/** `script` is a file of script entries that scenarios share. */
export type DocumentKind = 'fixture' | 'scenario' | 'script'
/** `isOfName`: about a name and not its value, if the code does not say so. */
export type DocumentProblem = Said & {
  document: SourceDocument
  steps: readonly Step[]
  isOfName?: boolean
}
/** Codes of problems that are about a name. */
const OF_NAMES = [
  'unknown_name',
  'unknown_parameter',
  'unknown_field',
  'unused_variable',
  'no_section',
  'group_name',
  'process_setting',
  'framing_header',
  'reserved_field',
  'variable_as_name',
  'not_a_variable_name',
  'unbalanced_brackets'
]
/** By the place in the current part of a document. */
export type Report = (
  steps: readonly Step[],
  said: Said & Pick<DocumentProblem, 'isOfName'>
) => void

/** Collects problems. */
export type Problems = { readonly length: number; push: (problem: DocumentProblem) => unknown }

class EnoughProblems extends Error {}

/** Ends the search by an error when there are more problems than are listed. */
export class ProblemList implements Problems {
  readonly all: DocumentProblem[] = []

  get length(): number {
    return this.all.length
  }

  push(...problems: DocumentProblem[]): void {
    for (const problem of problems)
      if (this.all.push(problem) > MAX_PROBLEMS) throw new EnoughProblems()
  }
}

/** Errors: `document_invalid` with the problems that `make` found, in the order of `documents`. */
export async function withoutProblems<T>(
  problems: ProblemList,
  make: () => Promise<T>,
  documents?: readonly SourceDocument[]
): Promise<T> {
  try {
    const made = await make()
    if (problems.length === 0) return made
  } catch (error) {
    if (!(error instanceof EnoughProblems)) throw error
  }
  throw await refusalOf(problems.all, documents)
}

export type DocumentPart = Pick<DocumentProblem, 'document' | 'steps'>
/** Finds where the current part is written. */
export type Written = (steps: readonly Step[]) => DocumentPart

export const writtenIn =
  (document: SourceDocument, under: readonly Step[] = []): Written =>
  steps => ({ document, steps: [...under, ...steps] })

export const reportBy =
  (problems: Problems, written: Written): Report =>
  (steps, said) =>
    void problems.push({
      ...said,
      ...written(steps)
    })

export const reportTo = (
  problems: Problems,
  document: SourceDocument,
  under: readonly Step[] = []
): Report => reportBy(problems, writtenIn(document, under))

/** Reports what is found in a part by its place in the whole. */
export const within =
  (report: Report, ...under: readonly Step[]): Report =>
  (steps, message) =>
    report([...under, ...steps], message)

/** Each document is read through once. */
export async function placesOf(parts: readonly DocumentPart[]): Promise<(Place | null)[]> {
  const places = new Map<DocumentPart, Place | null>()
  for (const document of new Set(parts.map(({ document }) => document))) {
    const own = parts.filter(part => part.document === document)
    const found = await document.locate(own.map(({ steps }) => steps))
    for (const [index, part] of own.entries()) places.set(part, found[index] as Place | null)
  }
  return parts.map(part => places.get(part) as Place | null)
}

/** Of data, which has no lines. */
export const documentOf = (
  name: string,
  data: unknown,
  limits = DEFAULT_LIMITS
): SourceDocument => ({
  name,
  data,
  limits,
  locate: async places => places.map(() => null)
})

/**
 * Reads text; where its type is not given, as JSON when it is JSON, else as YAML.
 * Errors: `body_malformed` for a text that must be JSON and is not, `document_invalid` with the
 * syntax problems of YAML, `document_too_large`.
 */
export async function readDocument(
  name: string,
  text: string,
  { limits = DEFAULT_LIMITS, type = null }: { limits?: DocumentLimits; type?: TextType | null } = {}
): Promise<SourceDocument> {
  const json =
    type === 'json' || (type === null && /^\s*[{[]/.test(text))
      ? jsonOf(name, text, limits, type)
      : undefined
  if (json !== undefined)
    return { name, ...json, limits, locate: async (...wanted) => placesInJson(text, ...wanted) }

  const { data: read, problems, numbers, locate } = await yamlIn(text, limits)
  if (problems.length === 0 && isDeeper(read, MAX_NESTING))
    problems.push({ ...say('too_deep', MAX_NESTING), line: 1, column: 1 })
  if (problems.length === 0)
    return { name, data: read, numbers, limits, locate: async (...wanted) => locate(...wanted) }
  throw documentInvalid(
    problems.map(({ message, ...problem }) => ({
      file: name,
      path: '',
      ...problem,
      message
    }))
  )
}

/** Whether data is nested deeper than this number of levels. */
const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some(part => isDeeper(part, levels - 1)))

export async function refusalOf(
  problems: readonly DocumentProblem[],
  documents: readonly SourceDocument[] = problems.map(({ document }) => document)
): Promise<ApiError> {
  return documentInvalid(await listedProblems(problems, documents), problems.length > MAX_PROBLEMS)
}

/**
 * Deduplicated, document after document in the order of `documents`, within each by place, a whole
 * before its parts.
 */
export async function listedProblems(
  problems: readonly DocumentProblem[],
  documents: readonly SourceDocument[]
): Promise<Problem[]> {
  const names = [...new Set(documents.map(({ name }) => name))]
  const unique = [
    ...new Map(
      problems.map(problem => [
        JSON.stringify([problem.document.name, problem.steps, problem.message]),
        problem
      ])
    ).values()
  ]
  // a name that is missing is probably there, but misspelt
  const misnamed = new Set(
    unique.flatMap(({ document, steps, code }) =>
      code === 'unknown_name' ? [placeOf(document, steps.slice(0, -1))] : []
    )
  )
  const told = unique.filter(
    ({ document, steps, code }) => code !== 'required' || !misnamed.has(placeOf(document, steps))
  )
  const listed: { rank: number[]; problem: Problem }[] = []
  for (const document of new Set(told.map(({ document }) => document))) {
    const own = told.filter(problem => problem.document === document)
    const wanted = own.map(({ steps }) => steps)
    const ofNames = own.map(({ code, isOfName = OF_NAMES.includes(code) }) => isOfName)
    const places = await document.locate(wanted, ofNames)
    // data has an order all the same: that of its text, if it had one
    const order = places.every(place => place === null)
      ? placesInJson(JSON.stringify(document.data ?? null), wanted)
      : places
    for (const [index, { steps, code, message }] of own.entries()) {
      const { line = 0, column = 0 } = order[index] ?? {}
      const problem = {
        file: document.name,
        path: pathOf(steps),
        code,
        message,
        ...places[index]
      }
      listed.push({ rank: [names.indexOf(document.name), line, column, steps.length], problem })
    }
  }
  return listed
    .sort((a, b) =>
      a.rank.reduce((apart, number, nth) => apart || number - (b.rank[nth] as number), 0)
    )
    .map(({ problem }) => problem)
}

const placeOf = ({ name }: SourceDocument, steps: readonly Step[]) => JSON.stringify([name, steps])

const NUMBERS: ReadonlySet<string> = new Set([
  ...PARAMETER_TABLES.flatMap(numbersIn),
  ...['calls', 'times', 'payments_per_ticket', 'status']
])
const NUMBER_SETTINGS = SETTING_KEYS.filter(
  key => (SETTINGS[key].schema as Schema).type === 'integer'
)
function numbersIn({ properties = {} }: Schema): string[] {
  return Object.entries(properties).flatMap(([name, part]) =>
    /^(?:integer|number)$/.test(String(part.type)) ? [name] : numbersIn(part)
  )
}

/**
 * What `check` finds in data of a document, and the numbers that lose characters where text is
 * meant: where a text is not of the wrong type, but for parameters that are numbers.
 */
export async function problemsOf(
  { numbers = [] }: Pick<SourceDocument, 'numbers'>,
  data: unknown,
  check: (data: unknown) => Promise<readonly PlacedProblem[]>
): Promise<readonly PlacedProblem[]> {
  const found = await check(data)
  if (numbers.length === 0) return found
  const asText = structuredClone(data)
  const lost = new Map<string, WrittenNumber>()
  for (const number of numbers) {
    if (number.steps.length === 0) continue
    const names = number.steps.flatMap(step => String(step).split(/[[\].]/))
    const path = `.${pathOf(number.steps)}`
    const isNumber =
      NUMBER_SETTINGS.some(key => path.endsWith(`.${key}`)) ||
      (!names.includes('metadata') && names.some(name => NUMBERS.has(name)))
    const value = partAt(asText, number.steps)
    // a merge may have several of one name: the first one counts
    const isOther = typeof value !== 'number' || (Number(number.source) || value) !== value
    if (isNumber || isOther) continue
    const whole = partAt(asText, number.steps.slice(0, -1)) as Record<Step, unknown>
    whole[number.steps.at(-1) as Step] = number.source
    lost.set(pathOf(number.steps), number)
  }
  const refused = new Map(found.map(({ path, code }) => [path, code]))
  for (const { path, code } of lost.size > 0 ? await check(asText) : [])
    if (code === 'wrong_type' || !refused.has(path)) lost.delete(path)
  // what must be a duration or an instant has advice of its own
  for (const path of lost.keys()) if (refused.get(path) === 'wrong_format') lost.delete(path)
  return [
    ...found.filter(({ path }) => !lost.has(path)),
    ...[...lost.values()].map(({ steps, source }) =>
      problemAt(steps, say('number_as_text', source, isSecret(steps, source)))
    )
  ]
}

export const numbersBelow = ({ numbers = [] }: SourceDocument, under: readonly Step[]) => ({
  numbers: numbers
    .filter(({ steps }) => under.every((step, nth) => steps[nth] === step))
    .map(({ steps, source }) => ({ source, steps: steps.slice(under.length) }))
})

export async function refuseProblems(document: SourceDocument, checker: Checker): Promise<void> {
  const found = await problemsOf(document, document.data, data => checker.problems(data))
  if (found.length > 0) throw await refusalOf(found.map(problem => ({ document, ...problem })))
}

/** `bistro.yaml:4:7 tickets[3].location: …`, as far as each part is known. */
export function problemLine({ file, line, column, path, message }: Omit<Problem, 'code'>): string {
  const place = [file, line, column].filter(part => part !== undefined).join(':')
  return [place, path && `${path}:`, message].filter(Boolean).join(' ')
}

function documentInvalid(found: Problem[], isMore = found.length > MAX_PROBLEMS): ApiError {
  const problems = isMore
    ? [...found.slice(0, MAX_PROBLEMS), { path: '', ...say('more_problems', MAX_PROBLEMS) }]
    : found
  const [first] = problems as [Problem, ...Problem[]]
  const count =
    problems.length === 1
      ? 'The document has a problem'
      : `The document has ${problems.length} problems, the first`
  return new ApiError('document_invalid', {
    message: `${count}: ${sentence(problemLine(first))} Nothing was changed.`,
    problems
  })
}

/** Errors: `document_invalid` with the probable encoding, and the place of the first wrong byte. */
export function utf8In(name: string, bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = buffer.toString()
  const isWide = /^(?:fffe|feff|00|..00)/.test(buffer.toString('hex', 0, 2))
  if (!isWide && isUtf8(buffer)) return text
  let [at, byte, isRight] = [0, 0, !isWide]
  while (isRight) {
    const next = text.indexOf('\uFFFD', at)
    byte += Buffer.byteLength(text.slice(at, next))
    // what is right may have the character that stands for a wrong byte
    isRight = buffer.toString('hex', byte, byte + 3) === 'efbfbd'
    at = isRight ? next + 1 : next
    if (isRight) byte += 3
  }
  const said = say('not_utf8', isWide, byte + 1)
  throw documentInvalid([{ file: name, path: '', ...said, ...placesIn(text)(at) }])
}

/**
 * Undefined where it is not JSON. Errors: `document_too_large` before it is parsed,
 * `body_malformed` where it has to be JSON.
 */
function jsonOf(
  name: string,
  text: string,
  limits: DocumentLimits,
  type: TextType | null
): Pick<SourceDocument, 'data' | 'numbers'> | undefined {
  const problem = sizeProblem(sizeOfJson(text), limits)
  if (problem !== null)
    throw documentInvalid([{ file: name, path: '', ...say('too_large', problem) }])
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch (error) {
    if (type === 'json')
      throw new ApiError('body_malformed', {
        message: `The body is not JSON: ${visible((error as Error).message)}.`
      })
    return undefined
  }
  const placeOf = placesIn(text)
  const { twice, numbers } = lostInJson(text)
  const problems = twice.map(({ name: part, at, first }) => ({
    file: name,
    path: '',
    ...say('name_twice', part, placeOf(first).line),
    ...placeOf(at)
  }))
  if (problems.length > 0) throw documentInvalid(problems)
  return { data, numbers }
}

export const locatorIn =
  (text: string, limits: DocumentLimits): SourceDocument['locate'] =>
  async (...wanted) =>
    (await yamlIn(text, limits)).locate(...wanted)

/** Loaded when first needed. */
async function yamlIn(text: string, limits: DocumentLimits): Promise<ReadYaml> {
  const { readYaml } = await import('./yaml.js')
  return readYaml(text, limits)
}
