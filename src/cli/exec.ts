/** `commerce-emulator exec … -- COMMAND…`: runs a command against an emulator of its own, and checks the calls that the command made. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { constants } from 'node:os'
import { join } from 'node:path'
import { shownEntries } from '../control/script.js'
import { maskedThroughout } from '../core/redaction.js'
import { type RunningEmulator, runEmulator } from '../emulator.js'
import { coverageJunit, findingsText, xml } from '../evidence/reports.js'
import { createLogger } from '../http/logging.js'
import { shownOn } from '../scenario/matching.js'
import type { Launch } from '../scenario/scenario.js'
import type { Gate } from './gates.js'
import { visible, visibleLines } from './terminal.js'

export type ExecOptions = {
  launch: Launch
  /** Names of the environment variables that tell the command where the emulator is. */
  names: { baseUrl: string; apiKey: string; controlUrl: string }
  /** The least rule coverage that passes, in percent. */
  minCoverage: number | null
  failOn: readonly Gate[]
  /** Folder that reports are written to. */
  report: string | null
}
type Streams = { stderr: NodeJS.WriteStream }
const GATE_FAILED = 2
const NOT_RUNNABLE = 126
const NOT_FOUND = 127

/** What the command did, as the summary and the reports show it. */
type RunSummary = ReturnType<typeof summaryOf>
type Failure = { gate: Gate | 'coverage'; message: string }

/** Runs the command and returns the exit status: the command's own, or 2 when only a gate failed. Nothing is left running. */
export async function exec(command: readonly [string, ...string[]], options: ExecOptions, { stderr }: Streams): Promise<number> {
  const { launch, names, report } = options
  const { flag, environment, variables = {} } = launch
  if (report !== null) await mkdir(report, { recursive: true })
  const level = flag.log_level ?? environment.log_level
  const logger = level && (await createLogger(level, stderr.isTTY, stderr))
  const emulator = await runEmulator({ settings: { port: 0, ...flag }, environment, variables, ...(logger && { logger }) })
  try {
    const status = await runCommand(
      command,
      {
        [names.baseUrl]: emulator.baseUrl,
        [names.controlUrl]: emulator.controlUrl,
        ...(emulator.apiKeys[0] && { [names.apiKey]: emulator.apiKeys[0].key })
      },
      stderr
    )
    const summary = summaryOf(emulator)
    const failures = failuresOf(summary, options)
    stderr.write(visibleLines(summaryText(summary, failures)))
    if (report !== null) await writeReports(report, { status, summary, failures, gates: gatesOf(options) })
    return status === 0 && failures.length > 0 ? GATE_FAILED : status
  } finally {
    await emulator.close()
  }
}

/** Runs the command with these variables set, and passes signals on to it. Returns its status, or 128 plus the number of the signal that ended it. */
async function runCommand([name, ...args]: readonly [string, ...string[]], variables: Record<string, string>, stderr: NodeJS.WritableStream): Promise<number> {
  const child = spawn(name, args, { stdio: 'inherit', env: { ...process.env, ...variables } })
  // a terminal sends Ctrl-C to the command as well
  const passOn = (signal: NodeJS.Signals) => (signal === 'SIGINT' && process.stdin.isTTY) || child.kill(signal)
  process.on('SIGINT', passOn).on('SIGTERM', passOn).on('SIGHUP', passOn)
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  const status = await ended.then(
    ([code, signal]) => code ?? 128 + constants.signals[signal as NodeJS.Signals],
    ({ code, message }: NodeJS.ErrnoException) => {
      const isMissing = code === 'ENOENT'
      stderr.write(`commerce-emulator: ${name} cannot be run: ${isMissing ? 'there is no such command' : message}\n`)
      return isMissing ? NOT_FOUND : NOT_RUNNABLE
    }
  )
  process.off('SIGINT', passOn).off('SIGTERM', passOn).off('SIGHUP', passOn)
  return status
}

function summaryOf({ sandboxes }: RunningEmulator) {
  const { run } = sandboxes.main
  const { history } = run
  for (const { requests, period } of sandboxes.all()) if (requests > 0) history.add(period)
  if (history.isEmpty) history.add(sandboxes.main.period)
  return {
    calls: run.metrics.total,
    coverage: run.coverage.report(),
    findings: run.findings.list(),
    assumptions: run.assumptions.ids(),
    unusedScriptEntries: shownEntries(history.unused()),
    unmetExpectations: maskedThroughout(history.unmet())
  }
}

/** The gates that the run has to pass, in the order of the report. */
const gatesOf = ({ minCoverage, failOn }: Pick<ExecOptions, 'minCoverage' | 'failOn'>): Failure['gate'][] => [
  ...(minCoverage === null ? [] : (['coverage'] as const)),
  ...new Set(failOn)
]

/** Why the run fails, a sentence for each failure. */
function failuresOf({ coverage, findings, unusedScriptEntries, unmetExpectations }: RunSummary, { minCoverage, failOn }: ExecOptions): Failure[] {
  const messages: Record<Failure['gate'], string[]> = {
    coverage: minCoverage !== null && coverage.percent < minCoverage ? [`rule coverage is ${coverage.percent} %, below ${minCoverage} %`] : [],
    findings: findings.length > 0 ? [`findings: ${findings.map(({ finding }) => finding).join(', ')}`] : [],
    script: unusedScriptEntries.length > 0 ? [`script entries that were never applied: ${unusedScriptEntries.map(entryName).join(', ')}`] : [],
    expectations: unmetExpectations.map(({ message }) => visible(message))
  }
  return gatesOf({ minCoverage, failOn }).flatMap(gate => messages[gate].map(message => ({ gate, message })))
}

type Unused = RunSummary['unusedScriptEntries'][number]
const entryName = ({ id, entry }: Unused) => visible(entry.name ?? `${id} ${shownOn(entry.on)}`)

function summaryText({ calls, coverage, findings, assumptions, unusedScriptEntries, unmetExpectations }: RunSummary, failures: readonly Failure[]): string {
  const lines = [
    '',
    'commerce-emulator',
    `  Calls         ${calls}`,
    `  Coverage      ${coverage.seen} of ${coverage.possible} rule outcomes, ${coverage.percent} %; ${coverage.never_exercised.length} rules never exercised, ${coverage.never_violated.length} never violated`,
    `  Assumptions   ${assumptions.length === 0 ? 'none relied on' : assumptions.join(' ')}`,
    `  Findings      ${findings.length === 0 ? 'none' : findings.map(({ finding, times }) => `${finding} (${times}×)`).join(', ')}`,
    `  Script        ${unusedScriptEntries.length === 0 ? 'no entry unused' : `never applied: ${unusedScriptEntries.map(entryName).join(', ')}`}`,
    `  Expectations  ${unmetExpectations.length === 0 ? 'none unmet' : unmetExpectations.map(({ message }) => message).join('; ')}`,
    ...failures.map(({ message }) => `  FAILED        ${message}`)
  ]
  return `${lines.join('\n')}\n`
}

type Report = { status: number; summary: RunSummary; failures: readonly Failure[]; gates: readonly Failure['gate'][] }

async function writeReports(folder: string, { status, summary, failures, gates }: Report): Promise<void> {
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`
  const { calls, coverage, findings, assumptions, unusedScriptEntries, unmetExpectations } = summary
  const { rules: _rules, ...shares } = coverage
  const overview = {
    status,
    calls,
    coverage: shares,
    findings: findings.map(({ finding, severity, times }) => ({ finding, severity, times })),
    assumptions,
    unused_script_entries: unusedScriptEntries,
    unmet_expectations: unmetExpectations,
    failures
  }
  await Promise.all([
    writeFile(join(folder, 'coverage.json'), json(coverage)),
    writeFile(join(folder, 'coverage.xml'), coverageJunit(coverage)),
    writeFile(join(folder, 'findings.json'), json(findings)),
    writeFile(join(folder, 'findings.txt'), findingsText(findings)),
    writeFile(join(folder, 'gates.xml'), gatesJunit(gates, failures)),
    writeFile(join(folder, 'summary.json'), json(overview))
  ])
}

/** One test case for each gate, so that a build server shows which one failed and why. */
function gatesJunit(gates: readonly Failure['gate'][], failures: readonly Failure[]): string {
  const cases = gates.map(gate => {
    const own = failures.filter(failure => failure.gate === gate).map(({ message }) => message)
    const failure = own.length === 0 ? '' : `<failure message="${xml(own[0] as string)}">${xml(own.join('\n'))}</failure>`
    return `  <testcase classname="commerce-emulator" name="${gate}">${failure}</testcase>`
  })
  const failed = new Set(failures.map(({ gate }) => gate)).size
  return ['<?xml version="1.0" encoding="UTF-8"?>', `<testsuite name="gates" tests="${gates.length}" failures="${failed}">`, ...cases, '</testsuite>', ''].join(
    '\n'
  )
}
