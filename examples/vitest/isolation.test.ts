import { expect, test } from 'vitest'
import { commerce, openTicket } from './commerce'

test.each([1, 2, 3])('each test begins in the same state: run %i', async () => {
  await openTicket('T-own')

  const { tickets } = await commerce.state()
  expect(tickets.filter(({ reference }) => reference === 'T-own')).toHaveLength(1)
})

test('each worker has its own sandbox', () => {
  expect(commerce.baseUrl).toMatch(/\/sandbox\/worker-\d+\/next$/)
})
