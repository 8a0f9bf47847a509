/** `commerce-emulator validate FILE…`: checks scenarios, fixtures and files of shared script entries without starting anything. */
import type { Problem } from '../core/errors.js'
import { settingsInForce } from '../core/settings.js'
import { Sandbox } from '../sandbox/sandbox.js'
import { problemLine } from '../scenario/documents.js'
import { Library } from '../scenario/library.js'
import type { Launch } from '../scenario/scenario.js'
import { checkSharedScript, isSharedScript } from '../scenario/shared-script.js'
import { type GivenVariables, unknownVariable } from '../scenario/variables.js'
import { problemsOf } from './failures.js'
import { visible } from './terminal.js'

/**
 * Checks each file and writes a line for each problem and each warning. A variable that `vars` gives a value to has to be one of any of the files.
 * Returns whether all files are valid.
 */
export async function validate(files: readonly string[], launch: Launch, write: (line: string) => void, vars?: GivenVariables): Promise<boolean> {
  const settings = settingsInForce(launch).values
  const library = new Library({ fixtures: settings.fixtures_dir, scenarios: settings.scenarios_dir }, settings)
  const known = new Set<string>()
  let allValid = true
  for (const file of files) {
    const warnings: Problem[] = []
    const warn = (found: readonly Problem[]) => void warnings.push(...found)
    const problems = await problemsIn(file, { library, launch, warn, vars: vars && { ...vars, known } })
    for (const problem of problems) write(visible(problemLine(problem)))
    for (const warning of warnings) write(visible(`warning: ${problemLine(warning)}`))
    write(problems.length === 0 ? `${file}: valid${counted(warnings.length, 'warning', ', ')}` : `${file}: ${counted(problems.length, 'problem')}`)
    allValid &&= problems.length === 0
  }
  for (const name of Object.keys(vars?.values ?? {})) {
    if (known.has(name) || !allValid) continue
    write(visible(`--var ${name}: ${unknownVariable(name, [...known])}`))
    allValid = false
  }
  return allValid
}

/** `1 problem`, `2 problems`, with a text before it; nothing where there is none. */
const counted = (count: number, what: string, before = '') => (count === 0 ? '' : `${before}${count} ${what}${count === 1 ? '' : 's'}`)

type Checking = { library: Library; launch: Launch; warn: (found: readonly Problem[]) => void; vars: GivenVariables | undefined }

async function problemsIn(file: string, { library, launch, warn, vars }: Checking): Promise<readonly Problem[]> {
  try {
    const sandbox = new Sandbox({ library, launch, machine: Date.now })
    const document = await library.file(file)
    if (isSharedScript(document.data)) await checkSharedScript(document, vars)
    else await sandbox.load(document, { name: file, file }, { dryRun: true, variables: vars, warn })
    return []
  } catch (error) {
    return problemsOf(error as Error)
  }
}
