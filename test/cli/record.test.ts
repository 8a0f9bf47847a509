import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import t from 'tap'
import { parse } from 'yaml'
import { Recorder } from '../../src/cli/recorder.js'
import { reasonOf, SAYS } from '../../src/cli/sentences.js'
import { ApiError } from '../../src/core/errors.js'
import { startEmulator } from '../../src/index.js'
import { VERSION } from '../../src/scenario/library.js'
import { ran } from '../support/command.js'
import { MERCHANT, smallFixture, startTestEmulator } from '../support/emulator.js'
import { scenarioIn, script } from './exec-run.js'

const PAYMENT = `const { id } = await (await call('POST /transactions', { ticket: 'tkt_a', payment_type: 'card', amount: 900, 'card[number]': '5555555555554444' })).json()
await call('POST /refunds', { transaction: id, amount: 901 })
`
const PAID = { ticket: 'tkt_a', payment_type: 'external', amount: 100 }
const RESET = `await fetch(control + '/reset', { method: 'POST' })
`
const recorded = (file: string, requests: number, left = 0) =>
  `commerce-emulator: ${SAYS.recorded(file, requests, left)}`
const lines = (stderr: string) =>
  stderr.split('\n').filter(line => line.startsWith('commerce-emulator: '))

const recordedRun = (file: string, scenario: string, code: string, env = {}) =>
  ran(['record', '--out', file, '--scenario', scenario, '--', ...script(code)], env)

t.test('record: a command runs as with exec', async t => {
  const scenario = scenarioIn(t)
  const file = `${t.testdirName}/out.yaml`
  writeFileSync(file, 'what was there')

  const { status, stdout, stderr } = await recordedRun(file, scenario, `${PAYMENT}process.exit(3)`)

  t.strictSame([status, stdout], [3, ''])
  t.strictSame(lines(stderr), [
    recorded(file, 2),
    `commerce-emulator: ${SAYS.command_failed('status 3')}`
  ])
  t.match(stderr, /\n {2}Requests {6}2\n/, 'and the requests are judged')
  const text = readFileSync(file, 'utf8')
  t.notMatch(text, /5555555555554444|sk_merchant/)
  const { data, play } = parse(text)
  t.strictSame(
    Object.entries(data).map(([family, list]) => [family, (list as unknown[]).length]),
    [
      ['api_keys', 1],
      ['accounts', 1],
      ['locations', 1],
      ['tickets', 1]
    ]
  )
  t.strictSame(
    play.map(({ do: on, expect }: { do: string; expect: { status: number } }) => [
      on,
      expect.status
    ]),
    [
      ['POST /transactions', 200],
      ['POST /refunds', 400]
    ]
  )
  t.equal((await ran(['check', file])).status, 0)
  t.strictSame(readdirSync(t.testdirName).sort(), ['out.yaml', 'own.yaml'], 'nothing else is left')
})

t.test('record: each reset and each sandbox has its own file', async t => {
  const scenario = scenarioIn(t)
  const file = `${t.testdirName}/out.yaml`
  const code = `${PAYMENT}${RESET}${RESET}await call('GET /tickets/tkt_a')
${RESET}await fetch(base.replace('/next', '/sandbox/one/next/nowhere'))
await fetch(base.replace('/next', '/sandbox/one/next/tickets'), { headers: { authorization: 'Basic ' + btoa(key + ':') } })
await fetch(control + '/sandboxes/one', { method: 'DELETE' })`

  const { status, stderr } = await ran([
    'record',
    '--out',
    file,
    '--scenario',
    scenario,
    '--fail-on',
    'findings',
    '--',
    ...script(code)
  ])

  t.equal(status, 3, 'a criterion fails it as it does exec')
  t.strictSame(lines(stderr), [
    recorded(file, 2),
    recorded(`${t.testdirName}/out-2.yaml`, 1),
    recorded(`${t.testdirName}/out-3.yaml`, 1)
  ])
  t.equal(
    (await ran(['check', file, file.replace('.yaml', '-2.yaml'), file.replace('.yaml', '-3.yaml')]))
      .status,
    0
  )
})

t.test('record: requests that cannot be played are counted', async t => {
  const scenario = scenarioIn(t)
  const file = `${t.testdirName}/out`
  const code = `await call('GET /tickets/tkt_a')\nawait call('GET /nowhere')\nawait call('GET /nowhere')`

  const all = await recordedRun(file, scenario, code)
  const last = await recordedRun(file, scenario, code, { LIMITS_JOURNAL: '1' })

  t.strictSame(lines(all.stderr), [recorded(file, 1, 2)])
  t.strictSame(lines(last.stderr), [recorded(file, 0, 1)])

  const advance = `await fetch(control + '/clock/advance', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"by":"36h"}' })`
  const calls = `await call('GET /tickets/tkt_a')\n${advance}\nawait call('GET /tickets/tkt_a')`
  const waiting = await recordedRun(file, scenario, calls)
  t.ok(readFileSync(file, 'utf8').includes('wait: 36h'))
  t.strictSame(lines(waiting.stderr), [recorded(file, 2)], 'a wait is not a request')
})

t.test('record: a file that cannot be written is refused before the command runs', async t => {
  const folder = t.testdir({ file: '', locked: {} })
  const ranFile = `${folder}/ran`
  const command = script(`save(${JSON.stringify(ranFile)}, 1)`)
  for (const [out, code] of [
    [`${folder}/none/out.yaml`, 'ENOENT'],
    [`${folder}/file/out.yaml`, 'ENOTDIR'],
    [folder, 'EISDIR'],
    [`${folder}/${'x'.repeat(300)}`, 'ENAMETOOLONG']
  ] as const) {
    const { status, stderr } = await ran(['record', '--out', out, '--', ...command])
    t.equal(status, 1)
    t.equal(
      stderr,
      `commerce-emulator: ${SAYS.out_unwritten(out, reasonOf('write', { code, message: '' }))}\n`
    )
    t.notOk(existsSync(ranFile))
  }
  const missing = await ran(['record', '--', ...command])
  t.strictSame([missing.status, /required option '--out <file>'/.test(missing.stderr)], [2, true])
  t.notOk(existsSync(ranFile))
})

t.test('record: no request, or a file that cannot be written at the end', async t => {
  const scenario = scenarioIn(t)
  const file = `${t.testdirName}/folder/out.yaml`
  mkdirSync(`${t.testdirName}/folder`)
  const none = await ran(['record', '--out', file, '--scenario', scenario, '--', 'true'])
  t.strictSame(
    [none.status, lines(none.stderr)],
    [3, [`commerce-emulator: ${SAYS.not_written(file, SAYS.nothing_recorded())}`]]
  )

  const gone = `import { rmSync } from 'node:fs'\nawait call('GET /tickets/tkt_a')\nrmSync(${JSON.stringify(`${t.testdirName}/folder`)}, { recursive: true })\n`
  const lost = await recordedRun(file, scenario, gone)
  t.strictSame(
    [lost.status, lines(lost.stderr)],
    [
      1,
      [
        `commerce-emulator: ${SAYS.not_written(file, reasonOf('write', { code: 'ENOENT', message: '' }))}`
      ]
    ]
  )

  mkdirSync(`${t.testdirName}/folder`)
  const failed = await recordedRun(file, scenario, `${gone}process.exit(5)`)
  t.equal(failed.status, 5)
})

t.test('record: at most a hundred scenarios are written', async t => {
  const emulator = await startTestEmulator(t)
  const file = `${t.testdir()}/out.yaml`
  const recorder = new Recorder()
  for (let periods = 0; periods < 102; periods++) recorder.note(emulator.sandbox)
  await emulator.call('GET /tickets')
  const stderr = new PassThrough()

  t.match(await recorder.end(emulator, file, stderr), { isWritten: false, recordings: [] })
  t.match(String(stderr.read()), SAYS.too_many_recordings(100, 3))

  const refused = `${t.testdirName}/refused.yaml`
  emulator.sandbox.blank = () => {
    throw new ApiError('document_too_large', { message: 'It is too large.' })
  }
  for (const [out, what] of [
    [refused, refused],
    [undefined, SAYS.recording_of('#1')]
  ] as const) {
    t.match(await new Recorder().end(emulator, out, stderr), { isWritten: false })
    t.equal(
      String(stderr.read()),
      `commerce-emulator: ${SAYS.not_written(what, 'It is too large.')}\n`
    )
  }
  t.notOk(existsSync(refused))
})

t.test('repro: the scenario of a request of a running emulator', async t => {
  const emulator = await startEmulator({
    scenario: { data: smallFixture() as never },
    settings: { log_level: 'silent', control_token: 'a-secret-token-of-tests' }
  })
  t.teardown(emulator.close)
  const headers = { authorization: `Basic ${btoa(`${MERCHANT}:`)}` }
  await fetch(`${emulator.baseUrl}/tickets/tkt_none`, { headers })
  await fetch(`${emulator.url}/sandbox/one/next/tickets/tkt_a`, { headers })
  const url = ['--url', emulator.url]
  const token = ['--token', 'a-secret-token-of-tests']
  for (const [id, on] of [
    ['req_1', 'GET /tickets/tkt_none'],
    ['#1/req_1', 'GET /tickets/tkt_none'],
    ['one#1/req_1', 'GET /tickets/tkt_a']
  ] as const) {
    const { status, stdout, stderr } = await ran(['repro', id, ...url], {
      CONTROL_TOKEN: 'a-secret-token-of-tests'
    })
    t.equal(status, 0, stderr)
    t.equal(parse(stdout).play[0].do, on, id)
  }
  t.match(await ran(['repro', 'req_1', ...token], { COMMERCE_URL: emulator.url }), { status: 0 })
  for (const [args, why] of [
    [['req_9', ...token], 'req_9'],
    [['#2/req_1', ...token], '#2/req_1'],
    [['none#1/req_1', ...token], 'none'],
    [['req_1', '--token', 'wrong'], 'Bearer TOKEN']
  ] as const) {
    const { status, stdout, stderr } = await ran(['repro', ...args, ...url])
    t.strictSame([status, stdout], [1, ''])
    t.match(stderr, new RegExp(why))
  }
  const { stderr } = await ran(['repro', 'req_1'], { COMMERCE_URL: 'http://localhost:1' })
  t.match(stderr, 'GET http://localhost:1/_control/keys got no response')
  t.match((await ran(['repro', 'req_0'])).stderr, 'http://localhost:4010/')
  t.equal((await ran(['repro'])).status, 2)
})

t.test('repro --run: the same as of the running emulator, from the report alone', async t => {
  const scenario = scenarioIn(t, {
    clock: { now: '2026-03-01T18:00:00Z' },
    steps: [{ as: 'first', do: 'POST /transactions', body: PAID }],
    script: [{ on: 'POST /refunds', calls: 1, fault: 'connection_reset', when: 'after' }],
    expect: [
      { on: 'POST /refunds', match: { key: MERCHANT }, times: 1 },
      { state: { transactions: { count: 2 } } }
    ]
  })
  const folder = `${t.testdirName}/reports`
  const code = `const texts = {}
const note = async (sandbox, period, id) => {
  const at = control.replace('/_control', (sandbox && '/sandbox/' + sandbox) + '/_control')
  texts[sandbox + '#' + period + '/' + id] = await (await fetch(at + '/requests/' + id + '?format=scenario')).text()
}
const { id } = await (await call('POST /transactions', ${JSON.stringify(PAID)})).json()
await call('POST /refunds', { transaction: id, amount: 40, reason: '5555555555554444' }).catch(() => {})
await call('GET /nowhere')
await fetch(control + '/clock/advance', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"by":"1h"}' })
await call('POST /refunds', { transaction: id, amount: 40 })
await call('POST /refunds', { transaction: id, amount: 400 })
await call('GET /refunds')
await fetch(base.replace('/next', '/sandbox/one/next/tickets/tkt_a'), { headers: { authorization: 'Basic ' + btoa(key + ':') } })
for (const nth of [1, 2, 4, 5, 6]) await note('', 1, 'req_' + nth)
await note('one', 1, 'req_1')
${RESET}await call('GET /tickets/tkt_none')
await note('', 2, 'req_1')
save(${JSON.stringify(`${t.testdirName}/texts`)}, texts)`

  const exec = await ran([
    'exec',
    '--report',
    folder,
    '--scenario',
    scenario,
    '--',
    ...script(code)
  ])

  const file = `${folder}/run.json`
  t.equal(exec.status, 3)
  t.match(exec.stderr, SAYS.repro_of_run("'#1/req_2'", file))
  t.notMatch(readFileSync(file, 'utf8'), /5555555555554444|sk_merchant/)
  const texts: Record<string, string> = JSON.parse(readFileSync(`${t.testdirName}/texts`, 'utf8'))
  t.equal(Object.keys(texts).length, 7)
  for (const [name, text] of Object.entries(texts)) {
    const { status, stdout, stderr } = await ran(['repro', name, '--run', file])
    t.strictSame([status, stdout, stderr], [0, text, ''], name)
  }
  for (const name of ['#1/req_3', 'req_1', 'two#1/req_1']) {
    const { status, stderr } = await ran(['repro', name, '--run', file])
    t.equal(status, 1)
    t.match(stderr, SAYS.not_in_run(file, name))
  }
  const { run, ...more } = JSON.parse(readFileSync(file, 'utf8'))
  run.recordings[0].requests.push({ id: 'req_9' })
  delete run.recordings[0].requests[0].made
  writeFileSync(file, JSON.stringify({ ...more, run }))
  t.equal((await ran(['repro', '#1/req_1', '--run', file])).status, 0)
  for (const [recordings, why] of [
    [undefined, SAYS.no_recordings(file)],
    [run.recordings, SAYS.not_replayed('#1/req_9')]
  ] as const) {
    writeFileSync(file, JSON.stringify({ ...more, run: { ...run, recordings } }))
    t.match(await ran(['repro', '#1/req_9', '--run', file]), { status: 1, stderr: why })
  }
})

t.test('repro: a file that is not a report of a run, or of another version', async t => {
  const root = t.testdir({
    text: 'a',
    list: '[]',
    old: JSON.stringify({ run: { object: 'run', version: '0.0.1' } })
  })
  const told: [string, string][] = [
    ...['text', 'list'].map((name): [string, string] => [name, SAYS.not_a_run(`${root}/${name}`)]),
    ['old', SAYS.other_version(`${root}/old`, '0.0.1', VERSION)],
    ['none', SAYS.unread(`${root}/none`, 'no such file or folder')]
  ]
  for (const [name, message] of told)
    t.strictSame(await ran(['repro', '#1/req_1', '--run', `${root}/${name}`]), {
      status: 1,
      stdout: '',
      stderr: `commerce-emulator: ${message}\n`
    })
})
