/**
 * How the cost of a page, of a reset and of memory depends on the number of records, which are
 * generated.
 */
import { CALLS } from '../calls.mjs'
import { generated } from '../files.mjs'
import { openConnections, request } from '../load.mjs'
import { rowOf } from '../rows.mjs'
import { MEASURED_MEMORY, memoryOf, separateCores } from '../servers.mjs'
import { inTurn, median } from '../statistics.mjs'

const LEAST = 1000
const EFFORTS = {
  full: { rounds: 15, calls: 400, warmUp: 6000 },
  quick: { rounds: 7, calls: 300, warmUp: 3000 }
}
const RESET = request('POST /_control/reset', { key: null })

export const name = 'size'
export const ids = ['memory.generated', 'page', 'page.narrowed', 'reset']

/** 1,000, ten times as many, and so on, to the number of records that is asked for. */
function sizesUpTo(records) {
  const sizes = []
  for (let size = LEAST; size < records; size *= 10) sizes.push(size)
  return [...sizes, records]
}

/** The figures of one emulator at every size, in turn: lists of microseconds, and memory in MiB. */
async function measure({ start, name }, sizes, { rounds, calls, warmUp }, progress) {
  const { core, release } = separateCores()
  const servers = []
  for (const size of sizes) {
    progress(`${name} with ${size.toLocaleString('en-US')} Transactions`)
    const server = await start({ scenario: generated(size), nodeArgs: MEASURED_MEMORY, core })
    servers.push({
      ...server,
      ...(await memoryOf(server)),
      size,
      page: [],
      'page.narrowed': [],
      reset: []
    })
  }
  // only now: an emulator ends connections that are opened long before their first call
  for (const server of servers)
    Object.assign(server, await openConnections(server.port, 1, { awake: core !== null }))
  const timeOf = async ({ send }, bytes, count) => {
    const times = []
    await send(bytes, count, times)
    return median(times)
  }
  const pages = { page: CALLS.list(), 'page.narrowed': CALLS.narrowed() }
  for (const server of servers)
    for (const bytes of Object.values(pages)) await server.send(bytes, warmUp)
  const order = inTurn(servers)
  for (let round = 0; round < rounds; round++) {
    for (const server of order()) {
      for (const [page, bytes] of Object.entries(pages))
        server[page].push(await timeOf(server, bytes, calls))
      await server.send(CALLS.post(), 1)
      server.reset.push((await timeOf(server, RESET, 1)) / 1000)
    }
  }
  for (const { close, stop } of servers) {
    close()
    await stop()
  }
  release()
  return servers
}

export async function run({ emulators, wanted, effort, progress, records }) {
  const sizes = sizesUpTo(records)
  const measured = new Map()
  for (const emulator of emulators)
    measured.set(emulator.name, await measure(emulator, sizes, EFFORTS[effort], progress))
  const [few, many] = [LEAST, records].map(count => count.toLocaleString('en-US'))
  const byTarget = figure =>
    Object.fromEntries([...measured].map(([name, servers]) => [name, figure(servers)]))
  const seriesOf = figure =>
    byTarget(servers => servers.map(server => [server.size, figure(server)]))
  const rowAtSize = (id, work, unit) =>
    rowOf({
      id,
      work: `${work} at ${many}, beside ${few}`,
      unit,
      better: 'lower',
      samples: byTarget(servers => servers.at(-1)[id]),
      own: byTarget(([first]) => first[id]),
      series: seriesOf(server => median(server[id]))
    })
  const bytesEach = ([first, ...more]) =>
    ((more.at(-1).resident - first.resident) * 2 ** 20) / (more.at(-1).size - first.size)
  const rows = [
    rowOf({
      id: 'memory.generated',
      work: `resident memory a Transaction, ${many} generated`,
      unit: 'bytes',
      better: 'lower',
      baseline: null,
      samples: byTarget(servers => [bytesEach(servers)]),
      series: seriesOf(({ resident }) => resident)
    }),
    rowAtSize('page', 'page of 10, p50', 'µs'),
    rowAtSize('page.narrowed', 'page of 10 by location and created, p50', 'µs'),
    rowAtSize('reset', 'reset', 'ms')
  ]
  return rows.filter(({ id }) => wanted(id))
}
