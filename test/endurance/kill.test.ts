import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { readLines } from '../../src/sandbox/lines.js'
import { launched, started } from './support/emulator.js'
import { auditAll, changeAll, placesOf, SCENARIO } from './support/load.js'
import { figure, random, SEED } from './support/options.js'

const ROUNDS = figure('ROUNDS', { short: 3, long: 20 })
/** The longest duration of a round. */
const LOAD_MS = figure('LOAD_MS', { short: 700, long: 2500 })
const STOPS = figure('STOPS', { short: 1, long: 5 })
/** Clients of each sandbox; a sandbox with one client is also reset. */
const CLIENTS = [3, 1, 4, 1, 2, 1]

/** What is in the folder of a process that has ended. */
const LEFT = ['scenarios', 'shop.json', 'snapshots']

async function placeOf(t: Test) {
  const folder = await mkdtemp(join(tmpdir(), 'endurance-'))
  t.teardown(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'scenarios'))
  await writeFile(join(folder, 'scenarios', 'load.json'), JSON.stringify(SCENARIO))
  const file = join(folder, 'shop.json')
  return {
    folder,
    file,
    args: ['--scenario', 'load', '--scenarios-dir', join(folder, 'scenarios'), '--data', file, '--snapshots-dir', join(folder, 'snapshots')]
  }
}

t.test(`kill -9 at ${ROUNDS} random moments under load: every answered change is present, every other is complete or absent`, async t => {
  t.comment(`ENDURANCE_SEED=${SEED}`)
  const { below, chance } = random('kills')
  const { folder, file, args } = await placeOf(t)
  const places = placesOf(CLIENTS)

  for (let round = 1; round <= ROUNDS; round++) {
    const { port, end } = await started(t, args)
    const { problems, facts } = await auditAll(port, places)
    t.strictSame(problems, [], `round ${round}: what round ${round - 1} left`)
    const { begun, ended } = changeAll(port, places, round, { usesSnapshots: true })
    await begun
    await sleep(below(LOAD_MS))
    t.equal(await end('SIGKILL'), 'SIGKILL')
    const { answered, problems: wrong } = await ended
    t.strictSame(wrong, [], `round ${round}: what was answered`)
    t.comment(`round ${round}: ${facts} facts before, ${answered} answers`)

    const text = await readFile(file, 'utf8')
    await t.resolves(readLines(file), `${text.length} bytes, complete`)
    if (chance(0.3)) {
      const child = launched(t, args)
      await sleep(below(1000))
      child.kill('SIGKILL')
      t.equal(await readFile(file, 'utf8'), text, 'a start that is killed changes nothing')
    }
  }

  const { port, end } = await started(t, args)
  t.strictSame((await auditAll(port, places)).problems, [], 'the state after the last round')
  t.equal(await end('SIGTERM'), 0)
  t.strictSame((await readdir(folder)).sort(), LEFT, 'no lock and no temporary file is left')
})

t.test(`SIGTERM under load, ${STOPS} times: exit status 0, and every answered change is present`, async t => {
  t.comment(`ENDURANCE_SEED=${SEED}`)
  const { below } = random('stops')
  const { folder, args } = await placeOf(t)
  const places = placesOf(CLIENTS)

  for (let round = 1; round <= STOPS; round++) {
    const { port, end } = await started(t, args)
    t.strictSame((await auditAll(port, places)).problems, [])
    const { begun, ended } = changeAll(port, places, round, { usesSnapshots: true })
    await begun
    await sleep(below(LOAD_MS))
    t.equal(await end('SIGTERM'), 0)
    const { answered, problems } = await ended
    t.strictSame(problems, [])
    t.comment(`round ${round}: ${answered} answers`)
    t.strictSame((await readdir(folder)).sort(), LEFT, 'no other file is left')
  }

  const { port, end } = await started(t, args)
  t.strictSame((await auditAll(port, places)).problems, [])
  t.equal(await end('SIGTERM'), 0)
})
