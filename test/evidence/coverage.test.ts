import t from 'tap'
import { Coverage, mergedReports } from '../../src/evidence/coverage.js'
import { coverageJunit, coverageText } from '../../src/evidence/reports.js'
import type { RuleId } from '../../src/reference/rules.js'
import { NOW, smallFixture, startTestEmulator } from '../support/emulator.js'
import type { Json } from '../support/json.js'
import { judgement } from '../support/judged-request.js'

const outcomesOf = (report: Json, rule: RuleId): { satisfied: number; violated: number } => {
  const { satisfied, violated } = report.rules.find((row: { rule: RuleId }) => row.rule === rule)
  return { satisfied, violated }
}

t.test('coverage: reset and load clear the coverage of the sandbox, not of the run', async t => {
  const { call, control } = await startTestEmulator(t)
  const seen = async (scope: string) => (await control(`GET /coverage${scope}`)).body.seen

  await call('GET /tickets')
  const once = await seen('')
  await control('POST /reset')
  await call('GET /tickets/tkt_a')
  const afterReset = [await seen(''), await seen('?scope=sandbox'), await seen('?scope=run')]
  await control('POST /load', { scenario: { clock: NOW, data: smallFixture() } })

  t.ok(once > 0)
  t.strictSame(afterReset, [3, 3, once])
  t.strictSame([await seen(''), await seen('?scope=run')], [0, once])
  const run = outcomesOf((await control('GET /coverage?scope=run')).body, 'AUTH-1')
  t.strictSame(run, { satisfied: 2, violated: 0 })
})

t.test('coverage: coverage can be cleared, of the sandbox or of the run', async t => {
  const { call, control } = await startTestEmulator(t)
  const seen = async () => Promise.all(['', '?scope=run'].map(async scope => (await control(`GET /coverage${scope}`)).body.seen > 0))
  await call('GET /tickets')

  const { status } = await control('DELETE /coverage')
  const sandboxCleared = await seen()
  await control('DELETE /coverage?scope=run')

  t.equal(status, 204)
  t.strictSame(sandboxCleared, [false, true])
  t.strictSame(await seen(), [false, false])
})

t.test('coverage: a call counts once for each rule that it kept, and for the one that it broke', t => {
  const coverage = new Coverage()

  coverage.add(judgement(['FORM-2'], 'META-1'))
  coverage.add(judgement(['FORM-2']))
  const report = coverage.report()

  t.strictSame(outcomesOf(report, 'FORM-2'), { satisfied: 2, violated: 0 })
  t.strictSame(outcomesOf(report, 'META-1'), { satisfied: 0, violated: 1 })
  t.strictSame([report.seen, report.possible, report.percent], [2, 93, 2.1])
  t.strictSame(report.never_violated, ['FORM-2'])
  t.equal(report.never_exercised.length, 56)
  coverage.clear()
  t.equal(coverage.report().seen, 0)
  t.end()
})

t.test('coverage: several runs are added up', t => {
  const [one, other] = [new Coverage(), new Coverage()]
  one.add(judgement(['REF-6']))
  other.add(judgement([], 'REF-6'))
  other.add(judgement(['REF-4']))

  const report = mergedReports([one.report(), { rules: other.report().rules.slice(0, 57) }, { rules: [] }])

  t.strictSame(outcomesOf(report, 'REF-6'), { satisfied: 1, violated: 1 })
  t.strictSame(outcomesOf(report, 'REF-4'), { satisfied: 1, violated: 0 })
  t.equal(report.seen, 3)
  t.strictSame(mergedReports([]).seen, 0)
  t.end()
})

t.test('coverage: never exercised and never violated stand out in text, and what was not seen is skipped in JUnit', t => {
  const coverage = new Coverage()
  coverage.add(judgement(['REF-7', 'REF-4']))

  const lines = coverageText(coverage.report()).split('\n')
  const junit = coverageJunit(coverage.report())

  t.equal(lines[0], 'rule     satisfied  violated')
  t.ok(lines.includes('REF-7            1         0  a Refund above the remainder is an error'))
  t.ok(lines.includes('REF-4            1         –  without amount the whole remainder is refunded'))
  t.ok(lines.includes('2 of 93 outcomes seen: 2.1 %'))
  t.ok(lines.find(line => line.startsWith('never exercised: FORM-1, FORM-2, ')))
  t.ok(lines.includes('never violated: REF-7'))
  t.equal(junit.match(/<testcase /g)?.length, 93)
  t.equal(junit.match(/<skipped\/>/g)?.length, 91)
  t.ok(junit.includes('<testcase classname="REF-7" name="satisfied: a Refund above the remainder is an error"></testcase>'))
  t.ok(junit.includes('<testcase classname="REF-7" name="violated: a Refund above the remainder is an error"><skipped/></testcase>'))
  t.notOk(junit.includes('classname="REF-4" name="violated'))
  t.end()
})
