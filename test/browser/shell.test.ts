/** The frame of the console in a browser: views, sandboxes, themes, keyboard, signing in. */
import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { BROWSER, isAccessible, LONG, openConsole } from './browser.js'

const BUILT = new URL('../../dist/console/', import.meta.url)
/** Most that the first view may need, compressed, in bytes. */
const FIRST_PAINT = 100_000

t.test('console: what the first view needs is below 100 kB compressed', async t => {
  const needed = readdirSync(BUILT).filter(file => ['index.html', 'console.js', 'console.css', 'icon.svg'].includes(file))
  const sizes = needed.map(file => gzipSync(readFileSync(new URL(file, BUILT))).length)

  t.equal(needed.length, 4)
  t.ok(sizes.reduce((sum, size) => sum + size) < FIRST_PAINT, sizes.join(' + '))
})

t.test('console: a call that comes is shown at once, and its address can be kept', BROWSER, async t => {
  const { page, call, origin } = await openConsole(t)

  await page.getByText('No call has come yet.').waitFor()
  await call('GET /tickets/tkt_a')
  await page.getByRole('row', { name: /req_1/ }).click()
  t.equal(page.url(), `${origin}/_control#/calls/req_1`)
  await page.goto(`${origin}/_control#/evidence`)
  await page.getByRole('heading', { name: 'Evidence' }).waitFor()
  await page.goBack()
  t.equal(page.url(), `${origin}/_control#/calls/req_1`)
})

for (const view of ['calls', 'data', 'behaviour', 'evidence']) {
  t.test(`console: ${view} meets WCAG 2.2 AA in light and dark, wide and narrow`, LONG, async t => {
    await isAccessible(t, `#/${view}`, { prepare: ({ page }) => page.getByRole('link', { name: view }).waitFor() })
  })
}

t.test('console: with a token it asks for it once, and signs out', BROWSER, async t => {
  const { page, origin, violations } = await openConsole(t, { settings: { control_token: 'open sesame' }, expected: /401/ })

  const field = page.getByLabel('Control token')
  await field.fill('wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('This is not the value of CONTROL_TOKEN.').waitFor()
  t.strictSame(await violations(), [])
  await field.fill('open sesame')
  await field.press('Enter')
  await page.getByText('Live').waitFor()
  await page.goto(`${origin}/_control/docs`)
  await page.getByText('Commerce Service API').first().waitFor()
  await page.goto(`${origin}/_control`)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await field.waitFor()
  await page.goto(`${origin}/_control/docs`)
  await field.fill('open sesame')
  await field.press('Enter')
  await page.getByText('List Locations').first().waitFor()
})
