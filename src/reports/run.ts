/** A run as reports show it, and the verdict of the criteria. */
import { ApiError } from '../core/errors.js'
import { partAt } from '../core/places.js'
import { CHECKS, visible } from '../core/sentences.js'
import { FINDING_IDS, type Finding, type FindingId } from '../evidence/findings.js'
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
  /** Requests with a known key that reached an operation. */
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
  unused_scenarios: string[]
  /** Script entries that applied in no period, and every expectation. */
  unused_script_entries: ListedEntry[]
  expectations: Judged[]
  /** In `run.json` of `exec`: what `repro --run` needs. */
  recordings?: RunRecording[]
}

const GROUPS = ['expectations', 'script', 'findings', 'errors', 'warnings'] as const
export const FAIL_ON = [...GROUPS, ...FINDING_IDS] as const
const IGNORABLE = ['expectations', ...FINDING_IDS] as const
export type Criterion = (typeof FAIL_ON)[number]
/** `minCoverage` is in percent; findings in `ignore` fail no criterion. */
export type Criteria = {
  minCoverage: number | null
  failOn: readonly Criterion[]
  ignore: readonly FindingId[]
  allowNoRequests: boolean
}
export type GivenCriteria = Partial<
  Omit<Criteria, 'failOn' | 'ignore'> & Record<'failOn' | 'ignore', readonly string[]>
>

/** Expectations are judged unless ignored. Errors: `setting_invalid`. */
export function criteriaFrom({
  minCoverage = null,
  failOn = [],
  ignore = [],
  allowNoRequests = false
}: GivenCriteria): Criteria {
  const criteria = new Set<Criterion>(namesOf('--fail-on', failOn, FAIL_ON))
  const ignored = namesOf('--ignore', ignore, IGNORABLE)
  const both = ignored.find(name => criteria.has(name))
  if (both !== undefined) throw settingInvalid(SAYS.failed_and_ignored(both))
  const expectations = ignored.includes('expectations') ? [] : ['expectations' as const]
  return {
    minCoverage,
    failOn: [...new Set([...expectations, ...criteria])],
    ignore: FINDING_IDS.filter(id => ignored.includes(id)),
    allowNoRequests
  }
}

function namesOf<T extends string>(flag: string, names: readonly string[], known: readonly T[]) {
  return names.map(name => {
    const knownName = known.find(known => known === name)
    if (knownName !== undefined) return knownName
    throw settingInvalid(`${flag}: ${CHECKS.unknown_name(visible(name), known)}`)
  })
}

const settingInvalid = (message: string) => new ApiError('setting_invalid', { message })

export const DEFAULT_CRITERIA = criteriaFrom({})

export const concerns = (criterion: Criterion, { finding, severity }: Finding): boolean =>
  criterion === 'findings' || criterion === `${severity}s` || criterion === finding

/** `fails` and `unmet`: findings and expectations that fail a criterion. */
export type JudgedRun = {
  run: RunDocument
  criteria: { criterion: Criterion | 'requests' | 'coverage'; problems: string[] }[]
  hasPassed: boolean
  fails: ReadonlySet<FindingId>
  unmet: readonly Judged[]
  ignore: readonly FindingId[]
  /** The status of the command; null where no command was run. */
  status: number | null
}

/** A run without a request to an operation proves nothing. */
export function judged(
  run: RunDocument,
  { minCoverage, failOn, ignore, allowNoRequests }: Criteria,
  status: number | null = null
): JudgedRun {
  const { percent } = run.coverage
  const counted = run.findings.filter(({ finding }) => !ignore.includes(finding))
  const criteria: JudgedRun['criteria'] = failOn.map(criterion => ({
    criterion,
    problems: problemsOf(criterion, run, counted)
  }))
  if (minCoverage !== null)
    criteria.unshift({
      criterion: 'coverage',
      problems: percent < minCoverage ? [SAYS.low_coverage(percent, minCoverage)] : []
    })
  if (run.reached === 0 && !allowNoRequests)
    criteria.unshift({
      criterion: 'requests',
      problems: [run.calls === 0 ? SAYS.no_requests() : SAYS.none_reached(run.calls)]
    })
  const failing = counted.filter(finding => failOn.some(criterion => concerns(criterion, finding)))
  return {
    run,
    criteria,
    hasPassed: criteria.every(({ problems }) => problems.length === 0),
    fails: new Set(failing.map(({ finding }) => finding)),
    unmet: failOn.includes('expectations') ? unmetIn(run) : [],
    ignore,
    status
  }
}

function problemsOf(
  criterion: Criterion,
  run: RunDocument,
  findings: readonly Finding[]
): string[] {
  if (criterion === 'expectations') return unmetLines(unmetIn(run))
  if (criterion === 'script')
    return run.unused_script_entries.map(entry =>
      explainedMessage(SAYS.never_applied(nameOfEntry(entry)), entry)
    )
  const names = findings
    .filter(finding => concerns(criterion, finding))
    .map(({ finding }) => finding)
  return names.length === 0
    ? []
    : [`${GROUPS.some(group => group === criterion) ? criterion : 'finding'}: ${names.join(', ')}`]
}

export const unmetIn = ({ expectations }: Pick<RunDocument, 'expectations'>): Judged[] =>
  expectations.filter(({ holds }) => !holds)

const MAX_NAMED = 5

/** Each message once, with its sandboxes. */
export function unmetLines(unmet: readonly Judged[]): string[] {
  const isAlone = unmet.every(({ sandbox }) => sandbox === null)
  return [...new Set(unmet.map(({ message }) => message))].map(message => {
    const group = unmet.filter(expectation => expectation.message === message)
    const names = group.slice(0, MAX_NAMED).map(({ sandbox }) => sandboxName(sandbox))
    const text = isAlone
      ? message
      : SAYS.unmet_in(message, names.join(', '), group.length - names.length)
    return explainedMessage(text, { ...group[0] })
  })
}

export const sandboxName = (sandbox: string | null): string => sandbox ?? 'the base address'

export const problemsOfTest = (
  { run, fails, unmet }: JudgedRun,
  { test, findings }: RunTest
): string[] => [
  ...run.findings.flatMap(({ finding, about, advice }) => {
    const times = findings.find(ofTest => ofTest.finding === finding)?.times
    return times && fails.has(finding) ? [SAYS.caused(finding, times, about, advice)] : []
  }),
  ...unmetLines(unmet.filter(({ tests }) => test !== null && tests.includes(test)))
]

export const nameOfEntry = ({ id, entry }: Pick<ListedEntry, 'id' | 'entry'>): string =>
  entry.name ?? `${id} ${shownOn(entry.on)}`

export const coverageShare = ({ coverage: { seen, possible, percent } }: RunDocument): string =>
  SAYS.share(seen, possible, percent)
export const headline = ({ hasPassed }: JudgedRun): string => SAYS.headline(hasPassed)
export const overview = ({ run, status }: JudgedRun, format = (name: string) => name): string =>
  `${SAYS.overview(
    SAYS.requests(run.calls, refusedIn(run).length),
    coverageShare(run),
    format(run.scenario.name),
    status
  )} ${SAYS.never_requested(run.unused_scenarios.map(format).join(', '))}`.trimEnd()

export const refusedIn = ({ requests }: RunDocument): RunCall[] =>
  requests.filter(({ outcome }) => outcome === 'refused')

export function whyOf({ entry }: Pick<RunCall, 'entry'>): string {
  const { rule, assumption } = entry?.refusal ?? {}
  const message = partAt(entry?.answer, ['error', 'message'])
  return [rule ?? assumption, message].filter(Boolean).join(': ')
}

/** How often a rule was passed and violated; null where no request can. */
export const outcomesOf = ({ passable, violable, passed, violated }: RuleCoverage) => ({
  passed: passable ? passed : null,
  violated: violable ? violated : null
})

/** A text, or the name of a request, for example. */
export type Part = string | number | { name: string }
export type Row = { level?: 'good' | 'warn' | 'bad'; cells: readonly (readonly Part[])[] }
export type Table = { title: string; head: readonly string[]; rows: readonly Row[] }

const requestParts = (requests: readonly string[]): Part[] =>
  requests.flatMap((name, nth) => [nth === 0 ? '' : ' ', { name }])

export const tablesOf = ({
  run,
  criteria,
  ignore
}: JudgedRun): Readonly<
  Record<'criteria' | 'expectations' | 'findings' | 'assumptions', Table>
> => ({
  criteria: {
    title: 'Criteria',
    head: ['criterion', 'result', 'why'],
    rows: criteria.map(({ criterion, problems }) => ({
      level: problems.length === 0 ? 'good' : 'bad',
      cells: [
        [{ name: criterion }],
        [problems.length === 0 ? 'passed' : 'failed'],
        [problems.join('; ')]
      ]
    }))
  },
  expectations: {
    title: 'Expectations',
    head: ['sandbox', 'verdict', 'expectation', 'met in', 'counted', 'nearly', 'tests'],
    rows: run.expectations.map(expectation => ({
      level: expectation.holds ? 'good' : 'bad',
      cells: [
        [sandboxName(expectation.sandbox)],
        [expectation.verdict],
        [expectation.holds ? expectation.wanted : expectation.message],
        [SAYS.periods(expectation.periods.met, expectation.periods.of)],
        requestParts(expectation.requests ?? []),
        (expectation.near_misses ?? []).flatMap(({ in: request, misses }, nth) => [
          `${nth === 0 ? '' : '; '}${misses.map(missText).join(', ')} in `,
          { name: request }
        ]),
        [expectation.tests.join(', ')]
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
        requestParts(requests),
        [`${about} ${advice}`]
      ]
    }))
  },
  assumptions: {
    title: 'Assumptions relied on',
    head: ['assumption', 'topic', 'default', 'responses', 'first'],
    rows: run.assumptions.map(({ assumption, topic, default: fallback, times, requests }) => ({
      cells: [[assumption], [topic], [fallback], [times], requestParts(requests.slice(0, 1))]
    }))
  }
})
