/**
 * What one process and several carry, for docs/scaling.md: the cost of a typical mix of calls over sandboxes, directly and through nginx,
 * with a data file, the memory of a sandbox, and the share of the names that each process gets.
 *   npm run build && node bench/scaling.mjs [--rounds 5] [--calls 6000] [--connections 32] [--only rate,data,memory,ring]
 * Client, nginx and emulators share the machine, so the processor time of a call says more than the calls a second; both are printed.
 * The variants are measured in turn, round by round, each in processes of its own; medians count. Needs Linux (/proc), and nginx for `rate`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { crc32 } from 'node:zlib'
import { ask, median, openConnections, request, startEmulator } from './load.mjs'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    calls: { type: 'string', default: '6000' },
    connections: { type: 'string', default: '32' },
    only: { type: 'string', default: 'rate,data,memory,ring' }
  }
})
const [rounds, calls, connections] = [values.rounds, values.calls, values.connections].map(Number)
const isWanted = part => values.only.split(',').includes(part)
const WARM_UP = 20_000
const COLLECT = `data:text/javascript,${encodeURIComponent('process.on("SIGWINCH", () => globalThis.gc())')}`
const KEY = { authorization: `Basic ${btoa('sk_test_merchant:')}` }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const folder = mkdtempSync(join(tmpdir(), 'scaling-'))
chmodSync(folder, 0o777)
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const namesOf = count => Array.from({ length: count }, (_, index) => `worker-${index}`)
const at = (name, on) => on.replace(' ', ` /sandbox/${name}`)

/** Twenty calls of a test suite: fifteen read, five write. */
const MIX = [
  ...Array(8).fill(() => ['GET /next/tickets/tkt_60']),
  ...Array(3).fill(() => ['GET /next/transactions?limit=10']),
  ...Array(2).fill(() => ['GET /next/tickets?location=loc_bistro&limit=10']),
  ...Array(2).fill(() => ['GET /next/tickets?location=loc_bistro&search_query=T-12&limit=100']),
  ...Array(3).fill(() => [
    'POST /next/transactions',
    { key: null, form: 'ticket=tkt_60&payment_type=card&amount=4200&tip_amount=700&currency=usd&card%5Bbrand%5D=visa&card%5Blast4%5D=4242' }
  ]),
  ...Array(2).fill(id => ['POST /next/refunds', { form: `transaction=${id}&amount=1&reason=cold+soup` }])
]
/** The same steps in an order that mixes reads and writes. */
const ORDER = MIX.map((_, index) => MIX[(index * 7) % MIX.length])

/** Makes the sandboxes anew, each with a Transaction to refund, and returns a function that returns the next call: the mix, over the sandboxes in turn. */
async function mixOver(port, names) {
  const suites = []
  for (const name of names) {
    await ask(port, at(name, 'GET /next/locations'), { headers: KEY })
    await ask(port, at(name, 'POST /_control/reset'))
    const { id } = await ask(port, at(name, 'POST /next/transactions'), { body: 'ticket=tkt_60&payment_type=card&amount=1000000000000', headers: FORM })
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

/** Processor time that processes have used, all their threads, in seconds. */
const cpuOf = pids =>
  pids.reduce((sum, pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
    return sum + (Number(fields[11]) + Number(fields[12])) / 100
  }, 0)

/** Makes calls over a number of new connections and returns calls a second. An emulator ends connections that are opened long before their first call. */
async function sent(port, count, next, total) {
  const { send, close } = await openConnections(port, count)
  const speed = await send(next, total)
  close()
  return speed
}

/** Calls a second, and the milliseconds of processor time that a call costs in each group of processes. */
async function round({ port, next, groups, total }) {
  const before = groups.map(cpuOf)
  const speed = await sent(port, connections, next, total)
  return { speed, costs: groups.map((pids, index) => ((cpuOf(pids) - before[index]) / total) * 1000) }
}
const speedOf = results => median(results.map(({ speed }) => speed))
const costOf = (results, group) => median(results.map(({ costs }) => costs[group]))

const row = (...cells) => console.log(cells.map((cell, index) => (index === 0 ? String(cell).padEnd(42) : String(cell).padStart(15))).join(''))
const whole = number => Math.round(number).toLocaleString('en-US')

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}

/** nginx with deploy/nginx.conf in front of processes at these ports. */
async function startBalancer(ports) {
  const port = await freePort()
  const text = readFileSync(new URL('../deploy/nginx.conf', import.meta.url), 'utf8')
    .replace(/^ +server emulator-(\d):4010 .*\n/gm, (line, number) =>
      ports[number] ? line.replace(`emulator-${number}:4010`, `127.0.0.1:${ports[number]}`) : ''
    )
    .replace(/^ +upstream process-\d \{\n *\}\n/gm, '')
    .replace('listen 4010;', `listen 127.0.0.1:${port};`)
    .replaceAll(' /tmp/', ` ${folder}/${port}-`)
  const file = join(folder, `${port}.conf`)
  writeFileSync(file, text)
  const child = spawn('nginx', ['-c', file, '-g', 'daemon off;'], { stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = once(child, 'exit')
  const isThere = () =>
    ask(port, 'GET /_balancer/health').then(
      () => true,
      () => false
    )
  for (let tries = 0; tries < 100 && !(await isThere()); tries++) await wait(100)
  const workers = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ').map(Number)
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  return { port, pids: [child.pid, ...workers], stop }
}

console.log(`${rounds} rounds of ${calls} calls over ${connections} connections, medians; node ${process.versions.node}, ${cpus().length} cores`)

if (isWanted('rate')) {
  const variants = []
  for (const [processes, sandboxes, balanced] of [
    [1, 1, false],
    [1, 16, false],
    [1, 64, false],
    [1, 64, true],
    [3, 64, true]
  ]) {
    const emulators = await Promise.all(Array.from({ length: processes }, () => startEmulator()))
    const balancer = balanced ? await startBalancer(emulators.map(({ port }) => port)) : null
    const { port } = balancer ?? emulators[0]
    const names = namesOf(sandboxes)
    const groups = [emulators.map(({ pid }) => pid), balancer?.pids ?? []]
    await sent(port, connections, await mixOver(port, names), WARM_UP * processes)
    variants.push({ processes, sandboxes, balancer, emulators, port, names, groups, results: [], alone: [] })
  }
  for (let turn = 0; turn < rounds; turn++) {
    for (const { port, names, groups, results, alone } of variants) {
      const next = await mixOver(port, names)
      results.push(await round({ port, next, groups, total: calls }))
      alone.push(await sent(port, 1, next, calls / 6))
    }
  }
  console.log('\nIn memory')
  row('', 'calls/s', 'ms cpu a call', 'in nginx', 'busy cores', 'ms, one by one')
  for (const { processes, sandboxes, balancer, emulators, results, alone } of variants) {
    const name = `${processes} process${processes > 1 ? 'es' : ''}, ${sandboxes} sandbox${sandboxes > 1 ? 'es' : ''}${balancer ? ', through nginx' : ''}`
    const [cost, inNginx] = [costOf(results, 0), costOf(results, 1)]
    const busy = median(results.map(({ speed, costs }) => (speed * (costs[0] + costs[1])) / 1000))
    row(name, whole(speedOf(results)), cost.toFixed(3), balancer ? inNginx.toFixed(3) : '–', busy.toFixed(2), (1000 / median(alone)).toFixed(2))
    await balancer?.stop()
    await Promise.all(emulators.map(({ stop }) => stop()))
  }
}

if (isWanted('data')) {
  console.log('\nOne process with a data file, after a number of calls in each sandbox')
  row('', 'calls/s', 'ms cpu a call', 'file (MiB)')
  for (const [sandboxes, earlier] of [
    [1, 1000],
    [16, 100],
    [16, 1000],
    [64, 100],
    [64, 1000]
  ]) {
    const file = join(folder, `${sandboxes}-${earlier}.json`)
    const { port, pid, stop } = await startEmulator({ settings: { data: file } })
    const next = await mixOver(port, namesOf(sandboxes))
    await sent(port, connections, next, sandboxes * earlier)
    const results = []
    for (let turn = 0; turn < rounds; turn++) results.push(await round({ port, next, groups: [[pid]], total: calls / 6 }))
    row(
      `${sandboxes} sandbox${sandboxes > 1 ? 'es' : ''}, ${whole(earlier)} calls`,
      whole(speedOf(results)),
      costOf(results, 0).toFixed(3),
      (statSync(file).size / 2 ** 20).toFixed(1)
    )
    await stop()
  }
}

if (isWanted('memory')) {
  console.log('\nMemory of one process, after a collection')
  row('', 'heap (MiB)', 'resident (MiB)', 'heap a sandbox')
  for (const [label, settings] of [
    ['default settings', {}],
    ['limits.journal=100', { 'limits.journal': 100 }]
  ]) {
    const { port, pid, stop } = await startEmulator({ settings, nodeArgs: ['--expose-gc', '--import', COLLECT] })
    const memory = async () => {
      process.kill(pid, 'SIGWINCH')
      await wait(1000)
      const text = await ask(port, 'GET /_control/metrics')
      const figure = name => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)[1]) / 2 ** 20
      return { heap: figure('nodejs_heap_size_used_bytes'), resident: figure('process_resident_memory_bytes') }
    }
    const names = namesOf(200)
    await sent(port, connections, await mixOver(port, ['warm-up']), WARM_UP)
    await ask(port, 'DELETE /_control/sandboxes/warm-up')
    const empty = await memory()
    const show = (what, { heap, resident }) => row(what, heap.toFixed(1), resident.toFixed(1), ((heap - empty.heap) / names.length).toFixed(3))
    row(`${label}: no sandbox`, empty.heap.toFixed(1), empty.resident.toFixed(1))
    for (const name of names) await ask(port, at(name, 'GET /next/locations'), { headers: KEY })
    show(`${names.length} sandboxes, one call each`, await memory())
    await sent(port, connections, await mixOver(port, names), 1000 * names.length)
    show(`${names.length} sandboxes, 1,000 calls each`, await memory())
    for (const name of names) await ask(port, `DELETE /_control/sandboxes/${name}`)
    const last = await memory()
    row('all deleted', last.heap.toFixed(1), last.resident.toFixed(1))
    await stop()
  }
}

/** The points of a server on the ring of `hash … consistent`, as nginx calculates them. */
function pointsOf(server, number) {
  const base = crc32(server.replace(':', '\0'))
  const previous = Buffer.alloc(4)
  return Array.from({ length: 160 }, () => {
    const at = crc32(previous, base)
    previous.writeUInt32LE(at)
    return { at, number }
  })
}

/** Which of a number of processes holds a name. */
function ringOf(processes) {
  const points = Array.from({ length: processes }, (_, number) => pointsOf(`emulator-${number}:4010`, number)).flat()
  points.sort((a, b) => a.at - b.at)
  return name => {
    const at = crc32(name)
    return (points.find(point => point.at >= at) ?? points[0]).number
  }
}

if (isWanted('ring')) {
  console.log('\nShare of 20,000 names that each process of deploy/nginx.conf gets, and the share that moves when there is one more')
  row('processes', 'least', 'most', '  moves with one more')
  const names = Array.from({ length: 20_000 }, (_, index) => `pipeline-${index % 40}.worker-${index}`)
  for (const processes of [2, 3, 4, 5, 8]) {
    const [holder, later] = [ringOf(processes), ringOf(processes + 1)]
    const counts = Array(processes).fill(0)
    for (const name of names) counts[holder(name)]++
    const moved = names.filter(name => holder(name) !== later(name)).length
    const shown = count => `${((count / names.length) * 100).toFixed(1)} %`
    row(processes, shown(Math.min(...counts)), shown(Math.max(...counts)), shown(moved))
  }
}
