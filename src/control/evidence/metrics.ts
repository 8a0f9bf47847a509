/** Metrics as Prometheus text; prom-client is loaded at the first request. */
import type { Registry } from 'prom-client'
import { remembered } from '../../core/remembered.js'
import { nameOf, type OperationId } from '../../reference/operations.js'
import type { Sandboxes } from '../../sandbox/sandboxes.js'
import { FAMILIES } from '../../store/store.js'

type Value = { metricName?: string; labels: object; value: number }
type Metric = {
  name: string
  type: 'counter' | 'gauge' | 'summary'
  help: string
  labelNames?: readonly string[]
  values: (sandboxes: Sandboxes) => Value[]
}

const CALL_DURATION = 'commerce_call_duration_seconds'

/** In addition to those of Node.js. */
export const METRICS: readonly Metric[] = [
  {
    name: 'commerce_calls_total',
    type: 'counter',
    help: 'Requests of the emulated API, by operation and status.',
    labelNames: ['operation', 'status'],
    values: sandboxes =>
      operationsOf(sandboxes).flatMap(([operation, { statuses }]) =>
        [...statuses].map(([status, value]) => ({ labels: { operation, status }, value }))
      )
  },
  {
    name: CALL_DURATION,
    type: 'summary',
    help: 'Duration of requests of the emulated API, and their number.',
    labelNames: ['operation'],
    values: sandboxes =>
      operationsOf(sandboxes).flatMap(([operation, { statuses, ms }]) => [
        { metricName: `${CALL_DURATION}_sum`, labels: { operation }, value: ms / 1000 },
        {
          metricName: `${CALL_DURATION}_count`,
          labels: { operation },
          value: [...statuses.values()].reduce((sum, count) => sum + count, 0)
        }
      ])
  },
  {
    name: 'commerce_records',
    type: 'gauge',
    help: 'Records in the state of every sandbox, by family.',
    labelNames: ['family'],
    values: sandboxes =>
      FAMILIES.map(family => ({
        labels: { family },
        value: sandboxes.all().reduce((sum, { store }) => sum + store[family].size, 0)
      }))
  }
]

/** By name; `none` counts requests without an operation. */
const operationsOf = ({ main }: Sandboxes) =>
  Array.from(
    main.run.metrics.operations,
    ([id, counts]) => [id === 'none' ? id : nameOf(id as OperationId), counts] as const
  )

export const metricsOf = remembered(async (sandboxes: Sandboxes): Promise<Registry> => {
  const { default: prometheus } = await import('prom-client')
  const registry = new prometheus.Registry()
  prometheus.collectDefaultMetrics({ register: registry })
  for (const { name, help, type, values } of METRICS)
    registry.registerMetric({
      name,
      get: async () => ({ name, help, type, aggregator: 'sum', values: values(sandboxes) })
    } as never)
  return registry
})
