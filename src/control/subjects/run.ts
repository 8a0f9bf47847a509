/** The evidence of the whole run, for its reports. */
import * as Type from 'typebox'
import { FINDINGS } from '../../evidence/findings.js'
import type { Period } from '../../evidence/run-history.js'
import { ASSUMPTION_IDS, ASSUMPTIONS } from '../../reference/assumptions.js'
import { closed, text, word } from '../../reference/parameters.js'
import type { Sandboxes } from '../../sandbox/sandboxes.js'
import {
  assumption,
  count,
  described,
  flag,
  list,
  OUTCOME,
  response,
  rule,
  SCENARIO,
  strings,
  textOrNull,
  totals,
  typed
} from '../schemas.js'
import { maskedList } from '../writing.js'
import { ENTRY } from './script.js'
import { VERDICT } from './verify.js'

const rules = list(rule)
const finding = word(Object.keys(FINDINGS))
export const COVERAGE = response('CoverageReport', {
  seen: count('A rule that requests can both pass and violate has two outcomes.'),
  possible: count(),
  percent: Type.Number(),
  never_exercised: rules,
  never_violated: rules,
  rules: list(
    closed({
      rule,
      text: text(),
      violable: flag(),
      passable: flag(),
      passed: count(),
      violated: count()
    })
  )
})
export const FOUND = list(
  closed({
    finding,
    severity: word(['error', 'warning']),
    about: text(),
    advice: text(),
    times: count(),
    requests: strings
  })
)
const RUN_CALL = response('RunCall', {
  request: described('`SANDBOX#PERIOD/req_N`.'),
  test: textOrNull,
  on: textOrNull,
  method: text(),
  path: text(),
  outcome: OUTCOME,
  status: count(),
  entry: typed('ExplainedCall | null', {
    description: 'Present if the request was refused or a finding names it.'
  })
})
export const RUN = response('RunReport', {
  object: word(['run']),
  version: text(),
  scenario: SCENARIO,
  calls: count(),
  reached: count('Requests that reached an operation with a valid key.'),
  coverage: COVERAGE,
  findings: FOUND,
  assumptions: list(closed({ assumption, topic: text(), default: text(), ...totals })),
  unused_scenarios: strings,
  unused_script_entries: list(ENTRY),
  expectations: list(
    closed({
      ...VERDICT,
      sandbox: textOrNull,
      tests: strings,
      periods: closed({ met: count(), of: count() })
    })
  ),
  sandboxes: list(closed({ sandbox: textOrNull, periods: count() })),
  tests: list(
    closed({
      test: textOrNull,
      calls: count(),
      refused: count(),
      passed: rules,
      violated: rules,
      findings: list(closed({ finding, times: count() }))
    })
  ),
  requests: list(RUN_CALL),
  omitted: closed({ requests: count(), entries: count(), by_test: count() })
})

/** In slices; long lists are built while they are written. */
export async function runDocument(sandboxes: Sandboxes, version: string): Promise<object> {
  const { main } = sandboxes
  const { run, scenario } = main
  const { metrics, coverage, assumptions } = run
  await run.history.settled
  const periods: Period[] = []
  for (const sandbox of sandboxes.all()) if (sandbox.isJudged) periods.push(await sandbox.period())
  const soFar = run.history.with(periods)
  const history = soFar.isEmpty ? soFar.with([await main.period()]) : soFar
  return {
    object: 'run',
    version,
    scenario,
    calls: metrics.total,
    reached: metrics.reached,
    coverage: coverage.report(),
    findings: run.findings(),
    assumptions: assumptions.used(ASSUMPTION_IDS).map(id => {
      const { topic, default: fallback } = ASSUMPTIONS[id]
      const { times, requests } = assumptions.get(id)
      return { assumption: id, topic, default: fallback, times, requests }
    }),
    unused_scenarios: history.unusedScenarios(),
    unused_script_entries: maskedList(history.unused(), main),
    expectations: maskedList(history.judged(), main),
    ...run.listing()
  }
}
