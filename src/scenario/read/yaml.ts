/** Reads YAML, and JSON with mistakes: data, problems, and the place of each part. */
import {
  Composer,
  CST,
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
import { MAX_YAML, type Part, type Place } from '../documents.js'
import { say } from '../sentences.js'
import { present } from '../shape/checked.js'
import { type Mistake, mistakesIn, type ParserError, type Placed, spaceMissing } from './advice.js'
import { losesCharacters, type WrittenNumber } from './numbers.js'

/** Texts, lists and objects, of some 500 bytes each. */
const MAX_PARTS = 1_000_000
/** How lexemes of parts begin: the lexer's sign for plain text, quotes, brackets. */
const BEGIN_PART = [CST.SCALAR, '"', "'", '[', '{']
/** Levels that are open at once; only mistakes open so many. */
const MAX_OPEN = 600
/** Each alias is compared with the anchors before it. */
const MAX_COMPARED = 20_000_000

export function readYaml(text: string) {
  const lines = new LineCounter()
  lines.addNewLine(0)
  const tokens = tokensOf(text, lines)
  const [document, another] = composed(tokens ?? [], text.length)
  const { contents, errors, warnings } = document
  const all: ParserError[] = [...errors, ...warnings]
  if (another !== undefined)
    all.push({ code: 'MULTIPLE_DOCS', message: '', pos: [another.range[0], another.range[1]] })
  const mistakes = mistakesIn(all.sort(inOrder), { text, lines, contents })
  if (tokens === null) mistakes.push({ ...say('too_long', MAX_YAML), offset: 0 })
  const inspection = new Inspection(lines, mistakes)
  if (errors.length === 0 && another === undefined) inspection.whole(contents)
  let data: unknown = null
  try {
    if (mistakes.length === 0) data = document.toJS({ maxAliasCount: 100 })
  } catch {
    mistakes.push({ ...say('many_aliases'), offset: 0 })
  }
  return {
    data,
    numbers: inspection.numbers,
    problems: mistakes
      .sort((a, b) => a.offset - b.offset)
      .slice(0, MAX_PROBLEMS + 1)
      .map(({ code, message, offset }) => ({ code, message, ...placeOf(offset, lines) })),
    locate: (parts: readonly Part[]) => parts.map(part => located(contents, part, lines))
  }
}

function composed(tokens: CST.Token[], length: number) {
  // uniqueKeys compares all pairs of names
  const composer = new Composer({ merge: true, logLevel: 'error', uniqueKeys: false })
  // stack traces of mistakes would take most of the time
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    const [document, another] = composer.compose(tokens, true, length)
    return [present(document), another] as const
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** Of errors at one place, that of a name over several lines says most. */
const inOrder = (a: ParserError, b: ParserError) =>
  a.pos[0] - b.pos[0] || Number(b.code.startsWith('MULTI')) - Number(a.code.startsWith('MULTI'))

function placeOf(offset: number, lines: LineCounter): Place {
  const { line, col } = lines.linePos(offset)
  return { line, column: col }
}

/** Null for a text that is too long; stops after more errors than are listed. */
function tokensOf(text: string, lines: LineCounter): CST.Token[] | null {
  if (text.length > MAX_YAML) return null
  const parser = new Parser(lines.addNewLine)
  const tokens: CST.Token[] = []
  let parts = 0
  let errors = 0
  let inRow = 0
  for (const lexeme of new Lexer().lex(text)) {
    if (BEGIN_PART.includes(lexeme.charAt(0)) && ++parts > MAX_PARTS) return null
    for (const token of parser.next(lexeme)) {
      tokens.push(token)
      if (token.type === 'error') errors++
    }
    // more in a row are mistakes: a value is one text or alias, with at most one tag
    if (/^["'!&*]/.test(lexeme)) inRow++
    else if (/^[[{,?:-]$/.test(lexeme)) inRow = 0
    if (Math.max(errors, inRow) > MAX_PROBLEMS || parser.stack.length > MAX_OPEN) break
  }
  return [...tokens, ...parser.end()]
}

/** Finds mistakes beyond the syntax, and numbers that are printed differently. */
class Inspection {
  readonly numbers: WrittenNumber[] = []
  readonly #anchors = new Set<string>()
  #aliases = 0
  #anchored = 0

  constructor(
    private readonly lines: LineCounter,
    private readonly mistakes: Mistake[]
  ) {}

  whole(contents: unknown): void {
    this.#seeJoined(contents)
    this.#see(contents, [])
    if (this.mistakes.length === 0 && this.#aliases * this.#anchored > MAX_COMPARED)
      this.#add(contents, say('many_aliases'))
  }

  #add(node: unknown, problem: Said): void {
    this.mistakes.push({ ...problem, offset: startOf(node) })
  }

  #seeJoined(node: unknown): void {
    const isPlain = isScalar(node) && node.type === 'PLAIN'
    const joined = isPlain ? spaceMissing(String(node.value), startOf(node)) : null
    if (joined !== null) this.mistakes.push(joined)
  }

  #see(node: unknown, steps: readonly Step[]): void {
    if (isAlias(node)) {
      this.#aliases++
      if (!this.#anchors.has(node.source)) this.#add(node, say('unknown_alias', node.source))
    } else if (isScalar(node) || isCollection(node)) {
      if (node.anchor) this.#seeAnchor(node, node.anchor)
      if (isMap(node)) this.#seeNames(node, steps)
      else if (isSeq(node))
        for (const [index, item] of node.items.entries()) this.#see(item, [...steps, index])
      else if (isLossy(node)) this.numbers.push({ steps, source: String(node.source) })
    }
  }

  #seeAnchor(node: unknown, anchor: string): void {
    this.#anchored++
    this.#anchors.add(anchor)
    if (isScalar(node) && node.value === null) this.#add(node, say('anchor_of_nothing'))
  }

  #seeNames({ items }: YAMLMap, steps: readonly Step[]): void {
    const names = new Map<unknown, number>()
    for (const { key, value } of items) {
      // such names take the library exponential time
      if (!isScalar(key)) {
        this.#add(key, say('not_a_name'))
        continue
      }
      const known = names.get(key.value)
      if (known === undefined) names.set(key.value, startOf(key))
      else this.#add(key, say('name_twice', String(key.value), this.lines.linePos(known).line))
      if (key.anchor) this.#seeAnchor(key, key.anchor)
      if (isLossy(key)) this.#add(key, say('number_as_text', String(key.source), false))
      // in braces, a name can lack a value
      if (value === null || (isScalar(value) && value.source === '')) this.#seeJoined(key)
      this.#see(value, [...steps, String(key.value)])
    }
  }
}

const isLossy = (node: unknown): node is Scalar =>
  isScalar(node) && typeof node.value === 'number' && losesCharacters(String(node.source))

const startOf = (node: unknown): number => (node as Placed).range[0]

/** Of the part, or the closest one above it that exists; a block's place is that of its name. */
function located(whole: unknown, { steps, isOfName }: Part, lines: LineCounter): Place | null {
  if (whole === null) return null
  let node: unknown = whole
  let start = startOf(whole)
  let name = -1
  for (const step of steps) {
    const item = isSeq(node) ? node.items[Number(step)] : pairIn(node, step)
    name = isPair(item) ? startOf(item.key) : -1
    node = isPair(item) ? item.value : item
    if (isNode(node)) start = name >= 0 && isCollection(node) && !node.flow ? name : startOf(node)
  }
  return placeOf(isOfName && name >= 0 ? name : start, lines)
}

const pairIn = (node: unknown, step: Step) =>
  isMap(node)
    ? node.items.find(({ key }) => isScalar(key) && String(key.value) === step)
    : undefined
