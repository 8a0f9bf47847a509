/** Runs, checks, coverage and findings as text and annotations. */

import { visible } from '../core/sentences.js'
import type { Finding } from '../evidence/findings.js'
import type { CoverageReport } from '../evidence/totals.js'
import { problemLine } from '../scenario/documents.js'
import { type CheckedFile, isFailed, isWarned, type Point } from './points.js'
import {
  coverageShare,
  type JudgedRun,
  nameOfEntry,
  outcomesOf,
  unmetIn,
  unmetLines
} from './run.js'
import { countOf, SAYS } from './sentences.js'

type RunTextOptions = { page: string | null; next: string | null }

type Line = readonly [name: string, text: string]

/** `page` is the path of the report, `next` the command to run next. */
export function runText(judged: JudgedRun, { page, next }: RunTextOptions): string {
  const lines: Line[] = [
    ...runLines(judged),
    ...(page === null ? [] : [['Report', page] as const]),
    ...failureLines(judged),
    ...(next === null ? [] : [['Next', next] as const])
  ]
  return `\ncommerce-emulator\n${lines.map(([name, text]) => `  ${name.padEnd(14)}${visible(text)}\n`).join('')}`
}

function runLines({ run, ignore }: JudgedRun): Line[] {
  const { calls, coverage, findings, assumptions, expectations } = run
  const { unused_scenarios: idle, unused_script_entries: unused } = run
  const findingNames = findings.map(
    ({ finding, times }) => `${finding} (${times}×${ignore.includes(finding) ? ', ignored' : ''})`
  )
  const share = `${coverageShare(run)}; ${SAYS.never_seen(coverage.never_exercised.length, coverage.never_violated.length)}`
  return [
    ['Requests', String(calls)],
    ...(idle.length > 0 ? [['Scenarios', SAYS.never_requested(idle.join(', '))] as const] : []),
    ['Coverage', share],
    ['Assumptions', SAYS.relied_on(assumptions.length)],
    ['Findings', findingNames.join(', ') || 'none'],
    ['Script', SAYS.not_applied(unused.map(nameOfEntry).join(', '))],
    ['Expectations', unmetLines(unmetIn(run)).join('; ') || SAYS.all_met(expectations.length)]
  ]
}

function failureLines({ run, criteria, fails }: JudgedRun): Line[] {
  const lines: Line[] = []
  for (const { problems } of criteria)
    for (const message of problems) lines.push(['FAILED', message])
  for (const finding of run.findings)
    if (fails.has(finding.finding)) lines.push(['', `${finding.finding}: ${findingLine(finding)}`])
  return lines
}

const MAX_NAMED = 5
const findingLine = ({ about, advice, times, requests }: Finding): string =>
  SAYS.finding(
    about,
    advice,
    times,
    [...requests.slice(0, MAX_NAMED), ...(requests.length > MAX_NAMED ? ['…'] : [])].join(', ')
  )

export function findingsText(findings: readonly Finding[]): string {
  const texts = findings.map(
    ({ finding, severity, about, advice, times, requests }) =>
      `${severity}: ${finding} (${times}×, ${requests.join(', ')})\n  ${about}\n  ${advice}\n`
  )
  return texts.join('') || `${SAYS.no_findings()}\n`
}

export function coverageText({
  rules,
  seen,
  possible,
  percent,
  never_exercised,
  never_violated
}: CoverageReport): string {
  const rows = rules.map(rule => {
    const { passed, violated } = outcomesOf(rule)
    return `${rule.rule.padEnd(8)} ${String(passed ?? '–').padStart(9)}  ${String(violated ?? '–').padStart(8)}  ${rule.text}`
  })
  const lists = Object.entries({
    'never exercised': never_exercised,
    'never violated': never_violated
  }).filter(([, { length }]) => length > 0)
  const end = [
    SAYS.outcomes(seen, possible, percent),
    ...lists.map(([name, rules]) => `${name}: ${rules.join(', ')}`),
    SAYS.not_possible(),
    ''
  ]
  return ['rule        passed  violated', ...rows, '', ...end].join('\n')
}

export function checkText(checked: readonly CheckedFile[]): string {
  const failedLast = [...checked].sort(
    (a, b) => Number(a.points.some(isFailed)) - Number(b.points.some(isFailed))
  )
  const lines = failedLast.flatMap(({ file, points, leftOut, notes }) => [
    leftOut === null ? file : `${file}: ${leftOut}`,
    ...notes.map(note => `  ${note}`),
    ...points.flatMap(point => [
      `  ${signOf(point)} ${point.message}`,
      ...point.problems.map(problem => `      ${problemLine(problem)}`)
    ])
  ])
  return [...lines.map(visible), '', summaryOf(checked), ''].join('\n')
}

function signOf(point: Point): string {
  if (isFailed(point)) return '✗'
  return isWarned(point) ? '!' : '✓'
}

/** `5 passed, 1 failed, 2 warnings in 3 files; 1 file failed, 1 file left out`. */
function summaryOf(checked: readonly CheckedFile[]): string {
  const points = checked.flatMap(({ points }) => points)
  const failed = points.filter(isFailed).length
  const warned = points.filter(isWarned).length
  const files = checked.filter(({ leftOut }) => leftOut === null)
  const failedFiles = files.filter(file => file.points.some(isFailed)).length
  const among = checked.length > 1 ? ` in ${countOf(files.length, 'file')}` : ''
  const fileCounts = [
    failedFiles > 0 && checked.length > 1 && `${countOf(failedFiles, 'file')} failed`,
    checked.length > files.length && `${countOf(checked.length - files.length, 'file')} left out`
  ]
  const counts = [
    `${points.length - failed - warned} passed`,
    `${failed} failed`,
    ...(warned > 0 ? [countOf(warned, 'warning')] : [])
  ]
  return [`${counts.join(', ')}${among}`, fileCounts.filter(Boolean).join(', ')]
    .filter(Boolean)
    .join('; ')
}
