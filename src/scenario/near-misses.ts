/**
 * What was nearly right: the requests or records that come nearest to what was wanted, with the
 * conditions that they do not meet.
 */
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
export const missOf = (
  { name, wanted }: Pick<Condition, 'name' | 'wanted'>,
  value: Value
): Miss => ({
  condition: name.join('.'),
  wanted,
  got: shownValue(value)
})

export function shownValue(value: Value): string {
  if (value === undefined) return 'nothing'
  return value === null ? 'an object or a list' : shortened(withoutSecrets(String(value)))
}

/** `amount: wanted >= 5000; got 4999`. */
export const missText = ({ condition, wanted, got }: Miss): string =>
  `${condition}: wanted ${wanted}; got ${got}`

/**
 * Those with the fewest misses; of equal ones the first, and of those with the same misses only
 * that.
 */
export class Nearest {
  #found: { near: NearMiss; count: number; said: string }[] = []

  /** One with so many misses, which are made where it is among the nearest. */
  add(where: string, count: number, missesOf: () => Miss[]): void {
    const isNear =
      this.#found.length < MAX_NEAR_MISSES ||
      count < (this.#found.at(-1) as { count: number }).count
    if (count === 0 || !isNear) return
    const misses = missesOf()
    const said = JSON.stringify(misses)
    if (this.#found.some(other => other.said === said)) return
    const place = this.#found.findLastIndex(other => other.count <= count) + 1
    this.#found.splice(place, 0, {
      near: { in: where, misses: misses.slice(0, MAX_NEAR_MISSES) },
      count,
      said
    })
    this.#found.length = Math.min(this.#found.length, MAX_NEAR_MISSES)
  }

  list(): NearMiss[] {
    return this.#found.map(({ near }) => near)
  }
}

/** `amount: wanted >= 5000; got 4999 in req_7`; each near miss by itself. */
export const nearMissTexts = (near: readonly NearMiss[]): string[] =>
  near.map(({ in: where, misses }) => `${misses.map(missText).join(', ')} in ${where}`)

/**
 * What did not come as it should have, with the requests that counted and those that nearly did.
 */
export type Explained = { requests?: readonly string[]; near_misses?: readonly NearMiss[] }

/** A message with the requests that counted, and what was nearly right. */
export function explainedMessage(
  message: string,
  { requests = [], near_misses: near = [] }: Explained
): string {
  if (requests.length + near.length === 0) return message
  const counted = requests.length === 0 ? '' : ` (${requests.join(', ')})`
  return `${message.replace(/\.$/, '')}${counted}${near.length === 0 ? '' : `; nearly: ${nearMissTexts(near).join('; ')}`}`
}
