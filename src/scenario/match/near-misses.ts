/** Requests or records that nearly match, with the conditions that they do not meet. */
import { shortened } from '../../core/nearest.js'
import { withoutSecrets } from '../../core/redaction.js'
import type { Condition } from './conditions.js'
import type { Value } from './fields.js'

export type Miss = { condition: string; wanted: string; got: string }
/** `in` is the id of the request or record. */
export type NearMiss = { in: string; misses: Miss[] }

export const MAX_NEAR_MISSES = 3

export const missOf = <Subject>(
  { name, wanted, valueIn }: Condition<Subject>,
  subject: Subject
): Miss => ({
  condition: name,
  wanted,
  got: shownValue(valueIn(subject))
})

export function shownValue(value: Value): string {
  if (value === undefined) return 'nothing'
  return value === null ? 'an object or a list' : shortened(withoutSecrets(String(value)))
}

export const missText = ({ condition, wanted, got }: Miss): string =>
  `${condition}: wanted ${wanted}; got ${got}`

/** Keeps those with the fewest misses, the earlier ones first, the same misses once. */
export class Nearest {
  #nearest: { near: NearMiss; count: number; text: string }[] = []

  add(where: string, count: number, missesOf: () => Miss[]): void {
    const place = this.#nearest.findLastIndex(entry => entry.count <= count) + 1
    if (count === 0 || place === MAX_NEAR_MISSES) return
    const misses = missesOf()
    const text = JSON.stringify(misses)
    if (this.#nearest.some(entry => entry.text === text)) return
    this.#nearest.splice(place, 0, {
      near: { in: where, misses: misses.slice(0, MAX_NEAR_MISSES) },
      count,
      text
    })
    this.#nearest.length = Math.min(this.#nearest.length, MAX_NEAR_MISSES)
  }

  list(): NearMiss[] {
    return this.#nearest.map(({ near }) => near)
  }
}

export const nearMissText = ({ in: where, misses }: NearMiss): string =>
  `${misses.map(missText).join(', ')} in ${where}`

export type Explained = { requests?: readonly string[]; near_misses?: readonly NearMiss[] }

export function explainedMessage(
  message: string,
  { requests = [], near_misses: near = [] }: Explained
): string {
  if (requests.length + near.length === 0) return message
  const counted = requests.length === 0 ? '' : ` (${requests.join(', ')})`
  return `${message.replace(/\.$/, '')}${counted}${near.length === 0 ? '' : `; nearly: ${near.map(nearMissText).join('; ')}`}`
}
