/** The frame of the console in a browser: views, sandboxes, themes, keyboard, signing in. */
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliDecompressSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import t from 'tap'
import { authorization } from '../support/emulator.js'
import {
  BROWSER,
  follow,
  isAccessible,
  LONG,
  makeSandbox,
  openConsole,
  press,
  see,
  until
} from './browser.js'

const BUILT = new URL('../../dist/console/', import.meta.url)
/** Maximum bytes of the first view as sent; 39 kB are fonts. */
const FIRST_PAINT = 100_000

t.test('console: what the first view needs is below 100 kB compressed', async t => {
  const script = brotliDecompressSync(readFileSync(new URL('console.js.br', BUILT))).toString()
  const parts = [...script.matchAll(/from"\.\/([\w.-]+)"/g)].map(([, file]) => `${file}.br`)
  const needed = readdirSync(BUILT).filter(
    file =>
      /^(index\.html|(console\.js|console\.css|icon\.svg|.*\.woff2)\.br)$/.test(file) ||
      parts.includes(file)
  )
  const sizes = needed.map(file => statSync(new URL(file, BUILT)).size)

  t.ok(needed.length >= 6, needed.join())
  t.ok(sizes.reduce((sum, size) => sum + size) < FIRST_PAINT, sizes.join(' + '))
})

t.test(
  'console: a new request is shown at once, and its address can be saved',
  BROWSER,
  async t => {
    const { page, call, origin } = await openConsole(t)

    await see(page, 'Waiting for the first request')
    await call('GET /tickets/tkt_a')
    await page.getByRole('row', { name: /req_1/ }).click()
    t.equal(page.url(), `${origin}/_control#/requests/req_1`)
    await page.goto(`${origin}/_control#/evidence`)
    await page.getByRole('heading', { name: 'Tests & evidence' }).waitFor()
    await page.goBack()
    t.equal(page.url(), `${origin}/_control#/requests/req_1`)
  }
)

for (const view of ['requests', 'evidence', 'data', 'scenario', 'settings']) {
  t.test(`console: ${view} meets WCAG 2.2 AA in light and dark, wide and narrow`, LONG, async t => {
    await isAccessible(t, `#/${view}`, {
      prepare: ({ page }) => page.getByRole('link', { name: view }).waitFor()
    })
  })
}

t.test('console: with a token the browser sends it with every request', BROWSER, async t => {
  const token = 'open sesame, open sesame'
  const settings = { control_token: token }
  const { page, origin } = await openConsole(t, { settings, password: token, expected: /401/ })
  await see(page, 'Live')
  await page.goto(`${origin}/_control/docs`)
  await page.getByText('List Locations').first().waitFor()
})

t.test(
  "console: the theme is the system's until one is chosen, and the choice is remembered",
  LONG,
  async t => {
    const { page } = await openConsole(t, { theme: 'dark' })
    const ground = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
    const button = page.getByRole('button', { name: /^Theme/ })

    await button.waitFor()
    const dark = await ground()
    await button.click()
    t.equal(await button.getAttribute('aria-label'), 'Theme: light')
    t.not(await ground(), dark)
    await page.reload()
    t.equal(await button.getAttribute('aria-label'), 'Theme: light')
    await button.click()
    t.strictSame([await button.getAttribute('aria-label'), await ground()], ['Theme: dark', dark])
    await page.keyboard.press('t')
    t.equal(await button.getAttribute('aria-label'), 'Theme: system')
  }
)

t.test('console: the page of the API is light or dark as the system is', LONG, async t => {
  const { page, origin } = await openConsole(t, { theme: 'dark' })
  const isDark = "getComputedStyle(document.documentElement).backgroundColor === 'rgb(28, 32, 34)'"

  await page.goto(`${origin}/_control/docs`)
  await page.getByText('List Locations').first().waitFor()
  t.equal(await page.evaluate(isDark), true)
  await page.emulateMedia({ colorScheme: 'light' })
  await until(page, `!(${isDark})`)
})

t.test('console: a new row flashes, unless less motion is wished for', LONG, async t => {
  const { page, call } = await openConsole(t)
  const motion = `getComputedStyle(document.querySelector('.line.new')).animationName`
  await call('GET /locations')
  await page.locator('.line').waitFor()
  await call('GET /accounts')
  await page.locator('.line.new').waitFor()
  t.equal(await page.evaluate(motion), 'none')
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  t.equal(await page.evaluate(motion), 'flash')
})

t.test('console: the help lists the keys, and they can be switched off', LONG, async t => {
  const { page, call } = await openConsole(t)
  const search = page.getByLabel('Search requests')

  await call('GET /tickets')
  await search.waitFor()
  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Shortcuts' })
  await see(help, 'Search', { exact: true })
  t.equal(
    await page.evaluate(
      `[...document.querySelectorAll('.keys kbd')].every(key => key.offsetWidth + 8 < key.parentElement.clientWidth)`
    ),
    true
  )
  await help.getByLabel('Single-key shortcuts').uncheck()
  await page.keyboard.press('Escape')
  await help.waitFor({ state: 'detached' })
  await until(page, 'document.activeElement.type === undefined')
  await page.keyboard.press('/')
  t.equal(await page.evaluate('document.activeElement.type'), undefined, 'the key does nothing')
  await press(page, 'Shortcuts')
  await help.getByLabel('Single-key shortcuts').check()
  await page.keyboard.press('Escape')
  await page.keyboard.press('/')
  t.equal(await page.evaluate('document.activeElement.type'), 'search')
  await page.keyboard.type('j?')
  t.equal(await search.inputValue(), 'j?', 'what is typed into a field is no shortcut')
})

const chooseSandbox = async (page: Page, name: string) => {
  await press(page, /^Sandbox: /)
  const dialog = page.getByRole('dialog', { name: 'Sandboxes' })
  await dialog.getByRole('link', { name, exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
}

t.test(
  'console: the sandbox is chosen in the header, and stays as the view changes',
  LONG,
  async t => {
    const { page, inject, origin } = await openConsole(t)
    await makeSandbox({ inject })
    await page.reload()

    const name = () => page.getByRole('button', { name: /^Sandbox: / }).textContent()
    await chooseSandbox(page, 'worker-1')
    t.equal(page.url(), `${origin}/_control#/requests?sandbox=worker-1`)
    await follow(page, 'Tests & evidence')
    t.equal(page.url(), `${origin}/_control#/evidence?sandbox=worker-1`)
    await until(page, "document.title === 'Tests & evidence · worker-1 · commerce-emulator'")
    await page.goBack()
    t.equal(await name(), 'worker-1')
  }
)

t.test(
  'console: a sandbox that was deleted says so, and nothing creates it again by itself',
  BROWSER,
  async t => {
    const { page, inject, control } = await openConsole(t, { expected: /404/ })
    const reset = '/sandbox/worker-1/_control/reset'
    await inject({ method: 'POST', url: reset, headers: { host: 'localhost' } })
    await page.reload()
    await chooseSandbox(page, 'worker-1')
    await see(page, 'Waiting for the first request')

    await press(page, /^Sandbox: /)
    await press(page, 'Delete worker-1')
    await press(page, 'Delete sandbox')
    await page.keyboard.press('Escape')
    await see(page, 'There is no sandbox worker-1.')
    t.equal(await page.getByRole('group', { name: 'Quick actions' }).count(), 0)
    for (const view of ['Data', 'Scenario', 'Settings', 'Tests & evidence'])
      await follow(page, view)
    await page.waitForTimeout(2500)
    t.strictSame((await control('GET /sandboxes')).body.data, [])
    await press(page, 'Create worker-1')
    await see(page, 'Expectations of')
    await see(page, 'Sandbox worker-1 created')
  }
)

t.test('console: a late response from the previous sandbox replaces nothing', LONG, async t => {
  const { page, inject } = await openConsole(t)
  await inject({
    method: 'POST',
    url: '/sandbox/worker-1/_control/load',
    headers: { host: 'localhost' },
    payload: { scenario: 'month-end' }
  })
  await page.reload()
  const shown = page.locator('.status a')
  await see(shown, 'test', { exact: true })
  await page.route('**/_control', async route => {
    if (!route.request().url().includes('worker-1'))
      await new Promise(next => setTimeout(next, 500))
    await route.continue()
  })

  await chooseSandbox(page, 'worker-1')
  await see(shown, 'month-end')
  await chooseSandbox(page, 'base sandbox')
  await chooseSandbox(page, 'worker-1')
  await page.waitForTimeout(800)
  t.equal(await shown.textContent(), 'month-end')
})

/** What a page of another site tries, each with the result. */
const TRIED = (origin: string, key: string) => `(async () => {
  const loaded = (tag, address) => new Promise(resolve => {
    const element = Object.assign(document.createElement(tag), { onload: () => resolve('loaded'), onerror: () => resolve('failed'), src: address })
    document.body.append(element)
  })
  const fetched = (address, options) => fetch(address, options).then(({ type, status }) => type + ' ' + status, () => 'failed')
  return [
    await loaded('img', '${origin}/_control/console/icon.svg'),
    await loaded('script', '${origin}/_control/console/console.js'),
    await fetched('${origin}/_control/state', { mode: 'no-cors' }),
    await fetched('${origin}/_control/health'),
    await fetched('${origin}/_control/reset', { method: 'POST', mode: 'no-cors' }),
    await fetched('${origin}/sandbox/shop/next/tickets', { headers: { authorization: '${key}' } })
  ]
})()`

t.test(
  'console: a page of another site or port reads nothing of it, and its link opens it',
  BROWSER,
  async t => {
    const { app, page, origin, sandbox, sandboxes } = await openConsole(t, {
      expected: /elsewhere|403|Failed|ERR_|CORS|frame/i
    })
    const statuses: string[] = []
    app.server.on('request', ({ url = '', headers }, response) => {
      // the console's own requests may still be in flight
      if (url.startsWith('/_control') && headers['sec-fetch-site'] !== 'same-origin')
        response.on('finish', () => statuses.push(`${response.statusCode} ${url}`))
    })
    const site = createServer((_request, response) =>
      response
        .setHeader('content-type', 'text/html')
        .end(`<body><a href="${origin}/_control">console</a>`)
    )
    await once(site.listen(0), 'listening')
    t.teardown(() => site.close())

    for (const host of ['localhost', '127.0.0.1']) {
      await page.goto(`http://${host}:${(site.address() as AddressInfo).port}/`)
      statuses.length = 0
      const tried = await page.evaluate(TRIED(origin, authorization()))
      t.strictSame(tried, ['failed', 'failed', 'failed', 'failed', 'failed', 'cors 200'], host)
      t.strictSame(
        statuses.sort(),
        ['console/console.js', 'console/icon.svg', 'health', 'reset', 'state'].map(
          path => `403 /_control/${path}`
        ),
        host
      )
      t.equal(sandboxes.find('shop').isOfPages, true, `${host}: a page alone has used its sandbox`)
      await sandboxes.delete('shop')
      await page.getByText('console').click()
      await see(page, 'Live')
    }
    t.equal(sandbox.requests, 0)
  }
)

const DIALOGS: readonly [hash: string, button: string, dialog: string][] = [
  ['#/requests', 'Shortcuts', 'Shortcuts'],
  ['#/requests', 'Sandbox: base sandbox', 'Sandboxes'],
  ['#/requests', 'Clear', 'Clear the request log?'],
  ['#/requests/req_1', 'Replay…', 'Replay req_1'],
  ['#/data', 'Add or edit records', 'Add or edit records'],
  ['#/requests/req_1', 'Send again', 'Send it again?'],
  ['#/scenario/script', 'Remove all entries', 'Remove all entries?'],
  ['#/scenario', 'Delete lunch', 'Delete lunch?']
]
for (const [hash, button, title] of DIALOGS) {
  t.test(
    `console: the dialog ${title} meets WCAG 2.2 AA in light and dark, wide and narrow, and gives the focus back`,
    LONG,
    async t => {
      const { page } = await isAccessible(t, hash, {
        prepare: async ({ page, call, control, inject }) => {
          await call('POST /refunds')
          await control('POST /script', { on: 'GET /tickets', delay: '1ms' })
          await control('PUT /snapshots/lunch')
          await makeSandbox({ inject })
          await page.reload()
          await page.getByRole('button', { name: button, exact: true }).click()
          await page.getByRole('dialog', { name: title }).waitFor()
          await page.waitForTimeout(500)
        },
        expected: /404/
      })

      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      t.equal(
        await page.evaluate(
          'document.activeElement.ariaLabel ?? document.activeElement.textContent'
        ),
        button
      )
    }
  )
}
