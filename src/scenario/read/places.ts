/** Where parts are. */
import { partAt, type Step } from '../../core/places.js'

/** A line and a column, counted from 1. */
export type Place = { line: number; column: number }
/** `ofNames` says for which parts the place of the name is wanted. */
export type Locate<Places> = (
  places: readonly (readonly Step[])[],
  ofNames?: readonly boolean[]
) => Places

/** The order of data, which has no lines: a whole comes before its parts, and before what it does not have. */
export function orderIn(data: unknown, wanted: readonly (readonly Step[])[]): Place[] {
  const ranks = wanted.map(steps =>
    steps.map((step, nth) => {
      const whole = partAt(data, steps.slice(0, nth))
      if (Array.isArray(whole)) return Number(step) in whole ? Number(step) : -1
      return Object.keys(whole ?? {}).indexOf(String(step))
    })
  )
  const inOrder = ranks.toSorted((a, b) => {
    const nth = a.findIndex((rank, nth) => rank !== b[nth])
    return nth < 0 ? a.length - b.length : (a[nth] as number) - (b[nth] ?? -2)
  })
  return ranks.map(rank => ({ line: inOrder.indexOf(rank), column: 0 }))
}
