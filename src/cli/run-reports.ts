/** What becomes of a judged run: the summary, annotations and reports, and the exit status. */
import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunDocument } from '../control/run.js'
import { coverageJunit } from '../evidence/reports.js'
import { type Gates, verdictOn } from './gates.js'
import { runPage } from './report-html.js'
import { runJunit } from './report-junit.js'
import { runMarkdown } from './report-markdown.js'
import { annotations, type JudgedRun, summaryText } from './report-text.js'

export type ReportOptions = {
  gates: Gates
  /** Folder that reports are written to; it exists. */
  report: string | null
  environment: Readonly<Record<string, string | undefined>>
}

/** The exit status where a gate failed and nothing else did. */
export const GATE_FAILED = 2

/** Judges a run and reports it. `status` is that of the command, null where none was run. Returns the exit status. Errors: those of a file that cannot be written. */
export async function concluded(
  run: RunDocument,
  status: number | null,
  { gates, report, environment }: ReportOptions,
  stderr: NodeJS.WritableStream
): Promise<number> {
  const verdict = verdictOn(run, gates)
  const judged: JudgedRun = { run, verdict, ignore: gates.ignore, status }
  stderr.write(summaryText(judged))
  if (environment.GITHUB_ACTIONS === 'true') stderr.write(annotations(judged))
  if (report !== null) await writeReports(report, judged)
  const summaryFile = environment.GITHUB_STEP_SUMMARY
  if (summaryFile) await appendFile(summaryFile, runMarkdown(judged))
  if (status !== null && status !== 0) return status
  return verdict.failures.length > 0 ? GATE_FAILED : 0
}

async function writeReports(folder: string, judged: JudgedRun): Promise<void> {
  const { run, verdict, ignore, status } = judged
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`
  const gates = verdict.gates.map(({ gate, problems }) => ({ gate, passed: problems.length === 0, problems }))
  const files = {
    'run.json': json({ status, passed: verdict.failures.length === 0, gates, ignored: ignore, run }),
    'coverage.json': json(run.coverage),
    'coverage.xml': coverageJunit(run.coverage),
    'junit.xml': runJunit(judged),
    'summary.md': runMarkdown(judged),
    'report.html': runPage(judged)
  }
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)))
}
