/** What the console's evidence view works out of the control API's answers. */
import t from 'tap'
import {
  outcomesOf,
  outcomesSeen,
  percentOf,
  RULE_STATES,
  type RuleRow,
  sandboxOf
} from '../../src/console/ui/views/evidence/words.js'

const row = (
  rule: string,
  satisfied: number,
  violated: number,
  { keepable = true, violable = true } = {}
): RuleRow => ({ rule, text: 'a rule', satisfied, violated, keepable, violable }) as RuleRow

t.test('console: the state of a rule comes of what requests did to it', async t => {
  const cases: [RuleRow, states: string[], seen: string, words: string][] = [
    [row('REF-7', 0, 0), ['untouched'], 'none', 'kept by none, broken by none'],
    [row('REF-7', 1, 0), ['kept'], 'kept', 'kept by 1 request, broken by none'],
    [row('REF-7', 0, 2), ['broken'], 'broken', 'kept by none, broken by 2 requests'],
    [row('REF-7', 3, 2), ['kept', 'broken'], 'all', 'kept by 3 requests, broken by 2 requests'],
    [
      row('META-2', 1, 0, { violable: false }),
      ['kept'],
      'all',
      'kept by 1 request, cannot be broken by a request'
    ],
    [
      row('LOC-4', 0, 1, { keepable: false }),
      ['broken'],
      'broken',
      'cannot be kept by a request, broken by 1 request'
    ],
    [
      row('LOC-9', 0, 0, { keepable: false }),
      ['untouched'],
      'none',
      'cannot be kept by a request, broken by none'
    ]
  ]
  for (const [rule, states, seen, words] of cases) {
    t.strictSame(
      (['all', 'kept', 'broken', 'untouched'] as const).filter(state => RULE_STATES[state](rule)),
      ['all', ...states],
      words
    )
    t.equal(outcomesSeen(rule), seen, words)
    t.equal(outcomesOf(rule), words)
  }
})

t.test('console: a share has two digits', async t => {
  const cases: [part: number, whole: number, percent: string][] = [
    [1, 3, '33 %'],
    [1, 30, '3.3 %'],
    [1, 1, '100 %'],
    [999, 1000, '100 %'],
    [1, 3000, '0.033 %'],
    [0, 5, '0 %']
  ]
  for (const [part, whole, percent] of cases) t.equal(percentOf(part, whole), percent)
})

t.test('console: the name of a request in a run holds its sandbox', async t => {
  t.equal(sandboxOf('worker-1#2/req_7'), 'worker-1')
  t.equal(sandboxOf('#1/req_7'), '')
})
