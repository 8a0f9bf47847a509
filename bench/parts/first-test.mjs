/**
 * How long someone waits for the first result: a command under `exec`, a test file that starts the
 * package, a container.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rowOf } from '../rows.mjs'
import { startServer } from '../servers.mjs'
import { inTurn } from '../statistics.mjs'
import { CONTROL } from '../targets.mjs'

const TEST = fileURLToPath(new URL('../first-test-file.mjs', import.meta.url))
const CONTROL_MODULE = fileURLToPath(new URL('../control.mjs', import.meta.url))
const EFFORTS = { full: 9, quick: 4 }

export const name = 'first-test'
export const ids = ['exec', 'test-file', 'container']

/** Milliseconds from the spawn of a command to its end with status 0. */
async function timeOf(args, env = {}) {
  const begin = performance.now()
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: 'ignore'
  })
  const [status] = await once(child, 'exit')
  if (status !== 0) throw new Error(`${args.join(' ')} ended with status ${status}.`)
  return performance.now() - begin
}

/** Milliseconds of a start of the control and its end. */
async function controlLife() {
  const begin = performance.now()
  const { stop } = await CONTROL.start()
  await stop()
  return performance.now() - begin
}

/** Rows of these kinds: a title, and for a target the function that measures it once. */
const KINDS = {
  exec: {
    work: 'exec -- true, beside start and end of the control',
    timer: ({ dir }) =>
      dir === undefined
        ? controlLife
        : () => timeOf([join(dir, 'dist', 'main.js'), 'exec', '--allow-no-requests', '--', 'true'])
  },
  'test-file': {
    work: 'test file of node:test that starts it and sends a request',
    timer:
      ({ dir }) =>
      () =>
        timeOf(
          ['--test', TEST],
          dir === undefined
            ? { CONTROL: CONTROL_MODULE }
            : { PACKAGE: join(dir, 'dist', 'index.js') }
        )
  }
}

async function rowFor(id, targets, rounds) {
  const { work, timer } = KINDS[id]
  const samples = Object.fromEntries(targets.map(({ name }) => [name, []]))
  const order = inTurn(targets)
  for (let round = 0; round < rounds; round++)
    for (const target of order()) samples[target.name].push(await timer(target)())
  return rowOf({ id, work, unit: 'ms', better: 'lower', samples })
}

/**
 * The start of a container of an image that exists, beside the control's start without a container.
 */
async function containerRow({ engine, name: image }, rounds) {
  const samples = { control: [], emulator: [] }
  for (let round = 0; round < rounds; round++) {
    for (const [target, start] of [
      ['control', CONTROL.start],
      ['emulator', () => startServer([engine, 'run', '--rm', image])]
    ]) {
      const { startTime, stop } = await start()
      samples[target].push(startTime)
      await stop()
    }
  }
  return rowOf({
    id: 'container',
    work: `${engine} run to ready, beside a start of the control`,
    unit: 'ms',
    better: 'lower',
    samples
  })
}

export async function run({ emulators, wanted, effort, progress, image }) {
  const rows = []
  for (const id of Object.keys(KINDS).filter(wanted)) {
    progress(KINDS[id].work)
    rows.push(await rowFor(id, [CONTROL, ...emulators], EFFORTS[effort]))
  }
  if (image && wanted('container')) rows.push(await containerRow(image, EFFORTS[effort]))
  return rows
}
