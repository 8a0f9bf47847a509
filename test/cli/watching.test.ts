import { rename, rm, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { ApiError } from '../../src/core/errors.js'
import { runEmulator } from '../../src/emulator.js'
import { Library } from '../../src/scenario/library.js'
import { reloading, watchFiles } from '../../src/start-scenario.js'
import { MERCHANT, smallFixture } from '../support/emulator.js'

const authorization = `Basic ${Buffer.from(`${MERCHANT}:`).toString('base64')}`
const fixture = (reference: string) =>
  JSON.stringify({ ...smallFixture(), tickets: [{ id: 'tkt_a', location: 'loc_a', reference }] })

/** Starts an emulator that watches a scenario with its own fixture. */
async function watching(t: Test, scenario: object | null) {
  const root = t.testdir({
    fixtures: { 'one.json': fixture('one'), 'two.json': fixture('two') },
    'own.json': JSON.stringify(scenario)
  })
  const lines: { level: number; msg: string }[] = []
  const logger = pino({ level: 'info' }, { write: line => lines.push(JSON.parse(line)) })
  const emulator = await runEmulator({
    scenario: `${root}/own.json`,
    settings: { watch: true, fixtures_dir: `${root}/fixtures` },
    logger
  })
  t.teardown(emulator.close)
  const reference = async () => {
    const answer = await fetch(`${emulator.baseUrl}/tickets/tkt_a`, { headers: { authorization } })
    return ((await answer.json()) as { reference: string }).reference
  }
  const logged = async (start: string) => {
    const found = () => lines.find(({ msg }) => msg.startsWith(start))
    while (!found()) await sleep(20)
    const { level, msg } = found() as (typeof lines)[number]
    lines.length = 0
    return { level, rest: msg.slice(start.length) }
  }
  lines.length = 0
  return {
    root,
    lines,
    reference,
    logged,
    write: (file: string, text: string) => writeFile(`${root}/${file}`, text),
    ...emulator
  }
}

t.test('cli: with --watch a changed scenario or fixture is reloaded', async t => {
  const { root, lines, logged, write, reference, controlUrl, close } = await watching(t, {
    name: 'own',
    fixtures: ['one']
  })
  const own = `${root}/own.json`
  t.equal(await reference(), 'one')

  await write('fixtures/one.json', fixture('uno'))
  const { level, rest } = await logged(`${root}/fixtures/one.json changed: `)
  t.strictSame([level, rest, await reference()], [30, 'the scenario own was reloaded', 'uno'])
  await write('own.json', JSON.stringify({ name: 'renamed', fixtures: ['two'] }))
  t.strictSame(
    [(await logged(`${own} changed: `)).rest, await reference()],
    ['the scenario renamed was reloaded', 'two']
  )
  await write('fixtures/two.json', fixture('due'))
  const other = await logged(`${root}/fixtures/two.json changed: `)
  t.strictSame(
    [other.level, await reference()],
    [30, 'due'],
    'a fixture that the new scenario names is watched too'
  )

  await fetch(`${controlUrl}/clock`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: '{"now":"2030-01-01","running":false}'
  })
  const wrong: [text: string, places: string[]][] = [
    ['{"sede":3,"steps":[{"do":5}]}', ['1:2 sede', '1:26 steps[0].do']],
    [
      '{"fixtures":["two"],"steps":[{"do":"GET /tickets/tkt_b"},{"do":"GET /tickets/tkt_c"}]}',
      ['1:30 steps[0]: GET /tickets/tkt_b', '1:58 steps[1]: GET /tickets/tkt_c']
    ]
  ]
  for (const [text, places] of wrong) {
    await write('own.json', text)
    const { level, rest } = await logged(
      `${own} changed, but could not be loaded; the state is unchanged. `
    )
    t.equal(level, 50)
    for (const place of places) t.ok(rest.includes(`${own}:${place}: `), rest)
  }
  const overview = (await (await fetch(controlUrl)).json()) as {
    scenario: { name: string }
    clock: object
  }
  t.strictSame(
    [overview.scenario.name, overview.clock],
    ['renamed', { now: '2030-01-01T00:00:00.000Z', running: false }]
  )
  t.equal(await reference(), 'due')

  await rm(own)
  t.equal(
    (await logged(`${own} changed, but could not be loaded; the state is unchanged. `)).rest.slice(
      0,
      7
    ),
    'ENOENT:'
  )
  await write('saved.json', JSON.stringify({ name: 'saved', fixtures: ['one'] }))
  await rename(`${root}/saved.json`, own)
  t.equal(
    (await logged(`${own} changed: `)).rest,
    'the scenario saved was reloaded',
    'a file that an editor replaces is watched too'
  )
  t.equal(await reference(), 'uno')

  await close()
  lines.length = 0
  await write('own.json', '{"name":"late"}')
  await sleep(700)
  t.strictSame(lines, [])
})

t.test('cli: changes are loaded in order', async t => {
  const root = t.testdir({ 'a.json': '1', 'b.json': '1' })
  const library = new Library({ fixtures: null, scenarios: null })
  for (const file of ['a.json', 'b.json']) await library.file(`${root}/${file}`)
  const errors: string[] = []
  let running = 0
  let most = 0
  const load = async () => {
    most = Math.max(most, ++running)
    await sleep(100)
    running--
    throw errors.length === 0
      ? new ApiError('scenario_unknown', { message: 'No scenario is called x.' })
      : new Error('out of order')
  }
  const log = { info: t.fail, error: (message: string) => errors.push(message) } as never
  const stop = watchFiles(library.read, reloading(load, log))

  await Promise.all(['a.json', 'b.json'].map(file => writeFile(`${root}/${file}`, '22')))
  while (errors.length < 2) await sleep(20)
  await writeFile(`${root}/a.json`, '333')
  while (running === 0) await sleep(5)
  await stop()

  t.equal(most, 1)
  t.equal(running, 0, 'stopping waits for the load that is going on')
  t.strictSame(
    errors.map(line => line.replace(/^.*[ab]\.json changed, /, '')),
    ['No scenario is called x.', 'out of order', 'out of order'].map(
      why => `but could not be loaded; the state is unchanged. ${why}`
    )
  )
})
