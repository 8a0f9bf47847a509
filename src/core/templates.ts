/**
 * Templates of responses: JSON with placeholders, such as `{ data: $members, has_more: $has_more
 * }`. A value replaces each placeholder.
 */
import { mapValues } from '../reference/rules.js'

export type Template = Readonly<Record<string, unknown>>
/** The placeholders of a template; `once` has to be there, and once. */
export type TemplateRule = { placeholders: readonly string[]; once?: string }

export const LIST_TEMPLATE: Template = {
  object: 'list',
  url: '$url',
  data: '$members',
  has_more: '$has_more',
  first_id: '$first_id',
  last_id: '$last_id'
}
export const LIST_RULE: TemplateRule = {
  placeholders: ['$members', '$has_more', '$url', '$first_id', '$last_id'],
  once: '$members'
}

export const ERROR_TEMPLATE: Template = {
  error: {
    type: '$type',
    code: '$code',
    message: '$message',
    param: '$param',
    rule: '$rule',
    assumption: '$assumption',
    request_id: '$request_id'
  }
}
export const ERROR_RULE: TemplateRule = {
  placeholders: ['$type', '$code', '$message', '$param', '$rule', '$assumption', '$request_id']
}

const isNested = (part: unknown): part is object => typeof part === 'object' && part !== null
const memberOf = (part: unknown, step: string | number): unknown =>
  isNested(part) ? Reflect.get(part, step) : undefined

export function placeholdersIn(part: unknown): string[] {
  if (typeof part === 'string') return part.includes('$') ? [part] : []
  return isNested(part) ? Object.values(part).flatMap(placeholdersIn) : []
}

/** Fills a template; a placeholder without a value is left out. */
export function filled(part: unknown, values: Readonly<Record<string, unknown>>): unknown {
  if (typeof part === 'string' && part.startsWith('$')) return values[part.slice(1)]
  if (Array.isArray(part))
    return part.map(member => filled(member, values)).filter(member => member !== undefined)
  return isNested(part) ? mapValues(part, member => filled(member, values)) : part
}

/** The steps to a placeholder; undefined where the template has none. */
export function stepsTo(
  part: unknown,
  placeholder: string
): readonly (string | number)[] | undefined {
  if (part === placeholder) return []
  for (const [name, member] of isNested(part) ? Object.entries(part) : []) {
    const steps = stepsTo(member, placeholder)
    if (steps !== undefined) return [Array.isArray(part) ? Number(name) : name, ...steps]
  }
  return undefined
}

/** The value of a response in a placeholder's place. */
export function valueAt(part: unknown, body: unknown, placeholder: string): unknown {
  return stepsTo(part, placeholder)?.reduce<unknown>(memberOf, body)
}

/** The values in the places of placeholders, converted; undefined for none. */
export function picked<V>(
  part: unknown,
  body: unknown,
  keep: Readonly<Record<string, (value: V) => unknown>>
): unknown {
  if (typeof part === 'string') return body === undefined ? undefined : keep[part]?.(body as V)
  if (!isNested(part) || Array.isArray(part) || !isNested(body)) return undefined
  const parts = Object.entries(part).map(
    ([name, member]) => [name, picked(member, memberOf(body, name), keep)] as const
  )
  const present = parts.filter(([, value]) => value !== undefined)
  return present.length === 0 ? undefined : Object.fromEntries(present)
}

/** A response without the values of some placeholders. */
export function without(part: unknown, body: unknown, placeholders: readonly unknown[]): unknown {
  if (!isNested(part) || !isNested(body)) return body
  if (Array.isArray(body))
    return body.map((member, place) => without(memberOf(part, place), member, placeholders))
  const members = Object.entries(body).filter(
    ([name]) => !placeholders.includes(memberOf(part, name))
  )
  return Object.fromEntries(
    members.map(([name, member]) => [name, without(memberOf(part, name), member, placeholders)])
  )
}
