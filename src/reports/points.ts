/** The results of a check: points that pass, fail or warn. */
import type { Problem } from '../core/errors.js'
import type { Step } from '../core/places.js'
import type { Said } from '../core/sentences.js'
import type { SourceOf } from '../scenario/documents.js'

/** Of a step, an expectation, or the document. Warnings fail nothing. */
export type Point = Said & {
  file: string
  problems: readonly Problem[]
  ms: number
  isWarning?: boolean
}
export type CheckedFile = {
  file: string
  points: Point[]
  /** Why; null where it was checked. */
  leftOut: string | null
  notes: string[]
}
export const NOTHING_FOUND: Omit<CheckedFile, 'file'> = {
  points: [],
  leftOut: null,
  notes: []
}
export const withFailure = (file: string, title: Said, problem: Problem): CheckedFile => ({
  ...NOTHING_FOUND,
  file,
  points: [{ ...title, file, problems: [problem], ms: 0 }]
})

export type PlacedProblem = Said & { at: readonly Step[] }
/** Its problems have no lines yet. */
export type PlacedPoint = Said & {
  problems: readonly PlacedProblem[]
  ms?: number
  isWarning?: boolean
}

export const isFailed = ({ problems, isWarning = false }: Point): boolean =>
  problems.length > 0 && !isWarning
export const isWarned = ({ problems, isWarning = false }: Point): boolean =>
  problems.length > 0 && isWarning

/** Adds the file and the line of each problem. */
export async function withPlaces(
  points: readonly PlacedPoint[],
  file: string,
  source: SourceOf
): Promise<Point[]> {
  const parts = points.flatMap(({ problems }) => problems.map(({ at }) => source(at)))
  const places = await Promise.all(
    parts.map(async ({ document, steps }) => (await document.placesOf([{ steps }]))[0])
  )
  let next = 0
  return points.map(({ problems, ms = 0, ...point }) => ({
    ...point,
    file,
    problems: problems.map(({ at: _at, ...problem }) => ({
      file: parts[next]?.document.name,
      path: '',
      ...problem,
      ...places[next++]
    })),
    ms
  }))
}
