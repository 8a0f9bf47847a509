/** The order of places in a document: that of its text, as far as its data shows it. */
import type { Step } from '../core/places.js'

/** The numbers of the steps to a place: the index in a list, the rank of a name among those of its object; a missing name comes first. */
function ranksOf(data: unknown, steps: readonly Step[], ranks: WeakMap<object, Map<string, number>>): number[] {
  let at = data
  return steps.map(step => {
    const parent = at as Record<Step, unknown>
    at = parent?.[step]
    if (typeof step === 'number') return step
    if (typeof parent !== 'object' || parent === null) return -1
    let names = ranks.get(parent)
    if (names === undefined) {
      names = new Map(Object.keys(parent).map((name, rank) => [name, rank]))
      ranks.set(parent, names)
    }
    return names.get(step) ?? -1
  })
}

/** What is placed in a document, in the order of the places: a whole before its parts. What shares a place keeps its order. */
export function inDocumentOrder<T extends { steps: readonly Step[] }>(data: unknown, placed: readonly T[]): T[] {
  const ranks = new WeakMap<object, Map<string, number>>()
  return placed
    .map(one => ({ one, at: ranksOf(data, one.steps, ranks) }))
    .sort((a, b) => compared(a.at, b.at))
    .map(({ one }) => one)
}

function compared(a: readonly number[], b: readonly number[]): number {
  for (let depth = 0; depth < a.length && depth < b.length; depth++) {
    const difference = (a[depth] as number) - (b[depth] as number)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}
