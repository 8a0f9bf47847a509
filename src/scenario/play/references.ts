/** References in texts of documents, such as `${payment.id}`. */
import type { Step } from '../../core/places.js'
import { fieldIn } from '../match/fields.js'
import type { Json } from '../shape/parts.js'

export const REFERENCE = /\$\{([^{}]*)\}/g

/** A text that is wholly a reference becomes the value itself. */
export function withValues<T>(
  text: string,
  valueAt: (reference: string, all: string) => T
): T | string {
  const [, whole] = /^\$\{([^{}]*)\}$/.exec(text) ?? []
  return whole === undefined
    ? text.replace(REFERENCE, (all, reference) => String(valueAt(reference, all)))
    : valueAt(whole, text)
}

export function unclosedIn(text: string): string | undefined {
  const [unclosed] = /\$\{\s*[\w.-]*/.exec(text.replace(REFERENCE, '')) ?? []
  return unclosed?.trimEnd()
}

type PlacedText = { steps: readonly Step[]; text: string; isOfName: boolean }

/** `areNamesRead`: names of objects too. */
export function textsIn(
  value: unknown,
  steps: readonly Step[] = [],
  areNamesRead = false
): PlacedText[] {
  if (typeof value === 'string') return [{ steps, text: value, isOfName: false }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) => {
    const path = [...steps, Array.isArray(value) ? Number(name) : name]
    const texts = textsIn(part, path, areNamesRead)
    return areNamesRead ? [{ steps: path, text: name, isOfName: true }, ...texts] : texts
  })
}

export const textsOf = (value: unknown, areNamesRead = false): string[] =>
  textsIn(value, [], areNamesRead).map(({ text }) => text)

export const namesIn = (text: string): string[] =>
  Array.from(text.matchAll(REFERENCE), ([, name = '']) => name.trim())

export const headOf = (name: string): string => name.replace(/\..*/s, '')

export const referenceIn = (text: string): string | null => /\$\{[^{}]*\}?/.exec(text)?.[0] ?? null

export function responseValue(
  responses: ReadonlyMap<string, Json>,
  reference: string
): Json | undefined {
  const [head = '', ...fields] = reference.trim().split('.')
  return fields.reduce<Json | undefined>(fieldIn, responses.get(head))
}

/** Puts in values of responses; undefined while one is unknown. */
export function resolvedValue(
  text: string,
  responses: ReadonlyMap<string, Json>
): Json | undefined {
  const valueAt = (reference: string) => responseValue(responses, reference)
  return namesIn(text).every(name => valueAt(name) !== undefined)
    ? withValues<Json>(text, name => valueAt(name) ?? null)
    : undefined
}

type Rename = (name: string) => string

export const withTexts = <T>(
  data: T,
  replace: (text: string) => unknown,
  rename: Rename = name => name
): T => textsReplaced(data, replace, rename) as T

function textsReplaced(part: unknown, replace: (text: string) => unknown, rename: Rename): unknown {
  if (typeof part === 'string') return replace(part)
  if (Array.isArray(part)) return part.map(item => textsReplaced(item, replace, rename))
  if (typeof part !== 'object' || part === null) return part
  const parts = Object.entries(part).map(([name, inner]) => [
    rename(name),
    textsReplaced(inner, replace, rename)
  ])
  return Object.fromEntries(parts)
}

/** Puts in values of responses, in names too; references to objects and lists stay. */
export function withResponses<T>(data: T, responses: ReadonlyMap<string, Json>): T {
  const resolved = (text: string) => {
    const value = resolvedValue(text, responses)
    return value === undefined || typeof value === 'object' ? text : value
  }
  return withTexts(data, resolved, name => String(resolved(name)))
}
