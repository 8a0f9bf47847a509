/** Metrics as Prometheus text; prom-client is loaded at the first request. */
import type { Registry } from 'prom-client'
import { LATENCY_BOUNDS } from '../../evidence/totals.js'
import { nameOf, type OperationId } from '../../reference/operations.js'
import type { Sandboxes } from '../../sandbox/sandboxes.js'
import { FAMILIES } from '../../store/store.js'

/** In addition to those of Node.js. */
export const METRICS = {
  calls: {
    name: 'commerce_calls_total',
    type: 'counter',
    help: 'Requests of the emulated API, by operation and status.',
    labelNames: ['operation', 'status']
  },
  durations: {
    name: 'commerce_call_duration_seconds',
    type: 'histogram',
    help: 'Duration of requests of the emulated API.',
    labelNames: ['operation']
  },
  records: {
    name: 'commerce_records',
    type: 'gauge',
    help: 'Records in the state of every sandbox, by family.',
    labelNames: ['family']
  },
  sandboxes: {
    name: 'commerce_sandboxes',
    type: 'gauge',
    help: 'Named sandboxes.',
    labelNames: []
  },
  scripted: {
    name: 'commerce_script_actions_total',
    type: 'counter',
    help: 'Requests that a script entry applied to.',
    labelNames: []
  }
} as const

const REGISTRIES = new WeakMap<Sandboxes, Promise<Registry>>()
export function metricsOf(sandboxes: Sandboxes): Promise<Registry> {
  const registry = REGISTRIES.get(sandboxes) ?? registryOf(sandboxes)
  REGISTRIES.set(sandboxes, registry)
  return registry
}

async function registryOf(sandboxes: Sandboxes): Promise<Registry> {
  const { default: prometheus } = await import('prom-client')
  const registry = new prometheus.Registry()
  prometheus.collectDefaultMetrics({ register: registry })
  for (const [key, values] of Object.entries(VALUES)) {
    const { name, help, type } = METRICS[key as keyof typeof METRICS]
    registry.registerMetric({
      name,
      get: async () => ({ name, help, type, aggregator: 'sum', values: values(sandboxes) })
    } as never)
  }
  return registry
}

/** `none` is for requests that met no operation. */
const labelOf = (operation: string) => ({
  operation: operation === 'none' ? operation : nameOf(operation as OperationId)
})

type Value = { metricName?: string; labels: object; value: number }
/** The values of each metric; latencies in seconds, as Prometheus has them. */
const VALUES: Readonly<Record<keyof typeof METRICS, (sandboxes: Sandboxes) => Value[]>> = {
  calls: ({ main }) =>
    [...main.run.metrics.operations].flatMap(([operation, { statuses }]) =>
      [...statuses].map(([status, value]) => ({ labels: { ...labelOf(operation), status }, value }))
    ),
  records: sandboxes =>
    FAMILIES.map(family => ({
      labels: { family },
      value: sandboxes.all().reduce((sum, { store }) => sum + store[family].size, 0)
    })),
  sandboxes: sandboxes => [{ labels: {}, value: sandboxes.all().length - 1 }],
  scripted: ({ main }) => [{ labels: {}, value: main.run.metrics.scripted }],
  durations: ({ main }) =>
    [...main.run.metrics.operations].flatMap(([operation, { latency }]) =>
      durationsOf(labelOf(operation), latency)
    )
}

function durationsOf(
  labels: object,
  { buckets, sum }: { buckets: Iterable<number>; sum: number }
): Value[] {
  const { name } = METRICS.durations
  let count = 0
  const values = Array.from(buckets, (inBucket, index): Value => {
    count += inBucket
    const bound = LATENCY_BOUNDS[index]
    return {
      metricName: `${name}_bucket`,
      labels: { le: bound === undefined ? '+Inf' : bound / 1000, ...labels },
      value: count
    }
  })
  return [
    ...values,
    { metricName: `${name}_sum`, labels, value: sum / 1000 },
    { metricName: `${name}_count`, labels, value: count }
  ]
}
