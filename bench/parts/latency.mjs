/**
 * How long a call waits for its answer while calls arrive at a steady rate, whether or not earlier
 * ones are answered.
 */
import { openConnections } from '../load.mjs'
import { rowOf } from '../rows.mjs'
import { separateCores } from '../servers.mjs'
import { inTurn, median, quantile } from '../statistics.mjs'
import { controlLike } from '../targets.mjs'

const RATES = [500, 1000, 2000, 4000, 8000, 12_000, 16_000, 24_000, 32_000]
/** The rate of the row. */
const USUAL = 2000
/** A median above this many microseconds means that calls arrive faster than they are answered. */
const TOO_LATE = 20_000
const CONNECTIONS = 64
const EFFORTS = {
  full: { rounds: 7, time: 0.4, warmUp: 8000 },
  quick: { rounds: 3, time: 0.3, warmUp: 4000 }
}

export const name = 'latency'
export const ids = ['latency']

/** Microseconds by rate of each target, for every rate that it keeps up with. */
async function measure(targets, { rounds, time, warmUp }, progress) {
  const { core, release } = separateCores()
  const servers = []
  for (const target of targets) {
    const server = await target.start({ ...target.options, core })
    const connections = await openConnections(server.port, CONNECTIONS, { awake: core !== null })
    await connections.send(target.calls.list(), warmUp)
    servers.push({ ...target, ...server, ...connections, byRate: new Map(), isLate: false })
  }
  for (const rate of RATES) {
    progress(`latency at ${rate.toLocaleString('en-US')} requests a second`)
    const order = inTurn(servers.filter(({ isLate }) => !isLate))
    for (let round = 0; round < rounds; round++) {
      for (const server of order()) {
        const times = await server.pace(server.calls.list(), rate, Math.round(rate * time))
        const figures = { p50: quantile(times, 0.5), p99: quantile(times, 0.99) }
        server.byRate.set(rate, [...(server.byRate.get(rate) ?? []), figures])
      }
    }
    for (const server of servers.filter(({ isLate }) => !isLate))
      server.isLate = median(server.byRate.get(rate).map(({ p50 }) => p50)) > TOO_LATE
  }
  for (const { close, stop } of servers) {
    close()
    await stop()
  }
  release()
  return servers
}

export async function run({ emulators, effort, progress }) {
  const servers = await measure(
    [await controlLike(emulators[0]), ...emulators],
    EFFORTS[effort],
    progress
  )
  const byTarget = figure =>
    Object.fromEntries(servers.map(server => [server.name, figure(server)]))
  return ['p50', 'p99'].map((percentile, index) =>
    rowOf({
      id: index === 0 ? 'latency' : `latency.${percentile}`,
      work: `${index === 0 ? `list of 10 at ${USUAL.toLocaleString('en-US')} requests a second` : ' '} ${percentile}`,
      unit: 'µs',
      better: 'lower',
      samples: byTarget(({ byRate }) => byRate.get(USUAL).map(figures => figures[percentile])),
      series: byTarget(({ byRate }) =>
        [...byRate].map(([rate, all]) => [rate, median(all.map(figures => figures[percentile]))])
      )
    })
  )
}
