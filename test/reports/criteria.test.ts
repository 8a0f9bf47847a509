import t from 'tap'
import { CHECKS } from '../../src/core/sentences.js'
import { FINDINGS } from '../../src/evidence/findings.js'
import type { Judged } from '../../src/evidence/run-history.js'
import {
  criteriaFrom,
  DEFAULT_CRITERIA,
  FAIL_ON,
  judged,
  unmetLines
} from '../../src/reports/run.js'
import { SAYS } from '../../src/reports/sentences.js'
import { finding, runOf, unmet } from './judged-run.js'

t.test('criteria: every finding can be named, and every group', t => {
  t.strictSame(FAIL_ON, [
    'expectations',
    'script',
    'findings',
    'errors',
    'warnings',
    ...Object.keys(FINDINGS)
  ])
  t.strictSame(criteriaFrom({}), DEFAULT_CRITERIA)
  t.strictSame(
    criteriaFrom({
      minCoverage: 40,
      failOn: ['errors', 'errors'],
      ignore: ['zero-payment'],
      allowNoRequests: true
    }),
    {
      minCoverage: 40,
      failOn: ['expectations', 'errors'],
      ignore: ['zero-payment'],
      allowNoRequests: true
    }
  )
  t.strictSame(criteriaFrom({ failOn: ['script', 'expectations'] }), {
    ...DEFAULT_CRITERIA,
    failOn: ['expectations', 'script']
  })
  t.strictSame(criteriaFrom({ failOn: ['script'], ignore: ['expectations'] }), {
    ...DEFAULT_CRITERIA,
    failOn: ['script']
  })
  const refused = [
    [
      { ignore: ['expectation'] },
      `--ignore: ${CHECKS.unknown_name('expectation', ['expectations'])}`
    ],
    [
      { failOn: ['expectations'], ignore: ['expectations'] },
      SAYS.failed_and_ignored('expectations')
    ]
  ] as const
  for (const [given, message] of refused)
    t.throws(() => criteriaFrom(given), { code: 'setting_invalid', message })
  t.end()
})

t.test('criteria: an expectation is reported once, with the sandboxes that did not meet it', t => {
  const many = Array.from({ length: 7 }, (_, nth) => unmet(`w${nth}`, 'a'))
  const cases: [unmet: Judged[], lines: string[]][] = [
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
const FOUND = { findings: [ERROR, WARNING] }
const UNMET = { expectations: [unmet('till', 'one was expected')] }
const { coverage } = runOf()
const covered = (percent: number) => ({ coverage: { ...coverage, percent } })
const EMPTY = { calls: 0, reached: 0 }
type Case = [
  run: Parameters<typeof runOf>[0],
  given: Parameters<typeof criteriaFrom>[0],
  problems: Record<string, string[]>,
  fails?: string[]
]

t.test('criteria: what each judges, and what each leaves out', t => {
  // biome-ignore format: a table
  const cases: Case[] = [
    [UNMET, {}, { expectations: ['one was expected, in till'] }],
    [UNMET, { failOn: ['errors'] }, { expectations: ['one was expected, in till'], errors: [] }],
    [
      UNMET, { failOn: ['script', 'expectations'], minCoverage: 0 },
      { coverage: [], expectations: ['one was expected, in till'], script: [] }
    ],
    [UNMET, { ignore: ['expectations'] }, {}], [UNMET, { failOn: ['errors'], ignore: ['expectations'] }, { errors: [] }],
    [FOUND, { failOn: [] }, { expectations: [] }],
    [
      FOUND, { failOn: ['findings'] }, { expectations: [], findings: ['findings: double-refund-risk, zero-payment'] },
      ['double-refund-risk', 'zero-payment']
    ],
    [FOUND, { failOn: ['errors'] }, { expectations: [], errors: ['errors: double-refund-risk'] }, ['double-refund-risk']],
    [FOUND, { failOn: ['warnings'] }, { expectations: [], warnings: ['warnings: zero-payment'] }, ['zero-payment']],
    [FOUND, { failOn: ['zero-payment'] }, { expectations: [], 'zero-payment': ['finding: zero-payment'] }, ['zero-payment']],
    [FOUND, { failOn: ['card-number-sent'] }, { expectations: [], 'card-number-sent': [] }],
    [
      FOUND, { failOn: ['errors', 'zero-payment'] },
      { expectations: [], errors: ['errors: double-refund-risk'], 'zero-payment': ['finding: zero-payment'] },
      ['double-refund-risk', 'zero-payment']
    ],
    [FOUND, { failOn: ['errors'], ignore: ['double-refund-risk'] }, { expectations: [], errors: [] }],
    [
      FOUND, { failOn: ['findings'], ignore: ['double-refund-risk'] }, { expectations: [], findings: ['findings: zero-payment'] },
      ['zero-payment']
    ],
    [FOUND, { failOn: ['findings'], ignore: ['double-refund-risk', 'zero-payment'] }, { expectations: [], findings: [] }],
    [FOUND, { failOn: ['script'] }, { expectations: [], script: [] }],
    ...[
      {},
      { failOn: ['findings'] },
      { minCoverage: 0 },
      { failOn: ['script'] },
      { ignore: ['expectations'] }
    ].flatMap((given): Case[] => [
      [EMPTY, given, { requests: [SAYS.no_requests()] }],
      [EMPTY, { ...given, allowNoRequests: true }, {}],
      [{ calls: 3, reached: 0 }, given, { requests: [SAYS.none_reached(3)] }],
      [{ calls: 3, reached: 0 }, { ...given, allowNoRequests: true }, {}],
      [{ calls: 1 }, given, {}]
    ]),
    [covered(40), { minCoverage: 40 }, { coverage: [] }], [covered(40.1), { minCoverage: 40 }, { coverage: [] }],
    [covered(39.9), { minCoverage: 40 }, { coverage: [SAYS.low_coverage(39.9, 40)] }]
  ]
  for (const [run, given, problems, fails = []] of cases) {
    const { criteria, fails: failed, hasPassed, unmet } = judged(runOf(run), criteriaFrom(given))

    const title = JSON.stringify([run, given])
    const found = Object.fromEntries(
      criteria.flatMap(({ criterion, problems: own }) =>
        criterion in problems || own.length > 0 ? [[criterion, own]] : []
      )
    )
    t.strictSame([found, [...failed]], [problems, fails], title)
    t.equal(hasPassed, Object.values(problems).flat().length === 0, title)
    if (run === UNMET) t.equal(unmet.length, Number(!hasPassed))
  }
  t.end()
})
