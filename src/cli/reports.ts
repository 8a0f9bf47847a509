/** The report of `check` and `validate`: as text for people, as TAP, or as JUnit; and annotations for GitHub Actions. */

import { annotation } from '../control/reports/summary.js'
import type { GivenSettings } from '../core/settings.js'
import { visible } from '../core/visible.js'
import { xml } from '../evidence/reports.js'
import { problemLine } from '../scenario/documents.js'
import { type CheckedFile, countOf, isFailed, isWarned, type Point } from './check/points.js'
import { settingsYaml } from './settings-file.js'

export const REPORT_FORMATS = ['text', 'tap', 'junit'] as const
export type ReportFormat = (typeof REPORT_FORMATS)[number]

/** The whole report of a check. */
export function report(checked: readonly CheckedFile[], format: ReportFormat): string {
  return { text: asText, tap: asTap, junit: asJunit }[format](checked)
}

/** The settings that were found over all files; of those that contradict each other the last. */
export const settingsFound = (checked: readonly CheckedFile[]): GivenSettings => Object.assign({}, ...checked.map(({ settings }) => settings))

const pointsOf = (checked: readonly CheckedFile[]): Point[] => checked.flatMap(({ points }) => points)

/** `5 passed, 1 failed, 2 warnings in 3 files; 1 file left out`: warnings and files only where there are any, or several. */
export function summaryOf(checked: readonly CheckedFile[]): string {
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

const settingsBlock = (checked: readonly CheckedFile[]): string[] => {
  const settings = settingsFound(checked)
  if (Object.keys(settings).length === 0) return []
  return ['', '# These settings make the emulator answer as the service does.', ...settingsYaml(settings).trimEnd().split('\n')]
}

function asText(checked: readonly CheckedFile[]): string {
  const lines = checked.flatMap(({ file, points, leftOut, notes }) => [
    leftOut === null ? visible(file) : `${visible(file)}: ${leftOut}`,
    ...notes.map(note => `  ${visible(note)}`),
    ...points.flatMap(point => [`  ${signOf(point)} ${visible(point.title)}`, ...point.problems.map(problem => `      ${visible(problemLine(problem))}`)])
  ])
  return `${[...lines, ...settingsBlock(checked), '', summaryOf(checked)].join('\n')}\n`
}

function signOf(point: Point): string {
  if (isFailed(point)) return '✗'
  return isWarned(point) ? '!' : '✓'
}

function asTap(checked: readonly CheckedFile[]): string {
  const comments = checked.flatMap(({ file, leftOut, notes }) =>
    [...(leftOut === null ? [] : [leftOut]), ...notes].map(note => `# ${visible(`${file}: ${note}`)}`)
  )
  const points = pointsOf(checked)
  const lines = points.flatMap((point, index) => [
    `${isFailed(point) ? 'not ok' : 'ok'} ${index + 1} - ${description(`${point.file}: ${point.title}`)}`,
    ...(point.problems.length > 0
      ? [
          '  ---',
          `  ${isFailed(point) ? 'problems' : 'warnings'}:`,
          ...point.problems.map(problem => `    - ${visible(JSON.stringify(problemLine(problem)))}`),
          '  ...'
        ]
      : [])
  ])
  const settings = settingsBlock(checked).filter(Boolean)
  return `${['TAP version 14', `1..${points.length}`, ...comments, ...lines, ...settings.map(line => `# ${line}`)].join('\n')}\n`
}

/** Text on one line, without the characters that start a TAP directive. */
const description = (text: string) => visible(text.replace(/\s+/g, ' ')).replace(/[\\#]/g, '\\$&')

function asJunit(checked: readonly CheckedFile[]): string {
  const suites = checked.map(({ file, points: own, leftOut, notes, settings }) => {
    const cases = own.map(point => {
      const { title, problems, ms } = point
      const lines = problems.map(problemLine)
      const failure = isFailed(point) ? `<failure message="${xml(lines[0] as string)}">${xml(lines.join('\n'))}</failure>` : ''
      const warning = isWarned(point) ? `<system-out>${xml(lines.join('\n'))}</system-out>` : ''
      return `    <testcase classname="${xml(file)}" name="${xml(title)}" time="${(ms / 1000).toFixed(3)}">${failure}${warning}</testcase>`
    })
    const said = [...(leftOut === null ? [] : [leftOut]), ...notes, ...(settings !== null && Object.keys(settings).length > 0 ? [settingsYaml(settings)] : [])]
    return [
      `  <testsuite name="${xml(file)}" tests="${own.length}" failures="${own.filter(isFailed).length}">`,
      ...cases,
      ...(said.length > 0 ? [`    <system-out>${xml(said.join('\n'))}</system-out>`] : []),
      '  </testsuite>'
    ].join('\n')
  })
  const points = pointsOf(checked)
  return `${['<?xml version="1.0" encoding="UTF-8"?>', `<testsuites tests="${points.length}" failures="${points.filter(isFailed).length}">`, ...suites, '</testsuites>'].join('\n')}\n`
}

/** Annotations of GitHub Actions, one for each problem at its line. */
export function pointAnnotations(checked: readonly CheckedFile[]): string {
  const lines = pointsOf(checked).flatMap(point =>
    point.problems.map(({ file, line, column, ...problem }) => {
      const message = problemLine(problem)
      return annotation(
        isFailed(point) ? 'error' : 'warning',
        { ...(file !== undefined && { file }), ...(line && { line }), ...(column && { col: column }), title: point.title },
        message
      )
    })
  )
  return lines.map(line => `${line}\n`).join('')
}
