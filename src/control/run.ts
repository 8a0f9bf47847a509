/** Control: all that a report of the run holds, over every sandbox, load and reset since the emulator was started. */
import type { FastifyPluginAsync } from 'fastify'
import type { Static } from 'typebox'
import { maskedThroughout } from '../core/redaction.js'
import { ASSUMPTIONS } from '../reference/assumptions.js'
import { optional, parameters, word } from '../reference/parameters.js'
import { MEDIA_TYPES, namesOf, RUN_FORMATS } from '../reports/formats.js'
import { judged, type RunDocument } from '../reports/run.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import { queryOf } from './bodies.js'
import { shownEntries } from './script.js'

const RUN_QUERY = parameters({ format: optional(word(['json', ...namesOf(RUN_FORMATS)])) })
const NO_GATES = { minCoverage: null, failOn: [], ignore: [] }

export const runRoutes: FastifyPluginAsync<{ sandboxes: Sandboxes; version: string }> = async (control, { sandboxes, version }) => {
  /** The run so far: as JSON, or as the report that `judge` writes, without gates. */
  control.get('/run', async (request, reply) => {
    const { format = 'json' } = queryOf<Static<typeof RUN_QUERY>>(request, RUN_QUERY)
    const document = runDocument()
    return format === 'json' ? document : reply.type(MEDIA_TYPES[format]).send(RUN_FORMATS[format](judged(document, NO_GATES)))
  })

  function runDocument(): RunDocument {
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
      findings: findings(),
      assumptions: assumptions.ids().map(id => {
        const { topic, default: fallback } = ASSUMPTIONS[id]
        const { times, requests } = assumptions.get(id)
        return { assumption: id, topic, default: fallback, times, requests }
      }),
      unused_script_entries: shownEntries(history.unused()),
      unmet_expectations: maskedThroughout(history.unmet()),
      ...run.listing()
    }
  }
}
