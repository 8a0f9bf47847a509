/** Reports of a run: everything that a client sent appears as text. */
import { hash } from 'node:crypto'
import t from 'tap'
import { FINDINGS, type FindingId } from '../../src/evidence/findings.js'
import { Coverage } from '../../src/evidence/totals.js'
import { RULE_IDS } from '../../src/reference/rules.js'
import { CHECK_FORMATS, RUN_FORMATS } from '../../src/reports/formats.js'
import { runPage } from '../../src/reports/html.js'
import { runJunit } from '../../src/reports/junit.js'
import { runMarkdown } from '../../src/reports/markdown.js'
import type { CheckedFile } from '../../src/reports/points.js'
import { type JudgedRun, type RunDocument, whyOf } from '../../src/reports/run.js'
import { SAYS } from '../../src/reports/sentences.js'
import { runText } from '../../src/reports/text.js'
import { judgement } from '../support/judged-request.js'
import { answeredCall, finding, judgedRun, refusedCall, unmet } from './judged-run.js'
import { type Element, elementsIn, junitProblems, parseMarkup, structureOf } from './markup.js'

const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</style><script>alert(1)</script>',
  '</details></td></table></body></html>',
  '<!-- ',
  ']]><![CDATA[',
  '&lt;b&gt; &#60;b&#62; &amp',
  'javascript:alert(1)',
  'STYLESHEET $& $1 ${html} %s',
  '| a | b |\n| --- | --- |\n# title',
  '`code` **bold** _it_ ~~no~~ [link](http://evil.example) ![image](http://evil.example/x.png) <http://evil.example>',
  'www.evil.example https://evil.example user@evil.example @team #1 $x$',
  '\\| \\` \\',
  '\u202egnp.exe \u2066x\u2069 \u0000 \u001b[2J \u2028'
]

/** Characters that control a terminal or reorder text, except line feeds. */
const CONTROLLING = /[^\P{Cc}\n]|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/u

/** A run in which every text from a client or a scenario is this one. */
// biome-ignore format: a table
const runWith = (text: string): Partial<RunDocument> => ({
  scenario: { name: text, description: text }, calls: 3, findings: [finding('zero-payment', '#1/req_1', '#1/req_2')],
  assumptions: [{ assumption: 'A07', topic: 'error body', default: 'as shown', times: 1, requests: ['#1/req_1'] }],
  unused_script_entries: [
    { id: 'scr_1', entry: { name: text, on: 'GET /tickets' }, matched: 0, applied: 0 }
  ] as unknown as RunDocument['unused_script_entries'],
  expectations: [
    {
      ...unmet(text, text, text), requests: ['#1/req_2'],
      near_misses: ['#1/req_1', '#1/req_2'].map(near => ({ in: near, misses: [{ condition: text, wanted: text, got: text }] }))
    }
  ],
  tests: [{ test: text, calls: 1, refused: 1, passed: ['BASE-1'], violated: ['REF-7'], findings: [{ finding: 'zero-payment', times: 1 }] }],
  requests: [refusedCall(text), answeredCall('#1/req_2', text), answeredCall('#1/req_3', `other ${text}`)]
})
const judgedWith = (text: string): JudgedRun =>
  judgedRun(runWith(text), { failOn: ['zero-payment', 'script', 'expectations'], minCoverage: 50 })

const textOf = ({ text }: Element) => text
/** Markdown's special characters, without the rest. */
const skeletonOf = (markdown: string) =>
  markdown.replace(/&#\d+;/g, '').replace(/[^\\`*[\]<>|~&#@$\n]|(?<=\w)_(?=\w)/g, '')

const whole = (judged: JudgedRun) => runText(judged, { page: null, next: null })

/** Each format: what no text may change in it, and its elements that no text may add. */
const FORMATS: [
  name: string,
  write: (judged: JudgedRun) => string,
  structure: (text: string) => unknown,
  shown: (text: string) => string,
  never: RegExp
][] = [
  [
    'HTML',
    runPage,
    structureOf,
    page => elementsIn(parseMarkup(page)).map(textOf).join('\n'),
    CONTROLLING
  ],
  ['JUnit', runJunit, structureOf, junit => junit, CONTROLLING],
  ['Markdown', runMarkdown, skeletonOf, markdown => markdown, /:\/\/|www\.|(?<!\w)_|_(?!\w)/],
  ['text', whole, text => text.split('\n').length, text => text, CONTROLLING]
]
t.test('reports: a report has the same structure whatever a client sent', t => {
  for (const [name, write, structure, shown, never] of FORMATS) {
    const plain = structure(write(judgedWith('plain')))
    for (const text of HOSTILE) {
      const report = write(judgedWith(text))
      t.strictSame(structure(report), plain, `${name}: ${text}`)
      t.notMatch(shown(report), never, `${name}: ${text}`)
      if (name === 'HTML' && !/[\p{Cc}\u2028\u202e\\"]/u.test(text))
        t.ok(shown(report).includes(text), 'it can be read as it was sent')
    }
  }
  t.ok(
    runMarkdown(judgedRun({ findings: [finding('zero-payment', '`#1/req_1`\n')] })).includes(
      '`?#1/req_1??`'
    ),
    'the name of a call ends no code'
  )
  t.end()
})

t.test('reports: the page loads nothing, runs nothing', t => {
  const page = runPage(judgedWith(HOSTILE.join(' ')))
  const all = elementsIn(parseMarkup(page))
  const policy = all.find(
    ({ attributes }) => attributes['http-equiv'] === 'Content-Security-Policy'
  )?.attributes.content

  const [style, ...more] = all.filter(({ name }) => name === 'style')
  t.strictSame(more, [])
  t.equal(
    policy,
    `default-src 'none'; style-src 'sha256-${hash('sha256', style?.text as string, 'base64')}'; img-src data:; base-uri 'none'; form-action 'none'`
  )
  t.notMatch(style?.text, /url\(|@import/)
  for (const { name } of all)
    t.notMatch(name, /^(script|img|iframe|object|embed|form|base|svg|video|audio)$/)
  for (const { attributes } of all) {
    for (const [name, value] of Object.entries(attributes)) {
      t.notMatch(name, /^(on|style$|src$|action$)/)
      if (name === 'href') t.match(value, /^(#request-\d+|data:,)$/)
    }
  }
  const ids = all.flatMap(({ attributes }) => attributes.id ?? [])
  t.equal(new Set(ids).size, ids.length)
  const links = all.flatMap(({ attributes: { href = '' } }) =>
    href.startsWith('#') ? [href.slice(1)] : []
  )
  for (const link of links) t.ok(ids.includes(link), 'each link leads to a request of the page')
  t.end()
})

t.test('reports: the page shows requests by test, each refusal with its why, findings', t => {
  const coverage = new Coverage()
  for (const seen of [
    judgement(['REF-3', 'LIST-1']),
    judgement([], 'REF-3'),
    judgement(['FORM-1']),
    judgement([], 'REF-1'),
    judgement([], 'TKT-1')
  ])
    coverage.add(seen)
  const judged = judgedRun(
    {
      ...runWith('too much'),
      findings: [
        finding('double-refund-risk', '#1/req_1'),
        finding('zero-payment', '#1/req_2'),
        finding('card-number-sent', '#7/req_1')
      ],
      coverage: coverage.report(),
      omitted: { requests: 7, entries: 8, by_test: 0 }
    },
    { failOn: ['zero-payment'], ignore: ['card-number-sent'] }
  )
  const all = elementsIn(parseMarkup(runPage(judged)))
  const whole = all.map(textOf).join(' ')

  t.strictSame(
    all.filter(({ name }) => name === 'h2').map(({ text }) => text),
    [
      'Criteria',
      'Expectations',
      'Findings',
      'Requests by test',
      'Coverage',
      'Assumptions relied on'
    ]
  )
  const [legend = [], cells = []] = all
    .filter(({ name }) => name === 'ul')
    .map(({ children }) => children.filter(({ name }) => name === 'li'))
  t.strictSame(
    legend.map(({ attributes, text }) => `${attributes.class}: ${text}`),
    [
      'all: every outcome seen',
      'passed: only passed',
      'violated: only violated',
      'none: not exercised'
    ]
  )
  t.equal(cells.length, 58)
  t.match(runPage(judged), /\.map \.violated \{ border-left-color: var\(--bad\) \}/)
  t.notMatch(runPage(judged), /\.map \.none/, 'what was not exercised is grey, as the border is')
  const cellOf = (rule: string) => cells[(RULE_IDS as string[]).indexOf(rule)]
  const shown = ['REF-3', 'LIST-1', 'FORM-1', 'REF-1', 'LOC-1', 'TKT-1'].map(
    rule => `${cellOf(rule)?.attributes.class}: ${cellOf(rule)?.text}`
  )
  t.strictSame(shown, [
    'all: passed 1 · violated 1',
    'all: passed 1 · violated –',
    'passed: passed 1 · violated 0',
    'violated: passed 0 · violated 1',
    'none: passed 0 · violated 0',
    'violated: passed – · violated 1'
  ])
  t.match(
    runPage(judgedWith('late')),
    /<a href="#request-1">.*late: expected late; got late in <a href="#request-0">/s
  )
  for (const part of [
    'REF-7: too much',
    'a Refund above the remainder is an error',
    '{"transaction":"too much"}',
    'Relies on: A07 (error body)',
    'Rules passed: BASE-1. Rules violated: REF-7.',
    FINDINGS['zero-payment'].advice,
    'Requests of other tests',
    'not exercised',
    SAYS.omitted(7, 8),
    'script entry too much',
    'warning, ignored'
  ])
    t.ok(whole.includes(part), part)
  t.strictSame(
    all.flatMap(({ name, attributes }) =>
      name === 'td' && /^(bad|warn)$/.test(attributes.class ?? '') ? [attributes.class] : []
    ),
    ['bad', 'bad', 'bad', 'warn', 'warn', 'bad']
  )
  const [ofTest] = all.filter(({ name }) => name === 'details')
  t.equal(ofTest?.attributes.open, '', 'a test with a finding is open')
  t.end()
})

t.test('reports: a run in which no request named its test', t => {
  const none = runPage(judgedRun({}, { failOn: [] }))
  const scripted = refusedCall('x', { test: null, request: 'till#2/req_9', outcome: 'lost_after' })
  const script = { id: 'scr_4', name: null, fault: 'reset' }
  const entry = {
    ...scripted.entry,
    account: null,
    answer: null,
    answered: false,
    took_effect: true,
    query: {},
    body: {},
    script
  }
  const why = {
    rules: [{ rule: 'LIST-1', verdict: 'passed', text: 'a list' }],
    assumptions: [],
    changed_by: []
  }
  const calls = [
    { ...scripted, entry: { ...entry, why } },
    {
      ...scripted,
      request: 'till#2/req_10',
      entry: { ...entry, answer: 'plain\ntext', script: null }
    }
  ] as RunDocument['requests']
  const tests: RunDocument['tests'] = [
    { test: null, calls: 1, refused: 0, passed: [], violated: [], findings: [] }
  ]
  const idle = judgedRun({ unused_scenarios: ['a*', 'b'] })
  const said = (names: string) => SAYS.never_requested(names)
  t.match(runMarkdown(idle), said('a&#42;, b'))
  t.match([whole(idle), runPage(idle)], [said('a*, b'), said('a*, b')])
  t.notMatch(whole(judgedRun()), 'Scenarios')
  const some = runPage(judgedRun({ requests: calls, tests }, {}, null))

  t.ok(
    none.includes('all criteria passed') &&
      none.includes('<h2>Criteria</h2>\n<p>None.</p>') &&
      none.includes(SAYS.overview('', '', '', 0).slice(-10))
  )
  for (const part of [
    SAYS.no_test_names(),
    'All requests',
    'No Account; took effect; the response was lost; script entry scr_4',
    'lost after',
    '(no body)',
    'plain\ntext',
    'no assumption',
    'Rules passed: none. Rules violated: none.'
  ])
    t.ok(some.includes(part), part)
  t.notOk(some.includes('The command'))
  const both = runPage(
    judgedRun({
      requests: calls,
      tests: [...tests, { ...tests[0], test: 'one' } as RunDocument['tests'][number]]
    })
  )
  t.ok(both.includes('Requests that named no test'))
  t.end()
})

t.test("reports: JUnit is valid by Jenkins's schema, in a fixed order", t => {
  const named = ['b', 'a', 'c'].flatMap(text => runWith(text).tests ?? [])
  const sandboxes = ['till', null, 'bar'].map(sandbox => ({ sandbox, periods: 1 }))
  const unmets = ['till', 'bar'].map(sandbox => unmet(sandbox, 'a'))
  const run = (turned: boolean) => {
    const list = <T>(items: T[]) => (turned ? items.toReversed() : items)
    const [tests, sandboxesIn] = [list(named), list(sandboxes)]
    return judgedRun({ tests, sandboxes: sandboxesIn, expectations: list(unmets) })
  }
  const point = { code: 'step', message: 'one', file: 'own.yaml', problems: [], ms: 1_234_567 }
  const failed = { ...point, problems: [{ path: 'a', code: 'other', message: 'wrong' }], ms: 0 }
  const file: CheckedFile = {
    file: 'own.yaml',
    points: [point, failed, { ...failed, isWarning: true }],
    leftOut: 'left out',
    notes: ['note']
  }
  const none = { ...file, points: [], leftOut: null, notes: [] }
  const written: [what: string, junit: string][] = [
    ['a run without requests', RUN_FORMATS.junit(judgedRun())],
    ['a run with tests and sandboxes', RUN_FORMATS.junit(run(false))],
    ...HOSTILE.map(text => [text, RUN_FORMATS.junit(judgedWith(text))] as [string, string]),
    ['a check of nothing', CHECK_FORMATS.junit([])],
    ['a check of files', CHECK_FORMATS.junit([file, none])]
  ]
  for (const [what, junit] of written) t.strictSame(junitProblems(parseMarkup(junit)), [], what)
  const names = [true, false].map(turned =>
    elementsIn(parseMarkup(RUN_FORMATS.junit(run(turned)))).map(({ attributes }) => attributes.name)
  )
  t.strictSame(names[0], names[1], 'in whatever order they came')

  // the schema finds errors
  const suite = '<testsuite name="a" tests="1" failures="0" errors="0">'
  const wrong: [junit: string, problem: string][] = [
    ['<testsuite name="a" tests="0" failures="0"></testsuite>', 'testsuite errors'],
    [suite.replace('errors', 'skipped="0" errors'), 'testsuite skipped'],
    [suite.replace('failures="0"', 'failures="1"'), 'testsuite failures'],
    [`${suite}x`, 'testsuite #text'],
    [`${suite}<failure></failure>`, 'testsuite failure'],
    [suite.replace('errors', 'time="1e3" errors'), 'testsuite time']
  ]
  for (const [start, problem] of wrong) {
    const isWhole = start.endsWith('</testsuite>')
    const junit = isWhole ? start : `${start}<testcase name="b"></testcase></testsuite>`
    t.strictSame(junitProblems(parseMarkup(junit)), [problem], junit)
  }
  t.end()
})

t.test('reports: JUnit has a case for each criterion and each test', t => {
  const found = (...findings: FindingId[]) =>
    findings.map((finding, nth) => ({ finding, times: 2 - nth }))
  // biome-ignore format: a table
  const tests: RunDocument['tests'] = [
    { test: null, calls: 1, refused: 0, passed: [], violated: [], findings: found('zero-payment') },
    { test: 'sends a card', calls: 1, refused: 0, passed: [], violated: [], findings: found('card-number-sent') },
    { test: 'pays', calls: 2, refused: 1, passed: ['BASE-1'], violated: ['REF-7'], findings: found('zero-payment', 'card-number-sent') }
  ]
  const findings = [finding('zero-payment', '#1/req_1'), finding('card-number-sent', '#1/req_2')]
  const requests = [refusedCall('pays'), answeredCall('#1/req_2', 'pays')]
  const judged = judgedRun(
    { tests, findings, requests },
    { failOn: ['warnings', 'script'], ignore: ['card-number-sent'] }
  )
  const caused = `zero-payment (2×): ${FINDINGS['zero-payment'].about} ${FINDINGS['zero-payment'].advice}`

  const shown = ({ name, attributes, children }: Element): unknown[] =>
    name === 'testcase'
      ? [
          Object.values(attributes).join(' '),
          ...children.map(({ name, attributes, text }) => [name, attributes, text])
        ]
      : [name, attributes, ...children.map(shown)]

  t.strictSame(shown(parseMarkup(runJunit(judged))), [
    'testsuites',
    { name: 'commerce-emulator', tests: '4', failures: '2', errors: '0' },
    [
      'testsuite',
      { name: 'criteria', tests: '2', failures: '1', errors: '0' },
      [
        'commerce-emulator.criteria warnings',
        ['failure', { message: 'warnings: zero-payment' }, 'warnings: zero-payment']
      ],
      ['commerce-emulator.criteria script']
    ],
    [
      'testsuite',
      { name: 'tests', tests: '2', failures: '1', errors: '0' },
      [
        'commerce-emulator.tests pays',
        ['failure', { message: caused }, caused],
        [
          'system-out',
          {},
          '2 requests, 1 refused\npassed: BASE-1\nviolated: REF-7\n#1/req_1 POST /pays 400'
        ]
      ],
      [
        'commerce-emulator.tests sends a card',
        ['system-out', {}, '1 request, 0 refused\npassed: no rule\nviolated: no rule']
      ]
    ]
  ])
  t.equal(
    parseMarkup(runJunit(judgedRun())).children.length,
    1,
    'without named tests there is no suite of them'
  )
  const sandboxes = ['till', null].map(sandbox => ({ sandbox, periods: 1 }))
  const unmetIn = parseMarkup(
    runJunit(judgedRun({ sandboxes, expectations: [unmet('till', 'a')] }))
  ).children[1] as Element
  t.strictSame(
    unmetIn.attributes,
    { name: 'sandboxes', tests: '2', failures: '1', errors: '0' },
    'an unmet expectation fails its sandbox alone'
  )
  t.end()
})

t.test('reports: Markdown shows criteria, findings, tests, refused requests and assumptions', t => {
  const many = Array.from({ length: 53 }, (_, nth) =>
    refusedCall('pays', { request: `#1/req_${nth}` })
  )
  const markdown = runMarkdown(
    judgedRun(
      { ...runWith('pays'), requests: many },
      { failOn: ['expectations', 'zero-payment', 'errors'], ignore: ['card-number-sent'] }
    )
  )

  for (const line of [
    '## commerce-emulator: a criterion failed',
    '| `zero-payment` | failed | finding: zero-payment |',
    '| `errors` | passed |  |',
    '| pays | unmet | pays | 0 of 1 period | `#1/req_2` | pays: expected pays; got pays in `#1/req_1`; pays: expected pays; got pays in `#1/req_2` | pays |',
    '| pays | failed | 1 | 1 | REF-7 | `zero-payment` 1× |',
    '| `#1/req_0` | pays | POST /pays | 400 | REF-7: pays |',
    SAYS.more_rows(3),
    '| A07 | error body | as shown | 1 | `#1/req_1` |'
  ])
    t.ok(markdown.split('\n').includes(line), line)
  t.ok(markdown.includes(SAYS.requests(3, 53)))
  t.notOk(markdown.includes('#1/req_50'))

  const ignored = runMarkdown(
    judgedRun(
      { findings: [finding('zero-payment', '#1/req_1')] },
      { ignore: ['zero-payment'] },
      null
    )
  )
  t.ok(ignored.includes('| `zero-payment` | warning, ignored | 1 | `#1/req_1` |'))
  t.ok(ignored.startsWith('## commerce-emulator: all criteria passed\n'))
  t.notMatch(ignored, /The command|### Tests|### Refused/)
  t.end()
})

t.test('reports: a refusal shows its rule or assumption, with the message', t => {
  const { entry } = refusedCall('x') as {
    entry: NonNullable<ReturnType<typeof refusedCall>['entry']>
  }
  t.equal(whyOf({ entry }), 'REF-7: x')
  t.equal(
    whyOf({
      entry: { ...entry, refusal: { code: 'a', rule: null, assumption: 'A08', param: null } }
    }),
    'A08: x'
  )
  t.equal(whyOf({ entry: { ...entry, answer: null } }), 'REF-7')
  t.equal(whyOf({ entry: null }), '')
  t.end()
})

t.test('reports: text names the first five requests of a finding', t => {
  const requests = [1, 2, 3, 4, 5, 6].map(nth => `#1/req_${nth}`)
  const judged = judgedRun(
    { findings: [finding('double-refund-risk', ...requests)] },
    { failOn: ['errors'] }
  )
  t.match(whole(judged), `(6×: ${requests.slice(0, 5).join(', ')}, …)`)
  t.end()
})
