import t from 'tap'
import { LATENCY_BOUNDS, Metrics } from '../../src/evidence/totals.js'
import { type Given, judgedRequest } from '../support/judged-request.js'

t.test('metrics: calls are counted by operation and status, their time by its bounds, and those that a script acted on', t => {
  const metrics = new Metrics()
  const requests: Given[] = [{ ms: 1, action: {} as never }, { ms: 20_000 }, { status: 400, ms: 1.1 }, { operation: null, status: 404, ms: 3 }]

  for (const given of requests) metrics.add(judgedRequest(given))

  t.strictSame(Object.fromEntries([...metrics.operations].map(([name, { statuses }]) => [name, [...statuses]])), {
    listTickets: [
      [200, 2],
      [400, 1]
    ],
    none: [[404, 1]]
  })
  t.strictSame(metrics.operations.get('listTickets')?.latency, { buckets: [1, 1, ...LATENCY_BOUNDS.slice(2).map(() => 0), 1], sum: 20_002.1 })
  t.strictSame(metrics.operations.get('none')?.latency, { buckets: [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], sum: 3 })
  t.strictSame([metrics.total, metrics.scripted], [4, 1])
  t.end()
})
