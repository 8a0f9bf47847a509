const { openTicket, useCommerce } = require('./commerce')

const commerce = useCommerce()

test.each([1, 2, 3])('each test begins in the same state: run %i', async () => {
  await openTicket(commerce, 'T-own')

  const { tickets } = await commerce.current.state()
  expect(tickets.filter(({ reference }) => reference === 'T-own')).toHaveLength(1)
})
