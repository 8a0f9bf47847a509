/** All that a report of the run holds, over every sandbox, load and reset since the emulator was started. */
import { maskedThroughout } from '../core/redaction.js'
import { keysToMask } from '../engine/keys.js'
import { ASSUMPTIONS } from '../reference/assumptions.js'
import type { RunDocument } from '../reports/run.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'

export function runDocument(sandboxes: Sandboxes, version: string): RunDocument {
  const { run, scenario, period } = sandboxes.main
  const keys = keysToMask(sandboxes.main)
  const { metrics, coverage, assumptions } = run
  const periods = sandboxes.all().flatMap(sandbox => (sandbox.isJudged ? [sandbox.period] : []))
  const soFar = run.history.with(periods)
  const history = soFar.isEmpty ? soFar.with([period]) : soFar
  return {
    object: 'run',
    version,
    scenario,
    calls: metrics.total,
    coverage: coverage.report(),
    findings: run.findings(),
    assumptions: assumptions.ids().map(id => {
      const { topic, default: fallback } = ASSUMPTIONS[id]
      const { times, requests } = assumptions.get(id)
      return { assumption: id, topic, default: fallback, times, requests }
    }),
    unused_script_entries: maskedThroughout(history.unused(), keys),
    unmet_expectations: maskedThroughout(history.unmet(), keys),
    ...run.listing()
  }
}
