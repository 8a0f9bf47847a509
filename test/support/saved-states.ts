/** The documents in a test's data folders. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stateData, textOf } from '../../src/sandbox/saved/document.js'
import type { SavedSandbox, SavedState } from '../../src/sandbox/state.js'
import type { Json } from './json.js'

export async function documentText(sandbox: SavedSandbox): Promise<string> {
  let text = ''
  for await (const piece of textOf(sandbox)) text += piece
  return text
}

export const stateText = (state: SavedState): string => JSON.stringify(stateData(state))

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
