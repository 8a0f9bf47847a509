/** POST /_control/explain: a call is judged on a copy of the sandbox, and answered there as it would be answered here. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { MERCHANT, NOW, RESELLER, startTestEmulator } from '../support/emulator.js'
import type { Json } from '../support/json.js'

const CARD = '4242424242424242'
const RECORDS = {
  transactions: [
    { id: 'txn_a', ticket: 'tkt_a', payment_type: 'external', amount: 1000 },
    { id: 'txn_b', ticket: 'tkt_a', payment_type: 'external', amount: 500 }
  ],
  refunds: [{ id: 'rfd_b', transaction: 'txn_b', amount: 200 }],
  users: [{ id: 'usr_a', account: 'mch_a', name: 'Ana', email: 'ana@example.com' }]
}
type Emulator = Awaited<ReturnType<typeof startTestEmulator>>

/** Everything that could show that a call was made; `saved` is how often a data file was written. */
async function everything({ control, sandbox }: Emulator): Promise<string> {
  const paths = ['state', 'requests', 'coverage', 'findings', 'script', 'assumptions', 'clock', 'settings', 'run', 'gates', 'sandboxes']
  const texts = await Promise.all(paths.map(async path => (await control(`GET /${path}`)).text))
  // what prom-client measures of the process goes on
  const metrics = (await control('GET /metrics')).text.split('\n').filter(line => line.startsWith('commerce_'))
  const verdict = (await control('POST /verify')).body
  return JSON.stringify([texts, metrics, verdict.expectations, sandbox.requests])
}

/** Whether the state is the very same as before: no record, key, entry, clock or setting was replaced. */
const sameStateAs = ({ sandbox }: Emulator) => {
  const { state } = sandbox
  const { marks } = state
  return () => sandbox.state === state && state.marks.every((mark, nth) => mark === marks[nth])
}

/** Calls as they are explained, and what each is answered. */
const CALLS: [title: string, call: Json, is: Json][] = [
  [
    'a Refund',
    { method: 'POST', path: '/refunds', body: { transaction: 'txn_a', amount: 100, metadata: { shift: 'late' } } },
    [200, true, null, ['refunds', 'transactions']]
  ],
  ['a Refund above the remainder', { method: 'POST', path: '/refunds', body: { transaction: 'txn_b', amount: 301 } }, [400, false, 'REF-7', []]],
  [
    'a Refund up to the remainder',
    { method: 'POST', path: '/refunds', body: { transaction: 'txn_b', amount: 300 } },
    [200, true, null, ['refunds', 'transactions']]
  ],
  ['a form as text', { method: 'POST', path: '/refunds', body: 'transaction=txn_a&amount=1&amount=2' }, [400, false, 'A36', []]],
  ['no body', { method: 'POST', path: '/refunds', body: null }, [400, false, 'REF-1', []]],
  [
    'a payment, which needs no key',
    { method: 'POST', path: '/transactions', body: { ticket: 'tkt_a', payment_type: 'external', amount: 5 } },
    [200, true, null, ['transactions']]
  ],
  ['a Location', { method: 'POST', path: '/locations', body: { display_name: 'B', address: { country: 'DE' } } }, [200, true, null, ['locations']]],
  [
    'a Location of a reseller',
    { method: 'POST', path: '/locations', key: RESELLER, body: { display_name: 'B', address: { country: 'DE' } } },
    [403, false, 'LOC-3', []]
  ],
  ['an update', { method: 'POST', path: '/locations/loc_a', body: { phone: '1' } }, [200, true, null, ['locations']]],
  ['a deleted User', { method: 'DELETE', path: '/accounts/mch_a/users/usr_a' }, [204, true, null, ['users']]],
  ['a disabled delete', { method: 'DELETE', path: '/accounts/mch_a' }, [501, false, 'ACC-5', []]],
  ['a list', { method: 'GET', path: '/transactions', query: { limit: 1, created: { gte: '2026-01-01' } } }, [200, false, null, []]],
  ['a query in the path', { method: 'GET', path: '/refunds?limit=1', query: { transaction: 'txn_b' } }, [200, false, null, []]],
  ['a query in the path alone', { method: 'GET', path: '/refunds?limt=1' }, [400, false, 'A14', []]],
  ['a body on a GET', { method: 'GET', path: '/refunds', body: { limit: 1 } }, [400, false, 'FORM-3', []]],
  ['no key', { method: 'GET', path: '/refunds', key: null }, [401, false, 'AUTH-3', []]],
  ['an unknown key', { method: 'GET', path: '/refunds', key: 'sk_of_nobody' }, [401, false, 'A18', []]],
  ['a header in place of the key', { method: 'GET', path: '/refunds', headers: { Authorization: 'Bearer x' } }, [401, false, 'AUTH-1', []]],
  ['another content type', { method: 'POST', path: '/refunds', headers: { 'Content-Type': 'application/json' }, body: '{}' }, [415, false, 'FORM-1', []]],
  ['another method', { method: 'PUT', path: '/tickets/tkt_a', body: { reference: 'x' } }, [405, false, 'TKT-1', []]],
  ['a path of nothing', { method: 'GET', path: '/nothing' }, [404, false, 'A08', []]],
  ['a path that is not encoded right', { method: 'GET', path: '/tickets/%zz' }, [400, false, 'A08', []]]
]

t.test('control: explain answers what the call is answered then, with the same why, and changes nothing', async t => {
  for (const [title, call, is] of CALLS) {
    let saved = 0
    const emulator = await startTestEmulator(t, { records: RECORDS, saved: async () => void saved++, scenario: undefined })
    const { control, inject } = emulator
    const before = await everything(emulator)
    const isSame = sameStateAs(emulator)

    const { status, body: tried } = await control('POST /explain', call)

    t.equal(status, 200, title)
    t.strictSame(
      [
        tried.status,
        tried.took_effect,
        tried.refusal && (tried.refusal.rule ?? tried.refusal.assumption),
        tried.changes.records.map(({ family }: Json) => family)
      ],
      is,
      title
    )
    t.equal(await everything(emulator), before, `${title}: nothing is changed`)
    t.ok(isSame(), `${title}: nothing is replaced`)
    t.equal(saved, 0, `${title}: nothing is written`)

    // the same call by a client
    const { method, path, query = {}, body, key, headers = {} } = call
    const bare = key === null || headers.Authorization || (method === 'POST' && path === '/transactions')
    const form = new URLSearchParams(Object.entries(flat(body ?? {}))).toString()
    const text = new URLSearchParams(flat(query)).toString()
    const answer = await inject({
      method,
      url: `/next${path}${text && `${path.includes('?') ? '&' : '?'}${text}`}`,
      headers: {
        ...(!bare && { authorization: `Basic ${Buffer.from(`${key ?? MERCHANT}:`).toString('base64')}` }),
        ...(body && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers
      },
      ...(body && { payload: typeof body === 'string' ? body : form })
    })
    const { user_agent, ms, script, ...entry } = (await control(`GET /requests/${answer.headers['request-id']}`)).body
    const { headers: own, changes, script: scripted, ...explained } = tried
    t.strictSame(explained, entry, `${title}: as the journal has it`)
    t.strictSame([own, scripted], [withoutTransport(answer.headers), script], `${title}: with its headers`)
    for (const { family, id, after } of changes.records) {
      const [record] = (await control('GET /state')).body[family].filter((record: Json) => record.id === id)
      t.equal(record?.id, after?.id, `${title}: ${family} ${id}`)
    }
  }
})

const withoutTransport = ({ date, connection, 'content-length': length, ...headers }: Record<string, unknown>) => headers
const flat = (values: Json): Record<string, string> =>
  Object.fromEntries(
    Object.entries<Json>(values).flatMap(([name, value]) =>
      typeof value === 'object' ? Object.entries(value).map(([inner, one]) => [`${name}[${inner}]`, String(one)]) : [[name, String(value)]]
    )
  )

t.test('control: explain shows records before and after, and the calls that changed them before', async t => {
  const { control, call } = await startTestEmulator(t, { records: RECORDS })
  await call('POST /refunds', { body: { transaction: 'txn_a', amount: 1 } })
  await call('POST /refunds', { body: { transaction: 'txn_a', amount: 1 } })

  const { body } = await control('POST /explain', { method: 'POST', path: '/refunds', body: { transaction: 'txn_a' } })
  const { body: deleted } = await control('POST /explain', { method: 'DELETE', path: '/accounts/mch_a/users/usr_a' })

  const [refund, transaction] = body.changes.records
  t.strictSame([refund.before, refund.after], [null, body.answer])
  t.strictSame([transaction.before.amount_refunded, transaction.after.amount_refunded], [2, 1000])
  t.strictSame(
    [transaction.before, transaction.after].map(({ refunds }) => refunds.data.length),
    [2, 3]
  )
  t.strictSame(body.why.changed_by, ['req_2'])
  t.strictSame([deleted.changes.records[0].before.name, deleted.changes.records[0].after], ['Ana', null])
})

const DECLINED = { on: 'POST /refunds', calls: 2, respond: { status: 402, retry_after: '2s' } }
/** Script entries, how many calls come before, and what of the script a trial shows. */
const SCRIPTS: [title: string, entry: Json, earlier: number, is: Json][] = [
  [
    'an answer',
    { ...DECLINED, calls: 1, name: 'no' },
    0,
    { outcome: 'scripted', status: 402, answered: true, took_effect: false, fault: null, delay: 0, gate: null, counts: [1, 1] }
  ],
  ['an answer for another call', DECLINED, 0, { outcome: 'answered', status: 200, answered: true, took_effect: true, counts: [1, 0] }],
  [
    'an answer for the next call',
    DECLINED,
    1,
    { outcome: 'scripted', status: 402, answered: true, took_effect: false, fault: null, delay: 0, gate: null, counts: [2, 1] }
  ],
  ['an answer for a call that is over', DECLINED, 2, { outcome: 'answered', status: 200, answered: true, took_effect: true, counts: [3, 1] }],
  [
    'a delay, which is not waited',
    { on: 'POST /refunds', delay: '10m' },
    0,
    { outcome: 'answered', status: 200, answered: true, took_effect: true, fault: null, delay: 600_000, gate: null, counts: [1, 1] }
  ],
  [
    'a gate, at which nothing waits',
    { on: 'POST /refunds', hold: { gate: 'door' } },
    0,
    { outcome: 'answered', status: 200, answered: true, took_effect: true, fault: null, delay: 0, gate: 'door', counts: [1, 1] }
  ],
  [
    'a gate without a name',
    { on: 'POST /refunds', hold: { until: 2 } },
    0,
    { outcome: 'answered', status: 200, answered: true, took_effect: true, fault: null, delay: 0, gate: 'scr_1', counts: [1, 1] }
  ],
  [
    'a lost answer',
    { on: 'POST /refunds', fault: 'connection_reset', when: 'after' },
    0,
    { outcome: 'lost_after', status: 200, answered: false, took_effect: true, fault: 'connection_reset', delay: 0, gate: null, counts: [1, 1] }
  ],
  [
    'an answer that hangs',
    { on: 'POST /refunds', fault: 'hang' },
    0,
    { outcome: 'lost_before', status: 502, answered: false, took_effect: false, fault: 'hang', delay: 0, gate: null, counts: [1, 1] }
  ],
  [
    'a broken answer',
    { on: 'POST /refunds', fault: 'malformed_body', when: 'after' },
    0,
    { outcome: 'answered', status: 200, answered: true, took_effect: true, fault: 'malformed_body', delay: 0, gate: null, counts: [1, 1] }
  ],
  ['an entry of another operation', { on: 'GET /refunds', delay: '1s' }, 0, { outcome: 'answered', status: 200, answered: true, took_effect: true }]
]

t.test('control: explain asks the script without waiting for it and without counting', async t => {
  for (const [title, entry, earlier, is] of SCRIPTS) {
    const emulator = await startTestEmulator(t, { scenario: undefined, records: RECORDS })
    const { control, call } = emulator
    await control('POST /script', entry)
    for (let made = 0; made < earlier; made++) await call('POST /refunds', { body: { transaction: 'txn_a', amount: 1 } })
    const before = await everything(emulator)

    for (const round of [1, 2]) {
      const { body } = await control('POST /explain', { method: 'POST', path: '/refunds', body: { transaction: 'txn_a', amount: 1 } })
      const { outcome, status, answered, took_effect, script, changes, headers } = body
      const { fault, delay, gate } = script ?? {}
      const [counts] = changes.script.map(({ matched, applied }: Json) => [matched, applied])
      const shown = { outcome, status, answered, took_effect, ...(script && { fault, delay, gate }), ...(counts && { counts }) }
      t.strictSame(shown, is, `${title}, ${round}`)
      t.equal(headers['retry-after'], outcome === 'scripted' ? '2' : undefined)
    }
    t.equal(await everything(emulator), before, `${title}: nothing is counted`)
  }
})

t.test('control: explain takes changes, which are made on the copy alone', async t => {
  const emulator = await startTestEmulator(t, { records: RECORDS, scenario: undefined })
  const { control } = emulator
  const before = await everything(emulator)
  const refund = { method: 'POST', path: '/refunds', body: { transaction: 'txn_a', amount: 1500 } }
  const tried = async (changes?: Json, call: Json = refund) => (await control('POST /explain', { ...call, ...(changes && { changes }) })).body

  t.equal((await tried()).refusal.rule, 'REF-7')
  t.equal((await tried({})).refusal.rule, 'REF-7')
  t.equal((await tried({ data: { transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'external', amount: 1499 }] } })).refusal.rule, 'REF-7')
  const paid = await tried({ data: { transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'external', amount: 1500 }] } })
  t.strictSame([paid.status, paid.changes.records[1].before.amount, paid.changes.records[1].after.amount_refunded], [200, 1500, 1500])
  t.equal((await tried({ settings: { statuses: { refund_refused: 422 } } })).status, 422)
  t.equal((await tried({ settings: { 'statuses.refund_refused': 409 } })).status, 409)
  const later = await tried({ clock: '2027-01-01' }, { method: 'POST', path: '/refunds', body: { transaction: 'txn_a' } })
  t.strictSame([later.at, later.answer.created], ['2027-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'])
  t.equal(await everything(emulator), before)
})

t.test('control: explain in a sandbox has its state and address; of one that is not there it is a 404', async t => {
  const { control, inject, sandboxes } = await startTestEmulator(t, { records: RECORDS })
  const explain = async (name: string) =>
    (
      await inject({
        method: 'POST',
        url: `/sandbox/${name}/_control/explain`,
        headers: { host: 'localhost' },
        payload: { method: 'GET', path: '/transactions/txn_b' }
      })
    ).body
  await inject({ method: 'POST', url: '/sandbox/one/_control/reset', headers: { host: 'localhost' } })

  t.equal((await explain('one')).answer.refunds.url, '/sandbox/one/next/refunds?transaction=txn_b')
  t.equal((await explain('two')).error.code, 'sandbox_unknown')
  t.strictSame(
    sandboxes.all().map(({ name }) => name),
    [null, 'one']
  )
  t.equal((await control('POST /explain', { method: 'GET', path: '/transactions/txn_b' })).body.answer.refunds.url, '/next/refunds?transaction=txn_b')
})

t.test('A25 control: what explain shows is masked', async t => {
  const { control, logs } = await startTestEmulator(t, { records: RECORDS, settings: { 'parameters.unknown': 'warn' } })
  const body = { ticket: 'tkt_a', payment_type: 'card', card: { number: CARD, csc: '999' }, amount: 5, [CARD]: 'x' }

  const { text } = await control('POST /explain', {
    method: 'POST',
    path: `/transactions?a=${CARD}`,
    headers: { 'Test-Name': `Größe ${CARD}` },
    key: MERCHANT,
    body
  })
  const { text: named } = await control('POST /explain', { method: 'GET', path: `/tickets/${MERCHANT}` })

  t.ok(text.includes('"last4":"4242"') && text.includes('Größe'), text)
  t.notOk(text.includes(CARD) || text.includes('999') || named.includes(MERCHANT))
  t.strictSame(
    logs.filter(line => line.includes(CARD) || line.includes('/transactions') || line.includes('unknown')),
    []
  )
})

t.test('control: the example of the guide is answered as it says', async t => {
  const { inject } = await startTestEmulator(t, { scenario: { fixtures: ['bistro'] } })
  const guide = readFileSync(new URL('../../docs/evidence.md', import.meta.url), 'utf8')
  const [, path, payload, answer = ''] =
    /localhost:4010(\/_control\/explain\S*)' [^']*'[^']*' \\\n *-d '(\{.*?\})'\n```\n```text\n(.*?)\n```/s.exec(guide) ?? []
  const [line = ''] = /^ {2}BROKEN .*$/m.exec(answer) ?? []

  const { status, text } = await inject({
    method: 'POST',
    url: path as string,
    headers: { host: 'localhost', 'content-type': 'application/json' },
    payload: payload as string
  })

  t.equal(status, 200)
  t.ok(line !== '' && text.split('\n').includes(line), text)
})

t.test('control: explain as text is for people', async t => {
  const { control } = await startTestEmulator(t, { records: RECORDS })

  const { text, headers } = await control('POST /explain?format=text', { method: 'POST', path: '/refunds', body: { transaction: 'txn_b', amount: 301 } })

  t.equal(headers['content-type'], 'text/plain; charset=utf-8')
  t.ok(text.startsWith(`req_1  POST /refunds  refused, 400, changed nothing  (${NOW})\n  body: transaction=txn_b amount=301\n`), text)
  t.ok(text.includes('  BROKEN  REF-7 '))
})

const PATH = (path: string) => `path: must be a path below the base address, such as /refunds; got ${path}.`
const BAD: [body: Json, code: string, message: string][] = [
  [{}, 'document_invalid', 'The document has 2 problems, the first: body:1:1 method is required. Nothing was changed.'],
  [{ method: 'get', path: '/' }, 'document_invalid', 'must be one of GET, POST, DELETE, PUT, PATCH, HEAD, OPTIONS; got get; did you mean GET?'],
  [{ method: 'GET', path: '/', boby: {} }, 'document_invalid', 'unknown name boby; did you mean body?'],
  [{ method: 'GET', path: '/', body: 4 }, 'document_invalid', 'must be an object or text or null; got 4'],
  [{ method: 'GET', path: '/', headers: { a: 1 } }, 'document_invalid', 'must be text; got 1'],
  [{ method: 'GET', path: 'refunds' }, 'parameter_invalid', PATH('refunds')],
  [{ method: 'GET', path: 'http://localhost/next/refunds' }, 'parameter_invalid', PATH('http://localhost/next/refunds')],
  [{ method: 'POST', path: '/../_control/reset' }, 'parameter_invalid', PATH('/../_control/reset')],
  [{ method: 'POST', path: '/%2e%2E/_control/reset' }, 'parameter_invalid', PATH('/%2e%2E/_control/reset')],
  [{ method: 'POST', path: '/..\\_control\\reset' }, 'parameter_invalid', PATH('/..\\_control\\reset')],
  [{ method: 'POST', path: '/..' }, 'parameter_invalid', PATH('/..')],
  [
    { method: 'GET', path: '/', changes: { data: { tickets: [{ location: 'loc_b' }] } } },
    'document_invalid',
    'changes.data.tickets[0].location: no Location has the id loc_b; did you mean loc_a?'
  ],
  [{ method: 'GET', path: '/', changes: { data: { tikets: [] } } }, 'document_invalid', 'changes.data.tikets: unknown name tikets; did you mean tickets?'],
  [{ method: 'GET', path: '/', changes: { settings: { pagination: { max_limit: 0 } } } }, 'setting_invalid', 'pagination.max_limit: must be at least 1; got 0'],
  [{ method: 'GET', path: '/', changes: { clock: 'noon' } }, 'document_invalid', 'changes.clock: an ISO 8601'],
  [{ method: 'GET', path: '/', changes: { script: [] } }, 'document_invalid', 'changes.script: unknown name script']
]

t.test('control: explain refuses what is no call, and changes nothing', async t => {
  const emulator = await startTestEmulator(t, { records: RECORDS })
  const before = await everything(emulator)

  for (const [body, code, message] of BAD) {
    const { status, body: answer } = await emulator.control('POST /explain', body)
    t.strictSame([status, answer.error.code], [400, code], JSON.stringify(body))
    t.ok(answer.error.message.includes(message.split(': ')[0] as string), answer.error.message)
  }
  const none = await emulator.control('POST /explain')
  t.match(none.body.error, { code: 'body_malformed', message: /such as \{"method":"POST"/ })
  t.equal(await everything(emulator), before)
})

t.test('control: explain judges while the data file cannot be written, and while calls wait', async t => {
  const broken = async () => {
    throw new Error('the disk is full')
  }
  const { control } = await startTestEmulator(t, { data: { saved: async () => {}, isFailing: true, writable: async () => {} } })
  const { control: unsaved } = await startTestEmulator(t, { data: { saved: broken, isFailing: false, writable: async () => {} }, loaded: false })

  t.equal((await control('POST /explain', { method: 'POST', path: '/transactions', body: { ticket: 'tkt_a', payment_type: 'external' } })).body.status, 200)
  t.equal((await unsaved('POST /explain', { method: 'GET', path: '/tickets' })).body.error.code, 'not_ready')
})
