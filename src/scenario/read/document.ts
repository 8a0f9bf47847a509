/** Documents as they are written: YAML or JSON text, read with the place of each part. */
import { isUtf8 } from 'node:buffer'
import { ApiError } from '../../core/errors.js'
import { partAt, type Step } from '../../core/places.js'
import { visible } from '../../core/visible.js'
import { losesCharacters, numbersBelow, type WrittenNumber } from './numbers.js'
import {
  DEFAULT_LIMITS,
  type DocumentLimits,
  documentInvalid,
  type Locate,
  type Place,
  sizeProblem
} from './refusal.js'
import { say } from './sentences.js'

export type SourceDocument = {
  /** The file's name, or where else the document came from. */
  name: string
  data: unknown
  limits: DocumentLimits
  locate: Locate<Promise<readonly (Place | null)[]>>
  /** Those that are not printed as they are written. */
  numbers?: readonly WrittenNumber[]
  /** The schema that the data is known to match. */
  checkedAs?: DocumentKind
}
export type TextType = 'json' | 'yaml'
export type DocumentKind = 'fixture' | 'scenario' | 'script'

/** As JSON when it is JSON, else as YAML. Errors: `body_malformed`, `document_invalid`. */
export async function readDocument(
  name: string,
  text: string,
  { limits = DEFAULT_LIMITS, type = null }: { limits?: DocumentLimits; type?: TextType | null } = {}
): Promise<SourceDocument> {
  const isJson = type === 'json' || (type === null && /^\s*[{[]/.test(text))
  const json = isJson ? jsonIn(name, text, limits, type) : undefined
  const asJson = { name, data: json?.data, limits, locate: locatorIn(text, limits) }
  if (json?.isWhole) return asJson
  const { data, problems, numbers, isTooLarge, locate } = await yamlIn(text, limits)
  // JSON may be larger than YAML, but then only the names of its objects are counted
  if (isTooLarge && json !== undefined) {
    if (json.hasAllNames) return asJson
    throw documentInvalid([{ file: name, path: '', ...say('names_twice') }])
  }
  if (problems.length > 0)
    throw documentInvalid(problems.map(problem => ({ file: name, path: '', ...problem })))
  return { name, data, numbers, limits, locate: async (...wanted) => locate(...wanted) }
}

export const below = (document: SourceDocument, under: readonly Step[]): SourceDocument => ({
  ...document,
  ...numbersBelow(document, under),
  data: partAt(document.data, under),
  locate: (places, ...more) =>
    document.locate(
      places.map(steps => [...under, ...steps]),
      ...more
    )
})

export function locatorIn(text: string, limits: DocumentLimits): SourceDocument['locate'] {
  let read: ReturnType<typeof yamlIn> | undefined
  return async (...wanted) => {
    read ??= yamlIn(text, limits)
    return (await read).locate(...wanted)
  }
}

async function yamlIn(text: string, limits: DocumentLimits) {
  const { readYaml } = await import('./yaml.js')
  return readYaml(text, limits)
}

const NUMBER = /[[,:]\s*(-?\d[\d.eE+-]*)(?=\s*[\],}])/g

/** Undefined where it is not JSON; `isWhole` where the data has all that is written. */
function jsonIn(name: string, text: string, limits: DocumentLimits, type: TextType | null) {
  const { names, ...size } = sizeOf(text)
  const problem = sizeProblem(size, limits)
  if (problem !== null)
    throw documentInvalid([{ file: name, path: '', ...say('too_large', problem) }])
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch (error) {
    if (type === 'json')
      throw new ApiError('body_malformed', {
        message: `The body is not JSON: ${visible((error as Error).message)}.`
      })
    return undefined
  }
  const numbers = Array.from(text.matchAll(NUMBER), ([, number = '']) => number)
  const hasAllNames = namesIn(data) === names
  return { data, hasAllNames, isWhole: hasAllNames && !numbers.some(losesCharacters) }
}

function sizeOf(text: string): { nesting: number; values: number; names: number } {
  let [depth, nesting, values, names] = [0, 0, 1, 0]
  for (let at = 0; at < text.length; at++) {
    const mark = text[at] as string
    if (mark === '"')
      for (at++; at < text.length && text[at] !== '"'; at++) at += text[at] === '\\' ? 1 : 0
    else if (mark === ':') names++
    else if (mark === ',') values++
    else if (mark === ']' || mark === '}') depth--
    else if (mark === '[' || mark === '{') {
      values++
      nesting = Math.max(nesting, ++depth)
    }
  }
  return { nesting, values, names }
}

function namesIn(data: unknown): number {
  if (typeof data !== 'object' || data === null) return 0
  const parts = Object.values(data)
  return parts.reduce<number>(
    (sum, part) => sum + namesIn(part),
    Array.isArray(data) ? 0 : parts.length
  )
}

/** Errors: `document_invalid` with the probable encoding, and the place of the first wrong byte. */
export function utf8In(name: string, bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = buffer.toString()
  const isWide = /^(?:fffe|feff|00|..00)/.test(buffer.toString('hex', 0, 2))
  if (!isWide && isUtf8(buffer)) return text
  let [at, byte, isRight] = [0, 0, !isWide]
  while (isRight) {
    const next = text.indexOf('\uFFFD', at)
    byte += Buffer.byteLength(text.slice(at, next))
    // what is right may have the character that stands for a wrong byte
    isRight = buffer.toString('hex', byte, byte + 3) === 'efbfbd'
    at = isRight ? next + 1 : next
    if (isRight) byte += 3
  }
  const before = text.slice(0, at).split('\n')
  const place = { line: before.length, column: (before.at(-1) as string).length + 1 }
  throw documentInvalid([{ file: name, path: '', ...say('not_utf8', isWide, byte + 1), ...place }])
}
