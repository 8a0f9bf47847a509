/** Documents as they are written: YAML or JSON text, read with the place of each part. */
import { isUtf8 } from 'node:buffer'
import { ApiError } from '../../core/errors.js'
import { partAt, type Step } from '../../core/places.js'
import type { Said } from '../../core/sentences.js'
import { visible } from '../../core/visible.js'
import { losesCharacters, type WrittenNumber } from './numbers.js'
import {
  DEFAULT_LIMITS,
  type DocumentLimits,
  documentInvalid,
  MAX_YAML,
  type Place,
  type Wanted
} from './refusal.js'
import { say } from './sentences.js'

export type SourceDocument = {
  /** The file's name, or where else the document came from. */
  name: string
  data: unknown
  limits: DocumentLimits
  locate: (wanted: readonly Wanted[]) => Promise<readonly (Place | null)[]>
  /** Those that are not printed as they are written. */
  numbers?: readonly WrittenNumber[]
  /** The schema that the data is known to match. */
  checkedAs?: DocumentKind
}
export type TextType = 'json' | 'yaml'
export type DocumentKind = 'fixture' | 'scenario' | 'script'

/** Levels of a document: none of ours has more than a dozen. */
const MAX_NESTING = 64

/** As JSON when it is JSON, else as YAML. Errors: `body_malformed`, `document_invalid`. */
export async function readDocument(
  name: string,
  text: string,
  { limits = DEFAULT_LIMITS, type = null }: { limits?: DocumentLimits; type?: TextType | null } = {}
): Promise<SourceDocument> {
  const refuse = (problems: readonly (Said & Partial<Place>)[]) => {
    if (problems.length > 0)
      throw documentInvalid(problems.map(problem => ({ file: name, path: '', ...problem })))
  }
  const document = { name, limits, locate: locatorIn(text) }
  const isJson = type === 'json' || (type === null && /^\s*[{[]/.test(text))
  const json = isJson ? jsonIn(text, type) : undefined
  if (json !== undefined) {
    const { data } = json
    const size = sizeOf(data)
    refuse(problemsOfSize(size, limits))
    const { names, isLossy } = writtenIn(json.text)
    const hasAll = names === size.names
    if (hasAll && (!isLossy || text.length > MAX_YAML)) return { ...document, data }
    if (text.length > MAX_YAML) refuse([say('names_twice')])
  }
  const { data, problems, numbers, locate } = await yamlIn(text)
  refuse(problems)
  refuse(problemsOfSize(sizeOf(data), limits).map(problem => ({ ...problem, line: 1, column: 1 })))
  return { name, data, numbers, limits, locate: async wanted => locate(wanted) }
}

/** The part of a document at a place, as a document. */
export const below = (document: SourceDocument, under: readonly Step[]): SourceDocument => ({
  ...document,
  numbers: (document.numbers ?? [])
    .filter(({ steps }) => under.every((step, nth) => steps[nth] === step))
    .map(({ steps, source }) => ({ source, steps: steps.slice(under.length) })),
  data: partAt(document.data, under),
  locate: wanted =>
    document.locate(wanted.map(part => ({ ...part, steps: [...under, ...part.steps] })))
})

export function locatorIn(text: string): SourceDocument['locate'] {
  let reading: ReturnType<typeof yamlIn> | undefined
  return async wanted => {
    reading ??= yamlIn(text)
    return (await reading).locate(wanted)
  }
}

const yamlIn = async (text: string) => (await import('./yaml.js')).readYaml(text)

/** Undefined where it is not JSON. Errors: `body_malformed` where nothing else may be sent. */
function jsonIn(text: string, type: TextType | null): { text: string; data: unknown } | undefined {
  try {
    return { text, data: JSON.parse(text) }
  } catch (error) {
    if (type === 'json')
      throw new ApiError('body_malformed', {
        message: `The body is not JSON: ${visible((error as Error).message)}.`
      })
    return undefined
  }
}

type Size = { values: number; names: number; isTooDeep: boolean }

function sizeOf(data: unknown): Size {
  const size = { values: 0, names: 0, isTooDeep: false }
  const add = (value: unknown, levels: number): void => {
    size.values++
    if (typeof value !== 'object' || value === null || size.isTooDeep) return
    if (levels === 0) size.isTooDeep = true
    else if (Array.isArray(value)) for (const item of value) add(item, levels - 1)
    else
      for (const part of Object.values(value)) {
        size.names++
        add(part, levels - 1)
      }
  }
  add(data, MAX_NESTING)
  return size
}

function problemsOfSize({ values, isTooDeep }: Size, limits: DocumentLimits): Said[] {
  const most = limits['limits.values']
  if (isTooDeep) return [say('too_deep', MAX_NESTING)]
  return values > most ? [say('too_many_values', most)] : []
}

/** What JSON has outside its texts: its names, each as often as it is given, and its numbers. */
function writtenIn(json: string): { names: number; isLossy: boolean } {
  const bare = json.replace(/"(?:[^"\\]|\\.)*"/g, '')
  return {
    names: bare.match(/:/g)?.length ?? 0,
    isLossy: bare.match(/-?\d[\d.eE+-]*/g)?.some(losesCharacters) ?? false
  }
}

/** Errors: `document_invalid` with the probable encoding, and the place of the first wrong byte. */
export function utf8In(name: string, bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = buffer.toString()
  const isWide = /^(?:fffe|feff|00|..00)/.test(buffer.toString('hex', 0, 2))
  if (!isWide && isUtf8(buffer)) return text
  // other bytes stand in the place of wrong ones
  const replaced = Buffer.from(text)
  let at = 0
  while (!isWide && replaced[at] === buffer[at]) at++
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const right = decoder.decode(buffer.subarray(0, at), { stream: true })
  const lines = right.split('\n')
  const place = { line: lines.length, column: (lines.at(-1) as string).length + 1 }
  const said = say('not_utf8', isWide, Buffer.byteLength(right) + 1)
  throw documentInvalid([{ file: name, path: '', ...said, ...place }])
}
