/** What can fail a run, apart from the command itself: the gates, and the verdict on a run. */

import { didYouMean } from '../../core/nearest.js'
import { visible } from '../../core/visible.js'
import { FINDINGS, type Finding, type FindingId } from '../../evidence/findings.js'
import { shownOn } from '../../scenario/matching.js'
import type { RunDocument } from '../run-document.js'

const FINDING_IDS = Object.keys(FINDINGS) as FindingId[]
const GROUPS = ['expectations', 'script', 'findings', 'errors', 'warnings'] as const
/** The gates that `--fail-on` takes: those of a group, and each finding by its name. */
export const FAIL_ON = [...GROUPS, ...FINDING_IDS] as const
export type Gate = (typeof FAIL_ON)[number]
/** `minCoverage` is the least rule coverage that passes, in percent; findings in `ignore` fail no gate. */
export type Gates = { minCoverage: number | null; failOn: readonly Gate[]; ignore: readonly FindingId[] }

/** A gate with why the run does not pass it; it passes where there is no problem. */
export type GateResult = { gate: Gate | 'calls' | 'coverage'; problems: string[] }
/** What the gates say of a run; `fails` are the findings that fail some gate. */
export type Verdict = { gates: GateResult[]; failures: { gate: GateResult['gate']; message: string }[]; fails: ReadonlySet<FindingId> }

/** Gates by the words of the command line, or what is wrong with them. */
export function gatesFrom(given: { minCoverage?: number; failOn?: readonly string[]; ignore?: readonly string[] }): Gates | string {
  const { minCoverage = null, failOn = ['expectations'], ignore = [] } = given
  const unknown =
    unknownName('--fail-on', failOn, FAIL_ON, `the gates are ${GROUPS.join(', ')}, and the findings ${FINDING_IDS.join(', ')}`) ??
    unknownName('--ignore', ignore, FINDING_IDS, `the findings are ${FINDING_IDS.join(', ')}`)
  if (unknown !== undefined) return unknown
  const both = ignore.find(name => failOn.includes(name))
  if (both !== undefined) return `--fail-on ${both} and --ignore ${both} exclude each other`
  return { minCoverage, failOn: [...new Set(failOn as Gate[])], ignore: ignore as FindingId[] }
}

function unknownName(flag: string, names: readonly string[], known: readonly string[], all: string): string | undefined {
  const unknown = names.find(name => !known.includes(name))
  return unknown === undefined ? undefined : `${flag} ${visible(unknown)}: there is no such name${didYouMean(unknown, known) || `; ${all}`}`
}

/** A run without a call passes no gate of coverage or findings: its client has called another address, or nothing. */
const NO_CALL = 'no call came to the emulator, so there is nothing to judge; exec gives its command the address in COMMERCE_URL and COMMERCE_BASE_URL'

/** What the gates say of a run. */
export function verdictOn(run: RunDocument, { minCoverage, failOn, ignore }: Gates): Verdict {
  const counted = run.findings.filter(({ finding }) => !ignore.includes(finding))
  const asksForEvidence = minCoverage !== null || failOn.some(gate => gate !== 'expectations' && gate !== 'script')
  const gates: GateResult[] = [
    ...(asksForEvidence && run.calls === 0 ? [{ gate: 'calls' as const, problems: [NO_CALL] }] : []),
    ...(minCoverage === null ? [] : [{ gate: 'coverage' as const, problems: coverageProblems(run, minCoverage) }]),
    ...failOn.map(gate => ({ gate, problems: problemsOf(gate, run, counted) }))
  ]
  return {
    gates,
    failures: gates.flatMap(({ gate, problems }) => problems.map(message => ({ gate, message }))),
    fails: new Set(counted.filter(finding => failOn.some(gate => concerns(gate, finding))).map(({ finding }) => finding))
  }
}

const coverageProblems = ({ coverage: { percent } }: RunDocument, least: number) => (percent < least ? [`rule coverage is ${percent} %, below ${least} %`] : [])

function problemsOf(gate: Gate, { unused_script_entries: unused, unmet_expectations: unmet }: RunDocument, findings: readonly Finding[]): string[] {
  if (gate === 'expectations') return unmet.map(({ message }) => message)
  if (gate === 'script') return unused.length === 0 ? [] : [`script entries that were never applied: ${unused.map(entryName).join(', ')}`]
  const names = findings.filter(finding => concerns(gate, finding)).map(({ finding }) => finding)
  return names.length === 0 ? [] : [`${GROUPS.some(group => group === gate) ? gate : 'finding'}: ${names.join(', ')}`]
}

/** Whether a gate is about a finding: by its name, its severity, or as one of all. */
export const concerns = (gate: Gate, { finding, severity }: Finding) => gate === 'findings' || gate === `${severity}s` || gate === finding

/** A script entry by its name, or by its id and operation. */
export const entryName = ({ id, entry }: RunDocument['unused_script_entries'][number]): string => entry.name ?? `${id} ${shownOn(entry.on)}`
