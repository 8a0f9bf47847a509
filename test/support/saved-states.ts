/** The documents in a test's data folders. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { textsOf, type Written } from '../../src/sandbox/saved/document.js'
import type { SavedState } from '../../src/sandbox/state.js'
import type { Json } from './json.js'

/** The text of a document. */
export const documentText = (written: Written): string => [...textsOf(written)].join('')

/** The text of the state in it. */
export const stateText = (state: SavedState): string =>
  documentText({ first: { ...state, scenario: { name: 'test', description: null } } })

/** A sandbox's document; null for the base sandbox. */
export const documentIn = async (folder: string, name: string | null = null): Promise<Json> =>
  JSON.parse(
    await readFile(
      name === null ? join(folder, 'base.json') : join(folder, 'sandboxes', `${name}.json`),
      'utf8'
    )
  )

/** All documents, the base sandbox first. */
export async function documentsIn(folder: string): Promise<Json[]> {
  const files = (await readdir(join(folder, 'sandboxes'))).sort()
  const named = files
    .filter(file => file.endsWith('.json'))
    .map(file => documentIn(folder, file.slice(0, -5)))
  return Promise.all([documentIn(folder), ...named])
}
