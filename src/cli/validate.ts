/** `commerce-emulator validate FILE…`: checks documents without opening a port. */
import { Clock } from '../core/clock.js'
import type { Problem } from '../core/errors.js'
import { visible } from '../core/visible.js'
import { playIn } from '../engine/play.js'
import { type CheckedFile, isFailed, type Point } from '../reports/points.js'
import { countOf } from '../reports/sentences.js'
import { loadScenario } from '../sandbox/loading.js'
import { Sandbox } from '../sandbox/sandbox.js'
import type { Library } from '../scenario/library.js'
import { checkSharedScript } from '../scenario/loading.js'
import { problemLine } from '../scenario/read/refusal.js'
import type { Launch } from '../scenario/scenario.js'
import { isSharedScript } from '../scenario/script/shared-script.js'
import type { GivenVariables } from '../scenario/variables.js'
import { problemsOf } from './failures.js'
import type { Progress } from './progress.js'
import { checkFiles } from './scenario-files.js'
import { say } from './sentences.js'

export function validate(
  places: readonly string[],
  {
    launch,
    vars,
    read = new Set(),
    onProgress
  }: {
    launch: Launch
    vars?: GivenVariables | undefined
    read?: Set<string>
    onProgress?: Progress
  }
): Promise<CheckedFile[]> {
  const names = Object.keys(vars?.values ?? {})
  return checkFiles(
    places,
    { launch, names, withShared: true, onProgress },
    async (file, library, known) => {
      const variables = vars && { ...vars, known }
      const { problems, warnings } = await foundIn(file, { library, launch, variables })
      for (const one of library.read) read.add(one)
      return {
        points: [warnings, problems].map(
          (problems, nth): Point => ({
            ...say('valid'),
            file,
            problems,
            ms: 0,
            isWarning: nth === 0
          })
        )
      }
    }
  )
}

async function foundIn(
  file: string,
  {
    library,
    launch,
    variables
  }: { library: Library; launch: Launch; variables?: GivenVariables | undefined }
): Promise<{ problems: readonly Problem[]; warnings: readonly Problem[] }> {
  const warnings: Problem[] = []
  try {
    const sandbox = new Sandbox({ library, launch, machine: Date.now })
    const document = await library.file(file)
    const warn = (found: readonly Problem[]) => void warnings.push(...found)
    if (isSharedScript(document.data))
      await checkSharedScript(document, {
        library,
        launch,
        variables,
        clockFor: start => new Clock(Date.now, start)
      })
    else
      await loadScenario(
        sandbox,
        document,
        { file, name: file },
        { dryRun: true, play: playIn, variables, warn }
      )
    return { problems: [], warnings }
  } catch (error) {
    return { problems: problemsOf(error as Error), warnings }
  }
}

export function validateText(checked: readonly CheckedFile[]): string {
  const files = checked.filter(isFile)
  const lines = files.flatMap(file => [...linesOf(file), `${file.file}: ${resultOf(file)}`])
  const others = checked.filter(file => !isFile(file)).flatMap(linesOf)
  return [
    ...lines.map(visible),
    ...(files.length > 1 ? ['', summaryOf(files)] : []),
    ...others.map(visible),
    ''
  ].join('\n')
}

const isFile = ({ points }: CheckedFile) => !points.some(({ code }) => code === 'var')
const linesOf = ({ points }: CheckedFile) =>
  points.flatMap(({ problems, isWarning }) =>
    problems.map(problem => `${isWarning ? 'warning: ' : ''}${problemLine(problem)}`)
  )
const problemsIn = ({ points }: CheckedFile) =>
  points.flatMap(point => (isFailed(point) ? point.problems : []))

function resultOf(file: CheckedFile): string {
  const [problems, all] = [
    problemsIn(file).length,
    file.points.flatMap(point => point.problems).length
  ]
  if (problems > 0) return countOf(problems, 'problem')
  return file.leftOut ?? `valid${all === 0 ? '' : `, ${countOf(all, 'warning')}`}`
}

/** `5 files: 3 valid, 1 with 4 problems, 1 left out`. */
function summaryOf(files: readonly CheckedFile[]): string {
  const broken = files.map(problemsIn).filter(({ length }) => length > 0)
  const leftOut = files.filter(file => file.leftOut !== null).length
  const parts = [
    `${files.length - broken.length - leftOut} valid`,
    broken.length > 0 && `${broken.length} with ${countOf(broken.flat().length, 'problem')}`,
    leftOut > 0 && `${leftOut} left out`
  ]
  return `${countOf(files.length, 'file')}: ${parts.filter(Boolean).join(', ')}`
}
