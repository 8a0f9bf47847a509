/** What is found in documents, with the place where it is written. */
import { type Checker, MAX_PROBLEMS } from '../core/checking.js'
import type { ApiError, Problem } from '../core/errors.js'
import { pathOf, type Step } from '../core/places.js'
import type { Said } from '../core/sentences.js'
import type { SourceDocument } from './read/document.js'
import { withNumbers } from './read/numbers.js'
import { DEFAULT_LIMITS, documentInvalid, type Place, type Wanted } from './read/refusal.js'

/** `isOfName`: about a name, not its value, if the code does not say so; `place` where known. */
export type DocumentProblem = DocumentPart & Said & { place?: Place }
export type DocumentPart = Wanted & { document: SourceDocument }
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
export type Report = (
  steps: readonly Step[],
  said: Said & Pick<DocumentProblem, 'isOfName'>
) => void
export type Written = (steps: readonly Step[]) => DocumentPart
export type Problems = { readonly length: number; push: (problem: DocumentProblem) => unknown }

/** Ends the search, by throwing itself, when there are more problems than are listed. */
export class ProblemList implements Problems {
  readonly all: DocumentProblem[] = []

  get length(): number {
    return this.all.length
  }

  push(...problems: DocumentProblem[]): void {
    for (const problem of problems) if (this.all.push(problem) > MAX_PROBLEMS) throw this
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
    if (error !== problems) throw error
  }
  throw await refusalOf(problems.all, documents)
}

export const writtenIn =
  (document: SourceDocument, under: readonly Step[] = []): Written =>
  steps => ({ document, steps: [...under, ...steps] })

export const reportBy =
  (problems: Problems, written: Written): Report =>
  (steps, said) =>
    void problems.push({ ...said, ...written(steps) })

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

/** Of data, which has no lines. */
export const documentOf = (
  name: string,
  data: unknown,
  limits = DEFAULT_LIMITS
): SourceDocument => ({ name, data, limits, locate: async places => places.map(() => null) })

export async function placesOf(parts: readonly DocumentPart[]): Promise<(Place | null)[]> {
  const places = new Map<DocumentPart, Place | null>()
  for (const document of new Set(parts.map(part => part.document))) {
    const own = parts.filter(part => part.document === document)
    for (const [index, place] of (await document.locate(own)).entries())
      places.set(own[index] as DocumentPart, place)
  }
  return parts.map(part => places.get(part) as Place | null)
}

export async function refusalOf(
  problems: readonly DocumentProblem[],
  documents: readonly SourceDocument[] = problems.map(({ document }) => document)
): Promise<ApiError> {
  return documentInvalid(await listedProblems(problems, documents), problems.length > MAX_PROBLEMS)
}

/** Each once, document after document, within each by place; of data in the order found. */
export async function listedProblems(
  problems: readonly DocumentProblem[],
  documents: readonly SourceDocument[]
): Promise<Problem[]> {
  const names = [...new Set(documents.map(({ name }) => name))]
  const placeOf = ({ document, steps }: DocumentPart) => JSON.stringify([document.name, steps])
  const unique = new Map(
    problems.map(problem => [`${placeOf(problem)} ${problem.message}`, problem])
  )
  // a name that is missing is probably there, but misspelt
  const misnamed = new Set<string>()
  for (const { document, steps, code } of unique.values())
    if (code === 'unknown_name') misnamed.add(placeOf({ document, steps: steps.slice(0, -1) }))
  const told = [...unique.values()].filter(
    problem => problem.code !== 'required' || !misnamed.has(placeOf(problem))
  )
  const places = await placesOf(
    told.map(problem => ({ isOfName: OF_NAMES.includes(problem.code), ...problem }))
  )
  return told
    .map(({ document, steps, code, message, place: known }, index) => {
      const place = known ?? places[index]
      const { line = 0, column = 0 } = place ?? {}
      const rank = [names.indexOf(document.name), line, column, line && steps.length]
      return {
        rank,
        problem: { file: document.name, path: pathOf(steps), code, message, ...place }
      }
    })
    .sort((a, b) =>
      a.rank.reduce((apart, number, nth) => apart || number - (b.rank[nth] as number), 0)
    )
    .map(({ problem }) => problem)
}

export async function refuseProblems(document: SourceDocument, checker: Checker): Promise<void> {
  const found = withNumbers(document, document.data, checker.problems(document.data))
  if (found.length > 0) throw await refusalOf(found.map(problem => ({ document, ...problem })))
}
