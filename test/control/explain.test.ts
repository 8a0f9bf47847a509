/**
 * POST /_control/explain: a request runs on a copy of the sandbox, with the response that it would
 * get.
 */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { parse } from 'yaml'
import {
  authorization,
  type Emulator,
  MERCHANT,
  RESELLER,
  sandboxClient,
  startTestEmulator
} from '../support/emulator.js'
import type { Json } from '../support/json.js'

const CARD = '4242424242424242'
const RECORDS = parse(`
  transactions: [{id: txn_a, ticket: tkt_a, payment_type: external, amount: 1000}, {id: txn_b, ticket: tkt_a, payment_type: external, amount: 500}]
  refunds: [{id: rfd_b, transaction: txn_b, amount: 200}]
  users: [{id: usr_a, account: mch_a, name: Ana, email: ana@example.com}]
`)

/** The explanation of a request. */
const explained = async (
  { control }: Pick<Emulator, 'control'>,
  on: string,
  more: object = {}
): Promise<Json> => {
  const [method, path] = on.split(' ')
  return (await control('POST /explain', { method, path, ...more })).body
}

async function everything({ control, sandbox }: Emulator): Promise<string> {
  const paths =
    'state requests coverage findings script assumptions clock settings run gates sandboxes'.split(
      ' '
    )
  const texts = await Promise.all(paths.map(async path => (await control(`GET /${path}`)).text))
  // prom-client's process metrics keep changing
  const metrics = (await control('GET /metrics')).text
    .split('\n')
    .filter(line => line.startsWith('commerce_'))
  const verdict = (await control('POST /verify')).body
  return JSON.stringify([texts, metrics, verdict.expectations, sandbox.requests])
}

const sameStateAs = ({ sandbox }: Emulator) => {
  const { state } = sandbox
  const { marks } = state
  return () => sandbox.state === state && state.marks.every((mark, nth) => mark === marks[nth])
}

const EXTERNAL = { ticket: 'tkt_a', payment_type: 'external', amount: 5 }
/** Explained requests: status, effect, refusal and changed families. */
type Call = [
  on: string,
  more: Json,
  status: number,
  effect: boolean,
  by: string | null,
  families: string[]
]
const CALLS: Call[] = parse(`
  - [POST /refunds, {body: {transaction: txn_a, amount: 100, metadata: {shift: late}}}, 200, true, null, [refunds, transactions]]
  - [POST /refunds, {body: {transaction: txn_b, amount: 301}}, 400, false, REF-7, []]
  - [POST /refunds, {body: {transaction: txn_b, amount: 300}}, 200, true, null, [refunds, transactions]]
  - [POST /refunds, {body: transaction=txn_a&amount=1&amount=2}, 400, false, A36, []]
  - [POST /refunds, {body: null}, 400, false, REF-1, []]
  - [POST /transactions, {body: {ticket: tkt_a, payment_type: external, amount: 5}}, 200, true, null, [transactions]]
  - [POST /locations, {body: {display_name: B, address: {country: DE}}}, 200, true, null, [locations]]
  - [POST /locations, {key: ${RESELLER}, body: {display_name: B, address: {country: DE}}}, 403, false, LOC-3, []]
  - [POST /locations/loc_a, {body: {phone: '1'}}, 200, true, null, [locations]]
  - [DELETE /accounts/mch_a/users/usr_a, {}, 204, true, null, [users]]
  - [DELETE /accounts/mch_a, {}, 501, false, ACC-5, []]
  - [GET /transactions, {query: {limit: 1, created: {gte: 2026-01-01}}}, 200, false, null, []]
  - [GET /refunds?limit=1, {query: {transaction: txn_b}}, 200, false, null, []]
  - [GET /refunds?limt=1, {}, 400, false, A14, []]
  - [GET /refunds, {body: {limit: 1}}, 400, false, FORM-3, []]
  - [GET /refunds, {key: null}, 401, false, AUTH-3, []]
  - [GET /refunds, {key: sk_of_nobody}, 401, false, A18, []]
  - [GET /refunds, {headers: {Authorization: Bearer x}}, 401, false, AUTH-1, []]
  - [POST /refunds, {headers: {Content-Type: application/json}, body: '{}'}, 415, false, FORM-1, []]
  - [PUT /tickets/tkt_a, {body: {reference: x}}, 405, false, TKT-1, []]
  - [GET /nothing, {}, 404, false, A08, []]
  - [GET /tickets/%zz, {}, 400, false, A08, []]
`)

t.test('control: explain returns the later response, with the same why', async t => {
  let saved = 0
  const emulator = await startTestEmulator(t, {
    records: RECORDS,
    saved: async () => void saved++
  })
  const { control, inject } = emulator
  const before = await everything(emulator)
  const isSame = sameStateAs(emulator)
  saved = 0
  const tries: Json[] = []
  for (const [on, more, ...is] of CALLS) {
    const [method, path] = on.split(' ') as [string, string]
    const title = `${on} ${JSON.stringify(more)}`

    const { status, body: tried } = await control('POST /explain', { method, path, ...more })

    const by = tried.refusal && (tried.refusal.rule ?? tried.refusal.assumption)
    const families = tried.changes.records.map(({ family }: Json) => family)
    t.strictSame([status, tried.status, tried.took_effect, by, families], [200, ...is], title)
    t.strictSame([isSame(), saved], [true, 0], title)
    tries.push(tried)
  }
  t.equal(await everything(emulator), before)

  // the same requests by a client
  for (const [nth, [on, { query = {}, body, key, headers = {} }]] of CALLS.entries()) {
    const [method, path] = on.split(' ') as ['GET', string]
    await control('POST /reset')
    const bare = key === null || headers.Authorization || on === 'POST /transactions'
    const text = new URLSearchParams(flat(query)).toString()
    const answer = await inject({
      method,
      url: `/next${path}${text && `${path.includes('?') ? '&' : '?'}${text}`}`,
      headers: {
        ...(!bare && { authorization: authorization(key) }),
        ...(body && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers
      },
      ...(body && {
        payload: typeof body === 'string' ? body : new URLSearchParams(flat(body)).toString()
      })
    })
    const { user_agent, ms, script, ...entry } = (
      await control(`GET /requests/${answer.headers['request-id']}`)
    ).body
    const changed = (await control(`GET /requests/${answer.headers['request-id']}/changes`)).body
      .data
    const drawn = [entry.id, ...changed.map(({ id }: Json) => id)]
    const ofTry = ['req_0', ...tries[nth].changes.records.map(({ id }: Json) => id)]
    const asTried = (value: Json): Json =>
      JSON.parse(
        drawn.reduce((text, id, at) => text.replaceAll(id, ofTry[at]), JSON.stringify(value))
      )
    const { headers: own, changes, script: scripted, ...explained } = tries[nth]
    t.strictSame(explained, asTried(entry), on)
    t.strictSame([own, scripted], [asTried(withoutTransport(answer.headers)), script], on)
    t.strictSame(asTried(changed), changes.records, on)
    const made = changes.records.filter(({ before }: Json) => before === null)
    t.notOk(
      made.some(({ id }: Json) => drawn.includes(id)),
      on
    )
  }
})

const withoutTransport = ({
  date,
  connection,
  'content-length': length,
  ...headers
}: Record<string, unknown>) => headers
const flat = (values: Json): Record<string, string> =>
  Object.fromEntries(
    Object.entries<Json>(values).flatMap(([name, value]) =>
      typeof value === 'object'
        ? Object.entries(value).map(([inner, one]) => [`${name}[${inner}]`, String(one)])
        : [[name, String(value)]]
    )
  )

t.test('control: explain shows records before and after', async t => {
  const emulator = await startTestEmulator(t, { records: RECORDS })
  const { control, call } = emulator
  for (let time = 0; time < 2; time++)
    await call('POST /refunds', { body: { transaction: 'txn_a', amount: 1 } })

  const { changes, answer, why } = await explained(emulator, 'POST /refunds', {
    body: { transaction: 'txn_a' }
  })
  const deleted = await explained(emulator, 'DELETE /accounts/mch_a/users/usr_a')

  await control('POST /script', { on: 'GET /refunds', stale: '1h' })
  await control('POST /script', { on: 'GET /tickets', change: { delete: ['tkt_a'] } })
  const old = await explained(emulator, 'GET /refunds')
  const inUse = await explained(emulator, 'GET /tickets')
  t.strictSame([old.answer.data.length, old.changes.records], [1, []])
  t.match(inUse.script.problem, /tkt_a cannot be deleted: txn_a, txn_b refer to it/)
  await control('POST /script', {
    on: 'GET /accounts',
    change: { data: { tickets: [{ id: 'tkt_new', location: 'loc_a' }] } }
  })
  const made = (await explained(emulator, 'GET /accounts')).changes.records
  t.strictSame([made.length, made[0].before, made[0].after.id], [1, null, 'tkt_new'])

  const [refund, { before, after }] = changes.records
  t.strictSame([refund.before, refund.after], [null, answer])
  t.strictSame(
    [
      before.amount_refunded,
      after.amount_refunded,
      before.refunds.data.length,
      after.refunds.data.length
    ],
    [2, 1000, 2, 3]
  )
  t.strictSame(why.changed_by, ['req_2'])
  t.strictSame(
    [deleted.changes.records[0].before.name, deleted.changes.records[0].after],
    ['Ana', null]
  )

  const explain = (name: string) =>
    explained(sandboxClient(emulator, name), 'GET /transactions/txn_b')
  await sandboxClient(emulator, 'one').control('POST /reset')
  t.equal((await explain('one')).answer.refunds.url, '/sandbox/one/next/refunds?transaction=txn_b')
  t.equal((await explain('two')).error.code, 'sandbox_unknown')
  t.equal(emulator.sandboxes.get('two'), undefined)
})

const RUNS = { outcome: 'answered', status: 200, answered: true, took_effect: true }
/** Script entries, earlier requests, and effects where the entry is applied. */
const SCRIPTS: [entry: Json, earlier: number, does?: object][] = parse(`
  - [{calls: 1, respond: {status: 402, retry_after: 2s}, name: no}, 0, {outcome: scripted, status: 402, took_effect: false}]
  - [&twice {calls: 2, respond: {status: 402, retry_after: 2s}}, 0]
  - [*twice , 1, {outcome: scripted, status: 402, took_effect: false}]
  - [*twice , 2]
  - [{delay: 10m}, 0, {}]
  - [{hold: {gate: door}}, 0, {}]
  - [{hold: {until: 2}}, 0, {}]
  - [{fault: connection_reset, when: after}, 0, {outcome: lost_after, answered: false, fault: connection_reset}]
  - [{fault: hang}, 0, {outcome: lost_before, status: 502, answered: false, took_effect: false, fault: hang}]
  - [{fault: malformed_body, when: after}, 0, {fault: malformed_body}]
  - [{on: GET /refunds, delay: 1s}, 0]
`)

t.test('control: explain asks the script without waiting for it and without counting', async t => {
  const emulator = await startTestEmulator(t, { records: RECORDS })
  const { control, call } = emulator
  for (const [entry, earlier, does] of SCRIPTS) {
    const title = `${JSON.stringify(entry)}, ${earlier}`
    await control('POST /reset')
    await control('POST /script', { on: 'POST /refunds', ...entry })
    for (let made = 0; made < earlier; made++)
      await call('POST /refunds', { body: { transaction: 'txn_a', amount: 1 } })
    const before = await everything(emulator)

    for (const round of [1, 2]) {
      const { outcome, status, answered, took_effect, script, headers } = await explained(
        emulator,
        'POST /refunds',
        { body: { transaction: 'txn_a', amount: 1 } }
      )
      const fault = script && { fault: script.fault }
      t.strictSame(
        { outcome, status, answered, took_effect, ...fault },
        { ...RUNS, ...(does && { fault: null }), ...does },
        `${title}, ${round}`
      )
      t.equal(headers['retry-after'], outcome === 'scripted' ? '2' : undefined)
    }
    t.equal(await everything(emulator), before, `${title}: nothing is counted`)
  }
})

t.test('A25 control: explain masks what it shows', async t => {
  const { control, logs } = await startTestEmulator(t, {
    records: RECORDS,
    settings: { 'parameters.unknown': 'warn' }
  })
  const body = {
    ticket: 'tkt_a',
    payment_type: 'card',
    card: { number: CARD, csc: '999' },
    amount: 5,
    [CARD]: 'x'
  }
  const headers = { 'Test-Name': `Größe ${CARD}` }
  const { text } = await control('POST /explain', {
    method: 'POST',
    path: `/transactions?a=${CARD}`,
    headers,
    key: MERCHANT,
    body
  })
  const { text: named } = await control('POST /explain', {
    method: 'GET',
    path: `/tickets/${MERCHANT}`
  })
  t.ok(text.includes('"last4":"4242"') && text.includes('Größe'), text)
  t.notOk(text.includes(CARD) || text.includes('999') || named.includes(MERCHANT))
  t.notOk(
    logs.some(
      line => line.includes(CARD) || line.includes('/transactions') || line.includes('unknown')
    )
  )
})

t.test('control: explain as text is for people, and as docs/evidence.md shows it', async t => {
  const { inject } = await startTestEmulator(t, { scenario: { fixtures: ['bistro'] } })
  const guide = readFileSync(new URL('../../docs/evidence.md', import.meta.url), 'utf8')
  const [, url = '', payload = '', answer = ''] =
    /localhost:4010(\/_control\/explain\S*)' [^']*'[^']*' \\\n *-d '(\{.*?\})'\n```\n```text\n(.*?)\n```/s.exec(
      guide
    ) ?? []
  const [line = ''] = /^ {2}VIOLATED .*$/m.exec(answer) ?? []
  const { status, text, headers } = await inject({
    method: 'POST',
    url,
    headers: { host: 'localhost', 'content-type': 'application/json' },
    payload
  })
  t.strictSame([status, headers['content-type']], [200, 'text/plain; charset=utf-8'])
  t.match(
    text,
    /^req_0 {2}POST \/refunds {2}refused, 400, changed nothing {2}\(.+\)\n {2}body: transaction=\S+ amount=\d+\n/
  )
  t.ok(line !== '' && text.split('\n').includes(line), text)
})

/** Refusals, with the place of the problem or the parameter. */
const BAD: [sent: Json, code: string, at: string][] = [
  [{ method: undefined, path: undefined }, 'document_invalid', ''],
  ...parse(`
    - [{method: get}, document_invalid, method]
    - [{boby: {}}, document_invalid, boby]
    - [{body: 4}, document_invalid, body]
    - [{headers: {a: 1}}, document_invalid, headers.a]
    - [{changes: {}}, document_invalid, changes]
  `),
  ...String.raw`refunds http://localhost/next/refunds /../_control/reset /%2e%2E/_control/reset /..\_control\reset /..`
    .split(' ')
    .map((path): [Json, string, string] => [{ path }, 'parameter_invalid', 'path'])
]

t.test('control: explain refuses what is not a request, and changes nothing', async t => {
  const emulator = await startTestEmulator(t, { records: RECORDS })
  const before = await everything(emulator)
  for (const [body, code, at] of BAD) {
    const { error } = await explained(emulator, 'GET /', body)
    t.strictSame(
      [error.code, error.param ?? error.problems[0].path],
      [code, at],
      JSON.stringify(body)
    )
  }
  t.equal((await emulator.control('POST /explain')).body.error.code, 'body_malformed')
  t.equal(await everything(emulator), before)
})

t.test('control: explain judges while the data folder cannot be written', async t => {
  const data = { saved: async () => {}, isFailing: true, writable: async () => {} }
  const tried = async (options: object) =>
    explained(await startTestEmulator(t, options), 'POST /transactions', { body: EXTERNAL })
  t.equal((await tried({ data })).status, 200)
  t.equal((await tried({ loaded: false })).error.code, 'not_ready')
})
