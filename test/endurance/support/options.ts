/**
 * Duration and load of the endurance tests: seconds in `npm test`, the full length in `npm run
 * endurance`.
 */

const isLong = process.env.ENDURANCE === 'long'

/** A number from the variable `ENDURANCE_NAME`, or the default of the short or long run. */
export function figure(name: string, { short, long }: { short: number; long: number }): number {
  return Number(process.env[`ENDURANCE_${name}`] ?? (isLong ? long : short))
}

/** This run's seed, which is printed; `ENDURANCE_SEED` repeats the same choices. */
export const SEED = Number(process.env.ENDURANCE_SEED ?? Math.floor(Math.random() * 2 ** 32))

export type Random = {
  below: (limit: number) => number
  chance: (share: number) => boolean
  of: <T>(choices: readonly T[]) => T
}

/** Choices that depend only on the seed and the name (mulberry32). */
export function random(name: string, seed = SEED): Random {
  let state = [...name].reduce(
    (sum, letter) => Math.imul(sum ^ letter.charCodeAt(0), 0x01000193),
    seed | 0
  )
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    chance: share => next() < share,
    of: choices => choices[below(choices.length)] as never
  }
}

export const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[numbers.length >> 1] as number
