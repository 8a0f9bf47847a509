/** User code in the strictest TypeScript: it must compile, and each near miss must be rejected. */
import type * as Api from 'commerce-emulator'
import {
  connect,
  type Emulator,
  EmulatorError,
  type Fixture,
  type Scenario,
  type ScriptEntry,
  startEmulator
} from 'commerce-emulator'

const account: Api.AccountFixture = {
  id: 'mch_a',
  type: 'merchant',
  name: 'A',
  email: 'a@example.com',
  address: { country: 'US' }
}
export const fixture: Fixture = {
  api_keys: [{ key: 'sk_a', account: 'mch_a' }],
  accounts: [account],
  locations: [
    {
      account: 'mch_a',
      display_name: 'A',
      address: { country: 'US', city: 'Boston' },
      metadata: { seats: '40' }
    }
  ],
  refunds: [{ transaction: 'txn_1', amount: 100, reason: null, extra: { any: ['thing', 1] } }]
}
const declined: ScriptEntry = {
  on: 'POST /transactions',
  match: { body: { payment_type: ['card', 'emv'], card: { last4: '/^0/' } } },
  calls: '1-2',
  delay: { min: '100ms', max: '2s' },
  respond: { status: 402, error: { code: 'card_declined', message: 'The card was declined.' } }
}
export const scenario: Scenario = {
  name: 'own',
  fixtures: ['bistro'],
  seed: 7,
  clock: { now: '2026-03-01T18:05:00Z', running: false },
  settings: { pagination: { max_limit: 5 }, statuses: { created: 201 } },
  data: fixture,
  generate: [{ tickets: 5, created: { from: '2026-01-01', to: '2026-03-01' } }],
  script: [declined, { on: 'POST /refunds', fault: 'connection_reset', when: 'after' }],
  steps: [
    {
      as: 'payment',
      do: 'POST /transactions',
      body: { ticket: 'tkt_1' },
      expect: { status: 200, body: { amount: 1 } }
    }
  ],
  expect: [{ on: 'POST /refunds', times: 1 }]
}
export const constant = {
  clock: '2026-03-01',
  script: [{ on: 'GET /refunds', delay: '1s' }],
  data: { accounts: [account] }
} as const satisfies Scenario

const settings: Api.Settings = {
  port: 0,
  log_level: 'silent',
  'limits.journal': 5,
  pagination: { order: 'oldest_first' }
}
const logger: Api.Logger = {
  info: () => {},
  warn: (about: unknown, text?: string) => void [about, text],
  error: () => {}
}
export const options: Api.EmulatorOptions = { scenario, settings, logger, now: () => 0 }
export const connecting: Api.ConnectOptions = {
  url: 'http://localhost:4010',
  token: 'open sesame',
  timeout: 1000
}

export async function suite(emulator: Emulator): Promise<void> {
  const first: Api.ApiKey | undefined = emulator.keys[0]
  const { name, description } = (await emulator.reset()).scenario
  for (const document of ['split-bill', fixture, constant] as const) await emulator.load(document)

  const state: Api.State = await emulator.state()
  state.tickets.push({ id: 'tkt_2', created: '2026-03-01T00:00:00Z', location: 'loc_a' })
  await emulator.load(state)
  const { tickets, refunds } = await emulator.records({ tickets: [{ location: 'loc_a' }] })
  const refund: Api.Refund | undefined = refunds[0]
  const amounts: (number | undefined)[] = [refund?.amount, tickets.length]
  const { scenario: loaded, clock } = await emulator.snapshot('before')
  const { now, running } = await emulator.clock.now()
  await emulator.clock.set({ now: new Date(now), running: !running })
  const { matched, applied, entry } = await emulator.script.add(declined)

  const calls: Api.JournalCall[] = (
    await emulator.requests({ on: 'POST /refunds', status: '4xx', limit: 5 })
  ).data
  const why: Api.ExplainedCall = await emulator.why(calls[0]?.id ?? 'req_1')
  const violated: Api.RuleId[] = why.why.rules
    .filter(({ verdict }) => verdict === 'violated')
    .map(({ rule }) => rule)
  const verification: Api.Verification = {
    on: 'POST /refunds',
    match: { account: 'mch_a' },
    times: '1+',
    within: '2s'
  }
  const verdict: Api.Verdict = await emulator.verify(verification)
  await emulator.verify({ sequence: [{ on: 'POST /transactions' }, { on: 'POST /refunds' }] })
  const coverage: Api.CoverageReport = await emulator.coverage({ scope: 'run' })
  const found: Api.FindingName[] = (await emulator.findings()).data.map(({ finding }) => finding)
  const { settings: inForce } = await emulator.control('PATCH /settings', {
    body: { 'pagination.max_limit': 7 }
  })

  const worker: Emulator = emulator.sandbox('worker-1')
  const body = { transaction: 'txn_1', amount: 100, metadata: { shift: null } }
  const answer = await worker.inject('POST /refunds', {
    body,
    key: emulator.key,
    headers: { 'x-test': '1' }
  })
  const { status, headers, text } = await worker.inject('GET /tickets?limit=1', {
    query: { created: { gte: '2026-01-01' } },
    key: null
  })
  const requestId: string | undefined = headers['request-id']
  const shown = {
    first,
    name,
    description,
    amounts,
    loaded,
    clock,
    matched,
    applied,
    entry,
    violated,
    verdict,
    coverage,
    found,
    inForce
  }
  console_(shown, answer.body.id, status, text, requestId)
}
declare function console_(...shown: readonly unknown[]): void

export async function blocks(): Promise<void> {
  await using emulator = await startEmulator({ scenario: 'default', port: 4010 })
  const connected = await connect({ url: emulator.url })
  try {
    await suite(connected)
  } catch (error) {
    if (!(error instanceof EmulatorError)) throw error
    const code: Api.ErrorCode = error.code
    const problems: readonly Api.Problem[] = error.problems
    const lines: (string | undefined)[] = problems.map(
      ({ path, message, line }) => `${path}: ${message} (${line})`
    )
    console_(
      code === 'document_invalid',
      lines,
      error.status,
      error.param,
      error.verdict?.requests?.length
    )
  } finally {
    await connected.close()
  }
}

export const nearMisses = [
  // @ts-expect-error: no option has this name
  () => startEmulator({ scenaro: 'default' }),
  // @ts-expect-error: no setting has this name
  () => startEmulator({ settings: { 'pagination.max_limt': 5 } }),
  // @ts-expect-error: nested neither
  () => startEmulator({ settings: { pagination: { max_limt: 5 } } }),
  // @ts-expect-error: a process setting belongs to no scenario
  (): Scenario => ({ settings: { port: 4010 } }),
  // @ts-expect-error: no operation has this path
  (): ScriptEntry => ({ on: 'POST /refund', fault: 'hang' }),
  // @ts-expect-error: on is required
  (): ScriptEntry => ({ fault: 'hang' }),
  // @ts-expect-error: money is a number
  (): Fixture => ({ refunds: [{ transaction: 'txn_1', amount: '100' }] }),
  (): Fixture => ({
    // @ts-expect-error: derived values cannot be set
    transactions: [{ ticket: 'tkt_1', payment_type: 'card', amount_refunded: 1 }]
  }),
  // @ts-expect-error: the journal keeps no keys
  (emulator: Emulator) => emulator.verify({ on: 'POST /refunds', match: { key: 'sk_a' } }),
  // @ts-expect-error: no filter has this name
  (emulator: Emulator) => emulator.requests({ stauts: 404 }),
  // @ts-expect-error: the option is called body
  (emulator: Emulator) => emulator.inject('POST /refunds', { payload: 'a=1' }),
  // @ts-expect-error: it cannot be set
  (emulator: Emulator) => (emulator.key = 'sk_other'),
  // @ts-expect-error: nothing internal is part of it
  (emulator: Emulator) => emulator.app
]
