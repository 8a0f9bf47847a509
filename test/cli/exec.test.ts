import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { constants } from 'node:os'
import t from 'tap'
import { SAYS } from '../../src/cli/sentences.js'
import type { Finding } from '../../src/evidence/findings.js'
import { SAYS as REPORTS } from '../../src/reports/sentences.js'
import { ran } from '../support/command.js'
import { MERCHANT } from '../support/emulator.js'
import { freePort } from '../support/ports.js'
import { linesWritten, read, running, scenarioIn, script } from './exec-run.js'

const isOpen = (url: string) =>
  new Promise<boolean>(resolve => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.on('connect', () => resolve(socket.destroy() !== null)).on('error', () => resolve(false))
  })

t.test('exec: the variables give the command a separate emulator that is ready', async t => {
  const scenario = scenarioIn(t)
  const file = `${t.testdirName}/found.json`
  const code = `
const { status } = await call('GET /tickets/tkt_a')
const health = await (await fetch(control + '/health')).json()
const { COMMERCE_URL: url, COMMERCE_SANDBOX_URL: sandbox, OWN: own } = process.env
const made = await fetch(sandbox.replace('{name}', 'one') + '/tickets/tkt_a', { headers: { authorization: 'Basic ' + btoa(key + ':') } })
save(${JSON.stringify(file)}, { url, base, sandbox, key, control, status, made: made.status, health: health.status, own })`
  process.env.OWN = 'yes'
  const port = await freePort()
  const args = ['exec', '--port', String(port), '--scenario', scenario, '--', ...script(code)]
  const { status, stdout, stderr } = await ran(args, { PORT: '1' })

  t.equal(status, 0, stderr)
  t.equal(stdout, '')
  const found = read(file)
  t.strictSame(
    [found.key, found.status, found.made, found.health, found.own],
    [MERCHANT, 200, 200, 'ready', 'yes']
  )
  t.equal(found.url, `http://localhost:${port}`)
  t.strictSame(
    [found.base, found.control, found.sandbox],
    [`${found.url}/next`, `${found.url}/_control`, `${found.url}/sandbox/{name}/next`]
  )
  t.notOk(await isOpen(found.base), 'the port is closed')
  t.equal(stderr.split('\n')[2], '  Requests      2')
})

t.test('exec: the status is the command’s own', async t => {
  const scenario = scenarioIn(t, { expect: [{ on: 'POST /refunds', times: 1 }] })
  const of = async (...args: string[]) => {
    const { status, stderr } = await ran(['exec', '--scenario', scenario, ...args])
    return [
      status,
      ...['Expectations', 'FAILED'].map(part =>
        new RegExp(`\\n  ${part} +POST /refunds: `).test(stderr)
      )
    ]
  }

  t.strictSame(await of('--', 'true'), [3, true, true], 'expectations are always judged')
  t.strictSame(await of('--', 'sh', '-c', 'exit 7'), [7, true, true])
  t.strictSame(await of('--fail-on', 'script', '--', 'true'), [3, true, true])
  t.strictSame(await of('--ignore', 'expectations', '--allow-no-requests', '--', 'true'), [
    0,
    true,
    false
  ])
  t.strictSame(await of('--fail-on', 'findings', 'expectations', '--', 'true'), [3, true, true])
  t.strictSame(await of('--', 'sh', '-c', 'kill -KILL $$'), [
    128 + constants.signals.SIGKILL,
    true,
    true
  ])
})

t.test('exec: requests that never reach an operation prove nothing', async t => {
  const scenario = scenarioIn(t)
  const asked = `await fetch(base + '/tickets', { headers: { authorization: 'Basic ' + btoa('sk_none:') } })
await fetch(base + '/ticket')
await fetch(base + '/tickets', { method: 'PUT' })`
  for (const [code, status, problem] of [
    [asked, 3, REPORTS.none_reached(3)],
    [`${asked}\nawait call('GET /tickets/tkt_none')`, 0, null]
  ] as const) {
    const { status: found, stderr } = await ran([
      'exec',
      '--scenario',
      scenario,
      '--',
      ...script(code)
    ])
    t.equal(found, status, stderr)
    t.equal(stderr.includes(problem ?? 'FAILED'), problem !== null, stderr)
  }
})

t.test('exec: the failure of a command is reported, with its status or signal', async t => {
  const failing = ['exec', '--allow-no-requests', '--', 'sh', '-c']
  for (const [code, how] of [
    ['exit 0', null],
    ['exit 1', 'status 1'],
    ['exit 126', 'status 126'],
    ['kill -TERM $$', 'SIGTERM']
  ] as const) {
    const { stderr } = await ran([...failing, code])
    const said = stderr.split('\n').filter(line => line.startsWith('commerce-emulator: '))
    t.strictSame(said, how ? [`commerce-emulator: ${SAYS.command_failed(how)}`] : [], code)
  }
})

t.test('exec: the command reaches the emulator without a proxy', async t => {
  const own = 'localhost,127.0.0.1,::1'
  const cases: [given: Record<string, string>, no: string | null, said: string | null][] = [
    [{}, null, null],
    [{ NO_PROXY: 'a.example' }, 'a.example', null],
    [{ HTTPS_PROXY: 'http://p' }, null, null],
    [{ HTTP_PROXY: 'http://p' }, own, 'HTTP_PROXY'],
    [{ http_proxy: 'http://p' }, own, 'http_proxy'],
    [{ ALL_PROXY: 'http://p', NO_PROXY: 'a.example' }, `a.example,${own}`, 'ALL_PROXY'],
    [{ HTTP_PROXY: 'http://p', NO_PROXY: '*' }, '*', null]
  ]
  const names = ['NO_PROXY', 'no_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy']
  const saved = { ...process.env }
  const clear = () => {
    for (const name of names) delete process.env[name]
  }
  t.teardown(() => Object.assign(process.env, saved))
  const file = `${t.testdir()}/found.json`
  for (const [given, no, said] of cases) {
    clear()
    Object.assign(process.env, given)
    const code = `printf %s "$NO_PROXY" > ${file}`
    const { stderr } = await ran(['exec', '--allow-no-requests', '--', 'sh', '-c', code])
    t.equal(readFileSync(file, 'utf8'), no ?? '', JSON.stringify(given))
    t.equal(stderr.startsWith(`commerce-emulator: ${SAYS.proxy(String(said))}\n`), said !== null)
  }
  clear()
})

t.test('exec: the status is 127 for a command that does not exist', async t => {
  const root = t.testdir({ 'plain.txt': 'no program' })
  const none = await ran(['exec', '--min-coverage', '100', '--', `${root}/none`])
  const plain = await ran(['exec', '--', `${root}/plain.txt`])

  t.strictSame(none, {
    status: 127,
    stdout: '',
    stderr: `commerce-emulator: ${SAYS.not_run(`${root}/none`, 'no such command')}\n`
  })
  t.strictSame(plain, {
    status: 126,
    stdout: '',
    stderr: `commerce-emulator: ${SAYS.not_run(`${root}/plain.txt`, `spawn ${root}/plain.txt EACCES`)}\n`
  })
})

t.test('exec: no command is run without an emulator or a folder for reports', async t => {
  const root = t.testdir({ 'bad.yaml': 'sede: 3', file: '' })
  const mark = `${root}/started`
  const touch = ['--', ...script(`save(${JSON.stringify(mark)}, 1)`)]
  const cases: [args: string[], ends: number, complaint: string][] = [
    [['--scenario', `${root}/bad.yaml`], 1, `${root}/bad.yaml:1:1 sede: `],
    [['--set', 'seed=x'], 2, '--set seed=x: '],
    [['--report', `${root}/file/deep`], 1, SAYS.unmade(`${root}/file/deep`, '')]
  ]
  for (const [args, ends, complaint] of cases) {
    const { status, stderr } = await ran(['exec', ...args, ...touch])

    t.equal(status, ends, complaint)
    t.ok(stderr.startsWith(`commerce-emulator: ${complaint}`), stderr)
    t.notOk(existsSync(mark), 'the command was not run')
  }
})

t.test('exec: a wrong command line is refused before anything is run', async t => {
  const mark = `${t.testdir()}/started`
  const command = ['--', ...script(`save(${JSON.stringify(mark)}, 1)`)]
  const cases: [args: string[], complaint: string][] = [
    [[], "error: missing required argument 'command'"],
    [['--seed', '2', '--'], "error: missing required argument 'command'"],
    [['--verison', ...command], "error: unknown option '--verison'"],
    [
      ['--min-coverage=101', ...command],
      `error: option '--min-coverage <percent>' argument '101' is invalid. ${SAYS.percentage()}`
    ],
    [
      ['--min-coverage', ' ', ...command],
      `error: option '--min-coverage <percent>' argument ' ' is invalid. ${SAYS.percentage()}`
    ],
    [
      ['--fail-on', 'errors,wornings', ...command],
      'commerce-emulator: --fail-on: unknown name wornings; did you mean warnings?'
    ],
    [
      ['--ignore', '\u001b[2J', ...command],
      'commerce-emulator: --ignore: unknown name \\u001b[2J; available: '
    ]
  ]
  for (const [args, complaint] of cases) {
    const { status, stderr } = await ran(['exec', ...args])
    t.strictSame([status, stderr.slice(0, complaint.length)], [2, complaint])
  }
  t.notOk(existsSync(mark), 'the command was not run')
})

t.test('exec: arguments after the name of the command, or after --', async t => {
  const flags = [
    process.execPath,
    '-e',
    'process.exit(process.argv[1] === "-V" ? 7 : 8)',
    '--',
    '-V',
    '--help'
  ]

  for (const args of [flags, ['--', ...flags], ['--seed', '2', ...flags]])
    t.equal((await ran(['exec', ...args])).status, 7, args.join(' '))
})

const SHOP = {
  script: [
    { name: 'refunds are down', on: 'POST /refunds', calls: '9', respond: { status: 503 } },
    { on: 'GET /tickets', calls: 9, delay: '1ms' },
    { name: 'slow', on: 'GET /tickets/{id}', delay: '1ms' }
  ],
  expect: [
    { on: 'POST /transactions', times: 1 },
    { on: 'GET /refunds', times: '1+' }
  ]
}
const SESSION = `
const pay = await (await call('POST /transactions', { ticket: 'tkt_a', payment_type: 'external', amount: 500 })).json()
await call('GET /tickets/tkt_a')
await call('POST /refunds', { transaction: pay.id, amount: 600 })
await call('POST /refunds', { transaction: pay.id, amount: 600 })
await call('GET /tickets?search_query=T')`

t.test('exec: the summary shows requests, coverage, assumptions, findings', async t => {
  const scenario = scenarioIn(t, SHOP)
  const all = ['--min-coverage', '80', '--fail-on', 'findings', 'script', 'expectations']
  const folder = `${t.testdirName}/some/new/folder`

  const { status, stderr } = await ran([
    'exec',
    '--scenario',
    scenario,
    ...all,
    '--report',
    folder,
    '--',
    ...script(SESSION)
  ])

  t.equal(status, 3)
  const { status: ended, passed, criteria, ignored, run } = read(`${folder}/run.json`)
  const { coverage } = run
  t.strictSame(read(`${folder}/coverage.json`), coverage)
  t.equal(coverage.rules.length, 58)
  const seenOf = (id: string) => coverage.rules.find(({ rule }: { rule: string }) => rule === id)
  t.strictSame(
    [seenOf('REF-7').violated, seenOf('SRCH-1').passed, seenOf('LOC-1').passed],
    [2, 1, 0]
  )
  t.equal(coverage.possible, 91)
  const share = Math.floor((coverage.seen / 91) * 1000) / 10
  t.equal(coverage.percent, share)

  const unmet = run.expectations.filter(({ holds }: { holds: boolean }) => !holds)
  const [{ message }] = unmet
  const failures = [
    ['coverage', REPORTS.low_coverage(share, 80)],
    ['expectations', message],
    ['findings', 'findings: search-without-narrowing, refused-and-repeated'],
    [
      'script',
      `${REPORTS.never_applied('refunds are down')}; nearly: calls: expected 9; got 2 that matched in #1/req_4`,
      `${REPORTS.never_applied('scr_2 GET /tickets')}; nearly: calls: expected 9; got 1 that matched in #1/req_5`
    ]
  ] as const
  t.strictSame([ended, passed, ignored], [0, false, []])
  t.strictSame(
    criteria,
    failures.map(([criterion, ...problems]) => ({ criterion, passed: false, problems }))
  )
  t.strictSame(
    run.findings.map(({ finding, severity, times, requests }: Finding) => [
      finding,
      severity,
      times,
      requests
    ]),
    [
      ['search-without-narrowing', 'warning', 1, ['#1/req_5']],
      ['refused-and-repeated', 'warning', 1, ['#1/req_3', '#1/req_4']]
    ]
  )
  const nearly = (request: string, matched: number) => ({
    in: request,
    misses: [{ condition: 'calls', wanted: '9', got: `${matched} that matched` }]
  })
  t.strictSame(run.unused_script_entries, [
    {
      id: 'scr_1',
      entry: SHOP.script[0],
      matched: 2,
      applied: 0,
      near_misses: [nearly('#1/req_4', 2)]
    },
    {
      id: 'scr_2',
      entry: SHOP.script[1],
      matched: 1,
      applied: 0,
      near_misses: [nearly('#1/req_5', 1)]
    }
  ])
  t.strictSame(unmet, [
    {
      expectation: SHOP.expect[1],
      wanted: 'GET /refunds: at least 1 request',
      verdict: 'never exercised',
      forbidden: false,
      message,
      seen: 0,
      holds: false,
      sandbox: null,
      tests: [],
      periods: { met: 0, of: 1 }
    }
  ])
  const assumptions = run.assumptions.map(({ assumption }: { assumption: string }) => assumption)
  t.strictSame(
    ['A12', 'A18', 'A31'].map(id => assumptions.includes(id)),
    [true, true, false]
  )

  t.equal(
    stderr,
    `
commerce-emulator
  Requests      5
  Coverage      ${REPORTS.share(coverage.seen, 91, share)}; ${REPORTS.never_seen(coverage.never_exercised.length, coverage.never_violated.length)}
  Assumptions   ${REPORTS.relied_on(assumptions.length)}
  Findings      search-without-narrowing (1×), refused-and-repeated (1×)
  Script        ${REPORTS.not_applied('refunds are down, scr_2 GET /tickets')}
  Expectations  ${message}
  Report        ${folder}/report.html
${failures.flatMap(([, ...problems]) => problems.map(message => `  FAILED        ${message}\n`)).join('')}${run.findings.map(({ finding, about, advice, times, requests }: Finding) => `                ${finding}: ${REPORTS.finding(about, advice, times, requests.join(', '))}\n`).join('')}  Next          ${SAYS.repro_of_run("'#1/req_5'", `${folder}/run.json`)}
`
  )
  t.strictSame(
    readdirSync(folder).sort(),
    'coverage.json junit.xml report.html run.json summary.md'.split(' ')
  )
  t.ok(
    readFileSync(`${folder}/junit.xml`, 'utf8').includes(
      '<testsuite name="criteria" tests="4" failures="4" errors="0">'
    )
  )
})

t.test('exec: requests are logged if a level is set, to stderr like the summary', async t => {
  const scenario = scenarioIn(t)
  const args = ['exec', '--scenario', scenario, '--', ...script(`await call('GET /tickets/tkt_a')`)]

  const silent = await ran(args)
  const logged = await ran(args, { LOG_LEVEL: 'info' })

  t.notOk(silent.stderr.includes('GET /tickets/tkt_a'))
  t.ok(logged.stderr.includes('GET /next/tickets/tkt_a 200'), logged.stderr)
})

t.test('exec: stdin and stdout belong to the command alone', async t => {
  const code = `
for (const signal of ['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGHUP']) process.on(signal, () => { console.log(signal); if (signal === 'SIGHUP') process.exit(5) })
let text = ''
for await (const chunk of process.stdin) text += chunk
console.log(base + ' ' + text)
setInterval(() => {}, 1000)`
  const process = running(t, ['exec', '--scenario', scenarioIn(t), '--', ...script(code)])
  const lines = () => process.stdout().split('\n').slice(0, -1)

  await linesWritten(process, 1)
  for (const [index, signal] of (
    ['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP'] as const
  ).entries()) {
    process.child.kill(signal)
    await linesWritten(process, index + 2)
  }

  t.equal(await process.ended, 5)
  const [url = '', text] = lines()[0]?.split(' ') ?? []
  t.equal(text, 'from-outside')
  t.strictSame(lines().slice(1), ['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP'])
  t.ok(process.stderr().endsWith(`commerce-emulator: ${SAYS.command_failed('status 5')}\n`))
  t.notOk(await isOpen(url), 'the port is closed')
})
