/** Fixture and scenario documents as they are written: YAML or JSON text, read with the place of everything in it. */
import type { LineCounter, Document as YamlDocument } from 'yaml'
import { pathOf, type Step } from '../core/checking.js'
import { ApiError, type Problem } from '../core/errors.js'
import { sentence } from '../core/nearest.js'
import { inDocumentOrder } from './document-order.js'

/** More problems than this are counted, not listed. */
export const MOST_PROBLEMS = 1000
const MOST_LEVELS = 64

export type SourceDocument = {
  /** The file's name, or where else the document came from. */
  name: string
  data: unknown
  /** The line and column of a place, counted from 1. */
  locate: (steps: readonly Step[]) => Promise<{ line: number; column: number } | null>
}
/** A problem, its document and its place in that. */
export type DocumentProblem = { document: SourceDocument; steps: readonly Step[]; message: string }
/** Takes a problem by its place in the part of a document that is looked at. */
export type Report = (steps: readonly Step[], message: string) => void

/** Adds what is reported of a part of a document to its problems. */
export const reportTo =
  (problems: DocumentProblem[], document: SourceDocument, under: readonly Step[] = []): Report =>
  (steps, message) =>
    void problems.push({ document, steps: [...under, ...steps], message })

/** A document that is data already: it has no lines. */
export const documentOf = (name: string, data: unknown): SourceDocument => ({ name, data, locate: async () => null })

/** Reads text as JSON when it is JSON, else as YAML. Errors: `document_invalid` with every syntax problem. */
export async function readDocument(name: string, text: string): Promise<SourceDocument> {
  const data = jsonOf(text)
  if (data !== undefined) {
    refuseTooDeep(name, data)
    let read: Promise<ReadYaml> | undefined
    const again = () => {
      read ??= readYaml(text)
      return read
    }
    return { name, data, locate: async steps => (await again()).locate(steps) }
  }

  const yaml = await readYaml(text)
  if (yaml.problems.length > 0) throw documentInvalid(yaml.problems.map(problem => ({ file: name, path: '', ...problem })))
  refuseTooDeep(name, yaml.data)
  return { name, data: yaml.data, locate: async steps => yaml.locate(steps) }
}

/** Refuses data that nests without end, or so deep that walking it could exhaust the stack. */
function refuseTooDeep(name: string, data: unknown): void {
  if (isDeeper(data, MOST_LEVELS)) {
    throw documentInvalid([{ file: name, path: '', message: `it is nested deeper than ${MOST_LEVELS} levels, or an alias is inside what it names` }])
  }
}

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' && value !== null && (levels === 0 || Object.values(value).some(part => isDeeper(part, levels - 1)))

/** One refusal of all problems: document after document, in the order of `documents` where there are several, within each by place; none twice. */
export async function refusalOf(problems: readonly DocumentProblem[], documents = problems.map(({ document }) => document)): Promise<ApiError> {
  const byName = new Map<string, DocumentProblem[]>(documents.map(({ name }) => [name, []]))
  for (const problem of problems) byName.get(problem.document.name)?.push(problem)
  const listed: Problem[] = []
  let left = 0
  for (const [file, ofDocument] of byName) {
    const placed: Problem[] = []
    for (const { document, steps, message } of unique(ofDocument)) {
      if (listed.length + placed.length === MOST_PROBLEMS) left++
      else placed.push({ file, path: pathOf(steps), message, ...(await document.locate(steps)) })
    }
    // a part that came through an alias or a merge is elsewhere in the text
    listed.push(...placed.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)))
  }
  if (left > 0) listed.push({ path: '', message: `and ${left} more problems like these` })
  return documentInvalid(listed)
}

/** The problems of a document in the order of their places, each once. */
function unique(problems: readonly DocumentProblem[]): DocumentProblem[] {
  const known = new Set<string>()
  const isNew = ({ steps, message }: DocumentProblem) => known.size < known.add(JSON.stringify([steps, message])).size
  return inDocumentOrder(problems[0]?.document.data, problems.filter(isNew))
}

/** `bistro.yaml:4:7 tickets[3].location: …`, as far as each part is known. */
export function problemLine({ file, line, column, path, message }: Problem): string {
  const place = [file, line, column].filter(part => part !== undefined).join(':')
  return [place, path && `${path}:`, message].filter(Boolean).join(' ')
}

function documentInvalid(problems: Problem[]): ApiError {
  const [first] = problems as [Problem, ...Problem[]]
  const count = problems.length === 1 ? 'The document has a problem' : `The document has ${problems.length} problems, the first`
  return new ApiError('document_invalid', { message: `${count}: ${sentence(problemLine(first))} Nothing was changed.`, problems })
}

function jsonOf(text: string): unknown {
  if (!/^\s*[{[]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

type Place = { line: number; column: number }
type ReadYaml = { data: unknown; problems: (Partial<Place> & { message: string })[]; locate: (steps: readonly Step[]) => Place | null }

async function readYaml(text: string): Promise<ReadYaml> {
  const { LineCounter, parseDocument, visit } = await import('yaml')
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, merge: true, prettyErrors: false, logLevel: 'error' })
  const problems: ReadYaml['problems'] = [...document.errors, ...document.warnings].map(({ message, pos: [at] }) => ({ message, ...placeOf(at, lines) }))
  let data: unknown
  if (problems.length === 0) {
    try {
      data = document.toJS({ maxAliasCount: 100 })
    } catch (error) {
      problems.push(aliasProblem((error as Error).message))
    }
  }
  return { data, problems, locate: steps => located(document, steps, lines) }

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
    return { message, ...placeOf(at, lines) }
  }
}

/** The place of the nearest part that the text holds; a part that came through an alias or a merge has its parent's place. */
function located(document: YamlDocument, steps: readonly Step[], lines: LineCounter): Place | null {
  for (let depth = steps.length; depth >= 0; depth--) {
    const node = (depth === 0 ? document.contents : document.getIn(steps.slice(0, depth), true)) as { range?: [number, number, number] } | null | undefined
    if (node?.range) return placeOf(node.range[0], lines)
  }
  return null
}

function placeOf(at: number, lines: LineCounter): Place {
  const { line, col } = lines.linePos(at)
  return { line, column: col }
}
