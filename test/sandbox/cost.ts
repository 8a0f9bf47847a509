/** What a sandbox costs in memory: run as a process of its own with --expose-gc, it writes bytes as JSON. */
import { Sandboxes } from '../../src/sandbox/sandboxes.js'
import { documentOf } from '../../src/scenario/documents.js'
import { Library } from '../../src/scenario/library.js'
import { FAMILIES } from '../../src/store/store.js'

/** Records of the scenario that sandboxes are made of. */
export const RECORDS = 10_000
const MANY = 500

/** A merchant with two Users and a Location; Tickets, Transactions and Refunds make up the rest of `RECORDS`. */
export function largeScenario(): object {
  const thirds = Array.from({ length: (RECORDS - 4) / 3 }, (_, index) => index)
  return {
    data: {
      api_keys: [{ key: 'sk_merchant', account: 'mch_a' }],
      accounts: [{ id: 'mch_a', type: 'merchant', name: 'A', email: 'a@example.com', address: { country: 'US' } }],
      users: ['usr_a', 'usr_b'].map(id => ({ id, account: 'mch_a', name: 'U', email: 'u@example.com' })),
      locations: [{ id: 'loc_a', account: 'mch_a', display_name: 'A', address: { country: 'US' } }],
      tickets: thirds.map(index => ({ id: `tkt_${index}`, location: 'loc_a', reference: `T-${index}` })),
      transactions: thirds.map(index => ({ id: `txn_${index}`, ticket: `tkt_${index}`, payment_type: 'card', amount: 1000 + index })),
      refunds: thirds.map(index => ({ id: `rfd_${index}`, transaction: `txn_${index}`, amount: 100 }))
    }
  }
}

export const sandboxesOf = (): Sandboxes =>
  new Sandboxes({
    library: new Library({ fixtures: null, scenarios: null }),
    launch: { flag: { 'limits.sandboxes': 100_000 }, environment: {} },
    machine: Date.now
  })

/** How many records there are in all sandboxes. */
export const recordsIn = (sandboxes: Sandboxes): number =>
  sandboxes.all().reduce((sum, { store }) => sum + FAMILIES.reduce((all, family) => all + store[family].size, 0), 0)

/** The bytes that are in use once everything that is no longer needed is gone. */
async function inUse(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    await new Promise(resolve => setImmediate(resolve))
    ;(globalThis as { gc?: () => void }).gc?.()
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

if (process.argv.includes('measure')) {
  const warmUp = sandboxesOf()
  await warmUp.start(documentOf('test', largeScenario()), { name: 'test', file: null })
  for (let index = 0; index < 50; index++) warmUp.keep(warmUp.use(`warm-up-${index}`))

  const empty = await inUse()
  const sandboxes = sandboxesOf()
  await sandboxes.start(documentOf('test', largeScenario()), { name: 'test', file: null })
  const loaded = await inUse()
  for (let index = 0; index < MANY; index++) sandboxes.keep(sandboxes.use(`worker-${index}`))
  const made = await inUse()
  process.stdout.write(JSON.stringify({ scenario: loaded - empty, sandbox: (made - loaded) / MANY, records: recordsIn(sandboxes) / (MANY + 1) }))
}
