import type { Defect } from './defects.js'

/** Test files that check each source, the fastest and likeliest to fail first. */
export const JUDGES: Readonly<Record<string, readonly string[]>> = {
  'src/core/rules.ts': ['test/core/rules.test.ts', 'test/contract/cases.test.ts'],
  'src/evidence/judgement.ts': [
    'test/evidence/judgement.test.ts',
    'test/contract/cases.test.ts',
    'test/evidence/why.test.ts',
    'test/evidence/findings.test.ts',
    'test/evidence/totals.test.ts'
  ],
  'src/evidence/findings.ts': ['test/evidence/run.test.ts', 'test/control/evidence.test.ts'],
  'src/evidence/mistakes.ts': ['test/evidence/findings.test.ts'],
  'src/evidence/lost.ts': ['test/evidence/lost.test.ts', 'test/evidence/findings.test.ts'],
  'src/evidence/evidence.ts': [
    'test/evidence/run.test.ts',
    'test/control/evidence.test.ts',
    'test/control/run.test.ts',
    'test/evidence/findings.test.ts',
    'test/evidence/journal.test.ts'
  ],
  'src/evidence/near-misses.ts': [
    'test/evidence/near-misses.test.ts',
    'test/control/explain.test.ts',
    'test/control/verify.test.ts'
  ],
  ...Object.fromEntries(
    ['conditions', 'fields'].map(name => [
      `src/scenario/match/${name}.ts`,
      [
        'test/scenario/expect/tally.test.ts',
        'test/scenario/script.test.ts',
        'test/scenario/expect/final-state.test.ts',
        'test/scenario/match/patterns.test.ts',
        'test/scenario/advice.test.ts',
        'test/scenario/steps.test.ts',
        'test/control/script.test.ts',
        'test/scenario/digests.test.ts',
        'test/control/verify.test.ts',
        'test/scenario/scenario.test.ts',
        'test/scenario/expect/expected-answers.test.ts'
      ]
    ])
  ),
  ...Object.fromEntries(
    ['judges', 'sequence', 'tally'].map(name => [
      `src/scenario/expect/${name}.ts`,
      [
        'test/scenario/expect/tally.test.ts',
        'test/scenario/expect/final-state.test.ts',
        'test/control/verify.test.ts'
      ]
    ])
  ),
  'src/scenario/expect/final-state.ts': [
    'test/scenario/expect/tally.test.ts',
    'test/scenario/expect/final-state.test.ts',
    'test/scenario/advice.test.ts',
    'test/control/verify.test.ts',
    'test/cli/check.test.ts'
  ],
  'src/evidence/run-history.ts': ['test/evidence/run.test.ts'],
  'src/scenario/expect/expectations.ts': [
    'test/scenario/expect/tally.test.ts',
    'test/scenario/script.test.ts',
    'test/scenario/expect/final-state.test.ts',
    'test/control/verify.test.ts',
    'test/evidence/near-misses.test.ts',
    'test/scenario/scenario.test.ts'
  ],
  'src/scenario/match/near-misses.ts': [
    'test/evidence/near-misses.test.ts',
    'test/scenario/expect/final-state.test.ts',
    'test/control/verify.test.ts'
  ]
}

/** Defects without a visible effect, each with the reason. */
export const HARMLESS: Readonly<Record<string, string>> = {
  'src/evidence/mistakes.ts: operation === null || (pause === null && this.#pauses.size === 0) → operation === null':
    'nothing came too soon where nobody was told to wait; the condition saves the search',
  'src/scenario/expect/final-state.ts: total <= wanted → total < wanted':
    'a total that is the one wanted is no difference',
  'src/scenario/expect/final-state.ts: all === null || totals.length + ofEvery.length === 0 → all === null':
    'without totals nothing differs; the condition saves the search'
}

/** A defect as the table names it. */
export const nameOf = ({ file, what }: Defect): string => `${file}: ${what}`
