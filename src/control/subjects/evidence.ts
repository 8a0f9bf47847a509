/** The evidence of a sandbox and of the whole run. */
import * as Type from 'typebox'
import type { SettingKey } from '../../core/settings.js'
import { FINDINGS } from '../../evidence/findings.js'
import type { Totals } from '../../evidence/totals.js'
import { ASSUMPTION_IDS, ASSUMPTIONS, isStanding } from '../../reference/assumptions.js'
import { closed, nullable, parameters, text, word } from '../../reference/parameters.js'
import { coverageText, findingsText } from '../../reports/text.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import { EVENT_STREAM } from '../evidence/events.js'
import { metricsOf } from '../evidence/metrics.js'
import { runDocument } from '../evidence/run.js'
import { type Rows, row } from '../route.js'
import {
  any,
  assumption,
  count,
  described,
  flag,
  format,
  list,
  listing,
  map,
  response,
  rule,
  SCENARIO,
  scope,
  strings,
  textOrNull,
  totals,
  typed
} from '../schemas.js'
import { written } from '../writing.js'
import { OUTCOME } from './journal.js'
import { ENTRY } from './script.js'
import { VERDICT } from './verify.js'

const SCOPE = scope(
  '`sandbox`, the default: since the last load or reset. `run`: over every sandbox, load and reset of the process.'
)
const SCOPED_TEXT = parameters({ ...SCOPE, ...format(['json', 'text']) })
const totalsIn = ({ run, evidence }: Sandbox, { scope }: { scope?: 'sandbox' | 'run' }): Totals =>
  scope === 'run' ? run : evidence.totals

const rules = (description?: string) => list(rule, description)
const finding = word(Object.keys(FINDINGS))
const COVERAGE = response('CoverageReport', {
  seen: count(
    'The number of outcomes seen. A rule that requests can both pass and violate has two outcomes, any other rule has one.'
  ),
  possible: count(),
  percent: Type.Number(),
  never_exercised: rules(),
  never_violated: rules('Passed and never violated, though a request can violate them.'),
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
const FOUND = list(
  closed({
    finding,
    severity: word(['error', 'warning']),
    about: text(),
    advice: text(),
    times: count(),
    requests: strings
  })
)
const RUN_CALL = response(
  'RunCall',
  {
    request: text(),
    test: nullable(described('The test that sent it, by its Test-Name header.')),
    on: textOrNull,
    method: text(),
    path: text(),
    outcome: OUTCOME,
    status: count(),
    entry: typed('ExplainedCall | null', {
      description: 'Present if the request was refused or a finding names it.'
    })
  },
  'A request of a run, named `SANDBOX#PERIOD/req_N`.'
)
const RUN = response('RunReport', {
  object: word(['run']),
  version: text(),
  scenario: SCENARIO,
  calls: count(),
  reached: count('Requests with a valid key for an operation.'),
  coverage: COVERAGE,
  findings: FOUND,
  assumptions: list(
    closed({ assumption, topic: text(), default: text(), ...totals }),
    'The assumptions that at least one response relied on.'
  ),
  unused_scenarios: strings,
  unused_script_entries: list(ENTRY),
  expectations: list(
    closed({
      ...VERDICT,
      sandbox: textOrNull,
      tests: strings,
      periods: closed({ met: count(), of: count() })
    }),
    'Each with its sandbox (null at the base address), the tests whose requests counted, and the number of periods in which it was met.'
  ),
  sandboxes: list(closed({ sandbox: textOrNull, periods: count() })),
  tests: list(
    closed({
      test: textOrNull,
      calls: count(),
      refused: count(),
      passed: rules(),
      violated: rules(),
      findings: list(closed({ finding, times: count() }))
    }),
    '`test` is null for requests that named no test.'
  ),
  requests: list(RUN_CALL),
  omitted: closed(
    { requests: count(), entries: count(), by_test: count() },
    { description: 'How much was dropped because a limit was reached.' }
  )
})

export const EVIDENCE_ROWS: Rows = {
  'GET /coverage': row({
    does: 'Returns which of the 91 possible rule outcomes the requests have shown.',
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
    does: 'Streams the journal as server-sent events: `request` for each request when it has ended, `clear` when the journal is emptied.',
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
