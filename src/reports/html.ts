/** A judged run as one HTML page that loads nothing and runs no script. */
import { hash } from 'node:crypto'
import { visible } from '../core/sentences.js'
import type { RunCall, RunEntry } from '../evidence/run.js'
import type { RuleCoverage } from '../evidence/totals.js'
import {
  headline,
  type JudgedRun,
  outcomesOf,
  overview,
  type Part,
  problemsOfTest,
  type Row,
  type Table,
  tablesOf,
  whyOf
} from './run.js'
import { SAYS } from './sentences.js'

const MARKUP = Symbol('markup')
type Html = { [MARKUP]: string }
type HtmlValue = Html | string | number | readonly HtmlValue[]

/** A template: text is escaped, markup stays. */
const html = (parts: TemplateStringsArray, ...values: HtmlValue[]): Html => ({
  [MARKUP]: String.raw({ raw: parts }, ...values.map(markupOf))
})

function markupOf(value: HtmlValue): string {
  if (typeof value !== 'object')
    return visible(String(value)).replace(/[&<>"']/g, character => `&${ENTITIES[character]};`)
  return MARKUP in value ? value[MARKUP] : value.map(markupOf).join('')
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": '#39'
}

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --bad: #c22; --good: #287d3c; --warn: #b26a00 }
@media (prefers-color-scheme: dark) { :root { --bad: #ff7b72; --good: #5cc272; --warn: #e3b341 } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 0 auto; padding: 1rem 1.5rem 4rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.2rem; margin-top: 2.5rem }
code, pre { font: 13px/1.45 ui-monospace, monospace; overflow-wrap: anywhere } pre { white-space: pre-wrap; background: var(--soft); padding: .6rem }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-top: 1px solid var(--line) }
summary { cursor: pointer; padding: .3rem 0 } details details, details > div { margin-left: 1.2rem } details { border-top: 1px solid var(--line) }
.bad { color: var(--bad) } .good { color: var(--good) } .warn { color: var(--warn) } .quiet { opacity: .7 }
.map { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); gap: .4rem; list-style: none; padding: 0 }
.map li { border: 1px solid var(--line); border-left-width: .4rem; padding: .2rem .5rem; font-size: 13px }
.map .all { border-left-color: var(--good) } .map .passed { border-left-color: var(--warn) } .map .violated { border-left-color: var(--bad) }
:target { outline: 2px solid var(--warn) }
`
const STYLESHEET: Html = { [MARKUP]: `<style>${STYLE}</style>` }
const POLICY = `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; img-src data:; base-uri 'none'; form-action 'none'`

/** Templates are ASCII: the bundle is read as Latin-1. */
export function runPage(judged: JudgedRun): string {
  const { run, hasPassed } = judged
  const anchors = new Map(run.requests.map(({ request }, index) => [request, `request-${index}`]))
  const show: ShowPart = part => {
    if (typeof part !== 'object') return part
    const anchor = anchors.get(part.name)
    return anchor === undefined
      ? html`<code>${part.name}</code>`
      : html`<a href="#${anchor}"><code>${part.name}</code></a>`
  }
  const { criteria, expectations, findings, assumptions } = tablesOf(judged)
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>commerce-emulator: ${headline(judged)}</title>
${STYLESHEET}
</head>
<body>
<h1>commerce-emulator: <span class="${hasPassed ? 'good' : 'bad'}">${headline(judged)}</span></h1>
<p>${overview(judged)}</p>
${section(criteria, show)}
${expectations.rows.length === 0 ? '' : section(expectations, show)}
${section(findings, show)}
${testParts(judged, call => callPart(call, String(anchors.get(call.request)), show))}
<h2>Coverage</h2>
<p class="quiet">${SAYS.map(run.coverage.rules.length)}</p>
<ul class="map">${Object.entries(LEGEND).map(([seen, words]) => html`<li class="${seen}">${words}</li>\n`)}</ul>
<ul class="map">${run.coverage.rules.map(coverageCell)}</ul>
${section(assumptions, show)}
<p class="quiet">${SAYS.page_end(run.version)}</p>
</body>
</html>
`[MARKUP]
}

type ShowPart = (part: Part) => HtmlValue

/** The level is the class of the first cell. */
const row = (level: Row['level'] | undefined, cells: readonly HtmlValue[]): Html =>
  html`<tr>${cells.map((cell, nth) => html`<td${nth === 0 && level ? html` class="${level}"` : ''}>${cell}</td>`)}</tr>\n`

function section({ title, head, rows }: Table, show: ShowPart): Html {
  const lines = rows.map(({ level, cells }) =>
    row(
      level,
      cells.map(parts => parts.map(show))
    )
  )
  const table = html`<table><tr>${head.map(name => html`<th>${name}</th>`)}</tr>\n${lines}</table>`
  return html`<h2>${title}</h2>\n${rows.length === 0 ? html`<p>None.</p>` : table}`
}

function testParts(judged: JudgedRun, part: (call: RunCall) => Html): Html {
  const { tests, requests, omitted } = judged.run
  const isNamed = tests.some(({ test }) => test !== null)
  const parts = tests.map(runTest => {
    const { test, calls, refused, passed, violated, findings } = runTest
    const problems = problemsOfTest(judged, runTest)
    const name = test ?? (isNamed ? 'Requests that named no test' : 'All requests')
    const findingNames = findings.map(
      ({ finding, times }) => html` <code class="warn">${finding} ${times}&#215;</code>`
    )
    return html`<details${isNamed && findings.length === 0 && problems.length === 0 ? '' : html` open`}><summary${problems.length === 0 ? '' : html` class="bad"`}>${name} <span class="quiet">${SAYS.requests(calls, refused)}</span>${findingNames}</summary>
${problems.map(problem => html`<p class="bad">${problem}</p>\n`)}<p>Rules passed: ${passed.join(' ') || 'none'}. Rules violated: ${violated.join(' ') || 'none'}.</p>
${requests.filter(call => call.test === test).map(part)}
</details>
`
  })
  const others = requests.filter(call => !tests.some(({ test }) => call.test === test))
  return html`<h2>${isNamed ? 'Requests by test' : 'Requests'}</h2>
${isNamed ? '' : html`<p class="quiet">${SAYS.no_test_names()}</p>`}
${parts}${others.length === 0 ? '' : html`<details><summary>Requests of other tests</summary>${others.map(part)}</details>`}
${omitted.requests + omitted.entries === 0 ? '' : html`<p>${SAYS.omitted(omitted.requests, omitted.entries)}</p>`}`
}

function callPart(call: RunCall, anchor: string, show: ShowPart): Html {
  const { request, method, path, status, outcome, entry } = call
  const result = html`<span class="${outcome === 'refused' ? 'bad' : 'quiet'}">${status} ${outcome.replace('_', ' ')}</span>`
  const line = html`<code>${request}</code> ${method} <code>${path}</code> ${result}`
  if (entry === null) return html`<div id="${anchor}">${line}</div>\n`
  return html`<details id="${anchor}"><summary>${line} ${whyOf(call)}</summary>${entryPart(entry, show)}</details>\n`
}

function entryPart(
  {
    query,
    body,
    script,
    answer: response,
    why,
    answered,
    took_effect: tookEffect,
    account
  }: RunEntry,
  show: ShowPart
): Html {
  const facts = [
    `${account === null ? 'No Account' : `Account ${account}`}; ${tookEffect ? 'took effect' : 'changed nothing'}`,
    ...(answered ? [] : ['the response was lost']),
    ...(script ? [`script entry ${script.name ?? script.id}`] : [])
  ]
  const parameters = Object.entries({ query, body }).filter(
    ([, values]) => Object.keys(values).length > 0
  )
  const verdicts = why.rules.map(({ rule, verdict, text, facts }) =>
    row(verdict === 'passed' ? 'good' : 'bad', [
      verdict,
      rule,
      facts ? html`${text}<br><code>${JSON.stringify(facts)}</code>` : text
    ])
  )
  const lines = (typeof response === 'string' ? response : JSON.stringify(response, null, 2)).split(
    '\n'
  )
  return html`<p>${facts.join('; ')}</p>
${parameters.map(([what, values]) => html`<p>${what}: <code>${JSON.stringify(values)}</code></p>\n`)}<table>${verdicts}</table>
${why.changed_by.length === 0 ? '' : html`<p>${SAYS.changed_by()}${why.changed_by.map(name => [show({ name }), ' '])}</p>`}
<p>Relies on: ${why.assumptions.map(({ assumption, topic }) => `${assumption} (${topic})`).join(', ') || 'no assumption'}</p>
<pre>${response === null ? '(no body)' : lines.map((line, nth) => (nth === 0 ? line : html`\n${line}`))}</pre>`
}

const LEGEND = {
  all: 'every outcome seen',
  passed: 'only passed',
  violated: 'only violated',
  none: 'not exercised'
} as const

function outcomeSeen({ passed, violated }: ReturnType<typeof outcomesOf>): keyof typeof LEGEND {
  if (!passed && !violated) return 'none'
  if (violated === 0) return 'passed'
  return passed ? 'all' : 'violated'
}

function coverageCell(coverage: RuleCoverage): Html {
  const outcomes = outcomesOf(coverage)
  const { passed, violated } = outcomes
  return html`<li class="${outcomeSeen(outcomes)}" title="${coverage.text}"><strong>${coverage.rule}</strong><br>passed ${passed ?? '–'} &#183; violated ${violated ?? '–'}</li>\n`
}
