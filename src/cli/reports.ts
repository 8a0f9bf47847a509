/**
 * `commerce-emulator coverage merge`, `report merge` and `report diff`: read the reports of several
 * runs.
 */
import { mkdir, readFile } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { contentOf } from '../client/connection.js'
import { type CoverageReport, mergedReports, type RuleCoverage } from '../evidence/totals.js'
import type { RunDocument } from '../reports/run.js'
import { differenceOf, type JobRun, mergedRun, type RunDifference } from '../reports/several.js'
import { VERSION } from '../scenario/version.js'
import { Failure } from './failures.js'
import { concluded, type ReportOptions } from './judge.js'
import { filesAt } from './scenario-files.js'
import { SAYS } from './sentences.js'

/**
 * Finds reports by their file name. A place is a file, a folder to search with all folders below
 * it, or a pattern such as `reports/*.json`.
 * Each file is listed once. Errors: a `Failure` for a place without a file.
 */
async function reportsAt(places: readonly string[], name: string): Promise<string[]> {
  const found = await Promise.all(
    places.map(async place => ({ place, ...(await filesAt(place, `**/${name}`)) }))
  )
  const none = found.find(({ files }) => files.length === 0)
  if (none !== undefined)
    throw new Failure(
      none.isPattern ? SAYS.no_match(none.place) : SAYS.no_reports(none.place, name)
    )
  return [
    ...new Map(found.flatMap(({ files }) => files).map(file => [resolve(file), file])).values()
  ]
}

/**
 * The sum of coverage reports in JSON. Errors: a `Failure` for a file that is not a coverage
 * report, and for a place without a file.
 */
export async function mergedCoverage(places: readonly string[]): Promise<CoverageReport> {
  return mergedReports(
    await Promise.all((await reportsAt(places, 'coverage.json')).map(readCoverage))
  )
}

async function readCoverage(file: string): Promise<CoverageReport> {
  const report: Partial<CoverageReport> | null = contentOf(await readFile(file, 'utf8'))
  if (!Array.isArray(report?.rules) || !report.rules.every(isCounted))
    throw new Failure(SAYS.not_a_report(file))
  return report as CoverageReport
}

const isCounted = (rule: Partial<RuleCoverage> | null) =>
  typeof rule?.rule === 'string' &&
  Number.isInteger(rule.satisfied) &&
  Number.isInteger(rule.violated)

/**
 * The run that was reported; several are merged into one. Errors: a `Failure` for a file that is
 * not a run or has another version, and for a place without a file.
 */
async function runAt(
  places: readonly string[]
): Promise<{ run: RunDocument; status: number | null }> {
  const read = await Promise.all((await reportsAt(places, 'run.json')).map(readRun))
  const statuses = read.flatMap(({ status }) => status ?? [])
  const status = statuses.find(status => status !== 0) ?? statuses[0] ?? null
  return { status, run: read.length === 1 ? (read[0] as JobRun).run : mergedRun(read) }
}

/** Reads a run; its folder has the name of its job. */
async function readRun(file: string): Promise<JobRun & { status: number | null }> {
  const { run, status }: { run?: Partial<RunDocument>; status?: number | null } = Object(
    contentOf(await readFile(file, 'utf8'))
  )
  if (run?.object !== 'run') throw new Failure(SAYS.not_a_run(file))
  if (run.version !== VERSION)
    throw new Failure(SAYS.other_version(file, String(run.version), VERSION))
  return { job: basename(dirname(resolve(file))), run: run as RunDocument, status: status ?? null }
}

/**
 * Judges several runs as one and writes its reports. Returns the exit status: that of the first
 * command that failed, or 3 if only a gate failed.
 */
export async function mergeRuns(
  places: readonly string[],
  options: Omit<ReportOptions, 'next'>,
  stderr: NodeJS.WriteStream
): Promise<number> {
  const { run, status } = await runAt(places)
  if (options.report !== null) await mkdir(options.report, { recursive: true })
  return concluded(run, status, { ...options, next: SAYS.ask_its_job }, stderr)
}

/** What has changed since the run before. Errors: as of `mergeRuns`. */
export async function compareRuns(
  before: string,
  after: readonly string[]
): Promise<RunDifference> {
  const [earlier, later] = [await runAt([before]), await runAt(after)]
  return differenceOf(earlier.run, later.run)
}
