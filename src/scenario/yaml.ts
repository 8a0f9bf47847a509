/** YAML as documents write it, and the state as YAML. */
import {
  CST,
  Document,
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  Lexer,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
  stringify,
  visit
} from 'yaml'
import { shortened } from '../core/nearest.js'
import type { Step } from '../core/places.js'
import { type Place, type PlaceTree, placeTree, settlePlaces } from './json-places.js'
import { type DocumentLimits, sizeProblem } from './limits.js'
import { adviceOn, quoted, spaceMissing } from './yaml-advice.js'

/** What a YAML text holds, what is wrong with it, and where parts of it are. */
export type ReadYaml = {
  data: unknown
  problems: (Partial<Place> & { message: string })[]
  locate: (places: readonly (readonly Step[])[]) => (Place | null)[]
}

/** A value of YAML takes so many times the memory of one of JSON while it is read. */
const WEIGHT = 10
/** Characters of a message, which quotes the text that it is about. */
const LONGEST_MESSAGE = 500
/** Resolving aliases compares each with the anchors before it. */
const MOST_COMPARED = 20_000_000

/** Reads a text as YAML, unless it is too large to be parsed. */
export function readYaml(text: string, limits: DocumentLimits): ReadYaml {
  const tooLarge = problemOfSize(text, limits)
  if (tooLarge !== null) return { ...readYaml('', limits), problems: [{ message: tooLarge, line: 1, column: 1 }] }
  const lines = new LineCounter()
  // the library compares every two names of an object to find one that is given twice
  const document = parseDocument(text, { lineCounter: lines, merge: true, prettyErrors: false, logLevel: 'error', uniqueKeys: false })
  const errors = [...document.errors, ...document.warnings].map(({ code, message, pos: [at] }) => ({ code, message, at }))
  const inOrder = <T extends { at: number }>(problems: T[]) => problems.sort((a, b) => a.at - b.at)
  const names = document.errors.length === 0 ? [...repeatedNames(document, lines), ...emptyAnchors(document), ...joinedNames(document)] : []
  const problems: ReadYaml['problems'] = inOrder([...adviceOn(inOrder(errors), text), ...names])
    .slice(0, limits['limits.problems'] + 1)
    .map(({ message, at }) => ({ message: message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}…` : message, ...placeOf(at, lines) }))
  if (problems.length === 0) problems.push(...aliasesBeyond(document))

  /** The problem of an alias: one without an anchor has its own place, one that grows without end the document's. */
  function aliasProblem(message: string): Place & { message: string } {
    const [, name] = /^Unresolved alias.*: (.*)$/.exec(message) ?? []
    if (name === undefined) return { message: `${message}; write the parts out instead of repeating aliases`, line: 1, column: 1 }
    let at = 0
    visit(document, {
      Alias: (_, { source, range }) => {
        if (source !== name) return undefined
        at = (range as [number, number, number])[0]
        return visit.BREAK
      }
    })
    const advice = `*${name} refers to nothing, since no &${name} comes before it; where the * belongs to the text, quote it: ${quoted(`*${name}`)}`
    return { message: advice, ...placeOf(at, lines) }
  }

  let data: unknown
  if (problems.length === 0) {
    try {
      data = document.toJS({ maxAliasCount: 100 })
    } catch (error) {
      problems.push(aliasProblem((error as Error).message))
    }
  }
  return { data, problems, locate: places => located(document, places, { lines, text }) }
}

/**
 * What is wrong with the nesting or the number of values of a text, by its tokens: a block collection begins at a column beyond those that are open, or with a second
 * colon in a line. One inside a flow collection is a mistake that the library finds only after it has parsed all of it.
 */
function problemOfSize(text: string, limits: DocumentLimits): string | null {
  const columns: number[] = []
  /** For each open flow collection, how many block collections are open in its present item. */
  const flows: number[] = []
  let [column, blocksInFlows, values, colons, isLineStart] = [0, 0, 1, 0, true]
  const endItem = () => {
    blocksInFlows -= flows.pop() ?? 0
  }
  for (const token of new Lexer().lex(text)) {
    const type = CST.tokenType(token)
    if (type === 'newline') {
      ;[column, colons, isLineStart] = [0, 0, true]
      continue
    }
    if (type === 'doc-mode' || type === 'scalar' || type === 'byte-order-mark') continue
    if (type === 'flow-seq-start' || type === 'flow-map-start') {
      flows.push(0)
      values++
    } else if (type === 'flow-seq-end' || type === 'flow-map-end') endItem()
    else if (type === 'flow-error-end') while (flows.length > 0) endItem()
    else if (type === 'comma') {
      values++
      if (flows.length > 0) {
        endItem()
        flows.push(0)
      }
    }
    const isNestedByColon = type === 'map-value-ind' && (flows.at(-1) ?? 0) > 0
    if (flows.length > 0 && (type === 'seq-item-ind' || type === 'explicit-key-ind' || isNestedByColon)) {
      flows.push((flows.pop() as number) + 1)
      blocksInFlows++
      values++
    }
    if (flows.length === 0 && type !== 'space' && type !== 'comment') {
      const isIndicator = type === 'seq-item-ind' || type === 'explicit-key-ind' || (type === 'map-value-ind' && (isLineStart || colons++ > 0))
      if (isLineStart || isIndicator) {
        while ((columns.at(-1) ?? -1) >= column) columns.pop()
        columns.push(column)
        values++
      }
      isLineStart = isLineStart && isIndicator
    }
    column += token.length
    const nesting = columns.length + flows.length + blocksInFlows
    const problem = sizeProblem({ nesting, values: values * WEIGHT }, limits)
    if (problem !== null) return nesting > limits['limits.nesting'] ? problem : `${problem}; in YAML each counts as ${WEIGHT}: write it as JSON`
  }
  return null
}

/** Names that an object of the text gives twice, and what is no name. */
function repeatedNames(document: Document, lines: LineCounter): { message: string; at: number }[] {
  const found: { message: string; at: number }[] = []
  visit(document, {
    Map: (_, { items }) => {
      const names = new Map<unknown, number>()
      for (const { key } of items) {
        // the library writes a list or an object as a name, which takes twice as long for each level
        if (!isScalar(key)) {
          found.push({ message: 'A name was expected, not a list, an object or an alias', at: startOf(key) as number })
          continue
        }
        const name = key.value
        const at = startOf(key) as number
        const earlier = names.get(name)
        if (earlier === undefined) names.set(name, at)
        else found.push({ message: `${shortened(String(name))} is given twice, in line ${placeOf(earlier, lines).line} already; keep one of them`, at })
      }
    }
  })
  return found
}

/** Texts that are a name, a colon and a value without a space between: the whole document, or a name in braces that has no value. */
function joinedNames({ contents }: Document): { message: string; at: number }[] {
  const found: { message: string; at: number }[] = []
  const look = (node: unknown) => {
    if (!isScalar(node) || node.type !== 'PLAIN') return
    const joined = spaceMissing(String(node.value))
    if (joined !== null) found.push({ message: joined.message, at: (startOf(node) as number) + joined.column })
  }
  look(contents)
  visit(contents as Node, {
    Pair: (_, { key, value }) => {
      if (value === null || (isScalar(value) && value.value === null && value.source === '')) look(key)
    }
  })
  return found
}

/** Names of anchors that hold nothing: text that begins with `&`, most likely. */
function emptyAnchors(document: Document): { message: string; at: number }[] {
  const found: { message: string; at: number }[] = []
  visit(document, {
    Scalar: (_, { anchor, value, range }) => {
      if (anchor === undefined || value !== null) return
      const at = (range as [number, number, number])[0] - anchor.length - 1
      found.push({ message: `quote the text, since & has a meaning of its own: ${quoted(`&${anchor}`)}`, at })
    }
  })
  return found
}

/** The problem of more aliases than can be resolved in good time. */
function aliasesBeyond(document: Document): { message: string; line: number; column: number }[] {
  let [anchors, aliases] = [0, 0]
  visit(document, {
    Node: (_, node) => {
      if (isAlias(node)) aliases++
      else if ((node as { anchor?: string }).anchor) anchors++
    }
  })
  if (aliases * anchors <= MOST_COMPARED) return []
  return [{ message: `There are ${aliases} aliases of ${anchors} anchors; write the parts out instead of repeating aliases`, line: 1, column: 1 }]
}

/** Characters of a number that is shown as it was written. */
const LONGEST_NUMBER = 20

const startOf = (node: unknown): number | undefined => (node as { range?: [number, number, number] } | null)?.range?.[0]

/** The places of parts; a part that came through an alias or a merge, or is not there, has the place of the nearest part around it. */
function located(document: Document, places: readonly (readonly Step[])[], { lines, text }: { lines: LineCounter; text: string }): (Place | null)[] {
  const { root, ends } = placeTree(places)
  noteOffsets(document.contents, root)
  settlePlaces(root)
  return ends.map(({ offset }) => {
    if (offset < 0) return null
    const [source] = /^0\d+(?![^\s,}\]])/.exec(text.slice(offset, offset + LONGEST_NUMBER)) ?? []
    return { ...placeOf(offset, lines), ...(source !== undefined && { source }) }
  })
}

function noteOffsets(node: unknown, tree: PlaceTree): void {
  tree.offset = startOf(node) ?? -1
  if (tree.parts.size === 0 || !isCollection(node)) return
  for (const [index, item] of node.items.entries()) {
    const step = isPair(item) ? String((item.key as Scalar).value) : index
    const part = tree.parts.get(isMap(node) ? step : index)
    if (part !== undefined) noteOffsets(isPair(item) ? item.value : item, part)
  }
}

function placeOf(at: number, lines: LineCounter): Place {
  const { line, col } = lines.linePos(at)
  return { line, column: col }
}

/** Data as YAML text. */
export const yamlText = (data: unknown): string => stringify(data, { lineWidth: 0, aliasDuplicateObjects: false })

/** The parts of a scenario whose members are written on one line each, and those whose members' values are. */
const LINES: readonly string[] = ['expect']
const VALUES: readonly string[] = ['play', 'script']

/** A scenario as YAML text under comments: a record, an expectation and each part of a play on a line of its own. */
export function scenarioText(data: Record<string, unknown>, comments: readonly string[]): string {
  const document = new Document(data, { aliasDuplicateObjects: false })
  const flow = (path: readonly (string | number)[]) => {
    const node = document.getIn(path)
    if (isCollection(node)) node.flow = true
  }
  for (const family of Object.keys(data.data ?? {}))
    for (const index of ((data.data as Record<string, unknown[]>)[family] as unknown[]).keys()) flow(['data', family, index])
  for (const name of LINES) for (const index of ((data[name] ?? []) as unknown[]).keys()) flow([name, index])
  for (const name of VALUES)
    for (const [index, member] of ((data[name] ?? []) as object[]).entries()) for (const part of Object.keys(member)) flow([name, index, part])
  return `${comments.map(comment => `# ${comment}\n`).join('')}${document.toString({ lineWidth: 0 })}`
}
