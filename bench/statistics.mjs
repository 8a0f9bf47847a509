/**
 * What is made of many measurements: medians and quartiles, which a few disturbed rounds do not
 * move.
 */

/** The number below which a share of all lies. */
export const quantile = (numbers, share) => {
  const sorted = [...numbers].sort((a, b) => a - b)
  const at = (sorted.length - 1) * share
  const [low, high] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]]
  return low + (high - low) * (at - Math.floor(at))
}

export const median = numbers => quantile(numbers, 0.5)

/**
 * The median with the quartiles around it: half of all measurements lie between `low` and `high`.
 */
export const summaryOf = numbers => ({
  median: median(numbers),
  low: quantile(numbers, 0.25),
  high: quantile(numbers, 0.75)
})

/**
 * A function that returns a list beginning one place later at each call, so that nothing always
 * comes first.
 */
export function inTurn(list) {
  let turn = 0
  return () => {
    const first = turn++ % list.length
    return [...list.slice(first), ...list.slice(0, first)]
  }
}
