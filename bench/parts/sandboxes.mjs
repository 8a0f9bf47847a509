/**
 * What one process and several carry, for docs/scaling.md: the cost of a typical mix of calls over
 * sandboxes, directly and through nginx,
 * with a data folder, the memory of a sandbox, and the share of the names that each process gets.
 * Client, nginx and emulators share the machine, so the processor time of a call says more than the
 * calls a second; both are shown.
 * `sandboxes.rate` needs Linux (/proc) and nginx.
 */
import { ringOf, startBalancer } from '../balancer.mjs'
import { FORM, KEY } from '../calls.mjs'
import { bytesIn, temporary } from '../files.mjs'
import { ask, openConnections, request } from '../load.mjs'
import { rowOf } from '../rows.mjs'
import { cpuOf, MEASURED_MEMORY, memoryOf } from '../servers.mjs'
import { inTurn } from '../statistics.mjs'

const CONNECTIONS = 32
const EFFORTS = {
  full: { rounds: 5, calls: 6000, warmUp: 20_000, sandboxes: 200, callsEach: 1000 },
  quick: { rounds: 2, calls: 3000, warmUp: 6000, sandboxes: 50, callsEach: 200 }
}

const namesOf = count => Array.from({ length: count }, (_, index) => `worker-${index}`)
const at = (name, on) => on.replace(' ', ` /sandbox/${name}`)
const inWords = (count, noun, plural = `${noun}s`) =>
  `${count.toLocaleString('en-US')} ${count === 1 ? noun : plural}`

/** Twenty calls of a test suite: fifteen read, five write. */
const MIX = [
  ...Array(8).fill(() => ['GET /next/tickets/tkt_60']),
  ...Array(3).fill(() => ['GET /next/transactions?limit=10']),
  ...Array(2).fill(() => ['GET /next/tickets?location=loc_bistro&limit=10']),
  ...Array(2).fill(() => ['GET /next/tickets?location=loc_bistro&search_query=T-12&limit=100']),
  ...Array(3).fill(() => [
    'POST /next/transactions',
    {
      key: null,
      form: 'ticket=tkt_60&payment_type=card&amount=4200&tip_amount=700&currency=usd&card%5Bbrand%5D=visa&card%5Blast4%5D=4242'
    }
  ]),
  ...Array(2).fill(id => [
    'POST /next/refunds',
    { form: `transaction=${id}&amount=1&reason=cold+soup` }
  ])
]
/** The same steps in an order that mixes reads and writes. */
const ORDER = MIX.map((_, index) => MIX[(index * 7) % MIX.length])

/**
 * Makes the sandboxes anew, each with a Transaction to refund, and returns a function that returns
 * the next call: the mix, over the sandboxes in turn.
 */
async function mixOver(port, names) {
  const suites = []
  for (const name of names) {
    await ask(port, at(name, 'GET /next/locations'), { headers: KEY })
    await ask(port, at(name, 'POST /_control/reset'))
    const { id } = await ask(port, at(name, 'POST /next/transactions'), {
      body: 'ticket=tkt_60&payment_type=card&amount=1000000000000',
      headers: FORM
    })
    suites.push(
      ORDER.map(step => {
        const [on, options] = step(id)
        return request(at(name, on), options)
      })
    )
  }
  let turn = 0
  return () => {
    const index = turn++
    return suites[index % suites.length][Math.floor(index / suites.length) % ORDER.length]
  }
}

const cpuOfAll = pids => pids.reduce((sum, pid) => sum + cpuOf(pid), 0)

/**
 * Makes calls over a number of new connections and returns calls a second. An emulator ends
 * connections that are opened long before their first call.
 */
async function sent(port, count, next, total) {
  const { send, close } = await openConnections(port, count)
  const speed = await send(next, total)
  close()
  return speed
}

/**
 * Calls a second, and the microseconds of processor time that a call costs in each group of
 * processes.
 */
async function costOf({ port, next, groups, total }) {
  const before = groups.map(cpuOfAll)
  const speed = await sent(port, CONNECTIONS, next, total)
  return {
    speed,
    costs: groups.map((pids, index) => ((cpuOfAll(pids) - before[index]) * 1000) / total)
  }
}

/** Processes, sandboxes, and whether nginx stands before them. */
const VARIANTS = [
  [1, 1, false],
  [1, 16, false],
  [1, 64, false],
  [1, 64, true],
  [3, 64, true]
]

async function startVariant([processes, sandboxes, isBalanced], start, warmUp) {
  const emulators = await Promise.all(Array.from({ length: processes }, () => start()))
  const balancer = isBalanced ? await startBalancer(emulators.map(({ port }) => port)) : null
  const { port } = balancer ?? emulators[0]
  const names = namesOf(sandboxes)
  await sent(port, CONNECTIONS, await mixOver(port, names), warmUp * processes)
  const stop = async () => {
    await balancer?.stop()
    await Promise.all(emulators.map(of => of.stop()))
  }
  const work = `${inWords(processes, 'process', 'processes')}, ${inWords(sandboxes, 'sandbox', 'sandboxes')}${isBalanced ? ', through nginx' : ''}`
  const groups = [emulators.map(({ pid }) => pid), balancer?.pids ?? []]
  return {
    id: `${processes}x${sandboxes}${isBalanced ? '.nginx' : ''}`,
    work,
    port,
    names,
    groups,
    isBalanced,
    stop,
    rounds: []
  }
}

/** Every variant in processes of its own, in turn; one process with one sandbox is the baseline. */
async function rateRows(start, { rounds, calls, warmUp }, progress) {
  const variants = []
  for (const variant of VARIANTS) variants.push(await startVariant(variant, start, warmUp))
  const order = inTurn(variants)
  for (let round = 0; round < rounds; round++) {
    progress(`sandboxes, round ${round + 1} of ${rounds}`)
    for (const { port, names, groups, rounds } of order()) {
      const next = await mixOver(port, names)
      rounds.push({
        ...(await costOf({ port, next, groups, total: calls })),
        alone: 1_000_000 / (await sent(port, 1, next, calls / 6))
      })
    }
  }
  await Promise.all(variants.map(({ stop }) => stop()))
  const [single] = variants
  return variants.flatMap(variant => {
    const row = (suffix, work, unit, better, figure) => {
      const id = `sandboxes.rate.${variant.id}${suffix}`
      const [samples, own] = [variant, single].map(({ rounds }) => ({
        emulator: rounds.map(figure)
      }))
      const isCompared = variant !== single && suffix !== '.nginx'
      return rowOf({
        id,
        work,
        unit,
        better,
        samples,
        ...(isCompared ? { own } : { baseline: null })
      })
    }
    return [
      row('', variant.work, 'requests/s', 'higher', ({ speed }) => speed),
      row('.cpu', '  processor time of a request', 'µs', 'lower', ({ costs }) => costs[0]),
      ...(variant.isBalanced
        ? [row('.nginx', '  of nginx', 'µs', 'lower', ({ costs }) => costs[1])]
        : []),
      row(
        '.busy',
        '  busy cores, without the client',
        'cores',
        'lower',
        ({ speed, costs }) => (speed * (costs[0] + costs[1])) / 1_000_000
      ),
      row('.alone', '  one request after another', 'µs', 'lower', ({ alone }) => alone)
    ]
  })
}

/** One process with a data folder, after a number of calls in each sandbox. */
async function dataRows(start, { rounds, calls }, progress) {
  const rows = []
  for (const [sandboxes, earlier] of [
    [1, 1000],
    [16, 100],
    [16, 1000],
    [64, 100],
    [64, 1000]
  ]) {
    const work = `with a data folder, ${inWords(sandboxes, 'sandbox', 'sandboxes')}, ${inWords(earlier, 'request')} in each`
    progress(work)
    const data = temporary(`sandboxes-${sandboxes}-${earlier}`)
    const { port, pid, stop } = await start({ settings: { data } })
    const next = await mixOver(port, namesOf(sandboxes))
    await sent(port, CONNECTIONS, next, sandboxes * earlier)
    const results = []
    for (let round = 0; round < rounds; round++)
      results.push(await costOf({ port, next, groups: [[pid]], total: calls / 6 }))
    const file = bytesIn(data) / 2 ** 20
    await stop()
    const row = (suffix, title, unit, better, numbers) =>
      rowOf({
        id: `sandboxes.data.${sandboxes}x${earlier}${suffix}`,
        work: title,
        unit,
        better,
        baseline: null,
        samples: { emulator: numbers }
      })
    rows.push(
      row(
        '',
        work,
        'requests/s',
        'higher',
        results.map(({ speed }) => speed)
      ),
      row(
        '.cpu',
        '  processor time of a request',
        'µs',
        'lower',
        results.map(({ costs }) => costs[0])
      ),
      row('.file', '  size of the folder', 'MiB', 'lower', [file])
    )
  }
  return rows
}

/** The memory of one process, after a collection, and the heap that a sandbox takes. */
async function memoryRows(start, { warmUp, sandboxes, callsEach }, progress) {
  const rows = []
  for (const [label, settings] of [
    ['', {}],
    [', limits.journal=100', { 'limits.journal': 100 }]
  ]) {
    progress(`memory of sandboxes${label}`)
    const server = await start({ settings, nodeArgs: MEASURED_MEMORY })
    const { port } = server
    const names = namesOf(sandboxes)
    const row = (suffix, work, unit, number) =>
      rows.push(
        rowOf({
          id: `sandboxes.memory${label ? '.100' : ''}.${suffix}`,
          work,
          unit,
          better: 'lower',
          baseline: null,
          samples: { emulator: [number] }
        })
      )
    const show = (suffix, work, { heap, resident }) => {
      row(suffix, `heap, ${work}${label}`, 'MiB', heap)
      row(`${suffix}.resident`, '  resident memory', 'MiB', resident)
    }
    const each = (suffix, { heap }, empty) =>
      row(`${suffix}.each`, '  heap a sandbox', 'MiB', (heap - empty.heap) / names.length)
    await sent(port, CONNECTIONS, await mixOver(port, ['warm-up']), warmUp)
    await ask(port, 'DELETE /_control/sandboxes/warm-up')
    const empty = await memoryOf(server)
    show('none', 'no sandbox', empty)
    for (const name of names) await ask(port, at(name, 'GET /next/locations'), { headers: KEY })
    const fresh = await memoryOf(server)
    show('fresh', `${inWords(sandboxes, 'sandbox', 'sandboxes')}, one request each`, fresh)
    each('fresh', fresh, empty)
    await sent(port, CONNECTIONS, await mixOver(port, names), callsEach * names.length)
    const used = await memoryOf(server)
    show(
      'used',
      `${inWords(sandboxes, 'sandbox', 'sandboxes')}, ${inWords(callsEach, 'request')} each`,
      used
    )
    each('used', used, empty)
    for (const name of names) await ask(port, `DELETE /_control/sandboxes/${name}`)
    show('deleted', 'all deleted', await memoryOf(server))
    await server.stop()
  }
  return rows
}

/**
 * Share of the names that each process of deploy/nginx.conf gets, and the share that moves when
 * there is one more. Calculated, not measured.
 */
function ringRows() {
  const names = Array.from(
    { length: 20_000 },
    (_, index) => `pipeline-${index % 40}.worker-${index}`
  )
  return [2, 3, 4, 5, 8].flatMap(processes => {
    const [holder, later] = [ringOf(processes), ringOf(processes + 1)]
    const counts = Array(processes).fill(0)
    for (const name of names) counts[holder(name)]++
    const moved = names.filter(name => holder(name) !== later(name)).length
    const row = (suffix, work, count) =>
      rowOf({
        id: `sandboxes.ring.${processes}.${suffix}`,
        work,
        unit: '%',
        better: 'lower',
        baseline: null,
        samples: { emulator: [(count / names.length) * 100] }
      })
    return [
      row('most', `names in the busiest of ${processes} processes`, Math.max(...counts)),
      row('least', '  in the least busy', Math.min(...counts)),
      row('moved', '  that move with one more', moved)
    ]
  })
}

const GROUPS = {
  'sandboxes.rate': rateRows,
  'sandboxes.data': dataRows,
  'sandboxes.memory': memoryRows,
  'sandboxes.ring': ringRows
}

export const name = 'sandboxes'
export const ids = Object.keys(GROUPS)

export async function run({ emulators, wanted, effort, progress }) {
  const rows = []
  for (const [id, rowsOf] of Object.entries(GROUPS))
    if (wanted(id)) rows.push(...(await rowsOf(emulators[0].start, EFFORTS[effort], progress)))
  return rows
}
