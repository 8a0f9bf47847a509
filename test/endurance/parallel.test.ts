import type { InjectOptions } from 'fastify'
import t from 'tap'
import { runEmulator } from '../../src/emulator.js'
import { type Answer, type Client, clientOf, started } from './support/emulator.js'
import { SCENARIO } from './support/load.js'
import { figure, type Random, random, SEED } from './support/options.js'

const SANDBOXES = figure('SANDBOXES', { short: 8, long: 64 })
const SECONDS = figure('SECONDS', { short: 0.7, long: 30 })
/** Refusals that a Refund of a random amount may get. */
const REFUSED: readonly unknown[] = ['refund_exceeds_remaining', 'charge_already_refunded']
const LIMITS = { 'limits.sandboxes': SANDBOXES, 'limits.journal_bytes': 2 ** 27 }

type Sandbox = {
  nth: number
  name: string
  client: Client
  random: Random
  log: ({ on: string; body: string } & Pick<Answer, 'status' | 'text'>)[]
  /** The sandbox's own Transactions. */
  paid: string[]
  calls: number
  strange: string[]
}
const yearOf = (nth: number) => 2100 + nth

/** Parts of a text that belong to another sandbox. */
function foreignIn(text: string, nth: number): string[] {
  const own: [pattern: RegExp, value: number][] = [
    [/mark-(\d+)\./g, nth],
    [/"[tru](\d+)_/g, nth],
    [/"(2[1-9]\d\d)-\d\d-\d\dT/g, yearOf(nth)]
  ]
  return own.flatMap(([pattern, value]) =>
    [...text.matchAll(pattern)]
      .filter(([, found]) => Number(found) !== value)
      .map(([found]) => found)
  )
}

async function call(sandbox: Sandbox, on: string, body = '', isForeign = false): Promise<Answer> {
  const answer = await sandbox.client.call(on, body)
  const { status, text } = answer
  sandbox.log.push({ on, body, status, text })
  if (on.includes(' /next/')) sandbox.calls++
  const foreign = isForeign ? [] : foreignIn(text, sandbox.nth)
  const isExpected = isForeign
    ? status === 404
    : status < 300 || status === 418 || REFUSED.includes(answer.body.error?.code)
  if (foreign.length > 0 || !isExpected)
    sandbox.strange.push(`${on} ${body}: ${status} ${text.slice(0, 200)} ${foreign.slice(0, 5)}`)
  return answer
}

async function prepare(sandbox: Sandbox): Promise<void> {
  const { nth } = sandbox
  const mark = `mark-${nth}.`
  const ids = {
    prefixes: { transaction: `t${nth}_`, refund: `r${nth}_`, user: `u${nth}_` },
    length: 12 + (nth % 5)
  }
  for (const [on, body] of [
    [
      'POST /_control/records',
      { tickets: [{ id: `tkt_${nth}`, location: 'loc_a', reference: mark }] }
    ],
    [
      'PATCH /_control/settings',
      { seed: nth % 3, ids, pagination: { default_limit: 3 + (nth % 4) } }
    ],
    ['PUT /_control/clock', { now: `${yearOf(nth)}-01-01T00:00:00Z`, running: false }],
    [
      'POST /_control/script',
      {
        name: mark,
        on: 'GET /locations',
        calls: `${2 + (nth % 3)}+`,
        respond: { status: 418, body: { mark } }
      }
    ]
  ] as const)
    await call(sandbox, on, JSON.stringify(body))
}

async function act(sandbox: Sandbox, others: readonly string[]): Promise<void> {
  const { nth, random, paid, name } = sandbox
  const { below, of, chance } = random
  const mark = `mark-${nth}.`
  const own = of(paid)
  const payment = `ticket=tkt_${nth}&payment_type=card&card[last4]=4242&amount=${1 + below(5000)}&customer[name]=${mark}`
  const choices: [on: string, body?: string][] = [
    [
      'POST /next/refunds',
      `transaction=${own}&amount=${1 + below(900)}&reason=${mark}&metadata[sandbox]=${mark}`
    ],
    ['POST /next/accounts/mch_a/users', `name=${mark}&email=${nth}@example.com`],
    ['POST /next/locations/loc_a', `metadata[sandbox]=${mark}&metadata[n]=${below(100)}`],
    [
      `GET /next/${of(['transactions', 'refunds', 'tickets', 'accounts/mch_a/users', 'transactions?search_query=4242'])}`
    ],
    [`GET /next/transactions/${own}`],
    ['GET /next/locations'],
    [`GET /_control${of(['/script', '/clock', '/settings', ''])}`],
    ['POST /_control/clock/advance', `{"by":"${1 + below(9)}s"}`]
  ]
  if (own === undefined || chance(0.2))
    paid.push((await call(sandbox, 'POST /next/transactions', payment)).body.id)
  else await call(sandbox, ...of(choices))
  if (others.length > 0 && chance(0.1))
    await call(sandbox, `GET /next/transactions/${of(others)}`, '', true)
  if (chance(0.02)) await call(sandbox, `PUT /_control/snapshots/${name}`)
  if (chance(0.005)) await call(sandbox, 'GET /_control/state')
}

async function checkEvidence(
  { client, nth, name, calls, strange }: Sandbox,
  shown: object | undefined
): Promise<void> {
  const { body, text } = await client.call('GET /_control/requests?limit=1000')
  const marks = [...text.matchAll(/mark-(\d+)\./g)].filter(([, found]) => Number(found) !== nth)
  if (
    marks.length > 0 ||
    body.data.length !== Math.min(calls, 1000) ||
    body.data[0].id !== `req_${calls}`
  )
    strange.push(
      `the journal of ${calls} calls holds ${body.data.length} to ${body.data[0].id}, and ${marks[0]}`
    )
  const { requests, in_flight } = shown as { requests: number; in_flight: number }
  if (requests !== calls || in_flight !== 0)
    strange.push(`${JSON.stringify(shown)} is shown for ${calls} calls`)
  const snapshots = (await client.call('GET /_control/snapshots')).body.data
  if (snapshots.some((one: { name: string }) => one.name !== name))
    strange.push(`snapshots: ${JSON.stringify(snapshots)}`)
}

t.test(`${SANDBOXES} sandboxes for ${SECONDS} s: each responds as if it were alone`, async t => {
  t.comment(`ENDURANCE_SEED=${SEED}`)
  const scenario = `${t.testdir({ 'load.json': JSON.stringify(SCENARIO) })}/load.json`
  const { port, end } = await started([
    '--scenario',
    scenario,
    ...Object.entries(LIMITS).flatMap(([name, value]) => ['--set', `${name}=${value}`])
  ])
  const sandboxes = Array.from({ length: SANDBOXES }, (_, nth): Sandbox => {
    const name = `sandbox-${nth}`
    return {
      nth,
      name,
      client: clientOf(port, name),
      random: random(name),
      log: [],
      paid: [],
      calls: 0,
      strange: []
    }
  })

  await Promise.all(sandboxes.map(prepare))
  const until = Date.now() + SECONDS * 1000
  await Promise.all(
    sandboxes.map(async sandbox => {
      while (Date.now() < until)
        await act(sandbox, sandboxes[(sandbox.nth + 1) % SANDBOXES]?.paid ?? [])
    })
  )

  const base = clientOf(port, null)
  const shown = (await base.call('GET /_control/sandboxes')).body.data as { name: string }[]
  for (const sandbox of sandboxes)
    await checkEvidence(
      sandbox,
      shown.find(({ name }) => name === sandbox.name)
    )
  t.strictSame(foreignIn((await base.call('GET /_control/state')).text, -1), [])
  base.close()
  for (const { client } of sandboxes) client.close()
  t.equal(await end('SIGTERM'), 0)

  for (const { name, strange, log } of sandboxes) {
    t.strictSame(strange.slice(0, 5), [], `${name}: ${log.length} calls`)
    const { app, close } = await runEmulator({
      settings: { port: 0, log_level: 'silent', scenario, ...LIMITS }
    })
    for (const [index, { on, body, status, text }] of log.entries()) {
      const [method, path] = on.split(' ') as [InjectOptions['method'], string]
      const isControl = path.startsWith('/_control')
      const authorization = `Basic ${btoa('sk_test_merchant:')}`
      const type = isControl ? 'application/json' : 'application/x-www-form-urlencoded'
      const headers = {
        host: 'localhost',
        ...(!isControl && { authorization }),
        ...(body !== '' && { 'content-type': type })
      }
      const alone = await app.inject({
        method,
        url: `/sandbox/${name}${path}`,
        headers,
        ...(body !== '' && { payload: body })
      })
      if (alone.statusCode === status && alone.payload === text) continue
      t.strictSame(
        [status, text],
        [alone.statusCode, alone.payload],
        `call ${index} of ${log.length}, ${on} ${body}: together, and alone`
      )
      break
    }
    await close()
  }
})
