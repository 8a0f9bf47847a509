/**
 * The console's data in a browser: every family, links both ways, edits, export.
 */
import { readFile } from 'node:fs/promises'
import t from 'tap'
import {
  BROWSER,
  follow,
  isAccessible,
  LONG,
  linesOf,
  openConsole,
  press,
  SIZES,
  see,
  write
} from './browser.js'

/** Would be markup if it were not shown as text. */
const MARKUP = '<img src=x onerror=alert(1)>'
const RECORDS = {
  tickets: [{ id: 'tkt_b', location: 'loc_a', reference: MARKUP }],
  transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'external', amount: 4200 }],
  refunds: [{ id: 'rfd_a', transaction: 'txn_a', amount: 1000, reason: 'cold soup' }]
}

t.test(
  'console: a record with its money, links both ways, and search while typing',
  BROWSER,
  async t => {
    const { page, origin } = await openConsole(t, {
      hash: '#/data/transactions/txn_a',
      records: RECORDS
    })

    const detail = page.getByRole('complementary', { name: 'txn_a' })
    await detail
      .getByRole('img', { name: 'charged $42.00, refunded $10.00, remaining $32.00' })
      .waitFor()
    const refunds = detail.getByRole('region', { name: '1 refund' })
    t.match(await refunds.getByRole('row').last().textContent(), /\$10\.00cold soup\$32\.00/)
    await refunds.getByRole('row').last().getByRole('link').click()
    t.equal(page.url(), `${origin}/_control#/data/refunds/rfd_a`)
    for (const id of ['txn_a', 'tkt_a'])
      await page.getByRole('complementary').getByRole('link', { name: id, exact: true }).click()
    const ticket = page
      .getByRole('complementary', { name: 'tkt_a' })
      .getByRole('region', { name: '1 transaction' })
    await ticket
      .getByRole('img', { name: 'charged $42.00, refunded $10.00, remaining $32.00' })
      .waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('onerror')
    await see(page, '1 of 2 tickets')
    const row = page.getByRole('row', { name: /tkt_b/ })
    t.match(await row.textContent(), MARKUP)
    t.equal(
      await row.getByRole('link', { name: 'loc_a' }).getAttribute('href'),
      '#/data/locations/loc_a'
    )
    t.equal(await page.locator('main img').count(), 0)
  }
)

t.test(
  'console: the chosen family is visible on a narrow page, and amounts are complete next to a record',
  LONG,
  async t => {
    const { page } = await openConsole(t, {
      hash: '#/data/refunds',
      records: RECORDS,
      size: 'narrow'
    })

    const chosen = page.getByRole('link', { name: /^Refunds/ })
    await see(chosen, '1')
    await page.waitForTimeout(100)
    const { x, width } = (await chosen.boundingBox()) as { x: number; width: number }
    t.ok(x >= 0 && x + width <= SIZES.narrow.width, `${x} ${width}`)
    await page.setViewportSize(SIZES.wide)
    await page.goto(page.url().replace('refunds', 'transactions/txn_a'))
    await page.getByRole('complementary', { name: 'txn_a' }).waitFor()
    await page.getByRole('gridcell', { name: '$42.00' }).waitFor()
    await page.waitForTimeout(100)
    t.equal(
      await page.evaluate(
        `[...document.querySelectorAll('.grid .number')].every(cell => cell.scrollWidth <= cell.clientWidth)`
      ),
      true
    )
  }
)

t.test('console: a change of the API is shown at once', LONG, async t => {
  const { page, call } = await openConsole(t, {
    hash: '#/data/transactions/txn_a',
    records: RECORDS
  })

  await page.getByText('$32.00').first().waitFor()
  await call('POST /refunds', { body: { transaction: 'txn_a', amount: 200 } })
  await page.getByText('$30.00').first().waitFor()
})

t.test(
  'console: records are edited and a key is created; a wrong fixture says where, and changes nothing',
  LONG,
  async t => {
    const { page, control } = await openConsole(t, {
      hash: '#/data/tickets',
      records: RECORDS,
      expected: /400/
    })

    await press(page, 'Add or edit records')
    await write(
      page.getByRole('textbox', { name: 'Fixture' }),
      'tickets:\n  - { id: tkt_c, location: loc_z }\n'
    )
    await press(page, 'Merge into the state')
    const dialog = page.getByRole('dialog', { name: 'Add or edit records' })
    await press(dialog, 'Line 2')
    t.match(await dialog.getByRole('alert').textContent(), /no Location has the id loc_z/)
    t.equal(await dialog.locator('.cm-problem').textContent(), '  - { id: tkt_c, location: loc_z }')
    t.equal(await dialog.locator('.editor').evaluate(host => host.matches(':focus-within')), true)
    t.notOk(
      (await control('GET /state')).body.tickets.some(({ id }: { id: string }) => id === 'tkt_c')
    )
    await write(
      page.getByRole('textbox', { name: 'Fixture' }),
      'tickets:\n  - { id: tkt_c, location: loc_a }\n'
    )
    t.equal(
      await dialog.getByRole('button', { name: 'Line 2' }).count(),
      0,
      'the problem of another text is gone'
    )
    await press(page, 'Merge into the state')
    await see(page, 'Added or changed: 1 ticket.')

    await page.goto(page.url().replace(/#.*/, '#/data/transactions/txn_a'))
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    const text = page.getByRole('textbox', { name: 'Fixture' })
    t.match(await linesOf(text), /^transactions:\n {2}- id: txn_a\n/)
    await write(text, (await linesOf(text)).replace('amount: 4200', 'amount: 4300'))
    await press(page, 'Merge into the state')
    await see(page, 'Added or changed: 1 transaction.')
    t.equal((await control('GET /state')).body.transactions[0].amount, 4300)

    await follow(page, 'API keys')
    await page.getByLabel('A new key that acts as').selectOption('rsl_r')
    await press(page, 'Create key')
    await see(page, / acts as rsl_r$/)
    t.equal((await control('GET /keys')).body.data.length, 3)
  }
)

t.test('console: the state is exported as a fixture', LONG, async t => {
  const { page } = await openConsole(t, { hash: '#/data', records: RECORDS })
  const downloads = page.waitForEvent('download')
  await page.getByText('Export', { exact: true }).click()
  await follow(page, 'State as YAML')

  t.match(await readFile(await (await downloads).path(), 'utf8'), /id: rfd_a/)
})

for (const place of ['transactions/txn_a', 'keys', 'tickets/tkt_a']) {
  t.test(
    `console: data, ${place}, meets WCAG 2.2 AA in light and dark, wide and narrow`,
    LONG,
    async t => {
      await isAccessible(t, `#/data/${place}`, {
        records: RECORDS,
        prepare: ({ page }) => page.waitForTimeout(900)
      })
    }
  )
}
