/** A run as reports show it: what happened, what the gates say of it, and the words that several formats share. */

import type { Finding, FindingId } from '../evidence/findings.js'
import type { RunCall, RunListing } from '../evidence/run.js'
import type { Unmet } from '../evidence/run-history.js'
import type { CoverageReport, RuleCoverage, RunTest } from '../evidence/totals.js'
import type { AssumptionId } from '../reference/assumptions.js'
import { shownOn } from '../scenario/matching.js'
import { explainedMessage } from '../scenario/near-misses.js'
import type { ListedEntry } from '../scenario/script.js'
import { concerns, type Gate, type Gates, GROUPS } from './gates.js'

/** What `GET /_control/run` answers, and reports are made of. */
export type RunDocument = Omit<RunListing, 'requests'> & {
  requests: readonly RunCall[]
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
  unmet_expectations: Unmet[]
}

/** A run with what the gates say of it. A gate passes where it has no problem; findings in `fails` and expectations in `unmet` fail some gate, findings in `ignore` none. */
export type JudgedRun = {
  run: RunDocument
  gates: { gate: Gate | 'requests' | 'coverage'; problems: string[] }[]
  hasPassed: boolean
  fails: ReadonlySet<FindingId>
  unmet: readonly Unmet[]
  ignore: readonly FindingId[]
  /** The status of the command; null where no command was run. */
  status: number | null
}

/** A run without a request proves nothing: its client has called another address, or nothing. */
const NO_REQUESTS =
  'the emulator received no requests, so there is nothing to judge; exec gives its command the address in COMMERCE_URL and COMMERCE_BASE_URL, and --allow-no-requests lets such a run pass'

/** What the gates say of a run. */
export function judged(run: RunDocument, { minCoverage, failOn, ignore, allowNoRequests }: Gates, status: number | null = null): JudgedRun {
  const { percent } = run.coverage
  const counted = run.findings.filter(({ finding }) => !ignore.includes(finding))
  const gates: JudgedRun['gates'] = failOn.map(gate => ({ gate, problems: problemsOf(gate, run, counted) }))
  if (minCoverage !== null)
    gates.unshift({ gate: 'coverage', problems: percent < minCoverage ? [`rule coverage is ${percent} %, below ${minCoverage} %`] : [] })
  if (run.calls === 0 && !allowNoRequests) gates.unshift({ gate: 'requests', problems: [NO_REQUESTS] })
  const unmet = failOn.includes('expectations') ? run.unmet_expectations : []
  const fails = new Set(counted.filter(finding => failOn.some(gate => concerns(gate, finding))).map(({ finding }) => finding))
  return { run, gates, hasPassed: gates.every(({ problems }) => problems.length === 0), fails, unmet, ignore, status }
}

function problemsOf(gate: Gate, { unused_script_entries: unused, unmet_expectations: unmet }: RunDocument, findings: readonly Finding[]): string[] {
  if (gate === 'expectations') return unmetLines(unmet)
  if (gate === 'script')
    return unused.map(({ id, entry, ...more }) => explainedMessage(`the script entry ${nameOfEntry({ id, entry })} was never applied`, more))
  const names = findings.filter(finding => concerns(gate, finding)).map(({ finding }) => finding)
  return names.length === 0 ? [] : [`${GROUPS.some(group => group === gate) ? gate : 'finding'}: ${names.join(', ')}`]
}

/** Sandboxes that a line names; what more there are is counted. */
const MOST_NAMED = 5

/** Expectations that were not met, each once with the sandboxes that did not meet it; no sandbox is named where there is only the one at the base address. */
export function unmetLines(unmet: readonly Unmet[]): string[] {
  const sandboxes = new Map<string, Unmet[]>()
  for (const one of unmet) sandboxes.set(one.message, [...(sandboxes.get(one.message) ?? []), one])
  const isAlone = unmet.every(({ sandbox }) => sandbox === null)
  return [...sandboxes].map(([message, all]) => {
    const names = all.slice(0, MOST_NAMED).map(({ sandbox }) => sandboxName(sandbox))
    const more = all.length > MOST_NAMED ? ` and ${all.length - MOST_NAMED} more` : ''
    return explainedMessage(isAlone ? message : `${message}, in ${names.join(', ')}${more}`, all[0] as Unmet)
  })
}

/** What reports call a sandbox. */
export const sandboxName = (sandbox: string | null): string => sandbox ?? 'the base address'

/** Why a test fails: the findings that it caused and that fail a gate, and the expectations that a sandbox did not meet to which its requests went. */
export const problemsOfTest = ({ run, fails, unmet }: JudgedRun, { test, findings }: RunTest): string[] => [
  ...run.findings.flatMap(({ finding, about, advice }) => {
    const times = fails.has(finding) && findings.find(own => own.finding === finding)?.times
    return times ? [`${finding} (${times}×): ${about} ${advice}`] : []
  }),
  ...unmetLines(unmet.filter(({ tests }) => test !== null && tests.includes(test)))
]

/** Script entries by their names, or by their ids and operations. */
export const entryNames = (entries: readonly ListedEntry[]): string => entries.map(nameOfEntry).join(', ')
const nameOfEntry = ({ id, entry }: Pick<ListedEntry, 'id' | 'entry'>): string => entry.name ?? `${id} ${shownOn(entry.on)}`

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
