/** Explains texts that are not YAML, by the codes of the parser. */
import {
  type Document,
  isCollection,
  isScalar,
  type LineCounter,
  type Node,
  type Range,
  visit
} from 'yaml'
import type { Said } from '../../core/sentences.js'
import { say } from '../sentences.js'
import { present } from '../shape/checked.js'

export type Mistake = Said & { offset: number }
export type ParserError = { code: string; message: string; pos: readonly [number, number] }
export type Placed = Node & { range: [number, number, number] }
type Source = { text: string; lines: LineCounter; contents: Document['contents'] }

/** By the parser's error, and the line before and after its place; the first that matches. */
const ADVICE = [
  [/^TAB_AS_INDENT|^BAD_INDENT.*\n\n *\t/, 'tab'],
  [/ end with a ./, 'not_closed'],
  [/Missing closing/, 'quote_not_closed'],
  [/ flow .*\n.*\n-\s/, 'dash_in_brackets'],
  [/^BAD_INDENT|Sequence item without|^MULTILINE.*\n.*: \n/, 'wrong_indent'],
  [/^MULTILINE|^MISSING_CHAR Implicit/, 'name_expected'],
  [/Missing ,|^BLOCK_IN_FLOW|at node end\n.*\S.*\n"/, 'comma_missing'],
  [/^BLOCK_AS/, 'holds_colon'],
  [/^BAD_(ALIAS|SCALAR)/, 'begins_with'],
  [/^TAG_/, 'tag'],
  [/^BAD_DQ_ESCAPE/, 'unknown_escape'],
  [/^MULTIPLE_DOCS/, 'second_document'],
  [/Not a YAML token|Block scalar header/, 'text_in_next_line'],
  [/^UNEXPECTED.*\n.*\n[\]}]/, 'nothing_to_close'],
  [/at node end\n.*\S.*\n/, 'goes_on'],
  [/^/, 'refused']
] as const
/** What follows these is unreliable. */
const IS_LAST = /tab|not_closed|nothing_to_close|goes_on|name_expected|second_document/

/** The first mistake of each line, by place; most others follow from it. */
export function mistakesIn(errors: readonly ParserError[], source: Source): Mistake[] {
  const mistakes: Mistake[] = []
  let lastLine = 0
  for (const error of errors) {
    const { line, col } = source.lines.linePos(error.pos[0])
    if (line === lastLine) continue
    lastLine = line
    const mistake = mistakeOf(error, col, source)
    const isVague = mistake.code === 'refused' || error.code === 'UNEXPECTED_TOKEN'
    if (isVague && mistakes.length > 0) continue
    mistakes.push(mistake)
    if (IS_LAST.test(mistake.code)) break
  }
  return mistakes
}

function mistakeOf({ code, message, pos }: ParserError, column: number, source: Source): Mistake {
  const { text, contents } = source
  const [offset, end] = pos
  const start = offset - column + 1
  const line = present(/.*/.exec(text.slice(start)))[0]
  const error = `${code} ${message}\n${line.slice(0, column - 1)}\n${line.slice(column - 1)}`
  const [, advice] = present(ADVICE.find(([pattern]) => pattern.test(error)))
  const joined = message.startsWith('Implicit') ? spaceMissing(line, start, NAME_OR_ITEM) : null
  if (joined !== null) return joined
  const places: Partial<Record<typeof advice, () => number | undefined>> = {
    not_closed: () => openBracket(contents, text, offset),
    quote_not_closed: () => openQuote(contents, offset),
    // the parser may point at the end of what is above
    wrong_indent: () =>
      textAfter(text, code.startsWith('MULTI') ? text.lastIndexOf('\n', end - 1) : offset)
  }
  return { ...say(advice), offset: places[advice]?.() ?? offset }
}

const NAME = /^\s*(?:- +)*[\w-]+:(?!\/\/)(?=[^\s:].*$)/
const NAME_OR_ITEM = new RegExp(`${NAME.source}|^\\s*-(?=[^\\s-])`)

/** `name:x`, or an item `-x`, which are text in YAML. */
export function spaceMissing(line: string, start: number, pattern = NAME): Mistake | null {
  const [joined] = pattern.exec(line) ?? []
  return joined === undefined
    ? null
    : { ...say('space_missing'), offset: start + joined.length - 1 }
}

const textAfter = (text: string, offset: number): number =>
  offset + present(/^(?:\s|#.*\n)*/.exec(text.slice(offset)))[0].length

function startsOf(
  contents: Source['contents'],
  isWanted: (part: Node, range: Range) => boolean
): number[] {
  const starts: number[] = []
  visit(contents, {
    Value: (_, part) => {
      const range = present(part.range)
      if (isWanted(part, range)) starts.push(range[0])
    }
  })
  return starts
}

function openBracket(contents: Source['contents'], text: string, end: number): number | undefined {
  const starts = startsOf(
    contents,
    (part, range) => isCollection(part) && part.flow === true && range[1] === end
  )
  // one that is closed may end there too
  const ends = starts.map(start => (text[start] === '{' ? '}' : ']'))
  return starts.at(ends.at(-1) === text[end - 1] ? -2 : -1)
}

const openQuote = (contents: Source['contents'], end: number): number | undefined =>
  startsOf(
    contents,
    (part, [start]) => isScalar(part) && /QUOTE/.test(String(part.type)) && start < end
  ).at(-1)
