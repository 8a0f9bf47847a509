/** `commerce-emulator validate FILE…`: checks scenarios, fixtures and files of shared script entries, without opening a port. */
import type { Problem } from '../core/errors.js'
import { settingsInForce } from '../core/settings.js'
import { visible } from '../core/visible.js'
import { playIn } from '../engine/play.js'
import { type CheckedFile, isFailed, NOTHING_FOUND, withFailure } from '../reports/points.js'
import { countOf } from '../reports/sentences.js'
import { type LoadOptions, Sandbox } from '../sandbox/sandbox.js'
import { problemLine } from '../scenario/documents.js'
import { Library } from '../scenario/library.js'
import type { Launch } from '../scenario/scenario.js'
import { checkSharedScript, isSharedScript } from '../scenario/shared-script.js'
import { type GivenVariables, unknownVariable } from '../scenario/variables.js'
import { problemsOf } from './failures.js'
import { scenarioFiles } from './scenario-files.js'
import { say } from './sentences.js'

/** Each of `vars` has to be a variable of at least one of the files. */
type Validation = { launch: Launch; vars?: GivenVariables | undefined }

/** Writes a line for each problem, warning and file. Returns what was found of each file, and of `vars`. */
export async function validate(places: readonly string[], { launch, vars }: Validation, write: (line: string) => void): Promise<CheckedFile[]> {
  const settings = settingsInForce(launch).values
  const library = new Library({ fixtures: settings.fixtures_dir, scenarios: settings.scenarios_dir }, settings)
  const known = new Set<string>()
  const checked: CheckedFile[] = []
  const add = (file: string, problems: readonly Problem[], result: string, leftOut: string | null = null) => {
    for (const problem of problems) write(visible(problemLine(problem)))
    write(`${visible(file)}: ${result}`)
    const point = { ...say('valid'), file, problems, ms: 0 }
    checked.push({ ...NOTHING_FOUND, file, points: leftOut === null ? [point] : [], leftOut })
  }
  for await (const { file, leftOut, problem } of scenarioFiles(places, library, { withShared: true })) {
    if (problem !== null) add(file, [{ file, path: '', message: problem }], countOf(1, 'problem'))
    else if (leftOut !== null) add(file, [], leftOut, leftOut)
    else {
      const warnings: Problem[] = []
      const problems = await problemsIn(file, { library, launch, warn: found => void warnings.push(...found), vars: vars && { ...vars, known } })
      for (const warning of warnings) write(visible(`warning: ${problemLine(warning)}`))
      const warned = warnings.length === 0 ? '' : `, ${countOf(warnings.length, 'warning')}`
      add(file, problems, problems.length === 0 ? `valid${warned}` : countOf(problems.length, 'problem'))
    }
  }
  if (checked.length > 1) write(summaryOf(checked))
  const areValid = !checked.some(({ points }) => points.some(isFailed))
  for (const name of Object.keys(vars?.values ?? {})) {
    if (known.has(name) || !areValid) continue
    const [title, message] = [say('var', name), unknownVariable(name, [...known])]
    write(visible(`${title.message}: ${message}`))
    checked.push(withFailure(title.message, title, { path: '', message }))
  }
  return checked
}

/** `5 files: 3 valid, 1 with 4 problems, 1 left out`. */
function summaryOf(checked: readonly CheckedFile[]): string {
  const broken = checked.filter(({ points }) => points.some(isFailed))
  const leftOut = checked.filter(file => file.leftOut !== null).length
  const problems = broken.flatMap(({ points }) => points.flatMap(point => point.problems)).length
  const parts = [
    `${checked.length - broken.length - leftOut} valid`,
    broken.length > 0 && `${broken.length} with ${countOf(problems, 'problem')}`,
    leftOut > 0 && `${leftOut} left out`
  ]
  return `\n${countOf(checked.length, 'file')}: ${parts.filter(Boolean).join(', ')}`
}

async function problemsIn(
  file: string,
  { library, launch, vars, warn }: Validation & { library: Library } & Pick<LoadOptions, 'warn'>
): Promise<readonly Problem[]> {
  try {
    const sandbox = new Sandbox({ library, launch, machine: Date.now })
    const document = await library.file(file)
    if (isSharedScript(document.data)) await checkSharedScript(document, vars)
    else await sandbox.load(document, { name: file, file }, { dryRun: true, play: playIn, variables: vars, warn })
    return []
  } catch (error) {
    return problemsOf(error as Error)
  }
}
