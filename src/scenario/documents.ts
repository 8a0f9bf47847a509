/** What is found in documents, with the place where it is written. */

import { type Checker, MAX_PROBLEMS } from '../core/checking.js'
import type { ApiError, Problem } from '../core/errors.js'
import { pathOf, type Step } from '../core/places.js'
import type { Said } from '../core/sentences.js'
import { DEFAULT_LIMITS } from './limits.js'
import type { SourceDocument } from './read/document.js'
import { problemsOf } from './read/numbers.js'
import { orderIn, type Place } from './read/places.js'
import { documentInvalid } from './refusal.js'

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
    const order = places.every(place => place === null) ? orderIn(document.data, wanted) : places
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

export async function refuseProblems(document: SourceDocument, checker: Checker): Promise<void> {
  const found = await problemsOf(document, document.data, data => checker.problems(data))
  if (found.length > 0) throw await refusalOf(found.map(problem => ({ document, ...problem })))
}
