/** YAML, and JSON that has mistakes: its data, what is wrong with it, and where each part is. */
import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  Parser,
  visit
} from 'yaml'
import { MAX_PROBLEMS } from '../../core/checking.js'
import type { Step } from '../../core/places.js'
import { isObject } from '../../core/quick-check.js'
import type { Said } from '../../core/sentences.js'
import { adviceOn, type Mistake, type ParserError, type Placed, spaceMissing } from './advice.js'
import { losesCharacters, type WrittenNumber } from './numbers.js'
import {
  type DocumentLimits,
  type Locate,
  MAX_NESTING,
  type Place,
  sizeProblem
} from './refusal.js'
import { say } from './sentences.js'

export type ReadYaml = {
  data: unknown
  problems: (Place & Said)[]
  numbers: readonly WrittenNumber[]
  isTooLarge?: boolean
  locate: Locate<(Place | null)[]>
}

/** Characters; the parts of a text take a hundred times its memory. */
const MAX_LENGTH = 4 * 2 ** 20
/** A value of YAML takes so many times the memory of one of JSON while it is read. */
const WEIGHT = 10
/** Parts of each other; only mistakes make as many. */
const MAX_OPEN = 600
/** Each alias is compared with the anchors before it. */
const MAX_COMPARED = 20_000_000

/** Reads a text as YAML, unless it is too large to be parsed. */
export function readYaml(text: string, limits: DocumentLimits): ReadYaml {
  const lines = new LineCounter()
  lines.addNewLine(0)
  const tokens = tokensOf(text, limits, lines)
  if (!Array.isArray(tokens)) {
    const problems = [{ ...tokens, line: 1, column: 1 }]
    return {
      data: null,
      problems,
      numbers: [],
      isTooLarge: true,
      locate: places => places.map(() => null)
    }
  }
  const [document, another] = composed(tokens, text.length)
  const { contents, errors, warnings } = document
  const all: ParserError[] = [...errors, ...warnings]
  if (another !== undefined)
    all.push({ code: 'MULTIPLE_DOCS', message: '', pos: [another.range[0], another.range[1]] })
  const found = adviceOn(all.sort(inOrder), { text, lines, contents })
  const beyond = errors.length === 0 && another === undefined ? beyondSyntax(document, lines) : null
  found.push(...(beyond?.found ?? []))
  let data: unknown = null
  try {
    if (found.length === 0) data = document.toJS({ maxAliasCount: 100 })
  } catch {
    found.push({ ...say('many_aliases'), at: 0 })
  }
  if (isDeeper(data, MAX_NESTING)) found.push({ ...say('too_deep', MAX_NESTING), at: 0 })
  const problems = found
    .sort((a, b) => a.at - b.at)
    .slice(0, MAX_PROBLEMS + 1)
    .map(({ code, message, at }) => ({ code, message, ...placeOf(at, lines) }))
  const numbers: WrittenNumber[] = []
  if (problems.length === 0 && beyond?.hasWritten) data = withoutWritten(data, [], numbers)
  return {
    data,
    problems,
    numbers,
    locate: (wanted, ofNames = []) =>
      wanted.map((steps, nth) => located(contents, steps, ofNames[nth] === true, lines))
  }
}

type Composed = [Document.Parsed, Document.Parsed | undefined]

function composed(tokens: CST.Token[], length: number): Composed {
  // with uniqueKeys the library compares every two names of an object
  const composer = new Composer({ merge: true, logLevel: 'error', uniqueKeys: false })
  // a stack for each mistake would take most of the time
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    const [document, another] = composer.compose(tokens, true, length)
    return [document, another] as Composed
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** A name that goes on over lines says more than a value that holds one. */
const inOrder = (a: ParserError, b: ParserError) =>
  a.pos[0] - b.pos[0] || Number(b.code.startsWith('MULTI')) - Number(a.code.startsWith('MULTI'))

function placeOf(at: number, lines: LineCounter): Place {
  const { line, col } = lines.linePos(at)
  return { line, column: col }
}

/** Errors beyond those that are told end it. Refused if it is too large. */
function tokensOf(text: string, limits: DocumentLimits, lines: LineCounter): CST.Token[] | Said {
  if (text.length > MAX_LENGTH) return say('too_long', MAX_LENGTH)
  const parser = new Parser(lines.addNewLine)
  const tokens: CST.Token[] = []
  let [values, errors, inRow] = [1, 0, 0]
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      tokens.push(token)
      if (token.type === 'error') errors++
    }
    // a value has one text or alias, and at most one tag
    if (/^["'!&*]/.test(lexeme)) inRow++
    if (Math.max(errors, inRow) > MAX_PROBLEMS || parser.stack.length > MAX_OPEN) break
    if (!/^[[{,?:-]$/.test(lexeme)) continue
    inRow = 0
    if (lexeme !== ':' || parser.stack.at(-1)?.type === 'block-map') values++
    const nesting = parser.stack.length > MAX_NESTING ? parser.stack.filter(isLevel).length : 0
    const problem = sizeProblem({ nesting, values: values * WEIGHT }, limits)
    if (problem !== null)
      return nesting > MAX_NESTING ? say('too_large', problem) : say('weighs_more', problem, WEIGHT)
  }
  return [...tokens, ...parser.end()]
}

/** A colon in a text makes a second map of its line, which takes the lines below it too. */
function isLevel(token: CST.Token, nth: number, stack: CST.Token[]): boolean {
  const whole = stack[nth - 1]
  const isSecond =
    token.type === 'block-map' && whole?.type === 'block-map' && whole.indent === token.indent
  return 'items' in token && !isSecond
}

/** Beyond its syntax. Numbers that are not printed as they are written become objects. */
function beyondSyntax(
  document: Document.Parsed,
  lines: LineCounter
): { found: Mistake[]; hasWritten: boolean } {
  const found: Mistake[] = []
  let hasWritten = false
  const anchors = new Set<string>()
  let [aliases, anchored] = [0, 0]
  const add = (at: number, said: Said) => void found.push({ ...said, at })
  const addJoined = (node: unknown) => {
    const isPlain = isScalar(node) && node.type === 'PLAIN'
    const joined = isPlain ? spaceMissing(String(node.value), startOf(node)) : null
    if (joined !== null) found.push(joined)
  }
  addJoined(document.contents)
  visit(document, (place, node) => {
    if (isAlias(node)) {
      aliases++
      if (place !== 'key' && !anchors.has(node.source))
        add(startOf(node), say('unknown_alias', node.source))
    } else if (isPair(node)) {
      // a name in braces that has no value
      if (node.value === null || (isScalar(node.value) && node.value.source === ''))
        addJoined(node.key)
    } else if (isNode(node) && 'anchor' in node && node.anchor) {
      anchored++
      anchors.add(node.anchor)
      if (isScalar(node) && node.value === null)
        add(startOf(node) - node.anchor.length - 1, say('begins_with', `&${node.anchor}`, '&'))
    }
    if (isScalar(node) && typeof node.value === 'number' && losesCharacters(String(node.source))) {
      const source = node.source as string
      // a name is text
      if (place === 'key') add(startOf(node), say('number_as_text', source, false))
      node.value = Object.assign(new Number(node.value), { source })
      hasWritten = true
    }
    if (!isMap(node)) return
    const names = new Map<unknown, number>()
    for (const { key } of node.items) {
      const at = startOf(key)
      // the library takes twice as long for each level of such a name
      if (!isScalar(key)) add(at, say('not_a_name'))
      else if (names.has(key.value))
        add(
          at,
          say('name_twice', String(key.value), lines.linePos(names.get(key.value) as number).line)
        )
      else names.set(key.value, at)
    }
  })
  if (found.length === 0 && aliases * anchored > MAX_COMPARED) add(0, say('many_aliases'))
  return { found, hasWritten }
}

const startOf = (node: unknown): number => (node as Placed).range[0]

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some(part => isDeeper(part, levels - 1)))

/** Data with plain numbers; those that are not printed as they are written are noted. */
function withoutWritten(part: unknown, steps: Step[], found: WrittenNumber[]): unknown {
  if (part instanceof Number) {
    found.push({ steps, source: (part as unknown as WrittenNumber).source })
    return Number(part)
  }
  if (Array.isArray(part))
    return part.map((member, index) => withoutWritten(member, [...steps, index], found))
  if (!isObject(part)) return part
  const parts = Object.entries(part)
  return Object.fromEntries(
    parts.map(([name, value]) => [name, withoutWritten(value, [...steps, name], found)])
  )
}

/**
 * Where a part is, or its name, or the last part before it that there is; not below an alias or in
 * a merge. A collection below its name is where that is.
 */
function located(
  whole: unknown,
  steps: readonly Step[],
  isOfName: boolean,
  lines: LineCounter
): Place | null {
  if (whole === null) return null
  let node: unknown = whole
  let [at, name] = [startOf(whole), -1]
  for (const step of steps) {
    const item = isSeq(node) ? node.items[step as number] : pairIn(node, step)
    name = isPair(item) ? startOf(item.key) : -1
    node = isPair(item) ? item.value : item
    if (isNode(node)) at = name >= 0 && isCollection(node) && !node.flow ? name : startOf(node)
  }
  return placeOf(isOfName && name >= 0 ? name : at, lines)
}

const pairIn = (node: unknown, step: Step) =>
  isMap(node)
    ? node.items.find(({ key }) => isScalar(key) && String(key.value) === step)
    : undefined
