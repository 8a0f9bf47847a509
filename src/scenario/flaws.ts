/** Which parts of a document have problems of shape; the others are right, and checked further. */
import { partAt, type Step } from '../core/places.js'
import type { Report } from './documents.js'

/** A tree of steps with a node for every place that has a problem, at itself or in a part of it. */
export type Flaws = ReadonlyMap<Step, Flaws>
type Tree = Map<Step, Tree>

export function flawsOf(problems: readonly { steps: readonly Step[] }[]): Flaws | undefined {
  if (problems.length === 0) return undefined
  const root: Tree = new Map()
  for (const { steps } of problems) {
    let at = root
    for (const step of steps) at = at.get(step) ?? (at.set(step, new Map()).get(step) as Tree)
  }
  return root
}

/** The members of a list, each with its index and flaws; none where it is no list. */
export function membersOf<T>(
  list: unknown,
  flaws: Flaws | undefined
): { member: T; index: number; flaws: Flaws | undefined }[] {
  return Array.isArray(list)
    ? list.map((member, index) => ({ member, index, flaws: flaws?.get(index) }))
    : []
}

export function flawsOfMembers(
  members: readonly { flaws: Flaws | undefined }[]
): Flaws | undefined {
  const flawed = members.flatMap(({ flaws }, index) =>
    flaws === undefined ? [] : [[index, flaws] as const]
  )
  return flawed.length === 0 ? undefined : new Map(flawed)
}

/**
 * A part without what is wrong in it; undefined where it is wrong itself. A list with a wrong
 * member is wrong as a whole, so that no index changes.
 */
export function withoutFlaws(part: unknown, flaws: Flaws): unknown {
  if (flaws.size === 0 || typeof part !== 'object' || part === null) return undefined
  const isList = Array.isArray(part)
  const right = Object.entries(part).flatMap(([name, value]) => {
    const own = flaws.get(isList ? Number(name) : name)
    const rest = own === undefined ? value : withoutFlaws(value, own)
    return rest === undefined ? [] : [[name, rest] as const]
  })
  if (!isList) return Object.fromEntries(right)
  return right.length === part.length ? right.map(([, value]) => value) : undefined
}

/** Names that go with others of the same member, which may be what is wrong. */
const OF_OTHERS: readonly unknown[] = ['when', 'per']
type RightMember<T> = { member: T; index: number; isWhole: boolean; report: Report }

/**
 * The right parts of members. What is reported of one is dropped where it is about what has a flaw
 * already, or is not there because of one.
 */
export function rightMembersOf<T>(
  list: unknown,
  flaws: Flaws | undefined,
  report: Report
): RightMember<T>[] {
  return membersOf(list, flaws).flatMap(({ member, index, flaws: own }) => {
    const right = own === undefined ? member : withoutFlaws(member, own)
    const isThere = (steps: readonly Step[]) =>
      own === undefined || (!OF_OTHERS.includes(steps[0]) && partAt(right, steps) !== undefined)
    const reportRight: Report = (steps, message) =>
      hasNoFlawAt(own, steps) && isThere(steps) && report([index, ...steps], message)
    return right === undefined
      ? []
      : [{ member: right as T, index, isWhole: own === undefined, report: reportRight }]
  })
}

const hasNoFlawAt = (flaws: Flaws | undefined, steps: readonly Step[]): boolean =>
  flaws === undefined ||
  (steps.length > 0 && hasNoFlawAt(flaws.get(steps[0] as Step), steps.slice(1)))

/** Reports what is found in a part by its place in the whole. */
export const within =
  (report: Report, ...under: readonly Step[]): Report =>
  (steps, message) =>
    report([...under, ...steps], message)
