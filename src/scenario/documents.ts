/** Documents with the places of their parts, the problems in them, and their refusal. */
import { type Checker, MAX_PROBLEMS } from '../core/checking.js'
import { ApiError, type Problem } from '../core/errors.js'
import { type PlacedProblem, pathOf, type Step } from '../core/places.js'
import { type Said, sentence } from '../core/sentences.js'
import { type Settings, settingsInForce } from '../core/settings.js'
import { type WrittenNumber, withNumbers } from './read/numbers.js'
import { say } from './sentences.js'
import { present } from './shape/checked.js'

/** Counted from 1. */
export type Place = { line: number; column: number }
/** A part of a document, or its name. */
export type Part = { steps: readonly Step[]; isOfName?: boolean | undefined }
/** Data with the places of its parts, which are null if it was not read from a text. */
export type Located = {
  name: string
  data: unknown
  placesOf: (parts: readonly Part[]) => Promise<readonly (Place | null)[]>
  /** Numbers that are printed differently, such as `1.10`. */
  numbers?: readonly WrittenNumber[]
}
/** Characters; parsed YAML takes a hundred times the memory of its text. */
export const MAX_YAML = 4 * 2 ** 20
export type DocumentLimits = Pick<Settings, 'limits.values' | 'limits.records' | 'limits.entries'>
export const DEFAULT_LIMITS: DocumentLimits = settingsInForce({}).values

export const documentOf = (name: string, data: unknown, place: Place | null = null): Located => ({
  name,
  data,
  placesOf: async parts => parts.map(() => place)
})

export type DocumentPart = Part & { document: Located }
export type DocumentProblem = DocumentPart & Said
export type Problems = { readonly length: number; push: (problem: DocumentProblem) => unknown }
export type Report = (
  steps: readonly Step[],
  problem: Said & Pick<DocumentProblem, 'isOfName'>
) => void
export type SourceOf = (steps: readonly Step[]) => DocumentPart

export const reportTo =
  (
    problems: Problems,
    document: Located,
    sourceOf: SourceOf = steps => ({ document, steps })
  ): Report =>
  (steps, problem) =>
    void problems.push({ ...problem, ...sourceOf(steps) })

export const within =
  (report: Report, ...under: readonly Step[]): Report =>
  (steps, problem) =>
    report([...under, ...steps], problem)

/** Throws itself when there are more problems than are listed. */
class ProblemList extends Array<DocumentProblem> {
  override push(problem: DocumentProblem): number {
    if (super.push(problem) > MAX_PROBLEMS) throw this
    return this.length
  }
}

/** A gate. Errors: `document_invalid` with the problems that `make` reports. */
export async function withoutProblems<T>(make: (problems: Problems) => T | Promise<T>): Promise<T> {
  const problems = new ProblemList()
  try {
    const result = await make(problems)
    if (problems.length === 0) return result
  } catch (error) {
    if (error !== problems) throw error
  }
  throw await refusalOf([...problems])
}

/** Errors: `document_invalid` if there are problems. */
export async function refuseWith(
  problems: readonly PlacedProblem[],
  document: Located
): Promise<void> {
  if (problems.length > 0)
    throw await refusalOf(problems.map(problem => ({ document, ...problem })))
}

export const refuseProblems = (document: Located, checker: Checker): Promise<void> =>
  refuseWith(withNumbers(document, document.data, checker.problems(document.data)), document)

export const refusalOf = async (problems: readonly DocumentProblem[]) =>
  documentInvalid(await listedProblems(problems), problems.length > MAX_PROBLEMS)

const OF_NAMES = [
  'unknown_name',
  'unknown_field',
  'no_section',
  'group_name',
  'framing_header',
  'reserved_field',
  'variable_as_name',
  'not_a_variable_name'
]

/** With their places, by document and place, without duplicates. */
export async function listedProblems(problems: readonly DocumentProblem[]): Promise<Problem[]> {
  const listed = new Map<string, Problem>()
  for (const document of new Set(problems.map(problem => problem.document))) {
    const all = problems.filter(problem => problem.document === document)
    // a missing name is probably there, but misspelt
    const misnamed = all.flatMap(({ code, steps }) =>
      code === 'unknown_name' ? pathOf(steps.slice(0, -1)) : []
    )
    const parts = all.filter(
      ({ code, steps }) => code !== 'required' || !misnamed.includes(pathOf(steps))
    )
    // without the document, which cannot be sent to a thread
    const places = await document.placesOf(
      parts.map(({ steps, code, isOfName = OF_NAMES.includes(code) }) => ({ steps, isOfName }))
    )
    for (const [index, { steps, code, message }] of parts.entries()) {
      const problem = { file: document.name, path: pathOf(steps), code, message, ...places[index] }
      listed.set(JSON.stringify(problem), problem)
    }
  }
  const files = [...new Set(problems.map(({ document }) => document.name))]
  const rankOf = ({ file = '', line = 0, column = 0, path }: Problem) =>
    [files.indexOf(file), line, column, line && path.length] as const
  return [...listed.values()].slice(0, MAX_PROBLEMS).sort((a, b) => {
    const ranks = rankOf(b)
    return rankOf(a).reduce<number>((apart, rank, nth) => apart || rank - present(ranks[nth]), 0)
  })
}

/** `bistro.yaml:4:7 tickets[3].location: …`, as far as each part is known. */
export function problemLine({ file, line, column, path, message }: Omit<Problem, 'code'>): string {
  const place = [file, line, column].filter(part => part !== undefined).join(':')
  return [place, path && `${path}:`, message].filter(Boolean).join(' ')
}

export function documentInvalid(all: Problem[], isMore = all.length > MAX_PROBLEMS): ApiError {
  const problems = isMore
    ? [...all.slice(0, MAX_PROBLEMS), { path: '', ...say('more_problems', MAX_PROBLEMS) }]
    : all
  const { length } = problems
  const count = length === 1 ? 'a problem' : `${length} problems, the first`
  const message = `The document has ${count}: ${sentence(problemLine(present(problems[0])))} Nothing was changed.`
  return new ApiError('document_invalid', { message, problems })
}

export const tooLarge = (
  limit: 'limits.records' | 'limits.entries',
  limits: DocumentLimits,
  what: string
): ApiError =>
  new ApiError('document_too_large', {
    message: `${what}; ${limit} allows ${limits[limit]}. Raise it when you start the emulator. Nothing was changed.`
  })

/** Errors: `document_too_large`. */
export function checkCount(what: string, count: number, limits: DocumentLimits): void {
  if (count > limits['limits.records'])
    throw tooLarge('limits.records', limits, `${what} ${count} records`)
}
