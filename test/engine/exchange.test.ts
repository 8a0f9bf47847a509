import t from 'tap'
import { parametersIn } from '../../src/evidence/why.js'
import { OPERATIONS, type OperationId } from '../../src/reference/operations.js'
import { MERCHANT, NOW, smallFixture } from '../support/requests.js'
import { startWorld } from '../support/world.js'

/** Records of which every operation that reads has something to answer with. */
const EXTRA = { note: 'l’été — "50 %"', tags: ['a', { deep: [null, 1.5, false] }], empty: {} }
const READ_RECORDS = {
  accounts: [
    {
      id: 'mch_x',
      type: 'merchant',
      name: 'Été & Söhne "X"\n',
      email: 'x@example.com',
      phone: '+1 617 555 0100',
      reseller: 'rsl_r',
      address: { line1: '1 Main St', line2: 'Apt "2"', city: 'Boston', state: 'MA', postal_code: '02110', country: 'US' },
      metadata: { shift: 'late', 'odd name': '[x]' },
      extra: EXTRA
    }
  ],
  users: [
    { id: 'usr_a', account: 'mch_a', name: 'U', email: 'u@example.com', extra: EXTRA },
    { id: 'usr_b', account: 'mch_a', name: 'V', email: 'v@example.com' }
  ],
  locations: [
    {
      id: 'loc_x',
      account: 'mch_a',
      display_name: 'X',
      address: { city: 'Boston', country: 'US' },
      website: 'https://x.example',
      metadata: { a: 'b' },
      extra: EXTRA
    }
  ],
  tickets: [{ id: 'tkt_x', location: 'loc_x', reference: null, extra: EXTRA }],
  transactions: [
    {
      id: 'txn_a',
      ticket: 'tkt_x',
      payment_type: 'card',
      amount: 100_000,
      tip_amount: 0,
      adjustment_number: 1.5,
      amounts: { currency: 'usd', tip_amount: 5 },
      customer: { name: 'Ana', email: 'ana@example.com', phone: null },
      payment_method: { card: { last4: '4242', brand: 'visa' } },
      extra: EXTRA
    },
    { id: 'txn_b', ticket: 'tkt_a', payment_type: 'external', amount: 5 }
  ],
  refunds: Array.from({ length: 12 }, (_, index) => ({
    id: `rfd_${index}`,
    transaction: 'txn_a',
    amount: 1 + index,
    metadata: { n: `${index}` },
    extra: EXTRA
  }))
}
const READS: Partial<Record<OperationId, [path: string, query?: string][]>> = {
  readLocation: [['/locations/loc_x'], ['/locations/loc_a']],
  listLocations: [['/locations'], ['/locations', 'limit=1']],
  readAccount: [['/accounts/mch_x'], ['/accounts/rsl_r']],
  listAccounts: [['/accounts'], ['/accounts/', 'limit=2']],
  listUsers: [['/accounts/mch_a/users'], ['/accounts/rsl_r/users']],
  readTicket: [['/tickets/tkt_x'], ['/tickets/tkt_a']],
  listTickets: [['/tickets'], ['/tickets', 'location=loc_x&search_query=none'], ['/tickets', 'search_query=T-1&created[gte]=2000-01-01']],
  readTransaction: [['/transactions/txn_a'], ['/transactions/txn_b']],
  listTransactions: [['/transactions'], ['/transactions', 'search_query=4242&location=loc_x']],
  readRefund: [['/refunds/rfd_0']],
  listRefunds: [['/refunds'], ['/refunds', 'transaction=txn_a&limit=3&starting_after=rfd_5'], ['/refunds', 'transaction=txn_none']]
}
/** Changes every record that was read. */
const CHANGES: [on: string, body?: Record<string, unknown>][] = [
  ['POST /locations/loc_x', { display_name: 'Y', metadata: '' }],
  ['POST /locations/loc_a', { display_name: 'B', 'address[city]': 'Worcester' }],
  ['POST /accounts/mch_x', { name: 'Y', 'address[line2]': '', 'metadata[shift]': '' }],
  ['POST /accounts/rsl_r', { phone: '1' }],
  ['DELETE /accounts/mch_a/users/usr_a'],
  ['POST /accounts/mch_a/users', { name: 'W', email: 'w@example.com' }],
  ['POST /transactions', { ticket: 'tkt_x', payment_type: 'external', amount: 7 }],
  ['POST /refunds', { transaction: 'txn_a', amount: 400 }],
  ['POST /refunds', { transaction: 'txn_b' }],
  ['POST /refunds/rfd_0', { 'metadata[n]': 'changed' }]
]

t.test('an exchange shows what its operation answered as it was sent, also when the records were changed since', async t => {
  const { executed } = await startWorld({ records: READ_RECORDS })
  const reading = (Object.keys(OPERATIONS) as OperationId[]).filter(operation => OPERATIONS[operation].method === 'GET')
  t.strictSame(Object.keys(READS).sort(), [...reading].sort(), 'every operation that reads')
  const again = ['/locations/loc_x', '/accounts/mch_x', '/refunds/rfd_0'].map((path): (typeof CHANGES)[number] => [`POST ${path}`, { 'metadata[again]': 'x' }])

  const made = [
    ...reading.flatMap(operation => READS[operation] ?? []).map(([path, query = '']) => executed(`GET ${path}`, { query })),
    ...[...CHANGES, ...again].map(([on, body]) => executed(on, body ? { body } : {}))
  ].map(exchange => ({ exchange, sent: String(exchange.payload) }))

  for (const { exchange, sent } of made) {
    t.ok(exchange.outcome.status < 300, exchange.url)
    exchange.redact()
    t.strictSame([exchange.text, exchange.length, exchange.payload], [sent, Buffer.byteLength(sent), ''], exchange.id)
  }
})

t.test('a redacted exchange shows any other answer as it was sent, masked where a key stands in it', async t => {
  const script = [{ on: 'GET /refunds', respond: { body: `not JSON, ${MERCHANT}` } }]
  const { executed } = await startWorld({ scenario: { clock: NOW, data: smallFixture(), script } })
  for (const on of ['GET /tickets/tkt_none', 'GET /nothing', 'GET /refunds']) {
    const exchange = executed(on)
    const sent = String(exchange.payload)
    exchange.redact()
    t.equal(exchange.text, sent.replace(MERCHANT, '***'), on)
  }
})

t.test('a redacted exchange has the parameters of its path as they were sent, also where the path does not show where they end', async t => {
  const { executed } = await startWorld()
  for (const [on, path, params] of [
    ['GET /tickets/tkt_a', '/tickets/tkt_a', { id: 'tkt_a' }],
    ['GET /tickets/tkt_a/', '/tickets/tkt_a/', { id: 'tkt_a' }],
    ['GET /tickets/a%2Fb', '/tickets/a/b', { id: 'a/b' }],
    ['GET /tickets/a%20b', '/tickets/a b', { id: 'a b' }],
    ['GET /tickets/4242424242424242', '/tickets/****************', { id: '****************' }],
    ['DELETE /accounts/a%2Fb/users/c%0Ad', '/accounts/a/b/users/c?d', { account_id: 'a/b', user_id: 'c?d' }]
  ] as const) {
    const exchange = executed(on)
    exchange.redact()
    t.strictSame([exchange.path, exchange.params], [path, params], on)
  }
})

t.test('a redacted exchange has values and names as they were sent, whatever has to be escaped; of JSON in a value the secrets are masked', async t => {
  const { executed } = await startWorld()
  const sent = (on: string, options: object) => {
    const exchange = executed(on, options)
    exchange.redact()
    return { query: parametersIn(exchange.query), body: parametersIn(exchange.body) as { metadata: object } }
  }
  const odd = ['a"b', 'back\\slash', 'two\nlines', 'tab\t', 'été', '🧾', '</script>', '\u2028', "it's", '{"a":[1]}', '', 'true', 'null', '1e3']
  const names = ['__proto__', 'constructor', 'toString', 'back\\slash', 'été 🧾', 'two\nlines']
  const pairs = [...odd.map((value, index) => [`v${index}`, value]), ...names.map(name => [name, name])] as [string, string][]
  const metadata = (pairs: [string, string][]) => new URLSearchParams(pairs.map(([name, value]): [string, string] => [`metadata[${name}]`, value])).toString()
  const lists = odd.map(value => ['search_query[]', value]) as [string, string][]

  t.strictSame(Object.entries(sent('POST /locations', { body: metadata(pairs) }).body.metadata), pairs)
  const { query } = sent('GET /tickets', { query: new URLSearchParams([...lists, ['odd "name"', 'x'], ['limit{', 'y']]).toString() })
  t.strictSame({ ...query }, { search_query: odd, '***': '***' })
  const { body } = sent('POST /locations', {
    body: metadata([
      ['note', '{"csc":"123","amount":"7"}'],
      ['plain', 'x']
    ])
  })
  t.strictSame({ ...body.metadata }, { note: '{"csc":"***","amount":"7"}', plain: 'x' })
})

t.test('an exchange names the test that sent it: UTF-8, percent-encoded or not, or else as it came', async t => {
  const { executed } = await startWorld()
  const testOf = (...values: string[]) => values.map(value => executed('GET /tickets', { headers: { 'test-name': value } }).test)
  t.strictSame(testOf('', 'pays', Buffer.from('zahlt für zwei').toString('latin1'), 'caf\u00e9'), [null, 'pays', 'zahlt für zwei', 'caf\u00e9'])
})

t.test('a signature is the same for the same request of the same caller, its parameters in any order; of a body that was not read, never', async t => {
  const { executed } = await startWorld()
  const of = (on: string, options: object = {}) => executed(on, options).signature()
  const refund = (body: string, more: object = {}) => of('POST /refunds', { body, ...more })
  const same = refund('transaction=a&metadata[x]=1&metadata[y]=2')

  t.equal(refund('metadata[y]=2&transaction=a&metadata[x]=1'), same)
  t.equal(of('GET /nothing', { query: 'a=1' }), of('GET /nothing', { query: 'a=1' }))
  const json = { headers: { 'content-type': 'application/json' } }
  const others = [
    refund('transaction=a&metadata[x]=1'),
    refund('transaction=a&metadata[x]=1&metadata[y]=2', { key: 'sk_other_key' }),
    refund('transaction=a&metadata[x]=1&metadata[y]=2', { query: 'a[]=b' }),
    ...['{}', '{}'].map(body => refund(body, json)),
    of('GET /nothing', { query: 'a=2' })
  ]
  t.equal(new Set([same, ...others]).size, 1 + others.length)
})
