/** A sandbox of the emulator for each test file, which node:test runs in a process of its own; reset before each test. Import `commerce` from here. */
import { after, beforeEach } from 'node:test'
import { connect, startEmulator } from 'commerce-emulator'

const { COMMERCE_URL } = process.env
const emulator = COMMERCE_URL ? await connect({ url: COMMERCE_URL }) : await startEmulator()

export const commerce = emulator.sandbox(`process-${process.pid}`)

beforeEach(() => commerce.reset())
after(async () => {
  await commerce.close()
  await emulator.close()
})

/** Opens a Ticket, which the API itself cannot, and returns its id. */
export async function openTicket(reference = 'T-1') {
  const { tickets } = await commerce.records({ tickets: [{ location: 'loc_bistro', reference }] })
  return tickets[0].id
}
