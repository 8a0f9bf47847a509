/**
 * What to test, from docs/testers.md: a correct client passes, a wrong client fails with the
 * message shown.
 */
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { criteriaFrom, judged } from '../../src/reports/run.js'
import { NOW, startTestEmulator } from '../support/emulator.js'
import type { Answer, Call } from '../support/requests.js'
import { textOf } from './pages.js'

/** The tools of a client: requests, null for a lost response, and a delay. */
type Api = { send: (on: string, call?: Call) => Promise<Answer | null>; wait: (ms: number) => void }
type Client = (api: Api) => Promise<unknown>
type Job = { right: Client; wrong: Client; failOn?: string[] }

const KEY = 'sk_test_merchant'
const OTHER_KEY = 'sk_test_merchant_bakery'
const refund = (amount: number | null = 500, more = {}, key = KEY): [string, Call] => [
  'POST /refunds',
  { key, body: { transaction: 'txn_119', ...(amount !== null && { amount }), ...more } }
]
const refunds: [string, Call] = ['GET /refunds', { query: 'transaction=txn_119' }]
const payment = (ticket = 'tkt_60', last4 = '4242'): [string, Call] => [
  'POST /transactions',
  { key: null, body: { ticket, payment_type: 'card', amount: 3000, 'card[last4]': last4 } }
]
const payments: [string, Call] = ['GET /transactions', { query: 'location=loc_bistro' }]
const inOrder =
  (...requests: [string, Call?][]): Client =>
  async ({ send }) => {
    for (const request of requests) await send(...request)
  }
/** Pays or refunds; after a lost or bad response it checks, and retries if nothing was done. */
const careful =
  (request: [string, Call], look: [string, Call]): Client =>
  async ({ send }) => {
    const answer = await send(...request)
    if (answer !== null && answer.status < 500) return
    const [newest] = (await send(...look))?.body.data ?? []
    if (newest?.created < NOW || newest === undefined) await send(...request)
  }
const retried =
  (ms: number): Client =>
  async ({ send, wait }) => {
    await send(...refund())
    wait(ms)
    await send(...refund())
  }
/** Walks a list while `goesOn`. */
const walk =
  (on: string, query: string, goesOn: (page: Answer['body']) => boolean): Client =>
  async ({ send }) => {
    let cursor = ''
    for (;;) {
      const page = (await send(on, { query: `${query}${cursor}` }))?.body
      if (!page.has_more || !goesOn(page)) return
      cursor = `&starting_after=${page.last_id}`
    }
  }
const always = () => true
const month = (to: string) => `created[gte]=2026-02-01T00:00:00Z&${to}&limit=100`
/** Two workers; `lose` is what the refused worker does. */
const workers =
  (refused: [string, Call]): Client =>
  async ({ send }) => {
    const both = await Promise.all([send(...refund(null)), send(...refund(null))])
    if (both.some(answer => answer?.status === 400)) await send(...refused)
  }
/** Sends three Refunds; `isPatient` waits for the end of an outage. */
const queue =
  (isPatient: boolean): Client =>
  async ({ send, wait }) => {
    const left = [100, 200, 300]
    for (const amount of [...left]) {
      const answer = await send(...refund(amount))
      if (answer?.status !== 503 || !isPatient) continue
      do wait(4000)
      while ((await send(...refunds))?.status === 503)
      await send(...refund(amount))
    }
  }

const JOBS: Job[] = [
  { right: careful(refund(), refunds), wrong: inOrder(refund(), refund()) },
  { right: careful(payment(), payments), wrong: inOrder(payment(), payment()) },
  { right: retried(2000), wrong: retried(1000) },
  { right: retried(10_000), wrong: inOrder(refund()) },
  {
    right: inOrder(payment('tkt_60', '0341'), payment()),
    wrong: inOrder(payment('tkt_60', '0341'), payment('tkt_60', '0341'))
  },
  { right: walk('GET /tickets', '', always), wrong: walk('GET /tickets', '', () => false) },
  {
    right: inOrder(refund(5000), refund(5000), refund(3225)),
    wrong: inOrder(refund(5000), refund(5000), refund(5000))
  },
  { right: workers(refunds), wrong: workers(refund(null)) },
  {
    right: inOrder(['GET /transactions/txn_119'], refund(), ['GET /transactions/txn_119']),
    wrong: inOrder(['GET /transactions/txn_119'], refund(), refund())
  },
  {
    right: inOrder(payment(), payment('tkt_37')),
    wrong: inOrder(payment(), payment('tkt_37'), payment())
  },
  { right: queue(true), wrong: queue(false) },
  { right: careful(payment(), payments), wrong: inOrder(payment(), payment()) },
  {
    right: inOrder(refund()),
    wrong: inOrder(refund(500, { 'metadata[key]': OTHER_KEY }, OTHER_KEY)),
    failOn: ['key-leaked']
  },
  {
    right: walk('GET /transactions', month('created[lt]=2026-03-01'), always),
    wrong: walk('GET /transactions', month('created[lte]=2026-02-28'), always)
  },
  {
    right: walk('GET /tickets', 'search_query=T-9', always),
    wrong: walk('GET /tickets', 'search_query=T-9', ({ data }) => data.length > 0)
  },
  {
    right: inOrder(payment(), ['DELETE /accounts/mch_bistro/users/usr_luca']),
    wrong: inOrder(payment(), ['DELETE /accounts/mch_bistro/users/usr_luca'], refund())
  }
]

/** Failed criteria of a client in a scenario. */
async function told(t: Test, yaml: string, client: Client, failOn: string[]): Promise<string[]> {
  let now = Date.parse(NOW)
  const { call, control } = await startTestEmulator(t, {
    machine: () => now,
    scenario: { fixtures: ['bistro'], ...parse(yaml) }
  })
  await client({
    send: async (on, options) => {
      now++
      return call(on, { key: KEY, ...options }).catch(() => null)
    },
    wait: ms => {
      now += ms - 1
    }
  })
  const { criteria } = judged((await control('GET /run')).body, criteriaFrom({ failOn }))
  const problems = criteria.flatMap(({ problems }) => problems)
  if (failOn.length === 0)
    t.equal((await control('POST /verify')).status, problems.length === 0 ? 200 : 409)
  return problems
}

t.test('docs: what to test, each with a correct and a wrong client', async t => {
  const sections = textOf('docs/testers.md').split(/^### /m).slice(1)
  t.equal(sections.length, JOBS.length)
  for (const [nth, section] of sections.entries()) {
    const [title = ''] = section.split('\n')
    const [, yaml = '', last = ''] = /^```yaml\n(.*?)^```\n\n(.*?)$/ms.exec(section) ?? []
    const messages = [...last.slice(last.indexOf(': `')).matchAll(/`(.*?)`/g)].map(
      ([, message]) => message
    )
    const { right, wrong, failOn = [] } = JOBS[nth] as Job
    t.strictSame(await told(t, yaml, right, failOn), [], title)
    const said = (await told(t, yaml, wrong, failOn)).slice(0, messages.length)
    t.ok(messages.length > 0)
    t.strictSame(
      said.map(message => message.replace(/(; nearly: .*| \(#1\/req.*\))$/, '')),
      messages,
      title
    )
  }
})
