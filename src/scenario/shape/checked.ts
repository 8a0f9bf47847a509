/** What earlier checks have made sure of, where the compiler cannot know it. */
import { durationOf, instantOf } from '../../core/instants.js'

/** Throws a defect if the value is missing. */
export function present<T>(value: T | null | undefined): T {
  if (value == null) throw new Error('A value is missing that was checked before.')
  return value
}

/** Of a duration that its schema has checked. */
export const millisecondsOf = (duration: string): number => present(durationOf(duration))

/** In milliseconds, of a text that its schema has checked. */
export const instantIn = (text: string): number => present(instantOf(text))

export const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

type Entries<T> = { [N in keyof T & string]-?: [N, Exclude<T[N], undefined>] }[keyof T & string]
export const entriesOf = <T extends object>(parts: T) => Object.entries(parts) as Entries<T>[]
