/** The twelve tasks that people use the console for, each with the clicks that it takes. */
import type { Page } from 'playwright-core'
import t from 'tap'
import { BROWSER, makeSandbox, openConsole, see, write } from './browser.js'

type Opened = Awaited<ReturnType<typeof openConsole>>

/** Clicks since the page was opened; choosing from a list takes two. */
const COUNT = `
  sessionStorage.clicks = 0
  const count = by => { sessionStorage.clicks = Number(sessionStorage.clicks) + by }
  addEventListener('pointerdown', () => count(1), true)
  addEventListener('change', ({ target }) => target instanceof HTMLSelectElement && count(2), true)
`
const clicksIn = async (page: Page): Promise<number> =>
  Number(await page.evaluate('sessionStorage.clicks'))

type Job = (
  opened: Opened & {
    click: (role: 'link' | 'button' | 'row', name: string | RegExp) => Promise<void>
    refund: string
    payment: string
  }
) => Promise<unknown>

/** Clicks of each task, from the list of requests. */
const JOBS: readonly [job: string, clicks: number, run: Job][] = [
  [
    'see why a request was refused',
    1,
    async ({ page, click }) => {
      await click('row', /req_3/)
      await see(page.locator('.verdict'), 'REF-7: a Refund')
    }
  ],
  [
    'see what a test did',
    1,
    async ({ page, click }) => {
      await click('link', 'pays back')
      await see(page, '2 requests')
    }
  ],
  [
    'see what changed a record',
    3,
    async ({ page, click, payment }) => {
      await click('link', 'Data')
      await click('row', new RegExp(payment))
      await click('link', /^\d+ requests$/)
      await see(page, 'amount_refunded: ')
    }
  ],
  [
    'find the refund history of a payment',
    2,
    async ({ page, click, payment }) => {
      await click('link', 'Data')
      await click('row', new RegExp(payment))
      await page.getByRole('region', { name: '1 refund' }).getByText('$2.00').first().waitFor()
    }
  ],
  [
    'replay a request with changes',
    3,
    async ({ page, click }) => {
      await click('row', /req_3/)
      await click('button', 'Replay…')
      const body = page.getByLabel('Body')
      await body.fill((await body.inputValue()).replace('400', '300'))
      await click('button', 'Send')
      await see(page, 'Sent as req_4; the response is 200')
    }
  ],
  [
    'have the next payment declined',
    1,
    async ({ page, click }) => {
      await click('button', 'Decline next payment')
      await page.getByText('armed ×1').first().waitFor()
    }
  ],
  [
    'have the next response lost',
    1,
    async ({ page, click }) => {
      await click('button', 'Lose next response')
      await page.getByText('armed ×1').first().waitFor()
    }
  ],
  [
    'freeze and advance the clock',
    4,
    async ({ page, click }) => {
      await click('link', 'Scenario')
      await click('link', 'Clock')
      await click('button', 'Resume')
      await see(page, 'running', { exact: true })
      await click('button', 'Advance 1 h')
      await see(page, 'Now: 2026-03-01 19:05')
    }
  ],
  [
    'load another scenario',
    4,
    async ({ page, click }) => {
      await click('link', 'Scenario')
      await click('link', 'Library & editor')
      await click('link', /^month-end/)
      await see(page, 'name: month-end')
      await click('button', 'Load scenario')
      await see(page, 'month-end loaded')
    }
  ],
  [
    'edit a scenario and load it',
    3,
    async ({ page, click }) => {
      await click('link', 'Scenario')
      await click('link', 'Library & editor')
      await write(
        page.getByLabel('Scenario or fixture, as YAML or JSON'),
        'name: mine\nfixtures: [bistro]\n'
      )
      await click('button', 'Load scenario')
      await see(page, 'mine loaded')
    }
  ],
  [
    'compare two sandboxes',
    1,
    async ({ page, click, refund }) => {
      await click('button', 'Sandbox: base sandbox')
      await see(page, `Refund ${refund}: `)
    }
  ],
  [
    'export the state',
    2,
    async ({ page, click }) => {
      await page.getByText('Export', { exact: true }).click()
      const download = page.waitForEvent('download')
      await click('link', 'State as YAML')
      await download
    }
  ]
]

t.test('console: twelve tasks, each with as few clicks as it needs', BROWSER, async t => {
  for (const [job, clicks, run] of JOBS) {
    await t.test(job, async t => {
      const opened = await openConsole(t, { expected: /400/ })
      const { page, call, inject } = opened
      const { body: paid } = await call('POST /transactions', {
        body: 'ticket=tkt_a&payment_type=external&amount=500'
      })
      const headers = { 'test-name': 'pays back' }
      const refund = (amount: number) =>
        call('POST /refunds', { body: { transaction: paid.id, amount }, headers })
      const { body: made } = await refund(200)
      await refund(400)
      await makeSandbox({ inject })
      await page.reload()
      await see(page, '3 requests')
      await page.evaluate(COUNT)

      await run({
        ...opened,
        refund: made.id,
        payment: paid.id,
        click: (role, name) => page.getByRole(role, { name, exact: true }).first().click()
      })
      t.equal(await clicksIn(page), clicks)
    })
  }
})
