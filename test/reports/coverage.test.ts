import t from 'tap'
import { FINDINGS } from '../../src/evidence/findings.js'
import { Coverage } from '../../src/evidence/totals.js'
import { RULE_IDS, RULES } from '../../src/reference/rules.js'
import { coverageJunit, xml } from '../../src/reports/junit.js'
import { SAYS } from '../../src/reports/sentences.js'
import { coverageText, findingsText } from '../../src/reports/text.js'
import { judgement } from '../support/judged-request.js'

t.test('TKT-1: no call can show it kept, so it has one possible outcome, and reports say so', t => {
  const coverage = new Coverage()
  coverage.add(judgement([], 'TKT-1'))
  const report = coverage.report()
  const { keepable, violable, satisfied, violated } = report.rules.find(({ rule }) => rule === 'TKT-1') as (typeof report.rules)[number]
  const junit = coverageJunit(report)

  t.strictSame([keepable, violable, satisfied, violated], [false, true, 0, 1])
  t.strictSame(
    report.rules.filter(rule => !rule.keepable).map(({ rule }) => rule),
    ['TKT-1']
  )
  t.ok(coverageText(report).includes(`\nTKT-1    ${'–'.padStart(9)}  ${'1'.padStart(8)}  `))
  t.notOk(junit.includes('classname="TKT-1" name="satisfied'))
  t.ok(junit.includes('classname="TKT-1" name="violated'))
  t.end()
})

t.test('coverage: where every outcome was seen, nothing is left to name and nothing is skipped', t => {
  const coverage = new Coverage()
  for (const rule of RULE_IDS) coverage.add(judgement(rule === 'TKT-1' ? [] : [rule], RULES[rule].violable ? rule : null))
  const report = coverage.report()
  const text = coverageText(report)

  t.strictSame([report.seen, report.possible, report.percent, report.never_exercised, report.never_violated], [93, 93, 100, [], []])
  t.ok(text.includes(SAYS.outcomes(93, 93, 100)))
  t.notMatch(text, /never (exercised|violated)/)
  t.ok(coverageJunit(report).startsWith('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites tests="93" failures="0" skipped="0">\n'))
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
  t.ok(lines.includes(SAYS.outcomes(2, 93, 2.1)))
  t.ok(lines.find(line => line.startsWith('never exercised: FORM-1, FORM-2, ')))
  t.ok(lines.includes('never violated: REF-7'))
  t.equal(junit.match(/<testcase /g)?.length, 93)
  t.equal(junit.match(/<skipped\/>/g)?.length, 91)
  t.ok(junit.includes('<testcase classname="REF-7" name="satisfied: a Refund above the remainder is an error"></testcase>'))
  t.ok(junit.includes('<testcase classname="REF-7" name="violated: a Refund above the remainder is an error"><skipped/></testcase>'))
  t.notOk(junit.includes('classname="REF-4" name="violated'))
  t.end()
})

t.test('findings as text: what it is, what to do, and the calls that show it', t => {
  const { severity, about, advice } = FINDINGS['zero-payment']

  t.equal(findingsText([]), `${SAYS.no_findings()}\n`)
  t.equal(
    findingsText([{ finding: 'zero-payment', severity, about, advice, times: 2, requests: ['req_1', 'till/req_2'] }]),
    `warning: zero-payment (2×, req_1, till/req_2)\n  ${about}\n  ${advice}\n`
  )
  t.end()
})

t.test('reports: XML takes no markup and no control characters', t => {
  t.equal(xml('<a href="x">&\u0000\u001b\n\t'), '&lt;a href=&quot;x&quot;&gt;&amp;\n\t')
  t.end()
})
