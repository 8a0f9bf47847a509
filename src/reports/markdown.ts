/** A judged run as Markdown, for the summary of a build. */
import { visible } from '../core/visible.js'
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

/** A build server takes at most a mebibyte. */
const MAX_ROWS = 50

/** The gates, the findings, the tests, and the refused requests with why. */
export function runMarkdown(judged: JudgedRun): string {
  const { run } = judged
  const { gates, expectations, findings, assumptions } = tablesOf(judged)
  const tests: Table = {
    title: 'Tests',
    head: ['test', 'result', 'requests', 'refused', 'rules violated', 'findings'],
    rows: run.tests.flatMap(one => {
      const { test, calls, refused, violated, findings } = one
      const isFailed = problemsOfTest(judged, one).length > 0
      const result = isFailed ? 'failed' : 'passed'
      const found = findings.flatMap(foundPart)
      return test === null
        ? []
        : [{ cells: [[test], [result], [calls], [refused], [violated.join(' ')], found] }]
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
  const tables = [gates, expectations, findings, tests, refused, assumptions]
  return [
    `## commerce-emulator: ${headline(judged)}`,
    '',
    overview(judged, plain),
    '',
    ...tables.flatMap(lines)
  ].join('\n')
}

const foundPart = ({ finding, times }: RunTest['findings'][number], nth: number): Part[] => [
  nth === 0 ? '' : ', ',
  { name: finding },
  ` ${times}×`
]

function lines({ title, head, rows }: Table): string[] {
  if (rows.length === 0) return []
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const shown = rows
    .slice(0, MAX_ROWS)
    .map(({ cells }) => row(cells.map(parts => parts.map(shownPart).join(''))))
  const more = rows.length > MAX_ROWS ? ['', SAYS.more_rows(rows.length - MAX_ROWS)] : []
  return [`### ${title}`, '', row(head), row(head.map(() => '---')), ...shown, ...more, '']
}

function shownPart(part: Part): string {
  if (typeof part !== 'object') return plain(String(part))
  // a name of ours: nothing in it means anything in Markdown
  return `\`${part.name.replace(/[^\w#./-]/g, '?')}\``
}

/** What means something in Markdown or HTML, or makes a link of an address. */
const SPECIAL = /[\\`*[\]<>|~&#@$]|(?<!\w)_|_(?!\w)|:(?=\S)|(?<=www)\./gi
/** Text as it was sent, in entities where it would mean something. */
const plain = (text: string): string =>
  visible(text).replace(SPECIAL, character => `&#${character.charCodeAt(0)};`)
