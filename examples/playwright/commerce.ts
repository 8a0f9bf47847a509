/** A sandbox of the emulator for each Playwright worker, reset before each test. Import `test` and `expect` from here. */
import { test as base } from '@playwright/test'
import { connect, type Emulator } from 'commerce-emulator'

export const test = base.extend<{ commerce: Emulator }, { sandbox: Emulator }>({
  sandbox: [
    async ({ browserName }, use, { parallelIndex }) => {
      const emulator = await connect({ url: process.env.COMMERCE_URL ?? '' })
      await use(emulator.sandbox(`${browserName}-${parallelIndex}`))
      await emulator.close()
    },
    { scope: 'worker' }
  ],

  commerce: async ({ sandbox, page }, use) => {
    await sandbox.reset()
    // the page asks its own server where the API is; here it is the worker's sandbox
    await page.route('**/config.json', route =>
      route.fulfill({ json: { commerceUrl: sandbox.baseUrl } })
    )
    await use(sandbox)
  }
})

export { expect } from '@playwright/test'

/** Opens a Ticket, which the API itself cannot, and returns its id. */
export async function openTicket(commerce: Emulator, reference = 'T-1'): Promise<string> {
  const { tickets } = await commerce.records({ tickets: [{ location: 'loc_bistro', reference }] })
  const [ticket] = tickets
  if (ticket === undefined) throw new Error('no Ticket was made')
  return ticket.id
}
