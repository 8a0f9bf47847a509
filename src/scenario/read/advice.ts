/** Advice on texts that are not YAML, from the errors of the parser. */
import { type Document, isCollection, isNode, isPair, type LineCounter, type Node } from 'yaml'
import type { Said } from '../../core/sentences.js'
import { present } from '../shape/checked.js'
import { say } from './sentences.js'

export type Mistake = Said & { offset: number }
export type ParserError = { code: string; message: string; pos: readonly [number, number] }
export type Placed = Node & { range: [number, number, number] }
type Source = { text: string; lines: LineCounter; contents: Document['contents'] }
/** `rest` of the line, from the error on; `path`: the parts that it is in, the outermost first. */
type Case = Source & {
  offset: number
  end: number
  line: string
  start: number
  rest: string
  path: readonly Placed[]
  isInBrackets: boolean
}
type Advice = (Said & { offset?: number }) | false | null

/** Characters read for all errors together: advice on one may read the whole document. */
const MAX_READ = 50_000_000
/** Characters read above a wrongly indented line. */
const MAX_ABOVE = 20_000
/** What follows these errors is unreliable. */
const IS_LAST = /not_closed|nothing_to_close|after_the_end|colon_missing|second_document/

const RULES: readonly (readonly [pattern: RegExp, advise: (error: Case) => Advice])[] = [
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
  [/^TAG_/, error => say('tag', error.rest.replace(/[\s,}\]].*/s, ''), valueIn(error))],
  [/^BAD_DQ_ESCAPE/, ({ rest }) => say('unknown_escape', rest.slice(0, 2))],
  [/^MULTIPLE_DOCS/, () => say('second_document')],
  [/Not a YAML token|Block scalar header/, () => say('text_in_next_line')],
  [/^UNEXPECTED/, ({ rest: [mark = ''] }) => '}]'.includes(mark) && say('nothing_to_close', mark)],
  [/at node end/, goesOn]
]

/** On the first error, and on those of other lines that have advice: most follow from the first. */
export function adviceOn(errors: readonly ParserError[], source: Source): Mistake[] {
  const { text, lines } = source
  const mistakes: Mistake[] = []
  let [lastLine, lastIndent] = [0, 0]
  for (const { code, message, pos } of errors.slice(0, Math.ceil(MAX_READ / text.length))) {
    const isFirst = mistakes.length === 0
    const [offset, end] = pos
    const { line: nth, col } = lines.linePos(offset)
    if (nth === lastLine || (!isFirst && code === 'UNEXPECTED_TOKEN')) continue
    lastLine = nth
    const start = offset - col + 1
    const line = lineAt(text, start)
    if (code === 'TAB_AS_INDENT' || /^ *\t/.test(line)) return tabsIn(text)
    const path = pathTo(source.contents, offset)
    const isInBrackets = path.some(part => isFlow(part) && part.range[1] > offset)
    const error = {
      ...source,
      offset,
      end,
      line,
      start,
      rest: line.slice(col - 1),
      path,
      isInBrackets
    }
    let advice: Advice = null
    for (const [pattern, advise] of RULES)
      if (!advice && pattern.test(`${code} ${message}`)) advice = advise(error)
    if (!advice && !isFirst) continue
    const mistake = { offset, ...(advice || say('refused', code)) }
    const mistakeLine = lines.linePos(mistake.offset).line
    const isIndent = mistake.code === 'wrong_indent'
    // the next line belongs to it
    if (!isIndent || mistakeLine !== lastIndent + 1) mistakes.push(mistake)
    if (isIndent) lastIndent = mistakeLine
    if (IS_LAST.test(mistake.code)) break
  }
  return mistakes
}

/** `name:x`, which is text in YAML. */
export function spaceMissing(line: string, start: number): Mistake | null {
  const [, before = '', name = '', value] =
    /^(\s*(?:- +)*)([\w-]+):((?!\/\/)[^\s:].*)$/.exec(line) ?? []
  const offset = start + before.length + name.length
  return value === undefined ? null : { ...say('space_missing', name, value), offset }
}

const lineAt = (text: string, start: number): string => present(/.*/.exec(text.slice(start)))[0]

const tabsIn = (text: string): Mistake[] =>
  Array.from(text.matchAll(/^ *\t/gm), ({ index, 0: { length } }) => ({
    ...say('tab'),
    offset: index + length - 1
  }))

const isFlow = (part: unknown): boolean => isCollection(part) && part.flow === true

function pathTo(whole: unknown, offset: number): Placed[] {
  const path: Placed[] = []
  const isBefore = (part: unknown): part is Placed =>
    isNode(part) && present(part.range)[0] < offset
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
  part !== undefined && { ...say(code, text.charAt(part.range[0])), offset: part.range[0] }

function bracketNotClosed({ path, text, offset }: Case) {
  const open = path.filter(part => isFlow(part) && part.range[1] === offset)
  // one that is closed may end there too
  const ends = open.map(part => (text[part.range[0]] === '{' ? '}' : ']'))
  return notClosed('not_closed', text, open.at(ends.at(-1) === text[offset - 1] ? -2 : -1))
}

function valueIn({ line, start, offset, isInBrackets }: Case, from = offset): string {
  const rest = line.slice(from - start, from - start + 1000)
  const value = isInBrackets
    ? /^(?:[^[\]{},]|\[[^[\]{}]*\]|\{[^[\]{}]*\})*/.exec(rest)
    : rest.split(/\s#/, 1)
  return String(value?.[0]).trimEnd()
}

/** A list or object that is still open, and a name for its first line. */
type Level = { column: number; isList: boolean; like: string }

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

function wrongIndent({ offset, text, lines, isInBrackets }: Case): Advice {
  // the parser may point at the end of what is above
  const begin = offset + present(/^(?:\s|#.*\n)*/.exec(text.slice(offset)))[0].length
  const indent = lines.linePos(begin).col - 1
  const lineStart = begin - indent
  if (isInBrackets || text.slice(lineStart, begin).trim() !== '') return null
  const line = lineAt(text, begin).trim()
  const isItem = /^-\s/.test(line)
  const levels = levelsIn(text.slice(Math.max(0, lineStart - MAX_ABOVE), lineStart))
  const apart = ({ column }: Level) => Math.abs(column - indent)
  const [first, ...others] = levels
    .filter(({ isList }) => isList === isItem)
    .sort((a, b) => apart(a) - apart(b))
  if (first === undefined) return null
  const like = others.filter(level => level.column > 0 && apart(level) === apart(first))
  const isBesideDash = levels.some(({ isList, column }) => isList && column === indent)
  return {
    ...say('wrong_indent', indent, [first, ...like], isBesideDash && !isItem ? line : null),
    offset: lineStart
  }
}

/** For `name`, `name:x`, `-name: x`, or a deeper line below a value. */
function nameOnLines({ text, offset, end, line, start, rest }: Case): Advice {
  const before = line.slice(0, offset - start)
  const [, beforeDash] = /^(\s*)-[^\s-]/.exec(before) ?? []
  if (beforeDash !== undefined)
    return { ...say('space_after_dash'), offset: start + beforeDash.length }
  const [, indent, above] = /^(\s*(?:- +)*)([^\s:#"'][^:]*):\s+$/.exec(before) ?? []
  const name = text.slice(text.lastIndexOf('\n', end - 1) + 1, end).trim()
  if (indent !== undefined && above !== undefined)
    return { ...say('too_deep_below', name, above, indent.length), offset: end - name.length }
  if (/^[\w-]+\s*$/.test(rest)) return say('colon_missing', rest.trim())
  return spaceMissing(line, start) ?? say('name_expected')
}

/** For `{ created[gte]: … }`, a name that needs quotation marks, or a missing comma. */
function commaOrName({ line, start, offset, rest }: Case): Advice {
  const [name] = present(/(?<![\w-])[\w-]*$/.exec(line.slice(0, offset - start)))
  const [, brackets = ''] = /^((?:\[[\w-]*\])+):\s/.exec(rest) ?? []
  return name && brackets
    ? { ...say('brackets_in_name', name + brackets), offset: offset - name.length }
    : say('comma_missing')
}

/** For `{ a: 1 b: 2 }` or `{ reason: cold soup: warm }`, which the parser cannot tell apart. */
function commaOrColon({ text, offset, end }: Case): Advice {
  const value = text.slice(offset, end).trimEnd()
  const [, before = '', name] = /^(.*?\S)\s+(["']?[\w.-]+["']?):\s*/s.exec(value) ?? []
  return name === undefined
    ? say('holds_colon', value)
    : { ...say('comma_missing', name), offset: offset + before.length }
}

function goesOn(error: Case): Advice {
  const { path, rest, offset, isInBrackets, start } = error
  const ended = path.find(part => part.range[1] <= offset && (!isCollection(part) || isFlow(part)))
  const isWhole = ended === path[0] && isFlow(ended)
  if (ended === undefined || (ended.range[0] < start && !isWhole)) return null
  if (isWhole) return say('after_the_end')
  if (isInBrackets && rest[0] === '"') return say('comma_missing')
  const value = valueIn(error, ended.range[0])
  const inner = /^(["']).*\1$/.test(value) ? value.slice(1, -1) : value
  const isBracket = /[{}[\]]/.test(value) && !/^["'[{]/.test(value)
  return { ...say(isBracket ? 'holds_bracket' : 'goes_on', inner), offset: ended.range[0] }
}
