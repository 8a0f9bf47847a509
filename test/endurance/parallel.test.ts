import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InjectOptions } from 'fastify'
import t from 'tap'
import type { GivenSettings } from '../../src/core/settings.js'
import { runEmulator } from '../../src/emulator.js'
import { type Answer, type Client, clientOf, started } from './support/emulator.js'
import { SCENARIO } from './support/load.js'
import { figure, type Random, random, SEED } from './support/options.js'

const SANDBOXES = figure('SANDBOXES', { short: 8, long: 64 })
const SECONDS = figure('SECONDS', { short: 2, long: 30 })
const KEY = 'sk_test_merchant'
/** The allowed refusals of a Refund of a random amount. */
const REFUSED: readonly unknown[] = ['refund_exceeds_remaining', 'charge_already_refunded']

type Call = { on: string; body: string }
type Sandbox = {
  nth: number
  name: string
  mark: string
  client: Client
  random: Random
  log: (Call & Pick<Answer, 'status' | 'text'>)[]
  /** The sandbox's own Transactions. */
  paid: string[]
  calls: number
  /** Answers that show something of another sandbox, or are wrong. */
  strange: string[]
}

/** Every record names its sandbox; ids and years belong to one sandbox too. */
const markOf = (nth: number) => `mark-${nth}.`
const yearOf = (nth: number) => 2100 + nth

/** The parts of a text that belong to another sandbox. */
function foreignIn(text: string, nth: number): string[] {
  const own: [pattern: RegExp, value: number][] = [
    [/mark-(\d+)\./g, nth],
    [/"[tru](\d+)_/g, nth],
    [/"(2[1-9]\d\d)-\d\d-\d\dT/g, yearOf(nth)]
  ]
  return own.flatMap(([pattern, value]) => [...text.matchAll(pattern)].filter(([, found]) => Number(found) !== value).map(([found]) => found))
}

async function call(sandbox: Sandbox, on: string, body = '', { isForeign = false } = {}): Promise<Answer> {
  const answer = await sandbox.client.call(on, body)
  const { status, text } = answer
  sandbox.log.push({ on, body, status, text })
  if (on.includes(' /next/')) sandbox.calls++
  const foreign = isForeign ? [] : foreignIn(text, sandbox.nth)
  if (foreign.length > 0) sandbox.strange.push(`${on}: ${foreign.slice(0, 5)} in ${text.slice(0, 200)}`)
  const expected = isForeign ? status === 404 : status < 300 || status === 418 || REFUSED.includes(answer.body.error?.code)
  if (!expected) sandbox.strange.push(`${on} ${body}: ${status} ${text.slice(0, 200)}`)
  return answer
}

/** Settings, a clock, a script and a Ticket of its own. */
async function prepare(sandbox: Sandbox): Promise<void> {
  const { nth, mark } = sandbox
  const prefixes = { transaction: `t${nth}_`, refund: `r${nth}_`, user: `u${nth}_` }
  await call(sandbox, 'POST /_control/records', JSON.stringify({ tickets: [{ id: `tkt_${nth}`, location: 'loc_a', reference: mark }] }))
  await call(
    sandbox,
    'PATCH /_control/settings',
    JSON.stringify({ seed: nth % 3, ids: { prefixes, length: 12 + (nth % 5) }, pagination: { default_limit: 3 + (nth % 4) } })
  )
  await call(sandbox, 'PUT /_control/clock', JSON.stringify({ now: `${yearOf(nth)}-01-01T00:00:00Z`, running: false }))
  await call(
    sandbox,
    'POST /_control/script',
    JSON.stringify({ name: mark, on: 'GET /locations', calls: `${2 + (nth % 3)}+`, respond: { status: 418, body: { mark } } })
  )
}

/** Makes a random call; `others` are ids of other sandboxes. */
async function act(sandbox: Sandbox, others: readonly string[]): Promise<void> {
  const { nth, mark, random, paid, name } = sandbox
  const own = random.of(paid)
  switch (random.below(own === undefined ? 1 : 12)) {
    case 0:
    case 1: {
      const { body } = await call(
        sandbox,
        'POST /next/transactions',
        `ticket=tkt_${nth}&payment_type=card&card[last4]=4242&amount=${1 + random.below(5000)}&customer[name]=${mark}`
      )
      paid.push(body.id)
      return
    }
    case 2:
    case 3:
      await call(sandbox, 'POST /next/refunds', `transaction=${own}&amount=${1 + random.below(900)}&reason=${mark}&metadata[sandbox]=${mark}`)
      return
    case 4:
      await call(sandbox, 'POST /next/accounts/mch_a/users', `name=${mark}&email=${nth}@example.com`)
      return
    case 5:
      await call(sandbox, 'POST /next/locations/loc_a', `metadata[sandbox]=${mark}&metadata[n]=${random.below(100)}`)
      return
    case 6:
      await call(
        sandbox,
        random.of([
          'GET /next/transactions',
          'GET /next/refunds',
          'GET /next/tickets',
          'GET /next/accounts/mch_a/users',
          'GET /next/transactions?search_query=4242'
        ])
      )
      return
    case 7:
      await call(sandbox, `GET /next/transactions/${own}`)
      return
    case 8:
      await call(sandbox, 'GET /next/locations')
      return
    case 9:
      await call(sandbox, random.of(['GET /_control/script', 'GET /_control/clock', 'GET /_control/settings', 'GET /_control']))
      return
    case 10:
      await call(sandbox, 'POST /_control/clock/advance', `{"by":"${1 + random.below(9)}s"}`)
      return
    default:
      if (others.length > 0) await call(sandbox, `GET /next/transactions/${random.of(others)}`, '', { isForeign: true })
      if (random.chance(0.2)) await call(sandbox, `PUT /_control/snapshots/${name}`)
      if (random.chance(0.05)) await call(sandbox, 'GET /_control/state')
  }
}

/** Checks that the journal and the list of sandboxes count only the sandbox's own calls. */
async function checkEvidence(sandbox: Sandbox, shown: { requests: number; in_flight: number } | undefined): Promise<void> {
  const { client, nth, calls, strange } = sandbox
  const { body, text } = await client.call('GET /_control/requests?limit=1000')
  const marks = [...text.matchAll(/mark-(\d+)\./g)].filter(([, found]) => Number(found) !== nth)
  if (marks.length > 0) strange.push(`the journal holds ${marks[0]}`)
  if (body.data.length !== Math.min(calls, 1000)) strange.push(`the journal holds ${body.data.length} calls of ${calls}`)
  if (body.data[0].id !== `req_${calls}`) strange.push(`the last of ${calls} calls is ${body.data[0].id}`)
  if (shown?.requests !== calls || shown.in_flight !== 0) strange.push(`${JSON.stringify(shown)} is shown for ${calls} calls`)
  const snapshots = (await client.call('GET /_control/snapshots')).body.data
  if (snapshots.some(({ name }: { name: string }) => name !== sandbox.name)) strange.push(`snapshots: ${JSON.stringify(snapshots)}`)
}

/** Makes the same calls in the same order in an emulator without other sandboxes. Returns the first call with a different answer. */
async function replay({ name, log }: Sandbox, settings: GivenSettings): Promise<string | null> {
  const { app, close } = await runEmulator({ settings })
  try {
    for (const [index, { on, body, status, text }] of log.entries()) {
      const [method, path] = on.split(' ') as [InjectOptions['method'], string]
      const isControl = path.startsWith('/_control')
      const answer = await app.inject({
        method,
        url: `/sandbox/${name}${path}`,
        headers: {
          host: 'localhost',
          ...(!isControl && { authorization: `Basic ${Buffer.from(`${KEY}:`).toString('base64')}` }),
          ...(body !== '' && { 'content-type': isControl ? 'application/json' : 'application/x-www-form-urlencoded' })
        },
        ...(body !== '' && { payload: body })
      })
      if (answer.statusCode !== status || answer.payload !== text) {
        return `call ${index} of ${log.length}, ${on} ${body}: together ${status} ${text.slice(0, 300)}, alone ${answer.statusCode} ${answer.payload.slice(0, 300)}`
      }
    }
    return null
  } finally {
    await close()
  }
}

t.test(`${SANDBOXES} sandboxes at once for ${SECONDS} s: none sees anything of another, and each is answered as if it were alone`, async t => {
  t.comment(`ENDURANCE_SEED=${SEED}`)
  const folder = await mkdtemp(join(tmpdir(), 'endurance-'))
  t.teardown(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'load.json'), JSON.stringify(SCENARIO))
  const scenario = join(folder, 'load.json')
  const limits = { 'limits.sandboxes': SANDBOXES, 'limits.journal_total': 2 ** 30 }
  const { port, end } = await started(t, ['--scenario', scenario, ...Object.entries(limits).flatMap(([name, value]) => ['--set', `${name}=${value}`])])
  const sandboxes = Array.from({ length: SANDBOXES }, (_, nth): Sandbox => {
    const name = `sandbox-${nth}`
    return { nth, name, mark: markOf(nth), client: clientOf(port, name, KEY), random: random(name), log: [], paid: [], calls: 0, strange: [] }
  })

  await Promise.all(sandboxes.map(prepare))
  const until = Date.now() + SECONDS * 1000
  await Promise.all(
    sandboxes.map(async sandbox => {
      const next = sandboxes[(sandbox.nth + 1) % SANDBOXES] as Sandbox
      while (Date.now() < until) await act(sandbox, next.paid)
    })
  )

  const base = clientOf(port, null, KEY)
  const shown = (await base.call('GET /_control/sandboxes')).body.data as { name: string; requests: number; in_flight: number }[]
  await Promise.all(
    sandboxes.map(sandbox =>
      checkEvidence(
        sandbox,
        shown.find(({ name }) => name === sandbox.name)
      )
    )
  )
  t.strictSame(foreignIn((await base.call('GET /_control/state')).text, -1), [], 'the sandbox at the base address is unchanged')
  for (const { client, name, strange, log } of sandboxes) {
    t.strictSame(strange.slice(0, 5), [], `${name}: ${log.length} calls`)
    client.close()
  }
  base.close()
  t.equal(await end('SIGTERM'), 0)

  const settings = { port: 0, log_level: 'silent', scenario, ...limits } as const
  for (const sandbox of sandboxes) t.equal(await replay(sandbox, settings), null, `${sandbox.name}: ${sandbox.paid.length} Transactions`)
  t.comment(`${sandboxes.reduce((sum, { log }) => sum + log.length, 0)} calls`)
})
