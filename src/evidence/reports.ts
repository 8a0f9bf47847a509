/** Coverage and findings as text and as JUnit. */
import type { CoverageReport, RuleCoverage } from './coverage.js'
import type { Finding } from './findings.js'

export const COVERAGE_FORMATS = ['json', 'text', 'junit'] as const
export type CoverageFormat = (typeof COVERAGE_FORMATS)[number]

/** A table of the rules, with what stands out last. */
export function coverageText({ rules, seen, possible, percent, never_exercised, never_violated }: CoverageReport): string {
  const rows = rules.map(({ rule, text, satisfied, violated, violable, keepable }) => {
    const outcomes = `${(keepable ? String(satisfied) : '–').padStart(9)}  ${(violable ? String(violated) : '–').padStart(8)}`
    return `${rule.padEnd(8)} ${outcomes}  ${text}`
  })
  return [
    'rule     satisfied  violated',
    ...rows,
    '',
    `${seen} of ${possible} outcomes seen: ${percent} %`,
    ...(never_exercised.length > 0 ? [`never exercised: ${never_exercised.join(', ')}`] : []),
    ...(never_violated.length > 0 ? [`never violated: ${never_violated.join(', ')}`] : []),
    '– no call can show this',
    ''
  ].join('\n')
}

/** A test case an outcome: passed where it was seen, skipped where it was not. */
export function coverageJunit({ rules, seen, possible }: CoverageReport): string {
  const cases = rules.flatMap(rule => [...(rule.keepable ? [caseOf(rule, 'satisfied')] : []), ...(rule.violable ? [caseOf(rule, 'violated')] : [])])
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="rule coverage" tests="${possible}" failures="0" skipped="${possible - seen}">`,
    ...cases,
    '</testsuite>',
    ''
  ].join('\n')
}

const caseOf = (rule: RuleCoverage, outcome: 'satisfied' | 'violated') =>
  `  <testcase classname="${rule.rule}" name="${xml(`${outcome}: ${rule.text}`)}">${rule[outcome] > 0 ? '' : '<skipped/>'}</testcase>`

/** Findings for people, the gravest first as they are listed. */
export function findingsText(findings: readonly Finding[]): string {
  if (findings.length === 0) return 'No findings.\n'
  return `${findings.map(({ finding, severity, about, advice, times, requests }) => `${severity}: ${finding} (${times}×, ${requests.join(', ')})\n  ${about}\n  ${advice}`).join('\n')}\n`
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
/** Text as XML takes it: markup escaped, and what changes the direction of text; what is no character there dropped. */
export const xml = (text: string): string =>
  text
    .replace(/[^\P{Cc}\n\t]|\p{Cs}|[\uFFFE\uFFFF]/gu, '')
    .replace(/[&<>"\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, character => ENTITIES[character] ?? `&#${character.charCodeAt(0)};`)
