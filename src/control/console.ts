/** Control: the console, a page that shows in a browser what the control API tells: calls as they come and why they were answered so, findings, coverage, scripts. */
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'

/** Nothing is fetched from elsewhere, and no other page may frame this one. */
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** A browser asks for a page; anything else is given JSON. */
export const wantsPage = ({ headers }: FastifyRequest): boolean => /\btext\/html\b/.test(headers.accept ?? '')

/** Sends the console of the world at a control address. */
export function sendConsole(reply: FastifyReply, control: string): FastifyReply {
  reply.headers({ 'content-security-policy': POLICY, 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' })
  return reply.type('text/html; charset=utf-8').send(page(control))
}

export const consoleRoutes: FastifyPluginAsync = async control => {
  control.get('/console.js', async (_request, reply) => reply.type('text/javascript; charset=utf-8').send(SCRIPT))
  control.get('/console.css', async (_request, reply) => reply.type('text/css; charset=utf-8').send(STYLE))
}

const page = (control: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>commerce-emulator ${control.replace(/\/?_control$/, '')}</title>
<link rel="stylesheet" href="${control}/console.css">
<script type="module" src="${control}/console.js"></script>
</head>
<body data-control="${control}">
<header>
<h1>commerce-emulator</h1>
<p id="overview">…</p>
<nav>
<button id="reset">Reset</button>
<label>Scenario <select id="scenarios"></select></label> <button id="load">Load</button>
<button id="advance">Clock + 1 day</button>
<a href="${control}/docs">API</a> <a href="${control}/state?format=yaml">State</a> <a href="${control}/settings">Settings</a> <a href="${control}/assumptions">Assumptions</a>
</nav>
<p id="message" role="status"></p>
</header>
<main>
<section><h2>Calls</h2><table><thead><tr><th>Id</th><th>Call</th><th>Status</th><th>Because of</th><th>ms</th></tr></thead><tbody id="calls"></tbody></table></section>
<section><h2>Why</h2><pre id="why">Choose a call.</pre></section>
<section><h2>Findings</h2><ul id="findings"></ul></section>
<section><h2>Coverage</h2><p id="coverage"></p></section>
<section><h2>Script</h2><ul id="script"></ul></section>
<section><h2>Sandboxes</h2><ul id="sandboxes"></ul></section>
</main>
<noscript>The console needs JavaScript; the control API does not.</noscript>
</body>
</html>
`

/** Whatever a client sent is written as text, never as markup. */
const SCRIPT = `const { control } = document.body.dataset
const SHOWN = 200
const at = id => document.getElementById(id)
const json = async (path, options) => {
  const answer = await fetch(control + path, options)
  const body = answer.status === 204 ? null : await answer.json()
  if (!answer.ok && answer.status !== 409) throw new Error(body.error.message)
  return body
}
const element = (name, text, more = {}) => Object.assign(document.createElement(name), { textContent: text }, more)
const list = (id, items, nothing) => at(id).replaceChildren(...(items.length === 0 ? [element('li', nothing)] : items))

const callRow = ({ id, method, path, status, answered, script, refusal, ms }) => {
  const row = document.createElement('tr')
  const because = [refusal && (refusal.rule ?? refusal.assumption ?? refusal.code), script && (script.name ?? script.id)].filter(Boolean).join(', ')
  const shown = answered ? status : status + ', answer lost'
  row.append(...[id, method + ' ' + path, shown, because, ms].map(text => element('td', text)))
  row.className = status >= 400 || !answered ? 'refused' : ''
  row.tabIndex = 0
  const open = async () => (at('why').textContent = await (await fetch(control + '/requests/' + id + '?format=text')).text())
  row.addEventListener('click', open)
  row.addEventListener('keydown', ({ key }) => key === 'Enter' && open())
  return row
}

async function showState() {
  const [{ scenario, seed, clock, counts }, { data: findings }, coverage, { data: script }, { data: sandboxes }] = await Promise.all(
    ['', '/findings', '/coverage', '/script', '/sandboxes'].map(path => json(path))
  )
  const records = Object.entries(counts).map(([family, count]) => count + ' ' + family).join(', ')
  at('overview').textContent = [scenario.name, scenario.description, 'seed ' + seed, clock.now + (clock.running ? '' : ', standing'), records].filter(Boolean).join(' · ')
  list('findings', findings.map(({ severity, finding, about, advice, times, requests }) =>
    element('li', severity + ': ' + finding + ' (' + times + '×, ' + requests.join(', ') + '). ' + about + ' ' + advice)), 'None.')
  at('coverage').textContent = coverage.seen + ' of ' + coverage.possible + ' rule outcomes, ' + coverage.percent + ' %. Never exercised: ' +
    (coverage.never_exercised.join(', ') || 'none') + '. Never violated: ' + (coverage.never_violated.join(', ') || 'none') + '.'
  list('script', script.map(({ id, entry, matched, applied }) => element('li', id + ' ' + (entry.name ?? '') + ' ' + entry.on + ': matched ' + matched + ', applied ' + applied)), 'No entries.')
  list('sandboxes', sandboxes.map(({ name, control: address, requests }) => {
    const item = element('li', '')
    item.append(element('a', name, { href: address }), ' ' + requests + ' calls')
    return item
  }), 'None.')
}

async function showCalls() {
  const { data } = await json('/requests?limit=' + SHOWN)
  at('calls').replaceChildren(...data.map(callRow))
}

const act = (id, path, options) => at(id).addEventListener('click', async () => {
  try {
    await json(path, { method: 'POST', ...options() })
    at('message').textContent = ''
    await Promise.all([showState(), showCalls()])
  } catch ({ message }) {
    at('message').textContent = message
  }
})
const sent = body => ({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
act('reset', '/reset', () => ({}))
act('load', '/load', () => sent({ scenario: at('scenarios').value }))
act('advance', '/clock/advance', () => sent({ by: '24h' }))

let waiting
new EventSource(control + '/events').addEventListener('request', ({ data }) => {
  at('calls').prepend(callRow(JSON.parse(data)))
  while (at('calls').children.length > SHOWN) at('calls').lastChild.remove()
  waiting ??= setTimeout(() => {
    waiting = undefined
    showState()
  }, 500)
})
json('/scenarios').then(({ data }) => at('scenarios').replaceChildren(...data.map(({ name, description }) => element('option', name, { title: description ?? '' }))))
showState()
showCalls()
`

const STYLE = `:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { margin: 0 auto; max-width: 80rem; padding: 1rem }
h1 { font-size: 1.3rem; margin: 0 } h2 { font-size: 1rem; margin: 1.5rem 0 .3rem }
nav { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; padding: .15rem .6rem; border-bottom: 1px solid #8884; overflow-wrap: anywhere }
tbody tr { cursor: pointer } tbody tr:hover, tbody tr:focus { background: #8882 } .refused td:nth-child(3) { color: #c33 }
pre { overflow: auto; padding: .6rem; background: #8881; white-space: pre-wrap } #message { color: #c33; min-height: 1.2em }
section:first-child { max-height: 60vh; overflow: auto }
`
