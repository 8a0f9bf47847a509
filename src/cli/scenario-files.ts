/**
 * The files that `validate` and `check` are given: files, folders, patterns, and names of scenarios
 * and fixtures.
 */
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { isAbsolute, relative, resolve } from 'node:path'
import { glob, isDynamicPattern } from 'tinyglobby'
import { settingsInForce } from '../core/settings.js'
import { type CheckedFile, isFailed, NOTHING_FOUND, withFailure } from '../reports/points.js'
import { SAYS as DOCUMENT_SAYS } from '../scenario/document-sentences.js'
import { Library } from '../scenario/library.js'
import { isScenarioOrFixture, type Launch } from '../scenario/scenario.js'
import { isSharedScript } from '../scenario/shared-script.js'
import type { Progress } from './progress.js'
import { SAYS, say } from './sentences.js'

/**
 * `names` are those that `--var` gives values to, each of which some file has to know; `withShared`
 * takes files of shared script entries as well.
 */
type Files = {
  launch: Launch
  names: readonly string[]
  withShared?: boolean
  onProgress?: Progress | undefined
}
/**
 * What is found of a file, whose variables are added to those that are known; `isAlone` where its
 * place has no other.
 */
type CheckFile = (
  file: string,
  library: Library,
  known: Set<string>,
  isAlone: boolean
) => Promise<Partial<CheckedFile>>

export function libraryOf(launch: Launch): Library {
  const { values } = settingsInForce(launch)
  return new Library({ fixtures: values.fixtures_dir, scenarios: values.scenarios_dir }, values)
}

const ENDINGS = '**/*.{yaml,yml,json}'
const IGNORED = ['**/node_modules/**']

/**
 * The files of each place, once: a file, those of a folder or that match a pattern, else the
 * scenario or fixture with that name. Files of a folder or pattern that are not scenarios are left
 * out; a place with none is a failure.
 */
export async function checkFiles(
  places: readonly string[],
  { launch, names, withShared = false, onProgress }: Files,
  checkFile: CheckFile
): Promise<CheckedFile[]> {
  const library = libraryOf(launch)
  const checked: CheckedFile[] = []
  const [seen, known] = [new Set<string>(), new Set<string>()]
  for (const place of places) {
    const { files, isSearched, isPattern } = await filesAt(
      existsSync(place) ? place : (library.named(place) ?? place),
      ENDINGS
    )
    let isEmpty = true
    for (const [index, file] of files.entries()) {
      if (files.length > 1) onProgress?.(place, index, files.length)
      const leftOut = isSearched ? await whyLeftOut(file, library, withShared) : null
      isEmpty &&= leftOut !== null
      if (seen.size === seen.add(resolve(file)).size) continue
      checked.push({
        ...NOTHING_FOUND,
        file,
        leftOut,
        ...(leftOut === null && (await checkFile(file, library, known, files.length === 1)))
      })
    }
    const why = files.length > 0 ? SAYS.no_scenario(isPattern) : SAYS.no_files(isPattern)
    if (isEmpty)
      checked.push(withFailure(place, say('file_exists'), { path: '', file: place, message: why }))
  }
  // what a file knows that is not valid is not known
  if (checked.some(({ points }) => points.some(point => isFailed(point) && point.code === 'valid')))
    return checked
  for (const name of names) {
    const title = say('var', name)
    if (!known.has(name))
      checked.push(
        withFailure(title.message, title, {
          path: title.message,
          message: DOCUMENT_SAYS.unknown_variable(name, [...known])
        })
      )
  }
  return checked
}

/**
 * The files that a pattern matches, those of a folder that have such an ending, or what is named;
 * `isSearched` for the first two.
 */
export async function filesAt(
  place: string,
  endings: string
): Promise<{ files: string[]; isSearched: boolean; isPattern: boolean }> {
  const found = await stat(place).catch(() => null)
  const isPattern = found === null && isDynamicPattern(place)
  if (!isPattern && !found?.isDirectory()) return { files: [place], isSearched: false, isPattern }
  const paths = isPattern
    ? await glob(place, { absolute: isAbsolute(place), expandDirectories: false, ignore: IGNORED })
    : await glob(endings, { cwd: place, absolute: true, ignore: IGNORED })
  // a path as the person wrote the beginning of it
  const files = isPattern
    ? paths
    : paths.map(path => `${place.replace(/(?<!\/)\/+$/, '')}/${relative(place, path)}`)
  return { files: files.sort(), isSearched: true, isPattern }
}

/** Null for a scenario, a fixture, and a file that cannot be read: that is found out later. */
async function whyLeftOut(
  file: string,
  library: Library,
  withShared: boolean
): Promise<string | null> {
  const document = await library.file(file).catch(() => null)
  if (document === null) return null
  if (isSharedScript(document.data)) return withShared ? null : SAYS.shared_script()
  return isScenarioOrFixture(document.data) ? null : SAYS.other_document()
}
