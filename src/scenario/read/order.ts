/** The order of data, which has no lines. */
import { partAt, type Step } from '../../core/places.js'
import type { Place } from './document.js'

/** A whole comes before its parts, and before what it does not have. */
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
