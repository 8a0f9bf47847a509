/** What is wrong with a text that is no YAML, in words of the document instead of the parser: where the mistake is, and what to write instead. */

/** An error of the parser, by its place in the text. */
export type ParserError = { code: string; message: string; at: number }
/** What to say of it, and where; `isLast` where nothing that comes after it can be relied on, `isDoubtful` where an earlier mistake may be what makes it one. */
export type Advice = { message: string; at: number; isLast?: boolean; isDoubtful?: boolean }

/** A line of the text, with the place of its beginning. */
type Line = { text: string; start: number }
/** An error with its line, its column in that, and the lines around it; `above` are those before the line, the last one first. */
type Case = { error: ParserError; text: string; line: Line; column: number; before: Line | undefined; after: Line | undefined; above: Iterable<Line> }

/** Characters that are read for advice, at most. Where an error gets none, the whole text may have been read for it. */
const MOST_READ = 50_000_000

/**
 * What to say of the errors of a parser, given in their order. Most errors after the first follow from it, so of those only the ones with advice are
 * reported, one for each line; of a large text with many errors only the first are looked at.
 */
export function adviceOn(errors: readonly ParserError[], text: string): Advice[] {
  const lines = linesIn(text)
  if (errors.some(({ code }) => code === 'TAB_AS_INDENT')) return tabsIn(lines)
  const given: Advice[] = []
  const reported = new Set<Line>()
  // the lines of a member move with its first one
  let moved: Line | undefined
  let nth = 0
  let left = MOST_READ
  for (const error of errors) {
    while (nth + 1 < lines.length && (lines[nth + 1] as Line).start <= error.at) nth++
    const line = lines[nth] as Line
    const isIndent = isOfIndent(error)
    if (reported.has(line) && !isIndent) continue
    if (left < 0) break
    const [[before], [after]] = [filledLines(lines, nth, -1), filledLines(lines, nth, 1)]
    const advice = adviceFor({ error, text, line, column: error.at - line.start, before, after, above: filledLines(lines, nth, -1) })
    left -= advice === null || isIndent ? text.length : line.text.length
    const isFollowing = isIndent && before === moved
    if (isIndent) moved = line
    if (given.length > 0 && (advice === null || advice.isDoubtful || reported.has(line) || isFollowing)) continue
    const said = advice ?? { message: error.message, at: error.at }
    reported.add(line)
    given.push(said)
    if (said.isLast) break
  }
  return given
}

/** The lines in a direction that hold more than a comment, the nearest first. */
function* filledLines(lines: readonly Line[], from: number, step: 1 | -1): Generator<Line, void> {
  for (let nth = from + step; nth >= 0 && nth < lines.length; nth += step) if (isFilled(lines[nth] as Line)) yield lines[nth] as Line
}

const isFilled = ({ text }: Line): boolean => /^\s*[^\s#]/.test(text)
/** Whether an error is that a line is indented differently from those around it. */
const isOfIndent = ({ message }: ParserError): boolean => /^(Sequence item without - indicator|All .* items must start at the same column)/.test(message)

function linesIn(text: string): Line[] {
  let start = 0
  return text.split('\n').map(line => {
    const at = start
    start += line.length + 1
    return { text: line.replace(/\r$/, ''), start: at }
  })
}

function adviceFor(given: Case): Advice | null {
  const { error, line, column } = given
  const at = (place: number, message: string): Advice => ({ message, at: line.start + place })
  if (isOfIndent(error)) return adviceOnIndent(given)
  switch (error.code) {
    case 'MULTILINE_IMPLICIT_KEY':
      return /^Implicit keys need/.test(error.message) ? adviceOnName(given) : adviceOnDashInBrackets(given)
    case 'BLOCK_AS_IMPLICIT_KEY':
      return adviceOnDash(given) ?? adviceOnDeeperLine(given) ?? adviceOnColon(given)
    case 'BLOCK_IN_FLOW':
      return adviceOnDashInBrackets(given) ?? adviceOnFlowColon(given)
    case 'BAD_ALIAS':
      return at(column, `quote the text, since * has a meaning of its own: ${quoted(blockOrFlowValue(line.text, column))}`)
    case 'BAD_SCALAR_START':
      return at(column, `quote the text, since it begins with ${line.text[column]}: ${quoted(blockOrFlowValue(line.text, column))}`)
    case 'TAG_RESOLVE_FAILED': {
      const value = blockOrFlowValue(line.text, column)
      return at(
        column,
        `${value.split(/\s/, 1)[0]} is a tag of YAML, which documents have none of; where the ! belongs to the text, quote it: ${quoted(value)}`
      )
    }
    case 'BAD_DQ_ESCAPE':
      return at(column, `${line.text.slice(column, column + 2)} is no escape in double quotation marks; write \\\\ for a backslash`)
    case 'MULTIPLE_DOCS':
      return { ...at(column, '--- begins another document, and a file holds one; remove the line'), isLast: true }
    case 'MISSING_CHAR':
      return adviceOnMissing(given)
    case 'BAD_INDENT':
      return adviceOnUnclosed(given)
    case 'UNEXPECTED_TOKEN':
      return adviceOnUnexpected(given)
    default:
      return null
  }
}

/** The lines that a tab is in front of. */
function tabsIn(lines: readonly Line[]): Advice[] {
  return lines.filter(({ text }) => /^ *\t/.test(text)).map(adviceOnTab)
}

const adviceOnTab = ({ text, start }: Line): Advice => ({ message: 'the line begins with a tab; indent it with spaces', at: start + text.indexOf('\t') })

/** `-on: …`, which is a name that begins with a dash. */
function adviceOnDash({ line, before }: Case): Advice | null {
  const all = [line, before].find(one => one !== undefined && /^\s*-[^\s-]/.test(one.text))
  if (all === undefined) return null
  return { message: 'a space is missing after the dash', at: all.start + all.text.indexOf('-') }
}

/** A line that is indented deeper than the one before it, which has a text already. */
function adviceOnDeeperLine({ line, after, column }: Case): Advice | null {
  const [, , name, rest] = /^(\s*(?:- +)*)([^\s:#"'][^:]*):\s+(.*)$/.exec(line.text) ?? []
  const [, indentation = '', next] = /^(\s*)([^\s:#-][^:]*):(\s|$)/.exec(after?.text ?? '') ?? []
  if (name === undefined || next === undefined || rest?.includes(': ') || indentation.length <= contentOf(line.text)) return null
  return {
    message: `${next} is indented deeper than ${name} above it, which has a value already; begin it with ${spaces(contentOf(line.text))}, like ${name}`,
    at: (after as Line).start + Math.min(column, indentation.length)
  }
}

/** `name: x: y` in a line of its own. */
function adviceOnColon({ line }: Case): Advice | null {
  const [, before = '', value] = /^(\s*(?:- +)*[^\s:#"'][^:]*:\s+)(.*?)\s*(?:\s#.*)?$/.exec(line.text) ?? []
  if (value === undefined || !/:(\s|$)/.test(value)) return null
  return { message: `quote the text: it holds a colon: ${quoted(value)}`, at: line.start + before.length }
}

/** `[ - a, - b ]`, and a list with dashes in braces. */
function adviceOnDashInBrackets({ line, column }: Case): Advice | null {
  if (!/^-(\s|$)/.test(line.text.slice(column))) return null
  return { message: 'a list in brackets has no dashes: remove them, and write commas between its members, such as [a, b]', at: line.start + column }
}

/** `{ reason: cold: soup }`, and `{ a: 1 b: 2 }`, which looks the same to a parser. */
function adviceOnFlowColon({ line, column }: Case): Advice {
  const value = flowValue(line.text, column)
  const [, text, name, rest] = /^(.*?)\s+([\w.-]+):\s*(.*)$/s.exec(value) ?? []
  if (text && name && (/^[[{"']/.test(rest as string) || IS_NAME.test(name) || /["'\]}\d]$/.test(text))) {
    return { message: `a comma is missing before ${name}`, at: line.start + column + text.length }
  }
  return { message: `quote the text: it holds a colon: ${quoted(value)}`, at: line.start + column }
}

/** Names that documents often write together with others in one pair of braces. */
const IS_NAME =
  /^(on|do|as|match|body|query|params|key|about|calls|chance|from|until|for|hold|delay|respond|fault|when|status|error|headers|expect|times|at_least|at_most|id|account|location|ticket|transaction|amount|created|reference|name|type|email|code|message)$/

const COMMA_MISSING = 'a comma is missing before this'

function adviceOnMissing(given: Case): Advice | null {
  const { error, text, line, column } = given
  const [, quote] = /^Missing closing (["'])quote/.exec(error.message) ?? []
  if (quote !== undefined) {
    return notClosedAt(openingQuote(text, quote), quote)
  }
  if (/^Flow (map|sequence) must end/.test(error.message)) return adviceOnUnclosed(given)
  const bracketed = /^Missing , /.test(error.message) ? adviceOnBrackets(given) : null
  if (bracketed !== null) return bracketed
  if (/^Missing , /.test(error.message)) return { message: COMMA_MISSING, at: error.at }
  const joined = adviceOnJoined(line)
  if (joined !== null) return joined
  if (/^Implicit map keys/.test(error.message)) return { message: NAME_EXPECTED, at: line.start + column }
  return null
}

/** `name:x`, which is a text in YAML; null for any other text. */
export function spaceMissing(text: string): { message: string; column: number } | null {
  const [, before = '', name = '', value] = /^(\s*(?:- +)*)([\w-]+):((?!\/\/)[^\s:].*)$/.exec(text) ?? []
  return value === undefined ? null : { message: `a space is missing after the colon: ${name}: ${value}`, column: before.length + name.length }
}

function adviceOnJoined({ text, start }: Line): Advice | null {
  const joined = spaceMissing(text)
  return joined && { message: joined.message, at: start + joined.column }
}

/** A line that should begin with a name and a colon. */
function adviceOnName({ line, column }: Case): Advice {
  const [, name] = /^\s*(?:- +)*([\w-]+)\s*$/.exec(line.text) ?? []
  if (name !== undefined) return { message: `a colon is missing after ${name}: write ${name}:`, at: line.start + column, isLast: true }
  return adviceOnJoined(line) ?? { message: NAME_EXPECTED, at: line.start + column, isDoubtful: true }
}

const NAME_EXPECTED = 'a name with a colon was expected, such as name: value'

/** `{ created[gte]: … }`, a name that braces do not take as it is. */
function adviceOnBrackets({ line, column }: Case): Advice | null {
  const [name = ''] = /[\w-]*$/.exec(line.text.slice(0, column)) as RegExpExecArray
  const [, brackets] = /^((?:\[[\w-]*\])+):\s/.exec(line.text.slice(column)) ?? []
  if (name === '' || brackets === undefined) return null
  return { message: `quote the name, since it holds brackets: "${name}${brackets}"`, at: line.start + column - name.length }
}

const notClosedAt = (at: number, quote: string): Advice => ({
  message: `the quotation mark is not closed; end the text with ${quote} in the same line`,
  at,
  isLast: true
})

/** A bracket that is not closed where something comes that cannot be within it. */
function adviceOnUnclosed({ error, text }: Case): Advice | null {
  if (!/^Flow /.test(error.message)) return null
  const at = openBracket(text, error.at)
  if (at === null) return null
  const bracket = text[at] as string
  return { message: `${bracket} is not closed; end it with ${bracket === '{' ? '}' : ']'}`, at, isLast: true }
}

/** A line that is indented less than the one before it, and more than any above. */
function adviceOnIndent({ line: there, before, after, above }: Case): Advice {
  const line = /^\s*#/.test(there.text) && after !== undefined ? after : there
  const [indentation] = /^\s*/.exec(line.text) as RegExpExecArray
  if (indentation.includes('\t')) return { ...adviceOnTab(line), isLast: true }
  const open = openColumns(above)
  const dashes = open.filter(({ isDash }) => isDash)
  const { text: last } = [before, there].find(one => one !== undefined) as Line
  const content = contentOf(last)
  const [, dash, name] = /^\s*(- )?(?:- +)*(?:([\w-]+):(?:\s|$))?/.exec(line.text) as RegExpExecArray
  const fits = `the line is indented by ${spaces(indentation.length)}, which fits no line above it`
  const nearest = (columns: readonly number[]) =>
    columns.reduce((best, column) => (Math.abs(column - indentation.length) < Math.abs(best - indentation.length) ? column : best))
  if (dash !== undefined && dashes.length > 0) {
    const wanted = nearest(dashes.map(({ column }) => column))
    return { message: `${fits}; begin it with ${spaces(wanted)}, like the dash above it`, at: line.start }
  }
  const isNext = dashes.some(({ column }) => column === indentation.length)
  if (isNext && name !== undefined && open.some(one => one.column === content && one.names.includes(name))) {
    return { message: `${name} is given above already; where another member of the list begins, write a dash: - ${line.text.trim()}`, at: line.start }
  }
  const distance = ({ column }: OpenColumn) => Math.abs(column - indentation.length)
  const objects = open.filter(({ isDash }) => !isDash).sort((a, b) => distance(a) - distance(b) || b.column - a.column)
  const near = objects.filter((one, index) => distance(one) === distance(objects[0] as OpenColumn) && (index === 0 || one.column > 0))
  const like = near.map(({ column, names }) => `with ${spaces(column)}, like ${column === content ? 'the one before' : names[0]}`)
  return { message: `${fits}; begin it ${like.join(', or ')}`, at: line.start }
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

function adviceOnUnexpected({ error, text, line, column }: Case): Advice | null {
  const { message } = error
  const [, closing] = /^Unexpected flow-(?:map|seq)-end token .*"(.)"$/.exec(message) ?? []
  if (closing !== undefined)
    return { message: `${closing} closes nothing; remove it, or write the bracket that it closes`, at: error.at, isLast: true, isDoubtful: true }
  if (/^Not a YAML token/.test(message)) return { message: 'after > or |, the text begins in the next line; or quote it', at: error.at }
  if (!/ at node end$/.test(message)) return null
  if (/^\s*[{[]/.test(text) && !isInFlow(text.slice(0, error.at)))
    return { message: 'nothing may come after the bracket that ends the document', at: error.at, isLast: true }
  const start = startOfValue(line.text, column)
  if (line.text[column] === '"' && /["\]}]\s*$/.test(text.slice(0, error.at)) && isInFlow(text.slice(0, error.at)))
    return { message: COMMA_MISSING, at: error.at }
  const value = blockOrFlowValue(line.text, start)
  const inner = /^(["']).*\1$/s.test(value) ? value.slice(1, -1) : value
  const why = /[{}[\]]/.test(value) && !/^["'[{]/.test(value) ? 'it holds a bracket' : 'it goes on here'
  return { message: `quote the whole text, since ${why}: ${quoted(inner)}`, at: line.start + start }
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

/** Whether a line has a bracket open at its end. */
const isInFlow = (before: string): boolean => openBracket(before, before.length) !== null

const blockOrFlowValue = (line: string, start: number): string =>
  isInFlow(line.slice(0, start))
    ? flowValue(line, start)
    : line
        .slice(start)
        .replace(/\s+#.*$/, '')
        .trimEnd()

/** The text of a value in braces, to the comma or the bracket that ends it. */
function flowValue(line: string, start: number): string {
  let depth = 0
  for (let at = start; at < line.length; at++) {
    const character = line[at] as string
    if ('{['.includes(character)) depth++
    else if ('}]'.includes(character) && depth-- === 0) return line.slice(start, at).trimEnd()
    else if (character === ',' && depth === 0) return line.slice(start, at).trimEnd()
  }
  return line.slice(start).trimEnd()
}

/** The last bracket before a place that is open there; null where none is. Brackets in quotation marks and comments are text. */
function openBracket(text: string, end: number): number | null {
  const open: number[] = []
  for (const { 0: token, index } of text.slice(0, end).matchAll(/"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|(?:^|\s)#.*|[[\]{}]/g)) {
    if (token === '{' || token === '[') open.push(index)
    else if (token === '}' || token === ']') open.pop()
  }
  return open.at(-1) ?? null
}

/** Where the quotation mark is that is not closed in its line; the last one of the text where each is. */
function openingQuote(text: string, quote: string): number {
  const closed = text.replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\n]|'')*'|(?:^|\s)#.*/gm, part => ' '.repeat(part.length))
  const at = closed.indexOf(quote)
  return at < 0 ? text.lastIndexOf(quote) : at
}
