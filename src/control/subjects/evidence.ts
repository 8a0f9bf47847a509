/** The evidence of a sandbox and of the whole run. */
import type { SettingKey } from '../../core/settings.js'
import type { Totals } from '../../evidence/totals.js'
import { ASSUMPTION_IDS, ASSUMPTIONS, isStanding } from '../../reference/assumptions.js'
import { parameters, text } from '../../reference/parameters.js'
import { coverageText, findingsText } from '../../reports/text.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import { EVENT_STREAM } from '../evidence/events.js'
import { metricsOf } from '../evidence/metrics.js'
import { type Rows, row } from '../row.js'
import { any, flag, format, listing, map, response, scope, totals } from '../schemas.js'
import { written } from '../writing.js'
import { COVERAGE, FOUND, RUN, runDocument } from './run.js'

const SCOPE = scope(
  '`sandbox`, the default: since the last load or reset. `run`: over every sandbox, load and reset of the process.'
)
const SCOPED_TEXT = parameters({ ...SCOPE, ...format(['json', 'text']) })
const totalsIn = ({ run, evidence }: Sandbox, { scope }: { scope?: 'sandbox' | 'run' }): Totals =>
  scope === 'run' ? run : evidence.totals

export const EVIDENCE_ROWS: Rows = {
  'GET /coverage': row({
    does: 'Returns which of the 91 possible rule outcomes the requests have exercised.',
    query: SCOPED_TEXT,
    response: COVERAGE,
    run: ({ sandbox, query }) => {
      const report = totalsIn(sandbox, query).coverage.report()
      return query.format === 'text' ? coverageText(report) : report
    }
  }),
  'DELETE /coverage': row({
    does: 'Resets the counts to zero.',
    query: parameters(SCOPE),
    run: ({ sandbox, query }) => totalsIn(sandbox, query).coverage.clear()
  }),
  'GET /findings': row({
    does: 'Returns the mistakes of the client, each with the requests that show it: [the findings](findings.md).',
    query: SCOPED_TEXT,
    response: response('FindingsReport', { data: FOUND }),
    run: ({ sandbox, query }) => {
      const data = totalsIn(sandbox, query).findings()
      return query.format === 'text' ? findingsText(data) : { data }
    }
  }),
  'GET /assumptions': row({
    does: 'Lists the assumptions, their settings, and which responses relied on each.',
    query: parameters(SCOPE),
    response: listing(
      response('ShownAssumption', {
        id: text(),
        topic: text(),
        default: text(),
        settings: map(any),
        standing: flag(),
        ...totals
      })
    ),
    run: ({ sandbox, query }) => {
      const usage = totalsIn(sandbox, query).assumptions
      const data = ASSUMPTION_IDS.map(id => {
        const { topic, default: fallback, settings } = ASSUMPTIONS[id]
        return {
          id,
          topic,
          default: fallback,
          settings: Object.fromEntries(
            settings.map(key => [key, sandbox.settings[key as SettingKey]])
          ),
          standing: isStanding(id),
          ...usage.get(id)
        }
      })
      return { data }
    }
  }),
  'GET /run': row({
    does: 'Returns the whole run: every sandbox, load and reset so far. `exec` and `judge` read it and write their reports from it.',
    query: parameters(
      format(
        ['json', 'html', 'junit', 'markdown'],
        '`json`, the default, or the report as `html`, `junit` or `markdown`, judged by the expectations of the scenario.'
      )
    ),
    response: RUN,
    run: async ({ sandbox, sandboxes, version, query: { format: as = 'json' }, left }) => {
      const document = await runDocument(sandboxes, version)
      return as === 'json' ? document : sandbox.work(left(), ask => written(ask, as, document))
    }
  }),
  'GET /events': row({
    does: 'Streams the journal as server-sent events: `request` for each request when it ends, `clear` when the journal is emptied.',
    query: parameters(scope('`sandbox`, the default, or `run`: every sandbox.')),
    run: ({ streams, request, reply, query: { scope } }) =>
      request.method === 'HEAD'
        ? reply.type(EVENT_STREAM).send('')
        : streams.open(reply, request.arrival, scope === 'run')
  }),
  'GET /metrics': {
    does: 'Returns metrics as Prometheus text: [the metrics](metrics.md).',
    run: async ({ sandboxes, reply }) => {
      const registry = await metricsOf(sandboxes)
      reply.type(registry.contentType)
      return registry.metrics()
    }
  }
}
