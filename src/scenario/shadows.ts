/**
 * Which entries of a script act on every request that a later one is for, so that the later one can
 * never apply.
 */
import { isDeepStrictEqual } from 'node:util'
import { IS_DIGEST } from '../core/redaction.js'
import type { OperationId } from '../reference/operations.js'
import type { MatchCondition } from './matching.js'
import type { Entry } from './script.js'

/**
 * Where an entry comes from: the member of `use` that names its group, null for one of the scenario
 * itself, and its index there.
 */
export type Source = { use: number | null; index: number }
/** An entry of a script with where it comes from. */
export type Placed = Source & { entry: Entry }

/** `the entry "slow"`, or `entry 3 of the script` for one without a name. */
export const entryLabel = ({ entry: { data }, use, index }: Placed): string =>
  data.name === undefined
    ? `entry ${index + 1} of ${use === null ? 'the script' : `use[${use}]`}`
    : `the entry "${data.name}"`

/** Earlier entries that a later one is compared with. */
const MAX_COMPARED = 100

/**
 * An entry with its conditions, each with its name and itself as text, since it is compared with
 * many.
 */
type Compared = Placed & {
  conditions: readonly { about: string; text: string; condition: MatchCondition }[]
}
const compared = (placed: Placed): Compared => ({
  ...placed,
  conditions: placed.entry.matches.map(condition => {
    const { section, name, data } = condition
    return { about: `${section} ${name.join(' ')}`, text: JSON.stringify(data), condition }
  })
})

/** The entries of a script that may leave later ones no request, by their operations. */
export class Shadows {
  readonly #earlier = new Map<OperationId, Compared[]>()

  /**
   * Adds an entry, and returns the earlier ones that leave it no request: those that act on every
   * request of its operations, or else one that acts on each that
   * it matches.
   */
  add(placed: Placed): readonly Placed[] {
    const { entry } = placed
    const added = compared(placed)
    const earlier = Array.from(entry.operations, operation => this.#earlier.get(operation) ?? [])
    const last = earlier.flatMap(all => all.at(-1) ?? [])
    const isBehindAll = last.length === earlier.length && last.every(isUnconditional)
    const found = isBehindAll
      ? last
      : [earlier[0]?.find(other => shadows(other, added)) ?? []].flat()
    this.#keep(added)
    return [...new Set(found)]
  }

  #keep(added: Compared): void {
    const { entry } = added
    if (entry.chance < 1 || entry.lasts < FOREVER) return
    for (const operation of entry.operations) {
      const earlier = this.#earlier.get(operation) ?? []
      const last = earlier.at(-1)
      this.#earlier.set(operation, earlier)
      if (last !== undefined && isUnconditional(last)) continue
      if (earlier.length < MAX_COMPARED || isUnconditional(added)) earlier.push(added)
    }
  }
}

const FOREVER = Number.POSITIVE_INFINITY

/** Whether an entry acts on all that it matches. */
const isForEach = ({ data: { per }, calls }: Entry) =>
  per === undefined && calls.from === 1 && calls.to === FOREVER
/** Whether an entry acts on every request of its operations. */
export const isUnconditional = ({ entry }: Placed) =>
  isForEach(entry) &&
  entry.matches.length === 0 &&
  (entry.data.at ?? entry.data.after) === undefined &&
  entry.between.from === -FOREVER &&
  entry.between.until === FOREVER

/** Whether one entry acts on every request that another one would be applied to. */
function shadows(one: Compared, other: Compared): boolean {
  const { calls, data } = one.entry
  if (isForEach(one.entry)) return matchesAll(one, other)
  const isWithin = calls.from <= other.entry.calls.from && calls.to >= other.entry.calls.to
  // both count the same requests
  return (
    isWithin &&
    data.per === other.entry.data.per &&
    matchesAll(one, other) &&
    matchesAll(other, one)
  )
}

/** Whether one entry matches every request that another one matches, as far as that can be told. */
function matchesAll(
  { entry: one, conditions }: Compared,
  { entry: other, conditions: narrower }: Compared
): boolean {
  if (one.between.from > other.between.from || one.between.until < other.between.until) return false
  for (const operation of other.operations) if (!one.operations.has(operation)) return false
  const isWhenever = (['at', 'after'] as const).every(
    name => one.data[name] === undefined || isDeepStrictEqual(one.data[name], other.data[name])
  )
  return (
    isWhenever &&
    conditions.every(({ about, text, condition }) =>
      narrower.some(
        other =>
          other.about === about && (other.text === text || follows(condition, other.condition))
      )
    )
  )
}

/** Whether a condition is met by every value that meets another one, as far as these are few. */
const follows = (condition: MatchCondition, { data }: MatchCondition): boolean =>
  [data].flat().every(value => {
    const text = String(value)
    return (
      typeof value !== 'object' &&
      !/^\/.*\/i?$/s.test(text) &&
      !IS_DIGEST.test(text) &&
      condition.test(text)
    )
  })
