/** The console: a page for browsers at the control address, JSON for everybody else. */
import t from 'tap'
import { startTestEmulator } from '../support/emulator.js'

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const FILES: Readonly<Record<string, string>> = {
  '/console/console.css': 'text/css; charset=utf-8',
  '/console/console.js': 'text/javascript; charset=utf-8',
  '/console/text.js': 'text/javascript; charset=utf-8'
}
/** What the page writes: plain JavaScript for browsers, whose types the page's own tsconfig checks. */
const { callCells, coverageText, findingText, isMarked, overviewText, scriptText } = await import(new URL('../../src/console/ui/text.js', import.meta.url).href)

t.test('console: a browser gets the page, anything else JSON', async t => {
  const { control } = await startTestEmulator(t)

  const page = await control('GET /', undefined, HTML)
  t.equal(page.status, 200)
  t.hasStrict(page.headers, { 'content-type': 'text/html; charset=utf-8', 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' })
  t.equal(page.text.includes('<body data-control="/_control">'), true)
  t.equal((await control('GET /', undefined, { accept: '*/*' })).body.name, 'commerce-emulator')
  t.equal((await control('GET /')).body.links.docs, '/_control/docs')
})

t.test('console: the page of a sandbox reads the control API of that sandbox', async t => {
  const { call, inject } = await startTestEmulator(t)
  const ask = (url: string) => inject({ method: 'GET', url, headers: { host: 'localhost', ...HTML } })

  await call('GET /tickets')
  t.equal((await ask('/sandbox/worker-1/_control')).status, 404)
  await inject({ method: 'POST', url: '/sandbox/worker-1/_control/reset', headers: { host: 'localhost', 'content-type': 'application/json' } })

  const { text } = await ask('/sandbox/worker-1/_control')
  t.equal(text.includes('<body data-control="/sandbox/worker-1/_control">'), true)
  t.equal(text.includes('<title>commerce-emulator /sandbox/worker-1</title>'), true)
  t.notMatch(text, '{{', 'every value of the page is filled in')
})

t.test('console: all that the page loads comes from the emulator, and nothing from elsewhere', async t => {
  const { control } = await startTestEmulator(t)

  const { text, headers } = await control('GET /', undefined, HTML)
  const addresses = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address as string)
  t.strictSame(
    addresses.filter(address => !address.startsWith('/_control/')),
    []
  )
  t.strictSame(addresses.filter(address => address.startsWith('/_control/console/')).sort(), ['/_control/console/console.css', '/_control/console/console.js'])
  t.strictSame(String(headers['content-security-policy']).split('; '), [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ])
  for (const [path, type] of Object.entries(FILES)) {
    const file = await control(`GET ${path}`)
    t.strictSame([file.status, file.headers['content-type'], file.headers['x-content-type-options']], [200, type, 'nosniff'], path)
    t.notMatch(file.text, /innerHTML|outerHTML|insertAdjacentHTML|https?:\/\//, 'what a client sent is never taken for markup')
  }
})

t.test('console: a file that is not part of the page and a path out of the folder are refused', async t => {
  const { inject } = await startTestEmulator(t)

  for (const path of ['/console/index.html', '/console/tsconfig.json', '/console/..%2ffiles.ts', '/console/__proto__', '/console.js']) {
    const { status, body } = await inject({ method: 'GET', url: `/_control${path}`, headers: { host: 'localhost' } })
    t.strictSame([status, body.error.code], [404, 'path_unknown'], path)
  }
})

t.test('console: pages of other origins and callers without the token are refused', async t => {
  const { control } = await startTestEmulator(t, { settings: { control_token: 'secret' } })

  for (const path of ['/', ...Object.keys(FILES)]) {
    t.equal((await control(`GET ${path}`, undefined, HTML)).status, 401, path)
    t.equal((await control(`GET ${path}`, undefined, { ...HTML, host: 'evil.example' })).status, 403)
    t.equal((await control(`GET ${path}`, undefined, { ...HTML, origin: 'http://evil.example' })).status, 403)
    t.equal((await control(`GET ${path}`, undefined, { ...HTML, authorization: 'Bearer secret' })).status, 200)
  }
})

t.test('console: what it writes of the state, of calls, findings and coverage is made from what the control API returns', async t => {
  const { call, control } = await startTestEmulator(t)
  const data = async (path: string) => (await control(`GET ${path}`)).body.data

  await call('GET /tickets/tkt_none')
  await call('GET /tickets', { query: 'search_query=x' })
  await control('PUT /clock', { running: true })
  const running = overviewText((await control('GET /')).body)
  await control('PUT /clock', { now: '2026-03-01T18:05:00Z', running: false })
  const [list, missing] = await data('/requests')

  t.match(running, /^test · seed 1 · 2026-03-01T18:05:00\.\d{3}Z · 2 accounts, 0 users, 1 locations, 1 tickets, 0 transactions, 0 refunds$/)
  t.match(overviewText((await control('GET /')).body), / · 2026-03-01T18:05:00\.000Z, frozen · /)
  t.strictSame(callCells(missing).slice(0, 4), ['req_1', 'GET /tickets/tkt_none', '404', missing.refusal.rule ?? missing.refusal.assumption])
  t.strictSame(callCells(list).slice(0, 4), ['req_2', `${list.method} ${list.path}`, '200', ''])
  t.strictSame([list, missing].map(isMarked), [false, true])
  t.match(findingText((await data('/findings'))[0]), /^\w+: search-without-narrowing \(1×, req_2\)\. .+\. .+\.$/)
  t.match(coverageText((await control('GET /coverage')).body), /^\d+ of \d+ rule outcomes, [\d.]+ %\. Never exercised: .+\. Never violated: .+\.$/)
})

t.test('console: a lost answer, the script entry behind a call and the entries themselves are shown', async t => {
  const base = { id: 'req_1', method: 'POST', path: '/refunds', status: 200, answered: true, ms: 2, script: null, refusal: null }
  const cells: [title: string, call: object, expected: string[], marked: boolean][] = [
    ['answered', {}, ['200', ''], false],
    ['lost', { answered: false }, ['200, answer lost', ''], true],
    ['by a named entry', { script: { id: 'scr_1', name: 'declined' }, status: 402 }, ['402', 'declined'], true],
    [
      'by an entry without a name, after a refusal by code',
      { script: { id: 'scr_1' }, refusal: { code: 'not_ready' }, status: 503 },
      ['503', 'not_ready, scr_1'],
      true
    ],
    ['refused by a rule', { refusal: { code: 'x', rule: 'REF-7' }, status: 400 }, ['400', 'REF-7'], true]
  ]
  for (const [title, call, expected, marked] of cells) {
    t.strictSame(callCells({ ...base, ...call }), ['req_1', 'POST /refunds', ...expected, '2'], title)
    t.equal(isMarked({ ...base, ...call }), marked, title)
  }

  t.equal(scriptText({ id: 'scr_1', entry: { name: 'slow', on: 'GET /tickets' }, matched: 3, applied: 1 }), 'scr_1 slow GET /tickets: matched 3, applied 1')
  t.equal(scriptText({ id: 'scr_2', entry: { on: 'GET /tickets' }, matched: 0, applied: 0 }), 'scr_2 GET /tickets: matched 0, applied 0')
  t.match(coverageText({ seen: 1, possible: 2, percent: 50, never_exercised: [], never_violated: [] }), 'Never exercised: none. Never violated: none.')
})
