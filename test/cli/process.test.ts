import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { Agent, get, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { SAYS } from '../../src/cli/sentences.js'
import { SETTING_KEYS, variableOf } from '../../src/core/settings.js'
import { smallFixture } from '../support/emulator.js'
import type { Json } from '../support/json.js'

const SOURCE = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const BUILT = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const READY = /^commerce-emulator ready on (http:\/\/localhost:(\d+)\/next)$/
const hasCurl = spawnSync('curl', ['--version']).status === 0

const environment = { ...process.env }
for (const key of SETTING_KEYS) delete environment[variableOf(key)]

type Running = { child: ChildProcess; stdout: () => string; stderr: () => string; ended: Promise<number | null> }

type Options = { variables?: Record<string, string>; nodeArgs?: string[]; isSource?: boolean }

/** Runs the built command as a process of its own, killed when the test ends; `isSource` runs the source, which takes longer to start and is covered. */
function running(t: Test, args: string[], { variables = {}, nodeArgs = [], isSource = false }: Options = {}): Running {
  const main = isSource ? [...process.execArgv, ...nodeArgs, SOURCE] : [...nodeArgs, BUILT]
  const env = { ...environment, ...variables }
  const child = spawn(process.execPath, [...main, ...args], { env })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', chunk => {
    stdout += chunk
  })
  child.stderr.on('data', chunk => {
    stderr += chunk
  })
  t.teardown(() => child.kill('SIGKILL'))
  return { child, stdout: () => stdout, stderr: () => stderr, ended: once(child, 'close').then(([code]) => code) }
}

/** Starts the emulator and waits until it says that it is ready. */
async function ready(t: Test, args: string[] = [], options: Options = {}) {
  const run = running(t, ['--port', '0', ...args], options)
  let isOver = false
  const over = run.ended.then(() => {
    isOver = true
  })
  while (!run.stdout().includes('commerce-emulator ready')) {
    if (isOver) throw new Error(`it ended before it was ready: ${run.stderr()}`)
    await Promise.race([once(run.child.stdout as NodeJS.ReadableStream, 'data'), over])
  }
  const last = run.stdout().trimEnd().split('\n').at(-1) as string
  const [, baseUrl = ''] = READY.exec(last) ?? []
  return { ...run, last, baseUrl, controlUrl: baseUrl.replace('/next', '/_control') }
}

/** Sends the signal and returns the exit code and the milliseconds until the process ended. */
async function signalled({ child, ended }: Running, signal: NodeJS.Signals): Promise<{ code: number | null; ms: number }> {
  const before = Date.now()
  child.kill(signal)
  return { code: await ended, ms: Date.now() - before }
}

/** A call whose body never ends. */
async function hanging(baseUrl: string) {
  const call = request(`${baseUrl}/transactions`, { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } })
  call.on('error', () => {})
  call.write('ticket=tkt_a')
  await once(call, 'socket')
  await sleep(200)
}

t.test('cli: the process prints its addresses, logs to stderr, and ends on SIGTERM', async t => {
  const key = "sk_it's$HOME&"
  const data = smallFixture()
  const root = t.testdir({ 'own.yaml': JSON.stringify({ name: 'own', description: 'My own.', data: { ...data, api_keys: [{ key, account: 'mch_a' }] } }) })
  const run = await ready(t, ['--scenario', `${root}/own.yaml`, '--set', 'limits.shutdown=20000'], { isSource: true })
  const { baseUrl, controlUrl, last } = run

  t.ok(READY.test(last), last)
  t.not(baseUrl, 'http://localhost:0/next')
  t.equal(
    run.stdout(),
    `
  API       ${baseUrl}
  Console   ${controlUrl}
  API docs  ${controlUrl}/docs
  Scenario  own: My own.
  Data      4 records, in memory; --data FILE keeps them
  Keys      ${key}  acts as mch_a

  Try       curl -u 'sk_it'\\''s$HOME&:' ${baseUrl}/locations

commerce-emulator ready on ${baseUrl}
`
  )

  await t.test('the example call that it prints works', { skip: hasCurl ? false : 'curl is not installed' }, async t => {
    const [, line = ''] = /Try +(curl .*)\n/.exec(run.stdout()) ?? []
    const { status, stdout } = spawnSync('sh', ['-c', `${line.replace('curl', 'curl -sS')}`], { encoding: 'utf8' })
    t.equal(status, 0)
    t.equal(JSON.parse(stdout).data[0].id, 'loc_a')
  })

  const agent = new Agent({ keepAlive: true })
  const [response] = await once(get(`${controlUrl}/state`, { agent }), 'response')
  await once(response.resume(), 'end')
  const { code, ms } = await signalled(run, 'SIGTERM')

  t.equal(code, 0)
  t.ok(ms < 5000, `with an idle connection open it ended after ${ms} ms`)
  t.equal(run.stdout().trimEnd().split('\n').at(-1), last, 'nothing follows on stdout')
  const logged = run
    .stderr()
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  t.match(logged[0].msg, /^loading the scenario; .*http:\/\/127\.0\.0\.1:\d+ /)
  t.strictSame(
    logged.slice(1).map(({ msg }) => msg.replace(/ [\d.]+ ms/, '')),
    [`listening on ${baseUrl.replace('/next', '')}`, ...(hasCurl ? ['GET /next/locations 200 req_1'] : [])],
    'control requests are logged at debug'
  )
  agent.destroy()
})

t.test('cli: the process takes its settings from flags, --set and variables', async t => {
  const root = t.testdir({ browser: '#!/bin/sh\necho "$1" > "$0.opened"\n' })
  await chmod(`${root}/browser`, 0o755)
  const run = await ready(
    t,
    [
      '--quiet',
      '--open',
      '--set',
      'pagination.max_limit=7',
      '--seed',
      '5',
      '--set',
      'control_hosts=a.example, b.example',
      '--set',
      'cors=false',
      '--set',
      'fixtures_dir='
    ],
    {
      variables: { SEED: '6', PAGINATION_DEFAULT_LIMIT: '3', CONTROL_TOKEN: '', HOST: '0.0.0.0', BROWSER: `${root}/browser`, DISPLAY: '' },
      isSource: true
    }
  )

  const { settings } = (await (await fetch(`${run.controlUrl}/settings`)).json()) as Json

  const shown = ['port', 'seed', 'pagination.max_limit', 'pagination.default_limit', 'control_hosts', 'cors', 'log_level', 'control_token', 'fixtures_dir']
  t.strictSame(
    shown.map(key => [key, settings[key].value, settings[key].source]),
    [
      ['port', 0, 'flag'],
      ['seed', 5, 'flag'],
      ['pagination.max_limit', 7, 'flag'],
      ['pagination.default_limit', 3, 'environment'],
      ['control_hosts', ['a.example', 'b.example'], 'flag'],
      ['cors', false, 'flag'],
      ['log_level', 'warn', 'flag'],
      ['control_token', null, 'default'],
      ['fixtures_dir', null, 'flag']
    ]
  )
  t.equal(run.stdout(), `${run.last}\n`, 'nothing else is printed')
  if (process.platform === 'linux') {
    const opened = () => readFile(`${root}/browser.opened`, 'utf8').catch(() => '')
    for (const since = Date.now(); (await opened()) === '' && Date.now() - since < 10_000; ) await sleep(50)
    t.equal(await opened(), `${run.controlUrl}\n`)
  }
  const { code, ms } = await signalled(run, 'SIGINT')
  t.equal(code, 0)
  t.ok(ms < 5000, `on SIGINT it ended after ${ms} ms`)
  t.equal(JSON.parse(run.stderr()).msg, SAYS.exposed('0.0.0.0'), 'nothing else is logged')
})

t.test('cli: a second signal ends the process at once with 1', async t => {
  const run = await ready(t, ['--set', 'limits.shutdown=20000'])
  await hanging(run.baseUrl)

  run.child.kill('SIGTERM')
  await sleep(200)
  t.equal(run.child.exitCode, null, 'it waits for the call')
  const { code, ms } = await signalled(run, 'SIGINT')

  t.equal(code, 1)
  t.ok(ms < 5000, `it ended after ${ms} ms`)
})

t.test('cli: a process that watches its scenario loads a change, and still ends on SIGTERM', async t => {
  const root = t.testdir({ 'own.json': JSON.stringify({ name: 'first', data: smallFixture() }) })
  const run = await ready(t, ['--scenario', `${root}/own.json`, '--watch'])
  const nameOf = async () => ((await (await fetch(`${run.controlUrl}/health`)).json()) as { scenario: string }).scenario
  t.equal(await nameOf(), 'first')

  await writeFile(`${root}/own.json`, JSON.stringify({ name: 'second', data: smallFixture() }))
  for (const since = Date.now(); (await nameOf()) === 'first' && Date.now() - since < 10_000; ) await sleep(50)
  t.equal(await nameOf(), 'second')
  const { code, ms } = await signalled(run, 'SIGTERM')

  t.equal(code, 0)
  t.ok(ms < 5000, `it ended after ${ms} ms`)
})

t.test('cli: a process whose start failed ends with 1, with the reason on stderr', async t => {
  const root = t.testdir({ 'bad.yaml': 'sede: 3' })
  const run = running(t, ['--port', '0', '--log-level', 'silent', '--scenario', `${root}/bad.yaml`], { isSource: true })

  t.equal(await run.ended, 1)
  t.equal(run.stdout(), '')
  t.equal(run.stderr(), `commerce-emulator: ${root}/bad.yaml:1:7 sede: unknown name sede; did you mean seed?\n`)
})

t.test('cli: an error that nothing caught is logged before the process ends with 1', async t => {
  const root = t.testdir({ 'thrower.cjs': 'process.on("SIGUSR2", () => { throw new Error("out of place") })' })
  const run = await ready(t, [], { nodeArgs: ['--require', `${root}/thrower.cjs`], isSource: true })

  const { code } = await signalled(run, 'SIGUSR2')

  t.equal(code, 1)
  const { level, msg, err } = JSON.parse(run.stderr().trimEnd().split('\n').at(-1) as string)
  t.strictSame([level, msg, err.message], [60, 'The emulator stops because of a defect. Please report it.', 'out of place'])
})
