/**
 * From the spawn of the process until it is ready, and the memory it then has: with the default
 * scenario, and with many Transactions.
 */
import { writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { generated, temporary } from '../files.mjs'
import { ask } from '../load.mjs'
import { rowOf } from '../rows.mjs'
import { residentOf } from '../servers.mjs'
import { inTurn } from '../statistics.mjs'
import { CONTROL } from '../targets.mjs'

/** Milliseconds after which a process counts as idle. */
const IDLE = 300
const EFFORTS = {
  full: { rounds: 11, manyRounds: 3 },
  quick: { rounds: 5, manyRounds: 1 },
  check: { rounds: 3, manyRounds: 1 }
}
const MANY = 100_000

export const name = 'startup'
export const ids = ['start', 'rss', 'start.generate', 'start.json', 'start.data']

/**
 * Starts targets in turn, each with its options; returns for each what `look` returns of every
 * start.
 */
async function startsOf(targets, rounds, look) {
  const order = inTurn(targets)
  const seen = Object.fromEntries(targets.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const { name, start, options } of order()) {
      const server = await start(options)
      seen[name].push(await look(server))
      await server.stop()
    }
  }
  return figure =>
    Object.fromEntries(Object.entries(seen).map(([name, all]) => [name, all.map(figure)]))
}

async function defaultRows({ targets, rounds, progress }) {
  progress('spawn to ready')
  const samplesOf = await startsOf(targets, rounds, async ({ pid, startTime, startCpu }) => {
    await wait(IDLE)
    return { startTime, startCpu, resident: residentOf(pid) }
  })
  return [
    rowOf({
      id: 'start',
      work: 'spawn to ready, default scenario',
      unit: 'ms',
      better: 'lower',
      samples: samplesOf(({ startTime }) => startTime)
    }),
    rowOf({
      id: 'start.cpu',
      work: '  processor time',
      unit: 'ms',
      better: 'lower',
      samples: samplesOf(({ startCpu }) => startCpu)
    }),
    rowOf({
      id: 'rss',
      work: 'resident memory, idle',
      unit: 'MiB',
      better: 'lower',
      samples: samplesOf(({ resident }) => resident)
    })
  ]
}

/**
 * How each emulator gets its Transactions, in files made by itself: a function that returns its
 * options.
 */
const SOURCES = {
  'start.generate': { how: 'by generate', prepare: async () => ({ scenario: generated(MANY) }) },
  'start.json': {
    how: 'from a JSON fixture',
    prepare: async ({ name, start }) => {
      const scenario = temporary(`${name}.fixture.json`)
      const { port, stop } = await start({ scenario: generated(MANY) })
      writeFileSync(scenario, JSON.stringify(await ask(port, 'GET /_control/state')))
      await stop()
      return { scenario }
    }
  },
  'start.data': {
    how: 'from a data folder',
    prepare: async ({ name, start }) => {
      const data = temporary(`${name}.state`)
      const { stop } = await start({ scenario: generated(MANY), settings: { data } })
      await stop()
      return { settings: { data } }
    }
  }
}

async function manyRows({ id, emulators, rounds, progress }) {
  const { how, prepare } = SOURCES[id]
  const work = `ready with ${MANY.toLocaleString('en-US')} Transactions ${how}`
  progress(work)
  const targets = [CONTROL]
  for (const emulator of emulators) targets.push({ ...emulator, options: await prepare(emulator) })
  const samplesOf = await startsOf(targets, rounds, async ({ startTime, startCpu }) => ({
    startTime,
    startCpu
  }))
  return [
    rowOf({
      id,
      work,
      unit: 'ms',
      better: 'lower',
      samples: samplesOf(({ startTime }) => startTime)
    }),
    rowOf({
      id: `${id}.cpu`,
      work: '  processor time',
      unit: 'ms',
      better: 'lower',
      samples: samplesOf(({ startCpu }) => startCpu)
    })
  ]
}

export async function run({ emulators, peers, wanted, effort, progress }) {
  const { rounds, manyRounds } = EFFORTS[effort]
  const rows = []
  if (wanted('start') || wanted('rss'))
    rows.push(
      ...(await defaultRows({ targets: [CONTROL, ...emulators, ...peers], rounds, progress }))
    )
  for (const id of Object.keys(SOURCES)) {
    if (wanted(id)) rows.push(...(await manyRows({ id, emulators, rounds: manyRounds, progress })))
  }
  return rows
}
