/** Checks documents without opening a port. */
import { once } from 'node:events'
import { Clock, type ClockStart } from '../../core/clock.js'
import type { Problem } from '../../core/errors.js'
import { visible } from '../../core/visible.js'
import { type CheckedFile, isFailed, type Point } from '../../reports/points.js'
import { countOf } from '../../reports/sentences.js'
import type { Library } from '../../scenario/library.js'
import { problemLine } from '../../scenario/read/refusal.js'
import type { GivenVariables } from '../../scenario/shape/variables.js'
import { coloured } from '../colours.js'
import { type CommandSpec, option, PLACES } from '../command.js'
import { problemsOf } from '../failures.js'
import { concludeCheck } from '../judging.js'
import { type CommandLaunch, FOLDERS, launchOf, type SettingFlags, VAR } from '../launch.js'
import { SAYS, say } from '../sentences.js'

export const VALIDATE: CommandSpec = {
  about: 'Check scenario and fixture files; exit 0 if all are valid.',
  argument: ['<file...>', `Scenario or fixture files, ${PLACES}`],
  options: [
    option(
      '--watch',
      'Validate again whenever one of the files, or a file that they use, changes, until Ctrl-C.'
    ),
    VAR,
    ...FOLDERS
  ],
  examples: [
    ['every problem of a document, with its line', 'commerce-emulator validate ./own.yaml'],
    ['the same after each change', 'commerce-emulator validate ./own.yaml --watch']
  ],
  async run(
    { watch = false, ...flags }: SettingFlags & { watch?: boolean },
    line,
    places: string[]
  ) {
    const { stdout, environment } = line
    const launch = await launchOf(flags, environment)
    const read = new Set<string>()
    const validateAll = async () => {
      const checked = await validate(places, launch, read)
      stdout.write(coloured(validateText(checked), stdout))
      return concludeCheck(checked, undefined, line)
    }
    let status = await validateAll()
    if (!watch) return status
    const { watchFiles } = await import('../../watching.js')
    const stop = watchFiles(read, async file => {
      stdout.write(`\n${visible(SAYS.changed(file))}\n`)
      status = await validateAll()
    })
    await once(process, 'SIGINT')
    await stop()
    return status
  }
}

/** Each `--var` must be a variable of at least one file. `read` collects every file that was read. */
export async function validate(
  places: readonly string[],
  launch: Omit<CommandLaunch, 'variables'>,
  read = new Set<string>()
): Promise<CheckedFile[]> {
  const { checkFiles } = await import('../scenario-files.js')
  const { vars } = launch
  const names = Object.keys(vars?.values ?? {})
  const files = { launch, names, withShared: true }
  return checkFiles(places, files, async (file, library, known) => {
    const variables = vars && { ...vars, known }
    const [warnings, problems] = await problemsIn(file, library, launch, variables)
    for (const path of library.read) read.add(path)
    const point = { ...say('valid'), file, ms: 0 }
    return {
      points: [
        { ...point, problems: warnings, isWarning: true },
        { ...point, problems }
      ]
    }
  })
}

async function problemsIn(
  file: string,
  library: Library,
  launch: Omit<CommandLaunch, 'variables'>,
  variables: GivenVariables | undefined
): Promise<[warnings: readonly Problem[], problems: readonly Problem[]]> {
  const [{ playIn }, { loadScenario }, { Sandbox }, { checkSharedScript }, { isSharedScript }] =
    await Promise.all([
      import('../../engine/play.js'),
      import('../../sandbox/loading.js'),
      import('../../sandbox/sandbox.js'),
      import('../../scenario/loading.js'),
      import('../../scenario/script/shared-script.js')
    ])
  const warnings: Problem[] = []
  const warn = (more: readonly Problem[]) => void warnings.push(...more)
  const clockFor = (start: ClockStart) => new Clock(Date.now, start)
  try {
    const sandbox = new Sandbox({ library, launch, machine: Date.now })
    const document = await library.file(file)
    if (isSharedScript(document.data))
      await checkSharedScript(document, { library, launch, variables, clockFor })
    else
      await loadScenario(
        sandbox,
        document,
        { file, name: file },
        { dryRun: true, play: playIn, variables, warn }
      )
    return [warnings, []]
  } catch (error) {
    return [warnings, problemsOf(error as Error)]
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
const countIn = ({ points }: CheckedFile, isCounted: (point: Point) => boolean) =>
  points.filter(isCounted).flatMap(({ problems }) => problems).length

function resultOf(file: CheckedFile): string {
  const problems = countIn(file, isFailed)
  if (problems > 0) return countOf(problems, 'problem')
  const warnings = countIn(file, () => true)
  return file.leftOut ?? `valid${warnings === 0 ? '' : `, ${countOf(warnings, 'warning')}`}`
}

/** `5 files: 3 valid, 1 with 4 problems, 1 left out`. */
function summaryOf(files: readonly CheckedFile[]): string {
  const counts = files.map(file => countIn(file, isFailed)).filter(count => count > 0)
  const problems = counts.reduce((sum, count) => sum + count, 0)
  const leftOut = files.filter(file => file.leftOut !== null).length
  const parts = [
    `${files.length - counts.length - leftOut} valid`,
    problems > 0 && `${counts.length} with ${countOf(problems, 'problem')}`,
    leftOut > 0 && `${leftOut} left out`
  ]
  return `${countOf(files.length, 'file')}: ${parts.filter(Boolean).join(', ')}`
}
