/** Which parts of a document have problems of shape; the other parts are right, and are checked further. */
import type { Step } from '../core/places.js'

/** A tree of steps with a node for every place that has a problem, at itself or in a part of it. */
export type Flaws = ReadonlyMap<Step, Flaws>
type Tree = Map<Step, Tree>

/** The flaws of a document or part by its problems; undefined where it has none. */
export function flawsOf(problems: readonly { steps: readonly Step[] }[]): Flaws | undefined {
  if (problems.length === 0) return undefined
  const root: Tree = new Map()
  for (const { steps } of problems) {
    let at = root
    for (const step of steps) {
      const next = at.get(step) ?? new Map()
      at.set(step, next)
      at = next
    }
  }
  return root
}

/** The members of a list, each with its index and flaws; none where it is no list. */
export function membersOf<T>(list: unknown, flaws: Flaws | undefined): { member: T; index: number; flaws: Flaws | undefined }[] {
  return Array.isArray(list) ? list.map((member, index) => ({ member, index, flaws: flaws?.get(index) })) : []
}
