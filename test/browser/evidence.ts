/**
 * The console's evidence in a browser: findings, the map of the rules, assumptions, tests, and the
 * report of the run.
 */
import { readFile } from 'node:fs/promises'
import t from 'tap'
import { authorization, smallFixture } from '../support/emulator.js'
import { BROWSER, follow, isAccessible, LONG, openConsole, SIZES, see, until } from './browser.js'

/** Would be markup if it were not shown as text. */
const MARKUP = '<img src=x onerror=alert(1)>'

type Opened = Awaited<ReturnType<typeof openConsole>>

async function misbehave({ call }: Pick<Opened, 'call'>): Promise<void> {
  for (let times = 0; times < 2; times++)
    await call('POST /refunds', {
      body: { transaction: 'txn_a', amount: 99999 },
      headers: { 'test-name': MARKUP }
    })
  await call('GET /tickets?search_query=T')
  await call('GET /tickets/tkt_a', { headers: { 'test-name': 'reads a Ticket' } })
}

const RECORDS = {
  transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'external', amount: 1000 }]
}

t.test(
  'console: expectations come first and live, each with the requests that counted, and then findings',
  BROWSER,
  async t => {
    const expect = [
      { on: 'GET /tickets', times: 1 },
      { on: 'GET /tickets/{id}', times: 2 },
      { on: 'POST /refunds', match: { body: { amount: 500 } } }
    ]
    const opened = await openConsole(t, {
      hash: '#/evidence',
      scenario: { name: 'test', data: smallFixture(RECORDS), expect }
    })
    const { page, origin, call } = opened
    const badge = page.getByRole('link', { name: /^Tests & evidence/ })
    const expected = page.getByRole('region', { name: 'Expectations of test' })

    await see(badge, '0/3')
    t.equal(await expected.getByText('not exercised', { exact: false }).count(), 3)
    await see(page, 'No findings')
    await misbehave(opened)
    await see(badge, '1/3')
    await call('GET /tickets')
    await see(badge, '0/3')
    const lines = expected.getByRole('listitem')
    t.match(
      await lines.nth(0).textContent(),
      /✗.*wanted GET \/tickets: 1 request, got 2 → req_3, req_5/
    )
    t.match(await lines.nth(2).textContent(), /Near miss: req_2 needs amount 500, got 99999\./)
    const finding = page.getByRole('listitem').filter({ hasText: 'refused-and-repeated' })
    await see(finding, 'The response will be the same: correct the request')
    t.equal(await page.locator('.badge.bad').count(), 1, 'no finding is an error')
    await follow(finding, 'req_2')
    t.equal(page.url(), `${origin}/_control#/requests/req_2`)
    await page.goBack()
    await follow(lines.nth(0), 'req_5')
    t.equal(page.url(), `${origin}/_control#/requests/req_5`)
    await follow(page, 'Scenario')
    await see(page.getByRole('region', { name: 'test', exact: true }), 'got 2 → ')
  }
)

t.test(
  'console: the rules that were passed, violated and not exercised, with links to the calls',
  LONG,
  async t => {
    const opened = await openConsole(t, { hash: '#/evidence/rules', records: RECORDS })
    const { page, origin } = opened
    await misbehave(opened)

    const rows = page.locator('tbody tr')
    const cells = (rule: string) =>
      rows
        .filter({ hasText: `${rule}` })
        .first()
        .locator('td')
    await page.getByRole('link', { name: 'REF-7' }).waitFor()
    t.equal(await rows.count(), 58)
    t.strictSame((await cells('REF-7').allTextContents()).slice(0, 2), ['–', '2'])
    await follow(page, /^violated/)
    await until(page, "document.querySelectorAll('tbody tr').length === 1")
    t.equal(page.url(), `${origin}/_control#/evidence/rules?state=violated`)
    await follow(page, 'REF-7')
    t.equal(page.url(), `${origin}/_control#/requests?q=rule%3AREF-7`)
  }
)

t.test('console: the link of a test finds everything that was counted for it', LONG, async t => {
  const opened = await openConsole(t, { hash: '#/evidence/tests', records: RECORDS })
  const { page, inject } = opened
  const headers = { authorization: authorization(), 'test-name': 'reads a Ticket' }
  await misbehave(opened)
  await inject({ method: 'GET', url: '/sandbox/worker-1/next/tickets', headers })

  await page.getByRole('row', { name: /reads a Ticket 2/ }).waitFor()
  await follow(page, 'reads a Ticket')
  await see(page, '2 requests')
  await page.getByRole('row', { name: /worker-1/ }).waitFor()
})

t.test('console: assumptions by share of calls, and what each test did, as text', LONG, async t => {
  const opened = await openConsole(t, { hash: '#/evidence/assumptions', records: RECORDS })
  const { page } = opened
  await misbehave(opened)

  await page.getByText('2 of 4, 50%').first().waitFor()
  await page.getByRole('link', { name: 'Tests', exact: true }).click()
  const row = page.getByRole('row', { name: MARKUP })
  await row.waitFor()
  t.equal(
    await page.getByRole('navigation', { name: 'Scope of the evidence' }).count(),
    0,
    'tests are those of the run, and there is nothing to choose'
  )
  await page.setViewportSize(SIZES.narrow)
  for (const title of ['Requests', 'Refused'])
    t.ok(
      ((await page.getByRole('columnheader', { name: title }).boundingBox())?.height ?? 99) < 36,
      `${title} is in one line`
    )
  await page.setViewportSize(SIZES.wide)
  t.match(await row.textContent(), /REF-7.*refused-and-repeated ×1/)
  t.equal(await page.locator('main img').count(), 0)
  await page.goBack()
  await follow(page, 'errors.expose_rule')
  await page.getByLabel('Value of errors.expose_rule').waitFor()
  t.equal(await page.locator('.setting').count(), 1, 'the setting of an assumption is found')
})

t.test(
  'console: the evidence of the run covers all sandboxes, and its report is a file',
  LONG,
  async t => {
    const opened = await openConsole(t, { hash: '#/evidence', records: RECORDS })
    const { page, control } = opened
    await misbehave(opened)
    await control('POST /reset')

    await see(page, 'No findings')
    await follow(page, 'Whole run')
    await page.getByRole('link', { name: '#1/req_2' }).first().waitFor()
    await page.getByText('Export', { exact: true }).click()
    const downloads = page.waitForEvent('download')
    await follow(page, 'Report of the run, HTML')
    const report = await readFile(await (await downloads).path(), 'utf8')
    t.match(report, /^<!doctype html>/i)
    t.match(report, /refused-and-repeated/)
    t.notMatch(report, MARKUP)
  }
)

for (const tab of ['summary', 'summary?scope=run', 'rules', 'assumptions', 'tests']) {
  t.test(
    `console: evidence, ${tab}, meets WCAG 2.2 AA in light and dark, wide and narrow`,
    LONG,
    async t => {
      await isAccessible(t, `#/evidence/${tab}`, {
        records: RECORDS,
        prepare: async opened => {
          await misbehave(opened)
          await opened.page.getByRole('navigation', { name: 'Parts of the evidence' }).waitFor()
          await opened.page.waitForTimeout(800)
        }
      })
    }
  )
}
