/** References in texts of documents, such as `${payment.id}`. */
import type { Step } from '../../core/places.js'
import { fieldIn } from '../match/fields.js'
import type { Json } from '../shape/parts.js'

export const REFERENCE = /\$\{([^{}]*)\}/g

/** A text that is one reference becomes the value itself. */
export function withValues<T>(
  text: string,
  valueAt: (reference: string, all: string) => T
): T | string {
  const [, whole] = /^\$\{([^{}]*)\}$/.exec(text) ?? []
  return whole === undefined
    ? text.replace(REFERENCE, (all, reference) => String(valueAt(reference, all)))
    : valueAt(whole, text)
}

/** Up to the end of its name. */
export function unclosedIn(text: string): string | undefined {
  const [unclosed] = /\$\{\s*[\w.-]*/.exec(text.replace(REFERENCE, '')) ?? []
  return unclosed?.trimEnd()
}

type PlacedText = { steps: readonly Step[]; text: string; isOfName?: boolean }

/** Texts with their places; names of parts too, where `areNamesRead`. */
export function textsIn(
  value: unknown,
  steps: readonly Step[] = [],
  { areNamesRead = false } = {}
): PlacedText[] {
  if (typeof value === 'string') return [{ steps, text: value }]
  if (typeof value !== 'object' || value === null) return []
  const parts: [Step, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value)
  return parts.flatMap(([step, part]) => {
    const at = [...steps, step]
    const name = areNamesRead ? textsIn(step, at).map(one => ({ ...one, isOfName: true })) : []
    return [...name, ...textsIn(part, at, { areNamesRead })]
  })
}

export const textsOf = (value: unknown, areNamesRead = false): string[] =>
  textsIn(value, [], { areNamesRead }).map(({ text }) => text)

export const namesIn = (text: string): string[] =>
  [...text.matchAll(REFERENCE)].map(([, name]) => (name as string).trim())

export const headOf = (name: string): string => name.split('.', 1)[0] as string

export const referenceIn = (text: string): string | null => /\$\{[^{}]*\}?/.exec(text)?.[0] ?? null

/** The path of a text that is one reference to a field of the current record. */
export const recordPath = (text: string): string | undefined =>
  /^\$\{\s*record\.([^{}]*)\}$/.exec(text)?.[1]?.trimEnd()

export function answerAt(answers: ReadonlyMap<string, Json>, reference: string): Json | undefined {
  const [head = '', ...fields] = reference.trim().split('.')
  return fields.reduce(fieldIn, answers.get(head))
}

/** With values of responses; undefined as long as one is not known. */
export function answeredValue(text: string, answers: ReadonlyMap<string, Json>): Json | undefined {
  let isAnswered = true
  const value = withValues<Json>(text, reference => {
    const found = answerAt(answers, reference)
    if (found === undefined) isAnswered = false
    return found ?? null
  })
  return isAnswered ? value : undefined
}

export function withTexts(
  value: Json,
  replaced: (text: string) => Json,
  named = (name: string) => name
): Json {
  if (typeof value === 'string') return replaced(value)
  if (Array.isArray(value)) return value.map(part => withTexts(part, replaced, named))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [named(name), withTexts(part, replaced, named)])
  )
}

/** With values of responses, in names too; a reference to an object or a list stays. */
export function withAnswers(data: Json, answers: ReadonlyMap<string, Json>): Json {
  const answered = (text: string) => {
    const value = answeredValue(text, answers)
    return value === undefined || typeof value === 'object' ? text : value
  }
  return withTexts(data, answered, name => String(answered(name)))
}
