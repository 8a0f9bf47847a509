/** Sentences on documents that cannot be read, their variables, and the files that they name. */
import { didYouMean, nearest, sentence, shortened, thereAre } from '../core/nearest.js'
import { type Sentences, sayer } from '../core/sentences.js'

const MIN_BEGINNING = 4
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

export const SAYS = {
  more_problems: (most: number) => `there may be more problems: only the first ${most} are shown`,
  empty_document: (kind: 'fixture' | 'scenario') =>
    kind === 'fixture'
      ? 'is empty; write at least tickets: []'
      : 'is empty; write at least fixtures: [bistro]. commerce-emulator new NAME writes a scenario to start from',
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
