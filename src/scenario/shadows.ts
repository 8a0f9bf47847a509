/** Which entries of a script act on every request that a later one is for, so that the later one can never apply. */
import { isDeepStrictEqual } from 'node:util'
import { IS_DIGEST } from '../core/redaction.js'
import type { OperationId } from '../reference/operations.js'
import type { MatchCondition, Matcher, SentCall } from './matching.js'
import { MAX_STEPS } from './patterns.js'
import type { Entry } from './script.js'

/** Where an entry comes from: the member of `use` that names its group, null for one of the scenario itself, and its index there. */
export type Source = { use: number | null; index: number }
/** An entry of a script with where it comes from. */
export type Placed = Source & { entry: Entry }

/** `the entry "slow"`, or `entry 3 of the script` for one without a name. */
export const entryLabel = ({ entry: { data }, use, index }: Placed): string =>
  data.name === undefined ? `entry ${index + 1} of ${use === null ? 'the script' : `use[${use}]`}` : `the entry "${data.name}"`

/** Earlier entries that a later one is compared with. */
const MAX_COMPARED = 100

/** The entries of a script that may leave later ones no request, by their operations. */
export class Shadows {
  readonly #earlier = new Map<OperationId, Placed[]>()

  /** The earlier entries that leave one no request: those that act on every request of its operations, or else one that acts on each that it matches. */
  of(entry: Entry): readonly Placed[] {
    const earlier = Array.from(entry.operations, operation => this.#earlier.get(operation) ?? [])
    const last = earlier.flatMap(all => all.at(-1) ?? [])
    if (last.length === earlier.length && last.every(({ entry }) => isUnconditional(entry))) return [...new Set(last)]
    // no more of a request is looked at: alternatives follow from the same ones only
    const budget = { steps: MAX_STEPS } as SentCall
    const found = earlier[0]?.find(other => shadows(other.entry, entry, budget))
    return found === undefined ? [] : [found]
  }

  add(placed: Placed): void {
    const { entry } = placed
    if (entry.chance < 1 || entry.lasts < FOREVER) return
    for (const operation of entry.operations) {
      const earlier = this.#earlier.get(operation) ?? []
      const last = earlier.at(-1)
      this.#earlier.set(operation, earlier)
      if (last !== undefined && isUnconditional(last.entry)) continue
      if (earlier.length < MAX_COMPARED || isUnconditional(entry)) earlier.push(placed)
    }
  }
}

const FOREVER = Number.POSITIVE_INFINITY

/** Whether an entry acts on all that it matches. */
const isForEach = ({ data: { per }, calls }: Entry) => per === undefined && calls.from === 1 && calls.to === FOREVER
/** Whether an entry acts on every request of its operations. */
export const isUnconditional = (entry: Entry) =>
  isForEach(entry) &&
  entry.matches.length === 0 &&
  (entry.data.at ?? entry.data.after) === undefined &&
  entry.between.from === -FOREVER &&
  entry.between.until === FOREVER

/** Whether one entry acts on every request that another one would be applied to. */
function shadows(one: Entry, other: Entry, budget: SentCall): boolean {
  if (isForEach(one)) return matchesAll(one, other, budget)
  const isWithin = one.calls.from <= other.calls.from && one.calls.to >= other.calls.to
  // both count the same requests
  return isWithin && one.data.per === other.data.per && matchesAll(one, other, budget) && matchesAll(other, one, budget)
}

/** Whether one entry matches every request that another one matches, as far as that can be told. */
const matchesAll = (one: Entry, other: Entry, budget: SentCall): boolean =>
  one.between.from <= other.between.from &&
  one.between.until >= other.between.until &&
  [...other.operations].every(operation => one.operations.has(operation)) &&
  (['at', 'after'] as const).every(name => one.data[name] === undefined || isDeepStrictEqual(one.data[name], other.data[name])) &&
  includes(one.matches, other.matches, budget)

const includes = (wider: Matcher, narrower: Matcher, budget: SentCall): boolean =>
  wider.every(condition => narrower.some(other => isAbout(condition, other) && follows(condition, other, budget)))

const isAbout = (one: MatchCondition, other: MatchCondition) => one.section === other.section && isDeepStrictEqual(one.name, other.name)

/** Whether a condition is met by every value that meets another one: they say the same, or each of its few values meets it. */
function follows(condition: MatchCondition, other: MatchCondition, budget: SentCall): boolean {
  if (isDeepStrictEqual(condition.data, other.data)) return true
  const values = [other.data].flat()
  return values.every(
    value => typeof value !== 'object' && !/^\/.*\/i?$/s.test(String(value)) && !IS_DIGEST.test(String(value)) && condition.test(String(value), budget)
  )
}
