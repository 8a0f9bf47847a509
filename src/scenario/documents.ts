/** Problems of documents, with their places. */
import { type Checker, MAX_PROBLEMS } from '../core/checking.js'
import type { ApiError, Problem } from '../core/errors.js'
import { pathOf, type Step } from '../core/places.js'
import type { Said } from '../core/sentences.js'
import type { SourceDocument } from './read/document.js'
import { withNumbers } from './read/numbers.js'
import { documentInvalid, type Place, type Wanted } from './read/refusal.js'
import { present } from './shape/checked.js'

export type DocumentProblem = DocumentPart & Said
export type DocumentPart = Wanted & { document: SourceDocument }
const OF_NAMES = [
  'unknown_name',
  'unknown_field',
  'unused_variable',
  'no_section',
  'group_name',
  'framing_header',
  'reserved_field',
  'variable_as_name',
  'not_a_variable_name'
]
export type Report = (
  steps: readonly Step[],
  problem: Said & Pick<DocumentProblem, 'isOfName'>
) => void
export type SourceOf = (steps: readonly Step[]) => DocumentPart
export type Problems = { readonly length: number; push: (problem: DocumentProblem) => unknown }

/** Throws itself when there are more problems than are listed. */
export class ProblemList implements Problems {
  readonly all: DocumentProblem[] = []

  get length(): number {
    return this.all.length
  }

  push(...problems: DocumentProblem[]): void {
    for (const problem of problems) if (this.all.push(problem) > MAX_PROBLEMS) throw this
  }
}

/** Errors: `document_invalid` with the problems that `make` reported, by `documents`. */
export async function withoutProblems<T>(
  problems: ProblemList,
  make: () => Promise<T>,
  documents?: readonly SourceDocument[]
): Promise<T> {
  try {
    const result = await make()
    if (problems.length === 0) return result
  } catch (error) {
    if (error !== problems) throw error
  }
  throw await refusalOf(problems.all, documents)
}

export const sourceIn =
  (document: SourceDocument, under: readonly Step[] = []): SourceOf =>
  steps => ({ document, steps: [...under, ...steps] })

export const reportBy =
  (problems: Problems, sourceOf: SourceOf): Report =>
  (steps, problem) =>
    void problems.push({ ...problem, ...sourceOf(steps) })

export const reportTo = (
  problems: Problems,
  document: SourceDocument,
  under: readonly Step[] = []
): Report => reportBy(problems, sourceIn(document, under))

export const within =
  (report: Report, ...under: readonly Step[]): Report =>
  (steps, message) =>
    report([...under, ...steps], message)

export const documentOf = (
  name: string,
  data: unknown,
  place: Place | null = null
): SourceDocument => ({ name, data, locate: async parts => parts.map(() => place) })

export async function placesOf(parts: readonly DocumentPart[]): Promise<(Place | null)[]> {
  const places = new Map<DocumentPart, Place | null | undefined>()
  for (const document of new Set(parts.map(part => part.document))) {
    const contained = parts.filter(part => part.document === document)
    // without the documents, which cannot be sent to a thread
    const located = await document.locate(
      contained.map(({ steps, isOfName }) => ({ steps, isOfName }))
    )
    for (const [index, part] of contained.entries()) places.set(part, located[index])
  }
  return parts.map(part => places.get(part) ?? null)
}

export async function refusalOf(
  problems: readonly DocumentProblem[],
  documents: readonly SourceDocument[] = problems.map(({ document }) => document)
): Promise<ApiError> {
  return documentInvalid(await listedProblems(problems, documents), problems.length > MAX_PROBLEMS)
}

/** Without duplicates, by document and place. */
export async function listedProblems(
  problems: readonly DocumentProblem[],
  documents: readonly SourceDocument[]
): Promise<Problem[]> {
  const names = [...new Set(documents.map(({ name }) => name))]
  const placeOf = ({ document, steps }: DocumentPart) => JSON.stringify([document.name, steps])
  // a missing name is probably there, but misspelt
  const misnamed = new Set(
    problems
      .filter(({ code }) => code === 'unknown_name')
      .map(({ document, steps }) => placeOf({ document, steps: steps.slice(0, -1) }))
  )
  const unique = new Map(
    problems
      .filter(problem => problem.code !== 'required' || !misnamed.has(placeOf(problem)))
      .map(problem => [`${placeOf(problem)} ${problem.message}`, problem])
  )
  const listed = [...unique.values()]
  const places = await placesOf(
    listed.map(problem => ({ isOfName: OF_NAMES.includes(problem.code), ...problem }))
  )
  return listed
    .map(({ document, steps, code, message }, index) => {
      const place = places[index]
      const { line = 0, column = 0 } = place ?? {}
      const rank = [names.indexOf(document.name), line, column, line && steps.length]
      return {
        rank,
        problem: { file: document.name, path: pathOf(steps), code, message, ...place }
      }
    })
    .sort((a, b) =>
      a.rank.reduce((apart, number, nth) => apart || number - present(b.rank[nth]), 0)
    )
    .map(({ problem }) => problem)
}

export async function refuseProblems(document: SourceDocument, checker: Checker): Promise<void> {
  const problems = withNumbers(document, document.data, checker.problems(document.data))
  if (problems.length > 0)
    throw await refusalOf(problems.map(problem => ({ document, ...problem })))
}
