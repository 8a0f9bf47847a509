import t from 'tap'
import { FINDINGS } from '../../src/evidence/findings.js'
import { Coverage } from '../../src/evidence/totals.js'
import { RULE_IDS, RULES } from '../../src/reference/rules.js'
import { checkJunit, xml } from '../../src/reports/junit.js'
import type { CheckedFile, Point } from '../../src/reports/points.js'
import { SAYS } from '../../src/reports/sentences.js'
import { checkText, coverageText, findingsText } from '../../src/reports/text.js'
import { judgement } from '../support/judged-request.js'
import { elementsIn, parseMarkup } from './markup.js'

const step = (message: string) => ({ code: 'step', message })

t.test('check: a report stays well-formed, whatever a title or problem contains', async t => {
  const odd = 'a & b <c> "d" \u0007\u{1F600}\uD800\uFFFE # SKIP \\\n\tend'
  const said = (message: string) => ({ path: '', ...step(message) })
  const point = (file: string, title: string, ...problems: string[]): Point => ({
    ...step(title),
    file,
    problems: problems.map(said),
    ms: problems.length > 0 ? 1234.5 : 0
  })
  const points: CheckedFile[] = [
    {
      file: 'x & #1.yaml',
      points: [point('x & #1.yaml', odd, odd, 'second'), point('x & #1.yaml', 'last')],
      leftOut: null,
      notes: []
    },
    { file: 'y.yaml', points: [point('y.yaml', 'plain')], leftOut: null, notes: [] }
  ]

  const junit = checkJunit(points)
  const text = checkText(points)

  const elements = elementsIn(parseMarkup(junit))
  t.strictSame(elements.find(({ name }) => name === 'testcase')?.attributes, {
    classname: 'x & #1.yaml',
    name: 'a & b <c> "d" \u{1F600} # SKIP \\\n\tend',
    time: '1.234'
  })
  t.strictSame(
    elements.filter(({ name }) => name === 'testsuite').map(({ attributes }) => attributes.tests),
    ['2', '1'],
    'a file is one suite'
  )
  t.equal(
    elements.find(({ name }) => name === 'failure')?.text,
    'a & b <c> "d" \u{1F600} # SKIP \\\n\tend\nsecond'
  )
  t.ok(text.endsWith('\n\n2 passed, 1 failed in 2 files; 1 file failed\n'))
})

t.test('TKT-1, REF-6, REF-7: no request can pass them; reports have one outcome each', t => {
  const coverage = new Coverage()
  coverage.add(judgement([], 'TKT-1'))
  const report = coverage.report()
  const { passable, violable, passed, violated } = report.rules.find(
    ({ rule }) => rule === 'TKT-1'
  ) as (typeof report.rules)[number]

  t.strictSame([passable, violable, passed, violated], [false, true, 0, 1])
  t.strictSame(
    report.rules.filter(rule => !rule.passable).map(({ rule }) => rule),
    ['TKT-1', 'REF-6', 'REF-7']
  )
  t.ok(coverageText(report).includes(`\nTKT-1    ${'–'.padStart(9)}  ${'1'.padStart(8)}  `))
  t.end()
})

t.test('coverage: where every outcome was seen, nothing is left to name', t => {
  const coverage = new Coverage()
  for (const rule of RULE_IDS)
    coverage.add(
      judgement('passable' in RULES[rule] ? [] : [rule], RULES[rule].violable ? rule : null)
    )
  const report = coverage.report()
  const text = coverageText(report)

  t.strictSame(
    [report.seen, report.possible, report.percent, report.never_exercised, report.never_violated],
    [91, 91, 100, [], []]
  )
  t.ok(text.includes(SAYS.outcomes(91, 91, 100)))
  t.notMatch(text, /never (exercised|violated)/)
  t.end()
})

t.test('coverage: never exercised and never violated stand out in text', t => {
  const coverage = new Coverage()
  coverage.add(judgement(['REF-3', 'REF-4']))

  const lines = coverageText(coverage.report()).split('\n')

  t.equal(lines[0], 'rule        passed  violated')
  t.ok(
    lines.includes(
      'REF-3            1         0  amount, when given, is a positive integer in sub-units and not above the remainder'
    )
  )
  t.ok(
    lines.includes('REF-4            1         –  without amount the whole remainder is refunded')
  )
  t.ok(lines.includes(SAYS.outcomes(2, 91, 2.1)))
  t.ok(lines.find(line => line.startsWith('never exercised: FORM-1, FORM-2, ')))
  t.ok(lines.includes('never violated: REF-3'))
  t.end()
})

t.test('findings as text: what happened, what to do, and the requests that show it', t => {
  const { severity, about, advice } = FINDINGS['zero-payment']

  t.equal(findingsText([]), `${SAYS.no_findings()}\n`)
  t.equal(
    findingsText([
      {
        finding: 'zero-payment',
        severity,
        about,
        advice,
        times: 2,
        requests: ['req_1', 'till/req_2']
      }
    ]),
    `warning: zero-payment (2×, req_1, till/req_2)\n  ${about}\n  ${advice}\n`
  )
  t.end()
})

t.test('reports: XML takes no markup and no control characters', t => {
  t.equal(xml('<a href="x">&\u0000\u001b\n\t'), '&lt;a href=&quot;x&quot;&gt;&amp;\n\t')
  t.end()
})
