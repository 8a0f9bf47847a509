/** Sentences on documents that cannot be read, their variables, and the files that they name. */
import { didYouMean, nearest, sentence, shortened, thereAre } from '../core/nearest.js'
import { type Sentences, sayer } from '../core/sentences.js'

const MIN_BEGINNING = 4
const spaces = (count: number) => `${count} ${count === 1 ? 'space' : 'spaces'}`
/** A text in quotation marks, as YAML reads it back. */
const quoted = (text: string) =>
  /["\\]/.test(text) ? `'${text.replaceAll("'", "''")}'` : `"${text}"`
const quote = (text: string, why: string) => `quote the text, since ${why}: ${quoted(text)}`
const orNearest = (name: string, known: readonly string[], otherwise: string) =>
  didYouMean(name, known) || `; ${otherwise}`
/** A name that is spelled alike, or begins alike. */
const meantName = (name: string, known: readonly string[]) => {
  const beginning = nearest(
    name,
    known.map(other => other.slice(0, name.length))
  )
  const meant =
    nearest(name, known) ??
    known.find(
      other => beginning !== null && name.length >= MIN_BEGINNING && other.startsWith(beginning)
    )
  return meant === undefined ? '' : `; did you mean ${meant}?`
}
const noneCalled = (
  what: string,
  name: string,
  known: readonly string[],
  beside: readonly string[] = []
) =>
  `${sentence(`no ${what} is called ${name || '""'}${didYouMean(name, [...known, ...beside])}`)} Available: ${known.join(', ')}`

/** By the code of the YAML parser, where no line shows what was meant. */
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
  wrong_indent: (count: number, like: readonly (readonly [column: number, like: string])[]) =>
    `the line is not indented like any line above (${spaces(count)}); begin it ${like.map(([column, like]) => `with ${spaces(column)}, like ${like}`).join(', or ')}`,
  dash_missing: (name: string, line: string) =>
    `${name} is given above already; if another list item begins here, write a dash: - ${line}`,
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
  unknown_escape: (written: string) =>
    `${written} is not an escape in double quotation marks; write \\\\ for a backslash`,
  text_in_next_line: () => 'after > or |, begin the text on the next line; or quote it',
  second_document: () => '--- begins a second document, but a file holds only one; remove the line',
  empty_document: (kind: 'fixture' | 'scenario') =>
    kind === 'fixture'
      ? 'is empty; write at least tickets: []'
      : 'is empty; write at least fixtures: [bistro]. commerce-emulator new NAME writes a scenario to start from',
  after_the_end: () => 'nothing may come after the bracket that ends the document',
  not_a_name: () => 'must be a name; got a list, an object or an alias',
  name_twice: (name: string, line: number) =>
    `${shortened(name)} is given twice: it is on line ${line} already; keep one of them`,
  not_utf8: (isWide: boolean, byte: number) =>
    isWide
      ? 'the text is UTF-16, as > in PowerShell writes it; save it as UTF-8'
      : `the text is not UTF-8 but probably Latin-1 or Windows-1252: byte ${byte} is wrong; save it as UTF-8`,
  too_deep: (levels: number) =>
    `it is nested deeper than ${levels} levels, or an alias is inside what it names`,
  too_large: (problem: string) => problem,
  weighs_more: (problem: string, weight: number) =>
    `${problem}; in YAML each counts as ${weight}: write it as JSON`,
  more_problems: (most: number) => `there may be more problems: only the first ${most} are shown`,

  reference_without_value: (reference: string) =>
    /^\$\{\s*record\./.test(reference)
      ? `${reference} has no value here: the fields of a record are known only under state in expect; write the value, or use a variable`
      : `${reference} has no value here: responses are known only in steps, play and expect; give the record an id under data, or use a variable`,
  not_a_variable_name: () => 'must be letters, digits, _ and -, beginning with a letter',
  variable_of_variable: () => 'must not refer to another variable; write the value itself',
  variable_too_long: (most: number, length: number) =>
    `must have at most ${most} characters; got ${length}`,
  variable_of_type: (name: string, type: string, fallback: string, got: string) =>
    `must be ${type}, like the default ${fallback} of the variable ${name}; got ${got}`,
  unknown_variable: (name: string, known: readonly string[]) =>
    `no variable is called ${shortened(name) || '""'}${orNearest(name, known, thereAre(known))}`,
  undeclared_variable: (name: string) =>
    `no variable is called ${shortened(name)}; declare it: vars: { ${name}: … }`,
  variable_as_name: () => 'a variable can be a value or part of a value, but not a name',
  variable_without_name: (name: string) => `must be a variable, such as \${vars.${name}}`,
  reference_not_closed: (text: string) =>
    `\${ is not closed; a reference ends with }, such as ${text}}`,

  no_fixture: (name: string, known: readonly string[], beside: string | null) =>
    `${noneCalled('fixture', name, known)}${beside === null ? '' : `. There is a file ${shortened(beside)} beside the document; write its extension too: fixtures: [${shortened(beside)}]`}`,
  no_scenario: (name: string, known: readonly string[], file?: string) =>
    `No scenario is called ${sentence(`${name}${file === undefined ? meantName(name, known) : `; did you mean the file ./${file}?`}`)} Available: ${known.join(', ')}.`,
  too_large_to_show: (name: string, size: number, most: number) =>
    `${name} has ${size} bytes, and only texts of up to ${most} bytes are shown; read its file instead.`,
  no_shared_script: (name: string, known: readonly string[], beside: readonly string[]) =>
    noneCalled('file of groups', name, known, beside),
  not_a_group: () => 'must be a file and a group in it, such as outages.yaml#brief-outage',
  no_groups: (reference: string) => `${reference} has no groups; name a file that has`,
  names_only: (what: string, reference: string) =>
    `a document that does not come from a file may name ${what}, not paths: ${reference}`,
  no_file: (reference: string) => `there is no file ${reference}`,
  link_outside: (name: string) =>
    `${name} is a link that leads outside its folder; put the file itself there`,
  outside_folders: (reference: string) =>
    `${reference} lies outside the fixtures and scenarios folders`,
  not_a_file: (reference: string) => `${reference} is not a file`
} satisfies Sentences

export const say = sayer(SAYS)
