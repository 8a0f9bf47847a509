/** A test suite of a till, run through `exec` as it is built: the suite passes, and the report tells of the client's mistakes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { OWN_ENVIRONMENT, startBuiltCommand } from '../conformance/built-command.js'

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const SUITE = fileURLToPath(new URL('./sample-suite/', import.meta.url))
const COMMAND = [process.execPath, '--test', '--test-concurrency=1', '--test-reporter=tap', `${SUITE}payments.test.mjs`, `${SUITE}refunds.test.mjs`]

/** Runs the suite through exec; answers its status and what was written. */
async function ran(args: string[]) {
  const child = spawn(process.execPath, [MAIN, 'exec', '--scenario', `${SUITE}till.yaml`, ...args, '--', ...COMMAND], {
    env: OWN_ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'pipe']
  })
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { status, stdout, stderr }
}

t.test('exec: the suite passes, but its client makes two mistakes, which fail the run', async t => {
  const folder = `${t.testdir()}/reports`
  const read = (name: string) => readFileSync(`${folder}/${name}`, 'utf8')

  const { status, stdout, stderr } = await ran(['--min-coverage', '35', '--fail-on', 'findings', 'expectations', '--report', folder])

  t.equal(status, 3, stderr)
  t.strictSame(stdout.match(/^# (tests|pass|fail) \d+$/gm), ['# tests 10', '# pass 10', '# fail 0'])
  t.equal(
    stderr,
    `
commerce-emulator
  Requests      25
  Coverage      37 of 93 rule outcomes, 39.7 %; 26 rules never exercised, 14 never violated
  Assumptions   A02 A03 A04 A05 A06 A07 A08 A09 A10 A11 A12 A13 A18 A22 A23 A25 A28 A29 A38
  Findings      stopped-at-empty-page (1×), refused-and-repeated (1×)
  Script        every entry was applied
  Expectations  all were met
  Report        ${folder}/report.html
  FAILED        findings: stopped-at-empty-page, refused-and-repeated
                stopped-at-empty-page: A search page came back empty with has_more true, and the client never asked for the next. search_query filters after retrieval: continue with starting_after=last_id until has_more is false. (1×: #1/req_3)
                refused-and-repeated: A refused request was sent again, unchanged. The response will be the same: correct the request, or show the refusal to the user. (1×: #1/req_18, #1/req_19)
  Next          run the same with record --out failed.yaml in place of exec: failed.yaml then plays the requests again
`
  )

  const { status: ended, gates, run } = JSON.parse(read('run.json'))
  t.strictSame(
    run.findings.map(({ finding, severity, times, requests }: Record<string, unknown>) => ({ finding, severity, times, requests })),
    [
      { finding: 'stopped-at-empty-page', severity: 'error', times: 1, requests: ['#1/req_3'] },
      { finding: 'refused-and-repeated', severity: 'warning', times: 1, requests: ['#1/req_18', '#1/req_19'] }
    ]
  )
  const { coverage } = run
  t.strictSame(JSON.parse(read('coverage.json')), coverage)
  t.strictSame([ended, run.calls, coverage.seen, coverage.possible, coverage.percent], [0, 25, 37, 93, 39.7])
  t.strictSame(
    gates.map(({ gate, passed }: Record<string, unknown>) => [gate, passed]),
    [
      ['coverage', true],
      ['expectations', true],
      ['findings', false]
    ]
  )
  const outcomesOf = (id: string) =>
    coverage.rules.flatMap((rule: { rule: string; satisfied: number; violated: number }) => (rule.rule === id ? [rule.satisfied, rule.violated] : []))
  t.strictSame(outcomesOf('REF-4'), [1, 0])
  t.strictSame(outcomesOf('REF-6'), [4, 1])
  t.strictSame(outcomesOf('REF-7'), [3, 2])
  t.strictSame(outcomesOf('TXN-3'), [1, 1])
  t.strictSame(outcomesOf('LOC-1'), [0, 0])

  t.equal(read('coverage.xml').match(/<testcase /g)?.length, 93)
  t.equal(read('coverage.xml').match(/<skipped\/>/g)?.length, 93 - 37)
  t.ok(read('junit.xml').includes('<testsuite name="gates" tests="3" failures="1" skipped="0">'))
  t.ok(read('summary.md').startsWith('## commerce-emulator: a gate failed\n'))
  const refused = run.requests.filter(({ outcome }: { outcome: string }) => outcome === 'refused')
  t.equal(refused.length, 6)
  t.ok(
    refused.every(({ entry }: { entry: { why: { rules: object[] } } }) => entry.why.rules.length > 0),
    'each refusal with its why'
  )
  t.ok(read('report.html').includes('REF-6: '))
  t.notMatch(read('report.html'), /[^\p{ASCII}–…×]/u, 'no character was read in another encoding')
})

t.test('exec: without that gate the run ends with the status of the suite', async t => {
  const { status, stderr } = await ran(['--min-coverage', '35'])

  t.equal(status, 0, stderr)
  t.notOk(stderr.includes('FAILED'))
})

t.test('judge: an emulator that runs is judged from outside by the same gates, with the same reports', async t => {
  const emulator = await startBuiltCommand()
  t.teardown(emulator.stop)
  const get = (path: string) =>
    fetch(`${emulator.baseUrl}${path}`, { headers: { authorization: `Basic ${btoa('sk_test_merchant:')}`, 'test-name': 'reads a Ticket' } })
  for (const path of ['/tickets?limit=0', '/tickets?limit=0']) await get(path)
  const folder = `${t.testdir()}/reports`
  const judge = async (...args: string[]) => {
    const child = spawn(process.execPath, [MAIN, 'judge', '--url', emulator.baseUrl, ...args], { env: OWN_ENVIRONMENT, stdio: ['ignore', 'pipe', 'pipe'] })
    const [stderr, [status]] = await Promise.all([text(child.stderr), once(child, 'close')])
    return { status, stderr }
  }

  const failed = await judge('--fail-on', 'refused-and-repeated', '--report', folder)
  const passed = await judge('--fail-on', 'findings', '--ignore', 'refused-and-repeated')

  t.equal(failed.status, 3, failed.stderr)
  t.match(failed.stderr, /\n {2}Report {8}.*report\.html\n {2}FAILED {8}finding: refused-and-repeated\n.*unchanged\. The response will be the same.*\n {2}Next {10}commerce-emulator repro '#1\/req_1' --url .*\n$/)
  t.ok(readFileSync(`${folder}/junit.xml`, 'utf8').includes('name="reads a Ticket"><failure '))
  t.ok(readFileSync(`${folder}/report.html`, 'utf8').includes('reads a Ticket'))
  t.equal(passed.status, 0, passed.stderr)
})
