/** What the console's evidence view computes from responses of the control API. */
import t from 'tap'
import {
  partsOf,
  percentOf,
  RULE_STATES,
  type RuleRow
} from '../../src/console/ui/views/evidence/words.js'

t.test('console: the state of a rule depends on its requests', async t => {
  const cases: [passed: number, violated: number, states: string[]][] = [
    [0, 0, ['not exercised']],
    [1, 0, ['passed']],
    [0, 2, ['violated']],
    [3, 2, ['passed', 'violated']]
  ]
  for (const [passed, violated, states] of cases)
    t.strictSame(
      Object.entries(RULE_STATES).flatMap(([state, isIn]) =>
        isIn({ passed, violated } as RuleRow) ? [state] : []
      ),
      ['all', ...states]
    )
})

t.test('console: a share has three digits', async t => {
  const cases: [part: number, whole: number, percent: string][] = [
    [11, 16, '68.8%'],
    [1, 30, '3.33%'],
    [1, 1, '100%'],
    [999, 1000, '99.9%'],
    [1, 3000, '0.0333%'],
    [0, 5, '0%']
  ]
  for (const [part, whole, percent] of cases) t.equal(percentOf(part, whole), percent)
})

t.test('console: the name of a request in a run contains its sandbox', async t => {
  t.strictSame(partsOf('worker-1#2/req_7'), { sandbox: 'worker-1', id: 'req_7' })
  t.strictSame(partsOf('#1/req_7'), { sandbox: '', id: 'req_7' })
  t.strictSame(partsOf('req_7'), { id: 'req_7' })
})
