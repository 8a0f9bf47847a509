/** An emulator for each test file, which node:test runs in a process of its own; reset before each test. Import `commerce` from here. */
import { after, beforeEach } from 'node:test'
import { startEmulator } from 'commerce-emulator'

export const commerce = await startEmulator()

beforeEach(() => commerce.reset())
after(() => commerce.close())

/** Opens a Ticket, which the API itself cannot, and returns its id. */
export async function openTicket(reference = 'T-1') {
  const { tickets } = await commerce.records({ tickets: [{ location: 'loc_bistro', reference }] })
  return tickets[0].id
}
