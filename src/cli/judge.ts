/** `commerce-emulator judge --url URL`: applies the gates of `exec` to a running emulator. */
import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { visible } from '../core/visible.js'
import { jsonText, RUN_FORMATS } from '../reports/formats.js'
import { type Gates, type JudgedRun, judged, type RunDocument } from '../reports/run.js'
import { runAnnotations, runText } from '../reports/text.js'
import { coloured } from './colours.js'
import { STATUS } from './failures.js'
import type { Environment } from './launch.js'
import { runOf } from './running.js'
import { reasonOf, SAYS, shellWord } from './sentences.js'

const LOGIN = /\/\/[^/]*@/

/** `report` is a folder; `isVerbose` lists the assumptions. */
export type ReportOptions = {
  gates: Gates
  report: string | null
  isVerbose: boolean
  environment: Environment
  /** What to run after a failure, by the first request that shows it. */
  next: (request: string) => string
}

/** Returns the exit status. Errors: as of `runOf`, and of files. */
export async function judge(
  { url, token, ...options }: Omit<ReportOptions, 'next'> & { url: string; token: string | null },
  stderr: NodeJS.WriteStream
): Promise<number> {
  const run = await runOf({ url, token })
  if (options.report !== null) await mkdir(options.report, { recursive: true })
  const next = (name: string) => SAYS.repro_it(shellWord(name), shellWord(url.replace(LOGIN, '//')))
  return concluded(run, null, { ...options, next }, stderr)
}

/** `status` is that of the command. Returns 1 where only a report was not written. */
export async function concluded(
  run: RunDocument,
  status: number | null,
  { gates, report, isVerbose, environment, next }: ReportOptions,
  stderr: NodeJS.WriteStream
): Promise<number> {
  const result = judged(run, gates, status)
  const shown =
    result.run.findings.find(({ finding }) => result.fails.has(finding))?.requests[0] ??
    result.unmet[0]?.requests?.[0]
  const text = runText(result, {
    page: report && join(report, 'report.html'),
    next: shown === undefined ? null : next(shown),
    isVerbose
  })
  stderr.write(coloured(text, stderr))
  if (environment.GITHUB_ACTIONS === 'true') stderr.write(runAnnotations(result))
  const { GITHUB_STEP_SUMMARY: summary } = environment
  const files = report === null ? [] : Object.entries(reportsOf(result))
  const unwritten = await Promise.allSettled([
    ...files.map(([name, text]) => writeFile(join(report as string, name), text)),
    ...(summary ? [appendFile(summary, RUN_FORMATS.markdown(result))] : [])
  ])
  const problems = unwritten.flatMap(outcome =>
    outcome.status === 'rejected' ? [outcome.reason as NodeJS.ErrnoException] : []
  )
  for (const { path, code = '', message } of problems)
    stderr.write(
      `commerce-emulator: ${visible(SAYS.unwritten(String(path), reasonOf('write', { code, message })))}\n`
    )
  if (status !== null && status !== 0) return status
  if (!result.hasPassed) return STATUS.gate
  return problems.length > 0 ? STATUS.failed : STATUS.done
}

const reportsOf = (judged: JudgedRun): Record<string, string> => ({
  'run.json': runJson(judged),
  'coverage.json': jsonText(judged.run.coverage),
  'junit.xml': RUN_FORMATS.junit(judged),
  'summary.md': RUN_FORMATS.markdown(judged),
  'report.html': RUN_FORMATS.html(judged)
})

function runJson({ run, gates, hasPassed, ignore, status }: JudgedRun): string {
  const results = gates.map(({ gate, problems }) => ({
    gate,
    passed: problems.length === 0,
    problems
  }))
  return jsonText({ status, passed: hasPassed, gates: results, ignored: ignore, run })
}
