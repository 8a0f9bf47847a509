/** `commerce-emulator exec … -- COMMAND…`: runs a command against an emulator of its own, and judges what the command did to it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { constants } from 'node:os'
import { join } from 'node:path'
import { shownEntries } from '../control/script.js'
import type { Severity } from '../evidence/findings.js'
import { coverageJunit, findingsText, xml } from '../evidence/reports.js'
import { createLogger } from '../http/logging.js'
import { type Emulator, startEmulator } from '../index.js'
import type { Launch } from '../scenario/scenario.js'
import type { Gate } from './gates.js'

export type ExecOptions = {
  launch: Launch
  /** Names of the variables that the command finds the emulator by. */
  names: { baseUrl: string; apiKey: string; controlUrl: string }
  /** Least share of rule outcomes seen, in percent. */
  minCoverage: number | null
  failOn: readonly Gate[]
  /** Folder that reports are written to. */
  report: string | null
}
type Streams = { stderr: NodeJS.WriteStream }
const GATE_FAILED = 2
const NOT_RUNNABLE = 126
const NOT_FOUND = 127
const GRAVE: readonly Severity[] = ['error', 'warning']

/** What a command did, as the summary and the reports tell it. */
type Outcome = ReturnType<typeof outcomeOf>
type Failure = { gate: Gate | 'coverage'; message: string }

/** Runs the command and answers the exit status: the command's own, or 2 when only a gate failed. Nothing is left running. */
export async function exec(command: readonly [string, ...string[]], options: ExecOptions, { stderr }: Streams): Promise<number> {
  const { launch, names, report } = options
  const { flag, environment } = launch
  if (report !== null) await mkdir(report, { recursive: true })
  const level = flag.log_level ?? environment.log_level
  const logger = level && (await createLogger(level, stderr.isTTY, stderr))
  const emulator = await startEmulator({ settings: { port: 0, ...flag }, environment, ...(logger && { logger }) })
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
    const outcome = { status, ...outcomeOf(emulator) }
    const failures = failuresOf(outcome, options)
    stderr.write(summary(outcome, failures))
    if (report !== null) await writeReports(report, { outcome, failures, gates: gatesOf(options) })
    return status === 0 && failures.length > 0 ? GATE_FAILED : status
  } finally {
    await emulator.close()
  }
}

/** Runs the command with these variables set; signals to this process go to it. Answers its status, 128 and the signal's number where one ended it. */
async function runCommand([name, ...args]: readonly [string, ...string[]], variables: Record<string, string>, stderr: NodeJS.WritableStream): Promise<number> {
  const child = spawn(name, args, { stdio: 'inherit', env: { ...process.env, ...variables } })
  // a terminal sends Ctrl-C to the command itself too
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

function outcomeOf({ sandboxes }: Emulator) {
  const { run } = sandboxes.main
  const { periods } = run
  for (const { requests, period } of sandboxes.all()) if (requests > 0) periods.add(period)
  if (periods.isEmpty) periods.add(sandboxes.main.period)
  const calls = [...run.calls.values()].flatMap(statuses => [...statuses.values()]).reduce((sum, count) => sum + count, 0)
  return {
    calls,
    coverage: run.coverage.report(),
    findings: run.findings.list(),
    assumptions: [...run.assumptions.ids()].sort(),
    unusedScriptEntries: shownEntries(periods.unused()),
    unmetExpectations: periods.unmet()
  }
}

/** The gates that the run has to pass. */
const gatesOf = ({ minCoverage, failOn }: Pick<ExecOptions, 'minCoverage' | 'failOn'>): Failure['gate'][] => [
  ...(minCoverage === null ? [] : (['coverage'] as const)),
  ...new Set(failOn)
]

/** What fails the run, in sentences. */
function failuresOf({ coverage, findings, unusedScriptEntries, unmetExpectations }: Outcome, { minCoverage, failOn }: ExecOptions): Failure[] {
  const grave = findings.filter(({ severity }) => GRAVE.includes(severity))
  const found: Record<Failure['gate'], string[]> = {
    coverage: minCoverage !== null && coverage.percent < minCoverage ? [`rule coverage is ${coverage.percent} %, below ${minCoverage} %`] : [],
    findings: grave.length > 0 ? [`findings: ${grave.map(({ finding }) => finding).join(', ')}`] : [],
    script: unusedScriptEntries.length > 0 ? [`script entries that were never applied: ${unusedScriptEntries.map(entryName).join(', ')}`] : [],
    expectations: unmetExpectations.map(({ message }) => message)
  }
  return gatesOf({ minCoverage, failOn }).flatMap(gate => found[gate].map(message => ({ gate, message })))
}

type Unused = Outcome['unusedScriptEntries'][number]
const entryName = ({ id, entry }: Unused) => entry.name ?? `${id} ${entry.on}`

function summary({ calls, coverage, findings, assumptions, unusedScriptEntries, unmetExpectations }: Outcome, failures: readonly Failure[]): string {
  const lines = [
    '',
    'commerce-emulator',
    `  Calls         ${calls}`,
    `  Coverage      ${coverage.seen} of ${coverage.possible} rule outcomes, ${coverage.percent} %; ${coverage.never_exercised.length} rules never exercised, ${coverage.never_violated.length} never violated`,
    `  Assumptions   ${assumptions.length === 0 ? 'none leaned on' : assumptions.join(' ')}`,
    `  Findings      ${findings.length === 0 ? 'none' : findings.map(({ finding, times }) => `${finding} (${times}×)`).join(', ')}`,
    `  Script        ${unusedScriptEntries.length === 0 ? 'no entry unused' : `never applied: ${unusedScriptEntries.map(entryName).join(', ')}`}`,
    `  Expectations  ${unmetExpectations.length === 0 ? 'none unmet' : unmetExpectations.map(({ message }) => message).join('; ')}`,
    ...failures.map(({ message }) => `  FAILED        ${message}`)
  ]
  return `${lines.join('\n')}\n`
}

type Judged = { outcome: Outcome & { status: number }; failures: readonly Failure[]; gates: readonly Failure['gate'][] }

async function writeReports(folder: string, { outcome, failures, gates }: Judged): Promise<void> {
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`
  const { status, calls, coverage, findings, assumptions, unusedScriptEntries, unmetExpectations } = outcome
  const { rules: _rules, ...shares } = coverage
  const summary = {
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
    writeFile(join(folder, 'summary.json'), json(summary))
  ])
}

/** A test case a gate, so that a build server shows which one failed and why. */
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
