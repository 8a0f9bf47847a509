import { spawnSync } from 'node:child_process'
import cluster from 'node:cluster'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { Agent, get, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { SAYS } from '../../src/cli/sentences.js'
import { smallFixture } from '../support/emulator.js'
import type { Json } from '../support/json.js'
import { BUILT, type Running, running } from './exec-run.js'

const READY = /^commerce-emulator ready on (http:\/\/localhost:(\d+)\/next)$/
const hasCurl = spawnSync('curl', ['--version']).status === 0

/** Starts the emulator and waits until it is ready. */
async function ready(t: Test, ...given: [args: string[], options?: Parameters<typeof running>[2]]) {
  const [args, options] = given
  const run = running(t, ['--port', '0', ...args], options)
  while (!run.stdout().includes('commerce-emulator ready')) {
    if (run.child.exitCode !== null)
      throw new Error(`it ended before it was ready: ${run.stderr()}`)
    await sleep(20)
  }
  const last = run.stdout().trimEnd().split('\n').at(-1) as string
  const [, baseUrl = ''] = READY.exec(last) ?? []
  return { ...run, last, baseUrl, controlUrl: baseUrl.replace('/next', '/_control') }
}

function signalled({ child, ended }: Running, signal: NodeJS.Signals): Promise<number | string> {
  child.kill(signal)
  return ended
}

t.test('cli: the process prints its addresses, takes its settings from everywhere', async t => {
  const key = "sk_it's$HOME&"
  const data = { ...smallFixture(), api_keys: [{ key, account: 'mch_a' }] }
  const root = t.testdir({
    'own.yaml': JSON.stringify({ name: 'own', description: 'My own.', data })
  })
  const sets = [
    'limits.shutdown=20000',
    'pagination.max_limit=7',
    'control_hosts=a.example, b.example',
    'cors=false',
    'fixtures_dir='
  ]
  const args = [
    '--scenario',
    `${root}/own.yaml`,
    '--watch',
    '--seed',
    '5',
    ...sets.flatMap(set => ['--set', set])
  ]
  const variables = {
    SEED: '6',
    PAGINATION_DEFAULT_LIMIT: '3',
    LOG_LEVEL: 'info',
    CONTROL_TOKEN: '',
    HOST: '0.0.0.0'
  }
  const run = await ready(t, args, { variables })
  const { baseUrl, controlUrl, last } = run

  t.match(last, READY)
  t.not(baseUrl, 'http://localhost:0/next')
  t.equal(
    run.stdout(),
    `
  API       ${baseUrl}
  Console   ${controlUrl}
  API docs  ${controlUrl}/docs
  Scenario  own: My own.
  Data      4 records, in memory; --data DIR saves them
  Keys      ${key}  acts as mch_a

  Try       curl -u 'sk_it'\\''s$HOME&:' ${baseUrl}/locations

commerce-emulator ready on ${baseUrl}
`
  )
  await t.test(
    'the example request that it prints works',
    { skip: hasCurl ? false : 'curl is not installed' },
    async t => {
      const [, line = ''] = /Try +(curl .*)\n/.exec(run.stdout()) ?? []
      const { status, stdout } = spawnSync('sh', ['-c', `${line.replace('curl', 'curl -sS')}`], {
        encoding: 'utf8'
      })
      t.equal(status, 0)
      t.equal(JSON.parse(stdout).data[0].id, 'loc_a')
    }
  )

  const { settings } = (await (await fetch(`${controlUrl}/settings`)).json()) as Json
  const expected: [key: string, value: unknown, source: string][] = [
    ['port', 0, 'flag'],
    ['seed', 5, 'flag'],
    ['pagination.max_limit', 7, 'flag'],
    ['pagination.default_limit', 3, 'environment'],
    ['control_hosts', ['a.example', 'b.example'], 'flag'],
    ['cors', false, 'flag'],
    ['log_level', 'info', 'environment'],
    ['control_token', null, 'default'],
    ['fixtures_dir', null, 'flag']
  ]
  for (const [key, value, source] of expected)
    t.strictSame([settings[key].value, settings[key].source], [value, source], key)

  const nameOf = async () => ((await (await fetch(`${controlUrl}/health`)).json()) as Json).scenario
  t.equal(await nameOf(), 'own')
  await writeFile(`${root}/own.yaml`, JSON.stringify({ name: 'second', data }))
  while ((await nameOf()) === 'own') await sleep(50)
  t.equal(await nameOf(), 'second', 'a change of the scenario is loaded')

  const agent = new Agent({ keepAlive: true })
  const [response] = await once(get(`${controlUrl}/state`, { agent }), 'response')
  await once(response.resume(), 'end')
  t.equal(await signalled(run, 'SIGINT'), 0, 'with an idle connection open')
  agent.destroy()
  t.equal(run.stdout().trimEnd().split('\n').at(-1), last, 'nothing follows on stdout')
  const lines = run.stderr().trimEnd().split('\n')
  const logged = lines.map(line => JSON.parse(line))
  const said = logged.map(({ msg }) => msg.replace(/ [\d.]+ ms/, ''))
  t.match(said[0], /^loading the scenario; \S.*:\d+ /)
  for (const line of [
    SAYS.exposed('0.0.0.0'),
    `listening on ${baseUrl.replace('/next', '')}`,
    ...(hasCurl ? ['GET /next/locations 200 req_1'] : [])
  ])
    t.ok(said.includes(line), line)
  t.notOk(logged.some(({ call }) => call?.path.startsWith('/_control')))
})

t.test('cli: a second signal ends the process immediately with 1', async t => {
  const run = await ready(t, ['--set', 'limits.shutdown=20000'], { main: BUILT })
  const call = request(`${run.baseUrl}/transactions`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' }
  })
  call.on('error', () => {})
  // a body that never ends
  call.write('ticket=tkt_a')
  await once(call, 'socket')
  await sleep(200)

  run.child.kill('SIGTERM')
  await sleep(200)
  t.equal(run.child.exitCode, null, 'it waits for the call')
  t.equal(await signalled(run, 'SIGINT'), 1)
})

t.test('cli: a process whose start failed ends with 1, with the reason on stderr', async t => {
  const root = t.testdir({ 'bad.yaml': 'sede: 3' })
  const run = running(
    t,
    ['--port', '0', '--log-level', 'silent', '--scenario', `${root}/bad.yaml`],
    { main: BUILT }
  )

  t.strictSame([await run.ended, run.stdout()], [1, ''])
  t.equal(
    run.stderr(),
    `commerce-emulator: ${root}/bad.yaml:1:1 sede: unknown name sede; did you mean seed?\n`
  )
})

t.test('cli: an error that nothing caught is logged before the process ends with 1', async t => {
  const root = t.testdir({
    'thrower.cjs': 'process.on("SIGUSR2", () => { throw new Error("out of place") })'
  })
  const run = await ready(t, [], { nodeArgs: ['--require', `${root}/thrower.cjs`] })

  t.equal(await signalled(run, 'SIGUSR2'), 1)
  const { level, msg, err } = JSON.parse(run.stderr().trimEnd().split('\n').at(-1) as string)
  t.strictSame(
    [level, msg, err.message],
    [60, 'The emulator is stopping because of a defect. Please report it.', 'out of place']
  )
})

t.test('cluster: two workers that ask for any port do not share one', async t => {
  const emulator = new URL('../../src/in-process.ts', import.meta.url).href
  const root = t.testdir({
    'worker.mjs': `import { startEmulator } from '${emulator}'
      process.send((await startEmulator()).baseUrl)`
  })
  cluster.setupPrimary({ exec: join(root, 'worker.mjs'), execArgv: process.execArgv })
  const urls = [1, 2].map(async () => {
    const worker = cluster.fork({ _TAPJS_PROCESSINFO_COVERAGE_: '0' })
    t.teardown(() => worker.process.kill('SIGKILL'))
    return (await once(worker, 'message'))[0] as string
  })
  t.equal(new Set(await Promise.all(urls)).size, 2)
})
