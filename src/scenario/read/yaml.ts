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
  type Scalar,
  type YAMLMap
} from 'yaml'
import { MAX_PROBLEMS } from '../../core/checking.js'
import type { Step } from '../../core/places.js'
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

export function readYaml(text: string, limits: DocumentLimits): ReadYaml {
  const lines = new LineCounter()
  lines.addNewLine(0)
  const tokens = tokensOf(text, limits, lines)
  if (!Array.isArray(tokens)) {
    const problems = [{ ...tokens, line: 1, column: 1 }]
    return { data: null, problems, numbers: [], isTooLarge: true, locate: noPlaces }
  }
  const [document, another] = composed(tokens, text.length)
  const { contents, errors, warnings } = document
  const all: ParserError[] = [...errors, ...warnings]
  if (another !== undefined)
    all.push({ code: 'MULTIPLE_DOCS', message: '', pos: [another.range[0], another.range[1]] })
  const found = adviceOn(all.sort(inOrder), { text, lines, contents })
  const isWhole = errors.length === 0 && another === undefined
  const beyond = isWhole ? new Inspection(contents, lines) : null
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

const noPlaces: ReadYaml['locate'] = places => places.map(() => null)

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

/** What is wrong beyond the syntax. Numbers that are not printed as written become objects. */
class Inspection {
  readonly found: Mistake[] = []
  hasWritten = false
  readonly #lines: LineCounter
  readonly #anchors = new Set<string>()
  #aliases = 0
  #anchored = 0

  constructor(contents: unknown, lines: LineCounter) {
    this.#lines = lines
    this.#seeJoined(contents)
    this.#see(contents)
    if (this.found.length === 0 && this.#aliases * this.#anchored > MAX_COMPARED)
      this.found.push({ ...say('many_aliases'), at: 0 })
  }

  #add(node: unknown, said: Said, before = 0): void {
    this.found.push({ ...said, at: startOf(node) - before })
  }

  #seeJoined(node: unknown): void {
    const isPlain = isScalar(node) && node.type === 'PLAIN'
    const joined = isPlain ? spaceMissing(String(node.value), startOf(node)) : null
    if (joined !== null) this.found.push(joined)
  }

  #see(node: unknown, isName = false): void {
    if (isAlias(node)) {
      this.#aliases++
      if (!isName && !this.#anchors.has(node.source))
        this.#add(node, say('unknown_alias', node.source))
    } else if (isScalar(node) || isCollection(node)) {
      if (node.anchor) this.#seeAnchor(node, node.anchor)
      if (isScalar(node)) this.#seeNumber(node, isName)
      else if (isMap(node)) this.#seeNames(node)
      else for (const item of node.items) this.#see(item)
    }
  }

  #seeAnchor(node: unknown, anchor: string): void {
    this.#anchored++
    this.#anchors.add(anchor)
    if (isScalar(node) && node.value === null)
      this.#add(node, say('begins_with', `&${anchor}`, '&'), anchor.length + 1)
  }

  #seeNumber(node: Scalar, isName: boolean): void {
    const source = String(node.source)
    if (typeof node.value !== 'number' || !losesCharacters(source)) return
    if (isName) this.#add(node, say('number_as_text', source, false))
    node.value = Object.assign(new Number(node.value), { source })
    this.hasWritten = true
  }

  #seeNames({ items }: YAMLMap): void {
    const names = new Map<unknown, number>()
    for (const { key, value } of items) {
      // the library takes twice as long for each level of such a name
      if (!isScalar(key)) this.#add(key, say('not_a_name'))
      else if (names.has(key.value)) {
        const { line } = this.#lines.linePos(names.get(key.value) as number)
        this.#add(key, say('name_twice', String(key.value), line))
      } else names.set(key.value, startOf(key))
      // a name in braces that has no value
      if (value === null || (isScalar(value) && value.source === '')) this.#seeJoined(key)
      this.#see(key, true)
      this.#see(value)
    }
  }
}

const startOf = (node: unknown): number => (node as Placed).range[0]

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some(part => isDeeper(part, levels - 1)))

function withoutWritten(part: unknown, steps: Step[], numbers: WrittenNumber[]): unknown {
  if (part instanceof Number) {
    numbers.push({ steps, source: (part as unknown as WrittenNumber).source })
    return Number(part)
  }
  if (typeof part !== 'object' || part === null) return part
  const below = (step: Step, value: unknown) => withoutWritten(value, [...steps, step], numbers)
  return Array.isArray(part)
    ? part.map((member, index) => below(index, member))
    : Object.fromEntries(Object.entries(part).map(([name, value]) => [name, below(name, value)]))
}

/**
 * Of a part or its name, or of the last part before it that there is; of a collection, its name.
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
