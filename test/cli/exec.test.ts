import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { constants } from 'node:os'
import t from 'tap'
import { MERCHANT, smallFixture } from '../support/emulator.js'
import { linesWritten, ran, read, running, scenarioIn, script } from './exec-run.js'

const NOTHING_DONE = `
commerce-emulator
  Calls         0
  Coverage      0 of 93 rule outcomes, 0 %; 58 rules never exercised, 0 never violated
  Assumptions   none relied on
  Findings      none
  Script        no entry unused
  Expectations  none unmet
`

const isOpen = (url: string) =>
  new Promise<boolean>(resolve => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.on('connect', () => resolve(socket.destroy() !== null)).on('error', () => resolve(false))
  })

t.test('exec: the command gets a ready emulator of its own through its variables, and nothing is left running', async t => {
  const scenario = scenarioIn(t)
  const file = `${t.testdirName}/found.json`
  const code = `
const { status } = await call('GET /tickets/tkt_a')
const health = await (await fetch(control + '/health')).json()
save(${JSON.stringify(file)}, { base, key, control, status, health: health.status, own: process.env.OWN })`
  process.env.OWN = 'yes'
  const { status, stdout, stderr } = await ran(['exec', '--scenario', scenario, '--', ...script(code)], { PORT: '1' })

  t.equal(status, 0, stderr)
  t.equal(stdout, '')
  const found = read(file)
  t.strictSame([found.key, found.status, found.health, found.own], [MERCHANT, 200, 'ready', 'yes'])
  t.match(found.base, /^http:\/\/localhost:\d+\/next$/)
  t.not(found.base, 'http://localhost:1/next', 'PORT is for start')
  t.equal(found.control, found.base.replace('/next', '/_control'))
  t.notOk(await isOpen(found.base), 'the port is closed')
  t.equal(stderr.split('\n')[2], '  Calls         1')
})

t.test('exec: the variables can have other names, and the port can be chosen', async t => {
  const scenario = scenarioIn(t, { data: { ...smallFixture(), api_keys: [] } })
  const file = `${t.testdirName}/found.json`
  const code = `const { B, K, C } = process.env; save(${JSON.stringify(file)}, { B, K: K ?? null, C, base: base ?? null, control: control ?? null })`
  const names = ['--base-url-name', 'B', '--api-key-name', 'K', '--control-url-name', 'C']
  const port = 20_000 + (process.pid % 20_000)

  const { status, stderr } = await ran(['exec', '--port', String(port), '--scenario', scenario, ...names, '--', ...script(code)])

  t.equal(status, 0, stderr)
  t.strictSame(read(file), { B: `http://localhost:${port}/next`, K: null, C: `http://localhost:${port}/_control`, base: null, control: null })
  t.notOk(await isOpen(`http://localhost:${port}`))
})

t.test('exec: the status is the command’s own; a gate makes it 2 only when the command itself ended with 0', async t => {
  const scenario = scenarioIn(t, { expect: [{ on: 'POST /refunds', times: 1 }] })
  const unmet = '  Expectations  POST /refunds: 1 call was expected, 0 came'
  const failed = '  FAILED        POST /refunds: 1 call was expected, 0 came'
  const of = async (...args: string[]) => {
    const { status, stderr } = await ran(['exec', '--scenario', scenario, ...args])
    return [status, stderr.includes(unmet), stderr.includes(failed)]
  }

  t.strictSame(await of('--', ...script('')), [2, true, true], 'expectations are the gate unless others are named')
  t.strictSame(await of('--', ...script('process.exit(7)')), [7, true, true])
  t.strictSame(await of('--fail-on', 'findings', '--', ...script('')), [0, true, false])
  t.strictSame(await of('--fail-on', 'findings', 'expectations', '--', ...script('')), [2, true, true])
  t.strictSame(await of('--', 'sh', '-c', 'kill -KILL $$'), [128 + constants.signals.SIGKILL, true, true])
})

t.test('exec: the status is 127 for a command that does not exist, and 126 for one that cannot be run', async t => {
  const root = t.testdir({ 'plain.txt': 'no program' })
  const none = await ran(['exec', '--', `${root}/none`])
  const plain = await ran(['exec', '--', `${root}/plain.txt`])

  t.strictSame(none, { status: 127, stdout: '', stderr: `commerce-emulator: ${root}/none cannot be run: there is no such command\n${NOTHING_DONE}` })
  t.strictSame(plain, {
    status: 126,
    stdout: '',
    stderr: `commerce-emulator: ${root}/plain.txt cannot be run: spawn ${root}/plain.txt EACCES\n${NOTHING_DONE}`
  })
})

t.test('exec: the command is not run when the emulator cannot start or the folder for reports cannot be made', async t => {
  const root = t.testdir({ 'bad.yaml': 'sede: 3', file: '' })
  const mark = `${root}/started`
  const touch = ['--', ...script(`save(${JSON.stringify(mark)}, 1)`)]
  const cases: [args: string[], complaint: string][] = [
    [['--scenario', `${root}/bad.yaml`], `${root}/bad.yaml:1:7 sede: unknown name sede; did you mean seed?`],
    [['--set', 'seed=x'], '--set seed=x: a whole number was expected, not x'],
    [['--report', `${root}/file/deep`], `${root}/file/deep cannot be made: a part of the path is a file, not a folder`]
  ]
  for (const [args, complaint] of cases) {
    const { status, stderr } = await ran(['exec', ...args, ...touch])

    t.equal(status, 1, complaint)
    t.equal(stderr, `commerce-emulator: ${complaint}\n`)
    t.notOk(existsSync(mark), 'the command was not run')
  }
})

t.test('exec: --min-coverage takes a percentage, and --fail-on the names of gates', async t => {
  const hint = '\n(run commerce-emulator --help for the commands and flags)\n'
  for (const text of ['101', '-1', 'most', ' ']) {
    const { status, stderr } = await ran(['exec', `--min-coverage=${text}`, '--', 'true'])
    t.equal(status, 1)
    t.equal(stderr, `error: option '--min-coverage <percent>' argument '${text}' is invalid. A percentage from 0 to 100 was expected.${hint}`)
  }
  const { status, stderr } = await ran(['exec', '--fail-on', 'finding', '--', 'true'])
  t.strictSame(
    [status, stderr],
    [1, `error: option '--fail-on <what...>' argument 'finding' is invalid. Allowed choices are findings, expectations, script.${hint}`]
  )
  t.strictSame([(await ran(['exec'])).status, (await ran(['exec', '--'])).status], [1, 1])
})

const SHOP = {
  script: [
    { name: 'refunds are down', on: 'POST /refunds', calls: '9', respond: { status: 503 } },
    { on: 'GET /tickets', calls: 9, delay: '1ms' },
    { name: 'slow', on: 'GET /tickets/{id}', delay: '1ms' }
  ],
  expect: [
    { on: 'POST /transactions', times: 1 },
    { on: 'GET /refunds', at_least: 1 }
  ]
}
const SESSION = `
const pay = await (await call('POST /transactions', { ticket: 'tkt_a', payment_type: 'external', amount: 500 })).json()
await call('GET /tickets/tkt_a')
await call('POST /refunds', { transaction: pay.id, amount: 600 })
await call('POST /refunds', { transaction: pay.id, amount: 600 })
await call('GET /tickets?search_query=T')`

t.test('exec: the summary shows calls, coverage, assumptions, findings, unused script entries and unmet expectations; every gate can fail the run', async t => {
  const scenario = scenarioIn(t, SHOP)
  const all = ['--min-coverage', '80', '--fail-on', 'findings', 'script', 'expectations']
  const folder = `${t.testdirName}/some/new/folder`

  const { status, stderr } = await ran(['exec', '--scenario', scenario, ...all, '--report', folder, '--', ...script(SESSION)])

  t.equal(status, 2)
  const { coverage, ...summary } = read(`${folder}/summary.json`)
  const { rules, ...shares } = read(`${folder}/coverage.json`)
  t.strictSame(shares, coverage)
  t.equal(rules.length, 58)
  const seenOf = (id: string) => rules.find(({ rule }: { rule: string }) => rule === id)
  t.strictSame([seenOf('REF-7').violated, seenOf('SRCH-1').satisfied, seenOf('LOC-1').satisfied], [2, 1, 0])
  t.equal(coverage.possible, 93)
  const share = Math.floor((coverage.seen / 93) * 1000) / 10
  t.equal(coverage.percent, share)

  const message = 'GET /refunds: at least 1 call was expected, 0 came'
  const failures = [
    { gate: 'coverage', message: `rule coverage is ${share} %, below 80 %` },
    { gate: 'findings', message: 'findings: search-without-narrowing, refused-and-repeated' },
    { gate: 'script', message: 'script entries that were never applied: refunds are down, scr_2 GET /tickets' },
    { gate: 'expectations', message }
  ]
  t.strictSame(
    { ...summary, assumptions: null, unmet_expectations: null },
    {
      status: 0,
      calls: 5,
      findings: [
        { finding: 'search-without-narrowing', severity: 'warning', times: 1 },
        { finding: 'refused-and-repeated', severity: 'warning', times: 1 }
      ],
      assumptions: null,
      unused_script_entries: [
        { id: 'scr_1', entry: SHOP.script[0], matched: 2, applied: 0 },
        { id: 'scr_2', entry: SHOP.script[1], matched: 1, applied: 0 }
      ],
      unmet_expectations: null,
      failures
    }
  )
  t.strictSame(
    ['A12', 'A18', 'A31'].map(id => summary.assumptions.includes(id)),
    [true, true, false]
  )
  t.strictSame(summary.unmet_expectations, [
    { expectation: SHOP.expect[1], wanted: 'GET /refunds: at least 1 call', seen: 0, holds: false, exceeded: false, message }
  ])

  t.equal(
    stderr,
    `
commerce-emulator
  Calls         5
  Coverage      ${coverage.seen} of 93 rule outcomes, ${share} %; ${coverage.never_exercised.length} rules never exercised, ${coverage.never_violated.length} never violated
  Assumptions   ${summary.assumptions.join(' ')}
  Findings      search-without-narrowing (1×), refused-and-repeated (1×)
  Script        never applied: refunds are down, scr_2 GET /tickets
  Expectations  ${message}
${failures.map(failure => `  FAILED        ${failure.message}\n`).join('')}`
  )

  t.strictSame(
    read(`${folder}/findings.json`).map(({ finding, requests }: { finding: string; requests: string[] }) => [finding, requests]),
    [
      ['search-without-narrowing', ['req_5']],
      ['refused-and-repeated', ['req_3', 'req_4']]
    ]
  )
  t.ok(readFileSync(`${folder}/findings.txt`, 'utf8').startsWith('warning: search-without-narrowing (1×, req_5)\n'))
  const xml = readFileSync(`${folder}/coverage.xml`, 'utf8')
  t.ok(xml.includes(`<testsuite name="rule coverage" tests="93" failures="0" skipped="${93 - coverage.seen}">`), xml.slice(0, 200))
  t.equal(
    readFileSync(`${folder}/gates.xml`, 'utf8'),
    `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="gates" tests="4" failures="4">
${failures.map(({ gate, message }) => `  <testcase classname="commerce-emulator" name="${gate}"><failure message="${message}">${message}</failure></testcase>\n`).join('')}</testsuite>
`
  )
})

t.test('exec: gates that pass leave the status at 0, and are reported as passed', async t => {
  const scenario = scenarioIn(t, { expect: [{ on: 'POST /transactions', times: 1 }] })
  const payment = `await call('POST /transactions', { ticket: 'tkt_a', payment_type: 'external', amount: 1 })`
  const folder = `${t.testdirName}/reports`

  const args = ['--min-coverage=0', '--fail-on', 'findings', 'expectations', '--report', folder]
  const { status, stderr } = await ran(['exec', '--scenario', scenario, ...args, '--', ...script(payment)])

  t.equal(status, 0, stderr)
  t.ok(stderr.includes('  Findings      none\n'), stderr)
  t.strictSame(read(`${folder}/summary.json`).failures, [])
  t.equal(
    readFileSync(`${folder}/gates.xml`, 'utf8'),
    `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="gates" tests="3" failures="0">
  <testcase classname="commerce-emulator" name="coverage"></testcase>
  <testcase classname="commerce-emulator" name="findings"></testcase>
  <testcase classname="commerce-emulator" name="expectations"></testcase>
</testsuite>
`
  )
})

t.test('exec: the gates use the totals of the run, whatever the command resets or loads', async t => {
  const scenario = scenarioIn(t)
  const code = `
await call('POST /refunds', { transaction: 'txn_none' })
await fetch(control + '/reset', { method: 'POST' })
await call('GET /tickets')
await fetch(control + '/load', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"scenario":"default"}' })
await call('POST /transactions', { ticket: 'tkt_60', tickets: 1 })`
  const folder = `${t.testdirName}/reports`

  const { status, stderr } = await ran(['exec', '--scenario', scenario, '--fail-on', 'findings', '--report', folder, '--', ...script(code)])

  t.equal(status, 2, stderr)
  const { calls, findings } = read(`${folder}/summary.json`)
  t.equal(calls, 3)
  t.strictSame(findings, [{ finding: 'unknown-parameter', severity: 'warning', times: 1 }])
  const rules = read(`${folder}/coverage.json`).rules as { rule: string; satisfied: number; violated: number }[]
  t.strictSame(
    rules.filter(({ rule }) => rule === 'LIST-1' || rule === 'REF-1').map(({ rule, satisfied, violated }) => [rule, satisfied, violated]),
    [
      ['LIST-1', 1, 0],
      ['REF-1', 0, 1]
    ]
  )
})

t.test('exec: calls are logged when a level is given, to stderr like the summary', async t => {
  const scenario = scenarioIn(t)
  const args = ['exec', '--scenario', scenario, '--', ...script(`await call('GET /tickets/tkt_a')`)]

  const silent = await ran(args)
  const logged = await ran(args, { LOG_LEVEL: 'info' })

  t.notOk(silent.stderr.includes('GET /tickets/tkt_a'))
  t.ok(logged.stderr.includes('GET /next/tickets/tkt_a 200'), logged.stderr)
})

t.test('exec: stdin and stdout belong to the command alone; every signal is passed on to it, and exec ends when it ends', async t => {
  const code = `
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => { console.log(signal); if (signal === 'SIGHUP') process.exit(5) })
let text = ''
for await (const chunk of process.stdin) text += chunk
console.log(base + ' ' + text)
setInterval(() => {}, 1000)`
  const process = running(t, ['--scenario', scenarioIn(t), '--', ...script(code)])
  const lines = () => process.stdout().split('\n').slice(0, -1)

  await linesWritten(process, 1)
  for (const [index, signal] of (['SIGTERM', 'SIGINT', 'SIGTERM', 'SIGHUP'] as const).entries()) {
    process.kill(signal)
    await linesWritten(process, index + 2)
  }

  t.equal(await process.ended, 5)
  const [url = '', text] = lines()[0]?.split(' ') ?? []
  t.equal(text, 'from-outside')
  t.strictSame(lines().slice(1), ['SIGTERM', 'SIGINT', 'SIGTERM', 'SIGHUP'])
  t.equal(process.stderr(), NOTHING_DONE)
  t.notOk(await isOpen(url), 'the port is closed')
})
