/**
 * Calls a second of every kind of call, and the processor time that one of them takes, each beside
 * the control.
 * In each block all servers are started anew, since how the code of a process was compiled stays as
 * it is until it ends.
 * In each round of a block they are put under load one after the other for a short time, so that
 * all meet the same disturbances.
 */
import { openConnections } from '../load.mjs'
import { rowOf } from '../rows.mjs'
import { cpuOf, separateCores } from '../servers.mjs'
import { inTurn, median } from '../statistics.mjs'
import { controlLike } from '../targets.mjs'

const CONNECTIONS = 16
/**
 * A server that is busy for less than this share of the time waits for calls or for its core: the
 * load or other programs were the limit, and not the server.
 */
const BUSY = 0.9
/** Most that the sizes of two answers may differ, so that a row compares the same work. */
const SAME_SIZE = 0.03
/**
 * `warmUp` is more than the journal holds, so that it is full when measuring begins, and the code
 * is compiled.
 * The shorter efforts have to be right on a busy machine: of each server's rounds they keep the
 * share `kept` of the fastest, which other programs disturbed least.
 */
const EFFORTS = {
  full: { blocks: 5, rounds: 40, calls: 400, warmUp: 6000 },
  quick: { blocks: 2, rounds: 32, calls: 200, warmUp: 4000, kept: 0.25 },
  check: { blocks: 1, rounds: 24, calls: 150, warmUp: 8000, kept: 0.25 }
}
/**
 * Calls that change the state: they begin anew in the first one after so many, so that the figures
 * do not depend on the number of rounds.
 */
const CHANGING = new Set(['post', 'refund'])
const MOST_CHANGES = 2000

export const WORK = {
  get: 'GET one Transaction by id',
  list: 'list of 10, newest first',
  narrowed: 'list of 10 by location and created',
  post: 'POST /transactions, 12 fields, nested',
  refund: 'POST /refunds'
}

export const name = 'throughput'
export const ids = Object.keys(WORK)

const fastest = (speeds, share) =>
  [...speeds].sort((a, b) => b - a).slice(0, Math.ceil(speeds.length * share))

/**
 * Puts servers under one kind of load in turn; returns for each the calls a second of every round,
 * and of all rounds the processor time of a call in µs and the share of the time that it was busy.
 */
async function measure(kind, servers, { rounds, calls, warmUp, kept = 1 }) {
  const bytes = new Map()
  const prepare = async server =>
    bytes.set(server, server.calls[kind](await server.begin(server.port)))
  for (const server of servers) {
    await prepare(server)
    await server.send(bytes.get(server), warmUp)
  }
  const sizes = servers.filter(({ isPeer }) => !isPeer).map(({ bodySize }) => bodySize())
  if (Math.max(...sizes) > Math.min(...sizes) * (1 + SAME_SIZE))
    throw new Error(`${WORK[kind]}: the answers differ in size: ${sizes.join(', ')} bytes.`)
  const order = inTurn(servers)
  const speeds = new Map(servers.map(server => [server, []]))
  const before = new Map(servers.map(server => [server, cpuOf(server.pid)]))
  for (let round = 0; round < rounds; round++) {
    for (const server of order()) {
      if (CHANGING.has(kind) && round % Math.floor(MOST_CHANGES / calls) === 0)
        await prepare(server)
      speeds.get(server).push(await server.send(bytes.get(server), calls))
    }
  }
  return servers.map(server => {
    const cpu = cpuOf(server.pid) - before.get(server)
    const time = speeds.get(server).reduce((sum, speed) => sum + (calls / speed) * 1000, 0)
    const counted = kept === 1 ? speeds.get(server) : fastest(speeds.get(server), kept)
    return {
      name: server.name,
      speeds: counted,
      cpu: (cpu * 1000) / (rounds * calls),
      busy: cpu / time
    }
  })
}

/**
 * The two rows of a kind of work: calls a second of every round, processor time of a call of every
 * block.
 */
function rowsOf({ id, work, baseline, results }) {
  const names = [...new Set(results.map(({ name }) => name))]
  const samplesOf = figures =>
    Object.fromEntries(
      names.map(name => [name, results.filter(result => result.name === name).flatMap(figures)])
    )
  const busy = Object.entries(samplesOf(({ busy }) => [busy]))
  const waiting = busy
    .filter(([, shares]) => median(shares) < BUSY)
    .map(([name, shares]) => `${name} ${Math.round(median(shares) * 100)} % busy`)
  const note =
    waiting.length > 0 ? `the load or other programs were the limit: ${waiting.join(', ')}` : ''
  return [
    rowOf({
      id,
      work,
      unit: 'requests/s',
      better: 'higher',
      baseline,
      samples: samplesOf(({ speeds }) => speeds),
      note
    }),
    rowOf({
      id: `${id}.cpu`,
      work: '  processor time of a request',
      unit: 'µs',
      better: 'lower',
      baseline,
      samples: samplesOf(({ cpu }) => [cpu])
    })
  ]
}

/**
 * Measures kinds of calls on targets in turn.
 * @param {{ kinds: string[], targets: object[], effort: string, progress: (text: string) => void,
 * baseline: string, titleOf?: (kind: string) => { id: string, work: string } }} wanted
 *   `baseline` is the name of the target that the others are compared with
 */
export async function measureLoad({
  kinds,
  targets,
  effort,
  progress,
  baseline,
  titleOf = kind => ({ id: kind, work: WORK[kind] })
}) {
  const { blocks, ...size } = EFFORTS[effort]
  const { core, release } = separateCores()
  const order = inTurn(targets)
  const results = Object.fromEntries(kinds.map(kind => [kind, []]))
  for (let block = 0; block < blocks; block++) {
    const servers = []
    for (const target of order()) {
      servers.push({ ...target, ...(await target.start({ ...target.options, core })) })
    }
    for (const server of servers)
      Object.assign(
        server,
        await openConnections(server.port, CONNECTIONS, { awake: core !== null })
      )
    for (const kind of kinds) {
      progress(`${titleOf(kind).work}, processes ${block + 1} of ${blocks}`)
      const able = servers.filter(({ calls }) => calls[kind])
      results[kind].push(...(await measure(kind, able, size)))
    }
    for (const { close, stop } of servers) {
      close()
      await stop()
    }
  }
  release()
  return kinds.flatMap(kind => rowsOf({ ...titleOf(kind), baseline, results: results[kind] }))
}

export async function run({ emulators, peers, wanted, effort, progress }) {
  const targets = [await controlLike(emulators[0]), ...emulators, ...peers]
  return measureLoad({ kinds: ids.filter(wanted), targets, effort, progress, baseline: 'control' })
}
