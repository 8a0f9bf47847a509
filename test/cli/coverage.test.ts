import { writeFileSync } from 'node:fs'
import t from 'tap'
import { SAYS } from '../../src/cli/sentences.js'
import { Coverage } from '../../src/evidence/totals.js'
import type { RuleId } from '../../src/reference/rules.js'
import { ran } from '../support/command.js'
import { judgement } from '../support/judged-request.js'

/** A report as a run writes it, of calls with the rules that each kept and the one that it broke. */
function reportOf(...calls: [kept: RuleId[], broken?: RuleId][]): string {
  const coverage = new Coverage()
  for (const [kept, broken] of calls) coverage.add(judgement(kept, broken))
  return JSON.stringify(coverage.report())
}

t.test('coverage merge: text is for people and the default, JUnit for a build server; a merged report can be merged again; too little is 3', async t => {
  const first = reportOf([['REF-6']], [['REF-6', 'META-1']], [[], 'LOC-1'])
  const root = t.testdir({ 'a.json': first, 'b.json': reportOf([[], 'REF-6'], [['META-1']], [['TXN-8']]) })
  const merge = (...args: string[]) => ran(['coverage', 'merge', ...args, `${root}/a.json`, `${root}/b.json`])

  const [text, junit, merged] = [await merge(), await merge('--format', 'junit'), await merge('--format', 'json')]

  t.equal(text.status, 0)
  t.ok(text.stdout.startsWith('rule     satisfied  violated\n'))
  t.ok(text.stdout.includes('\nREF-6            2         1  '))
  t.ok(text.stdout.includes('\n5 of 93 outcomes seen: 5.3 %\n'))
  t.ok(junit.stdout.includes('<testsuite name="rule coverage" tests="93" failures="0" skipped="88">'))
  writeFileSync(`${root}/merged.json`, merged.stdout)
  t.equal((await ran(['coverage', 'merge', '--format', 'json', `${root}/merged.json`])).stdout, merged.stdout)
  t.strictSame(await merge('--min-coverage', '5.3'), text)
  t.strictSame(await merge('--min-coverage', '5.4'), { ...text, status: 3 })
})

t.test('coverage merge: of a folder every coverage.json in it is taken, of a pattern what it matches, and each file once', async t => {
  const report = reportOf([['REF-6']])
  const root = t.testdir({
    jobs: { one: { 'coverage.json': report, 'run.json': '{}', 'coverage.xml': '<' }, two: { deep: { 'coverage.json': report } } },
    others: { 'a.json': report, 'b.json': report, 'b[1].json': report },
    empty: {}
  })
  const keptOf = async (...places: string[]) => {
    const { status, stdout, stderr } = await ran(['coverage', 'merge', '--format', 'json', ...places])
    return status === 0 ? JSON.parse(stdout).rules.find(({ rule }: { rule: string }) => rule === 'REF-6').satisfied : stderr
  }

  t.equal(await keptOf(`${root}/jobs`), 2)
  t.equal(await keptOf(`${root}/jobs/*/coverage.json`), 1)
  t.equal(await keptOf(`${root}/jobs/**/coverage.json`), 2)
  t.equal(await keptOf(`${root}/others/?.json`), 2)
  t.equal(await keptOf(`${root}/others/{a,b}.json`, `${root}/jobs`), 4)
  t.equal(await keptOf(`${root}/others/b[1].json`), 1, 'a file with such a name is no pattern')
  t.equal(await keptOf(`${root}/jobs`, `${root}/jobs/one`, `${root}/jobs/./one/coverage.json`, `${root}/jobs/one/*.json`.replace('*', 'cov*')), 2)
  t.equal(await keptOf(`${root}/empty`), `commerce-emulator: ${SAYS.no_reports(`${root}/empty`)}\n`)
  t.equal(await keptOf(`${root}/jobs`, `${root}/none/*.json`), `commerce-emulator: ${SAYS.no_match(`${root}/none/*.json`)}\n`)
})

t.test('coverage merge: a rule that a report does not name counts as never exercised there', async t => {
  const root = t.testdir({ 'a.json': JSON.stringify({ rules: [{ rule: 'REF-6', satisfied: 1, violated: 1 }] }), 'b.json': '{"rules":[]}' })

  const { stdout } = await ran(['coverage', 'merge', '--format', 'json', `${root}/a.json`, `${root}/b.json`])

  t.strictSame([JSON.parse(stdout).seen, JSON.parse(stdout).rules.length], [2, 58])
})

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
    t.strictSame(await ran(['coverage', 'merge', `${root}/${name}`]), { status: 1, stdout: '', stderr })
  }
  t.equal((await ran(['coverage', 'merge', `${root}/none.json`])).stderr, `commerce-emulator: ${SAYS.unread(`${root}/none.json`, 'no such file or folder')}\n`)
  t.equal((await ran(['coverage', 'merge', `${root}/folder`])).status, 1)
})
