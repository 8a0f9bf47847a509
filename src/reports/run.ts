/** A run as reports show it: what happened, what the gates say of it, and the words that several formats share. */

import type { Finding, FindingId } from '../evidence/findings.js'
import type { RunCall, RunListing } from '../evidence/run.js'
import type { CoverageReport, RuleCoverage } from '../evidence/totals.js'
import type { AssumptionId } from '../reference/assumptions.js'
import type { Verdict } from '../scenario/expectations.js'
import { shownOn } from '../scenario/matching.js'
import type { ListedEntry } from '../scenario/script.js'
import { concerns, type Gate, type Gates, GROUPS } from './gates.js'

/** What `GET /_control/run` answers, and reports are made of. */
export type RunDocument = RunListing & {
  object: 'run'
  version: string
  /** Of the sandbox at the base address. */
  scenario: { name: string; description: string | null }
  calls: number
  coverage: CoverageReport
  findings: Finding[]
  /** Relied on by some answer. */
  assumptions: { assumption: AssumptionId; topic: string; default: string; times: number; requests: readonly string[] }[]
  /** Script entries that applied in no period, and expectations that were not met. */
  unused_script_entries: ListedEntry[]
  unmet_expectations: Verdict[]
}

/** A gate passes where it has no problem; findings in `fails` fail some gate, those in `ignore` none. */
export type JudgedRun = {
  run: RunDocument
  gates: { gate: Gate | 'calls' | 'coverage'; problems: string[] }[]
  hasPassed: boolean
  fails: ReadonlySet<FindingId>
  ignore: readonly FindingId[]
  /** The status of the command; null where no command was run. */
  status: number | null
}

/** A run without a call passes no gate of coverage or findings: its client called another address, or nothing. */
const NO_CALL = 'no call came to the emulator, so there is nothing to judge; exec gives its command the address in COMMERCE_URL and COMMERCE_BASE_URL'

export function judged(run: RunDocument, { minCoverage, failOn, ignore }: Gates, status: number | null = null): JudgedRun {
  const { percent } = run.coverage
  const counted = run.findings.filter(({ finding }) => !ignore.includes(finding))
  const asksForEvidence = minCoverage !== null || failOn.some(gate => gate !== 'expectations' && gate !== 'script')
  const gates: JudgedRun['gates'] = failOn.map(gate => ({ gate, problems: problemsOf(gate, run, counted) }))
  if (minCoverage !== null)
    gates.unshift({ gate: 'coverage', problems: percent < minCoverage ? [`rule coverage is ${percent} %, below ${minCoverage} %`] : [] })
  if (asksForEvidence && run.calls === 0) gates.unshift({ gate: 'calls', problems: [NO_CALL] })
  const fails = new Set(counted.filter(finding => failOn.some(gate => concerns(gate, finding))).map(({ finding }) => finding))
  return { run, gates, hasPassed: gates.every(({ problems }) => problems.length === 0), fails, ignore, status }
}

function problemsOf(gate: Gate, { unused_script_entries: unused, unmet_expectations: unmet }: RunDocument, findings: readonly Finding[]): string[] {
  if (gate === 'expectations') return unmet.map(({ message }) => message)
  if (gate === 'script') return unused.length === 0 ? [] : [`script entries that were never applied: ${entryNames(unused)}`]
  const names = findings.filter(finding => concerns(gate, finding)).map(({ finding }) => finding)
  return names.length === 0 ? [] : [`${GROUPS.some(group => group === gate) ? gate : 'finding'}: ${names.join(', ')}`]
}

/** Script entries by their names, or by their ids and operations. */
export const entryNames = (entries: readonly ListedEntry[]): string => entries.map(({ id, entry }) => entry.name ?? `${id} ${shownOn(entry.on)}`).join(', ')

/** `37 of 93 rule outcomes, 39.7 %`. */
export const coverageShare = ({ coverage: { seen, possible, percent } }: RunDocument): string => `${seen} of ${possible} rule outcomes, ${percent} %`

export const headline = ({ hasPassed }: JudgedRun): string => (hasPassed ? 'all gates passed' : 'a gate failed')

/** `scenario` is its name as the format shows it. */
export const overview = ({ run, status }: JudgedRun, scenario: string): string =>
  `${run.calls} calls, ${refusedIn(run).length} refused. ${coverageShare(run)}. Scenario: ${scenario}.${status === null ? '' : ` The command ended with ${status}.`}`

export const refusedIn = ({ requests }: RunDocument): RunCall[] => requests.filter(({ outcome }) => outcome === 'refused')

/** Why a call was refused: the rule or assumption, and the message. */
export function whyOf({ entry }: Pick<RunCall, 'entry'>): string {
  const { rule, assumption } = entry?.refusal ?? {}
  const { error } = (entry?.answer ?? {}) as { error?: { message?: unknown } }
  return [rule ?? assumption, error?.message].filter(Boolean).join(': ')
}

/** How many calls kept and broke a rule; null where no call can. */
export const outcomesOf = ({ keepable, violable, satisfied, violated }: RuleCoverage): { satisfied: number | null; violated: number | null } => ({
  satisfied: keepable ? satisfied : null,
  violated: violable ? violated : null
})
