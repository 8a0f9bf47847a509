/**
 * A till's test suite, run by the built `exec`: the suite passes, the report shows the client's
 * mistakes; then `judge` from outside.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { OWN_ENVIRONMENT, startBuiltCommand } from '../conformance/built-command.js'

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const SUITE = fileURLToPath(new URL('./sample-suite/', import.meta.url))
const COMMAND = [
  process.execPath,
  '--test',
  '--test-concurrency=1',
  '--test-reporter=tap',
  `${SUITE}payments.test.mjs`,
  `${SUITE}refunds.test.mjs`
]

const ran = (...args: string[]) =>
  new Promise<{ status: unknown; stdout: string; stderr: string }>(resolve =>
    execFile(process.execPath, [MAIN, ...args], { env: OWN_ENVIRONMENT }, (error, stdout, stderr) =>
      resolve({ status: error?.code ?? 0, stdout, stderr })
    )
  )
const exec = (...args: string[]) =>
  ran('exec', '--scenario', `${SUITE}till.yaml`, '--min-coverage', '35', ...args, '--', ...COMMAND)

t.test('exec: the suite passes, but its client makes two mistakes', async t => {
  const folder = `${t.testdir()}/reports`
  const read = (name: string) => readFileSync(`${folder}/${name}`, 'utf8')

  const { status, stdout, stderr } = await exec(
    '--fail-on',
    'findings',
    'expectations',
    '--report',
    folder
  )
  const lenient = await exec()

  t.equal(status, 3, stderr)
  t.strictSame(stdout.match(/^# (tests|pass|fail) \d+$/gm), ['# tests 10', '# pass 10', '# fail 0'])
  t.match(
    stderr,
    /\n {2}Report {8}.*report\.html\n {2}FAILED {8}findings: stopped-at-empty-page, refused-and-repeated\n.*\n.*\n {2}Next {10}.*repro '#1\/req_\d+' --run .*run\.json\n$/
  )
  const { run } = JSON.parse(read('run.json'))
  const refused = run.requests.filter(({ outcome }: { outcome: string }) => outcome === 'refused')
  t.strictSame(
    refused.map(({ entry }: { entry: { why: { rules: object[] } } }) => entry.why.rules.length > 0),
    Array(6).fill(true),
    'each with its why'
  )
  t.match(read('report.html'), /REF-6: /)
  t.notMatch(read('report.html'), /[^\p{ASCII}–…×]/u, 'no character was read in another encoding')
  t.equal(lenient.status, 0, lenient.stderr)
  t.notMatch(lenient.stderr, /FAILED/)
})

t.test('judge: a running emulator is judged from outside by the same criteria', async t => {
  const { baseUrl, stop } = await startBuiltCommand()
  t.teardown(stop)
  const headers = {
    authorization: `Basic ${btoa('sk_test_merchant:')}`,
    'test-name': 'reads a Ticket'
  }
  for (let nth = 0; nth < 2; nth++) await fetch(`${baseUrl}/tickets?limit=0`, { headers })
  const folder = `${t.testdir()}/reports`

  const failed = await ran(
    'judge',
    '--url',
    baseUrl,
    '--fail-on',
    'refused-and-repeated',
    '--report',
    folder
  )

  t.equal(failed.status, 3, failed.stderr)
  t.match(
    failed.stderr,
    /\n {2}Report {8}.*report\.html\n {2}FAILED {8}finding: refused-and-repeated\n.*\n {2}Next {10}commerce-emulator repro '#1\/req_1' --url .*\n$/
  )
  t.match(readFileSync(`${folder}/junit.xml`, 'utf8'), 'name="reads a Ticket"><failure ')
})
