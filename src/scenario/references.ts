/** References in texts of documents, such as `${payment.id}`. */
import type { Step } from '../core/places.js'

/** Each whole reference of a text. */
export const REFERENCE = /\$\{([^{}]*)\}/g

/** A text with a value in place of each reference; one that is wholly a reference becomes the value itself. `valueAt` is given what is between the braces. */
export function withValues<T>(text: string, valueAt: (reference: string, all: string) => T): T | string {
  const [, whole] = /^\$\{([^{}]*)\}$/.exec(text) ?? []
  return whole === undefined ? text.replace(REFERENCE, (all, reference) => String(valueAt(reference, all))) : valueAt(whole, text)
}

/** The first reference of a text that has no end, as far as its name goes; undefined where each has one. */
export function unclosedIn(text: string): string | undefined {
  const [unclosed] = /\$\{\s*[\w.-]*/.exec(text.replace(REFERENCE, '')) ?? []
  return unclosed?.trimEnd()
}

/** Every text of a part that holds a reference, with its place. */
export function textsIn(value: unknown, steps: readonly Step[] = []): { steps: readonly Step[]; text: string }[] {
  if (typeof value === 'string') return value.includes('${') ? [{ steps, text: value }] : []
  if (typeof value !== 'object' || value === null) return []
  const parts: [Step, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return parts.flatMap(([step, part]) => textsIn(part, [...steps, step]))
}

/** The names of the references of a text. */
export const namesIn = (text: string): string[] => [...text.matchAll(REFERENCE)].map(([, name]) => (name as string).trim())

/** The first reference of a text, whole or not; null where it has none. */
export const referenceIn = (text: string): string | null => /\$\{[^{}]*\}?/.exec(text)?.[0] ?? null

/** What to say of a reference outside of steps and plays, where no call has been answered yet. */
export const valueless = (reference: string): string =>
  `${reference} has no value here: the answers of calls are known in steps and play alone; give the record an id under data, or use a variable`
