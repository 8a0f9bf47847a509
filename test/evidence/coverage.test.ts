import t from 'tap'
import { Coverage, mergedReports } from '../../src/evidence/totals.js'
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
