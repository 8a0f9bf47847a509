/** Reads large texts in a worker's thread. */
import { mapValues } from '../../reference/rules.js'
import { refusalOf } from '../documents.js'
import { below, readDocument, type SourceDocument } from '../read/document.js'
import type { Part, Reading, ReadOptions } from '../reading.js'
import { isSharedScript } from '../script/shared-script.js'
import { isBareFixture, shapeProblems } from './sources.js'

/** JSON of the data, long lists in parts, so that none takes long to parse. */
export async function readLarge({ read, places }: Reading): Promise<unknown> {
  const document = await readDocument(read.name, read.text, read.options)
  if (places !== undefined) return document.locate(places)
  const parts: Part[] = []
  const data = withoutLists(document.data, [], parts)
  const checkedAs = await checkedKind(document, read.options)
  const head = { data, numbers: document.numbers, checkedAs }
  return [head, ...parts].map(part => JSON.stringify(part))
}

/** Undefined where variables decide. Errors: `document_invalid` with the problems of its shape. */
async function checkedKind(
  document: SourceDocument,
  { kind, under = [] }: ReadOptions
): Promise<'fixture' | 'scenario' | undefined> {
  const part = below(document, under)
  const { data } = part
  if (
    kind === undefined ||
    typeof data === 'string' ||
    isSharedScript(data) ||
    /\$\{\s*vars\b/.test(JSON.stringify(data))
  )
    return undefined
  const actual = isBareFixture(data) ? 'fixture' : kind
  const problems = shapeProblems(part, actual)
  if (problems.length === 0) return actual
  throw await refusalOf(problems.map(problem => ({ document: part, ...problem })))
}

const MAX_MEMBERS = 100
const MAX_LEVELS = 4

function withoutLists(data: unknown, path: readonly string[], parts: Part[]): unknown {
  if (typeof data !== 'object' || data === null || path.length > MAX_LEVELS) return data
  if (!Array.isArray(data))
    return mapValues(data, (part, name) => withoutLists(part, [...path, name], parts))
  if (data.length < MAX_MEMBERS) return data
  for (let start = 0; start < data.length; start += MAX_MEMBERS)
    parts.push([path, data.slice(start, start + MAX_MEMBERS)])
  return []
}
