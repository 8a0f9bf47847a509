/** Which entry of a script acts on every call that a later one is for, so that the later one can never apply. */
import { IS_DIGEST } from '../core/redaction.js'
import type { MatchCondition, Matcher, SentCall } from './matching.js'
import { MAX_STEPS } from './patterns.js'
import type { Entry } from './script.js'

/** Earlier entries that a later one is compared with. */
const MAX_COMPARED = 100

/** The first of the earlier entries that leaves an entry no call; undefined where none does for certain. */
export function shadowOf(entry: Entry, earlier: readonly Entry[]): Entry | undefined {
  // no more of a request is looked at: alternatives follow from the same ones only
  const budget = { steps: MAX_STEPS } as SentCall
  return earlier.slice(0, MAX_COMPARED).find(other => shadows(other, entry, budget))
}

/** Whether one entry is applied to every call that another one would be applied to. */
function shadows(one: Entry, other: Entry, budget: SentCall): boolean {
  const isForAll = [...other.operations].every(operation => one.operations.has(operation))
  const isAlways =
    one.chance === 1 && one.lasts === Number.POSITIVE_INFINITY && one.between.from <= other.between.from && one.between.until >= other.between.until
  const saysSame = (name: 'at' | 'after') => JSON.stringify(one.data[name]) === JSON.stringify(other.data[name])
  const isWhenever = (['at', 'after'] as const).every(name => one.data[name] === undefined || saysSame(name))
  if (!isForAll || !isAlways || !isWhenever || !includes(one.matches, other.matches, budget)) return false
  if (one.data.per === undefined && one.calls.from === 1 && one.calls.to === Number.POSITIVE_INFINITY) return true
  // both count the same calls
  const areAlike = one.data.per === other.data.per && one.operations.size === other.operations.size && includes(other.matches, one.matches, budget)
  const haveSameTime = saysSame('at') && saysSame('after') && one.between.from === other.between.from && one.between.until === other.between.until
  return areAlike && haveSameTime && one.calls.from <= other.calls.from && one.calls.to >= other.calls.to
}

/** Whether every call that meets the second match meets the first one, as far as that can be told. */
const includes = (wider: Matcher | null, narrower: Matcher | null, budget: SentCall): boolean =>
  (wider ?? []).every(condition => (narrower ?? []).some(other => isAbout(condition, other) && follows(condition, other, budget)))

const isAbout = (one: MatchCondition, other: MatchCondition) => one.section === other.section && one.name.join(' ') === other.name.join(' ')

/** Whether a condition is met by every value that meets another one: they say the same, or each of its few values meets it. */
function follows(condition: MatchCondition, other: MatchCondition, budget: SentCall): boolean {
  if (JSON.stringify(condition.data) === JSON.stringify(other.data)) return true
  const values = [other.data].flat()
  return values.every(
    value => typeof value !== 'object' && !/^\/.*\/i?$/s.test(String(value)) && !IS_DIGEST.test(String(value)) && condition.test(String(value), budget)
  )
}
