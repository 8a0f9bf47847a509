/** Several runs as one. */
import { isObject } from '../core/schema-words.js'
import { FINDING_IDS, MAX_NAMED } from '../evidence/findings.js'
import { MAX_CALLS } from '../evidence/run.js'
import { mergedReports, type RunTest } from '../evidence/totals.js'
import { ASSUMPTION_IDS } from '../reference/assumptions.js'
import { mapValues, RULE_IDS } from '../reference/rules.js'
import { nameOfEntry, type RunDocument } from './run.js'

export type JobRun = { job: string; run: RunDocument }

/** A name of a request in a run: `#1/req_3`, `worker-1#2/req_3`. */
const REQUEST = /^[\w.~/-]*#\d+\/req_\d+$/

/** Prefixes names of requests and sandboxes with the job. */
function withJobNames({ job, run }: JobRun): RunDocument {
  const { recordings = [], ...rest } = run
  const { sandboxes, expectations, unused_scenarios, ...more } = withJob(rest, job)
  const inJob = <T extends { sandbox: string | null }>(part: T): T => ({
    ...part,
    sandbox: part.sandbox === null ? job : `${job}/${part.sandbox}`
  })
  return {
    ...more,
    unused_scenarios: unused_scenarios.map(name => `${job}/${name}`),
    sandboxes: sandboxes.map(inJob),
    expectations: expectations.map(inJob),
    recordings: recordings.map(recording => ({ ...recording, of: `${job}/${recording.of}` }))
  }
}

function withJob<T>(value: T, job: string): T
function withJob(value: unknown, job: string): unknown {
  if (typeof value === 'string') return REQUEST.test(value) ? `${job}/${value}` : value
  if (Array.isArray(value)) return value.map(item => withJob(item, job))
  return isObject(value) ? mapValues(value, part => withJob(part, job)) : value
}

/** Adds numbers and joins lists; everything else is that of the first. */
function sumOf<T>(first: T, second: T): T
function sumOf(first: unknown, second: unknown): unknown {
  if (typeof first === 'number') return first + Number(second)
  if (Array.isArray(first)) return first.concat(second)
  if (!isObject(first) || !isObject(second)) return first
  return mapValues(first, (part, name) => sumOf(part, second[name]))
}

/** The sum of the items with the same id, in the order of `ids`. */
function sumsBy<T>(items: readonly T[], idOf: (item: T) => string | null, ids: readonly unknown[]) {
  return ids.flatMap(id => {
    const [first, ...more] = items.filter(item => idOf(item) === id)
    return first === undefined ? [] : [more.reduce(sumOf<T>, first)]
  })
}

export function mergedRun(jobs: readonly JobRun[]): RunDocument {
  const runs = jobs.map(withJobNames)
  const sum = runs.reduce((sum, run) => sumOf(sum, run))
  const { requests, omitted } = sum
  return {
    ...sum,
    scenario: {
      name: [...new Set(runs.map(({ scenario }) => scenario.name))].join(', '),
      description: null
    },
    coverage: mergedReports(runs.map(({ coverage }) => coverage)),
    findings: sumsBy(sum.findings, ({ finding }) => finding, FINDING_IDS).map(withFewRequests),
    assumptions: sumsBy(sum.assumptions, ({ assumption }) => assumption, ASSUMPTION_IDS).map(
      withFewRequests
    ),
    unused_script_entries: unusedIn(runs),
    tests: mergedTests(sum.tests),
    requests: requests.slice(0, MAX_CALLS),
    omitted: {
      ...omitted,
      requests: omitted.requests + Math.max(0, requests.length - MAX_CALLS)
    }
  }
}

const withFewRequests = <T extends { requests: readonly string[] }>(part: T): T => ({
  ...part,
  requests: part.requests.slice(0, MAX_NAMED)
})

function unusedIn(runs: readonly RunDocument[]): RunDocument['unused_script_entries'] {
  const unused = runs.flatMap(({ scenario: { name }, unused_script_entries: entries }) =>
    entries.map(entry => ({ name, entry, key: `${name} ${nameOfEntry(entry)}` }))
  )
  const isUnused = ({ name, entry }: (typeof unused)[number]) =>
    runs.every(
      ({ scenario, unused_script_entries: entries }) =>
        scenario.name !== name || entries.some(unused => nameOfEntry(unused) === nameOfEntry(entry))
    )
  return [...new Map(unused.filter(isUnused).map(({ key, entry }) => [key, entry])).values()]
}

function mergedTests(tests: readonly RunTest[]): RunTest[] {
  const names = new Set(tests.map(({ test }) => test))
  return sumsBy(tests, ({ test }) => test, [...names]).map(
    ({ passed, violated, findings, ...more }) => ({
      ...more,
      passed: RULE_IDS.filter(rule => passed.includes(rule)),
      violated: RULE_IDS.filter(rule => violated.includes(rule)),
      findings: sumsBy(findings, ({ finding }) => finding, FINDING_IDS)
    })
  )
}
