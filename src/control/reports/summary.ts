/** The report of a run for people at a terminal, and for the log of GitHub Actions. */

import { visible } from '../../core/visible.js'
import type { Finding, FindingId } from '../../evidence/findings.js'
import type { RunCall } from '../../evidence/run-requests.js'
import type { RunDocument } from '../run-document.js'
import { entryName, type Verdict } from './gates.js'

/** A run with what the gates say of it, as reports show it. */
export type JudgedRun = {
  run: RunDocument
  verdict: Verdict
  /** Findings that fail no gate. */
  ignore: readonly FindingId[]
  /** The status of the command; null where no command was run. */
  status: number | null
}

/** `37 of 93 rule outcomes, 39.7 %`. */
export const coverageShare = ({ coverage: { seen, possible, percent } }: RunDocument): string => `${seen} of ${possible} rule outcomes, ${percent} %`

/** Why a call was refused: the rule or assumption, and the message. */
export function whyOf({ entry }: Pick<RunCall, 'entry'>): string {
  const { rule, assumption } = entry?.refusal ?? {}
  const { error } = (entry?.answer ?? {}) as { error?: { message?: unknown } }
  return [rule ?? assumption, error?.message].filter(Boolean).join(': ')
}

/** The summary, a line for each part, then why the run failed and what to do. `report` is the page that was written. */
export function summaryText({ run, verdict, ignore }: JudgedRun, report: string | null = null): string {
  const { calls, coverage, findings, assumptions, unused_script_entries: unused, unmet_expectations: unmet } = run
  const lines = [
    '',
    'commerce-emulator',
    `  Calls         ${calls}`,
    `  Coverage      ${coverageShare(run)}; ${coverage.never_exercised.length} rules never exercised, ${coverage.never_violated.length} never violated`,
    `  Assumptions   ${assumptions.map(({ assumption }) => assumption).join(' ') || 'none relied on'}`,
    `  Findings      ${findings.map(({ finding, times }) => `${finding} (${times}×${ignore.includes(finding) ? ', ignored' : ''})`).join(', ') || 'none'}`,
    `  Script        ${unused.length === 0 ? 'no entry unused' : `never applied: ${unused.map(entryName).join(', ')}`}`,
    `  Expectations  ${unmet.map(({ message }) => message).join('; ') || 'none unmet'}`,
    ...verdict.failures.map(({ message }) => `  FAILED        ${message}`),
    ...findings.filter(({ finding }) => verdict.fails.has(finding)).map(finding => `                ${finding.finding}: ${shownFinding(finding)}`),
    ...(report === null ? [] : [`  Report        ${report}`])
  ]
  return `${lines.map(visible).join('\n')}\n`
}

/** Findings for which a build shows the first calls. */
const MOST_NAMED = 5
/** What a finding is about, what to do, and the calls that show it. */
function shownFinding({ about, advice, times, requests }: Finding): string {
  const calls = `${requests.slice(0, MOST_NAMED).join(', ')}${requests.length > MOST_NAMED ? ', …' : ''}`
  return `${about} ${advice} (${times}×: ${calls})`
}

/** Gates whose failures are findings, which have annotations of their own. */
const OTHER_GATES: readonly string[] = ['calls', 'coverage', 'expectations', 'script']

/** Annotations of GitHub Actions: one for each finding that is not ignored, by its severity, and one for each other failure. */
export function annotations({ run, verdict, ignore }: JudgedRun): string {
  const ofFindings = run.findings
    .filter(({ finding }) => !ignore.includes(finding))
    .map(finding => command(finding.severity, finding.finding, shownFinding(finding)))
  const ofGates = verdict.failures.filter(({ gate }) => OTHER_GATES.includes(gate)).map(({ gate, message }) => command('error', gate, message))
  return [...ofFindings, ...ofGates].map(line => `${line}\n`).join('')
}

const command = (name: 'error' | 'warning', title: string, message: string) => annotation(name, { title }, message)

/** A workflow command: `%`, CR and LF are encoded, and in a property `:` and `,` as well. */
export function annotation(name: 'error' | 'warning', properties: Readonly<Record<string, string | number>>, message: string): string {
  const encoded = (text: string) => text.replace(/[%\r\n]/g, percentEncoded)
  const given = Object.entries(properties).map(([name, value]) => `${name}=${visible(encoded(String(value))).replace(/[:,]/g, percentEncoded)}`)
  return `::${name} ${given.join(',')}::${visible(encoded(message))}`
}

const percentEncoded = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
