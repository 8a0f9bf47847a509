/** A judged run as Markdown, for the summary of a build. */

import { visible } from '../core/sentences.js'
import type { RunTest } from '../evidence/totals.js'
import {
  headline,
  type JudgedRun,
  overview,
  type Part,
  problemsOfTest,
  refusedIn,
  type Table,
  tablesOf,
  whyOf
} from './run.js'
import { SAYS } from './sentences.js'

/** Build servers take at most a mebibyte. */
const MAX_ROWS = 50

export function runMarkdown(judged: JudgedRun): string {
  const { run } = judged
  const { criteria, expectations, findings, assumptions } = tablesOf(judged)
  const tests: Table = {
    title: 'Tests',
    head: ['test', 'result', 'requests', 'refused', 'rules violated', 'findings'],
    rows: run.tests.flatMap(runTest => {
      const { test, calls, refused, violated } = runTest
      const result = problemsOfTest(judged, runTest).length > 0 ? 'failed' : 'passed'
      const findings = runTest.findings.flatMap(findingParts)
      return test === null
        ? []
        : [{ cells: [[test], [result], [calls], [refused], [violated.join(' ')], findings] }]
    })
  }
  const refused: Table = {
    title: 'Refused requests',
    head: ['request', 'test', 'what', 'status', 'why'],
    rows: refusedIn(run).map(call => ({
      cells: [
        [{ name: call.request }],
        [call.test ?? ''],
        [`${call.method} ${call.path}`],
        [call.status],
        [whyOf(call)]
      ]
    }))
  }
  const tables = [criteria, expectations, findings, tests, refused, assumptions]
  return [
    `## commerce-emulator: ${headline(judged)}`,
    '',
    overview(judged, plain),
    '',
    ...tables.flatMap(linesOf)
  ].join('\n')
}

const findingParts = ({ finding, times }: RunTest['findings'][number], nth: number): Part[] => [
  nth === 0 ? '' : ', ',
  { name: finding },
  ` ${times}×`
]

function linesOf({ title, head, rows }: Table): string[] {
  if (rows.length === 0) return []
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const lines = rows
    .slice(0, MAX_ROWS)
    .map(({ cells }) => row(cells.map(parts => parts.map(markdownOf).join(''))))
  const more = rows.length > MAX_ROWS ? ['', SAYS.more_rows(rows.length - MAX_ROWS)] : []
  return [`### ${title}`, '', row(head), row(head.map(() => '---')), ...lines, ...more, '']
}

function markdownOf(part: Part): string {
  if (typeof part !== 'object') return plain(String(part))
  // names contain nothing that Markdown interprets
  return `\`${part.name.replace(/[^\w#./-]/g, '?')}\``
}

/** Characters that Markdown or HTML interprets. */
const SPECIAL = /[\\`*[\]<>|~&#@$]|(?<!\w)_|_(?!\w)|:(?=\S)|(?<=www)\./gi
const plain = (text: string): string =>
  visible(text).replace(SPECIAL, character => `&#${character.charCodeAt(0)};`)
