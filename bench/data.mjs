/**
 * What the data file costs: Refunds made a second with --data, against the same without it, in turn in one run, at several sizes of the state;
 * with the time of one write, the size of the file, the memory and the time of a start from it.
 *   node bench/data.mjs [--records 1000,10000,100000] [--connections 1,8,64] [--rounds 5] [--seconds 1]
 * Every round begins in the same state. The median of the rounds' ratios counts.
 */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ask, median, openConnections, request, startEmulator } from './load.mjs'

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '1000,10000,100000' },
    connections: { type: 'string', default: '1,8,64' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1' }
  }
})
const [sizes, connections] = [values.records, values.connections].map(text => text.split(',').map(Number))
const [rounds, seconds] = [values.rounds, values.seconds].map(Number)
const folder = mkdtempSync(join(tmpdir(), 'commerce-emulator-'))
const FEWEST_CALLS = 10

/** A number of records, half Tickets and half Transactions, each with more than enough to refund. */
function fixture(records) {
  const half = records / 2
  const payment = { payment_type: 'card', payment_method: { card: { brand: 'visa', last4: '4242' } }, amount: 1_000_000_000_000 }
  return {
    api_keys: [{ key: 'sk_test_merchant', account: 'mch_a' }],
    accounts: [{ id: 'mch_a', type: 'merchant', name: 'A', email: 'a@example.com', address: { country: 'US' } }],
    locations: [{ id: 'loc_a', account: 'mch_a', display_name: 'A', address: { country: 'US' } }],
    tickets: Array.from({ length: half }, (_, nth) => ({ id: `tkt_${nth}`, location: 'loc_a', reference: `T-${nth}` })),
    transactions: Array.from({ length: half }, (_, nth) => ({ id: `txn_${nth}`, ticket: `tkt_${nth}`, ...payment }))
  }
}

const memoryOf = pid => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024
const REFUND = request('POST /next/refunds', { form: 'transaction=txn_0&amount=1&reason=cold+soup' })

/** Calls a second over about `seconds`, beginning in the first state; a few calls first show how many that are. */
async function speed({ port }, count) {
  await ask(port, 'POST /_control/reset')
  const { send, close } = await openConnections(port, count)
  const first = await send(REFUND, Math.max(FEWEST_CALLS, 2 * count))
  const calls = await send(REFUND, Math.max(FEWEST_CALLS, 2 * count, Math.round(first * seconds)))
  close()
  return calls
}

/** How long a start takes until it is ready, in milliseconds, the least of three. */
async function startOf(settings) {
  const times = []
  for (let nth = 0; nth < 3; nth++) {
    const start = performance.now()
    const { stop } = await startEmulator({ settings })
    times.push(performance.now() - start)
    await stop()
  }
  return Math.round(Math.min(...times))
}

console.log(`${rounds} rounds of about ${seconds} s, node ${process.versions.node}; medians`)
console.log('records  connections  with (calls/s)  without (calls/s)  ratio  one write')
const lines = []
for (const size of sizes) {
  const scenario = join(folder, `${size}.json`)
  const data = join(folder, `${size}.state.json`)
  writeFileSync(scenario, JSON.stringify(fixture(size)))
  const running = { with: await startEmulator({ settings: { scenario, data } }), without: await startEmulator({ settings: { scenario } }) }
  for (const count of connections) {
    const speeds = { with: [], without: [] }
    for (let round = -1; round < rounds; round++) {
      for (const name of round % 2 === 0 ? ['with', 'without'] : ['without', 'with']) {
        const calls = await speed(running[name], count)
        if (round >= 0) speeds[name].push(calls)
      }
    }
    const ratio = median(speeds.with.map((calls, round) => calls / speeds.without[round]))
    // a single connection waits for a write at every call
    const write = count === 1 ? `${median(speeds.with.map((calls, round) => 1000 / calls - 1000 / speeds.without[round])).toFixed(2)} ms` : ''
    const figures = [size, count, Math.round(median(speeds.with)), Math.round(median(speeds.without)), ratio.toFixed(3), write]
    console.log(figures.map((figure, column) => String(figure).padStart([7, 11, 14, 17, 5, 9][column])).join('  '))
  }
  const memory = Object.values(running).map(({ pid }) => Math.round(memoryOf(pid)))
  for (const { stop } of Object.values(running)) await stop()
  const file = (statSync(data).size / 2 ** 20).toFixed(1)
  const starts = [await startOf({ scenario, data }), await startOf({ scenario })]
  lines.push([size, `${file} MiB`, ...memory.map(figure => `${figure} MiB`), ...starts.map(figure => `${figure} ms`)])
}
console.log('\nrecords       file   memory with    without  ready from the file  from the scenario')
for (const line of lines) console.log(line.map((figure, column) => String(figure).padStart([7, 9, 12, 9, 19, 17][column])).join('  '))
rmSync(folder, { recursive: true })
