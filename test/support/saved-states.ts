/** The documents in a test's data folders. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { savedData } from '../../src/sandbox/saved/document.js'
import type { SavedSandbox, SavedState } from '../../src/sandbox/state.js'
import type { Json } from './json.js'

/** The text of a document. */
export const documentText = (sandbox: SavedSandbox): string => JSON.stringify(savedData(sandbox))

const REST = {
  scenario: { name: 'test', description: null },
  expectations: [],
  steps: [],
  play: [],
  responses: new Map()
}

/** The text of the state in it. */
export const stateText = (state: SavedState): string =>
  documentText({ first: { ...state, ...REST }, requests: 0, state })

export const fileIn = (folder: string, name: string | null = null): string =>
  join(folder, `${name ?? '_base'}.json`)

/** With the name of its sandbox. */
export const documentIn = async (folder: string, name: string | null = null): Promise<Json> => ({
  name,
  ...JSON.parse(await readFile(fileIn(folder, name), 'utf8'))
})

/** That of the base address first. */
export async function documentsIn(folder: string): Promise<Json[]> {
  const names = (await readdir(folder))
    .filter(file => file.endsWith('.json') && file !== '_base.json')
    .map(file => file.slice(0, -5))
    .sort()
  return Promise.all([null, ...names].map(name => documentIn(folder, name)))
}
