/** A sandbox of the emulator for each vitest worker, reset before each test. Import `commerce` from here. */
import { connect } from 'commerce-emulator'
import { afterAll, beforeEach, inject } from 'vitest'

const emulator = await connect({ url: inject('commerceUrl') })

export const commerce = emulator.sandbox(`worker-${process.env.VITEST_POOL_ID}`)

beforeEach(async () => {
  await commerce.reset()
})
afterAll(() => emulator.close())

/** Opens a Ticket, which the API itself cannot, and returns its id. */
export async function openTicket(reference = 'T-1'): Promise<string> {
  const { tickets } = await commerce.records({ tickets: [{ location: 'loc_bistro', reference }] })
  const [ticket] = tickets
  if (ticket === undefined) throw new Error('no Ticket was made')
  return ticket.id
}
