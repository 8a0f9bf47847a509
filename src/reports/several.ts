/** Several runs as one. */
import { isObject } from '../core/quick-check.js'
import { FINDING_IDS, MAX_NAMED } from '../evidence/findings.js'
import { MAX_CALLS } from '../evidence/run.js'
import { mergedReports, type RunTest } from '../evidence/totals.js'
import { ASSUMPTION_IDS } from '../reference/assumptions.js'
import { RULE_IDS } from '../reference/rules.js'
import { nameOfEntry, type RunDocument } from './run.js'

export type JobRun = { job: string; run: RunDocument }

/** A name of a request in a run: `#1/req_3`, `worker-1#2/req_3`. */
const REQUEST = /^[\w.~/-]*#\d+\/req_\d+$/

/** Named after the job, so that no two runs have the same. */
function ofJob({ job, run }: JobRun): RunDocument {
  const named = (value: unknown): unknown => {
    if (typeof value === 'string') return REQUEST.test(value) ? `${job}/${value}` : value
    if (Array.isArray(value)) return value.map(named)
    return value === null || typeof value !== 'object'
      ? value
      : Object.fromEntries(Object.entries(value).map(([name, part]) => [name, named(part)]))
  }
  const { recordings = [], ...listed } = run
  const { sandboxes, expectations, unused_scenarios, ...more } = named(listed) as RunDocument
  const inJob = <T extends { sandbox: string | null }>(one: T): T => ({
    ...one,
    sandbox: one.sandbox === null ? job : `${job}/${one.sandbox}`
  })
  return {
    ...more,
    unused_scenarios: unused_scenarios.map(name => `${job}/${name}`),
    sandboxes: sandboxes.map(inJob),
    expectations: expectations.map(inJob),
    recordings: recordings.map(one => ({ ...one, of: `${job}/${one.of}` }))
  }
}

/** Numbers are added up and lists joined; all else is that of the first. */
function sumOf(one: unknown, other: unknown): unknown {
  if (typeof one === 'number') return one + Number(other)
  if (Array.isArray(one)) return one.concat(other)
  if (!isObject(one) || !isObject(other)) return one
  return Object.fromEntries(
    Object.entries(one).map(([name, part]) => [name, sumOf(part, other[name])])
  )
}

/** The sum of those with the same id, in the order of `ids`. */
function sumsBy<T>(listed: readonly T[], idOf: (one: T) => string | null, ids: readonly unknown[]) {
  return ids.flatMap(id => {
    const [first, ...more] = listed.filter(one => idOf(one) === id)
    return first === undefined ? [] : [more.reduce((sum, one) => sumOf(sum, one) as T, first)]
  })
}

/** A script entry was never applied where no run of its scenario applied it. */
export function mergedRun(jobs: readonly JobRun[]): RunDocument {
  const runs = jobs.map(ofJob)
  const sum = runs.reduce((sum, run) => sumOf(sum, run) as RunDocument)
  const { requests, omitted } = sum
  return {
    ...sum,
    scenario: {
      name: [...new Set(runs.map(({ scenario }) => scenario.name))].join(', '),
      description: null
    },
    coverage: mergedReports(runs.map(({ coverage }) => coverage)),
    findings: sumsBy(sum.findings, ({ finding }) => finding, FINDING_IDS).map(firstNamed),
    assumptions: sumsBy(sum.assumptions, ({ assumption }) => assumption, ASSUMPTION_IDS).map(
      firstNamed
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

const firstNamed = <T extends { requests: readonly string[] }>(one: T): T => ({
  ...one,
  requests: one.requests.slice(0, MAX_NAMED)
})

function unusedIn(runs: readonly RunDocument[]): RunDocument['unused_script_entries'] {
  const unused = runs.flatMap(({ scenario: { name }, unused_script_entries: entries }) =>
    entries.map(entry => ({ name, entry, key: `${name} ${nameOfEntry(entry)}` }))
  )
  const isUnused = ({ name, entry }: (typeof unused)[number]) =>
    runs.every(
      ({ scenario, unused_script_entries: entries }) =>
        scenario.name !== name || entries.some(one => nameOfEntry(one) === nameOfEntry(entry))
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
