/** Control: all that a report of the run holds, over every sandbox, load and reset since the emulator was started. */
import type { FastifyPluginAsync } from 'fastify'
import type { Static } from 'typebox'
import { maskedThroughout } from '../core/redaction.js'
import { ASSUMPTIONS } from '../reference/assumptions.js'
import { optional, parameters, word } from '../reference/parameters.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import { queryOf } from './bodies.js'
import { verdictOn } from './reports/gates.js'
import type { RunDocument } from './run-document.js'
import { shownEntries } from './script.js'

const RUN_FORMATS = ['json', 'html', 'junit', 'markdown'] as const
const RUN_QUERY = parameters({ format: optional(word(RUN_FORMATS)) })
const NO_GATES = { minCoverage: null, failOn: [], ignore: [] }

export const runRoutes: FastifyPluginAsync<{ sandboxes: Sandboxes; version: string }> = async (control, { sandboxes, version }) => {
  /** The run so far: as JSON, or as the report that `judge` writes, without gates. */
  control.get('/run', async (request, reply) => {
    const { format = 'json' } = queryOf<Static<typeof RUN_QUERY>>(request, RUN_QUERY)
    const document = runDocument()
    if (format === 'json') return document
    const [type, text] = await written(document, format)
    return reply.type(type).send(text)
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

/** A run as a report of another format, with its media type. */
async function written(run: RunDocument, format: Exclude<(typeof RUN_FORMATS)[number], 'json'>): Promise<[type: string, text: string]> {
  const judged = { run, verdict: verdictOn(run, NO_GATES), ignore: [], status: null }
  if (format === 'html') return ['text/html; charset=utf-8', (await import('./reports/page.js')).runPage(judged)]
  if (format === 'junit') return ['application/xml; charset=utf-8', (await import('./reports/junit.js')).runJunit(judged)]
  return ['text/markdown; charset=utf-8', (await import('./reports/markdown.js')).runMarkdown(judged)]
}
