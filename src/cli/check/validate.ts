/** Checks documents without opening a port. */
import type { Problem } from '../../core/errors.js'
import { playIn } from '../../engine/play.js'
import type { CheckedFile } from '../../reports/points.js'
import { type GivenOptions, loadScenario } from '../../sandbox/loading.js'
import { Sandbox } from '../../sandbox/sandbox.js'
import type { Library } from '../../scenario/library.js'
import { checkSharedScript } from '../../scenario/loading.js'
import { kindOf } from '../../scenario/shape/scenario.js'
import { problemsOf } from '../failures.js'
import type { CommandLaunch } from '../launch.js'
import { checkFiles } from '../scenario-files.js'
import { say } from '../sentences.js'

/** Each `--var` must be a variable of at least one file. */
export async function validate(
  places: readonly string[],
  launch: CommandLaunch
): Promise<CheckedFile[]> {
  const { vars } = launch
  const names = Object.keys(vars?.values ?? {})
  const files = { launch, names, withShared: true }
  return checkFiles(places, files, async (file, library, known) => {
    const warnings: Problem[] = []
    const variables = vars && { ...vars, known }
    const warn = (more: readonly Problem[]) => void warnings.push(...more)
    const loading = load(file, library, launch, { variables, warn })
    const problems = await loading.then(() => [], problemsOf)
    const points = [{ ...say('valid'), file, problems, ms: 0 }]
    const likely = { ...say('unlikely'), file, problems: warnings, ms: 0, isWarning: true }
    return { points: warnings.length === 0 ? points : [...points, likely] }
  })
}

async function load(
  file: string,
  library: Library,
  launch: CommandLaunch,
  { variables, warn }: GivenOptions
): Promise<void> {
  const sandbox = new Sandbox({ library, launch, machine: Date.now })
  const document = await library.file(file)
  if (kindOf(document.data) === 'script') {
    await checkSharedScript(document, variables)
  } else {
    const options = { dryRun: true, play: playIn, variables, warn }
    await loadScenario(sandbox, document, { file, name: file }, options)
  }
}
