import t from 'tap'
import { checkJunit } from '../../src/reports/junit.js'
import type { CheckedFile, Point } from '../../src/reports/points.js'
import { checkAnnotations, checkTap, checkText } from '../../src/reports/text.js'
import { elementsIn, parseMarkup } from './markup.js'

const step = (message: string) => ({ code: 'step', message })

t.test('check: a report stays well-formed, whatever a title or problem contains', async t => {
  const odd = 'a & b <c> "d" \u0007\u{1F600}\uD800\uFFFE # SKIP \\\n\tend'
  const said = (message: string) => ({ path: '', message })
  const point = (file: string, title: string, ...problems: string[]): Point => ({
    ...step(title),
    file,
    problems: problems.map(said),
    ms: problems.length > 0 ? 1234.5 : 0
  })
  const points: CheckedFile[] = [
    { file: 'x & #1.yaml', points: [point('x & #1.yaml', odd, odd, 'second'), point('x & #1.yaml', 'last')], leftOut: null, notes: [], settings: {} },
    { file: 'y.yaml', points: [point('y.yaml', 'plain')], leftOut: null, notes: [], settings: {} }
  ]

  const tap = checkTap(points).split('\n')
  const junit = checkJunit(points)
  const text = checkText(points)

  t.equal(tap[2], 'not ok 1 - x & \\#1.yaml: a & b <c> "d" \\\\u0007\u{1F600}\uD800\uFFFE \\# SKIP \\\\ end')
  t.strictSame(JSON.parse((tap[5] as string).slice(6)), odd)
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
  t.equal(elements.find(({ name }) => name === 'failure')?.text, 'a & b <c> "d" \u{1F600} # SKIP \\\n\tend\nsecond')
  t.ok(text.endsWith('\n\n2 passed, 1 failed in 2 files; 1 file failed\n'))
})

t.test('check: JUnit holds the settings that were found, and an annotation has a place where the problem has one', t => {
  const problems = [
    { path: 'a', message: 'wrong' },
    { file: 'own.yaml', line: 3, column: 5, path: '', message: 'wrong' }
  ]
  const point = { ...step('one'), file: 'own.yaml', problems, ms: 0 }
  const checked: CheckedFile[] = [
    { file: 'own.yaml', points: [point, { ...point, ...step('two'), isWarning: true }], leftOut: null, notes: [], settings: { 'statuses.created': 201 } }
  ]

  t.equal(elementsIn(parseMarkup(checkJunit(checked))).at(-1)?.text, 'settings:\n  statuses:\n    created: 201\n')
  t.equal(
    checkAnnotations(checked),
    [
      '::error title=one::a: wrong',
      '::error file=own.yaml,line=3,col=5,title=one::wrong',
      '::warning title=two::a: wrong',
      '::warning file=own.yaml,line=3,col=5,title=two::wrong',
      ''
    ].join('\n')
  )
  t.end()
})
