/** What becomes of a judged run: the summary, annotations and reports, and the exit status. */
import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Gates, verdictOn } from '../control/reports/gates.js'
import { runJunit } from '../control/reports/junit.js'
import { runMarkdown } from '../control/reports/markdown.js'
import { runPage } from '../control/reports/page.js'
import { annotations, type JudgedRun, summaryText } from '../control/reports/summary.js'
import type { RunDocument } from '../control/run-document.js'
import { visible } from '../core/visible.js'
import { coverageJunit } from '../evidence/reports.js'

export type ReportOptions = {
  gates: Gates
  /** Folder that reports are written to; it exists. */
  report: string | null
  environment: Readonly<Record<string, string | undefined>>
}

/** The exit status where a gate failed and nothing else did. */
const GATE_FAILED = 2

/** Judges a run and reports it. `status` is that of the command, null where none was run. Returns the exit status, which is 1 where only a report could not be written. */
export async function concluded(
  run: RunDocument,
  status: number | null,
  { gates, report, environment }: ReportOptions,
  stderr: NodeJS.WritableStream
): Promise<number> {
  const verdict = verdictOn(run, gates)
  const judged: JudgedRun = { run, verdict, ignore: gates.ignore, status }
  stderr.write(summaryText(judged, report && join(report, 'report.html')))
  if (environment.GITHUB_ACTIONS === 'true') stderr.write(annotations(judged))
  const summaryFile = environment.GITHUB_STEP_SUMMARY
  const unwritten = await Promise.allSettled([
    ...(report === null ? [] : reportsOf(judged).map(([name, text]) => writeFile(join(report, name), text))),
    ...(summaryFile ? [appendFile(summaryFile, runMarkdown(judged))] : [])
  ])
  const problems = unwritten.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason as NodeJS.ErrnoException] : []))
  for (const { path, message } of problems) stderr.write(`commerce-emulator: ${visible(`${path} cannot be written: ${message}`)}\n`)
  if (status !== null && status !== 0) return status
  if (verdict.failures.length > 0) return GATE_FAILED
  return problems.length > 0 ? 1 : 0
}

/** The files of a report, by their names. */
function reportsOf(judged: JudgedRun): [name: string, text: string][] {
  const { run, verdict, ignore, status } = judged
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`
  const gates = verdict.gates.map(({ gate, problems }) => ({ gate, passed: problems.length === 0, problems }))
  return [
    ['run.json', json({ status, passed: verdict.failures.length === 0, gates, ignored: ignore, run })],
    ['coverage.json', json(run.coverage)],
    ['coverage.xml', coverageJunit(run.coverage)],
    ['junit.xml', runJunit(judged)],
    ['summary.md', runMarkdown(judged)],
    ['report.html', runPage(judged)]
  ]
}
