/** What is wrong with a text that is not YAML, by the parser's errors: where, and what to write. */
import { type Document, isCollection, isNode, isPair, type LineCounter, type Node } from 'yaml'
import type { Said } from '../../core/sentences.js'
import { say } from './sentences.js'

export type Mistake = Said & { at: number }
export type ParserError = { code: string; message: string; pos: readonly [number, number] }
export type Placed = Node & { range: [number, number, number] }
type Source = { text: string; lines: LineCounter; contents: Document['contents'] }
/** An error with its line, the rest of it, and the parts that begin before it: each in the last. */
type Case = Source & {
  at: number
  end: number
  line: string
  start: number
  rest: string
  path: readonly Placed[]
  isInBrackets: boolean
}
type Advice = (Said & { at?: number }) | false | null

/** Characters: advice on an error may read all of a document. */
const MAX_READ = 50_000_000
/** Of those above a line that is not indented like any of them. */
const MAX_ABOVE = 20_000
/** Nothing after these can be relied on. */
const IS_LAST = /not_closed|nothing_to_close|after_the_end|colon_missing|second_document/

/** By code and message of the parser's error; the first that has advice counts. */
const RULES: readonly (readonly [of: RegExp, advise: (error: Case) => Advice])[] = [
  [/ end with a .$/, bracketNotClosed],
  [/Missing closing/, ({ text, path }) => notClosed('quote_not_closed', text, path.at(-1))],
  [/./, ({ rest, isInBrackets }) => isInBrackets && /^-\s/.test(rest) && say('dash_in_brackets')],
  [/^BAD_INDENT|^MISSING_CHAR Seq|at node end/, wrongIndent],
  [/^MULTILINE_IMPLICIT_KEY/, nameOnLines],
  [/^MISSING_CHAR Impl/, ({ line, start }) => spaceMissing(line, start) ?? say('name_expected')],
  [/^MISSING_CHAR Missing ,/, commaOrName],
  [/^BLOCK_AS/, error => /:(\s|$)/.test(valueIn(error)) && say('holds_colon', valueIn(error))],
  [/^BLOCK_IN_FLOW/, commaOrColon],
  [/^BAD_(ALIAS|SCALAR)/, error => say('begins_with', valueIn(error), error.rest.slice(0, 1))],
  [/^TAG_/, error => say('tag', error.rest.split(/[\s,}\]]/, 1)[0] as string, valueIn(error))],
  [/^BAD_DQ_ESCAPE/, ({ rest }) => say('unknown_escape', rest.slice(0, 2))],
  [/^MULTIPLE_DOCS/, () => say('second_document')],
  [/Not a YAML token|Block scalar header/, () => say('text_in_next_line')],
  [/^UNEXPECTED/, ({ rest: [mark = ''] }) => '}]'.includes(mark) && say('nothing_to_close', mark)],
  [/at node end/, goesOn]
]

/** The first error, and those of other lines that have advice: most follow from the first. */
export function adviceOn(errors: readonly ParserError[], source: Source): Mistake[] {
  const { text, lines } = source
  const mistakes: Mistake[] = []
  let [lastLine, lastIndent] = [0, 0]
  for (const { code, message, pos } of errors.slice(0, Math.ceil(MAX_READ / text.length))) {
    const isFirst = mistakes.length === 0
    const [at, end] = pos
    const { line: nth, col } = lines.linePos(at)
    if (nth === lastLine || (!isFirst && code === 'UNEXPECTED_TOKEN')) continue
    lastLine = nth
    const start = at - col + 1
    const line = lineAt(text, start)
    if (code === 'TAB_AS_INDENT' || /^ *\t/.test(line)) return tabsIn(text)
    const path = pathTo(source.contents, at)
    const isInBrackets = path.some(part => isFlow(part) && part.range[1] > at)
    const error = { ...source, at, end, line, start, rest: line.slice(col - 1), path, isInBrackets }
    let advice: Advice = null
    for (const [of, advise] of RULES)
      if (!advice && of.test(`${code} ${message}`)) advice = advise(error)
    if (!advice && !isFirst) continue
    const mistake = { at, ...(advice || say('refused', code)) }
    const own = lines.linePos(mistake.at).line
    const isIndent = mistake.code === 'wrong_indent'
    // the next line belongs to it
    if (!isIndent || own !== lastIndent + 1) mistakes.push(mistake)
    if (isIndent) lastIndent = own
    if (IS_LAST.test(mistake.code)) break
  }
  return mistakes
}

/** `name:x`, which is a text in YAML. */
export function spaceMissing(line: string, start: number): Mistake | null {
  const [, before = '', name = '', value] =
    /^(\s*(?:- +)*)([\w-]+):((?!\/\/)[^\s:].*)$/.exec(line) ?? []
  const at = start + before.length + name.length
  return value === undefined ? null : { ...say('space_missing', name, value), at }
}

const lineAt = (text: string, start: number): string =>
  /.*/.exec(text.slice(start))?.[0].replace(/\r$/, '') as string

const tabsIn = (text: string): Mistake[] =>
  Array.from(text.matchAll(/^ *\t/gm), ({ index, 0: { length } }) => ({
    ...say('tab'),
    at: index + length - 1
  }))

const isFlow = (part: unknown): boolean => isCollection(part) && part.flow === true

function pathTo(whole: unknown, at: number): Placed[] {
  const path: Placed[] = []
  const isBefore = (part: unknown): part is Placed => isNode(part) && (part as Placed).range[0] < at
  let part = whole
  while (isBefore(part)) {
    path.push(part)
    const items: unknown[] = isCollection(part) ? part.items : []
    const last = items.findLast(item => isBefore(isPair(item) ? item.key : item))
    if (!isPair(last)) part = last
    else part = isBefore(last.value) ? last.value : last.key
  }
  return path
}

const notClosed = (code: 'not_closed' | 'quote_not_closed', text: string, part?: Placed) =>
  part !== undefined && { ...say(code, text[part.range[0]] as string), at: part.range[0] }

function bracketNotClosed({ path, text, at }: Case) {
  const open = path.filter(part => isFlow(part) && part.range[1] === at)
  // one that is closed may end there too
  const ends = open.map(part => (text[part.range[0]] === '{' ? '}' : ']'))
  return notClosed('not_closed', text, open.at(ends.at(-1) === text[at - 1] ? -2 : -1))
}

/** What is written from a place: to the end of its line, or of its part in brackets. */
function valueIn({ line, start, at, isInBrackets }: Case, from = at): string {
  const rest = line.slice(from - start, from - start + 1000)
  const value = isInBrackets
    ? /^(?:[^[\]{},]|\[[^[\]{}]*\]|\{[^[\]{}]*\})*/.exec(rest)
    : rest.split(/\s#/, 1)
  return String(value?.[0]).trimEnd()
}

/** Where a list or object begins that no line below has ended, and what is there. */
type Level = { column: number; isList: boolean; like: string }

/** Those of a text, the deepest first. */
function levelsIn(text: string): Level[] {
  const levels: Level[] = []
  for (const line of text.split('\n').reverse()) {
    const length = line.search(/(?! |- )/)
    const name = /^([^\s:#?-][^:]*):(?:\s|$)/.exec(line.slice(length))?.[1]
    const dash = line.slice(0, length).indexOf('-')
    const least = levels.at(-1)?.column ?? Number.POSITIVE_INFINITY
    if (name !== undefined && length < least)
      levels.push({ column: length, isList: false, like: name })
    if (dash >= 0 && dash < least)
      levels.push({ column: dash, isList: true, like: 'the dash above it' })
  }
  return levels
}

function wrongIndent({ at, text, lines, isInBrackets }: Case): Advice {
  // the parser may say where what is above it ends
  const begin = at + (/^(?:\s|#.*\n)*/.exec(text.slice(at))?.[0].length as number)
  const indent = lines.linePos(begin).col - 1
  const own = { at: begin - indent }
  if (isInBrackets || text.slice(own.at, begin).trim() !== '') return null
  const line = lineAt(text, begin).trim()
  const isItem = /^-\s/.test(line)
  const levels = levelsIn(text.slice(Math.max(0, own.at - MAX_ABOVE), own.at))
  const apart = ({ column }: Level) => Math.abs(column - indent)
  const [first, ...others] = levels
    .filter(({ isList }) => isList === isItem)
    .sort((a, b) => apart(a) - apart(b))
  if (first === undefined) return null
  const like = others.filter(level => level.column > 0 && apart(level) === apart(first))
  const isBesideDash = levels.some(({ isList, column }) => isList && column === indent)
  return {
    ...say('wrong_indent', indent, [first, ...like], isBesideDash && !isItem ? line : null),
    ...own
  }
}

/** A name that goes on over lines: `name`, `name:x`, `-name: x`, or a deeper line below a value. */
function nameOnLines({ text, at, end, line, start, rest }: Case): Advice {
  const before = line.slice(0, at - start)
  const [, beforeDash] = /^(\s*)-[^\s-]/.exec(before) ?? []
  if (beforeDash !== undefined) return { ...say('space_after_dash'), at: start + beforeDash.length }
  const [, indent, above] = /^(\s*(?:- +)*)([^\s:#"'][^:]*):\s+$/.exec(before) ?? []
  const name = text.slice(text.lastIndexOf('\n', end - 1) + 1, end).trim()
  if (indent !== undefined && above !== undefined)
    return { ...say('too_deep_below', name, above, indent.length), at: end - name.length }
  if (/^[\w-]+\s*$/.test(rest)) return say('colon_missing', rest.trim())
  return spaceMissing(line, start) ?? say('name_expected')
}

/** `{ created[gte]: … }`, a name that braces do not take as it is, or a forgotten comma. */
function commaOrName({ line, start, at, rest }: Case): Advice {
  const [name] = /(?<![\w-])[\w-]*$/.exec(line.slice(0, at - start)) as RegExpExecArray
  const [, brackets = ''] = /^((?:\[[\w-]*\])+):\s/.exec(rest) ?? []
  return name && brackets
    ? { ...say('brackets_in_name', name + brackets), at: at - name.length }
    : say('comma_missing')
}

/** `{ a: 1 b: 2 }`, which looks the same to a parser as `{ reason: cold soup: warm }`. */
function commaOrColon({ text, at, end }: Case): Advice {
  const value = text.slice(at, end).trimEnd()
  const [, before = '', name] = /^(.*?\S)\s+(["']?[\w.-]+["']?):\s*/s.exec(value) ?? []
  return name === undefined
    ? say('holds_colon', value)
    : { ...say('comma_missing', name), at: at + before.length }
}

function goesOn(error: Case): Advice {
  const { path, rest, at, isInBrackets, start } = error
  const ended = path.find(part => part.range[1] <= at && (!isCollection(part) || isFlow(part)))
  const isWhole = ended === path[0] && isFlow(ended)
  if (ended === undefined || (ended.range[0] < start && !isWhole)) return null
  if (isWhole) return say('after_the_end')
  if (isInBrackets && rest[0] === '"') return say('comma_missing')
  const value = valueIn(error, ended.range[0])
  const inner = /^(["']).*\1$/.test(value) ? value.slice(1, -1) : value
  const isBracket = /[{}[\]]/.test(value) && !/^["'[{]/.test(value)
  return { ...say(isBracket ? 'holds_bracket' : 'goes_on', inner), at: ended.range[0] }
}
