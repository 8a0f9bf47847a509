/** Names to draw from where some are more frequent than others. */
import type { Faker } from '@faker-js/faker'

export type Weights<N extends string = string> = Readonly<Partial<Record<N, number>>>

/** Draws names by their weights, which are not all 0; one alone is not drawn. */
export function weightedNames<N extends string>(weights: Weights<N>, { number }: Faker): () => N {
  const names = Object.keys(weights) as N[]
  const sums: number[] = []
  let total = 0
  for (const name of names) {
    total += weights[name] as number
    sums.push(total)
  }
  return () => {
    const wanted = names.length > 1 ? number.float() * total : 0
    let [low, high] = [0, names.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sums[middle] as number) > wanted) high = middle
      else low = middle + 1
    }
    return names[low] as N
  }
}
