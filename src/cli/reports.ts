/** The report of `check`: as text for people, as TAP, or as JUnit. */

import { visible } from '../core/visible.js'
import { xml } from '../evidence/reports.js'
import type { Point } from './check.js'

export const REPORT_FORMATS = ['text', 'tap', 'junit'] as const
export type ReportFormat = (typeof REPORT_FORMATS)[number]

/** The whole report of a check. */
export function report(points: readonly Point[], format: ReportFormat): string {
  return { text: asText, tap: asTap, junit: asJunit }[format](points)
}

function asText(points: readonly Point[]): string {
  const lines = byFile(points).flatMap(([file, own]) => [
    visible(file),
    ...own.flatMap(({ title, problems }) => [
      `  ${problems.length === 0 ? '✓' : '✗'} ${visible(title)}`,
      ...problems.map(problem => `      ${visible(problem)}`)
    ])
  ])
  const failed = points.filter(isFailed).length
  return `${[...lines, '', `${points.length - failed} passed, ${failed} failed`].join('\n')}\n`
}

function asTap(points: readonly Point[]): string {
  const lines = points.flatMap((point, index) => [
    `${isFailed(point) ? 'not ok' : 'ok'} ${index + 1} - ${description(`${point.file}: ${point.title}`)}`,
    ...(isFailed(point) ? ['  ---', '  problems:', ...point.problems.map(problem => `    - ${visible(JSON.stringify(problem))}`), '  ...'] : [])
  ])
  return `${['TAP version 14', `1..${points.length}`, ...lines].join('\n')}\n`
}

/** Text on one line, without the characters that start a TAP directive. */
const description = (text: string) => visible(text.replace(/\s+/g, ' ')).replace(/[\\#]/g, '\\$&')

function asJunit(points: readonly Point[]): string {
  const suites = byFile(points).map(([file, own]) => {
    const cases = own.map(({ title, problems, ms }) => {
      const failure = problems.length === 0 ? '' : `<failure message="${xml(problems[0] as string)}">${xml(problems.join('\n'))}</failure>`
      return `    <testcase classname="${xml(file)}" name="${xml(title)}" time="${(ms / 1000).toFixed(3)}">${failure}</testcase>`
    })
    return [`  <testsuite name="${xml(file)}" tests="${own.length}" failures="${own.filter(isFailed).length}">`, ...cases, '  </testsuite>'].join('\n')
  })
  return `${['<?xml version="1.0" encoding="UTF-8"?>', `<testsuites tests="${points.length}" failures="${points.filter(isFailed).length}">`, ...suites, '</testsuites>'].join('\n')}\n`
}

export const isFailed = ({ problems }: Point): boolean => problems.length > 0
const byFile = (points: readonly Point[]): [string, Point[]][] =>
  [...new Set(points.map(({ file }) => file))].map(file => [file, points.filter(point => point.file === file)])
