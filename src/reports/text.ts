/** Text for people: runs and checks at the terminal, annotations for GitHub Actions, TAP, coverage and findings. */
import { isObject } from '../core/quick-check.js'
import { type GivenSettings, nested } from '../core/settings.js'
import { visible } from '../core/visible.js'
import type { Finding } from '../evidence/findings.js'
import type { CoverageReport } from '../evidence/totals.js'
import { problemLine } from '../scenario/documents.js'
import { type CheckedFile, countOf, isFailed, isWarned, type Point, settingsFound } from './points.js'
import { coverageShare, entryNames, type JudgedRun, outcomesOf, unmetLines } from './run.js'

/** A line for each part, then why the run failed and what to do. `page` is the page that was written. */
export function runText({ run, gates, fails, ignore }: JudgedRun, page: string | null = null): string {
  const { calls, coverage, findings, assumptions, unused_script_entries: unused, unmet_expectations: unmet } = run
  const parts: [name: string, text: string][] = [
    ['Calls', String(calls)],
    ['Coverage', `${coverageShare(run)}; ${coverage.never_exercised.length} rules never exercised, ${coverage.never_violated.length} never violated`],
    ['Assumptions', assumptions.map(({ assumption }) => assumption).join(' ') || 'none relied on'],
    ['Findings', findings.map(({ finding, times }) => `${finding} (${times}×${ignore.includes(finding) ? ', ignored' : ''})`).join(', ') || 'none'],
    ['Script', unused.length === 0 ? 'no entry unused' : `never applied: ${entryNames(unused)}`],
    ['Expectations', unmetLines(unmet).join('; ') || 'none unmet'],
    ...gates.flatMap(({ problems }) => problems.map(message => ['FAILED', message] as [string, string])),
    ...findings.filter(({ finding }) => fails.has(finding)).map(finding => ['', `${finding.finding}: ${shownFinding(finding)}`] as [string, string])
  ]
  if (page !== null) parts.push(['Report', page])
  return `\ncommerce-emulator\n${parts.map(([name, text]) => `  ${name.padEnd(14)}${visible(text)}\n`).join('')}`
}

const MOST_NAMED = 5
function shownFinding({ about, advice, times, requests }: Finding): string {
  const calls = `${requests.slice(0, MOST_NAMED).join(', ')}${requests.length > MOST_NAMED ? ', …' : ''}`
  return `${about} ${advice} (${times}×: ${calls})`
}

/** Findings for people, the gravest first as they are listed. */
export function findingsText(findings: readonly Finding[]): string {
  const shown = findings.map(
    ({ finding, severity, about, advice, times, requests }) => `${severity}: ${finding} (${times}×, ${requests.join(', ')})\n  ${about}\n  ${advice}\n`
  )
  return shown.join('') || 'No findings.\n'
}

/** A table of the rules, with what stands out last. */
export function coverageText({ rules, seen, possible, percent, never_exercised, never_violated }: CoverageReport): string {
  const rows = rules.map(rule => {
    const { satisfied, violated } = outcomesOf(rule)
    return `${rule.rule.padEnd(8)} ${String(satisfied ?? '–').padStart(9)}  ${String(violated ?? '–').padStart(8)}  ${rule.text}`
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

const pointsOf = (checked: readonly CheckedFile[]): Point[] => checked.flatMap(({ points }) => points)

/** The points of each file with their problems, then the settings that were found, and how many passed. */
export function checkText(checked: readonly CheckedFile[]): string {
  const lines = checked.flatMap(({ file, points, leftOut, notes }) => [
    leftOut === null ? file : `${file}: ${leftOut}`,
    ...notes.map(note => `  ${note}`),
    ...points.flatMap(point => [`  ${signOf(point)} ${point.title}`, ...point.problems.map(problem => `      ${problemLine(problem)}`)])
  ])
  const settings = settingsBlock(checked)
  return [...lines.map(visible), ...(settings.length > 0 ? ['', ...settings] : []), '', summaryOf(checked), ''].join('\n')
}

function signOf(point: Point): string {
  if (isFailed(point)) return '✗'
  return isWarned(point) ? '!' : '✓'
}

/** `5 passed, 1 failed, 2 warnings in 3 files; 1 file left out`. */
function summaryOf(checked: readonly CheckedFile[]): string {
  const points = pointsOf(checked)
  const [failed, warned] = [points.filter(isFailed).length, points.filter(isWarned).length]
  const files = checked.filter(({ leftOut }) => leftOut === null)
  const broken = files.filter(file => file.points.some(isFailed)).length
  const all = [
    `${points.length - failed - warned} passed, ${failed} failed`,
    warned > 0 && `, ${countOf(warned, 'warning')}`,
    checked.length > 1 && ` in ${countOf(files.length, 'file')}`,
    checked.length > 1 && broken > 0 && `, of which ${broken} failed`,
    checked.length > files.length && `; ${countOf(checked.length - files.length, 'file')} left out`
  ]
  return all.filter(Boolean).join('')
}

function settingsBlock(checked: readonly CheckedFile[]): string[] {
  const settings = settingsFound(checked)
  if (Object.keys(settings).length === 0) return []
  return ['# These settings make the emulator answer as the service does.', ...settingsYaml(settings).trimEnd().split('\n')]
}

export function settingsYaml(settings: GivenSettings): string {
  const lines = yamlLines(nested(settings), '  ')
  return lines.length === 0 ? 'settings: {}\n' : `settings:\n${lines.join('\n')}\n`
}

function yamlLines(values: object, indent: string): string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    isObject(value) ? [`${indent}${name}:`, ...yamlLines(value, `${indent}  `)] : [`${indent}${name}: ${JSON.stringify(value)}`]
  )
}

/** A check as TAP: a test point a point, and comments. */
export function checkTap(checked: readonly CheckedFile[]): string {
  const comments = checked.flatMap(({ file, leftOut, notes }) =>
    [...(leftOut === null ? [] : [leftOut]), ...notes].map(note => `# ${visible(`${file}: ${note}`)}`)
  )
  const points = pointsOf(checked)
  const lines = points.flatMap((point, index) => {
    const [result, kind] = isFailed(point) ? ['not ok', 'problems'] : ['ok', 'warnings']
    const problems = point.problems.map(problem => `    - ${visible(JSON.stringify(problemLine(problem)))}`)
    const title = `${result} ${index + 1} - ${description(`${point.file}: ${point.title}`)}`
    return problems.length === 0 ? [title] : [title, '  ---', `  ${kind}:`, ...problems, '  ...']
  })
  return ['TAP version 14', `1..${points.length}`, ...comments, ...lines, ...settingsBlock(checked).map(line => `# ${line}`), ''].join('\n')
}

/** Text on one line, without the characters that start a TAP directive. */
const description = (text: string) => visible(text.replace(/\s+/g, ' ')).replace(/[\\#]/g, '\\$&')

/** Gates whose failures are findings, which have annotations of their own. */
const OTHER_GATES: readonly string[] = ['requests', 'coverage', 'expectations', 'script']

/** One for each finding that is not ignored, by its severity, and one for each other failure. */
export function runAnnotations({ run, gates, ignore }: JudgedRun): string {
  const findings = run.findings.filter(({ finding }) => !ignore.includes(finding))
  const others = gates.filter(({ gate }) => OTHER_GATES.includes(gate))
  return [
    ...findings.map(finding => annotation(finding.severity, { title: finding.finding }, shownFinding(finding))),
    ...others.flatMap(({ gate, problems }) => problems.map(message => annotation('error', { title: gate }, message)))
  ].join('')
}

export const checkAnnotations = (checked: readonly CheckedFile[]): string =>
  pointsOf(checked)
    .flatMap(point =>
      point.problems.map(({ file, line, column: col, ...problem }) =>
        annotation(isFailed(point) ? 'error' : 'warning', { file, line, col, title: point.title }, problemLine(problem))
      )
    )
    .join('')

/** A workflow command of GitHub Actions: `%`, CR and LF are encoded, and in a property `:` and `,` as well. */
function annotation(level: 'error' | 'warning', properties: Readonly<Record<string, string | number | undefined>>, message: string): string {
  const encoded = (value: unknown, special: RegExp) => visible(String(value).replace(special, encodeURIComponent))
  const given = Object.entries(properties).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encoded(value, /[%\r\n:,]/g)}`]))
  return `::${level} ${given.join(',')}::${encoded(message, /[%\r\n]/g)}\n`
}
