const { openTicket, useCommerce } = require('./commerce')
const { Till } = require('./till')

const commerce = useCommerce()
let till

beforeEach(() => {
  till = new Till(commerce.current)
})

test('a payment is refunded in part, and never beyond what was paid', async () => {
  const { id } = await till.pay(await openTicket(commerce), 3000)

  await till.refund(id, 1000)

  await expect(till.refund(id, 2001)).rejects.toMatchObject({ code: 'refund_exceeds_remaining' })
  expect(await till.payment(id)).toMatchObject({ amount: 3000, amount_refunded: 1000 })
})

test('a declined card pays nothing', async () => {
  const ticket = await openTicket(commerce)
  const error = { type: 'card_error', code: 'card_declined', message: 'The card was declined.' }
  await commerce.current.script.add({
    on: 'POST /transactions',
    calls: 1,
    respond: { status: 402, error }
  })

  await expect(till.pay(ticket, 3000)).rejects.toMatchObject({ status: 402, code: 'card_declined' })

  expect(await till.pay(ticket, 3000)).toMatchObject({ amount: 3000 })
  await commerce.current.verify({ on: 'POST /transactions', times: 2 })
})
