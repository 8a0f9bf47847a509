/** Several runs as one. */
import { FINDINGS, type FindingId, MAX_NAMED } from '../evidence/findings.js'
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

const total = <T>(all: readonly T[], countOf: (one: T) => number): number =>
  all.reduce((sum, one) => sum + countOf(one), 0)

/** A script entry was never applied where no run of its scenario applied it. */
export function mergedRun(jobs: readonly JobRun[]): RunDocument {
  const runs = jobs.map(ofJob)
  const all = <T>(listOf: (run: RunDocument) => readonly T[]): T[] => runs.flatMap(listOf)
  const sum = (countOf: (run: RunDocument) => number) => total(runs, countOf)
  const requests = all(run => run.requests)
  const names = [...new Set(runs.map(({ scenario }) => scenario.name))]
  const isUnused = (name: string, entry: string) =>
    runs
      .filter(({ scenario }) => scenario.name === name)
      .every(run => run.unused_script_entries.some(one => nameOfEntry(one) === entry))
  const unused = all(({ scenario, unused_script_entries }) =>
    unused_script_entries.map(entry => ({ name: scenario.name, entry }))
  )
  return {
    ...(runs[0] as RunDocument),
    scenario: { name: names.join(', '), description: null },
    calls: sum(({ calls }) => calls),
    reached: sum(({ reached }) => reached),
    coverage: mergedReports(runs.map(({ coverage }) => coverage)),
    findings: addedUp(
      all(({ findings }) => findings),
      ({ finding }) => finding,
      Object.keys(FINDINGS)
    ),
    assumptions: addedUp(
      all(({ assumptions }) => assumptions),
      ({ assumption }) => assumption,
      ASSUMPTION_IDS
    ),
    unused_scenarios: all(run => run.unused_scenarios),
    unused_script_entries: [
      ...new Map(
        unused.flatMap(({ name, entry }) =>
          isUnused(name, nameOfEntry(entry)) ? [[`${name} ${nameOfEntry(entry)}`, entry]] : []
        )
      ).values()
    ],
    expectations: all(({ expectations }) => expectations),
    sandboxes: all(({ sandboxes }) => sandboxes),
    recordings: all(({ recordings = [] }) => recordings),
    tests: mergedTests(all(({ tests }) => tests)),
    requests: requests.slice(0, MAX_CALLS),
    omitted: {
      requests: sum(({ omitted }) => omitted.requests) + Math.max(0, requests.length - MAX_CALLS),
      entries: sum(({ omitted }) => omitted.entries),
      by_test: sum(({ omitted }) => omitted.by_test)
    }
  }
}

/** Sums what runs list, in the order of `ids`, with the first requests. */
function addedUp<T extends { times: number; requests: readonly string[] }>(
  listed: readonly T[],
  idOf: (one: T) => string,
  ids: readonly string[]
): T[] {
  return ids.flatMap(id => {
    const same = listed.filter(one => idOf(one) === id)
    const [first] = same
    const requests = same.flatMap(({ requests }) => requests).slice(0, MAX_NAMED)
    return first === undefined
      ? []
      : [{ ...first, times: total(same, ({ times }) => times), requests }]
  })
}

function mergedTests(tests: readonly RunTest[]): RunTest[] {
  return [...new Set(tests.map(({ test }) => test))].map(test => {
    const same = tests.filter(one => one.test === test)
    const found = same.flatMap(({ findings }) => findings)
    const timesOf = (id: FindingId) =>
      total(
        found.filter(({ finding }) => finding === id),
        ({ times }) => times
      )
    const rulesIn = (what: 'kept' | 'broken') =>
      RULE_IDS.filter(rule => same.some(one => one[what].includes(rule)))
    return {
      test,
      calls: total(same, ({ calls }) => calls),
      refused: total(same, ({ refused }) => refused),
      kept: rulesIn('kept'),
      broken: rulesIn('broken'),
      findings: (Object.keys(FINDINGS) as FindingId[])
        .map(finding => ({ finding, times: timesOf(finding) }))
        .filter(({ times }) => times > 0)
    }
  })
}
