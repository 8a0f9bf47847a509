/** The evidence of the whole run, for its reports. */
import type { Period } from '../../evidence/run-history.js'
import { ASSUMPTIONS } from '../../reference/assumptions.js'
import type { Sandboxes } from '../../sandbox/sandboxes.js'
import { maskedList } from '../writing.js'

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
    assumptions: assumptions.ids().map(id => {
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
