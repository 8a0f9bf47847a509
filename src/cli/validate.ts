/** `commerce-emulator validate FILE…`: checks scenarios and fixtures without starting anything. */
import type { Problem } from '../core/errors.js'
import { settingsInForce } from '../core/settings.js'
import { visible } from '../core/visible.js'
import { Sandbox } from '../sandbox/sandbox.js'
import { problemLine } from '../scenario/documents.js'
import { Library } from '../scenario/library.js'
import type { Launch } from '../scenario/scenario.js'
import { problemsOf } from './failures.js'

/** Checks each file and writes a line for each problem. Returns whether all files are valid. */
export async function validate(files: readonly string[], launch: Launch, write: (line: string) => void): Promise<boolean> {
  const settings = settingsInForce(launch).values
  const library = new Library({ fixtures: settings.fixtures_dir, scenarios: settings.scenarios_dir }, settings)
  let allValid = true
  for (const file of files) {
    const problems = await problemsIn(file, library, launch)
    for (const problem of problems) write(visible(problemLine(problem)))
    write(problems.length === 0 ? `${file}: valid` : `${file}: ${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}`)
    allValid &&= problems.length === 0
  }
  return allValid
}

async function problemsIn(file: string, library: Library, launch: Launch): Promise<readonly Problem[]> {
  try {
    await new Sandbox({ library, launch, machine: Date.now }).load(await library.file(file), { name: file, file }, { dryRun: true })
    return []
  } catch (error) {
    return problemsOf(error as Error)
  }
}
