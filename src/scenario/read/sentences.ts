/** Sentences on the text of a document. */
import { type Sentences, sayer, shortened } from '../../core/sentences.js'

export const SAYS = {
  // what the parser refuses
  tab: () => 'the line begins with a tab; indent with spaces',
  wrong_indent: () =>
    'the line is not indented like any line above; begin it with as many spaces as those that it belongs to',
  name_expected: () => 'must be a name with a colon, such as name: value',
  space_missing: () => 'a space is missing after this',
  holds_colon: () => 'a text with a colon must be in quotation marks',
  begins_with: () => 'a text that begins with this character must be in quotation marks',
  dash_in_brackets: () =>
    'a list in brackets has no dashes: write commas between its items, such as [a, b]',
  comma_missing: () =>
    'a comma is missing here, or a text or name with a colon or bracket is not in quotation marks',
  not_closed: () => 'the bracket is not closed; add the } or ] that closes it',
  nothing_to_close: () =>
    'the bracket has no opening bracket; remove it, or add the bracket that it closes',
  quote_not_closed: () =>
    'the quotation mark is not closed; end the text with the same mark on the same line',
  goes_on: () =>
    'this cannot follow what is before it; remove it, or put the whole text in quotation marks',
  tag: () =>
    'this is a YAML tag, which documents cannot have; put a text that begins with ! in quotation marks',
  unknown_escape: () =>
    'this is not an escape in double quotation marks; write \\\\ for a backslash',
  text_in_next_line: () =>
    'after > or |, begin the text on the next line; or put it in quotation marks',
  second_document: () => '--- begins a second document, but a file holds only one; remove the line',
  refused: () =>
    'this is not YAML; check the indentation, and the brackets and quotation marks before it',

  // what it reads
  number_as_text: (source: string, isSecret: boolean) =>
    isSecret
      ? 'without quotation marks this is a number, which loses characters; quote it'
      : `without quotation marks ${source} becomes ${Number(source)}; quote it: "${source}"`,
  unknown_alias: (name: string) =>
    `*${shortened(name)} refers to nothing, since no & with this name comes before it; put a text that begins with * in quotation marks`,
  anchor_of_nothing: () =>
    'no value follows the & before this; put a text that begins with & in quotation marks',
  many_aliases: () => 'there are too many aliases; expand them',
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
