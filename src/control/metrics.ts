/** Metrics in Prometheus text, written by prom-client, which is loaded at the first request. */
import type { MetricObject, Registry } from 'prom-client'
import { LATENCY_BOUNDS, type Metrics } from '../evidence/totals.js'
import { nameOf, type OperationId } from '../reference/operations.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import { FAMILIES } from '../store/store.js'

/** The metrics of the emulator, in addition to those of Node.js. */
export const METRICS = {
  calls: { name: 'commerce_calls_total', type: 'counter', help: 'Calls of the emulated API, by operation and status.', labelNames: ['operation', 'status'] },
  durations: { name: 'commerce_call_duration_seconds', type: 'histogram', help: 'Duration of calls of the emulated API.', labelNames: ['operation'] },
  records: { name: 'commerce_records', type: 'gauge', help: 'Records in the state of every sandbox, by family.', labelNames: ['family'] },
  sandboxes: { name: 'commerce_sandboxes', type: 'gauge', help: 'Named sandboxes.', labelNames: [] },
  scripted: { name: 'commerce_script_actions_total', type: 'counter', help: 'Calls that a script entry applied to.', labelNames: [] }
} as const

const REGISTRIES = new WeakMap<Sandboxes, Promise<Registry>>()
/** The registry of the metrics of a process. */
export function metricsOf(sandboxes: Sandboxes): Promise<Registry> {
  const registry = REGISTRIES.get(sandboxes) ?? registryOf(sandboxes)
  REGISTRIES.set(sandboxes, registry)
  return registry
}

async function registryOf(sandboxes: Sandboxes): Promise<Registry> {
  const { default: prometheus } = await import('prom-client')
  const registry = new prometheus.Registry()
  prometheus.collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const { metrics } = sandboxes.main.run
  new prometheus.Counter({
    ...METRICS.calls,
    registers,
    collect() {
      this.reset()
      for (const [operation, { statuses }] of metrics.operations) {
        for (const [status, count] of statuses) this.inc({ operation: labelOf(operation), status }, count)
      }
    }
  })
  new prometheus.Gauge({
    ...METRICS.records,
    registers,
    collect() {
      for (const family of FAMILIES) {
        this.set(
          { family },
          sandboxes.all().reduce((sum, { store }) => sum + store[family].size, 0)
        )
      }
    }
  })
  new prometheus.Gauge({
    ...METRICS.sandboxes,
    registers,
    collect() {
      this.set(sandboxes.all().length - 1)
    }
  })
  new prometheus.Counter({
    ...METRICS.scripted,
    registers,
    collect() {
      this.reset()
      this.inc(metrics.scripted)
    }
  })
  registry.registerMetric(latencyMetric(metrics) as never)
  return registry
}

/** An operation as a label: its method and path, or `none` for a call of no operation. */
const labelOf = (operation: string) => (operation === 'none' ? operation : nameOf(operation as OperationId))

/** The latency histogram, in seconds by Prometheus' convention. */
function latencyMetric({ operations }: Metrics): { name: string; get: () => Promise<MetricObject & { values: object[] }> } {
  const { name, help, type } = METRICS.durations
  const get = async () => {
    const values: object[] = []
    for (const [operation, { latency }] of operations) {
      const { buckets, sum } = latency
      const labels = { operation: labelOf(operation) }
      let count = 0
      for (const [index, inBucket] of buckets.entries()) {
        count += inBucket
        const bound = LATENCY_BOUNDS[index]
        values.push({ metricName: `${name}_bucket`, labels: { le: bound === undefined ? '+Inf' : bound / 1000, ...labels }, value: count })
      }
      values.push({ metricName: `${name}_sum`, labels, value: sum / 1000 }, { metricName: `${name}_count`, labels, value: count })
    }
    return { name, help, type, aggregator: 'sum', values } as never
  }
  return { name, get }
}
