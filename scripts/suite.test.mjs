/** What `npm test` says of failures and of coverage. */
import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { uncovered } from './coverage.mjs'
import { Lines } from './reporter.mjs'

/** Files, and what is said of those whose functions were not called or that were not loaded. */
const FILES = {
  'called.ts': ["export const say = [1].map(() => 'said')", []],
  'inline.ts': [
    "const check = (say: () => string) => say\n\nexport const a = check(() => 'never said')",
    ['inline.ts:3: no test calls () => "never said"']
  ],
  'nothing.ts': ['export const a = [() => {}, () => false, () => []]', []],
  'types.ts': ['export type Never = 1', []],
  'unloaded.ts': ["export const a = 'unloaded'", ['unloaded.ts: no test loads it']]
}

t.test('coverage: inline functions that no test calls, and files that none loads', async t => {
  const folder = pathToFileURL(`${t.testdir()}/`)
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  for (const [name, [text]] of Object.entries(FILES)) {
    writeFileSync(new URL(name, folder), text)
    if (!/^(types|unloaded)/.test(name)) await import(String(new URL(name, folder)))
  }
  const report = await session.post('Profiler.takePreciseCoverage')
  t.strictSame(
    uncovered([report], folder),
    Object.values(FILES).flatMap(([, says]) => says)
  )
})

/** A failed assertion as tap writes it. */
const failed = (nth, line, got) => `
        not ok ${nth} - the sum
          ---
          compare: ===
          at:
            fileName: test/core/money.test.ts
            lineNumber: ${line}
          stack: |
            Test.<anonymous> (test/core/money.test.ts:${line}:5)
          diff: |
            -1
            +${got}
          ...`

t.test('a failure is shown once, whole; its repeats are counted at the end', async t => {
  const lines = new Lines()
  lines.end(`TAP version 14
# Subtest: test/a.test.ts
    # Subtest: A23
        ok 1 - passes${failed(2, 62, 2)}${failed(3, 62, 3)}${failed(4, 69, 4)}
    not ok 1 - A23 # time=1ms
not ok 1 - test/a.test.ts # time=2000ms
  ---
  exitCode: 1
  ...
# Subtest: test/b.test.ts
    ok 1 - alone # SKIP no browser
not ok 2 - test/b.test.ts # time=100ms
  ---
  cwd: /
  signal: SIGALRM
  ...
not ok 3 - timeout!
  ---
  expired: test/b.test.ts
  ...
# { total: 6, pass: 1, fail: 5 }
`)
  const title = 'test/a.test.ts > A23 > the sum'
  const shown = (line, got) =>
    `FAILED ${title}\n    at test/core/money.test.ts:${line}\n    diff: |\n      -1\n      +${got}\n`
  t.equal(
    Buffer.concat(await lines.toArray()).toString(),
    `${shown(62, 2)}${shown(69, 4)}FAILED    2.0 s  test/a.test.ts
FAILED    0.1 s  test/b.test.ts
FAILED test/b.test.ts
    signal: SIGALRM
FAILED    0.0 s  timeout!
FAILED timeout! > expired: test/b.test.ts
# { total: 6, pass: 1, fail: 5 }
skipped   1: no browser

Failed, the first of each place shown above:
  test/core/money.test.ts:62 (2 times)  ${title}
  test/core/money.test.ts:69  ${title}
  test/b.test.ts
  timeout! > expired: test/b.test.ts
`
  )
})
