/**
 * Every control request returns what its schema says; the types of the package are generated from
 * these schemas.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { controlDocument } from '../../scripts/docs/control-document.js'
import { CONTROL_GROUPS } from '../../src/control/requests.js'
import { VERSION } from '../../src/scenario/library.js'
import { NOW, sandboxClient, smallFixture, startTestEmulator } from '../support/emulator.js'
import type { Json } from '../support/json.js'

const CARD = { ticket: 'tkt_a', payment_type: 'card', amount: 100 }
const SCENARIO = {
  name: 'all',
  clock: NOW,
  data: smallFixture({
    users: [{ id: 'usr_a', account: 'mch_a', name: 'Ana', email: 'ana@example.com' }]
  }),
  script: [
    { on: 'GET /refunds', calls: 1, respond: { status: 503 } },
    { on: 'GET /accounts', match: { query: { limit: '7' } }, delay: '1ms' }
  ],
  expect: [{ on: 'POST /locations', times: 1 }]
}
const ENTRY = { on: 'POST /refunds', calls: 1, hold: { gate: 'door' } }
/** Requests to send instead of one without a body, in order. */
const SENT: Readonly<Record<string, readonly (readonly [path: string, body?: object | string])[]>> =
  {
    'POST /load': [['/load?dry_run=1', { scenario: 'default' }]],
    'POST /records': [
      ['/records', { tickets: [{ location: 'loc_a', reference: 'x', extra: { table: 4 } }] }]
    ],
    'POST /keys': [['/keys', { account: 'mch_a' }]],
    'POST /script': [['/script', ENTRY]],
    'POST /gates/NAME/open': [['/gates/door/open']],
    'PUT /clock': [['/clock', { now: '2026-05-01', running: false }]],
    'POST /clock/advance': [['/clock/advance', { by: '1h' }]],
    'PUT /snapshots/NAME': [['/snapshots/one']],
    'POST /snapshots/NAME/restore': [['/snapshots/one/restore']],
    'GET /requests': [['/requests'], ['/requests?scope=run']],
    'GET /state': [['/state'], ['/state?before=req_3'], ['/state?after=req_3']],
    'GET /requests/ID/changes': [['/requests/req_3/changes']],
    'GET /requests/ID': [
      ['/requests/req_1'],
      ['/requests/req_2'],
      ['/requests/req_3'],
      ['/requests/req_4']
    ],
    'POST /explain': [
      ['/explain', { method: 'POST', path: '/transactions', body: CARD }],
      ['/explain', { method: 'POST', path: '/refunds', body: { transaction: 'txn_none' } }]
    ],
    'POST /verify': [
      ['/verify'],
      ['/verify', { on: 'GET /refunds' }],
      ['/verify', { sequence: [{ on: 'GET /refunds' }, { on: 'GET /accounts' }] }],
      ['/verify', { state: { refunds: { count: 3 } } }]
    ],
    'PATCH /settings': [['/settings', { 'pagination.max_limit': 5 }]]
  }
const document: Json = JSON.parse(
  JSON.stringify(
    controlDocument(CONTROL_GROUPS, { origin: 'http://localhost', base: '/next', version: '0.0.0' })
  )
)
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
ajv.addSchema({ ...document, $id: 'control' })
const placeOf = (on: string) => {
  const [method, path] = on.split(' ') as [string, string]
  return [
    path.replaceAll(/[A-Z]{2,}/g, name => `{${name.toLowerCase()}}`),
    method.toLowerCase()
  ] as const
}
/** Differences between a response and the OpenAPI document. */
function problemsOf(on: string, { status, body }: { status: number; body: unknown }): string[] {
  const [path, method] = placeOf(on)
  const described = status in document.paths[path][method].responses ? String(status) : 'default'
  const at = [
    'paths',
    path,
    method,
    'responses',
    described,
    'content',
    'application/json',
    'schema'
  ]
  const validate = ajv.getSchema(
    `control#/${at.map(step => encodeURIComponent(step.replaceAll('/', '~1'))).join('/')}`
  )
  if (validate === undefined) return [`${described} has no body`]
  return validate(body)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
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

  for (const [on, row] of CONTROL_GROUPS.flatMap(({ rows }) => Object.entries(rows))) {
    if (row.response === undefined) continue
    const [method, own] = on.split(' ') as [string, string]
    for (const [path, body] of SENT[on] ?? [[own]]) {
      const response = await control(`${method} ${path}`, body)
      t.strictSame(response.body.error, undefined, `${on} is not refused`)
      t.strictSame(problemsOf(on, response), [], `${method} ${path}`)
    }
    // a reset and a restore leave no requests to show
    if (on === 'POST /reset' || on.endsWith('/restore')) await journaled()
  }
})

t.test('control: the OpenAPI document has the rows, says how each can fail', async t => {
  const { control, inject } = await startTestEmulator(t, { scenario: SCENARIO })
  const rows = CONTROL_GROUPS.flatMap(({ rows }) => Object.keys(rows))
  const unmet = await control('POST /verify', { on: 'POST /locations' })
  const refused = await control('POST /script', { on: 'POST /nothing', call: 1 })

  t.strictSame(
    rows.filter(on => document.paths[placeOf(on)[0]]?.[placeOf(on)[1]] === undefined),
    []
  )
  t.equal(
    Object.values<Json>(document.paths).flatMap(methods => Object.keys(methods)).length,
    rows.length
  )
  t.equal(
    new Set(
      Object.values<Json>(document.paths).flatMap(methods =>
        Object.values<Json>(methods).map(one => one.operationId)
      )
    ).size,
    rows.length
  )
  t.strictSame([unmet.status, problemsOf('POST /verify', unmet)], [409, []])
  t.strictSame(
    [refused.status, refused.body.error.problems.length > 0, problemsOf('POST /script', refused)],
    [400, true, []]
  )
  t.not(
    problemsOf('POST /script', {
      status: 400,
      body: { error: { ...refused.body.error, hint: 'x' } }
    }).length,
    0,
    'the check sees what is wrong'
  )

  const served = await inject({
    url: '/sandbox/blue/_control/openapi.control.json',
    headers: { host: 'localhost:4010' }
  })
  t.equal(served.status, 404, 'a sandbox that does not exist')
  const own = await inject({
    url: '/_control/openapi.control.json',
    headers: { host: 'localhost:4010' }
  })
  t.strictSame(own.body, {
    ...document,
    info: { ...document.info, version: VERSION },
    servers: [{ url: 'http://localhost:4010/_control', description: 'The emulator.' }]
  })
})
