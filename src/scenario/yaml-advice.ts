/** What is wrong with a text that is no YAML, in words of the document instead of the parser: where the mistake is, and what to write instead. */

import { CST, Lexer } from 'yaml'

/** An error of the parser, by its place in the text. */
export type ParserError = { code: string; message: string; at: number }
/** What to say of it, and where; `isLast` where nothing that comes after it can be relied on, `isDoubtful` where an earlier mistake may be what makes it one. */
export type Advice = { message: string; at: number; isLast?: boolean; isDoubtful?: boolean }

/** A line of the text, with the place of its beginning. */
type Line = { text: string; start: number }
/**
 * An error in its text, with its line, its column in that, what stands from there on, and the lines around it that hold more than a
 * comment; `above` are those before the line, the last one first. `bracket` is the place of the innermost one that is open there, `quote` what a text that ends there lacks.
 */
type Unclosed = { text: string; bracket: number | undefined; quote: string | undefined }
type Case = ParserError &
  Unclosed & {
    line: Line
    column: number
    rest: string
    before: Line | undefined
    after: Line | undefined
    above: Iterable<Line>
    isIndent: boolean
  }
/** Says what an error is, where the lines show that; a text alone is said at the error itself. */
type Mistake = (error: Case) => Advice | string | null | false | undefined

/** Characters that are read for advice, at most: for that on an indent, all lines above may be. */
const MOST_READ = 50_000_000

/**
 * What to say of the errors of a parser, given in their order. Most errors after the first follow from it, so of those only the ones with advice are
 * reported, one for each line; of a large text with many errors only the first are looked at.
 */
export function adviceOn(errors: readonly ParserError[], text: string): Advice[] {
  const lines = linesIn(text)
  if (errors.some(({ code }) => code === 'TAB_AS_INDENT')) return lines.filter(({ text }) => /^ *\t/.test(text)).map(adviceOnTab)
  const unclosedAt = unclosedIn(text)
  const given: Advice[] = []
  const reported = new Set<Line>()
  // the lines of a member move with its first one
  let moved: Line | undefined
  let [nth, left] = [0, MOST_READ]
  for (const error of errors) {
    while (nth + 1 < lines.length && (lines[nth + 1] as Line).start <= error.at) nth++
    const found = caseOf(error, lines, nth, unclosedAt(error.at))
    const { line, before, isIndent } = found
    if (reported.has(line) && !isIndent) continue
    if (left < 0) break
    left -= isIndent ? text.length : line.text.length
    const advice = isIndent ? adviceOnIndent(found) : adviceFor(found)
    const isFollowing = isIndent && before === moved
    if (isIndent) moved = line
    if (given.length > 0 && (advice === null || advice.isDoubtful || reported.has(line) || isFollowing)) continue
    reported.add(line)
    given.push(advice ?? { message: error.message, at: error.at })
    if (advice?.isLast) break
  }
  return given
}

/** An error in its line; where what is above that ends before it, in the line that comes next. */
function caseOf(error: ParserError, lines: readonly Line[], nth: number, unclosed: Unclosed): Case {
  const line = lines[nth] as Line
  const column = error.at - line.start
  const rest = line.text.slice(column)
  const [[before], [after]] = [filledLines(lines, nth, -1), filledLines(lines, nth, 1)]
  const found = { ...error, ...unclosed, line, column, rest, before, after, above: filledLines(lines, nth, -1) }
  const isIndent = isOfIndent(found)
  if (!isIndent || after === undefined || (rest.trim() !== '' && !/^\s*#/.test(rest))) return { ...found, isIndent }
  const next = lines.indexOf(after, nth)
  return { ...found, isIndent, line: after, before: filledLines(lines, next, -1).next().value as Line, above: filledLines(lines, next, -1) }
}

function linesIn(text: string): Line[] {
  let end = 0
  return text.split('\n').map(line => {
    end += line.length + 1
    return { text: line.replace(/\r$/, ''), start: end - line.length - 1 }
  })
}

/** Finds, for places in their order, the innermost bracket that is open before each, and the quotation mark that a text lacks that ends there. */
function unclosedIn(text: string): (place: number) => Unclosed {
  const open: number[] = []
  const quotes = new Map<number, string>()
  const tokens = new Lexer().lex(text)
  let [at, last] = [0, tokens.next()]
  return place => {
    for (; !last.done && at < place; last = tokens.next()) {
      const token = last.value
      if (token === '{' || token === '[') open.push(at)
      else if (token === '}' || token === ']') open.pop()
      else if (token === CST.FLOW_END) open.length = 0
      if (!NO_TEXT.includes(token)) at += token.length
      if (/^(?:"(?!.*"$)|'(?!.*'$))/s.test(token)) quotes.set(at, token[0] as string)
    }
    return { text, bracket: open.at(-1), quote: quotes.get(place) }
  }
}
const NO_TEXT: readonly string[] = [CST.DOCUMENT, CST.FLOW_END, CST.SCALAR]

/** The lines in a direction that hold more than a comment, the nearest first. */
function* filledLines(lines: readonly Line[], from: number, step: 1 | -1): Generator<Line, void> {
  for (let nth = from + step; nth >= 0 && nth < lines.length; nth += step) if (/^\s*[^\s#]/.test((lines[nth] as Line).text)) yield lines[nth] as Line
}

function adviceFor(error: Case): Advice | null {
  for (const mistake of MISTAKES[error.code] ?? []) {
    const said = mistake(error)
    if (said) return typeof said === 'string' ? { message: said, at: error.at } : said
  }
  return null
}

const COMMA_MISSING = 'a comma is missing before this'
const NAME_EXPECTED = 'a name with a colon was expected, such as name: value'

/** `[ - a, - b ]`, and a list with dashes in braces. */
const dashInBrackets: Mistake = ({ rest }) =>
  /^-(\s|$)/.test(rest) && 'a list in brackets has no dashes: remove them, and write commas between its members, such as [a, b]'
/** `name:x`, which is a text in YAML. */
const joined: Mistake = ({ line }) => {
  const found = spaceMissing(line.text)
  return found && { message: found.message, at: line.start + found.column }
}
/** A bracket that is not closed where something comes that cannot be within it. */
const unclosed: Mistake = ({ text, bracket }) =>
  bracket !== undefined && { message: `${text[bracket]} is not closed; end it with ${text[bracket] === '{' ? '}' : ']'}`, at: bracket, isLast: true }

/** What each code of the parser may be about, in the order in which it is looked for. */
const MISTAKES: Readonly<Record<string, readonly Mistake[]>> = {
  MULTILINE_IMPLICIT_KEY: [
    error => error.bracket !== undefined && dashInBrackets(error),
    // a line that should begin with a name and a colon
    ({ line, at }) => {
      const [, name] = /^\s*(?:- +)*([\w-]+)\s*$/.exec(line.text) ?? []
      return name !== undefined && { message: `a colon is missing after ${name}: write ${name}:`, at, isLast: true }
    },
    joined,
    ({ at }) => ({ message: NAME_EXPECTED, at, isDoubtful: true })
  ],
  BLOCK_AS_IMPLICIT_KEY: [
    // `-on: …`, which is a name that begins with a dash
    ({ line, before }) => {
      const all = [line, before].find(one => /^\s*-[^\s-]/.test(one?.text ?? ''))
      return all && { message: 'a space is missing after the dash', at: all.start + all.text.indexOf('-') }
    },
    // a line that is indented deeper than the one before it, which has a text already
    ({ line, after, column }) => {
      const [, name, rest] = /^\s*(?:- +)*([^\s:#"'][^:]*):\s+(.*)$/.exec(line.text) ?? []
      const [, indentation = '', next] = /^(\s*)([^\s:#-][^:]*):(\s|$)/.exec(after?.text ?? '') ?? []
      if (name === undefined || next === undefined || rest?.includes(': ') || indentation.length <= contentOf(line.text)) return null
      const message = `${next} is indented deeper than ${name} above it, which has a value already; begin it with ${spaces(contentOf(line.text))}, like ${name}`
      return { message, at: (after as Line).start + Math.min(column, indentation.length) }
    },
    // `name: x: y` in a line of its own
    ({ line }) => {
      const [, before = '', value = ''] = /^(\s*(?:- +)*[^\s:#"'][^:]*:\s+)(.*?)\s*(?:\s#.*)?$/.exec(line.text) ?? []
      return /:(\s|$)/.test(value) && { message: `quote the text: it holds a colon: ${quoted(value)}`, at: line.start + before.length }
    }
  ],
  BLOCK_IN_FLOW: [
    dashInBrackets,
    // `{ a: 1 b: 2 }`, which looks the same to a parser as `{ reason: cold: soup }`
    ({ line, column, at }) => {
      const [, text, name, rest] = /^(.*?)\s+([\w.-]+):\s*(.*)$/s.exec(flowValue(line.text, column)) ?? []
      const isName = text && name && (/^[[{"']/.test(rest as string) || IS_NAME.test(name) || /["'\]}\d]$/.test(text))
      return isName && { message: `a comma is missing before ${name}`, at: at + text.length }
    },
    ({ line, column }) => `quote the text: it holds a colon: ${quoted(flowValue(line.text, column))}`
  ],
  BAD_ALIAS: [error => `quote the text, since * has a meaning of its own: ${quoted(valueIn(error))}`],
  BAD_SCALAR_START: [error => `quote the text, since it begins with ${error.rest[0]}: ${quoted(valueIn(error))}`],
  TAG_RESOLVE_FAILED: [
    error => {
      const value = valueIn(error)
      return `${value.split(/\s/, 1)[0]} is a tag of YAML, which documents have none of; where the ! belongs to the text, quote it: ${quoted(value)}`
    }
  ],
  BAD_DQ_ESCAPE: [({ rest }) => `${rest.slice(0, 2)} is no escape in double quotation marks; write \\\\ for a backslash`],
  MULTIPLE_DOCS: [({ at }) => ({ message: '--- begins another document, and a file holds one; remove the line', at, isLast: true })],
  MISSING_CHAR: [
    ({ quote, text }) =>
      quote && { message: `the quotation mark is not closed; end the text with ${quote} in the same line`, at: openingQuote(text, quote), isLast: true },
    error => /^\s*(?:[\]}]|$)/.test(error.text.slice(error.at)) && unclosed(error),
    // `{ created[gte]: … }`, a name that braces do not take as it is
    ({ line, column, rest, bracket, at }) => {
      const [name = ''] = /[\w-]*$/.exec(line.text.slice(0, column)) as RegExpExecArray
      const [, brackets] = /^((?:\[[\w-]*\])+):\s/.exec(rest) ?? []
      const isName = bracket !== undefined && name !== '' && brackets !== undefined
      return isName && { message: `quote the name, since it holds brackets: "${name}${brackets}"`, at: at - name.length }
    },
    ({ bracket, rest }) => bracket !== undefined && !/^#/.test(rest) && COMMA_MISSING,
    joined,
    ({ line, column }) => /^\s*(?:- +)*$/.test(line.text.slice(0, column)) && NAME_EXPECTED
  ],
  BAD_INDENT: [unclosed],
  UNEXPECTED_TOKEN: [
    ({ rest, at }) =>
      /^[\]}]/.test(rest) && { message: `${rest[0]} closes nothing; remove it, or write the bracket that it closes`, at, isLast: true, isDoubtful: true },
    ({ line, column }) => /[>|][-+\d]*\s+$/.test(line.text.slice(0, column)) && 'after > or |, the text begins in the next line; or quote it',
    ({ text, bracket, at }) =>
      /^\s*[{[]/.test(text) && bracket === undefined && { message: 'nothing may come after the bracket that ends the document', at, isLast: true },
    ({ text, rest, bracket, at }) => bracket !== undefined && rest[0] === '"' && /["\]}]\s*$/.test(text.slice(0, at)) && COMMA_MISSING,
    ({ line, column, rest }) => {
      const start = startOfValue(line.text, column)
      const value = blockOrFlowValue(line.text, start)
      if (start >= column || rest[0] === ',' || (start === contentOf(line.text) && /:(\s|$)/.test(value))) return null
      const inner = /^(["']).*\1$/s.test(value) ? value.slice(1, -1) : value
      const why = /[{}[\]]/.test(value) && !/^["'[{]/.test(value) ? 'it holds a bracket' : 'it goes on here'
      return { message: `quote the whole text, since ${why}: ${quoted(inner)}`, at: line.start + start }
    }
  ]
}

/** Names that documents often write together with others in one pair of braces. */
const IS_NAME =
  /^(on|do|as|match|body|query|params|key|about|calls|chance|from|until|for|hold|delay|respond|fault|when|status|error|headers|expect|times|at_least|at_most|id|account|location|ticket|transaction|amount|created|reference|name|type|email|code|message)$/

/** `name:x`, which is a text in YAML; null for any other text. */
export function spaceMissing(text: string): { message: string; column: number } | null {
  const [, before = '', name = '', value] = /^(\s*(?:- +)*)([\w-]+):((?!\/\/)[^\s:].*)$/.exec(text) ?? []
  return value === undefined ? null : { message: `a space is missing after the colon: ${name}: ${value}`, column: before.length + name.length }
}

const adviceOnTab = ({ text, start }: Line): Advice => ({ message: 'the line begins with a tab; indent it with spaces', at: start + text.indexOf('\t') })

/** Whether an error is that a line is indented differently from those around it, of which the parser says where what is above it ends. */
function isOfIndent({ code, bracket, quote, line, column, rest, before, after }: Omit<Case, 'isIndent'>): boolean {
  if (bracket !== undefined || quote !== undefined) return false
  const isBegin = line.text.search(/\S|$/) >= column
  if (/^\s*(#|$)/.test(rest)) return after !== undefined && (code === 'MISSING_CHAR' || (code === 'BAD_INDENT' && line.text.trim() !== ''))
  if (code === 'UNEXPECTED_TOKEN') return isBegin && contentOf(before?.text ?? '') > column && /^[^\]},]/.test(rest)
  return isBegin && (code === 'BAD_INDENT' || (code === 'MISSING_CHAR' && /^\s/.test(rest)))
}

/** A line that is indented less than the one before it, and more than any above. */
function adviceOnIndent(error: Case): Advice | null {
  const { line } = error
  const [, indentation = '', dash, name] = /^(\s*)(- )?(?:- +)*(?:([\w-]+):(?:\s|$))?/.exec(line.text) as RegExpExecArray
  if (indentation.includes('\t')) return { ...adviceOnTab(line), isLast: true }
  const open = openColumns(error.above)
  const dashes = open.filter(({ isDash }) => isDash)
  const content = contentOf((error.before ?? error.line).text)
  const isNext = dashes.some(({ column }) => column === indentation.length)
  if (dash === undefined && isNext && name !== undefined && open.some(one => one.column === content && one.names.includes(name))) {
    return { message: `${name} is given above already; where another member of the list begins, write a dash: - ${line.text.trim()}`, at: line.start }
  }
  const distance = ({ column }: OpenColumn) => Math.abs(column - indentation.length)
  const isDash = dash !== undefined && dashes.length > 0
  const nearest = open.filter(one => one.isDash === isDash).sort((a, b) => distance(a) - distance(b) || b.column - a.column)
  if (nearest.length === 0) return null
  const near = nearest.filter((one, nth) => nth === 0 || (!isDash && distance(one) === distance(nearest[0] as OpenColumn) && one.column > 0))
  const like = near.map(({ column, names }) => {
    const one = column === content ? 'the one before' : names[0]
    return `with ${spaces(column)}, like ${isDash ? 'the dash above it' : one}`
  })
  return {
    message: `the line is indented by ${spaces(indentation.length)}, which fits no line above it; begin it ${like.join(', or ')}`,
    at: line.start,
    isDoubtful: error.code === 'UNEXPECTED_TOKEN'
  }
}

/** A column at which a list has its dashes, or an object its names. */
type OpenColumn = { column: number; isDash: boolean; names: string[] }

/** The columns at which lists and objects are open below lines, the last line first; the innermost first, each with the names there, the last first. */
function openColumns(above: Iterable<Line>): OpenColumn[] {
  const open: OpenColumn[] = []
  let least = Number.POSITIVE_INFINITY
  for (const { text } of above) {
    const [, indentation = '', dashes = '', name] = /^(\s*)((?:- +)*)(?:([^\s:#"'][^:]*):(?:\s|$))?/.exec(text) as RegExpExecArray
    const content = indentation.length + dashes.length
    const known = open.find(({ column, isDash }) => column === content && !isDash)
    if (known !== undefined && content <= least && name !== undefined) known.names.push(name)
    if (content < least && name !== undefined) open.push({ column: content, isDash: false, names: [name] })
    if (dashes !== '' && indentation.length < least) open.push({ column: indentation.length, isDash: true, names: [] })
    least = Math.min(least, indentation.length)
    if (least === 0) break
  }
  return open
}

const spaces = (count: number) => `${count} ${count === 1 ? 'space' : 'spaces'}`

/** The column at which the content of a line begins, after dashes. */
const contentOf = (line: string): number => (/^\s*(?:- +)*/.exec(line) as RegExpExecArray)[0].length

/** A text in quotation marks, as YAML reads it back. */
export const quoted = (text: string): string => (/["\\]/.test(text) ? `'${text.replaceAll("'", "''")}'` : `"${text}"`)

/** Where the value begins that a column of a line is in. */
function startOfValue(line: string, column: number): number {
  const before = line.slice(0, column)
  if (!isInFlow(before)) return (/^\s*(?:- +)*(?:[^\s:"'][^:]*:\s+)?/.exec(line) as RegExpExecArray)[0].length
  const start = Math.max(before.lastIndexOf(': ') + 2, before.lastIndexOf(', ') + 2, before.lastIndexOf('[') + 1)
  return start + before.slice(start).search(/\S|$/)
}

/** Whether a line has a bracket open at its end; those in quotation marks and comments are text. */
function isInFlow(before: string): boolean {
  let depth = 0
  for (const [token] of before.matchAll(/"(?:[^"\\]|\\.)*"|'[^']*'|(?:^|\s)#.*|[[\]{}]/g)) {
    if (token === '{' || token === '[') depth++
    else if (token === '}' || token === ']') depth = Math.max(0, depth - 1)
  }
  return depth > 0
}

const blockOrFlowValue = (line: string, start: number): string =>
  isInFlow(line.slice(0, start))
    ? flowValue(line, start)
    : line
        .slice(start)
        .replace(/\s+#.*$/, '')
        .trimEnd()

const valueIn = ({ line, column }: Case): string => blockOrFlowValue(line.text, column)

/** The text of a value in braces, to the comma or the bracket that ends it. */
function flowValue(line: string, start: number): string {
  let [depth, end] = [0, start]
  for (; end < line.length; end++) {
    const character = line[end] as string
    if (depth === 0 && '}],'.includes(character)) break
    if ('{['.includes(character)) depth++
    else if ('}]'.includes(character)) depth--
  }
  return line.slice(start, end).trimEnd()
}

/** Where the quotation mark is that is not closed in its line; the last one of the text where each is. */
function openingQuote(text: string, quote: string): number {
  const closed = text.replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\n]|'')*'|(?:^|\s)#.*/gm, part => ' '.repeat(part.length))
  const at = closed.indexOf(quote)
  return at < 0 ? text.lastIndexOf(quote) : at
}
