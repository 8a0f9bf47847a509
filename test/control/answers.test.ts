/** Every control request responds with what its schema says, from which the types of the package are written. */
import t from 'tap'
import { ANSWERS } from '../../src/control/answers.js'
import { CONTROL_GROUPS } from '../../src/control/requests.js'
import { checkerOf } from '../../src/core/checking.js'
import { NOW, sandboxClient, smallFixture, startTestEmulator } from '../support/emulator.js'

const CARD = { ticket: 'tkt_a', payment_type: 'card', amount: 100 }
const SCENARIO = {
  name: 'all',
  clock: NOW,
  data: smallFixture({ users: [{ id: 'usr_a', account: 'mch_a', name: 'Ana', email: 'ana@example.com' }] }),
  script: [
    { on: 'GET /refunds', calls: 1, respond: { status: 503 } },
    { on: 'GET /accounts', match: { query: { limit: '7' } }, delay: '1ms' }
  ],
  expect: [{ on: 'POST /locations', times: 1 }]
}
const ENTRY = { on: 'POST /refunds', calls: 1, hold: { gate: 'door' } }
/** Further requests in place of one without a body, in order; ids are those of the scenario. */
const SENT: Readonly<Record<string, readonly (readonly [path: string, body?: object | string])[]>> = {
  'POST /load': [['/load?dry_run=1', { scenario: 'default' }]],
  'POST /records': [['/records', { tickets: [{ location: 'loc_a', reference: 'x', extra: { table: 4 } }] }]],
  'POST /keys': [['/keys', { account: 'mch_a' }]],
  'POST /script': [['/script', ENTRY]],
  'POST /gates/NAME/open': [['/gates/door/open']],
  'PUT /clock': [['/clock', { now: '2026-05-01', running: false }]],
  'POST /clock/advance': [['/clock/advance', { by: '1h' }]],
  'PUT /snapshots/NAME': [['/snapshots/one']],
  'POST /snapshots/NAME/restore': [['/snapshots/one/restore']],
  'GET /requests': [['/requests'], ['/requests?scope=run']],
  'GET /requests/ID': [['/requests/req_1'], ['/requests/req_2'], ['/requests/req_3'], ['/requests/req_4']],
  'POST /explain': [
    ['/explain', { method: 'POST', path: '/transactions', body: CARD }],
    ['/explain', { method: 'POST', path: '/refunds', body: { transaction: 'txn_none' } }]
  ],
  'POST /verify': [
    ['/verify'],
    ['/verify', { on: 'GET /refunds' }],
    ['/verify', { sequence: [{ on: 'GET /refunds' }, { on: 'GET /accounts' }] }],
    ['/verify', { state: { refunds: { count: 3 } } }],
    ['/verify', { script: 'all_used' }]
  ],
  'POST /session': [['/session', { token: 'any' }]],
  'PATCH /settings': [['/settings', { 'pagination.max_limit': 5 }]]
}
const closed = (properties: object) => ({ type: 'object', required: Object.keys(properties), properties, additionalProperties: false })
const data = (items: object) => closed({ data: { type: 'array', items } })
const API_KEY = closed({ key: { type: 'string' }, account: { type: 'string' } })

function schemaOf(answer: string): object {
  if (answer.endsWith('[]')) return data(schemaOf(answer.slice(0, -2)))
  return answer === 'ApiKey' ? API_KEY : ANSWERS[answer as keyof typeof ANSWERS].schema
}

t.test('control: what a request responds with is of the type that its row names', async t => {
  const emulator = await startTestEmulator(t, { scenario: SCENARIO })
  const { call, control } = emulator
  /** Requests of every kind in the journal. */
  const journaled = async () => {
    await control('POST /script', ENTRY)
    await call('GET /refunds')
    await call('GET /accounts', { query: 'limit=1' })
    await call('POST /transactions', { key: null, body: CARD })
    await call('GET /nothing')
  }
  await journaled()
  await sandboxClient(emulator, 'other').control('POST /reset')

  for (const [on, { answer }] of CONTROL_GROUPS.flatMap(({ rows }) => Object.entries(rows))) {
    if (answer === undefined) continue
    const checker = checkerOf(() => schemaOf(answer))
    const [method, own] = on.split(' ') as [string, string]
    for (const [path, body] of SENT[on] ?? [[own]]) {
      const response = await control(`${method} ${path}`, body)
      t.strictSame(response.body.error, undefined, `${on} is not refused`)
      t.strictSame(await checker.problems(response.body), [], `${method} ${path} is of the type ${answer}`)
    }
    // a reset and a restore leave no requests to show
    if (on === 'POST /reset' || on.endsWith('/restore')) await journaled()
  }
})
