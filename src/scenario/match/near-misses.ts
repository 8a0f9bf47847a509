/** Requests or records that nearly match, with the conditions that they do not meet. */
import { isDeepStrictEqual } from 'node:util'
import { withoutSecrets } from '../../core/redaction.js'
import { shortened } from '../../core/sentences.js'
import type { Condition } from './conditions.js'
import type { Value } from './fields.js'

export type Miss = { condition: string; wanted: string; got: string }
/** `in` is the id of the request or record. */
export type NearMiss = { in: string; misses: Miss[] }

export const MAX_NEAR_MISSES = 3

export const missOf = <Subject>(
  { name, wanted, valueIn }: Condition<Subject>,
  subject: Subject
): Miss => ({ condition: name, wanted, got: shownValue(valueIn(subject)) })

function shownValue(value: Value): string {
  if (value === undefined) return 'nothing'
  return value === null ? 'an object or a list' : shortened(withoutSecrets(String(value)))
}

/** Keeps those with the fewest misses, the earlier ones first, the same misses once. */
export class Nearest {
  #nearest: (NearMiss & { count: number })[] = []

  add(where: string, count: number, missesOf: () => Miss[]): void {
    const least = this.#nearest[MAX_NEAR_MISSES - 1]?.count ?? Number.POSITIVE_INFINITY
    if (count === 0 || count >= least) return
    const misses = missesOf()
    if (this.#nearest.some(near => isDeepStrictEqual(near.misses, misses))) return
    this.#nearest = [...this.#nearest, { in: where, misses, count }]
      .sort((a, b) => a.count - b.count)
      .slice(0, MAX_NEAR_MISSES)
  }

  list(): NearMiss[] {
    return this.#nearest.map(({ in: where, misses }) => ({
      in: where,
      misses: misses.slice(0, MAX_NEAR_MISSES)
    }))
  }
}

export const missText = ({ condition, wanted, got }: Miss): string =>
  `${condition}: expected ${wanted}; got ${got}`

export const nearMissText = ({ in: where, misses }: NearMiss): string =>
  `${misses.map(missText).join(', ')} in ${where}`

type Explained = { requests?: readonly string[]; near_misses?: readonly NearMiss[] }

export function explainedMessage(
  message: string,
  { requests = [], near_misses: near = [] }: Explained
): string {
  const counted = requests.length === 0 ? '' : ` (${requests.join(', ')})`
  const nearly = near.length === 0 ? '' : `; nearly: ${near.map(nearMissText).join('; ')}`
  return counted + nearly === '' ? message : message.replace(/\.$/, '') + counted + nearly
}
