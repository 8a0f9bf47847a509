/** What a check found: points that pass or fail, and warnings. */
import type { Problem } from '../core/errors.js'
import type { Step } from '../core/places.js'
import type { Said } from '../core/sentences.js'
import type { GivenSettings } from '../core/settings.js'
import { placesOf, type SourceOf } from '../scenario/documents.js'

/** Of a step, an expectation, or the document. The problems of a warning fail nothing. */
export type Point = Said & {
  file: string
  problems: readonly Problem[]
  ms: number
  isWarning?: boolean
}
export type CheckedFile = {
  file: string
  points: Point[]
  /** Why the file was left out; null where it was checked. */
  leftOut: string | null
  notes: string[]
  /** What makes the emulator respond as a service does; null if nothing was compared. */
  settings: GivenSettings | null
}
export const NOTHING_FOUND: Omit<CheckedFile, 'file'> = {
  points: [],
  leftOut: null,
  notes: [],
  settings: null
}
/** A file with one point, which failed. */
export const withFailure = (file: string, title: Said, ...problems: Problem[]): CheckedFile => ({
  ...NOTHING_FOUND,
  file,
  points: [{ ...title, file, problems, ms: 0 }]
})

/** A problem by its place in the document. */
export type PlacedProblem = Said & { at: readonly Step[] }
/** A point whose problems are still to be found in the text. */
export type PlacedPoint = Said & {
  problems: readonly PlacedProblem[]
  ms?: number
  isWarning?: boolean
}

export const isFailed = ({ problems, isWarning = false }: Point): boolean =>
  problems.length > 0 && !isWarning
export const isWarned = ({ problems, isWarning = false }: Point): boolean =>
  problems.length > 0 && isWarning

/** Without those of which files need other values. */
export function settingsFound(checked: readonly CheckedFile[]): GivenSettings {
  const found = checked.flatMap(({ settings }) => Object.entries(settings ?? {}))
  return Object.fromEntries(
    found.filter(([key, value]) => found.every(([name, other]) => name !== key || other === value))
  )
}

/** The points of a file, with each problem where it is written. */
export async function withPlaces(
  points: readonly PlacedPoint[],
  file: string,
  written: SourceOf
): Promise<Point[]> {
  const parts = points.flatMap(({ problems }) => problems.map(({ at }) => written(at)))
  const places = await placesOf(parts)
  let next = 0
  return points.map(({ problems, ms = 0, ...point }) => ({
    ...point,
    file,
    problems: problems.map(({ at: _at, ...said }) => ({
      file: parts[next]?.document.name,
      path: '',
      ...said,
      ...places[next++]
    })),
    ms
  }))
}
