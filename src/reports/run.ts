/** A run as reports show it, with the verdict of the gates. */
import { ApiError } from '../core/errors.js'
import { CHECKS } from '../core/sentences.js'
import { visible } from '../core/visible.js'
import { FINDINGS, type Finding, type FindingId } from '../evidence/findings.js'
import type { RunCall, RunListing } from '../evidence/run.js'
import type { Judged } from '../evidence/run-history.js'
import type { CoverageReport, RuleCoverage, RunTest } from '../evidence/totals.js'
import type { AssumptionId } from '../reference/assumptions.js'
import type { RunRecording } from '../replay/recorded-scenario.js'
import { shownOn } from '../scenario/match/matching.js'
import { explainedMessage, missText } from '../scenario/match/near-misses.js'
import type { ListedEntry } from '../scenario/script.js'
import { SAYS } from './sentences.js'

/** The response to `GET /_control/run`. */
export type RunDocument = Omit<RunListing, 'requests'> & {
  requests: readonly RunCall[]
  object: 'run'
  version: string
  /** Of the sandbox at the base address. */
  scenario: { name: string; description: string | null }
  calls: number
  /** Requests with a right key that met an operation. */
  reached: number
  coverage: CoverageReport
  findings: Finding[]
  assumptions: {
    assumption: AssumptionId
    topic: string
    default: string
    times: number
    requests: readonly string[]
  }[]
  /** Scenarios that were loaded and got no request. */
  unused_scenarios: string[]
  /** Script entries that applied in no period, and every expectation. */
  unused_script_entries: ListedEntry[]
  expectations: Judged[]
  /** In `run.json` of `exec`: what `repro --run` needs. */
  recordings?: RunRecording[]
}

const FINDING_IDS = Object.keys(FINDINGS) as FindingId[]
/** Gates that are not one finding. */
const GROUPS = ['expectations', 'script', 'findings', 'errors', 'warnings'] as const
/** The gates of `--fail-on`, and what `--ignore` takes. */
export const FAIL_ON = [...GROUPS, ...FINDING_IDS] as const
const IGNORABLE = ['expectations', ...FINDING_IDS] as const
export type Gate = (typeof FAIL_ON)[number]
/** `minCoverage` is in percent; findings in `ignore` fail no gate. */
export type Gates = {
  minCoverage: number | null
  failOn: readonly Gate[]
  ignore: readonly FindingId[]
  allowNoRequests: boolean
}
export type GivenGates = Partial<
  Omit<Gates, 'failOn' | 'ignore'> & Record<'failOn' | 'ignore', readonly string[]>
>

/** Of the command line; expectations are judged unless ignored. Errors: `setting_invalid`. */
export function gatesFrom({
  minCoverage = null,
  failOn = [],
  ignore = [],
  allowNoRequests = false
}: GivenGates): Gates {
  for (const [flag, names, known] of [
    ['--fail-on', failOn, FAIL_ON] as const,
    ['--ignore', ignore, IGNORABLE] as const
  ]) {
    const unknown = names.find(name => !(known as readonly string[]).includes(name))
    if (unknown !== undefined)
      throw wrong(`${flag}: ${CHECKS.unknown_name(visible(unknown), known, null)}`)
  }
  const both = ignore.find(name => failOn.includes(name))
  if (both !== undefined) throw wrong(SAYS.failed_and_ignored(both))
  const always = ignore.includes('expectations') ? [] : ['expectations']
  return {
    minCoverage,
    failOn: [...new Set([...always, ...failOn])] as Gate[],
    ignore: FINDING_IDS.filter(id => ignore.includes(id)),
    allowNoRequests
  }
}

const wrong = (message: string) => new ApiError('setting_invalid', { message })

export const DEFAULT_GATES = gatesFrom({})

/** By the name of the finding, by its severity, or as one of all. */
export const concerns = (gate: Gate, { finding, severity }: Finding): boolean =>
  gate === 'findings' || gate === `${severity}s` || gate === finding

/** A gate without problems passes; `fails` and `unmet` fail some gate. */
export type JudgedRun = {
  run: RunDocument
  gates: { gate: Gate | 'requests' | 'coverage'; problems: string[] }[]
  hasPassed: boolean
  fails: ReadonlySet<FindingId>
  unmet: readonly Judged[]
  ignore: readonly FindingId[]
  /** The status of the command; null where no command was run. */
  status: number | null
}

/** One in which no request reached an operation proves nothing. */
export function judged(
  run: RunDocument,
  { minCoverage, failOn, ignore, allowNoRequests }: Gates,
  status: number | null = null
): JudgedRun {
  const { percent } = run.coverage
  const counted = run.findings.filter(({ finding }) => !ignore.includes(finding))
  const gates: JudgedRun['gates'] = failOn.map(gate => ({
    gate,
    problems: problemsOf(gate, run, counted)
  }))
  if (minCoverage !== null)
    gates.unshift({
      gate: 'coverage',
      problems: percent < minCoverage ? [SAYS.low_coverage(percent, minCoverage)] : []
    })
  if (run.reached === 0 && !allowNoRequests)
    gates.unshift({
      gate: 'requests',
      problems: [run.calls === 0 ? SAYS.no_requests() : SAYS.none_reached(run.calls)]
    })
  const failing = counted.filter(finding => failOn.some(gate => concerns(gate, finding)))
  return {
    run,
    gates,
    hasPassed: gates.every(({ problems }) => problems.length === 0),
    fails: new Set(failing.map(({ finding }) => finding)),
    unmet: failOn.includes('expectations') ? unmetIn(run) : [],
    ignore,
    status
  }
}

function problemsOf(gate: Gate, run: RunDocument, findings: readonly Finding[]): string[] {
  if (gate === 'expectations') return unmetLines(unmetIn(run))
  if (gate === 'script')
    return run.unused_script_entries.map(entry =>
      explainedMessage(SAYS.never_applied(nameOfEntry(entry)), entry)
    )
  const names = findings.filter(finding => concerns(gate, finding)).map(({ finding }) => finding)
  return names.length === 0
    ? []
    : [`${GROUPS.some(group => group === gate) ? gate : 'finding'}: ${names.join(', ')}`]
}

export const unmetIn = ({ expectations }: Pick<RunDocument, 'expectations'>): Judged[] =>
  expectations.filter(({ holds }) => !holds)

const MAX_NAMED = 5

/** Once each, with their sandboxes unless the base address is the only one. */
export function unmetLines(unmet: readonly Judged[]): string[] {
  const isAlone = unmet.every(({ sandbox }) => sandbox === null)
  return [...new Set(unmet.map(({ message }) => message))].map(message => {
    const all = unmet.filter(one => one.message === message)
    const names = all.slice(0, MAX_NAMED).map(({ sandbox }) => sandboxName(sandbox))
    return explainedMessage(
      isAlone ? message : SAYS.unmet_in(message, names.join(', '), all.length - names.length),
      all[0] as Judged
    )
  })
}

export const sandboxName = (sandbox: string | null): string => sandbox ?? 'the base address'

/** The findings and unmet expectations of a test. */
export const problemsOfTest = (
  { run, fails, unmet }: JudgedRun,
  { test, findings }: RunTest
): string[] => [
  ...run.findings.flatMap(({ finding, about, advice }) => {
    const times = fails.has(finding) && findings.find(own => own.finding === finding)?.times
    return times ? [SAYS.caused(finding, times, about, advice)] : []
  }),
  ...unmetLines(unmet.filter(({ tests }) => test !== null && tests.includes(test)))
]

export const nameOfEntry = ({ id, entry }: Pick<ListedEntry, 'id' | 'entry'>): string =>
  entry.name ?? `${id} ${shownOn(entry.on)}`

export const coverageShare = ({ coverage: { seen, possible, percent } }: RunDocument): string =>
  SAYS.share(seen, possible, percent)
export const headline = ({ hasPassed }: JudgedRun): string => SAYS.headline(hasPassed)
/** `shown` is how the format shows a name. */
export const overview = ({ run, status }: JudgedRun, shown = (name: string) => name): string =>
  `${SAYS.overview(
    SAYS.requests(run.calls, refusedIn(run).length),
    coverageShare(run),
    shown(run.scenario.name),
    status
  )} ${SAYS.never_requested(run.unused_scenarios.map(shown).join(', '))}`.trimEnd()

export const refusedIn = ({ requests }: RunDocument): RunCall[] =>
  requests.filter(({ outcome }) => outcome === 'refused')

/** Why a request was refused: the rule or assumption, and the message. */
export function whyOf({ entry }: Pick<RunCall, 'entry'>): string {
  const { rule, assumption } = entry?.refusal ?? {}
  const { error } = (entry?.answer ?? {}) as { error?: { message?: unknown } }
  return [rule ?? assumption, error?.message].filter(Boolean).join(': ')
}

/** How often a rule was passed and violated; null where no request can. */
export const outcomesOf = ({ passable, violable, passed, violated }: RuleCoverage) => ({
  passed: passable ? passed : null,
  violated: violable ? violated : null
})

/** Text as it is, or a name of ours, such as that of a request. */
export type Part = string | number | { name: string }
export type Row = { level?: 'good' | 'warn' | 'bad'; cells: readonly (readonly Part[])[] }
export type Table = { title: string; head: readonly string[]; rows: readonly Row[] }

const named = (requests: readonly string[]): Part[] =>
  requests.flatMap((name, nth) => [nth === 0 ? '' : ' ', { name }])

/** The tables of a run that formats of more than lines show. */
export const tablesOf = ({
  run,
  gates,
  ignore
}: JudgedRun): Readonly<Record<'gates' | 'expectations' | 'findings' | 'assumptions', Table>> => ({
  gates: {
    title: 'Gates',
    head: ['gate', 'result', 'why'],
    rows: gates.map(({ gate, problems }) => ({
      level: problems.length === 0 ? 'good' : 'bad',
      cells: [
        [{ name: gate }],
        [problems.length === 0 ? 'passed' : 'failed'],
        [problems.join('; ')]
      ]
    }))
  },
  expectations: {
    title: 'Expectations',
    head: ['sandbox', 'verdict', 'expectation', 'met in', 'counted', 'nearly', 'tests'],
    rows: run.expectations.map(one => ({
      level: one.holds ? 'good' : 'bad',
      cells: [
        [sandboxName(one.sandbox)],
        [one.verdict],
        [one.holds ? one.wanted : one.message],
        [SAYS.periods(one.periods.met, one.periods.of)],
        named(one.requests ?? []),
        (one.near_misses ?? []).flatMap(({ in: where, misses }, nth) => [
          `${nth === 0 ? '' : '; '}${misses.map(missText).join(', ')} in `,
          { name: where }
        ]),
        [one.tests.join(', ')]
      ]
    }))
  },
  findings: {
    title: 'Findings',
    head: ['finding', 'severity', 'times', 'requests', 'what to do'],
    rows: run.findings.map(({ finding, severity, about, advice, times, requests }) => ({
      level: severity === 'error' ? 'bad' : 'warn',
      cells: [
        [{ name: finding }],
        [ignore.includes(finding) ? `${severity}, ignored` : severity],
        [times],
        named(requests),
        [`${about} ${advice}`]
      ]
    }))
  },
  assumptions: {
    title: 'Assumptions relied on',
    head: ['assumption', 'topic', 'default', 'responses', 'first'],
    rows: run.assumptions.map(({ assumption, topic, default: fallback, times, requests }) => ({
      cells: [[assumption], [topic], [fallback], [times], named(requests.slice(0, 1))]
    }))
  }
})
