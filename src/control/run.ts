/** Control: all that a report of the run holds, over every sandbox, load and reset since the emulator was started. */
import type { FastifyPluginAsync } from 'fastify'
import { maskedThroughout } from '../core/redaction.js'
import type { CoverageReport } from '../evidence/coverage.js'
import type { Finding } from '../evidence/findings.js'
import type { RunListing } from '../evidence/run.js'
import { ASSUMPTIONS, type AssumptionId } from '../reference/assumptions.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import type { Verdict } from '../scenario/expectations.js'
import type { ListedEntry } from '../scenario/script.js'
import { queryOf } from './bodies.js'
import { shownEntries } from './script.js'

/** What `exec` and `judge` judge a run by, and what their reports are made of. */
export type RunDocument = RunListing & {
  object: 'run'
  version: string
  /** What the sandbox at the base address is loaded with. */
  scenario: { name: string; description: string | null }
  calls: number
  coverage: CoverageReport
  findings: Finding[]
  /** Those that some answer relied on. */
  assumptions: { assumption: AssumptionId; topic: string; default: string; times: number; requests: readonly string[] }[]
  /** Script entries that applied in no period, and expectations that were not met. */
  unused_script_entries: ListedEntry[]
  unmet_expectations: Verdict[]
}

export const runRoutes: FastifyPluginAsync<{ sandboxes: Sandboxes; version: string }> = async (control, { sandboxes, version }) => {
  control.get('/run', async (request): Promise<RunDocument> => {
    queryOf(request)
    const { run, scenario, period } = sandboxes.main
    const { metrics, coverage, findings, assumptions } = run
    const periods = sandboxes.all().flatMap(({ requests, period }) => (requests > 0 ? [period] : []))
    const soFar = run.history.with(periods)
    const history = soFar.isEmpty ? soFar.with([period]) : soFar
    return {
      object: 'run',
      version,
      scenario,
      calls: metrics.total,
      coverage: coverage.report(),
      findings: findings.list(),
      assumptions: assumptions.ids().map(id => {
        const { topic, default: fallback } = ASSUMPTIONS[id]
        const { times, calls } = assumptions.get(id)
        return { assumption: id, topic, default: fallback, times, requests: calls }
      }),
      unused_script_entries: shownEntries(history.unused()),
      unmet_expectations: maskedThroughout(history.unmet()),
      ...run.listing()
    }
  })
}
