import { expect, openTicket, test } from './commerce'

test('a guest pays by card: the page calls the API from another origin', async ({
  commerce,
  page
}) => {
  const id = await openTicket(commerce)

  await page.goto(`/?ticket=${id}`)
  await page.getByLabel('Amount').fill('42.50')
  await page.getByRole('button', { name: 'Pay' }).click()

  await expect(page.getByRole('status')).toHaveText('Paid 42.50 USD')
  const { transactions } = await commerce.state()
  expect(transactions.filter(({ ticket }) => ticket === id)).toMatchObject([
    { amount: 4250, payment_type: 'card' }
  ])
})

test('a declined card: the page says so, and the guest may try again', async ({
  commerce,
  page
}) => {
  const error = { type: 'card_error', code: 'card_declined', message: 'The card was declined.' }
  await commerce.script.add({ on: 'POST /transactions', calls: 1, respond: { status: 402, error } })

  await page.goto(`/?ticket=${await openTicket(commerce)}`)
  await page.getByLabel('Amount').fill('10.00')
  await page.getByRole('button', { name: 'Pay' }).click()

  await expect(page.getByRole('status')).toHaveText('The card was declined.')
  await page.getByRole('button', { name: 'Pay' }).click()
  await expect(page.getByRole('status')).toHaveText('Paid 10.00 USD')
})

test('a slow answer: the button cannot be pressed twice', async ({ commerce, page }) => {
  await commerce.script.add({ on: 'POST /transactions', delay: '500ms' })

  await page.goto(`/?ticket=${await openTicket(commerce)}`)
  await page.getByLabel('Amount').fill('10.00')
  await page.getByRole('button', { name: 'Pay' }).dblclick()

  await expect(page.getByRole('status')).toHaveText('Paid 10.00 USD')
  await commerce.verify({ on: 'POST /transactions', times: 1 })
})
