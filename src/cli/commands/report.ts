import { basename, dirname, resolve } from 'node:path'
import { contentOf } from '../../client/connection.js'
import type { RunDocument } from '../../reports/run.js'
import { type JobRun, mergedRun } from '../../reports/several.js'
import { textOf, VERSION } from '../../scenario/library.js'
import type { CommandSpec } from '../command.js'
import { Failure } from '../failures.js'
import { CRITERIA, type CriteriaFlags, concludeRun, reportingOf } from '../judging.js'
import { SAYS } from '../sentences.js'

export const REPORT: CommandSpec = {
  about: 'Merge reports of runs.',
  examples: [['judge several jobs as one run', 'commerce-emulator report merge reports']]
}

export const REPORT_MERGE: CommandSpec = {
  about:
    'Judge several runs as one, and write one report; exit with the status of the first command that failed, or 3 if a criterion failed.',
  argument: ['<file...>', 'run.json files, folders, or patterns such as reports/*/run.json.'],
  options: CRITERIA,
  examples: [
    [
      'one report of parallel jobs',
      'commerce-emulator report merge reports --report merged --fail-on errors'
    ]
  ],
  async run(flags: CriteriaFlags, line, places: string[]) {
    const reporting = await reportingOf(flags)
    const read = await Promise.all((await runsAt(places)).map(readRun))
    const statuses = read.flatMap(({ status }) => status ?? [])
    const status = statuses.find(status => status !== 0) ?? statuses[0] ?? null
    const [first, second] = read
    const run = first && !second ? first.run : mergedRun(read)
    return concludeRun(run, status, { ...reporting, next: SAYS.ask_its_job }, line)
  }
}

/** The files of each place, once. Errors: a `Failure` for a place without a file. */
async function runsAt(places: readonly string[]): Promise<string[]> {
  const { filesAt } = await import('../scenario-files.js')
  const paths = new Map<string, string>()
  for (const place of places) {
    const { files, isPattern } = await filesAt(place, '**/run.json')
    if (files.length === 0)
      throw new Failure(isPattern ? SAYS.no_match(place) : SAYS.no_runs(place))
    for (const file of files) paths.set(resolve(file), file)
  }
  return [...paths.values()]
}

/** Reads a run; its folder has the name of its job. */
export async function readRun(file: string): Promise<JobRun & { status: number | null }> {
  const { run, status }: { run?: Partial<RunDocument>; status?: number | null } = Object(
    contentOf(await textOf(file))
  )
  if (run?.object !== 'run') throw new Failure(SAYS.not_a_run(file))
  if (run.version !== VERSION)
    throw new Failure(SAYS.other_version(file, String(run.version), VERSION))
  return { job: basename(dirname(resolve(file))), run: run as RunDocument, status: status ?? null }
}
