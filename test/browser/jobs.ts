/** The ten things that people come to the console for, each with the clicks that it takes. */
import type { Page } from 'playwright-core'
import t from 'tap'
import { BROWSER, openConsole, write } from './browser.js'

type Opened = Awaited<ReturnType<typeof openConsole>>

/** Clicks of the pointer since the page was opened; to choose in a list takes two. */
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
  }
) => Promise<unknown>

/** What each takes, from the list of requests on. */
const JOBS: readonly [job: string, clicks: number, run: Job][] = [
  [
    'see why a request was refused',
    1,
    async ({ page, click }) => {
      await click('row', /req_3/)
      await page.locator('.verdict').getByText('Refused by REF-7').waitFor()
    }
  ],
  [
    'find the history of a Refund',
    3,
    async ({ page, click, refund }) => {
      await click('row', /req_2/)
      await click('link', `"${refund}"`)
      await click('link', 'Timeline')
      await page
        .getByRole('list', { name: `Timeline of ${refund}` })
        .getByText('Created')
        .waitFor()
    }
  ],
  [
    'send a request with changes',
    3,
    async ({ page, click }) => {
      await click('row', /req_3/)
      await click('button', 'Try with changes…')
      const body = page.getByLabel('Body')
      await body.fill((await body.inputValue()).replace('400', '300'))
      await click('button', 'Send')
      await page.getByText('Sent as req_4; the response is 200').waitFor()
    }
  ],
  [
    'have the next payment declined',
    1,
    async ({ page, click }) => {
      await click('button', 'Decline next payment')
      await page.getByText('The next payment will be declined').waitFor()
    }
  ],
  [
    'undo a reset',
    2,
    async ({ page, click }) => {
      await click('button', 'Reset')
      await click('button', 'Undo')
      await page.getByText('Undone: the state is restored').waitFor()
    }
  ],
  [
    'save the requests as a scenario',
    1,
    async ({ page, click }) => {
      await click('link', 'Save as scenario')
      await page.getByText('recorded can be loaded.').waitFor()
    }
  ],
  [
    'edit a scenario and load it',
    4,
    async ({ page, click }) => {
      await click('link', 'Scenarios')
      await click('link', /^month-end/)
      await click('link', 'Edit a copy')
      await page.getByText('month-end can be loaded.').waitFor()
      await write(
        page.getByLabel('Scenario or fixture, as YAML or JSON'),
        'name: mine\nfixtures: [bistro]\n'
      )
      await click('button', 'Load the document')
      await page.getByText('mine is loaded').waitFor()
    }
  ],
  [
    'compare two sandboxes',
    1,
    async ({ page, click, refund }) => {
      await click('link', 'Sandboxes')
      await page.getByText(`Refund ${refund}: only in base sandbox`).waitFor()
    }
  ],
  [
    'restore a snapshot',
    2,
    async ({ page, click }) => {
      await click('link', 'Scenarios')
      await click('button', 'Restore lunch')
      await page.getByText('The snapshot lunch is restored').waitFor()
    }
  ],
  [
    'sign in',
    1,
    async ({ page, click }) => {
      await page.getByLabel('Control token').fill('open sesame')
      await click('button', 'Sign in')
      await page.getByText('Live').waitFor()
    }
  ]
]

t.test('console: ten jobs, each with as few clicks as it needs', BROWSER, async t => {
  for (const [job, clicks, run] of JOBS) {
    await t.test(job, async t => {
      const opened = await openConsole(t, {
        ...(job === 'sign in' && { settings: { control_token: 'open sesame' } }),
        expected: /40[01]/
      })
      const { page, call, control, inject } = opened
      const { body: paid } = await call('POST /transactions', {
        body: 'ticket=tkt_a&payment_type=external&amount=500'
      })
      const { body: made } = await call('POST /refunds', {
        body: { transaction: paid.id, amount: 200 }
      })
      await call('POST /refunds', { body: { transaction: paid.id, amount: 400 } })
      if (job !== 'sign in') {
        await control('PUT /snapshots/lunch')
        await inject({
          method: 'POST',
          url: '/sandbox/worker-1/_control/reset',
          headers: { host: 'localhost' }
        })
        await page.reload()
        await page.getByText('3 requests').waitFor()
      }
      await page.evaluate(COUNT)

      await run({
        ...opened,
        refund: made.id,
        click: (role, name) => page.getByRole(role, { name, exact: true }).click()
      })
      t.equal(await clicksIn(page), clicks)
    })
  }
})
