/** What generated records are drawn from where some things are more frequent than others. */
import type { Faker } from '@faker-js/faker'

/** Things to draw from, each with the sum of the weights up to it. */
export type Weighted<T> = { things: readonly T[]; sums: Float64Array; total: number }

function weighted<T>(things: readonly T[], weightOf: (thing: T) => number): Weighted<T> {
  let total = 0
  const sums = new Float64Array(things.length)
  for (const [index, thing] of things.entries()) {
    total += weightOf(thing)
    sums[index] = total
  }
  return { things, sums, total }
}

type Weights = Readonly<Record<string, number>>
/** Names with their weights; those of a list weigh the same. */
export const ofWeights = (given: readonly string[] | Weights): Weighted<string> =>
  Array.isArray(given)
    ? weighted(given, () => 1)
    : weighted(Object.keys(given), name => (given as Weights)[name] as number)

export function drawWeighted<T>({ number }: Faker, { things, sums, total }: Weighted<T>): T {
  const wanted = number.float() * total
  let [low, high] = [0, things.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sums[middle] as number) > wanted) high = middle
    else low = middle + 1
  }
  return things[low] as T
}
