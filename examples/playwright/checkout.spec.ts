import { expect, test } from './commerce'

test('a guest pays by card: the page calls the API from another origin', async ({ commerce, page }) => {
  const ticket = await commerce.ticket('T-1')

  await page.goto(`/?ticket=${ticket}`)
  await page.getByLabel('Amount').fill('42.50')
  await page.getByRole('button', { name: 'Pay' }).click()

  await expect(page.getByRole('status')).toHaveText('Paid 42.50 USD')
  expect(await commerce.payments(ticket)).toMatchObject([{ amount: 4250, currency: 'usd', payment_type: 'card' }])
})

test('a declined card: the page says so, and the guest may try again', async ({ commerce, page }) => {
  const error = { type: 'card_error', code: 'card_declined', message: 'The card was declined.' }
  await commerce.script({ on: 'POST /transactions', calls: 1, respond: { status: 402, error } })

  await page.goto(`/?ticket=${await commerce.ticket('T-1')}`)
  await page.getByLabel('Amount').fill('10.00')
  await page.getByRole('button', { name: 'Pay' }).click()

  await expect(page.getByRole('status')).toHaveText('The card was declined.')
  await page.getByRole('button', { name: 'Pay' }).click()
  await expect(page.getByRole('status')).toHaveText('Paid 10.00 USD')
})

test('a slow answer: the button cannot be pressed twice', async ({ commerce, page }) => {
  await commerce.script({ on: 'POST /transactions', delay: '500ms' })

  await page.goto(`/?ticket=${await commerce.ticket('T-1')}`)
  await page.getByLabel('Amount').fill('10.00')
  await page.getByRole('button', { name: 'Pay' }).dblclick()

  await expect(page.getByRole('status')).toHaveText('Paid 10.00 USD')
  await commerce.verify({ on: 'POST /transactions', times: 1 })
})
