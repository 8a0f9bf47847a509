/** Markdown that the generated pages are made of. */
import { ASSUMPTIONS } from '../../src/reference/assumptions.js'
import type { Schema } from '../../src/reference/parameters.js'

/** A table; a cell is Markdown, whose bars are escaped. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

/** Text as code. */
export const code = (text: string): string => `\`${text}\``

/** A place that links lead to, where there is no heading. */
export const anchor = (id: string): string => `<a id="${id}"></a>`

/** The link to a rule or an assumption. */
export const idLink = (id: string): string =>
  `[${id}](${id in ASSUMPTIONS ? 'assumptions' : 'rules'}.md#${id.toLowerCase()})`
/** Links to rules and assumptions, one after the other. */
export const idLinks = (ids: readonly string[]): string => ids.map(idLink).join(', ')
/** The link to a setting. */
export const settingLink = (key: string): string => `[${code(key)}](settings.md#${key})`
/** The link to an error code. */
export const errorLink = (name: string): string => `[${code(name)}](errors.md#${name})`

/** A page: its title, then its parts, with an empty line between them. */
export const page = (title: string, ...parts: readonly string[]): string =>
  `${[`# ${title}`, ...parts].join('\n\n')}\n`

/** JSON in a text as code, so that nothing of it is read as Markdown. */
export const withCode = (text: string): string => text.replace(/\{"[^;]*\}/g, code)

/** What the named formats are called. */
const FORMAT_NAMES: Readonly<Record<string, string>> = {
  email: 'email address',
  country: 'country code',
  currency: 'currency code',
  instant: 'instant',
  last4: 'four digits',
  duration: 'duration'
}
const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  boolean: 'true or false',
  array: 'list'
}

/** What a value has to be: `integer, 1 to 100`, `card, vip or null`. */
export function typeName({ type, format, enum: words, minimum, maximum, items }: Schema): string {
  if (words) return alternatives(words.map(word => (word === null ? 'null' : code(String(word)))))
  const names = [type ?? 'any'].flat().map(name => {
    if (name === 'string' && format !== undefined) return FORMAT_NAMES[format] as string
    if (name === 'array' && items && type === 'array') return `list of ${typeName(items)}`
    return TYPE_NAMES[name] ?? name
  })
  return `${alternatives(names)}${bounds(minimum, maximum)}`
}

function bounds(minimum: number | undefined, maximum: number | undefined): string {
  const most = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? null : maximum
  if (most !== null) return `, ${minimum} to ${most}`
  return minimum === undefined || minimum === 0 ? '' : `, ${minimum} or more`
}

/** `a, b or c`. */
export const alternatives = (names: readonly string[]) =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
