/** YAML as documents write it, and the state as YAML. */

import {
  Composer,
  type CST,
  Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  Lexer,
  Parser,
  type Scalar,
  stringify,
  visit
} from 'yaml'
import { MAX_PROBLEMS } from '../core/checking.js'
import type { Said } from '../core/sentences.js'
import { say } from './document-sentences.js'
import { losesCharacters, type WrittenNumber } from './json-text.js'
import { type DocumentLimits, MAX_NESTING, sizeProblem } from './limits.js'
import { type Locate, located, type Place, type PlaceTree, placesIn } from './places.js'
import { type Advice, adviceOn, spaceMissing } from './yaml-advice.js'

export type ReadYaml = {
  data: unknown
  problems: (Place & Said)[]
  numbers: readonly WrittenNumber[]
  locate: Locate<(Place | null)[]>
}

/** A value of YAML takes so many times the memory of one of JSON while it is read. */
const WEIGHT = 10
/** Resolving aliases compares each with the anchors before it. */
const MAX_COMPARED = 20_000_000
/** Parts of each other that the library can read; only mistakes make as many. */
const MAX_OPEN = 1500

/** Reads a text as YAML, unless it is too large to be parsed. */
export function readYaml(text: string, limits: DocumentLimits): ReadYaml {
  const tokens = tokensOf(text, limits)
  let contents: unknown = null
  const locate: ReadYaml['locate'] = (...wanted) =>
    located(text, wanted, root => noteOffsets(contents, root, text))
  if (!Array.isArray(tokens))
    return { data: null, problems: [{ ...tokens, line: 1, column: 1 }], numbers: [], locate }
  // the library compares every two names of an object to find one that is given twice
  const composer = new Composer({ merge: true, logLevel: 'error', uniqueKeys: false })
  const [document, another] = composer.compose(
    tokens,
    true,
    text.length
  ) as Iterable<Document.Parsed>
  const { errors, warnings, range } = document as Document.Parsed
  contents = (document as Document.Parsed).contents
  const all = inOrder(
    [...errors, ...warnings].map(({ code, pos: [at] }) => ({ code: code as string, at }))
  )
  // a mistake that ends the document makes one of each part that comes after it
  const mistakes = all.filter(({ at }, nth) => nth === 0 || at <= range[2])
  if (another !== undefined) mistakes.push({ code: 'MULTIPLE_DOCS', at: another.range[0] })
  const placeOf = placesIn(text)
  const found = adviceOn(mistakes, text)
  if (errors.length === 0 && another === undefined)
    found.push(...problemsIn(document as Document.Parsed, at => placeOf(at).line))
  let data: unknown
  try {
    if (found.length === 0) data = (document as Document).toJS({ maxAliasCount: 100 })
  } catch {
    found.push({ ...say('many_aliases'), at: 0 })
  }
  const problems = inOrder(found)
    .slice(0, MAX_PROBLEMS + 1)
    .map(({ code, message, at }) => ({ code, message, ...placeOf(at) }))
  const numbers = problems.length === 0 ? numbersIn(contents) : []
  return { data, problems, numbers, locate }
}

const inOrder = <T extends { at: number }>(found: T[]): T[] => found.sort((a, b) => a.at - b.at)

/** What is wrong with its size where it is too large. */
function tokensOf(text: string, limits: DocumentLimits): CST.Token[] | Said {
  const parser = new Parser()
  const tokens: CST.Token[] = []
  let [values, errors] = [1, 0]
  for (const lexeme of new Lexer().lex(text)) {
    if (parser.stack.length > MAX_OPEN) break
    for (const token of parser.next(lexeme))
      if (token.type !== 'error' || ++errors <= MAX_PROBLEMS) tokens.push(token)
    if (/^[[{,?-]$/.test(lexeme) || (lexeme === ':' && parser.stack.at(-1)?.type === 'block-map'))
      values++
    const nesting = parser.stack.length > MAX_NESTING ? parser.stack.filter(isLevel).length : 0
    const problem = sizeProblem({ nesting, values: values * WEIGHT }, limits)
    if (problem !== null)
      return nesting > MAX_NESTING ? say('too_large', problem) : say('weighs_more', problem, WEIGHT)
  }
  return [...tokens, ...parser.end()]
}

/**
 * The second map of a line is none: a colon in a text makes it, and it takes the lines below it
 * too.
 */
function isLevel(token: CST.Token, nth: number, stack: CST.Token[]): boolean {
  const whole = stack[nth - 1]
  return (
    'items' in token &&
    !(token.type === 'block-map' && whole?.type === 'block-map' && whole.indent === token.indent)
  )
}

/** Beyond its syntax; `lineOf` is the line of a place. */
function problemsIn(document: Document.Parsed, lineOf: (at: number) => number): Advice[] {
  const found: Advice[] = []
  const anchors = new Set<string>()
  let [aliases, anchored] = [0, 0]
  const add = (at: number, said: Said) => void found.push({ ...said, at })
  const addJoined = (node: unknown) => {
    const joined = isScalar(node) && node.type === 'PLAIN' ? spaceMissing(String(node.value)) : null
    if (joined !== null) add(startOf(node) + joined.at, joined)
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
    // a name is text
    if (place === 'key' && isLossy(node))
      add(startOf(node), say('number_as_text', node.source, false))
    if (!isMap(node)) return
    const names = new Map<unknown, number>()
    for (const { key } of node.items) {
      const at = startOf(key)
      // the library writes a list or an object as a name, which takes twice as long for each level
      if (!isScalar(key)) add(at, say('not_a_name'))
      else if (names.has(key.value))
        add(at, say('name_twice', String(key.value), lineOf(names.get(key.value) as number)))
      else names.set(key.value, at)
    }
  })
  if (found.length === 0 && aliases * anchored > MAX_COMPARED) add(0, say('many_aliases'))
  return found
}

const isLossy = (node: unknown): node is Scalar<number> & { source: string } =>
  isScalar(node) && typeof node.value === 'number' && losesCharacters(node.source as string)

/**
 * The numbers below a node that are not printed as they are written. `anchored` are those of the
 * anchors before it: an alias has them too, and a merge those that no other name gives.
 */
function numbersIn(node: unknown, anchored = new Map<string, WrittenNumber[]>()): WrittenNumber[] {
  if (isAlias(node)) return anchored.get(node.source) ?? []
  const found: WrittenNumber[] = isLossy(node) ? [{ steps: [], source: node.source }] : []
  const items = isCollection(node) ? node.items : []
  const names = new Set(items.map(item => isPair(item) && (item.key as Scalar).value))
  for (const [index, item] of items.entries()) {
    const name = isPair(item) ? (item.key as Scalar).value : index
    for (const { steps, source } of numbersIn(isPair(item) ? item.value : item, anchored)) {
      // the name of a merge is a symbol; it takes an object or a list of them
      const own = steps.slice(typeof steps[0] === 'number' ? 1 : 0)
      if (typeof name !== 'symbol')
        found.push({ steps: [isPair(item) ? String(name) : index, ...steps], source })
      else if (!names.has(own[0])) found.push({ steps: own, source })
    }
  }
  if (isNode(node) && 'anchor' in node && node.anchor) anchored.set(node.anchor, found)
  return found
}

const startOf = (node: unknown): number => (node as { range: [number, number, number] }).range[0]

/**
 * Notes where wanted parts are; not those of an alias or a merge. A collection below its name is
 * where that is.
 */
function noteOffsets(node: unknown, tree: PlaceTree, text: string): void {
  if (node === null) return
  const at = startOf(node)
  tree.offset =
    tree.name >= 0 && isCollection(node) && text.slice(tree.name, at).includes('\n')
      ? tree.name
      : at
  if (tree.parts.size === 0 || !isCollection(node)) return
  for (const [index, item] of node.items.entries()) {
    const part = tree.parts.get(isPair(item) ? String((item.key as Scalar).value) : index)
    if (part === undefined) continue
    if (isPair(item)) part.name = startOf(item.key)
    noteOffsets(isPair(item) ? item.value : item, part, text)
  }
}

/** Data as YAML text. */
export const yamlText = (data: unknown): string =>
  stringify(data, { lineWidth: 0, aliasDuplicateObjects: false })

/**
 * What has a line of its own: records, expectations, parts of plays and entries, so many levels
 * below.
 */
const LINES = { data: 2, expect: 1, play: 2, script: 2 }

/** A scenario as YAML text under comments. */
export function scenarioText(data: Record<string, unknown>, comments: readonly string[]): string {
  const document = new Document(data, { aliasDuplicateObjects: false })
  const putOnLines = (node: unknown, levels: number): void => {
    if (!isCollection(node)) return
    if (levels === 0) node.flow = true
    else for (const item of node.items) putOnLines(isPair(item) ? item.value : item, levels - 1)
  }
  for (const [name, levels] of Object.entries(LINES)) putOnLines(document.get(name), levels)
  return `${comments.map(comment => `# ${comment}\n`).join('')}${document.toString({ lineWidth: 0 })}`
}
