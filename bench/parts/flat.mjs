/**
 * Whether memory stays flat: the heap after a collection, and resident memory, during calls that
 * create no record, each a little different.
 */
import { openConnections, request } from '../load.mjs'
import { rowOf } from '../rows.mjs'
import { MEASURED_MEMORY, memoryOf } from '../servers.mjs'

const EFFORTS = { full: 1_000_000, quick: 100_000 }
/** Most that the heap may be at the end, times that at a tenth of the way. */
const MOST = 1.2
const SHARES = [0.01, 0.1, 0.25, 0.5, 0.75, 1]

export const name = 'flat'
export const ids = ['flat']

/** Reads, searches, refusals and wrong paths, most of them different at each call. */
const KINDS = [
  () => request('GET /next/tickets/tkt_60'),
  () => request('GET /next/transactions?limit=10'),
  n => request(`GET /next/tickets?search_query=none-${n}&limit=5`),
  n => request('POST /next/refunds', { form: `transaction=txn_${n}&amount=1` }),
  n => request(`GET /next/tickets/tkt_none_${n}`),
  n =>
    request('POST /next/transactions', {
      key: null,
      form: `ticket=tkt_60&payment_type=card&amount=1&note${n}=x`
    }),
  n => request(`GET /next/nowhere/${n}`),
  n => request('POST /next/refunds/rfd_1', { form: `amount=${n}` })
]

export async function run({ emulators, effort, progress }) {
  const calls = EFFORTS[effort]
  const server = await emulators[0].start({ nodeArgs: MEASURED_MEMORY })
  const { send, close } = await openConnections(server.port, 8, { anyStatus: true })
  let count = 0
  const next = () => KINDS[count % KINDS.length](count++)
  const seen = []
  for (const share of SHARES) {
    progress(`memory after ${count.toLocaleString('en-US')} requests`)
    await send(next, Math.round(calls * share) - count)
    seen.push({ share, count, ...(await memoryOf(server)) })
  }
  close()
  await server.stop()
  const rowFor = (id, work, figure) =>
    rowOf({
      id,
      work,
      unit: 'MiB',
      better: 'lower',
      samples: { emulator: [seen.at(-1)[figure]] },
      own: { emulator: [seen.find(({ share }) => share === 0.1)[figure]] },
      series: { emulator: seen.map(of => [of.count, of[figure]]) }
    })
  const heap = rowFor(
    'flat',
    `heap after ${calls.toLocaleString('en-US')} requests that create nothing, compared with a tenth of them`,
    'heap'
  )
  return [{ ...heap, most: MOST }, rowFor('flat.resident', '  resident memory', 'resident')]
}
