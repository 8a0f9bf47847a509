/** What is wrong with a text that is no YAML, in words of the document instead of the parser: where the mistake is, and what to write instead. */

import { CST, Lexer } from 'yaml'

/** An error of the parser, by its place in the text. */
export type ParserError = { code: string; message: string; at: number }
/**
 * What to say of it, and where; `isLast` where nothing that comes after it can be relied on, `isDoubtful` where an earlier mistake may be what makes it one. A line
 * that is to be indented differently takes the one that begins at `next` with it.
 */
export type Advice = { message: string; at: number; isLast?: boolean; isDoubtful?: boolean; next?: number | undefined }

/** A line of the text, with the place of its beginning. */
type Line = { text: string; start: number }
/** What is open at a place of a text: the innermost bracket, and the quotation mark of a text that ends there. */
type Unclosed = { text: string; bracket: number | undefined; quote: string | undefined }
/** An error in its line, with its column in that and what stands from there on. */
type Case = ParserError & Unclosed & { lines: readonly Line[]; nth: number; line: Line; column: number; rest: string }
/** Says what an error is, where the lines show that; a text alone is said at the error itself. */
type Mistake = (error: Case) => Advice | string | null | false | undefined

/** Characters that are read for advice, at most: for that on an indent, all lines above may be. */
const MOST_READ = 50_000_000

/**
 * What to say of the errors of a parser, given in their order. Most errors after the first follow from it, so of those only the ones with advice are
 * reported, one for each line; of a large text with many errors only the first are looked at.
 */
export function adviceOn(errors: readonly ParserError[], text: string): Advice[] {
  let end = -1
  const lines = text.split('\n').map(line => {
    const start = end + 1
    end = start + line.length
    return { text: line.replace(/\r$/, ''), start }
  })
  if (errors.some(({ code }) => code === 'TAB_AS_INDENT')) return lines.filter(({ text }) => /^ *\t/.test(text)).map(adviceOnTab)
  const unclosedAt = unclosedIn(text)
  const given: Advice[] = []
  const reported = new Set<number>()
  let [nth, left, following] = [0, MOST_READ, -1]
  for (const error of errors) {
    if (left < 0) break
    while (nth + 1 < lines.length && (lines[nth + 1] as Line).start <= error.at) nth++
    const line = lines[nth] as Line
    const column = error.at - line.start
    const advice = adviceFor({ ...error, ...unclosedAt(error.at), lines, nth, line, column, rest: line.text.slice(column) })
    const isIndent = advice?.next !== undefined
    const own = isIndent ? advice.at : line.start
    left -= isIndent ? text.length : line.text.length
    const isFollowing = isIndent && own === following
    if (isIndent) following = advice.next as number
    if (given.length > 0 && (advice === null || advice.isDoubtful || reported.has(own) || isFollowing)) continue
    reported.add(own)
    given.push(advice ?? error)
    if (advice?.isLast) break
  }
  return given
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

/** The lines before or after one that hold more than a comment, the nearest first. */
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
const NAME_EXPECTED = 'must be a name with a colon, such as name: value'

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
    ({ line, lines, nth }) => {
      const [before] = filledLines(lines, nth, -1)
      const all = [line, before].find(one => /^\s*-[^\s-]/.test(one?.text ?? ''))
      return all && { message: 'a space is missing after the dash', at: all.start + all.text.indexOf('-') }
    },
    // a line that is indented deeper than the one before it, which has a text already
    ({ line, lines, nth, column }) => {
      const [after] = filledLines(lines, nth, 1)
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
    error => {
      const [, text, name, rest] = /^(.*?)\s+([\w.-]+):\s*(.*)$/s.exec(valueIn(error)) ?? []
      const isName = text && name && (/^[[{"']/.test(rest as string) || IS_NAME.test(name) || /["'\]}\d]$/.test(text))
      return isName && { message: `a comma is missing before ${name}`, at: error.at + text.length }
    },
    error => `quote the text: it holds a colon: ${quoted(valueIn(error))}`
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
    adviceOnIndent,
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
  BAD_INDENT: [adviceOnIndent, unclosed],
  UNEXPECTED_TOKEN: [
    adviceOnIndent,
    ({ rest, at }) =>
      /^[\]}]/.test(rest) && { message: `${rest[0]} closes nothing; remove it, or write the bracket that it closes`, at, isLast: true, isDoubtful: true },
    ({ line, column }) => /[>|][-+\d]*\s+$/.test(line.text.slice(0, column)) && 'after > or |, the text begins in the next line; or quote it',
    ({ text, bracket, at }) =>
      /^\s*[{[]/.test(text) && bracket === undefined && { message: 'nothing may come after the bracket that ends the document', at, isLast: true },
    ({ text, rest, bracket, at }) => bracket !== undefined && rest[0] === '"' && /["\]}]\s*$/.test(text.slice(0, at)) && COMMA_MISSING,
    error => {
      const { line, column, rest } = error
      const start = startOfValue(error)
      const value = valueIn(error, start)
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

/** A line that is indented differently from those around it, of which the parser says where what is above it ends. */
function adviceOnIndent({ code, bracket, quote, line: there, column, rest, lines, nth }: Case): Advice | null {
  const isOver = /^\s*$|^\s+#/.test(rest) || /^#/.test(there.text)
  const own = isOver ? lines.indexOf(filledLines(lines, nth, 1).next().value as Line, nth) : nth
  const [line, [before], [after]] = [lines[own], filledLines(lines, own, -1), filledLines(lines, own, 1)]
  const content = contentOf(before?.text ?? '')
  const isOf = {
    MISSING_CHAR: isOver || /^\s/.test(rest),
    BAD_INDENT: there.text.trim() !== '',
    UNEXPECTED_TOKEN: content > column && /^[^\]},]/.test(rest)
  }[code as 'BAD_INDENT']
  if (bracket !== undefined || quote !== undefined || line === undefined || !isOf || !(isOver || line.text.search(/\S/) >= column)) return null
  const [, indentation = '', dash, name] = /^(\s*)(- )?(?:- +)*(?:([\w-]+):(?:\s|$))?/.exec(line.text) as RegExpExecArray
  if (indentation.includes('\t')) return { ...adviceOnTab(line), isLast: true }
  const next = after?.start ?? line.start
  const open = openColumns(filledLines(lines, own, -1))
  const dashes = open.filter(({ isDash }) => isDash)
  const isNext = dashes.some(({ column }) => column === indentation.length)
  if (dash === undefined && isNext && name !== undefined && open.some(one => one.column === content && one.names.includes(name))) {
    return { message: `${name} is given above already; where another member of the list begins, write a dash: - ${line.text.trim()}`, at: line.start, next }
  }
  const distance = ({ column }: OpenColumn) => Math.abs(column - indentation.length)
  const isDash = dash !== undefined && dashes.length > 0
  const nearest = open.filter(one => one.isDash === isDash).sort((a, b) => distance(a) - distance(b) || b.column - a.column)
  if (nearest.length === 0) return null
  const near = nearest.filter((one, nth) => nth === 0 || (!isDash && distance(one) === distance(nearest[0] as OpenColumn) && one.column > 0))
  const nameOf = ({ column, names }: OpenColumn) => (column === content ? 'the one before' : names[0])
  const like = near.map(one => `with ${spaces(one.column)}, like ${isDash ? 'the dash above it' : nameOf(one)}`)
  const message = `the line is indented by ${spaces(indentation.length)}, which fits no line above it; begin it ${like.join(', or ')}`
  return { message, at: line.start, isDoubtful: code === 'UNEXPECTED_TOKEN', next }
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

/** Where the value begins that an error is in. */
const startOfValue = ({ line, column, bracket }: Case): number =>
  (bracket === undefined
    ? (/^\s*(?:- +)*(?:[^\s:"'][^:]*:\s+)?/.exec(line.text) as RegExpExecArray)
    : (/^(?:.*(?:[:,]\s|[[{]))?\s*/.exec(line.text.slice(0, column)) as RegExpExecArray))[0].length

/** The text of a value: to the comma or the bracket that ends it where it is in brackets, else to the end of its line. */
function valueIn({ line: { text }, column, bracket }: Case, start = column): string {
  if (bracket === undefined) return (text.slice(start).split(/\s#/, 1)[0] as string).trimEnd()
  let [depth, end] = [0, start]
  for (; end < text.length; end++) {
    const character = text[end] as string
    if (depth === 0 && '}],'.includes(character)) break
    if ('{['.includes(character)) depth++
    else if ('}]'.includes(character)) depth--
  }
  return text.slice(start, end).trimEnd()
}

/** Where the quotation mark is that is not closed in its line; the last one of the text where each is. */
function openingQuote(text: string, quote: string): number {
  const closed = text.replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\n]|'')*'|(?:^|\s)#.*/gm, part => ' '.repeat(part.length))
  const at = closed.indexOf(quote)
  return at < 0 ? text.lastIndexOf(quote) : at
}
