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

/** Names sandboxes and requests after the job, so that no two runs have the same. */
function ofJob({ job, run }: JobRun): RunDocument {
  const named = (value: unknown): unknown => {
    if (typeof value === 'string') return REQUEST.test(value) ? `${job}/${value}` : value
    if (Array.isArray(value)) return value.map(named)
    return value === null || typeof value !== 'object'
      ? value
      : Object.fromEntries(Object.entries(value).map(([name, part]) => [name, named(part)]))
  }
  const { recordings = [], ...listed } = run
  const { sandboxes, expectations, ...more } = named(listed) as RunDocument
  const inJob = <T extends { sandbox: string | null }>(one: T): T => ({
    ...one,
    sandbox: one.sandbox === null ? job : `${job}/${one.sandbox}`
  })
  return {
    ...more,
    sandboxes: sandboxes.map(inJob),
    expectations: expectations.map(inJob),
    recordings: recordings.map(one => ({ ...one, of: `${job}/${one.of}` }))
  }
}

/**
 * Several runs as one: counts are added up. A script entry was never applied where no run of its
 * scenario applied it.
 */
export function mergedRun(jobs: readonly JobRun[]): RunDocument {
  const runs = jobs.map(ofJob)
  const all = <T>(listOf: (run: RunDocument) => readonly T[]): T[] => runs.flatMap(listOf)
  const sum = (countOf: (run: RunDocument) => number) =>
    runs.reduce((total, run) => total + countOf(run), 0)
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
      : [{ ...first, times: same.reduce((sum, { times }) => sum + times, 0), requests }]
  })
}

function mergedTests(tests: readonly RunTest[]): RunTest[] {
  const union = <T>(inOrder: readonly T[], lists: readonly (readonly T[])[]) =>
    inOrder.filter(one => lists.some(list => list.includes(one)))
  return [...new Set(tests.map(({ test }) => test))].map(test => {
    const same = tests.filter(one => one.test === test)
    const found = same.flatMap(({ findings }) => findings)
    const timesOf = (id: FindingId) =>
      found.reduce((sum, { finding, times }) => sum + (finding === id ? times : 0), 0)
    return {
      test,
      calls: same.reduce((sum, { calls }) => sum + calls, 0),
      refused: same.reduce((sum, { refused }) => sum + refused, 0),
      kept: union(
        RULE_IDS,
        same.map(({ kept }) => kept)
      ),
      broken: union(
        RULE_IDS,
        same.map(({ broken }) => broken)
      ),
      findings: (Object.keys(FINDINGS) as FindingId[])
        .filter(id => timesOf(id) > 0)
        .map(finding => ({ finding, times: timesOf(finding) }))
    }
  })
}
