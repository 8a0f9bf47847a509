/**
 * The console's evidence in a browser: findings, the map of the rules, assumptions, tests, and the
 * report of the run.
 */
import { readFile } from 'node:fs/promises'
import t from 'tap'
import { BROWSER, isAccessible, LONG, openConsole, SIZES, until } from './browser.js'

/** What would be markup if it were not shown as text. */
const MARKUP = '<img src=x onerror=alert(1)>'

type Opened = Awaited<ReturnType<typeof openConsole>>

/**
 * A Refund that is refused and made again, a search without narrowing, and a read, each by a test.
 */
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
  'console: findings by severity, each with what to do and a link to its calls',
  BROWSER,
  async t => {
    const opened = await openConsole(t, { hash: '#/evidence', records: RECORDS })
    const { page, origin } = opened

    await page.getByText('No findings').waitFor()
    await misbehave(opened)
    const found = page.getByRole('region', { name: 'refused-and-repeated warning' })
    await found.getByText('The response will be the same: correct the request').waitFor()
    t.equal(await page.locator('.badge.bad').count(), 0, 'no error')
    await found.getByRole('link', { name: 'req_2' }).click()
    t.equal(page.url(), `${origin}/_control#/requests/req_2`)
  }
)

t.test(
  'console: the map of the rules says which were kept, broken and untouched, and leads to the calls',
  LONG,
  async t => {
    const opened = await openConsole(t, { hash: '#/evidence/rules', records: RECORDS })
    const { page, origin } = opened
    await misbehave(opened)

    await page.getByRole('link', { name: 'REF-7: only broken' }).waitFor()
    t.equal(await page.locator('.rule').count(), 58)
    t.strictSame(await page.locator('.rule.bad').allTextContents(), ['◑ REF-7'])
    await page.getByRole('link', { name: 'AUTH-1: only kept' }).waitFor()
    await page.getByRole('link', { name: /^broken/ }).click()
    await until(page, "document.querySelectorAll('.rule').length === 1")
    await page.getByRole('link', { name: /^REF-7/ }).click()
    t.equal(page.url(), `${origin}/_control#/evidence/rules/REF-7?state=broken`)
    await page.getByText('kept by none, broken by 2 requests').waitFor()
    await page.getByRole('link', { name: 'Requests that it decided' }).click()
    t.equal(page.url(), `${origin}/_control#/requests?q=rule%3AREF-7`)
  }
)

t.test('console: assumptions by share of calls, and what each test did, as text', LONG, async t => {
  const opened = await openConsole(t, { hash: '#/evidence/assumptions', records: RECORDS })
  const { page } = opened
  await misbehave(opened)

  await page.getByText('2 of 4 requests, 50 %').first().waitFor()
  await page.getByRole('link', { name: 'Tests', exact: true }).click()
  const row = page.getByRole('row', { name: MARKUP })
  await row.waitFor()
  t.equal(
    await page.getByRole('navigation', { name: 'Whose evidence' }).count(),
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
  t.match(await row.textContent(), /REF-7.*refused-and-repeated \(1 ×\)/)
  t.equal(await page.locator('main img').count(), 0)
  await page.goBack()
  await page.getByRole('link', { name: 'errors.expose_rule' }).click()
  await page.getByRole('button', { name: 'Change errors.expose_rule' }).waitFor()
  t.equal(
    await page.locator('.behaviour-setting').count(),
    1,
    'the setting of an assumption is found'
  )
})

t.test(
  'console: the evidence of the run is over all sandboxes, and its report is a file',
  LONG,
  async t => {
    const opened = await openConsole(t, { hash: '#/evidence/findings', records: RECORDS })
    const { page, control } = opened
    await misbehave(opened)
    await control('POST /reset')

    await page.getByText('No findings').waitFor()
    await page.getByRole('link', { name: 'The whole run' }).click()
    await page.getByRole('link', { name: '#1/req_2' }).first().click()
    await page
      .getByRole('complementary', { name: '#1/req_2' })
      .getByText('"REF-7"')
      .first()
      .waitFor()
    const downloads = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Report of the run' }).click()
    const report = await readFile(await (await downloads).path(), 'utf8')
    t.match(report, /^<!doctype html>/i)
    t.match(report, /refused-and-repeated/)
    t.notMatch(report, MARKUP)
  }
)

for (const tab of [
  'findings',
  'findings?scope=run&request=%231%2Freq_1',
  'rules',
  'assumptions',
  'tests'
]) {
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
