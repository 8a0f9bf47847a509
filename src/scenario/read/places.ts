/** Where parts are. */
import { partAt, type Step } from '../../core/places.js'

/** A line and a column, counted from 1. */
export type Place = { line: number; column: number }
/** `ofNames` says for which parts the place of the name is wanted. */
export type Locate<Places> = (
  places: readonly (readonly Step[])[],
  ofNames?: readonly boolean[]
) => Places

/** The order of data, which has no lines: a whole comes before its parts. */
export function orderIn(data: unknown, wanted: readonly (readonly Step[])[]): Place[] {
  const ranks = wanted.map(steps => {
    const own = steps.map((step, nth) => {
      const whole = partAt(data, steps.slice(0, nth))
      if (Array.isArray(whole)) return Number(step) in whole ? Number(step) : -1
      return Object.keys(whole ?? {}).indexOf(String(step))
    })
    return [...own, -2]
  })
  const inOrder = ranks.toSorted((a, b) =>
    a.reduce((apart, rank, nth) => apart || rank - (b[nth] as number), 0)
  )
  return ranks.map(rank => ({ line: inOrder.indexOf(rank), column: 0 }))
}
