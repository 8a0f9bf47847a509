/** A sandbox of commerce-emulator for each Playwright worker, reset before each test. Import `test` and `expect` from here. */
import { test as base } from '@playwright/test'

const COMMERCE_URL = process.env.COMMERCE_URL ?? 'http://localhost:4010'

type Payment = { ticket: string; amount: number; currency: string; payment_type: string }

class Commerce {
  /** Where the page under test calls the API. */
  readonly baseUrl: string
  readonly #controlUrl: string

  constructor(sandbox: string) {
    this.baseUrl = `${COMMERCE_URL}/sandbox/${sandbox}/next`
    this.#controlUrl = `${COMMERCE_URL}/sandbox/${sandbox}/_control`
  }

  /** Back to the scenario's first state. */
  reset = () => this.#control('POST', '/reset')

  /** Opens a Ticket, which the API itself cannot, and returns its id. */
  async ticket(reference: string): Promise<string> {
    const { tickets } = (await this.#control('POST', '/records', { tickets: [{ location: 'loc_bistro', reference }] })) as { tickets: [{ id: string }] }
    return tickets[0].id
  }

  /** The payments of a Ticket. */
  async payments(ticket: string): Promise<Payment[]> {
    const { transactions } = (await this.#control('GET', '/state')) as { transactions: Payment[] }
    return transactions.filter(one => one.ticket === ticket)
  }

  /** Adds a script entry: how the next calls of an operation are answered, delayed or lost. */
  script = (entry: object) => this.#control('POST', '/script', entry)

  /** Fails the test unless the calls that came are those expected. */
  verify = (expected: object) => this.#control('POST', '/verify', expected)

  async #control(method: string, path: string, body?: object): Promise<unknown> {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${this.#controlUrl}${path}`, { method, ...(body && { headers, body: JSON.stringify(body) }) })
    if (!response.ok) throw new Error(await response.text())
    return response.json()
  }
}

export const test = base.extend<{ commerce: Commerce }, { sandbox: Commerce }>({
  sandbox: [({ browserName }, use, { parallelIndex }) => use(new Commerce(`${browserName}-${parallelIndex}`)), { scope: 'worker' }],

  commerce: async ({ sandbox, page }, use) => {
    await sandbox.reset()
    // the page asks its own server where the API is; here it is the worker's sandbox
    await page.route('**/config.json', route => route.fulfill({ json: { commerceUrl: sandbox.baseUrl } }))
    await use(sandbox)
  }
})

export { expect } from '@playwright/test'
