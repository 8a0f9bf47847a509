const { openTicket, useCommerce } = require('./commerce')

const commerce = useCommerce()

test.each([1, 2, 3])('each test begins in the same state: run %i', async () => {
  await openTicket(commerce, 'T-own')

  const { tickets } = await commerce.current.state()
  expect(tickets.filter(({ reference }) => reference === 'T-own')).toHaveLength(1)
})

test('each worker has its own sandbox', () => {
  expect(commerce.current.baseUrl).toMatch(/\/sandbox\/worker-\d+\/next$/)
})
