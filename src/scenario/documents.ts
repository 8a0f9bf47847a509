/** Fixture and scenario documents as they are written: YAML or JSON text, read with the place of everything in it. */

import { ApiError, type Problem } from '../core/errors.js'
import { sentence } from '../core/nearest.js'
import { pathOf, type Step } from '../core/places.js'
import { inDocumentOrder } from './document-order.js'
import type { ReadYaml } from './yaml.js'

/** More problems than this are counted, not listed. */
export const MOST_PROBLEMS = 1000
const MOST_LEVELS = 64

export type SourceDocument = {
  /** The file's name, or where else the document came from. */
  name: string
  data: unknown
  /** The line and column of a place, counted from 1. */
  locate: (steps: readonly Step[]) => Promise<{ line: number; column: number } | null>
  /** The schema that the data is known to match. */
  checkedAs?: DocumentKind
}
export type DocumentKind = 'fixture' | 'scenario'
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
    return { name, data, locate: locatorIn(text) }
  }

  const yaml = await yamlIn(text)
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

/** Whether data has parts at so many levels below it. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) {
    for (const member of value) if (isDeeper(member, levels - 1)) return true
  } else for (const name in value) if (isDeeper((value as Record<string, unknown>)[name], levels - 1)) return true
  return false
}

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
    placed.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
    for (const problem of placed) listed.push(problem)
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

/** Finds places in a text that was read before in another way; it is read as YAML at the first. */
export function locatorIn(text: string): SourceDocument['locate'] {
  let read: Promise<ReadYaml> | undefined
  return async steps => {
    read ??= yamlIn(text)
    return (await read).locate(steps)
  }
}

/** YAML is read by a module that is loaded when it is first needed. */
async function yamlIn(text: string): Promise<ReadYaml> {
  const { readYaml } = await import('./yaml.js')
  return readYaml(text)
}
