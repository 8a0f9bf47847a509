/**
 * Whether memory stays flat: heap (after a collection) and resident memory during calls that create no record, each a little different.
 *   node bench/memory.mjs [--calls 1000000] [--most 1.2]
 * Exit status 1 when the heap at the end is more than --most times that at a tenth of the way.
 */
import { parseArgs } from 'node:util'
import { ask, openConnections, request, startEmulator } from './load.mjs'

const { values } = parseArgs({ options: { calls: { type: 'string', default: '1000000' }, most: { type: 'string', default: '1.2' } } })
const calls = Number(values.calls)
const COLLECT = `data:text/javascript,${encodeURIComponent('process.on("SIGWINCH", () => globalThis.gc())')}`

const emulator = await startEmulator({ nodeArgs: ['--expose-gc', '--import', COLLECT] })
const { send, close } = await openConnections(emulator.port, 8, { anyStatus: true })

/** Reads, searches, refusals and wrong paths, most of them different at each call. */
let count = 0
const KINDS = [
  () => request('GET /next/tickets/tkt_60'),
  () => request('GET /next/transactions?limit=10'),
  n => request(`GET /next/tickets?search_query=none-${n}&limit=5`),
  n => request('POST /next/refunds', { form: `transaction=txn_${n}&amount=1` }),
  n => request(`GET /next/tickets/tkt_none_${n}`),
  n => request('POST /next/transactions', { key: null, form: `ticket=tkt_60&payment_type=card&amount=1&note${n}=x` }),
  n => request(`GET /next/nowhere/${n}`),
  n => request('POST /next/refunds/rfd_1', { form: `amount=${n}` })
]
const next = () => KINDS[count % KINDS.length](count++)

async function memory() {
  process.kill(emulator.pid, 'SIGWINCH')
  await new Promise(resolve => setTimeout(resolve, 500))
  const text = await ask(emulator.port, 'GET /_control/metrics')
  const figure = name => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)[1]) / 2 ** 20
  return { heap: figure('nodejs_heap_size_used_bytes'), resident: figure('process_resident_memory_bytes') }
}

console.log('    calls   heap (MiB)   resident (MiB)')
const seen = []
for (const share of [0.01, 0.1, 0.25, 0.5, 0.75, 1]) {
  await send(next, Math.round(calls * share) - count)
  const { heap, resident } = await memory()
  seen.push({ share, heap })
  console.log(`${String(count).padStart(9)}  ${heap.toFixed(1).padStart(11)}  ${resident.toFixed(1).padStart(15)}`)
}
const { dropped } = await ask(emulator.port, 'GET /_control/requests?limit=1')
console.log(`dropped from the journal: ${dropped}`)
close()
await emulator.stop()

const early = seen.find(({ share }) => share === 0.1).heap
const growth = seen.at(-1).heap / early
console.log(`the heap at the end is ${growth.toFixed(2)} times that at a tenth of the way`)
if (growth > Number(values.most)) process.exitCode = 1
