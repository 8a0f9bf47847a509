import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { reasonOf, SAYS } from '../../src/cli/sentences.js'
import { ERRORS } from '../../src/client/sentences.js'
import { startEmulator } from '../../src/index.js'
import { ran, serving } from '../support/command.js'
import { MERCHANT, smallFixture } from '../support/emulator.js'
import { read, scenarioIn, script } from './exec-run.js'

const TOKEN = 'open sesame, open'

/**
 * A listening emulator with two findings: the same refused request twice, and a payment of nothing.
 */
async function emulatorWithFindings(settings: object = {}) {
  const scenario = { data: smallFixture(), expect: [{ on: 'POST /refunds', times: 1 }] } as never
  const emulator = await startEmulator({ scenario, settings: { log_level: 'silent', ...settings } })
  t.teardown(emulator.close)
  const headers = { authorization: `Basic ${btoa(`${MERCHANT}:`)}` }
  for (let call = 0; call < 2; call++)
    await fetch(`${emulator.baseUrl}/tickets?limit=0`, { headers })
  await fetch(`${emulator.baseUrl}/transactions`, {
    method: 'POST',
    body: new URLSearchParams({ ticket: 'tkt_a', payment_type: 'external' })
  })
  return emulator
}
const { controlUrl, baseUrl } = await emulatorWithFindings()

t.test('judge: the emulator is named by its address', async t => {
  for (const given of ['localhost:4010', '', 'emulator', 'ftp://localhost', 'http://']) {
    const stderr = `commerce-emulator: ${ERRORS.notAnAddress(given).message}\n`
    t.strictSame(await ran(['judge', '--url', given]), { status: 2, stdout: '', stderr })
  }
})

t.test('judge: a running emulator passes or fails by the criteria of exec', async t => {
  const of = async (...args: string[]) => {
    const { status, stderr } = await ran(['judge', '--url', baseUrl, ...args])
    return [status, ...[...stderr.matchAll(/FAILED {8}(.*)\n/g)].map(([, message]) => message)]
  }
  const before = await (await fetch(`${controlUrl}/run`)).text()
  const [{ message: unmet }] = JSON.parse(before).expectations

  t.strictSame(await of(), [3, unmet])
  const nextOf = async (...args: string[]) =>
    /\n {2}Next +(.*)\n$/.exec((await ran(['judge', '--url', baseUrl, ...args])).stderr)?.[1]
  t.strictSame(
    await Promise.all([
      nextOf(),
      nextOf('--fail-on', 'warnings'),
      nextOf('--ignore', 'expectations', '--fail-on', 'zero-payment')
    ]),
    [
      undefined,
      `commerce-emulator repro '#1/req_3' --url ${baseUrl}`,
      `commerce-emulator repro '#1/req_3' --url ${baseUrl}`
    ]
  )
  t.strictSame(
    await of(
      '--ignore',
      'expectations',
      '--fail-on',
      'script',
      '--report',
      `${t.testdir()}/reports`
    ),
    [0]
  )
  t.ok(read(`${t.testdirName}/reports/run.json`).passed)
  t.strictSame(await of('--fail-on', 'zero-payment', 'expectations'), [
    3,
    unmet,
    'finding: zero-payment'
  ])
  t.strictSame(
    await of('--fail-on', 'findings', '--ignore', 'expectations,zero-payment,refused-and-repeated'),
    [0]
  )
  t.match((await of('--fail-on', 'errors', '--min-coverage', '100'))[1], /^rule coverage .*100 %/)
  t.equal(await (await fetch(`${controlUrl}/run`)).text(), before)
})

t.test('judge: the address comes from COMMERCE_URL if no flag sets it', async t => {
  const { controlUrl } = await emulatorWithFindings({ control_token: TOKEN })
  const refused = 'commerce-emulator: This control API needs Authorization'
  const url = ['--url', controlUrl]
  const cases: [isRead: boolean, args: string[], environment: Record<string, string>][] = [
    [true, [], { COMMERCE_URL: controlUrl, CONTROL_TOKEN: TOKEN }],
    [
      true,
      [...url, '--token', TOKEN],
      { COMMERCE_URL: 'http://localhost:1', CONTROL_TOKEN: 'another control token' }
    ],
    [false, url, {}],
    [false, url, { CONTROL_TOKEN: 'another control token' }]
  ]
  for (const [isRead, args, environment] of cases) {
    const { status, stderr } = await ran(
      ['judge', '--ignore', 'expectations', ...args],
      environment
    )
    t.notOk(stderr.includes(TOKEN))
    t.strictSame([status, stderr.startsWith(refused)], isRead ? [0, false] : [1, true])
  }
})

t.test('judge: a run that cannot be read ends with 1 and says why', async t => {
  const folder = `${t.testdir()}/reports`
  const foreign = ' is not a commerce-emulator'
  const cases: [url: string, why: string][] = [
    ['http://127.0.0.1:1', 'ECONNREFUSED'],
    ['https://127.0.0.1:1', 'ECONNREFUSED'],
    [await serving(t, (_request, response) => response.end('<html>')), foreign],
    [await serving(t, (_request, response) => response.end('{"object":"list"}')), foreign],
    [await serving(t, ({ socket }) => socket.destroy()), 'socket hang up']
  ]
  for (const [url, why] of cases) {
    const { status, stderr } = await ran(['judge', '--url', url, '--report', folder])
    t.strictSame([status, stderr.includes(url), stderr.includes(why)], [1, true, true], stderr)
  }
  t.throws(() => readFileSync(`${folder}/run.json`))
})

t.test('exec and judge: GitHub Actions gets a summary', async t => {
  const root = t.testdir({ 'step.md': 'before\n' })
  const environment = { GITHUB_STEP_SUMMARY: `${root}/step.md` }

  const judged = await ran(
    [
      'judge',
      '--url',
      baseUrl,
      '--fail-on',
      'warnings',
      '--ignore',
      'zero-payment',
      'expectations'
    ],
    environment
  )
  const executed = await ran(['exec', '--allow-no-requests', '--', 'true'], environment)

  t.equal(judged.status, 3)
  t.equal(executed.status, 0)
  const summary = readFileSync(`${root}/step.md`, 'utf8')
  t.ok(summary.startsWith('before\n## commerce-emulator: a criterion failed\n'))
  t.ok(summary.includes('\n## commerce-emulator: all criteria passed\n\n0 requests'))
})

t.test('exec and judge: a report that cannot be written makes the status 1', async t => {
  const scenario = scenarioIn(t, { expect: [{ on: 'GET /tickets/{id}', times: 1 }] })
  const root = t.testdirName
  const GITHUB_STEP_SUMMARY = `${root}/none/step.md`
  const ends = async (code: string, ...more: string[]) => {
    const { status, stderr } = await ran(
      ['exec', '--scenario', scenario, '--report', `${root}/reports`, '--', ...script(code)],
      { GITHUB_STEP_SUMMARY }
    )
    t.ok(
      stderr.endsWith(
        [
          SAYS.unwritten(GITHUB_STEP_SUMMARY, reasonOf('write', { code: 'ENOENT', message: '' })),
          ...more
        ]
          .map(line => `commerce-emulator: ${line}\n`)
          .join('')
      ),
      stderr
    )
    t.ok(read(`${root}/reports/run.json`), 'the others are written')
    return status
  }
  const visit = `await call('GET /tickets/tkt_a')`

  t.equal(await ends(visit), 1)
  t.equal(await ends(''), 3)
  t.equal(await ends(`${visit}\nprocess.exit(7)`, SAYS.command_failed('status 7')), 7)
  writeFileSync(`${root}/file`, '')
  const { status, stderr } = await ran(['judge', '--url', baseUrl, '--report', `${root}/file`])
  t.strictSame(
    [status, stderr],
    [
      1,
      `commerce-emulator: ${SAYS.unmade(`${root}/file`, reasonOf('make', { code: 'EEXIST', message: '' }))}\n`
    ]
  )
})

t.test('exec: a run with a control token is read, too', async t => {
  const folder = `${t.testdir()}/reports`
  const code = `
const { COMMERCE_CONTROL_URL: url } = process.env
await fetch(url + '/reset', { method: 'POST', headers: { authorization: 'Bearer ${TOKEN}' } })
const send = name => fetch(base + '/tickets/' + encodeURIComponent(name), { headers: { authorization: 'Basic ' + btoa(key + ':'), 'test-name': name } })
await send(${JSON.stringify(TOKEN)})
await send('4242424242424242 ' + key)`
  const { status, stderr } = await ran([
    'exec',
    '--set',
    `control_token=${TOKEN}`,
    '--scenario',
    scenarioIn(t),
    '--report',
    folder,
    '--',
    ...script(code)
  ])

  t.equal(status, 0, stderr)
  t.equal(read(`${folder}/run.json`).run.calls, 2)
  for (const name of ['run.json', 'junit.xml', 'summary.md', 'report.html']) {
    const text = readFileSync(`${folder}/${name}`, 'utf8')
    for (const secret of [TOKEN, '4242424242424242', MERCHANT])
      t.notOk(text.includes(secret), `${name}: ${secret}`)
  }
  t.notOk(stderr.includes(TOKEN))
})
