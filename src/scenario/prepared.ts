/** The package's documents as the build read and checked them, so that a start does not. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type DocumentKind, locatorIn, type SourceDocument } from './read/document.js'
import type { DocumentLimits } from './read/refusal.js'

type Prepared = { checkedAs: DocumentKind; data: unknown }
const FOLDER = fileURLToPath(new URL('../../dist/documents/', import.meta.url))

/** A text changed since the build has another name, and is read as any other. */
export const preparedName = (text: string): string =>
  `${createHash('sha256').update(text).digest('hex')}.json`

export function preparedDocument(
  name: string,
  text: string,
  limits: DocumentLimits
): SourceDocument | null {
  try {
    const prepared: Prepared = JSON.parse(readFileSync(FOLDER + preparedName(text), 'utf8'))
    return { name, limits, locate: locatorIn(text, limits), ...prepared }
  } catch {
    return null
  }
}
