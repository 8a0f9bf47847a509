/** What is wrong with a text that the parser cannot read, by its error codes: where, and what to write. */
import {
  type Document,
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type LineCounter,
  type Node,
  type Pair
} from 'yaml'
import type { Said } from '../../core/sentences.js'
import { say } from './sentences.js'

/** A problem at an offset of the text. */
export type Mistake = Said & { at: number }
export type ParserError = { code: string; message: string; pos: readonly [number, number] }
/** Of a document, which each have a place. */
export type Placed = Node & { range: [number, number, number] }
/** An error in its line, with the parts of the document that it is in or after, the whole first. */
type Case = {
  code: string
  at: number
  end: number
  text: string
  line: string
  start: number
  rest: string
  path: readonly Placed[]
  isInBrackets: boolean
  columnOf: (at: number) => number
}
type Advise = (error: Case) => (Said & { at?: number }) | false | null

/** Characters: advice on an error may read all of a document. */
const MAX_READ = 50_000_000
/** Nothing after these can be relied on. */
const LAST =
  'not_closed quote_not_closed nothing_to_close after_the_end colon_missing second_document'
/** Names that begin another part where a comma is forgotten. */
const IS_NAME =
  /^(on|do|as|match|body|query|params|key|about|calls|chance|from|until|for|hold|delay|respond|fault|when|status|error|headers|expect|times|id|account|location|ticket|transaction|amount|created|reference|name|type|email|code|message)$/
const CLOSING: Readonly<Record<string, string>> = { '{': '}', '[': ']' }

/** The first rule for an error that says something counts. */
const RULES: readonly (readonly [of: RegExp, advise: Advise])[] = [
  [
    /./,
    ({ rest, isInBrackets }) => isInBrackets && /^-(\s|$)/.test(rest) && say('dash_in_brackets')
  ],
  [/ end with a .$/, unclosed],
  [/Missing closing/, unclosed],
  [/^(?:BAD_INDENT|MISSING_CHAR Seq|UNEXPECTED_TOKEN .* at node end)/, wrongIndent],
  [/^MULTILINE_IMPLICIT_KEY/, nameOnLines],
  [
    /^MISSING_CHAR Implicit/,
    ({ line, start }) => spaceMissing(line, start) ?? say('name_expected')
  ],
  [
    /^BLOCK_AS_IMPLICIT_KEY/,
    error => /:(\s|$)/.test(valueIn(error)) && say('holds_colon', valueIn(error))
  ],
  [/^BLOCK_IN_FLOW/, commaForgotten],
  [/^BLOCK_IN_FLOW/, ({ text, at, end }) => say('holds_colon', text.slice(at, end).trimEnd())],
  [/^BAD_ALIAS/, error => say('begins_with', valueIn(error), '*')],
  [/^BAD_SCALAR_START/, error => say('begins_with', valueIn(error), error.rest[0] as string)],
  [
    /^TAG_RESOLVE_FAILED/,
    error => say('tag', valueIn(error).split(/\s/, 1)[0] as string, valueIn(error))
  ],
  [/^BAD_DQ_ESCAPE/, ({ rest }) => say('unknown_escape', rest.slice(0, 2))],
  [/^MULTIPLE_DOCS/, () => say('second_document')],
  [/^MISSING_CHAR Missing ,/, bracketsInName],
  [/^MISSING_CHAR Missing ,/, () => say('comma_missing')],
  [/^UNEXPECTED_TOKEN (?:Not a YAML|Block scalar)/, () => say('text_in_next_line')],
  [
    /^UNEXPECTED_TOKEN/,
    ({ rest }) => /^[\]}]/.test(rest) && say('nothing_to_close', rest[0] as string)
  ],
  [/^UNEXPECTED_TOKEN .* at node end/, goesOn]
]

/**
 * The first error, and those of other lines that there is advice on; most errors after the first
 * follow from it.
 */
export function adviceOn(
  errors: readonly ParserError[],
  contents: Document['contents'],
  text: string,
  lines: LineCounter
): Mistake[] {
  const told: Mistake[] = []
  let [lastLine, lastIndent] = [0, 0]
  for (const { code, message, pos } of errors.slice(0, Math.ceil(MAX_READ / text.length))) {
    const [at, end] = pos
    const { line: nth, col } = lines.linePos(at)
    if (nth === lastLine || (told.length > 0 && code === 'UNEXPECTED_TOKEN')) continue
    lastLine = nth
    const start = at - col + 1
    const line = lineAt(text, start)
    if (code === 'TAB_AS_INDENT' || /^ *\t/.test(line)) return tabsIn(text)
    const path = pathTo(contents, at)
    const error: Case = {
      code,
      at,
      end,
      text,
      line,
      start,
      rest: line.slice(col - 1),
      path,
      isInBrackets: path.some(
        part => isFlow(part) && (part.range[1] > at || isUnclosed(part, text))
      ),
      columnOf: place => lines.linePos(place).col - 1
    }
    let advice: ReturnType<Advise> = null
    for (const [of, advise] of RULES)
      if (!advice && of.test(`${code} ${message}`)) advice = advise(error)
    if (!advice && told.length > 0) continue
    const mistake = { at, ...(advice || say('refused', code)) }
    if (/_indent$|dash_missing/.test(mistake.code)) {
      // a line takes the next one along
      const isNext = lines.linePos(mistake.at).line === lastIndent + 1
      lastIndent = lines.linePos(mistake.at).line
      if (isNext) continue
    }
    told.push(mistake)
    if (LAST.includes(mistake.code)) break
  }
  return told
}

/** `name:x`, which is a text in YAML. */
export function spaceMissing(line: string, start: number): Mistake | null {
  const [, before = '', name = '', value] =
    /^(\s*(?:- +)*)([\w-]+):((?!\/\/)[^\s:].*)$/.exec(line) ?? []
  return value === undefined
    ? null
    : { ...say('space_missing', name, value), at: start + before.length + name.length }
}

const lineAt = (text: string, start: number): string =>
  (text.slice(start).split('\n', 1)[0] as string).replace(/\r$/, '')

function tabsIn(text: string): Mistake[] {
  return Array.from(text.matchAll(/^ *\t/gm), ({ index, 0: { length } }) => ({
    ...say('tab'),
    at: index + length - 1
  }))
}

const isFlow = (part: unknown) => isCollection(part) && part.flow === true

/** The parts of a document that begin before a place, from the whole to the last of the last. */
function pathTo(whole: unknown, at: number): Placed[] {
  const path: Placed[] = []
  for (let part = whole as Placed | null | undefined; part && part.range[0] < at; ) {
    path.push(part)
    part = isCollection(part) ? lastIn(part.items, at) : null
  }
  return path
}

function lastIn(items: readonly unknown[], at: number): Placed | undefined {
  const item = items.findLast(item => keyOf(item).range[0] < at)
  const value = isPair(item) ? (item.value as Placed | null) : null
  if (value !== null && value.range[0] < at) return value
  return item === undefined ? undefined : keyOf(item)
}

const keyOf = (item: unknown) => (isPair(item) ? item.key : item) as Placed

/** A bracket, or a text in quotation marks. What closes a part inside does not close it. */
function isUnclosed(part: Placed, text: string): boolean {
  const [start, end] = part.range
  if (!isFlow(part)) return isScalar(part) && /^QUOTE/.test(String(part.type))
  const last = isCollection(part) && (part.items.at(-1) as Pair | Placed | undefined)
  const inner = (isPair(last) ? (last.value ?? last.key) : last) as Placed | undefined
  return text[end - 1] !== CLOSING[text[start] as string] || inner?.range[1] === end
}

function unclosed({ path, text, at }: Case) {
  const open = path.findLast(part => part.range[1] === at && isUnclosed(part, text))
  if (open === undefined) return null
  const mark = text[open.range[0]] as string
  const said = isFlow(open) ? say('not_closed', mark) : say('quote_not_closed', mark)
  return { ...said, at: open.range[0] }
}

/** What is written from a place: to the end of its line, or of its part in brackets. */
function valueIn({ line, start, at, isInBrackets }: Case, from = at): string {
  const rest = line.slice(from - start, from - start + 1000)
  const [value = ''] = isInBrackets
    ? (/^(?:[^[\]{},]|\[[^[\]{}]*\]|\{[^[\]{}]*\})*/.exec(rest) ?? [])
    : rest.split(/\s#/, 1)
  return value.trimEnd()
}

/** A name that goes on over lines: `name`, `name:x`, `-name: x`, or a deeper line below a value. */
function nameOnLines({ text, at, end, line, start, rest }: Case) {
  const before = line.slice(0, at - start)
  const dash = before.search(/-[^\s-]/)
  if (dash >= 0 && before.slice(0, dash).trim() === '')
    return { ...say('space_after_dash'), at: start + dash }
  const [, indent, above] = /^(\s*(?:- +)*)([^\s:#"'][^:]*):\s+$/.exec(before) ?? []
  const name = text.slice(text.lastIndexOf('\n', end - 1) + 1, end)
  if (indent !== undefined && above !== undefined)
    return {
      ...say('too_deep_below', name.trim(), above, indent.length),
      at: end - name.trim().length
    }
  if (/^[\w-]+\s*$/.test(rest)) return say('colon_missing', rest.trim())
  return spaceMissing(line, start) ?? say('name_expected')
}

/** `{ a: 1 b: 2 }`, which looks the same to a parser as `{ reason: cold: soup }`. */
function commaForgotten({ text, at, end }: Case) {
  const value = text.slice(at, end)
  const [all = '', name = ''] = /\s(["']?[\w.-]+["']?):\s*/.exec(value) ?? []
  const before = value.slice(0, value.indexOf(all)).trimEnd()
  const isName =
    /^[[{"']/.test(value.slice(value.indexOf(all) + all.length)) ||
    IS_NAME.test(name) ||
    /["'\]}\d]$/.test(before)
  return before !== '' && isName && { ...say('comma_missing', name), at: at + before.length }
}

/** `{ created[gte]: … }`, a name that braces do not take as it is. */
function bracketsInName({ line, start, at, rest }: Case) {
  const [name = ''] = /(?<![\w-])[\w-]*$/.exec(line.slice(0, at - start)) ?? []
  const [, brackets] = /^((?:\[[\w-]*\])+):\s/.exec(rest) ?? []
  return (
    name !== '' &&
    brackets !== undefined && { ...say('brackets_in_name', name + brackets), at: at - name.length }
  )
}

/** More after a value that has ended. */
function goesOn(error: Case) {
  const { path, text, rest, at, isInBrackets } = error
  const nth = path.findIndex(part => isScalar(part) || (isFlow(part) && !isUnclosed(part, text)))
  const ended = path[nth]
  if (nth === 0) return say('after_the_end')
  if (ended === undefined || rest[0] === ',') return null
  if (isInBrackets && rest[0] === '"') return say('comma_missing')
  const value = valueIn(error, ended.range[0])
  if (ended.range[0] < error.start || value === '') return null
  const inner = /^(["']).*\1$/s.test(value) ? value.slice(1, -1) : value
  const isBracket = /[{}[\]]/.test(value) && !/^["'[{]/.test(value)
  return { ...say(isBracket ? 'holds_bracket' : 'goes_on', inner), at: ended.range[0], end: at }
}

/** A line that is indented differently from those around it. */
function wrongIndent({
  code,
  at,
  text,
  rest,
  start: there,
  line: own,
  path,
  columnOf,
  isInBrackets
}: Case) {
  // the parser may say where what is above it ends
  const isOver = /^\s*(#|$)/.test(rest)
  const skipped = isOver
    ? (/^.*\n(?:\s*#.*\n|\s*\n)*/.exec(text.slice(there)) ?? [''])[0].length
    : 0
  const start = there + skipped
  const line = isOver ? lineAt(text, start) : own
  const [, indent = '', dash, name] = /^(\s*)(- )?(?:- +)*(?:([\w-]+):(?:\s|$))?/.exec(
    line
  ) as RegExpExecArray
  if (isInBrackets || (code === 'UNEXPECTED_TOKEN' && at > start + indent.length)) return null
  const open = path.filter(part => isCollection(part) && !part.flow)
  const columns = open.map(part => ({ part, column: columnOf(part.range[0]) }))
  const isBelowDash = columns.some(({ part, column }) => isSeq(part) && column === indent.length)
  const isGiven = open.some(
    part =>
      isMap(part) && columnOf(part.range[0]) > indent.length && name !== undefined && part.has(name)
  )
  if (dash === undefined && isBelowDash && isGiven)
    return { ...say('dash_missing', name as string, line.trim()), at: start }
  const isItem = dash !== undefined && open.some(isSeq)
  const distance = ({ column }: { column: number }) => Math.abs(column - indent.length)
  const like = columns
    .filter(({ part }) => isSeq(part) === isItem)
    .sort((a, b) => distance(a) - distance(b) || b.column - a.column)
    .filter(
      (one, nth, all) =>
        nth === 0 || (!isItem && one.column > 0 && distance(one) === distance(all[0] as typeof one))
    )
    .map(({ part, column }) => {
      const last = isMap(part) && part.items.findLast(({ key }) => (key as Placed).range[0] < start)
      return [column, last ? String(last.key) : 'the dash above it'] as const
    })
  return like.length > 0 && { ...say('wrong_indent', indent.length, like), at: start }
}
