/**
 * A row of the table: one kind of work, measured in the same run for every target.
 * `values` holds the figure of each target, `ratios` each target's figure divided by that of the
 * baseline, round by round.
 */
import { summaryOf } from './statistics.mjs'

/** The baseline of a row whose targets are compared with themselves, under another condition. */
const ITSELF = 'itself'

const mapped = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]))

/**
 * Makes a row of the measurements of each target, one for each round.
 * @param {{ id: string, work: string, unit: string, better: 'higher' | 'lower', samples:
 * Record<string, number[]>, baseline?: string | null,
 *   own?: Record<string, number[]>, note?: string, series?: Record<string, [number, number][]> }}
 * measured
 *   `baseline` is the target that the others are divided by, null for a figure that counts by
 * itself; `own` holds the measurements of a baseline for each target;
 *   `series` are the points of a plot
 */
export function rowOf({
  id,
  work,
  unit,
  better,
  samples,
  baseline = 'control',
  own,
  note = '',
  series
}) {
  const measured = Object.fromEntries(
    Object.entries(samples).filter(([, numbers]) => numbers.length > 0)
  )
  const values = mapped(measured, summaryOf)
  const row = {
    id,
    work,
    unit,
    better,
    baseline: own ? ITSELF : baseline,
    values,
    ratios: {},
    note,
    ...(series && { series })
  }
  if (own) values[ITSELF] = summaryOf(Object.values(own)[0])
  else if (baseline === null) return row
  for (const [target, numbers] of Object.entries(measured)) {
    const beside = own ? own[target] : measured[baseline]
    if (target !== baseline)
      row.ratios[target] = summaryOf(numbers.map((number, round) => number / beside[round]))
  }
  return row
}

/** What a row is judged by: its ratio where it has a baseline, else its value. */
export const judgedOf = ({ baseline, values, ratios }) =>
  (baseline === null ? values : ratios).emulator?.median

/** Whether a row is beyond a limit of its own. */
export function isBeyond(row) {
  const judged = judgedOf(row)
  return judged < (row.least ?? -Infinity) || judged > (row.most ?? Infinity)
}
