/** A judged run as one HTML page that loads nothing and runs no script. */
import { hash } from 'node:crypto'
import { visible, visibleLines } from '../../core/visible.js'
import type { RuleCoverage } from '../../evidence/coverage.js'
import type { RunCall, RunEntry } from '../../evidence/run-requests.js'
import type { RunTest } from '../../evidence/tests.js'
import { Html, html } from './html.js'
import { coverageShare, type JudgedRun, whyOf } from './summary.js'

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
.map .all { border-left-color: var(--good) } .map .some { border-left-color: var(--warn) } .map .none { border-left-color: var(--bad) }
:target { outline: 2px solid var(--warn) }
`
const STYLESHEET = new Html([`<style>${STYLE}</style>`], [])
const POLICY = `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; img-src data:; base-uri 'none'; form-action 'none'`

/** The page. Templates hold ASCII characters alone: the bundle is read as Latin-1, and its compiler cannot escape what a template holds. */
export function runPage(judged: JudgedRun): string {
  const { run, verdict, status } = judged
  const places = new Map(run.requests.map(({ request }, place) => [request, `call-${place}`]))
  const hasPassed = verdict.failures.length === 0
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>commerce-emulator: ${hasPassed ? 'all gates passed' : 'a gate failed'}</title>
${STYLESHEET}
</head>
<body>
<h1>commerce-emulator: ${hasPassed ? html`<span class="good">all gates passed</span>` : html`<span class="bad">a gate failed</span>`}</h1>
<p>${run.calls} calls, ${run.requests.filter(isRefused).length} refused. ${coverageShare(run)}. Scenario: ${shown(run.scenario.name)}.${status === null ? '' : ` The command ended with ${status}.`}</p>
${gates(judged)}
${findings(judged, places)}
${tests(judged, places)}
${coverageMap(run.coverage.rules)}
${assumptions(judged, places)}
<p class="quiet">commerce-emulator ${run.version}. API keys, card numbers and security codes are not kept.</p>
</body>
</html>
`.text
}

type Places = ReadonlyMap<string, string>
const isRefused = ({ outcome }: RunCall) => outcome === 'refused'
/** Text of others on one line, with what would reorder it made visible. */
const shown = (text: string) => visible(text)

/** The name of a call, linked to where the page shows it. */
function callName(request: string, places: Places): Html {
  const place = places.get(request)
  return place === undefined ? html`<code>${shown(request)}</code> ` : html`<a href="#${place}"><code>${shown(request)}</code></a> `
}

function gates({ verdict }: JudgedRun): Html {
  const rows = verdict.gates.map(
    ({ gate, problems }) =>
      html`<tr><td><code>${gate}</code></td><td>${problems.length === 0 ? html`<span class="good">passed</span>` : problems.map(problem => html`<div class="bad">${shown(problem)}</div>`)}</td></tr>\n`
  )
  return html`<h2>Gates</h2>\n${rows.length === 0 ? html`<p>None.</p>` : html`<table>${rows}</table>`}`
}

function findings({ run, ignore }: JudgedRun, places: Places): Html {
  const rows = run.findings.map(
    ({ finding, severity, about, advice, times, requests }) =>
      html`<tr><td class="${severity === 'error' ? 'bad' : 'warn'}">${severity}${ignore.includes(finding) ? ', ignored' : ''}</td><td><code>${finding}</code></td><td>${times}&#215;</td><td>${about}<br>${advice}<br>${requests.map(request => callName(request, places))}</td></tr>\n`
  )
  return html`<h2>Findings</h2>\n${rows.length === 0 ? html`<p>None.</p>` : html`<table>${rows}</table>`}`
}

function tests({ run }: JudgedRun, places: Places): Html {
  const { requests, omitted } = run
  const isNamed = run.tests.some(({ test }) => test !== null)
  const known = new Set(run.tests.map(({ test }) => test))
  const parts = run.tests.map(test =>
    testPart(
      test,
      requests.filter(call => call.test === test.test),
      places,
      isNamed
    )
  )
  const others = requests.filter(call => !known.has(call.test))
  return html`<h2>${isNamed ? 'Calls by test' : 'Calls'}</h2>
${isNamed ? '' : html`<p class="quiet">No call named its test; a client that sends the header Test-Name gets its calls listed by test.</p>`}
${parts}${others.length === 0 ? '' : html`<details><summary>Calls of further tests</summary>${calls(others, places)}</details>`}
${omitted.requests + omitted.entries === 0 ? '' : html`<p>${omitted.requests} calls are not listed, and ${omitted.entries} are not shown in full.</p>`}`
}

function testPart({ test, calls: count, refused, kept, broken, findings }: RunTest, own: readonly RunCall[], places: Places, isNamed: boolean): Html {
  const name = test ?? (isNamed ? 'Calls that named no test' : 'All calls')
  return html`<details${isNamed && findings.length === 0 ? '' : html` open`}><summary>${shown(name)} <span class="quiet">${count} calls, ${refused} refused</span>${findings.map(({ finding, times }) => html` <code class="warn">${finding} ${times}&#215;</code>`)}</summary>
<p>Rules kept: ${kept.join(' ') || 'none'}. Rules broken: ${broken.join(' ') || 'none'}.</p>
${calls(own, places)}
</details>
`
}

const calls = (own: readonly RunCall[], places: Places): Html[] => own.map(call => callPart(call, places))

function callPart(call: RunCall, places: Places): Html {
  const { request, method, path, status, outcome, entry } = call
  const line = html`<code>${shown(request)}</code> ${method} <code>${shown(path)}</code> <span class="${outcome === 'refused' ? 'bad' : 'quiet'}">${status} ${outcome.replace('_', ' ')}</span>`
  const place = places.get(request) as string
  if (entry === null) return html`<div id="${place}">${line}</div>\n`
  return html`<details id="${place}"><summary>${line} ${shown(whyOf(call))}</summary>${entryPart(entry, places)}</details>\n`
}

function entryPart({ query, body, script, answer, why, answered, took_effect: tookEffect, account }: RunEntry, places: Places): Html {
  const sent = Object.entries({ query, body }).flatMap(([what, values]) =>
    Object.keys(values).length === 0 ? [] : html`<p>${what}: <code>${shown(JSON.stringify(values))}</code></p>\n`
  )
  const verdicts = why.rules.map(
    ({ rule, verdict, text, facts }) =>
      html`<tr><td class="${verdict === 'kept' ? 'good' : 'bad'}">${verdict}</td><td>${rule}</td><td>${text}${facts ? html`<br><code>${shown(JSON.stringify(facts))}</code>` : ''}</td></tr>\n`
  )
  return html`<p>${account === null ? 'No Account' : `Account ${account}`}; ${tookEffect ? 'took effect' : 'changed nothing'}${answered ? '' : '; the answer was lost'}${script ? `; script entry ${shown(script.name ?? script.id)}` : ''}</p>
${sent}<table>${verdicts}</table>
${why.changed_by.length === 0 ? '' : html`<p>The records that it was judged by were last changed by ${why.changed_by.map(request => callName(request, places))}</p>`}
<p>Relies on: ${why.assumptions.map(({ assumption, topic }) => `${assumption} (${topic})`).join(', ') || 'no assumption'}</p>
<pre>${answer === null ? '(no body)' : visibleLines(typeof answer === 'string' ? answer : JSON.stringify(answer, null, 2))}</pre>`
}

function coverageMap(rules: readonly RuleCoverage[]): Html {
  const cells = rules.map(({ rule, text, satisfied, violated, keepable, violable }) => {
    const seen = [...(keepable ? [satisfied] : []), ...(violable ? [violated] : [])].map(count => count > 0)
    const some = seen.some(Boolean) ? 'some' : 'none'
    return html`<li class="${seen.every(Boolean) ? 'all' : some}" title="${text}"><strong>${rule}</strong><br>kept ${keepable ? satisfied : '–'} &#183; broken ${violable ? violated : '–'}</li>\n`
  })
  return html`<h2>Coverage</h2>
<p class="quiet">How many calls kept and broke each of the ${rules.length} rules; &#8211; where no call can show it.</p>
<ul class="map">${cells}</ul>`
}

function assumptions({ run }: JudgedRun, places: Places): Html {
  const rows = run.assumptions.map(
    ({ assumption, topic, default: fallback, times, requests }) =>
      html`<tr><td>${assumption}</td><td>${topic}</td><td>${fallback}</td><td>${times} answers</td><td>first ${callName(requests[0] as string, places)}</td></tr>\n`
  )
  return html`<h2>Assumptions relied on</h2>\n${rows.length === 0 ? html`<p>None.</p>` : html`<table>${rows}</table>`}`
}
