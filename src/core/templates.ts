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
const isNested = (part: unknown): part is object => typeof part === 'object' && part !== null
const memberOf = (part: unknown, name: string): unknown =>
  isNested(part) ? Reflect.get(part, name) : undefined

export function placeholdersIn(part: unknown): string[] {
  if (typeof part === 'string') return part.includes('$') ? [part] : []
  return isNested(part) ? Object.values(part).flatMap(placeholdersIn) : []
}

export const LIST_RULE: TemplateRule = {
  placeholders: placeholdersIn(LIST_TEMPLATE),
  once: '$members'
}
export const ERROR_RULE: TemplateRule = { placeholders: placeholdersIn(ERROR_TEMPLATE) }

/** Fills a template; a placeholder without a value is left out. */
export function filled(part: unknown, values: Readonly<Record<string, unknown>>): unknown {
  if (typeof part === 'string' && part.startsWith('$')) return values[part.slice(1)]
  if (Array.isArray(part))
    return part.map(member => filled(member, values)).filter(member => member !== undefined)
  return isNested(part) ? mapValues(part, member => filled(member, values)) : part
}

/** The value of a response in a placeholder's place; undefined where it has none. */
export function valueAt(part: unknown, body: unknown, placeholder: string): unknown {
  if (part === placeholder) return body
  for (const [name, member] of isNested(part) ? Object.entries(part) : []) {
    const value = valueAt(member, memberOf(body, name), placeholder)
    if (value !== undefined) return value
  }
  return undefined
}

/** A response without the values of some placeholders. */
export function without(part: unknown, body: unknown, placeholders: readonly unknown[]): unknown {
  if (!isNested(part) || !isNested(body)) return body
  const members = Object.entries(body).flatMap(([name, member]) =>
    placeholders.includes(memberOf(part, name))
      ? []
      : [[name, without(memberOf(part, name), member, placeholders)] as const]
  )
  return Array.isArray(body) ? members.map(([, member]) => member) : Object.fromEntries(members)
}
