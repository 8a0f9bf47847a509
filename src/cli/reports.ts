/** `commerce-emulator report merge`: judges the runs of several jobs as one. */
import { mkdir } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { contentOf } from '../client/connection.js'
import type { RunDocument } from '../reports/run.js'
import { type JobRun, mergedRun } from '../reports/several.js'
import { textOf, VERSION } from '../scenario/library.js'
import { Failure } from './failures.js'
import { concluded, type ReportOptions } from './judge.js'
import { filesAt } from './scenario-files.js'
import { SAYS } from './sentences.js'

/** The files of each place, once. Errors: a `Failure` for a place without a file. */
async function runsAt(places: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    places.map(async place => ({ place, ...(await filesAt(place, '**/run.json')) }))
  )
  const none = found.find(({ files }) => files.length === 0)
  if (none !== undefined)
    throw new Failure(none.isPattern ? SAYS.no_match(none.place) : SAYS.no_runs(none.place))
  return [
    ...new Map(found.flatMap(({ files }) => files).map(file => [resolve(file), file])).values()
  ]
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

/** The status of the first command that failed, or 3. Errors: a `Failure`. */
export async function mergeRuns(
  places: readonly string[],
  options: Omit<ReportOptions, 'next'>,
  stderr: NodeJS.WriteStream
): Promise<number> {
  const read = await Promise.all((await runsAt(places)).map(readRun))
  const statuses = read.flatMap(({ status }) => status ?? [])
  const status = statuses.find(status => status !== 0) ?? statuses[0] ?? null
  const run = read.length === 1 ? (read[0] as JobRun).run : mergedRun(read)
  if (options.report !== null) await mkdir(options.report, { recursive: true })
  return concluded(run, status, { ...options, next: SAYS.ask_its_job }, stderr)
}
