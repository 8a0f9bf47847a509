import t from 'tap'
import { CHECKS } from '../../src/core/sentences.js'
import { FINDINGS } from '../../src/evidence/findings.js'
import type { Unmet } from '../../src/evidence/run-history.js'
import { DEFAULT_GATES, FAIL_ON, gatesFrom, judged, unmetLines } from '../../src/reports/run.js'
import { SAYS } from '../../src/reports/sentences.js'
import { finding, runOf, unmet } from './judged-run.js'

t.test('gates: every finding can be named, and every group; expectations are always among them unless they are ignored', t => {
  t.strictSame(FAIL_ON, ['expectations', 'script', 'findings', 'errors', 'warnings', ...Object.keys(FINDINGS)])
  t.strictSame(gatesFrom({}), DEFAULT_GATES)
  t.strictSame(gatesFrom({ minCoverage: 40, failOn: ['errors', 'errors'], ignore: ['zero-payment'], allowNoRequests: true }), {
    minCoverage: 40,
    failOn: ['expectations', 'errors'],
    ignore: ['zero-payment'],
    allowNoRequests: true
  })
  t.strictSame(gatesFrom({ failOn: ['script', 'expectations'] }), { ...DEFAULT_GATES, failOn: ['expectations', 'script'] })
  t.strictSame(gatesFrom({ failOn: ['script'], ignore: ['expectations'] }), { ...DEFAULT_GATES, failOn: ['script'] })
  const refused = [
    [{ ignore: ['expectation'] }, `--ignore: ${CHECKS.unknown_name('expectation', ['expectations'], null)}`],
    [{ failOn: ['expectations'], ignore: ['expectations'] }, SAYS.failed_and_ignored('expectations')]
  ] as const
  for (const [given, message] of refused) t.throws(() => gatesFrom(given), { code: 'setting_invalid', message })
  t.end()
})

t.test('gates: expectations are judged whatever else is named', t => {
  const run = runOf({ unmet_expectations: [unmet('till', 'one was expected')] })
  const cases: [given: Parameters<typeof gatesFrom>[0], failed: string[]][] = [
    [{}, ['expectations']],
    [{ failOn: ['errors'] }, ['expectations']],
    [{ failOn: ['script', 'expectations'], minCoverage: 0 }, ['expectations']],
    [{ ignore: ['expectations'] }, []],
    [{ failOn: ['errors'], ignore: ['expectations'] }, []]
  ]
  for (const [given, failed] of cases) {
    const { gates, hasPassed, unmet } = judged(run, gatesFrom(given))
    t.strictSame(
      gates.flatMap(({ gate, problems }) => (problems.length > 0 ? [gate] : [])),
      failed,
      JSON.stringify(given)
    )
    t.strictSame([hasPassed, unmet.length], [failed.length === 0, failed.length])
  }
  t.end()
})

t.test('gates: an expectation is told once, with the sandboxes that did not meet it', t => {
  const many = Array.from({ length: 7 }, (_, nth) => unmet(`w${nth}`, 'a'))
  const cases: [unmet: Unmet[], lines: string[]][] = [
    [[], []],
    [
      [unmet(null, 'a'), unmet(null, 'b')],
      ['a', 'b']
    ],
    [[unmet('w1', 'a')], ['a, in w1']],
    [
      [unmet('w1', 'a'), unmet(null, 'a'), unmet('w1', 'b')],
      ['a, in w1, the base address', 'b, in w1']
    ],
    [many, ['a, in w0, w1, w2, w3, w4 and 2 more']]
  ]
  for (const [given, lines] of cases) t.strictSame(unmetLines(given), lines)
  t.end()
})

const ERROR = finding('double-refund-risk', '#1/req_1')
const WARNING = finding('zero-payment', '#1/req_2')
const CASES: [failOn: readonly string[], ignore: readonly string[], problems: string[][], fails: string[]][] = [
  [['findings'], [], [['findings: double-refund-risk, zero-payment']], ['double-refund-risk', 'zero-payment']],
  [['errors'], [], [['errors: double-refund-risk']], ['double-refund-risk']],
  [['warnings'], [], [['warnings: zero-payment']], ['zero-payment']],
  [['zero-payment'], [], [['finding: zero-payment']], ['zero-payment']],
  [['card-number-sent'], [], [[]], []],
  [['errors', 'zero-payment'], [], [['errors: double-refund-risk'], ['finding: zero-payment']], ['double-refund-risk', 'zero-payment']],
  [['errors'], ['double-refund-risk'], [[]], []],
  [['findings'], ['double-refund-risk'], [['findings: zero-payment']], ['zero-payment']],
  [['findings'], ['double-refund-risk', 'zero-payment'], [[]], []],
  [['script'], [], [[]], []],
  [[], [], [], []]
]
t.test('gates: a finding fails a gate of its name, its severity or of all, unless it is ignored', t => {
  for (const [failOn, ignore, problems, fails] of CASES) {
    const { gates: results, fails: failed, hasPassed } = judged(runOf({ findings: [ERROR, WARNING] }), gatesFrom({ failOn, ignore }))

    const expected = [{ gate: 'expectations', problems: [] }, ...failOn.map((gate, place) => ({ gate, problems: problems[place] }))]
    t.strictSame([results, [...failed], hasPassed], [expected, fails, problems.flat().length === 0], `--fail-on ${failOn} --ignore ${ignore}`)
  }
  t.end()
})

t.test('gates: a run without a request fails, whatever is judged, unless it is allowed', t => {
  const cases: Parameters<typeof gatesFrom>[0][] = [{}, { failOn: ['findings'] }, { minCoverage: 0 }, { failOn: ['script'] }, { ignore: ['expectations'] }]
  for (const given of cases) {
    const failed = (calls: number, allowNoRequests: boolean) =>
      judged(runOf({ calls }), gatesFrom({ ...given, allowNoRequests })).gates.flatMap(({ gate, problems }) => (problems.length > 0 ? [gate] : []))

    t.strictSame([failed(0, false), failed(0, true), failed(1, false)], [['requests'], [], []], JSON.stringify(given))
  }
  t.end()
})

t.test('gates: the coverage that is asked for is enough, a tenth below it is not', t => {
  const { coverage } = runOf()
  for (const [percent, problems] of [
    [40, []],
    [40.1, []],
    [39.9, [SAYS.low_coverage(39.9, 40)]]
  ] as const) {
    const { gates } = judged(runOf({ coverage: { ...coverage, percent } }), { ...DEFAULT_GATES, minCoverage: 40, failOn: [] })
    t.strictSame(gates, [{ gate: 'coverage', problems }])
  }
  t.end()
})
