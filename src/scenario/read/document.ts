/** Reads documents, YAML or JSON, with the place of each part. */
import { isUtf8 } from 'node:buffer'
import { ApiError } from '../../core/errors.js'
import { type Said, visible } from '../../core/sentences.js'
import {
  DEFAULT_LIMITS,
  type DocumentLimits,
  documentInvalid,
  type Located,
  MAX_YAML,
  type Place
} from '../documents.js'
import { say } from '../sentences.js'
import { losesCharacters } from './numbers.js'

export type TextType = 'json' | 'yaml'
export type ReadOptions = { limits?: DocumentLimits; type?: TextType | undefined }
export type ReadText = typeof readDocument

/** Levels; none of our documents has more than a dozen. */
const MAX_NESTING = 64

/** JSON where it is that, else YAML. Errors: `body_malformed`, `document_invalid`. */
export async function readDocument(
  name: string,
  text: string,
  { limits = DEFAULT_LIMITS, type }: ReadOptions = {}
): Promise<Located> {
  const refuse = (problems: readonly (Said & Partial<Place>)[]) => {
    if (problems.length > 0)
      throw documentInvalid(problems.map(problem => ({ file: name, path: '', ...problem })))
  }
  const isJson = type === 'json' || (type === undefined && /^\s*[{[]/.test(text))
  const json = isJson ? jsonIn(text, type) : undefined
  if (json !== undefined) {
    const { names, problems } = sizeOf(json, limits)
    refuse(problems)
    // parsed JSON has lost names that are written twice
    const bare = text.replaceAll(/\\./g, '').replaceAll(/"[^"]*"/g, '')
    const hasAll = names === (bare.match(/:/g)?.length ?? 0)
    const isLossy = bare.match(/-?\d[\d.eE+-]*/g)?.some(losesCharacters) ?? false
    if (hasAll && (!isLossy || text.length > MAX_YAML))
      return { name, data: json, placesOf: locatorIn(text) }
    if (text.length > MAX_YAML) refuse([say('names_twice')])
  }
  const { data, problems, numbers, locate } = await yamlIn(text)
  refuse(problems)
  refuse(sizeOf(data, limits).problems)
  return { name, data, numbers, placesOf: async parts => locate(parts) }
}

/** Of JSON: reads it again, when a place is wanted. */
export function locatorIn(text: string): Located['placesOf'] {
  let reading: ReturnType<typeof yamlIn> | undefined
  return async parts => {
    reading ??= yamlIn(text)
    return (await reading).locate(parts)
  }
}

const yamlIn = async (text: string) => (await import('./yaml.js')).readYaml(text)

/** Undefined for YAML. */
function jsonIn(text: string, type: TextType | undefined): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (type !== 'json') return undefined
    throw new ApiError('body_malformed', {
      message: `The body is not JSON: ${visible((error as Error).message)}.`
    })
  }
}

function sizeOf(data: unknown, { 'limits.values': most }: DocumentLimits) {
  let [values, names, isTooDeep] = [0, 0, false]
  const add = (value: unknown, levels: number): void => {
    values++
    if (typeof value !== 'object' || value === null || isTooDeep) return
    const parts = Array.isArray(value) ? value : Object.values(value)
    if (parts !== value) names += parts.length
    if (levels === 0) isTooDeep = true
    else for (const part of parts) add(part, levels - 1)
  }
  add(data, MAX_NESTING)
  const problems = values > most ? [say('too_many_values', most)] : []
  return { names, problems: isTooDeep ? [say('too_deep', MAX_NESTING)] : problems }
}

/** Errors: `document_invalid` with the probable encoding, and the place of the first wrong byte. */
export function utf8In(name: string, bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = buffer.toString()
  const isWide = /^(?:fffe|feff|00|..00)/.test(buffer.toString('hex', 0, 2))
  if (!isWide && isUtf8(buffer)) return text
  // decoding replaces wrong bytes
  const replaced = Buffer.from(text)
  const index = isWide ? 0 : buffer.findIndex((byte, nth) => byte !== replaced[nth])
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const right = decoder.decode(buffer.subarray(0, index), { stream: true })
  const lines = right.split('\n')
  const place = { line: lines.length, column: right.length - right.lastIndexOf('\n') }
  const problem = say('not_utf8', isWide, Buffer.byteLength(right) + 1)
  throw documentInvalid([{ file: name, path: '', ...problem, ...place }])
}
