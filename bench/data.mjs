/**
 * What the data file costs: Refunds made a second with --data, against the same without it, in turn in one run, at several sizes of the state;
 * with the size of the file, the memory and the time of a start from it.
 *   node bench/data.mjs [--records 1000,10000,100000] [--connections 1,8,64] [--rounds 3] [--seconds 2]
 */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { median, openConnections, request, startEmulator } from './load.mjs'

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '1000,10000,100000' },
    connections: { type: 'string', default: '1,8,64' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '2' }
  }
})
const [sizes, connections] = [values.records, values.connections].map(text => text.split(',').map(Number))
const [rounds, seconds] = [values.rounds, values.seconds].map(Number)
const folder = mkdtempSync(join(tmpdir(), 'commerce-emulator-'))

/** A fixture of so many records, half Tickets and half Transactions. */
function fixture(records) {
  const half = records / 2
  return {
    api_keys: [{ key: 'sk_test_merchant', account: 'mch_a' }],
    accounts: [{ id: 'mch_a', type: 'merchant', name: 'A', email: 'a@example.com', address: { country: 'US' } }],
    locations: [{ id: 'loc_a', account: 'mch_a', display_name: 'A', address: { country: 'US' } }],
    tickets: Array.from({ length: half }, (_, nth) => ({ id: `tkt_${nth}`, location: 'loc_a', reference: `T-${nth}` })),
    transactions: Array.from({ length: half }, (_, nth) => ({
      id: `txn_${nth}`,
      ticket: `tkt_${nth}`,
      payment_type: 'card',
      amount: 1_000_000_000_000,
      payment_method: { card: { brand: 'visa', last4: '4242' } }
    }))
  }
}

const memoryOf = pid => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024

/** Calls a second for about so long: first a few, to learn how many that are. */
async function speed(send, bytes) {
  const first = await send(bytes, 20)
  return send(bytes, Math.max(20, Math.round(first * seconds)))
}

console.log(`${rounds} rounds of about ${seconds} s, node ${process.versions.node}; medians`)
console.log('records  connections  with (calls/s)  without (calls/s)  kept   a write at most')
for (const size of sizes) {
  const scenario = join(folder, `${size}.json`)
  const data = join(folder, `${size}.state.json`)
  writeFileSync(scenario, JSON.stringify(fixture(size)))
  const variants = { with: { scenario, data }, without: { scenario } }
  const running = {}
  for (const [name, settings] of Object.entries(variants)) running[name] = await startEmulator({ settings })
  const bytes = request('POST /next/refunds', { form: 'transaction=txn_0&amount=1&reason=cold+soup' })
  for (const count of connections) {
    const speeds = { with: [], without: [] }
    for (let round = 0; round < rounds; round++) {
      for (const name of round % 2 === 0 ? ['with', 'without'] : ['without', 'with']) {
        const { send, close } = await openConnections(running[name].port, count)
        speeds[name].push(await speed(send, bytes))
        close()
      }
    }
    const [on, off] = [median(speeds.with), median(speeds.without)]
    const write = count === 1 ? `${(1000 / on).toFixed(1)} ms` : ''
    const figures = [size, count, Math.round(on), Math.round(off), (on / off).toFixed(3), write]
    console.log(figures.map((figure, column) => String(figure).padStart([7, 11, 14, 17, 5, 15][column])).join('  '))
  }
  const memory = Object.fromEntries(Object.entries(running).map(([name, { pid }]) => [name, Math.round(memoryOf(pid))]))
  for (const { stop } of Object.values(running)) await stop()
  const start = performance.now()
  const again = await startEmulator({ settings: { data } })
  const ready = Math.round(performance.now() - start)
  await again.stop()
  console.log(
    `${String(size).padStart(7)}  file ${(statSync(data).size / 2 ** 20).toFixed(1)} MiB, resident ${memory.with} MiB with and ${memory.without} without, started from the file in ${ready} ms`
  )
}
rmSync(folder, { recursive: true })
