/** A sandbox of commerce-emulator for each Playwright worker, reset before each test. Import `test` and `expect` from here. */
import { test as base } from '@playwright/test'

const COMMERCE_URL = process.env.COMMERCE_URL ?? 'http://localhost:4010'

type Commerce = {
  /** Where the page under test calls the API. */
  baseUrl: string
  /** Calls the control API of the sandbox and returns its JSON; a refusal fails the test with the emulator's message. */
  control: (method: string, path: string, body?: unknown) => Promise<any>
}

export const test = base.extend<{ commerce: Commerce }, { sandbox: Commerce }>({
  sandbox: [
    async ({}, use, { parallelIndex }) => {
      const address = `${COMMERCE_URL}/sandbox/worker-${parallelIndex}`
      const control: Commerce['control'] = async (method, path, body) => {
        const headers = { 'content-type': 'application/json' }
        const response = await fetch(`${address}/_control${path}`, { method, ...(body !== undefined && { headers, body: JSON.stringify(body) }) })
        const text = await response.text()
        if (!response.ok) throw new Error(text)
        return text && JSON.parse(text)
      }
      await use({ baseUrl: `${address}/next`, control })
    },
    { scope: 'worker' }
  ],

  commerce: async ({ sandbox, page }, use) => {
    await sandbox.control('POST', '/reset')
    // the page asks its own server where the API is; here it is the worker's sandbox
    await page.route('**/config.json', route => route.fulfill({ json: { commerceUrl: sandbox.baseUrl } }))
    await use(sandbox)
  }
})

export { expect } from '@playwright/test'
