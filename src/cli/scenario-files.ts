/** The files that `validate` and `check` read. */
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { resolve, sep } from 'node:path'
import { withoutSlashes } from '../core/paths.js'
import { settingsInForce } from '../core/settings.js'
import { type CheckedFile, isFailed, NOTHING_FOUND, withFailure } from '../reports/points.js'
import { Library } from '../scenario/library.js'
import type { Launch } from '../scenario/scenario.js'
import { say as sayOfDocument } from '../scenario/sentences.js'
import { isScenarioOrFixture, kindOf } from '../scenario/shape/scenario.js'
import { SAYS, say } from './sentences.js'

/** `names` are those of `--var`, each of which some file must know; `withShared` includes groups. */
type Files = { launch: Launch; names: readonly string[]; withShared?: boolean }
type CheckFile = (
  file: string,
  library: Library,
  known: Set<string>
) => Promise<Partial<CheckedFile>>

const ENDING = /\.(ya?ml|json)$/

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
    const path = existsSync(place) ? place : (library.pathOf(place) ?? place)
    const files = await filesIn(path)
    let isEmpty = true
    for (const file of files ?? [path]) {
      const leftOut = files ? await whyLeftOut(file, library, withShared) : null
      isEmpty &&= leftOut !== null
      if (seen.size === seen.add(resolve(file)).size) continue
      checked.push({
        ...NOTHING_FOUND,
        file,
        leftOut,
        ...(leftOut === null && (await checkFile(file, library, known)))
      })
    }
    if (isEmpty) {
      const problem = { path: '', file: place, ...say('no_scenario') }
      checked.push(withFailure(place, say('file_exists'), problem))
    }
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

/** The files of a folder, as paths that begin as its own does; null for anything else. */
async function filesIn(folder: string): Promise<string[] | null> {
  const paths = await readdir(folder, { recursive: true }).catch(() => null)
  return (
    paths
      ?.filter(path => ENDING.test(path) && !path.split(sep).includes('node_modules'))
      .map(path => `${withoutSlashes(folder)}/${path}`)
      .sort() ?? null
  )
}

/** Null for a file to check, and for one that cannot be read, which fails later. */
async function whyLeftOut(
  file: string,
  library: Library,
  withShared: boolean
): Promise<string | null> {
  const document = await library.file(file).catch(() => null)
  if (document === null) return null
  if (kindOf(document.data) === 'script') return withShared ? null : SAYS.shared_script()
  return isScenarioOrFixture(document.data) ? null : SAYS.other_document()
}
