/** docs/reference/metrics.md: what GET /_control/metrics shows. */
import { METRICS } from '../../src/control/evidence/metrics.js'
import { code, page, table } from './markdown.js'

const INTRODUCTION = `\`GET /_control/metrics\` shows these metrics in Prometheus text, of the whole process since it was started: every sandbox, load and reset. If a control token is set, Prometheus must send it.

The metrics of Node.js itself are under \`process_\` and \`nodejs_\`: memory, processor time, event loop and garbage collection, as prom-client names them.`

const LABELS = `An \`operation\` is a method and a path of the reference, such as \`POST /refunds\`, or \`none\` for a request that matches no operation.`

/** The page. */
export const metricsPage = (): string =>
  page(
    'Metrics',
    INTRODUCTION,
    table(
      ['metric', 'type', 'labels', 'what it counts'],
      METRICS.map(({ name, type, labelNames = [], help }) => [
        code(name),
        type,
        labelNames.map(code).join(', '),
        help
      ])
    ),
    LABELS
  )
