import t from 'tap'
import { FINDINGS } from '../../src/evidence/findings.js'
import { FAIL_ON, gatesFrom } from '../../src/reports/gates.js'
import { judged } from '../../src/reports/run.js'
import { finding, runOf } from './judged-run.js'

t.test('gates: every finding can be named, and every group; expectations are the gate where none is named', t => {
  t.strictSame(FAIL_ON, ['expectations', 'script', 'findings', 'errors', 'warnings', ...Object.keys(FINDINGS)])
  t.strictSame(gatesFrom({}), { minCoverage: null, failOn: ['expectations'], ignore: [] })
  t.strictSame(gatesFrom({ minCoverage: 40, failOn: ['errors', 'errors'], ignore: ['zero-payment'] }), {
    minCoverage: 40,
    failOn: ['errors'],
    ignore: ['zero-payment']
  })
  t.strictSame(gatesFrom({ failOn: [] }), { minCoverage: null, failOn: [], ignore: [] }, 'a list of none is none')
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
  [['expectations', 'script'], [], [[], []], []],
  [[], [], [], []]
]
t.test('gates: a finding fails a gate of its name, its severity or of all, unless it is ignored', t => {
  for (const [failOn, ignore, problems, fails] of CASES) {
    const gates = gatesFrom({ failOn, ignore })
    if (typeof gates === 'string') return t.fail(gates)
    const { gates: results, fails: failed, hasPassed } = judged(runOf({ findings: [ERROR, WARNING] }), gates)

    const expected = failOn.map((gate, place) => ({ gate, problems: problems[place] }))
    t.strictSame([results, [...failed], hasPassed], [expected, fails, problems.flat().length === 0], `--fail-on ${failOn} --ignore ${ignore}`)
  }
  t.end()
})

t.test('gates: a run without a call passes no gate of coverage or findings', t => {
  const cases: [given: Parameters<typeof gatesFrom>[0], fails: boolean][] = [
    [{ failOn: ['findings'] }, true],
    [{ failOn: ['zero-payment'] }, true],
    [{ minCoverage: 0, failOn: [] }, true],
    [{}, false],
    [{ failOn: ['expectations', 'script'] }, false],
    [{ failOn: [] }, false]
  ]
  for (const [given, fails] of cases) {
    const gates = gatesFrom(given)
    if (typeof gates === 'string') return t.fail(gates)
    const failed = (calls: number) => judged(runOf({ calls }), gates).gates.flatMap(({ gate, problems }) => (problems.length > 0 ? [gate] : []))

    t.strictSame(failed(0), fails ? ['calls'] : [], JSON.stringify(given))
    t.strictSame(failed(1), [], JSON.stringify(given))
  }
  t.end()
})

t.test('gates: the coverage that is asked for is enough, a tenth below it is not', t => {
  const { coverage } = runOf()
  for (const [percent, problems] of [
    [40, []],
    [40.1, []],
    [39.9, ['rule coverage is 39.9 %, below 40 %']]
  ] as const) {
    const { gates } = judged(runOf({ coverage: { ...coverage, percent } }), { minCoverage: 40, failOn: [], ignore: [] })
    t.strictSame(gates, [{ gate: 'coverage', problems }])
  }
  t.end()
})
