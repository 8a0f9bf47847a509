/** The files that `validate` and `check` are given: files, folders and patterns. */
import { stat } from 'node:fs/promises'
import { isAbsolute, relative, resolve } from 'node:path'
import { glob, isDynamicPattern } from 'tinyglobby'
import type { Library } from '../scenario/library.js'
import { isScenarioOrFixture } from '../scenario/scenario.js'
import { isSharedScript } from '../scenario/shared-script.js'
import { SAYS } from './sentences.js'

/** A file, why one that was found in a folder is left out, or why a place gives no file. */
export type ScenarioFile = { file: string; leftOut: string | null; problem: string | null }

const ENDINGS = '**/*.{yaml,yml,json}'
const IGNORED = ['**/node_modules/**']

/**
 * The files of each place, each once: a file as it is, those of a folder that end in .yaml, .yml or .json, and those that match a pattern. Files of a folder
 * or pattern that are not scenarios are left out, and files of shared script entries unless `withShared`; a place with no file left is a problem.
 */
export async function* scenarioFiles(places: readonly string[], library: Library, { withShared = false } = {}): AsyncGenerator<ScenarioFile, void> {
  const seen = new Set<string>()
  for (const place of places) {
    const found = await stat(place).catch(() => null)
    const isPattern = found === null && isDynamicPattern(place)
    const isSearched = isPattern || found?.isDirectory() === true
    const files = isSearched ? await filesIn(place, isPattern) : [place]
    let isEmpty = true
    for (const file of files) {
      const leftOut = isSearched ? await whyLeftOut(file, library, withShared) : null
      isEmpty &&= leftOut !== null
      if (seen.size < seen.add(resolve(file)).size) yield { file, leftOut, problem: null }
    }
    if (isEmpty) yield { file: place, leftOut: null, problem: files.length > 0 ? SAYS.no_scenario(isPattern) : SAYS.no_files(isPattern) }
  }
}

async function filesIn(place: string, isPattern: boolean): Promise<string[]> {
  if (isPattern) return (await glob(place, { absolute: isAbsolute(place), expandDirectories: false, ignore: IGNORED })).sort()
  const paths = await glob(ENDINGS, { cwd: place, absolute: true, ignore: IGNORED })
  // a path as the person wrote the beginning of it
  return paths.map(path => `${place.replace(/\/+$/, '')}/${relative(place, path)}`).sort()
}

/** Null for a scenario, a fixture, and a file that cannot be read: that is found out later. */
async function whyLeftOut(file: string, library: Library, withShared: boolean): Promise<string | null> {
  const document = await library.file(file).catch(() => null)
  if (document === null) return null
  if (isSharedScript(document.data)) return withShared ? null : SAYS.shared_script()
  return isScenarioOrFixture(document.data) ? null : SAYS.other_document()
}
