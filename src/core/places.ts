/** Places in a document: the steps to a value, and the problems that are found there. */
import type { Problem } from './errors.js'
import type { Said } from './sentences.js'

/** A step into a document: a property's name or a list index. */
export type Step = string | number
/** A problem with its place as steps, to look up the line. */
export type PlacedProblem = Problem & { steps: readonly Step[] }

const MAX_NAME = 128

/** `['tickets', 3, 'location']` → `tickets[3].location`. */
export const pathOf = (steps: readonly Step[]): string =>
  steps.reduce<string>((path, step) => {
    if (typeof step === 'number') return `${path}[${step}]`
    return `${path}${path && '.'}${step.length > MAX_NAME ? `${step.slice(0, MAX_NAME)}…` : step}`
  }, '')

/** The part of data at the end of some steps; undefined where there is none. */
export const partAt = (data: unknown, steps: readonly Step[]): unknown =>
  steps.reduce<unknown>(
    (part, step) => (part as Record<Step, unknown> | null | undefined)?.[step],
    data
  )

export const problemAt = (steps: readonly Step[], { code, message }: Said): PlacedProblem => ({
  path: pathOf(steps),
  code,
  message,
  steps
})
