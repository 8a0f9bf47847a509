/**
 * What the data folder costs, at several sizes of the state: Refunds a second with it, synced and
 * not, beside the same without it; file, memory and start. Every
 * round begins in the first state.
 */
import { CALLS } from '../calls.mjs'
import { bytesIn, temporary, writeDocument } from '../files.mjs'
import { ask, openConnections } from '../load.mjs'
import { rowOf } from '../rows.mjs'
import { residentOf } from '../servers.mjs'
import { inTurn } from '../statistics.mjs'

const SIZES = [1000, 10_000, 100_000]
const EFFORTS = {
  full: { rounds: 5, seconds: 1, starts: 3 },
  quick: { rounds: 2, seconds: 0.4, starts: 1 }
}
const CONNECTIONS = [1, 8, 64]
const FEWEST_CALLS = 10

export const name = 'data'
export const ids = SIZES.map(size => `data.${size}`)

/**
 * A number of records, half Tickets and half Transactions, each with more than enough to refund.
 */
function fixture(records) {
  const half = records / 2
  const payment = {
    payment_type: 'card',
    payment_method: { card: { brand: 'visa', last4: '4242' } },
    amount: 1_000_000_000_000
  }
  return {
    api_keys: [{ key: 'sk_test_merchant', account: 'mch_a' }],
    accounts: [
      {
        id: 'mch_a',
        type: 'merchant',
        name: 'A',
        email: 'a@example.com',
        address: { country: 'US' }
      }
    ],
    locations: [{ id: 'loc_a', account: 'mch_a', display_name: 'A', address: { country: 'US' } }],
    tickets: Array.from({ length: half }, (_, nth) => ({
      id: `tkt_${nth}`,
      location: 'loc_a',
      reference: `T-${nth}`
    })),
    transactions: Array.from({ length: half }, (_, nth) => ({
      id: `txn_${nth}`,
      ticket: `tkt_${nth}`,
      ...payment
    }))
  }
}
const REFUND = CALLS.refund('txn_0')

/**
 * Calls a second over about `seconds`, beginning in the first state; a few calls first show how
 * many that are.
 */
async function speed({ port }, count, seconds) {
  await ask(port, 'POST /_control/reset')
  const { send, close } = await openConnections(port, count)
  const few = Math.max(FEWEST_CALLS, 2 * count)
  const first = await send(REFUND, few)
  const calls = await send(REFUND, Math.max(few, Math.round(first * seconds)))
  close()
  return calls
}

/**
 * The rows of one size, with the data folder (`emulator`) and without it.
 */
async function rowsAt(size, start, { rounds, seconds, starts }, progress) {
  const scenario = writeDocument(`data-${size}.json`, fixture(size))
  const data = temporary(`data-${size}.state`)
  const options = {
    emulator: { scenario, settings: { data } },
    without: { scenario }
  }
  const samples = () => ({ emulator: [], without: [] })
  const records = `${size.toLocaleString('en-US')} records`
  const rows = []
  const running = {}
  for (const [name, of] of Object.entries(options)) running[name] = await start(of)
  for (const count of CONNECTIONS) {
    progress(`data folder with ${records}, ${count} connections`)
    const speeds = samples()
    const order = inTurn(Object.keys(running))
    for (const server of Object.values(running)) await speed(server, count, seconds)
    for (let round = 0; round < rounds; round++) {
      for (const name of order()) speeds[name].push(await speed(running[name], count, seconds))
    }
    const work = `Refunds with a data folder, ${records}, ${count} connection${count > 1 ? 's' : ''}`
    rows.push(
      rowOf({
        id: `data.${size}.${count}`,
        work,
        unit: 'requests/s',
        better: 'higher',
        baseline: 'without',
        samples: speeds
      })
    )
    // a single connection waits for a write at every call
    if (count === 1) {
      const writes = of => of.map((calls, round) => 1000 / calls - 1000 / speeds.without[round])
      const times = { emulator: writes(speeds.emulator) }
      rows.push(
        rowOf({
          id: `data.${size}.write`,
          work: '  one write',
          unit: 'ms',
          better: 'lower',
          baseline: null,
          samples: times
        })
      )
    }
  }
  const memory = Object.fromEntries(
    Object.entries(running).map(([name, { pid }]) => [name, [residentOf(pid)]])
  )
  for (const { stop } of Object.values(running)) await stop()
  rows.push(
    rowOf({
      id: `data.${size}.file`,
      work: '  size of the folder',
      unit: 'MiB',
      better: 'lower',
      baseline: null,
      samples: { emulator: [bytesIn(data) / 2 ** 20] }
    })
  )
  rows.push(
    rowOf({
      id: `data.${size}.memory`,
      work: '  resident memory',
      unit: 'MiB',
      better: 'lower',
      baseline: 'without',
      samples: memory
    })
  )
  const times = samples()
  for (let round = 0; round < starts; round++) {
    for (const [name, of] of Object.entries(options)) {
      const { startTime, stop } = await start(of)
      times[name].push(startTime)
      await stop()
    }
  }
  rows.push(
    rowOf({
      id: `data.${size}.start`,
      work: '  start from it, beside the scenario',
      unit: 'ms',
      better: 'lower',
      baseline: 'without',
      samples: times
    })
  )
  return rows
}

export async function run({ emulators, wanted, effort, progress }) {
  const [{ start }] = emulators
  const rows = []
  for (const size of SIZES.filter(size => wanted(`data.${size}`)))
    rows.push(...(await rowsAt(size, start, EFFORTS[effort], progress)))
  return rows
}
