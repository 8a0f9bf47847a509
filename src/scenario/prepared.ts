/**
 * The package's own documents as the build has read and checked them, so that a start neither reads
 * YAML nor checks it.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type DocumentKind, locatorIn, type SourceDocument } from './documents.js'
import type { DocumentLimits } from './limits.js'

/** What a prepared file holds. */
export type Prepared = { checkedAs: DocumentKind; data: unknown }
const FOLDER = fileURLToPath(new URL('../../dist/documents/', import.meta.url))

/**
 * The name of the file that a text is prepared in. A text that was changed since the build has
 * another name, and is read as any other document.
 */
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
