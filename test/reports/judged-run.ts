/** Runs with their criteria, for the tests of reports. */
import { FINDINGS, type Finding, type FindingId } from '../../src/evidence/findings.js'
import type { RunCall, RunEntry } from '../../src/evidence/run.js'
import type { Judged } from '../../src/evidence/run-history.js'
import { Coverage } from '../../src/evidence/totals.js'
import {
  type Criteria,
  DEFAULT_CRITERIA,
  type JudgedRun,
  judged,
  type RunDocument
} from '../../src/reports/run.js'

export const finding = (id: FindingId, ...requests: string[]): Finding => ({
  finding: id,
  ...FINDINGS[id],
  times: Math.max(requests.length, 1),
  requests
})

/** A refused request in full, with client text everywhere. */
export const refusedCall = (text: string, given: Partial<RunCall> = {}): RunCall => {
  const call = {
    on: 'POST /refunds',
    method: 'POST',
    path: `/${text}`,
    test: text,
    outcome: 'refused',
    status: 400
  } as const
  const entry = {
    ...call,
    id: '#1/req_1',
    at: '2026-03-01T18:00:00.000Z',
    params: { id: text },
    account: 'mch_a',
    query: { [text]: text },
    body: { metadata: { [text]: text } },
    user_agent: text,
    trace: null,
    answer: { error: { message: text, param: text } },
    answered: true,
    took_effect: false,
    script: { id: 'scr_1', name: text, fault: null },
    refusal: { code: 'refund_exceeds_remaining', rule: 'REF-7', assumption: null, param: text },
    ms: 1,
    why: {
      rules: [
        {
          rule: 'REF-7',
          verdict: 'violated',
          text: 'a Refund above the remainder is an error',
          facts: { transaction: text }
        }
      ],
      assumptions: [{ assumption: 'A07', topic: 'error body' }],
      changed_by: ['#1/req_0']
    }
  } as RunEntry
  return { ...call, request: '#1/req_1', entry, ...given }
}

export const answeredCall = (request: string, test: string | null = null): RunCall => ({
  ...refusedCall('', { request, test }),
  path: '/tickets',
  method: 'GET',
  outcome: 'answered',
  status: 200,
  entry: null
})

/** An empty run, except for the given parts. */
export const runOf = (given: Partial<RunDocument> = {}): RunDocument => ({
  object: 'run',
  version: '1.2.3',
  scenario: { name: 'default', description: null },
  calls: 2,
  reached: 2,
  coverage: new Coverage().report(),
  findings: [],
  assumptions: [],
  unused_scenarios: [],
  unused_script_entries: [],
  expectations: [],
  sandboxes: [],
  tests: [],
  requests: [],
  omitted: { requests: 0, entries: 0, by_test: 0 },
  ...given
})

export const unmet = (sandbox: string | null, message: string, ...tests: string[]): Judged => ({
  expectation: { on: 'POST /refunds' },
  wanted: message,
  verdict: 'unmet',
  seen: 0,
  holds: false,
  forbidden: false,
  message,
  sandbox,
  tests,
  periods: { met: 0, of: 1 }
})

export const judgedRun = (
  given: Partial<RunDocument> = {},
  criteria: Partial<Criteria> = {},
  status: number | null = 0
): JudgedRun => judged(runOf(given), { ...DEFAULT_CRITERIA, ...criteria }, status)
