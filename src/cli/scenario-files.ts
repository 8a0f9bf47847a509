/** The files that `validate` and `check` are given: files, folders and patterns. */
import { stat } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import { glob, isDynamicPattern } from 'tinyglobby'
import type { Library } from '../scenario/library.js'
import { isScenarioOrFixture } from '../scenario/scenario.js'

/** `isSearched` says that the file was found in a folder or by a pattern, where other files may be too. */
export type ScenarioFile = { file: string; isSearched: boolean }
/** Files to look at, each once, and why a folder or pattern gives none. */
export type FoundFiles = { files: ScenarioFile[]; problems: { place: string; message: string }[] }

const ENDINGS = '**/*.{yaml,yml,json}'
const IGNORED = ['**/node_modules/**']

/** Finds the files of each place: a file as it is, those of a folder that end in .yaml, .yml or .json, and those that match a pattern. */
export async function scenarioFiles(places: readonly string[]): Promise<FoundFiles> {
  const files = new Map<string, ScenarioFile>()
  const problems: FoundFiles['problems'] = []
  for (const place of places) {
    const found = await stat(place).catch(() => null)
    const isPattern = found === null && isDynamicPattern(place)
    if (!isPattern && !found?.isDirectory()) {
      files.set(resolve(place), { file: place, isSearched: false })
      continue
    }
    const paths = isPattern
      ? await glob(place, { expandDirectories: false, ignore: IGNORED })
      : (await glob(ENDINGS, { cwd: place, absolute: true, ignore: IGNORED })).map(path => under(place, path))
    if (paths.length === 0) {
      problems.push({ place, message: isPattern ? 'no file matches this pattern' : 'the folder holds no file that ends in .yaml, .yml or .json' })
    }
    for (const file of paths.sort()) if (!files.has(resolve(file))) files.set(resolve(file), { file, isSearched: true })
  }
  return { files: [...files.values()], problems }
}

/** A path as the person wrote the beginning of it. */
const under = (folder: string, path: string) => `${folder.replace(/\/+$/, '')}/${relative(folder, path)}`

/** What is said of a file that was found in a folder and is left out. */
export const NO_SCENARIO = 'left out: it is no scenario and no fixture'

/** Whether a file that was found in a folder is something else than a scenario or a fixture; one that cannot be read is looked at further. */
export async function isSomethingElse({ file, isSearched }: ScenarioFile, library: Library): Promise<boolean> {
  if (!isSearched) return false
  const document = await library.file(file).catch(() => null)
  return document !== null && !isScenarioOrFixture(document.data)
}
