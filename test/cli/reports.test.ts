import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { SAYS } from '../../src/cli/sentences.js'
import { Coverage } from '../../src/evidence/totals.js'
import type { RuleId } from '../../src/reference/rules.js'
import type { RunDocument } from '../../src/reports/run.js'
import { SAYS as REPORT_SAYS } from '../../src/reports/sentences.js'
import { VERSION } from '../../src/scenario/version.js'
import { answeredCall, finding, refusedCall, runOf } from '../reports/judged-run.js'
import { ran } from '../support/command.js'
import { judgement } from '../support/judged-request.js'

/**
 * A report as a run writes it, of calls with the rules that each kept and the one that it broke.
 */
function reportOf(...calls: [kept: RuleId[], broken?: RuleId][]): string {
  const coverage = new Coverage()
  for (const [kept, broken] of calls) coverage.add(judgement(kept, broken))
  return JSON.stringify(coverage.report())
}

t.test(
  'coverage merge: text is for people and the default, JUnit for a build server; a merged report can be merged again; too little is 3',
  async t => {
    const first = reportOf([['REF-6']], [['REF-6', 'META-1']], [[], 'LOC-1'])
    const root = t.testdir({
      'a.json': first,
      'b.json': reportOf([[], 'REF-6'], [['META-1']], [['TXN-8']])
    })
    const merge = (...args: string[]) =>
      ran(['coverage', 'merge', ...args, `${root}/a.json`, `${root}/b.json`])

    const [text, junit, merged] = [
      await merge(),
      await merge('--format', 'junit'),
      await merge('--format', 'json')
    ]

    t.equal(text.status, 0)
    t.ok(text.stdout.startsWith('rule     satisfied  violated\n'))
    t.ok(text.stdout.includes('\nREF-6            2         1  '))
    t.ok(text.stdout.includes('\n5 of 93 outcomes seen: 5.3 %\n'))
    t.ok(
      junit.stdout.includes('<testsuite name="rule coverage" tests="93" failures="0" skipped="88">')
    )
    writeFileSync(`${root}/merged.json`, merged.stdout)
    t.equal(
      (await ran(['coverage', 'merge', '--format', 'json', `${root}/merged.json`])).stdout,
      merged.stdout
    )
    t.strictSame(await merge('--min-coverage', '5.3'), text)
    t.strictSame(await merge('--min-coverage', '5.4'), { ...text, status: 3 })
  }
)

t.test(
  'coverage merge: of a folder every coverage.json in it is taken, of a pattern what it matches, and each file once',
  async t => {
    const report = reportOf([['REF-6']])
    const root = t.testdir({
      jobs: {
        one: { 'coverage.json': report, 'run.json': '{}', 'coverage.xml': '<' },
        two: { deep: { 'coverage.json': report } }
      },
      others: { 'a.json': report, 'b.json': report, 'b[1].json': report },
      empty: {}
    })
    const keptOf = async (...places: string[]) => {
      const { status, stdout, stderr } = await ran([
        'coverage',
        'merge',
        '--format',
        'json',
        ...places
      ])
      return status === 0
        ? JSON.parse(stdout).rules.find(({ rule }: { rule: string }) => rule === 'REF-6').satisfied
        : stderr
    }

    t.equal(await keptOf(`${root}/jobs`), 2)
    t.equal(await keptOf(`${root}/jobs/*/coverage.json`), 1)
    t.equal(await keptOf(`${root}/jobs/**/coverage.json`), 2)
    t.equal(await keptOf(`${root}/others/?.json`), 2)
    t.equal(await keptOf(`${root}/others/{a,b}.json`, `${root}/jobs`), 4)
    t.equal(await keptOf(`${root}/others/b[1].json`), 1, 'a file with such a name is no pattern')
    t.equal(
      await keptOf(
        `${root}/jobs`,
        `${root}/jobs/one`,
        `${root}/jobs/./one/coverage.json`,
        `${root}/jobs/one/*.json`.replace('*', 'cov*')
      ),
      2
    )
    t.equal(
      await keptOf(`${root}/empty`),
      `commerce-emulator: ${SAYS.no_reports(`${root}/empty`, 'coverage.json')}\n`
    )
    t.equal(
      await keptOf(`${root}/jobs`, `${root}/none/*.json`),
      `commerce-emulator: ${SAYS.no_match(`${root}/none/*.json`)}\n`
    )
  }
)

t.test(
  'coverage merge: a rule that a report does not name counts as never exercised there',
  async t => {
    const root = t.testdir({
      'a.json': JSON.stringify({ rules: [{ rule: 'REF-6', satisfied: 1, violated: 1 }] }),
      'b.json': '{"rules":[]}'
    })

    const { stdout } = await ran([
      'coverage',
      'merge',
      '--format',
      'json',
      `${root}/a.json`,
      `${root}/b.json`
    ])

    t.strictSame([JSON.parse(stdout).seen, JSON.parse(stdout).rules.length], [2, 58])
  }
)

t.test('coverage merge: a file that is not a coverage report is refused by its name', async t => {
  const rules = (...list: unknown[]) => JSON.stringify({ rules: list })
  const wrong = {
    text: 'rule satisfied violated',
    null: 'null',
    findings: '[]',
    empty: rules(null),
    name: rules({ satisfied: 1, violated: 0 }),
    words: rules({ rule: 'REF-1', satisfied: '1', violated: 0 }),
    half: rules({ rule: 'REF-1', satisfied: 1 })
  }
  const root = t.testdir({ ...wrong, folder: {} })
  for (const name of Object.keys(wrong)) {
    const stderr = `commerce-emulator: ${SAYS.not_a_report(`${root}/${name}`)}\n`
    t.strictSame(await ran(['coverage', 'merge', `${root}/${name}`]), {
      status: 1,
      stdout: '',
      stderr
    })
  }
  t.equal(
    (await ran(['coverage', 'merge', `${root}/none.json`])).stderr,
    `commerce-emulator: ${SAYS.unread(`${root}/none.json`, 'no such file or folder')}\n`
  )
  t.equal((await ran(['coverage', 'merge', `${root}/folder`])).status, 1)
})

/** A run as a job writes it. */
const job = (given: Partial<RunDocument>, status: number | null = 0) => ({
  'run.json': JSON.stringify({ status, run: runOf({ version: VERSION, ...given }) })
})
const entry = (name: string) =>
  ({ id: 'scr_1', entry: { name, on: '*', fault: 'hang' }, matched: 0, applied: 0 }) as never
const unmet = (sandbox: string | null, message: string) =>
  ({ sandbox, tests: ['pays'], expectation: {}, message, requests: ['#1/req_1'] }) as never
const testOf = (test: string | null, given: object = {}) =>
  ({ test, calls: 1, refused: 0, kept: [], broken: [], findings: [], ...given }) as never
const FIRST = job({
  calls: 3,
  coverage: JSON.parse(reportOf([['REF-6']])),
  findings: [finding('zero-payment', '#1/req_1', '#1/req_2')],
  assumptions: [
    { assumption: 'A07', topic: 'error body', default: 'x', times: 2, requests: ['#1/req_1'] }
  ],
  unused_script_entries: [entry('both'), entry('one')],
  unmet_expectations: [unmet(null, 'no Refund'), unmet('w1', 'no Refund')],
  sandboxes: [
    { sandbox: null, periods: 1 },
    { sandbox: 'w1', periods: 2 }
  ],
  tests: [
    testOf(null),
    testOf('pays', { kept: ['REF-6'], findings: [{ finding: 'zero-payment', times: 2 }] })
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
    tests: [testOf('pays', { refused: 1, broken: ['REF-7'] }), testOf('lists')],
    requests: [answeredCall('#1/req_3')],
    omitted: { requests: 0, entries: 0, by_test: 0 }
  },
  7
)

t.test(
  'report merge: runs of several jobs are one, whose requests and sandboxes are named after their jobs',
  async t => {
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
      [rule('REF-6')?.satisfied, rule('REF-7')?.violated, run.calls, run.scenario.name],
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
      ['both'],
      'what one job applied was applied'
    )
    t.strictSame(
      run.sandboxes.map(({ sandbox }) => sandbox),
      ['one', 'one/w1', 'two']
    )
    t.strictSame(
      run.unmet_expectations.map(({ sandbox, requests }) => [sandbox, requests?.[0]]),
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
        kept: ['REF-6'],
        broken: ['REF-7'],
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
    t.equal((await ran(['report', 'merge', `${root}/jobs/one`])).status, 3)
    t.equal(
      (await ran(['report', 'merge', `${root}/judged`, '--ignore', 'expectations'])).status,
      0,
      'no command was run'
    )
    t.strictSame(await ran(['report', 'merge', '--report', `${root}/again`, `${root}/merged`]), {
      status: 7,
      stdout: '',
      stderr: stderr.replace(`${root}/merged`, `${root}/again`)
    })
  }
)

t.test(
  'report merge: entries of another scenario do not count; no more requests are listed than of one run',
  async t => {
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
  }
)

t.test('report diff: what is worse comes first, and makes it 3', async t => {
  const root = t.testdir({ one: FIRST, two: SECOND })
  const diff = (before: string, after: string, ...args: string[]) =>
    ran(['report', 'diff', ...args, '--before', `${root}/${before}`, `${root}/${after}`])

  const [later, earlier, same] = [
    await diff('one', 'two'),
    await diff('two', 'one', '--format', 'json'),
    await diff('one', 'one')
  ]

  t.strictSame(later, {
    status: 3,
    stderr: '',
    stdout: `${REPORT_SAYS.coverage_change(1, 2.1)}
findings gained (1)
  refused-and-repeated
expectations met again (2)
  no Refund, in the base address
  no Refund, in w1
rule outcomes gained (1)
  REF-7 broken
tests gained (1)
  lists
assumptions no longer relied on (1)
  A07
`
  })
  t.equal(earlier.status, 3)
  t.match(JSON.parse(earlier.stdout), {
    object: 'run_difference',
    coverage: { before: 2.1, after: 1 },
    rules: { gained: [], lost: ['REF-7 broken'] },
    findings: { gained: [], lost: ['refused-and-repeated'] },
    tests: { gained: [], lost: ['lists'] },
    has_worsened: true
  })
  t.strictSame(same, {
    status: 0,
    stderr: '',
    stdout: `${REPORT_SAYS.coverage_change(1, 1)}\n${REPORT_SAYS.no_change()}\n`
  })
})

t.test(
  'report: a file that is not of a run, or of another version, is refused by its name',
  async t => {
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
      ['empty', SAYS.no_reports(`${root}/empty`, 'run.json')]
    ]
    for (const [name, message] of told) {
      t.strictSame(await ran(['report', 'merge', `${root}/${name}`]), {
        status: 1,
        stdout: '',
        stderr: `commerce-emulator: ${message}\n`
      })
    }
    t.equal((await ran(['report', 'diff', `${root}/old`])).status, 2)
  }
)
