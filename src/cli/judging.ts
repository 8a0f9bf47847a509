/** The end of a run or a check: reports, annotations and the exit status. */
import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CHECK_FORMATS, jsonText, RUN_FORMATS } from '../reports/formats.js'
import { type CheckedFile, isFailed } from '../reports/points.js'
import {
  type Criteria,
  criteriaFrom,
  type GivenCriteria,
  type JudgedRun,
  judged,
  type RunDocument
} from '../reports/run.js'
import { runText } from '../reports/text.js'
import { type CommandLine, listOf, option, percentOf, STATUS } from './command.js'
import { coloured, printLine } from './printing.js'
import { reasonOf, SAYS } from './sentences.js'

export type CriteriaFlags = GivenCriteria & { report?: string }
type Reporting = { criteria: Criteria; report: string | null }
type Output = Pick<CommandLine, 'environment' | 'stderr'>

export const CRITERIA = [
  option('--min-coverage <percent>', 'Minimum rule coverage.', percentOf),
  option(
    '--fail-on <names...>',
    'More criteria: script, findings, errors, warnings, or a finding by name. Expectations are a criterion by default.',
    listOf
  ),
  option('--ignore <names...>', 'Criteria to disable: expectations, or a finding by name.', listOf),
  option('--allow-no-requests', 'Pass a run in which the emulator received no requests.'),
  option(
    '--report <dir>',
    'Folder for reports: report.html, junit.xml, summary.md, run.json and coverage.json.'
  )
]

/** Creates the folder of reports. Errors: `setting_invalid`. */
export async function reportingOf(flags: CriteriaFlags): Promise<Reporting> {
  const { report = null } = flags
  const criteria = criteriaFrom(flags)
  if (report !== null) await mkdir(report, { recursive: true })
  return { criteria, report }
}

/** `next` is the command to run after a failure, by the first request that shows it. */
export async function concludeRun(
  run: RunDocument,
  status: number | null,
  { criteria, report, next }: Reporting & { next: (request: string) => string },
  { environment, stderr }: Output
): Promise<number> {
  const result = judged(run, criteria, status)
  const failing = result.run.findings.find(({ finding }) => result.fails.has(finding))
  const request = failing?.requests[0] ?? result.unmet[0]?.requests?.[0]
  const text = runText(result, {
    page: report && join(report, 'report.html'),
    next: request === undefined ? null : next(request)
  })
  stderr.write(coloured(text, stderr))
  const { GITHUB_STEP_SUMMARY: summary } = environment
  const writes = await Promise.allSettled([
    ...(report === null ? [] : writeReports(report, result)),
    ...(summary ? [appendFile(summary, RUN_FORMATS.markdown(result))] : [])
  ])
  const problems = writes.flatMap(outcome =>
    outcome.status === 'rejected'
      ? [SAYS.unwritten(outcome.reason.path, reasonOf('write', outcome.reason))]
      : []
  )
  for (const problem of problems) printLine(stderr, problem)
  if (status !== null && status !== 0) return status
  if (!result.hasPassed) return STATUS.unmet
  return problems.length > 0 ? STATUS.failed : STATUS.done
}

const writeReports = (folder: string, result: JudgedRun) =>
  Object.entries({
    'run.json': runJson(result),
    'coverage.json': jsonText(result.run.coverage),
    'junit.xml': RUN_FORMATS.junit(result),
    'summary.md': RUN_FORMATS.markdown(result),
    'report.html': RUN_FORMATS.html(result)
  }).map(([name, text]) => writeFile(join(folder, name), text))

function runJson({ run, criteria, hasPassed, ignore, status }: JudgedRun): string {
  const judged = criteria.map(({ criterion, problems }) => ({
    criterion,
    passed: problems.length === 0,
    problems
  }))
  return jsonText({ status, passed: hasPassed, criteria: judged, ignored: ignore, run })
}

export function concludeCheck(
  checked: readonly CheckedFile[],
  { stdout }: Pick<CommandLine, 'stdout'>,
  format: keyof typeof CHECK_FORMATS = 'text'
): number {
  stdout.write(coloured(CHECK_FORMATS[format](checked), stdout))
  return checked.some(({ points }) => points.some(isFailed)) ? STATUS.failed : STATUS.done
}
