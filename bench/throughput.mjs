/**
 * Calls a second of every kind of call, and the processor time that one of them takes, each beside the control.
 * In each block all servers are started anew, since how the code of a process was compiled stays as it is until it ends.
 * In each round of a block they are put under load one after the other for a short time, so that all meet the same disturbances.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ask, openConnections, request } from './load.mjs'
import { rowOf } from './rows.mjs'
import { cpuOf, separateCores, startControl } from './servers.mjs'
import { inTurn, median } from './statistics.mjs'

const CONNECTIONS = 16
/** More than the journal holds, so that it is full when measuring begins, and the code is compiled. */
const WARM_UP = 5000
/** A server that is busy for less than this share of the time waits for calls: the load was the limit, and not the server. */
const BUSY = 0.9
/** Most that the sizes of two answers may differ, so that a row compares the same work. */
const SAME_SIZE = 0.03

const NARROWED = 'location=loc_bistro&created%5Bgte%5D=2026-01-12T00%3A00%3A00Z&created%5Blt%5D=2026-02-20T00%3A00%3A00Z'
const PAYMENT =
  'ticket=tkt_60&payment_type=card&currency=usd&amount=4200&tip_amount=700&donation_amount=100&card%5Bbrand%5D=visa&card%5Blast4%5D=4242&card%5Bexpiry%5D=12%2F29' +
  '&customer%5Bname%5D=Ana+Ferreira&customer%5Bemail%5D=ana%40example.com&customer%5Bphone%5D=%2B1+617+555+0101'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const KEY = { authorization: `Basic ${btoa('sk_test_merchant:')}` }

/** A Transaction with more than enough to refund; returns its id. */
async function refundable(port) {
  const { id } = await ask(port, 'POST /next/transactions', {
    body: 'ticket=tkt_60&payment_type=card&amount=1000000000000&card[brand]=visa&card[last4]=4242',
    headers: FORM
  })
  return id
}
const refundOf = id => `transaction=${id}&amount=1&reason=cold+soup&metadata%5Bshift%5D=late`

/** A kind of call; `changes` begins every round in the first state, so that a round does not depend on how many went before it. */
const WORK = {
  get: { work: 'GET one Transaction by id', call: () => request('GET /next/transactions/txn_120') },
  list: { work: 'list of 10, newest first', call: () => request('GET /next/transactions?limit=10') },
  narrowed: { work: 'list of 10 by location and created', call: () => request(`GET /next/transactions?${NARROWED}&limit=10`) },
  post: { work: 'POST /transactions, 12 fields, nested', changes: true, call: () => request('POST /next/transactions', { key: null, form: PAYMENT }) },
  refund: { work: 'POST /refunds', changes: true, call: id => request('POST /next/refunds', { form: refundOf(id) }) }
}
export const rows = Object.keys(WORK)

/** Answers of an emulator, for the control to give too. */
async function answersOf(port) {
  const id = await refundable(port)
  const page = await ask(port, 'GET /next/transactions?limit=10', { headers: KEY })
  const narrowed = await ask(port, `GET /next/transactions?${NARROWED}&limit=10`, { headers: KEY })
  const refund = await ask(port, 'POST /next/refunds', { body: refundOf(id), headers: { ...KEY, ...FORM } })
  return { page, narrowed, refund }
}

/** Opens connections to a server. `begin` returns what its next calls need: a Transaction to refund, made after a return to the first state. */
async function underLoad(name, { port, pid, stop }, { awake }) {
  const { send, close, bodySize } = await openConnections(port, CONNECTIONS, { awake })
  const begin = async () => {
    if (name === 'control') return `txn_${'0'.repeat(24)}`
    await ask(port, 'POST /_control/reset')
    return refundable(port)
  }
  const end = async () => {
    close()
    await stop()
  }
  return { name, pid, send, bodySize, begin, end }
}

/** Puts servers under one kind of load in turn; returns for each the calls a second of every round, and of the block the processor time of a call in µs and the share of the time that it was busy. */
async function measure({ work, changes = false, call }, servers, { rounds, calls }) {
  const bytes = new Map()
  const prepare = async server => bytes.set(server, call(await server.begin()))
  for (const server of servers) {
    await prepare(server)
    await server.send(bytes.get(server), WARM_UP)
  }
  const sizes = servers.map(({ bodySize }) => bodySize())
  if (Math.max(...sizes) > Math.min(...sizes) * (1 + SAME_SIZE)) throw new Error(`${work}: the answers differ in size: ${sizes.join(', ')} bytes.`)
  const order = inTurn(servers)
  const speeds = new Map(servers.map(server => [server, []]))
  const before = new Map(servers.map(server => [server, cpuOf(server.pid)]))
  for (let round = 0; round < rounds; round++) {
    for (const server of order()) {
      if (changes) await prepare(server)
      speeds.get(server).push(await server.send(bytes.get(server), calls))
    }
  }
  return servers.map(server => {
    const cpu = cpuOf(server.pid) - before.get(server)
    const time = speeds.get(server).reduce((sum, speed) => sum + (calls / speed) * 1000, 0)
    return { name: server.name, speeds: speeds.get(server), cpu: (cpu * 1000) / (rounds * calls), busy: cpu / time }
  })
}

/** Starts an emulator to take the control's answers from. */
async function writeAnswers(start, file) {
  const { port, stop } = await start()
  writeFileSync(file, JSON.stringify(await answersOf(port)))
  await stop()
}

/** The two rows of a kind of work: calls a second of every round, processor time of a call of every block. */
function rowsOf(id, results) {
  const { work } = WORK[id]
  const names = [...new Set(results.map(({ name }) => name))]
  const samplesOf = figures => Object.fromEntries(names.map(name => [name, results.filter(result => result.name === name).flatMap(figures)]))
  const busy = Object.entries(samplesOf(({ busy }) => [busy]))
  const waiting = busy.filter(([, shares]) => median(shares) < BUSY).map(([name, shares]) => `${name} ${Math.round(median(shares) * 100)} % busy`)
  const note = waiting.length > 0 ? `the load was the limit: ${waiting.join(', ')}` : ''
  return [
    rowOf({ id, work, unit: 'calls/s', better: 'higher', samples: samplesOf(({ speeds }) => speeds), note }),
    rowOf({ id: `${id}.cpu`, work: '  processor time of a call', unit: 'µs', better: 'lower', samples: samplesOf(({ cpu }) => [cpu]) })
  ]
}

/** The rows of throughput. */
export async function run({ emulators, wanted, quick, progress }) {
  const [blocks, size] = quick ? [2, { rounds: 8, calls: 500 }] : [5, { rounds: 16, calls: 1000 }]
  const chosen = rows.filter(wanted)
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  const data = join(folder, 'answers.json')
  const { core, release } = separateCores()
  const start = { control: () => startControl({ core, data }) }
  for (const [name, startEmulator] of Object.entries(emulators)) start[name] = () => startEmulator({ core })
  const order = inTurn(Object.keys(start))
  const results = Object.fromEntries(chosen.map(id => [id, []]))
  try {
    await writeAnswers(start.emulator, data)
    for (let block = 0; block < blocks; block++) {
      const servers = []
      for (const name of order()) servers.push(await underLoad(name, await start[name](), { awake: core !== null }))
      for (const id of chosen) {
        progress(`${WORK[id].work}, processes ${block + 1} of ${blocks}`)
        results[id].push(...(await measure(WORK[id], servers, size)))
      }
      for (const { end } of servers) await end()
    }
  } finally {
    release()
    rmSync(folder, { recursive: true })
  }
  return chosen.flatMap(id => rowsOf(id, results[id]))
}
