/** A judged run as Markdown, for the summary of a build. */
import { visible } from '../core/visible.js'
import { explainedMessage } from '../scenario/near-misses.js'
import { headline, type JudgedRun, overview, problemsOfTest, refusedIn, sandboxName, whyOf } from './run.js'

/** A build server takes at most a mebibyte. */
const MOST_ROWS = 50

/** The gates, the findings, and the refused calls with why. */
export function runMarkdown(judged: JudgedRun): string {
  const { run, gates, unmet, ignore } = judged
  return [
    `## commerce-emulator: ${headline(judged)}`,
    '',
    overview(judged, plain(run.scenario.name)),
    '',
    ...table(
      'Gates',
      ['gate', 'result'],
      gates.map(({ gate, problems }) => [code(gate), problems.length === 0 ? 'passed' : `**failed**: ${problems.map(plain).join('; ')}`])
    ),
    ...table(
      'Expectations that were not met',
      ['sandbox', 'expectation', 'tests'],
      unmet.map(one => [plain(sandboxName(one.sandbox)), plain(explainedMessage(one.message, one)), one.tests.map(plain).join(', ')])
    ),
    ...table(
      'Findings',
      ['finding', 'severity', 'times', 'calls', 'what to do'],
      run.findings.map(({ finding, severity, times, requests, about, advice }) => [
        code(finding),
        ignore.includes(finding) ? `${severity}, ignored` : severity,
        times,
        requests.map(code).join(' '),
        plain(`${about} ${advice}`)
      ])
    ),
    ...table(
      'Tests',
      ['test', 'result', 'calls', 'refused', 'rules broken', 'findings'],
      run.tests.flatMap(one => {
        const { test, calls, refused, broken, findings } = one
        const result = problemsOfTest(judged, one).length === 0 ? 'passed' : '**failed**'
        const found = findings.map(({ finding, times }) => `${code(finding)} ${times}×`).join(', ')
        return test === null ? [] : [[plain(test), result, calls, refused, broken.join(' '), found]]
      })
    ),
    ...table(
      'Refused calls',
      ['call', 'test', 'request', 'status', 'why'],
      refusedIn(run).map(call => [code(call.request), plain(call.test ?? ''), plain(`${call.method} ${call.path}`), call.status, plain(whyOf(call))])
    ),
    ...table(
      'Assumptions relied on',
      ['assumption', 'topic', 'answers'],
      run.assumptions.map(({ assumption, topic, times }) => [assumption, plain(topic), times])
    )
  ].join('\n')
}

function table(title: string, head: readonly string[], rows: readonly (readonly (string | number)[])[]): string[] {
  if (rows.length === 0) return []
  const row = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`
  const more = rows.length > MOST_ROWS ? ['', `${rows.length - MOST_ROWS} more are in the report.`] : []
  return [`### ${title}`, '', row(head), row(head.map(() => '---')), ...rows.slice(0, MOST_ROWS).map(row), ...more, '']
}

/** A name of ours: nothing in it means anything in Markdown. */
const code = (name: string) => `\`${name.replace(/[^\w#./-]/g, '?')}\``

/** What means something in Markdown or HTML, or makes a link of an address. */
const SPECIAL = /[\\`*[\]<>|~&#@$]|(?<!\w)_|_(?!\w)|:(?=\S)|(?<=www)\./gi
/** Text as it was sent, in entities where it would mean something. */
const plain = (text: string): string => visible(text).replace(SPECIAL, character => `&#${character.charCodeAt(0)};`)
