/** What was nearly right: the requests or records that come nearest to what was wanted, with the conditions that they do not meet. */
import { shortened } from '../core/nearest.js'
import { withoutSecrets } from '../core/redaction.js'
import type { Condition, Value } from './conditions.js'

/** A condition that was not met: what was wanted, and what came. */
export type Miss = { condition: string; wanted: string; got: string }
/** A request or record that is not what was wanted, by its id, and why it is not. */
export type NearMiss = { in: string; misses: Miss[] }

/** Near misses of one expectation or script entry, and conditions of one of them. */
export const MAX_NEAR_MISSES = 3

/** A condition that a value does not meet. */
export const missOf = ({ name, wanted }: Condition, value: Value): Miss => ({ condition: name.join('.'), wanted, got: shownValue(value) })

function shownValue(value: Value): string {
  if (value === undefined) return 'nothing'
  return value === null ? 'an object or a list' : shortened(withoutSecrets(String(value)))
}

/** `amount: wanted >= 5000; got 4999`. */
export const missText = ({ condition, wanted, got }: Miss): string => `${condition}: wanted ${wanted}; got ${got}`

/** Those with the fewest misses; of equal ones the first. */
export const nearestOf = (candidates: readonly NearMiss[]): NearMiss[] =>
  candidates
    .filter(({ misses }) => misses.length > 0)
    .sort((one, other) => one.misses.length - other.misses.length)
    .slice(0, MAX_NEAR_MISSES)
    .map(({ in: where, misses }) => ({ in: where, misses: misses.slice(0, MAX_NEAR_MISSES) }))

/** `amount: wanted >= 5000; got 4999 in req_7`; each near miss by itself. */
export const nearMissTexts = (near: readonly NearMiss[]): string[] => near.map(({ in: where, misses }) => `${misses.map(missText).join(', ')} in ${where}`)

/** A message with the near misses after it. */
export const withNearMisses = (message: string, near: readonly NearMiss[]): string =>
  near.length === 0 ? message : `${message}; nearly: ${nearMissTexts(near).join('; ')}`
