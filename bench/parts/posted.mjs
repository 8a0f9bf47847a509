/** The memory of Transactions that are made by calls, with the journal full from the beginning. */
import { begin, CALLS } from '../calls.mjs'
import { openConnections } from '../load.mjs'
import { rowOf } from '../rows.mjs'
import { MEASURED_MEMORY, memoryOf } from '../servers.mjs'

const CONNECTIONS = 16
const WARM_UP = 5000
/** Where memory is measured, as shares of all calls. */
const SHARES = [0.01, 0.1, 0.25, 0.5, 1]
/** Calls between two looks at the clock. */
const BATCH = 10_000

export const name = 'posted'
export const ids = ['memory.posted']

/**
 * Posts until the number or the time is reached; returns points of Transactions and resident MiB,
 * and the seconds that it took.
 */
async function measure({ start }, records, seconds, progress) {
  const server = await start({ nodeArgs: MEASURED_MEMORY })
  const { send, close } = await openConnections(server.port, CONNECTIONS)
  await send(CALLS.post(), WARM_UP)
  await begin(server.port)
  const points = [[0, (await memoryOf(server)).resident]]
  let [made, taken] = [0, 0]
  for (const share of SHARES) {
    while (made < records * share && taken < seconds) {
      const batch = Math.min(BATCH, Math.round(records * share) - made)
      taken += batch / (await send(CALLS.post(), batch))
      made += batch
      progress(`${made.toLocaleString('en-US')} Transactions posted`)
    }
    if (made > points.at(-1)[0]) points.push([made, (await memoryOf(server)).resident])
  }
  close()
  await server.stop()
  return { points, taken }
}

export async function run({ emulators, progress, records, seconds }) {
  const measured = []
  for (const emulator of emulators)
    measured.push([emulator.name, await measure(emulator, records, seconds, progress)])
  const byTarget = figure =>
    Object.fromEntries(measured.map(([name, result]) => [name, figure(result)]))
  const bytesEach = ({ points: [[, first], ...more] }) =>
    ((more.at(-1)[1] - first) * 2 ** 20) / more.at(-1)[0]
  const note = measured
    .map(
      ([name, { points, taken }]) =>
        `${name}: ${points.at(-1)[0].toLocaleString('en-US')} in ${Math.round(taken)} s`
    )
    .join(', ')
  return [
    rowOf({
      id: 'memory.posted',
      work: 'resident memory a Transaction, posted',
      unit: 'bytes',
      better: 'lower',
      baseline: null,
      samples: byTarget(result => [bytesEach(result)]),
      series: byTarget(({ points }) => points),
      note
    })
  ]
}
