/** Data folders of a test: what their documents hold. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { textsOf, type Written } from '../../src/sandbox/saved/document.js'
import type { SavedState } from '../../src/sandbox/state.js'
import type { Json } from './json.js'

/** The text of a document. */
export const documentText = (written: Written): string => [...textsOf(written)].join('')

/** The text of a state alone. */
export const stateText = (state: SavedState): string =>
  documentText({ first: { ...state, scenario: { name: 'test', description: null } } })

/** Of a sandbox; null is the one at the base address. */
export const documentIn = async (folder: string, name: string | null = null): Promise<Json> =>
  JSON.parse(
    await readFile(
      name === null ? join(folder, 'base.json') : join(folder, 'sandboxes', `${name}.json`),
      'utf8'
    )
  )

/** All of them, the one at the base address first. */
export async function documentsIn(folder: string): Promise<Json[]> {
  const files = (await readdir(join(folder, 'sandboxes'))).sort()
  const named = files
    .filter(file => file.endsWith('.json'))
    .map(file => documentIn(folder, file.slice(0, -5)))
  return Promise.all([documentIn(folder), ...named])
}
