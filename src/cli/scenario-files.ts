/** The files that `validate` and `check` read. */
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { isAbsolute, relative, resolve } from 'node:path'
import { glob, isDynamicPattern } from 'tinyglobby'
import { withoutSlashes } from '../core/paths.js'
import { settingsInForce } from '../core/settings.js'
import { type CheckedFile, isFailed, NOTHING_FOUND, withFailure } from '../reports/points.js'
import { Library } from '../scenario/library.js'
import { isScenarioOrFixture } from '../scenario/loading.js'
import type { Launch } from '../scenario/scenario.js'
import { isSharedScript } from '../scenario/script/shared-script.js'
import { say as sayOfDocument } from '../scenario/sentences.js'
import { SAYS, say } from './sentences.js'

/** `names` are those of `--var`, each of which some file must know; `withShared` includes groups. */
type Files = { launch: Launch; names: readonly string[]; withShared?: boolean }
type CheckFile = (
  file: string,
  library: Library,
  known: Set<string>
) => Promise<Partial<CheckedFile>>

const ENDINGS = '**/*.{yaml,yml,json}'
const IGNORED = ['**/node_modules/**']

/**
 * Files of each place, deduplicated; otherwise the scenario or fixture of that name. Other documents
 * in a folder are left out; a place without a file is a failure.
 */
export async function checkFiles(
  places: readonly string[],
  { launch, names, withShared = false }: Files,
  checkFile: CheckFile
): Promise<CheckedFile[]> {
  const library = Library.from(settingsInForce(launch).values)
  const checked: CheckedFile[] = []
  const seen = new Set<string>()
  const known = new Set<string>()
  for (const place of places) {
    const { files, isSearched, isPattern } = await filesAt(
      existsSync(place) ? place : (library.pathOf(place) ?? place),
      ENDINGS
    )
    let isEmpty = true
    for (const file of files) {
      const leftOut = isSearched ? await whyLeftOut(file, library, withShared) : null
      isEmpty &&= leftOut !== null
      if (seen.size === seen.add(resolve(file)).size) continue
      checked.push({
        ...NOTHING_FOUND,
        file,
        leftOut,
        ...(leftOut === null && (await checkFile(file, library, known)))
      })
    }
    const why = files.length > 0 ? say('no_scenario', isPattern) : say('no_files', isPattern)
    if (isEmpty)
      checked.push(withFailure(place, say('file_exists'), { path: '', file: place, ...why }))
  }
  // the names of an invalid file are unknown
  const isInvalid = checked.some(({ points }) =>
    points.some(point => isFailed(point) && point.code === 'valid')
  )
  return isInvalid ? checked : [...checked, ...unknownNames(names, known)]
}

const unknownNames = (names: readonly string[], known: ReadonlySet<string>): CheckedFile[] =>
  names
    .filter(name => !known.has(name))
    .map(name => {
      const title = say('var', name)
      const problem = sayOfDocument('unknown_variable', name, [...known])
      return withFailure(title.message, title, { path: title.message, ...problem })
    })

/** Matches of a pattern, files of a folder, or what is named. */
export async function filesAt(
  place: string,
  endings: string
): Promise<{ files: string[]; isSearched: boolean; isPattern: boolean }> {
  const stats = await stat(place).catch(() => null)
  const isPattern = stats === null && isDynamicPattern(place)
  if (!isPattern && !stats?.isDirectory()) return { files: [place], isSearched: false, isPattern }
  const paths = isPattern
    ? await glob(place, { absolute: isAbsolute(place), expandDirectories: false, ignore: IGNORED })
    : await glob(endings, { cwd: place, absolute: true, ignore: IGNORED })
  // paths begin as the place does
  const files = isPattern
    ? paths
    : paths.map(path => `${withoutSlashes(place)}/${relative(place, path)}`)
  return { files: files.sort(), isSearched: true, isPattern }
}

/** Null for a file to check, and for one that cannot be read, which fails later. */
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
