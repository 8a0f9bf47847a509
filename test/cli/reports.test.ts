import { readFileSync } from 'node:fs'
import t from 'tap'
import { SAYS } from '../../src/cli/sentences.js'
import { Coverage } from '../../src/evidence/totals.js'
import type { RuleId } from '../../src/reference/rules.js'
import type { RunDocument } from '../../src/reports/run.js'
import { SAYS as REPORT_SAYS } from '../../src/reports/sentences.js'
import { VERSION } from '../../src/scenario/library.js'
import {
  answeredCall,
  finding,
  refusedCall,
  runOf,
  unmet as unmetIn
} from '../reports/judged-run.js'
import { ran } from '../support/command.js'
import { judgement } from '../support/judged-request.js'

/** A report of requests, each with the rules that it passed and the rule that it violated. */
function reportOf(...calls: [passed: RuleId[], violated?: RuleId][]): string {
  const coverage = new Coverage()
  for (const [passed, violated] of calls) coverage.add(judgement(passed, violated))
  return JSON.stringify(coverage.report())
}

/** A run as a CI job writes it. */
const job = (given: Partial<RunDocument>, status: number | null = 0) => ({
  'run.json': JSON.stringify({ status, run: runOf({ version: VERSION, ...given }) })
})
const entry = (name: string) =>
  ({ id: 'scr_1', entry: { name, on: '*', fault: 'hang' }, matched: 0, applied: 0 }) as never
const unmet = (sandbox: string | null, message: string) => ({
  ...unmetIn(sandbox, message, 'pays'),
  requests: ['#1/req_1']
})
const testOf = (test: string | null, given: object = {}) =>
  ({ test, calls: 1, refused: 0, passed: [], violated: [], findings: [], ...given }) as never
const FIRST = job({
  calls: 3,
  coverage: JSON.parse(reportOf([['REF-6']])),
  findings: [finding('zero-payment', '#1/req_1', '#1/req_2')],
  assumptions: [
    { assumption: 'A07', topic: 'error body', default: 'x', times: 2, requests: ['#1/req_1'] }
  ],
  unused_scenarios: ['split-bill'],
  unused_script_entries: [entry('both'), entry('one')],
  expectations: [unmet(null, 'no Refund'), unmet('w1', 'no Refund')],
  sandboxes: [
    { sandbox: null, periods: 1 },
    { sandbox: 'w1', periods: 2 }
  ],
  tests: [
    testOf(null),
    testOf('pays', { passed: ['REF-6'], findings: [{ finding: 'zero-payment', times: 2 }] })
  ],
  requests: [answeredCall('#1/req_1', 'pays'), refusedCall('a#b', { request: 'w1#2/req_1' })],
  omitted: { requests: 1, entries: 2, by_test: 3 }
})
const SECOND = job(
  {
    calls: 1,
    coverage: JSON.parse(reportOf([['REF-6'], 'REF-7'])),
    findings: [finding('zero-payment', '#1/req_1'), finding('refused-and-repeated', '#1/req_3')],
    unused_script_entries: [entry('both')],
    sandboxes: [{ sandbox: null, periods: 1 }],
    tests: [testOf('pays', { refused: 1, violated: ['REF-7'] }), testOf('lists')],
    requests: [answeredCall('#1/req_3')],
    omitted: { requests: 0, entries: 0, by_test: 0 }
  },
  7
)

t.test('report merge: runs of several jobs are one', async t => {
  const root = t.testdir({ jobs: { one: FIRST, two: SECOND }, judged: job({}, null) })

  const { status, stderr } = await ran([
    'report',
    'merge',
    '--report',
    `${root}/merged`,
    `${root}/jobs`
  ])

  t.equal(status, 7, 'of the command that failed')
  t.match(
    stderr,
    /\n {2}Requests +4\n[\s\S]*FAILED +no Refund, in one, one\/w1 \(one\/#1\/req_1\)\n[\s\S]*Next +see one\/#1\/req_1 in the report of its job\n$/
  )
  const { run } = JSON.parse(readFileSync(`${root}/merged/run.json`, 'utf8')) as {
    run: RunDocument
  }
  const rule = (id: string) => run.coverage.rules.find(({ rule }) => rule === id)
  t.strictSame(
    [rule('REF-6')?.passed, rule('REF-7')?.violated, run.calls, run.scenario.name],
    [2, 1, 4, 'default']
  )
  t.strictSame(
    run.findings.map(({ finding, times, requests }) => [finding, times, ...requests]).sort(),
    [
      ['refused-and-repeated', 1, 'two/#1/req_3'],
      ['zero-payment', 3, 'one/#1/req_1', 'one/#1/req_2', 'two/#1/req_1']
    ]
  )
  t.strictSame(
    run.assumptions.map(({ assumption, times, requests }) => [assumption, times, ...requests]),
    [['A07', 2, 'one/#1/req_1']]
  )
  t.strictSame(
    run.unused_script_entries.map(({ entry }) => entry.name),
    ['both']
  )
  t.strictSame(run.unused_scenarios, ['one/split-bill'])
  t.strictSame(
    run.sandboxes.map(({ sandbox }) => sandbox),
    ['one', 'one/w1', 'two']
  )
  t.strictSame(
    run.expectations.map(({ sandbox, requests }) => [sandbox, requests?.[0]]),
    [
      ['one', 'one/#1/req_1'],
      ['one/w1', 'one/#1/req_1']
    ]
  )
  t.strictSame(
    run.requests.map(({ request }) => request),
    ['one/#1/req_1', 'one/w1#2/req_1', 'two/#1/req_3']
  )
  t.equal(run.requests[1]?.path, '/a#b', 'only names of requests are changed')
  t.equal(run.requests[1]?.entry?.id, 'one/#1/req_1')
  t.match(run.tests, [
    { test: null, calls: 1 },
    {
      test: 'pays',
      calls: 2,
      refused: 1,
      passed: ['REF-6'],
      violated: ['REF-7'],
      findings: [{ finding: 'zero-payment', times: 2 }]
    },
    { test: 'lists', calls: 1 }
  ])
  t.strictSame(run.omitted, { requests: 1, entries: 2, by_test: 3 })
  for (const file of ['report.html', 'junit.xml', 'summary.md'])
    t.match(readFileSync(`${root}/merged/${file}`, 'utf8'), 'one/#1/req_1', file)

  t.equal(
    (await ran(['report', 'merge', `${root}/jobs/one`, '--ignore', 'expectations'])).status,
    0
  )
  const one = await ran(['report', 'merge', `${root}/jobs/one`, '--verbose'])
  t.equal(one.status, 3)
  t.match(
    one.stderr,
    `Assumptions   ${REPORT_SAYS.relied_on(1, true)}\n                A07 error body\n`
  )
  t.strictSame(
    await ran(['report', 'merge', '--verbose', `${root}/jobs/on?/*.json`, `${root}/jobs/./one`]),
    one
  )
  t.equal((await ran(['report', 'merge', `${root}/judged`, '--ignore', 'expectations'])).status, 0)
  t.strictSame(await ran(['report', 'merge', '--report', `${root}/again`, `${root}/merged`]), {
    status: 7,
    stdout: '',
    stderr: stderr.replace(`${root}/merged`, `${root}/again`)
  })
})

t.test('report merge: entries of another scenario do not count', async t => {
  const many = Array.from({ length: 6000 }, (_, nth) => answeredCall(`#1/req_${nth}`))
  const other = job({
    scenario: { name: 'other', description: null },
    calls: 6000,
    unused_script_entries: [entry('one')],
    requests: many
  })
  const root = t.testdir({
    one: { ...FIRST },
    two: other,
    three: job({ calls: 6000, requests: many }, null)
  })

  await ran([
    'report',
    'merge',
    '--report',
    `${root}/merged`,
    `${root}/one`,
    `${root}/two`,
    `${root}/three`
  ])

  const { run, status } = JSON.parse(readFileSync(`${root}/merged/run.json`, 'utf8')) as {
    run: RunDocument
    status: number
  }
  t.equal(status, 0)
  t.strictSame(
    [run.scenario.name, run.unused_script_entries.map(({ entry }) => entry.name)],
    ['default, other', ['one']]
  )
  t.strictSame([run.requests.length, run.omitted.requests], [10_000, 2003])
})

t.test('report: a file that is not a report of a run, or of another version', async t => {
  const root = t.testdir({
    text: 'a',
    list: '[]',
    coverage: reportOf(),
    old: JSON.stringify({ run: { object: 'run', version: '0.0.1' } }),
    empty: {}
  })
  const told: [string, string][] = [
    ...['text', 'list', 'coverage'].map((name): [string, string] => [
      name,
      SAYS.not_a_run(`${root}/${name}`)
    ]),
    ['old', SAYS.other_version(`${root}/old`, '0.0.1', VERSION)],
    ['none', SAYS.unread(`${root}/none`, 'no such file or folder')],
    ['empty', SAYS.no_runs(`${root}/empty`)],
    ['none/*.json', SAYS.no_match(`${root}/none/*.json`)]
  ]
  for (const [name, message] of told)
    t.strictSame(await ran(['report', 'merge', `${root}/${name}`]), {
      status: 1,
      stdout: '',
      stderr: `commerce-emulator: ${message}\n`
    })
})
