/**
 * Requests or records that come nearest to what was wanted, with the conditions that they do not
 * meet.
 */
import { shortened } from '../../core/nearest.js'
import { withoutSecrets } from '../../core/redaction.js'
import type { Condition } from './conditions.js'
import type { Value } from './fields.js'

export type Miss = { condition: string; wanted: string; got: string }
/** By the id of the request or record. */
export type NearMiss = { in: string; misses: Miss[] }

export const MAX_NEAR_MISSES = 3

export const missOf = <Of>({ name, wanted, valueIn }: Condition<Of>, of: Of): Miss => ({
  condition: name,
  wanted,
  got: shownValue(valueIn(of))
})

export function shownValue(value: Value): string {
  if (value === undefined) return 'nothing'
  return value === null ? 'an object or a list' : shortened(withoutSecrets(String(value)))
}

export const missText = ({ condition, wanted, got }: Miss): string =>
  `${condition}: wanted ${wanted}; got ${got}`

/** Those with the fewest misses, the first of equal ones; the same misses once. */
export class Nearest {
  #found: { near: NearMiss; count: number; said: string }[] = []

  add(where: string, count: number, missesOf: () => Miss[]): void {
    const place = this.#found.findLastIndex(other => other.count <= count) + 1
    if (count === 0 || place === MAX_NEAR_MISSES) return
    const misses = missesOf()
    const said = JSON.stringify(misses)
    if (this.#found.some(other => other.said === said)) return
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

export const nearMissTexts = (near: readonly NearMiss[]): string[] =>
  near.map(({ in: where, misses }) => `${misses.map(missText).join(', ')} in ${where}`)

export type Explained = { requests?: readonly string[]; near_misses?: readonly NearMiss[] }

export function explainedMessage(
  message: string,
  { requests = [], near_misses: near = [] }: Explained
): string {
  if (requests.length + near.length === 0) return message
  const counted = requests.length === 0 ? '' : ` (${requests.join(', ')})`
  return `${message.replace(/\.$/, '')}${counted}${near.length === 0 ? '' : `; nearly: ${nearMissTexts(near).join('; ')}`}`
}
