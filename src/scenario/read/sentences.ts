/** Sentences on the text of a document. */
import { shortened } from '../../core/nearest.js'
import { type Sentences, sayer } from '../../core/sentences.js'

const spaces = (count: number) => `${count} ${count === 1 ? 'space' : 'spaces'}`
/** A text in quotation marks, as YAML reads it back. */
const quoted = (text: string) =>
  /["\\]/.test(text) ? `'${text.replaceAll("'", "''")}'` : `"${text}"`
const quote = (text: string, why: string) => `quote the text, since ${why}: ${quoted(text)}`

/** By the code of the YAML parser, where there is no better advice. */
const REFUSED: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY:
    'a line can have only one name; quote what follows the first colon, or put it on a line of its own',
  MISSING_CHAR: 'a space, a comma, a colon or a closing mark is missing here',
  MULTIPLE_ANCHORS: 'a value cannot have two anchors (&name)',
  UNEXPECTED_TOKEN:
    'this does not belong here; check the indentation, and the brackets and quotation marks before it'
}

export const SAYS = {
  refused: (code: string) =>
    REFUSED[code] ?? 'this is not YAML; quote the text, or check the lines before it',
  tab: () => 'the line begins with a tab; indent it with spaces',
  dash_in_brackets: () =>
    'a list in brackets has no dashes: write commas between its items, such as [a, b]',
  space_missing: (name: string, value: string) =>
    `a space is missing after the colon: ${name}: ${value}`,
  space_after_dash: () => 'a space is missing after the dash',
  colon_missing: (name: string) =>
    `a colon is missing after ${shortened(name)}: write ${shortened(name)}:`,
  comma_missing: (name = 'this') => `a comma is missing before ${name}`,
  name_expected: () => 'must be a name with a colon, such as name: value',
  not_closed: (bracket: string) =>
    `${bracket} is not closed; end it with ${bracket === '{' ? '}' : ']'}`,
  nothing_to_close: (bracket: string) =>
    `${bracket} has no opening bracket; remove it, or add the bracket that it closes`,
  quote_not_closed: (mark: string) =>
    `the quotation mark is not closed; end the text with ${mark} on the same line`,
  too_deep_below: (name: string, above: string, column: number) =>
    `${name} is indented deeper than ${shortened(above)} above it, which has a value already; begin it with ${spaces(column)}, like ${shortened(above)}`,
  wrong_indent: (
    count: number,
    like: readonly { column: number; like: string }[],
    item: string | null
  ) =>
    `the line is not indented like any line above (${spaces(count)}); begin it ${like.map(({ column, like }) => `with ${spaces(column)}, like ${shortened(like)}`).join(', or ')}${item === null ? '' : `; if another list item begins here, write a dash: - ${item}`}`,
  holds_colon: (text: string) => quote(text, 'it has a colon'),
  holds_bracket: (text: string) => quote(text, 'it has a bracket'),
  begins_with: (text: string, sign: string) => quote(text, `it begins with ${sign}`),
  goes_on: (text: string) => quote(text, 'there is more after the closing quotation mark'),
  brackets_in_name: (name: string) => `quote the name, since it has brackets: "${name}"`,
  number_as_text: (source: string, isSecret: boolean) =>
    isSecret
      ? 'without quotation marks this is a number, which loses characters; quote it'
      : `without quotation marks ${source} becomes ${Number(source)}; quote it: "${source}"`,
  tag: (tag: string, text: string) =>
    `${tag} is a YAML tag, which documents cannot have; if the ! is part of the text, quote it: ${quoted(text)}`,
  unknown_alias: (name: string) =>
    `*${shortened(name)} refers to nothing, since no & with this name comes before it; if the * is part of the text, quote it: ${quoted(`*${name}`)}`,
  many_aliases: () => 'there are too many aliases; expand them',
  unknown_escape: (sequence: string) =>
    `${sequence} is not an escape in double quotation marks; write \\\\ for a backslash`,
  text_in_next_line: () => 'after > or |, begin the text on the next line; or quote it',
  second_document: () => '--- begins a second document, but a file holds only one; remove the line',
  after_the_end: () => 'nothing may come after the bracket that ends the document',
  not_a_name: () => 'must be a name; got a list, an object or an alias',
  name_twice: (name: string, line: number) =>
    `${shortened(name)} is given twice: it is on line ${line} already; keep one of them`,
  names_twice: () => 'an object has a name twice; keep one of them',
  not_utf8: (isWide: boolean, byte: number) =>
    isWide
      ? 'the text is UTF-16, as > in PowerShell writes it; save it as UTF-8'
      : `the text is not UTF-8 but probably Latin-1 or Windows-1252: byte ${byte} is wrong; save it as UTF-8`,
  too_deep: (levels: number) =>
    `it is nested deeper than ${levels} levels, or an alias is inside what it names`,
  too_many_values: (most: number) => `it has more than ${most} values (limits.values)`,
  too_long: (most: number) =>
    `YAML may have at most ${most} characters and a million values; write it as JSON, or load it in parts`
} satisfies Sentences

export const say = sayer(SAYS)
