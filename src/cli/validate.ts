/** `commerce-emulator validate FILE…`: checks scenarios and fixtures without starting anything. */
import type { Problem } from '../core/errors.js'
import { settingsInForce } from '../core/settings.js'
import { Sandbox } from '../sandbox/sandbox.js'
import { problemLine } from '../scenario/documents.js'
import { Library } from '../scenario/library.js'
import type { Launch } from '../scenario/scenario.js'
import { type CheckedFile, isFailed } from './check/points.js'
import { problemsOf } from './failures.js'
import { NO_SCENARIO, scenarioFiles } from './scenario-files.js'
import { visible } from './terminal.js'

/** Checks the files of each place and writes a line for each problem, and one for each file. Returns what was found of each file. */
export async function validate(places: readonly string[], launch: Launch, write: (line: string) => void): Promise<CheckedFile[]> {
  const settings = settingsInForce(launch).values
  const library = new Library({ fixtures: settings.fixtures_dir, scenarios: settings.scenarios_dir }, settings)
  const checked: CheckedFile[] = []
  const add = (file: string, problems: readonly Problem[], leftOut: string | null = null) => {
    for (const problem of problems) write(visible(problemLine(problem)))
    write(`${visible(file)}: ${leftOut ?? (problems.length === 0 ? 'valid' : countOf(problems.length, 'problem'))}`)
    const point = { file, title: 'the document is valid', problems: [...problems], ms: 0 }
    checked.push({ file, points: leftOut === null ? [point] : [], leftOut, notes: [], settings: {} })
  }
  for await (const { file, isLeftOut, problem } of scenarioFiles(places, library)) {
    if (problem !== null) add(file, [{ file, path: '', message: problem }])
    else if (isLeftOut) add(file, [], NO_SCENARIO)
    else add(file, await problemsIn(file, library, launch))
  }
  if (checked.length > 1) write(summaryOf(checked))
  return checked
}

const countOf = (count: number, one: string) => `${count} ${count === 1 ? one : `${one}s`}`

/** `5 files: 3 valid, 1 with 4 problems, 1 left out`. */
function summaryOf(checked: readonly CheckedFile[]): string {
  const broken = checked.filter(({ points }) => points.some(isFailed))
  const leftOut = checked.filter(file => file.leftOut !== null).length
  const problems = broken.reduce((sum, { points }) => sum + (points[0]?.problems.length ?? 0), 0)
  const parts = [
    `${checked.length - broken.length - leftOut} valid`,
    broken.length > 0 && `${broken.length} with ${countOf(problems, 'problem')}`,
    leftOut > 0 && `${leftOut} left out`
  ]
  return `\n${countOf(checked.length, 'file')}: ${parts.filter(Boolean).join(', ')}`
}

async function problemsIn(file: string, library: Library, launch: Launch): Promise<readonly Problem[]> {
  try {
    await new Sandbox({ library, launch, machine: Date.now }).load(await library.file(file), { name: file, file }, { dryRun: true })
    return []
  } catch (error) {
    return problemsOf(error as Error)
  }
}
