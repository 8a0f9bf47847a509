/**
 * What is wrong with a text that is not YAML, in words of the document: where, and what to write
 * instead.
 */
import { CST, Lexer } from 'yaml'
import type { Said } from '../core/sentences.js'
import { say } from './document-sentences.js'

/** An error of the parser, by its place in the text. */
export type ParserError = { code: string; at: number }
/**
 * `isLast`: nothing after it can be relied on; `isDoubtful`: an earlier mistake may cause it. A
 * line to be indented takes the one that begins at `next` along.
 */
export type Advice = Said & { at: number; isLast?: boolean; isDoubtful?: boolean; next?: number }

/** A line of the text, with the place of its beginning. */
type Line = { text: string; start: number; nth: number }
/** The innermost open bracket at a place, and the quotation mark of a text that ends there. */
type Unclosed = { text: string; bracket: number | undefined; quote: string | undefined }
/** With its line, its column there, and the rest of the line. */
type Case = ParserError &
  Unclosed & { lines: readonly Line[]; line: Line; column: number; rest: string }
/** What an error is, at a better place if there is one. */
type Mistake = (error: Case) => (Said & Partial<Advice>) | null | false | '' | undefined

/** Characters: advice on an indent may read all lines above. */
const MAX_READ = 50_000_000
/** Errors of a line that are read: each reads the line. */
const MAX_IN_LINE = 10

/**
 * Most errors after the first follow from it: only those with advice are told, one a line; of a
 * large text only the first are read.
 */
export function adviceOn(errors: readonly ParserError[], text: string): Advice[] {
  let start = 0
  const lines = text.split('\n').map((text, nth): Line => {
    const line = { text: text.replace(/\r$/, ''), start, nth }
    start += text.length + 1
    return line
  })
  if (errors.some(({ code }) => code === 'TAB_AS_INDENT'))
    return lines.filter(({ text }) => /^ *\t/.test(text)).map(tabIn)
  const unclosedAt = unclosedIn(text)
  const given: Advice[] = []
  const reported = new Set<number>()
  let [line, read] = [lines[0] as Line, 0]
  for (const error of errors.slice(0, Math.ceil(MAX_READ / text.length))) {
    while (Number(lines[line.nth + 1]?.start) <= error.at) {
      line = lines[line.nth + 1] as Line
      read = 0
    }
    if (++read > MAX_IN_LINE) continue
    const column = error.at - line.start
    const advice = adviceFor({
      ...error,
      ...unclosedAt(error.at),
      lines,
      line,
      column,
      rest: line.text.slice(column)
    })
    const isIndent = advice?.next !== undefined
    const own = isIndent ? advice.at : line.start
    const isReported = reported.has(own)
    if (isIndent) reported.add(advice.next as number)
    if (given.length > 0 && (advice === null || advice.isDoubtful || isReported)) continue
    reported.add(own)
    given.push(advice ?? { ...say('refused', error.code), at: error.at })
    if (advice?.isLast) break
  }
  return given
}

function adviceFor(error: Case): Advice | null {
  for (const mistake of MISTAKES[error.code] ?? []) {
    const said = mistake(error)
    if (said) return { at: error.at, ...said }
  }
  return null
}

/**
 * For places in order, the innermost bracket open before each, and the quotation mark that a text
 * ending there lacks.
 */
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

function beside(lines: readonly Line[], { nth }: Line, step: 1 | -1): Line | undefined {
  let line = lines[nth + step]
  while (line !== undefined && !/^\s*[^\s#]/.test(line.text)) line = lines[line.nth + step]
  return line
}

/** `[ - a, - b ]`, and a list with dashes in braces. */
const dashInBrackets: Mistake = ({ rest }) => /^-(\s|$)/.test(rest) && say('dash_in_brackets')
/** `name:x`, which is a text in YAML. */
const joined: Mistake = ({ line }) => {
  const found = spaceMissing(line.text)
  return found && { ...found, at: line.start + found.at }
}
const unclosed: Mistake = ({ text, bracket }) =>
  bracket !== undefined && {
    ...say('not_closed', text[bracket] as string),
    at: bracket,
    isLast: true
  }

const MISTAKES: Readonly<Record<string, readonly Mistake[]>> = {
  MULTILINE_IMPLICIT_KEY: [
    error => error.bracket !== undefined && dashInBrackets(error),
    // a line that should begin with a name and a colon
    ({ line }) => {
      const [, name] = /^\s*(?:- +)*([\w-]+)\s*$/.exec(line.text) ?? []
      return name !== undefined && { ...say('colon_missing', name), isLast: true }
    },
    joined,
    () => ({ ...say('name_expected'), isDoubtful: true })
  ],
  BLOCK_AS_IMPLICIT_KEY: [
    // `-on: …`, which is a name that begins with a dash
    ({ line, lines }) => {
      const own = [line, beside(lines, line, -1)].find(
        one => one !== undefined && /^\s*-[^\s-]/.test(one.text)
      )
      return own && { ...say('space_after_dash'), at: own.start + own.text.indexOf('-') }
    },
    // a line that is indented deeper than the one before it, which has a text already
    ({ line, lines, column }) => {
      const after = beside(lines, line, 1)
      const [, name, rest] = /^\s*(?:- +)*(?!- )([^\s:#"'][^:]*):\s(.*)/s.exec(line.text) ?? []
      const [, indentation = '', next] =
        /^(\s*)([^\s:#-][^:]*):(\s|$)/.exec(after?.text ?? '') ?? []
      if (
        !after ||
        name === undefined ||
        next === undefined ||
        rest?.includes(': ') ||
        indentation.length <= contentOf(line.text)
      )
        return null
      return {
        ...say('too_deep_below', next, name, contentOf(line.text)),
        at: after.start + Math.min(column, indentation.length)
      }
    },
    // `name: x: y` in a line of its own
    ({ line }) => {
      const [before = ''] = /^\s*(?:- +)*(?!- )[^\s:#"'][^:]*:\s+/.exec(line.text) ?? []
      const [value = ''] = line.text.slice(before.length).split(/\s#/, 1)
      return (
        before !== '' &&
        /:(\s|$)/.test(value) && {
          ...say('holds_colon', value.trimEnd()),
          at: line.start + before.length
        }
      )
    }
  ],
  BLOCK_IN_FLOW: [
    dashInBrackets,
    // `{ a: 1 b: 2 }`, which looks the same to a parser as `{ reason: cold: soup }`
    error => {
      const value = valueIn(error)
      const [all = '', name = ''] = /\s(["']?[\w.-]+["']?):\s*/.exec(value) ?? []
      const at = value.indexOf(all)
      const text = value.slice(0, at).trimEnd()
      const isName =
        text &&
        (/^[[{"']/.test(value.slice(at + all.length)) ||
          IS_NAME.test(name) ||
          /["'\]}\d]$/.test(text))
      return isName && { ...say('comma_missing', name), at: error.at + text.length }
    },
    error => say('holds_colon', valueIn(error))
  ],
  BAD_ALIAS: [error => say('begins_with', valueIn(error), '*')],
  BAD_SCALAR_START: [error => say('begins_with', valueIn(error), error.rest[0] as string)],
  TAG_RESOLVE_FAILED: [
    error => say('tag', valueIn(error).split(/\s/, 1)[0] as string, valueIn(error))
  ],
  BAD_DQ_ESCAPE: [({ rest }) => say('unknown_escape', rest.slice(0, 2))],
  MULTIPLE_DOCS: [() => ({ ...say('second_document'), isLast: true })],
  MISSING_CHAR: [
    wrongIndent,
    ({ quote, text }) =>
      quote && { ...say('quote_not_closed', quote), at: openingQuote(text, quote), isLast: true },
    error => /^\s*(?:[\]}]|$)/.test(error.text.slice(error.at)) && unclosed(error),
    // `{ created[gte]: … }`, a name that braces do not take as it is
    ({ line, column, rest, bracket, at }) => {
      const [name = ''] = /(?<![\w-])[\w-]*$/.exec(line.text.slice(0, column)) as RegExpExecArray
      const [, brackets] = /^((?:\[[\w-]*\])+):\s/.exec(rest) ?? []
      return (
        bracket !== undefined &&
        name !== '' &&
        brackets !== undefined && {
          ...say('brackets_in_name', name + brackets),
          at: at - name.length
        }
      )
    },
    ({ bracket, rest }) => bracket !== undefined && !/^#/.test(rest) && say('comma_missing'),
    joined,
    ({ line, column }) => /^\s*(?:- +)*$/.test(line.text.slice(0, column)) && say('name_expected')
  ],
  BAD_INDENT: [wrongIndent, unclosed],
  UNEXPECTED_TOKEN: [
    wrongIndent,
    ({ rest }) =>
      /^[\]}]/.test(rest) && {
        ...say('nothing_to_close', rest[0] as string),
        isLast: true,
        isDoubtful: true
      },
    ({ line, column }) =>
      /[>|][-+\d]*\s+$/.test(line.text.slice(0, column)) && say('text_in_next_line'),
    ({ text, bracket }) =>
      /^\s*[{[]/.test(text) && bracket === undefined && { ...say('after_the_end'), isLast: true },
    ({ text, rest, bracket, at }) =>
      bracket !== undefined &&
      rest[0] === '"' &&
      /["\]}]\s*$/.test(text.slice(0, at)) &&
      say('comma_missing'),
    error => {
      const { line, column, rest } = error
      const start = startOfValue(error)
      const value = valueIn(error, start)
      if (
        start >= column ||
        rest[0] === ',' ||
        (start === contentOf(line.text) && /:(\s|$)/.test(value))
      )
        return null
      const inner = /^(["']).*\1$/s.test(value) ? value.slice(1, -1) : value
      return {
        ...say(
          /[{}[\]]/.test(value) && !/^["'[{]/.test(value) ? 'holds_bracket' : 'goes_on',
          inner
        ),
        at: line.start + start
      }
    }
  ]
}

const IS_NAME =
  /^(on|do|as|match|body|query|params|key|about|calls|chance|from|until|for|hold|delay|respond|fault|when|status|error|headers|expect|times|id|account|location|ticket|transaction|amount|created|reference|name|type|email|code|message)$/

export function spaceMissing(text: string): Advice | null {
  const [, before = '', name = '', value] =
    /^(\s*(?:- +)*)([\w-]+):((?!\/\/)[^\s:].*)$/.exec(text) ?? []
  return value === undefined
    ? null
    : { ...say('space_missing', name, value), at: before.length + name.length }
}

const tabIn = ({ text, start }: Line): Advice => ({ ...say('tab'), at: start + text.indexOf('\t') })

/** Indented differently from those around it; the parser says where what is above it ends. */
function wrongIndent({
  code,
  bracket,
  quote,
  line: there,
  column,
  rest,
  lines
}: Case): Advice | null {
  const isOver = /^\s*$|^\s+#/.test(rest) || there.text.startsWith('#')
  const line = isOver ? beside(lines, there, 1) : there
  if (
    bracket !== undefined ||
    quote !== undefined ||
    line === undefined ||
    !(isOver || line.text.search(/\S/) >= column)
  )
    return null
  const content = contentOf(beside(lines, line, -1)?.text)
  const isOf = {
    MISSING_CHAR: isOver || /^\s/.test(rest),
    BAD_INDENT: there.text.trim() !== '',
    UNEXPECTED_TOKEN: content > column && /^[^\]},]/.test(rest)
  }[code as 'BAD_INDENT']
  if (!isOf) return null
  const above = openAbove(lines, line)
  const [, indentation = '', dash, name] = /^(\s*)(- )?(?:- +)*(?:([\w-]+):(?:\s|$))?/.exec(
    line.text
  ) as RegExpExecArray
  if (indentation.includes('\t')) return { ...tabIn(line), isLast: true }
  const place = { at: line.start, next: beside(lines, line, 1)?.start ?? line.start }
  const isAtDash = above.some(({ column, isDash }) => isDash && column === indentation.length)
  if (
    dash === undefined &&
    isAtDash &&
    name !== undefined &&
    above.some(one => one.column === content && one.names.includes(name))
  )
    return { ...say('dash_missing', name, line.text.trim()), ...place }
  const isDash = dash !== undefined && above.some(one => one.isDash)
  const distance = ({ column }: OpenColumn) => Math.abs(column - indentation.length)
  const all = above
    .filter(one => one.isDash === isDash)
    .sort((a, b) => distance(a) - distance(b) || b.column - a.column)
  if (all.length === 0) return null
  const nearest = all.filter(
    (one, nth) =>
      nth === 0 || (!isDash && distance(one) === distance(all[0] as OpenColumn) && one.column > 0)
  )
  const nameOf = ({ column, names }: OpenColumn) =>
    column === content ? 'the one before' : (names[0] as string)
  const like = nearest.map(one => [one.column, isDash ? 'the dash above it' : nameOf(one)] as const)
  return {
    ...say('wrong_indent', indentation.length, like),
    isDoubtful: code === 'UNEXPECTED_TOKEN',
    ...place
  }
}

/** Of the dashes of a list, or the names of an object, the last first. */
type OpenColumn = { column: number; isDash: boolean; names: string[] }

/** Of lists and objects, the innermost first. */
function openAbove(lines: readonly Line[], line: Line): OpenColumn[] {
  const open: OpenColumn[] = []
  let least = Number.POSITIVE_INFINITY
  for (
    let above = beside(lines, line, -1);
    above !== undefined && least > 0;
    above = beside(lines, above, -1)
  ) {
    const [, indentation = '', dashes = '', name] =
      /^(\s*)((?:- +)*)(?:([^\s:#"'][^:]*):(?:\s|$))?/.exec(above.text) as RegExpExecArray
    const content = indentation.length + dashes.length
    const known = open.find(({ column, isDash }) => column === content && !isDash)
    if (known !== undefined && content <= least && name !== undefined) known.names.push(name)
    if (content < least && name !== undefined)
      open.push({ column: content, isDash: false, names: [name] })
    if (dashes !== '' && indentation.length < least)
      open.push({ column: indentation.length, isDash: true, names: [] })
    least = Math.min(least, indentation.length)
  }
  return open
}

const contentOf = (line = ''): number => (/^\s*(?:- +)*/.exec(line) as RegExpExecArray)[0].length

/** Where the value begins that an error is in. */
const startOfValue = ({ line, column, bracket }: Case): number =>
  (bracket === undefined
    ? (/^\s*(?:- +)*(?:[^\s:"'][^:]*:\s+)?/.exec(line.text) as RegExpExecArray)
    : (/^(?:.*(?:[:,]\s|[[{]))?\s*/.exec(line.text.slice(0, column)) as RegExpExecArray))[0].length

/** To the comma or bracket that ends it in brackets, else to the end of its line. */
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

/** Of the mark that is not closed in its line; else the last one. */
function openingQuote(text: string, quote: string): number {
  const closed = text.replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\n]|'')*'|(?:^|\s)#.*/gm, part =>
    ' '.repeat(part.length)
  )
  const at = closed.indexOf(quote)
  return at < 0 ? text.lastIndexOf(quote) : at
}
