/**
 * A row of the table: one kind of work, measured in the same run for every target.
 * `values` holds the figure of each target, `ratios` each target's figure divided by that of the baseline, round by round.
 */
import { summaryOf } from './statistics.mjs'

/**
 * Makes a row of the measurements of each target, one for each round.
 * @param {{ id: string, work: string, unit: string, better: 'higher' | 'lower', samples: Record<string, number[]>, baseline?: string | null, note?: string }} measured
 *   `baseline` is the target that the others are divided by, null for a figure that counts by itself.
 */
export function rowOf({ id, work, unit, better, samples, baseline = 'control', note = '' }) {
  const measured = Object.entries(samples).filter(([, numbers]) => numbers.length > 0)
  const values = Object.fromEntries(measured.map(([target, numbers]) => [target, summaryOf(numbers)]))
  const ratios = Object.fromEntries(
    measured
      .filter(([target]) => baseline !== null && target !== baseline)
      .map(([target, numbers]) => [target, summaryOf(numbers.map((number, round) => number / samples[baseline][round]))])
  )
  return { id, work, unit, better, baseline, values, ratios, note }
}

/** What a row is judged by: its ratio where it has a baseline, else its value. */
export const judgedOf = (row, target = 'emulator') => (row.baseline === null ? row.values[target] : row.ratios[target])
