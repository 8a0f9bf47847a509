/** The console: a page for browsers at the control address, JSON for everybody else. */
import { Script } from 'node:vm'
import t from 'tap'
import { startTestEmulator } from '../support/emulator.js'

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

t.test('a browser is shown the console, anything else JSON', async t => {
  const { control } = await startTestEmulator(t)

  const page = await control('GET /', undefined, HTML)
  t.equal(page.status, 200)
  t.match(page.headers, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': /default-src 'none'/, 'x-content-type-options': 'nosniff' })
  t.match(page.text, '<body data-control="/_control">')
  t.equal((await control('GET /', undefined, { accept: '*/*' })).body.name, 'commerce-emulator')
  t.equal((await control('GET /')).body.links.docs, '/_control/docs')
})

t.test('the console of a sandbox speaks of that sandbox', async t => {
  const { call, inject } = await startTestEmulator(t)
  const ask = (url: string) => inject({ method: 'GET', url, headers: { host: 'localhost', ...HTML } })

  await call('GET /tickets')
  t.equal((await ask('/sandbox/worker-1/_control')).status, 404)
  await inject({ method: 'GET', url: '/sandbox/worker-1/next/tickets' })
  t.match((await ask('/sandbox/worker-1/_control')).text, '<body data-control="/sandbox/worker-1/_control">')
})

t.test('its script and its style come from the emulator, and nothing from elsewhere', async t => {
  const { control } = await startTestEmulator(t)

  const { text } = await control('GET /', undefined, HTML)
  const files = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file as string)
  t.equal(
    files.every(file => file.startsWith('/_control/')),
    true
  )
  const script = await control('GET /console.js')
  t.match(script.headers['content-type'], 'text/javascript')
  t.doesNotThrow(() => new Script(script.text), 'it can be parsed')
  t.notMatch(script.text, /innerHTML|https?:\/\//, 'what a client sent is never taken for markup')
  t.match((await control('GET /console.css')).headers['content-type'], 'text/css')
})

t.test('it is kept from pages of other origins and from callers without the token', async t => {
  const { control } = await startTestEmulator(t, { settings: { control_token: 'secret' } })

  for (const path of ['/', '/console.js', '/console.css']) {
    t.equal((await control(`GET ${path}`, undefined, HTML)).status, 401, path)
    t.equal((await control(`GET ${path}`, undefined, { ...HTML, host: 'evil.example' })).status, 403)
    t.equal((await control(`GET ${path}`, undefined, { ...HTML, origin: 'http://evil.example' })).status, 403)
    t.equal((await control(`GET ${path}`, undefined, { ...HTML, authorization: 'Bearer secret' })).status, 200)
  }
})
