/** Refused calls change nothing: not the state, not what is drawn next. An emulator that never got them, its twin, stays the same to the byte. */
import { equal } from 'node:assert/strict'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { type Answer, MERCHANT, NOW, RESELLER, startTestEmulator } from '../support/emulator.js'
import { property } from '../support/property.js'

type Call = { of: 'api' | 'control'; on: string; body: string | undefined; headers: Record<string, string> }

const RECORDS = {
  users: [{ id: 'usr_a', account: 'mch_a', name: 'U', email: 'u@example.com' }],
  transactions: [
    { id: 'txn_a', ticket: 'tkt_a', payment_type: 'external', payment_method: { type: 'external' }, amount: 100 },
    { id: 'txn_none', ticket: 'tkt_a', payment_type: 'external', payment_method: { type: 'external' }, amount: 0 }
  ],
  refunds: [{ id: 'rfd_a', transaction: 'txn_a', amount: 10 }]
}
const ID = fc.constantFrom('mch_a', 'rsl_r', 'loc_a', 'usr_a', 'tkt_a', 'txn_a', 'txn_none', 'rfd_a', 'none', '%00', '%ff', '__proto__', 'a%2Fb')
const path = fc.oneof(
  fc.constantFrom('/locations', '/accounts', '/transactions', '/refunds', '/accounts/mch_a/users', '/tickets', '/nothing', '/', '/next'),
  fc.tuple(fc.constantFrom('/locations', '/accounts', '/transactions', '/refunds', '/tickets'), ID).map(parts => parts.join('/')),
  ID.map(id => `/accounts/${id}/users`),
  fc.tuple(ID, ID).map(([account, user]) => `/accounts/${account}/users/${user}`)
)

const basic = (credentials: string): Record<string, string> => ({ authorization: `Basic ${Buffer.from(credentials).toString('base64')}` })

/** Calls that are right, so that one or two changes make them wrong near their end, where most has been done already. */
const RIGHT: [on: string, body: Record<string, string>, key?: Record<string, string>][] = [
  ['POST /locations', { display_name: 'L', 'address[country]': 'US', 'metadata[k]': 'v' }],
  ['POST /locations/loc_a', { phone: '1', 'metadata[k]': 'v', metadata: '' }],
  ['POST /accounts', { type: 'merchant', name: 'A', email: 'a@example.com', 'address[country]': 'DE' }],
  ['POST /accounts/mch_a', { type: 'merchant', name: 'A', email: 'a@example.com', 'address[country]': 'DE' }],
  ['POST /accounts/mch_a/users', { name: 'U', email: 'u@example.com' }],
  ['DELETE /accounts/mch_a/users/usr_a', {}],
  ['POST /transactions', { ticket: 'tkt_a', payment_type: 'card', amount: '50', tip_amount: '5', currency: 'eur', 'card[last4]': '4242' }],
  ['POST /transactions', { ticket: 'tkt_a', payment_type: 'vip', 'customer[phone]': '1', 'bank_account[bank_name]': 'B' }],
  ['POST /refunds', { transaction: 'txn_a', amount: '5', reason: 'r' }],
  ['POST /refunds', { transaction: 'txn_a' }],
  ['POST /refunds/rfd_a', { 'metadata[k]': 'v' }],
  ['GET /refunds', {}]
]
/** Calls that are well formed, but that a rule refuses. */
const REFUSED_BY_RULE: typeof RIGHT = [
  ['POST /locations', { display_name: 'L', 'address[country]': 'US' }, basic(`${RESELLER}:`)],
  ['POST /accounts/none/users', { name: 'U', email: 'u@example.com' }],
  ['POST /transactions', { ticket: 'tkt_none', payment_type: 'external', amount: '5' }],
  ['POST /transactions', { ticket: 'tkt_a', payment_type: 'vip', amount: '5' }],
  ['POST /transactions', { ticket: 'tkt_a', payment_type: 'apple_pay', amount: '5' }],
  ['POST /transactions', { ticket: 'tkt_a', payment_type: 'external', amount: '9007199254740991', tip_amount: '1' }],
  ['POST /refunds', { transaction: 'txn_none' }],
  ['POST /refunds', { transaction: 'txn_a', amount: '91' }]
]
const NAMES = [
  ...new Set(RIGHT.flatMap(([, body]) => Object.keys(body))),
  ...'metadata address metadata[l] id reseller extra __proto__ card a[ limit'.split(' ')
]
const VALUES = ' x 0 -1 95 1e3 9007199254740991 9007199254740992 US XX usd USD none txn_none tkt_a x@ reseller vip apple_pay'.split(' ')
const change = fc.record({ name: fc.constantFrom(...NAMES), value: fc.constantFrom(...VALUES) })
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const key = fc.oneof(
  { weight: 20, arbitrary: fc.constant(basic(`${MERCHANT}:`)) },
  { weight: 3, arbitrary: fc.constant(basic(`${RESELLER}:`)) },
  fc.constantFrom<Record<string, string>>(basic('sk_none:'), basic(`${MERCHANT}:word`), { authorization: 'Bearer x' }, {})
)
const type = fc.oneof(
  { weight: 20, arbitrary: fc.constant<Record<string, string>>(FORM) },
  fc.constantFrom<Record<string, string>>({ 'content-type': 'application/json' }, { ...FORM, 'content-encoding': 'gzip' }, {})
)
/** Mostly one thing, seldom one of the others. */
const mostly = <T>(one: fc.Arbitrary<T>, other: fc.Arbitrary<T>) => fc.oneof({ weight: 9, arbitrary: one }, other)
const apiCall: fc.Arbitrary<Call> = fc
  .record({
    right: fc.constantFrom(...RIGHT, ...REFUSED_BY_RULE),
    on: mostly(
      fc.constant(undefined),
      fc.tuple(fc.constantFrom('POST', 'DELETE', 'GET', 'PUT'), path).map(parts => parts.join(' '))
    ),
    query: mostly(fc.constant(''), fc.constantFrom('?limit=0', '?limit=2', '?x=1', '?starting_after=none', '?created[gt]=yesterday', '?%')),
    changes: mostly<{ name: string; value: string }[]>(fc.constant([]), fc.array(change, { minLength: 1, maxLength: 2 })),
    end: mostly(fc.constant(''), fc.constantFrom('&amount=1', '&%zz', '&a[b][c][d][e][f]=1')),
    key,
    type
  })
  .map(({ right: [usual, body, own], on = usual, query, changes, end, key, type }) => {
    const sendsBody = on.startsWith('P')
    const changed = new URLSearchParams({ ...body, ...Object.fromEntries(changes.map(({ name, value }) => [name, value])) })
    return { of: 'api', on: `${on}${query}`, body: sendsBody ? `${changed}${end}` : undefined, headers: { ...(own ?? key), ...(sendsBody && type) } }
  })

const ticket = { location: 'loc_a', reference: 'T' }
const payment = { ticket: 'tkt_a', payment_type: 'external', payment_method: { type: 'external' }, amount: 5 }
/** Control calls by path, some right and some wrong at their end. */
const CONTROL: [on: string, bodies: unknown[]][] = [
  [
    'POST /records',
    [{ tickets: [ticket] }, { tickets: [ticket, { location: 'loc_none' }] }, { tickets: [ticket], refunds: [{ transaction: 'txn_a', amount: 1000 }] }]
  ],
  [
    'POST /records',
    [{ transactions: [payment], users: [{}] }, { api_keys: [{ key: 'sk_new', account: 'none' }] }, { locations: [{ id: 'loc_b' }] }, { nothing: [] }, []]
  ],
  [
    'POST /records',
    [
      { accounts: [{ id: 'mch_a', type: 'reseller' }] },
      { tickets: [{ ...ticket, id: 'a b' }] },
      {
        tickets: [
          { ...ticket, id: 'tkt_x' },
          { ...ticket, id: 'tkt_x' }
        ]
      }
    ]
  ],
  ['POST /keys', [{ account: 'mch_a' }, { account: 'none' }, {}, { account: 5 }]],
  [
    'POST /load',
    [{ scenario: 'none' }, { scenario: { seed: -1 } }, { scenario: { data: { tickets: [ticket] } } }, { scenario: { steps: [{ do: 'POST /refunds' }] } }, {}]
  ],
  ['POST /reset?x=1', [undefined]],
  [
    'PATCH /settings',
    [{ seed: 5 }, { seed: 5, pagination: { max_limit: 0 } }, { port: 1 }, { ids: { length: 8, x: 1 } }, { auth: { accept_any_key: 'none' } }]
  ],
  ['PATCH /settings', [{ statuses: { refund_refused: 409 } }, { parameters: { unset_required: 'allow' } }, { parameters: { unknown: 'no' } }]],
  ['PUT /clock', [{ now: '2026-04-01' }, { now: 'soon' }, { now: '2026-04-01', running: 'no' }, {}]],
  ['POST /clock/advance', [{ by: '1h' }, { by: '-1h' }, { by: '9999y' }, { by: 5 }]],
  [
    'POST /script',
    [
      { on: 'POST /nothing', delay: '1s' },
      { on: 'POST /refunds' },
      { on: 'POST /refunds', match: { body: { x: 1 } }, delay: '1s' },
      { on: 'DELETE /accounts/{id}', delay: '1s' }
    ]
  ],
  ['DELETE /script/scr_9', [undefined]],
  ['PUT /snapshots/one', [undefined]],
  ['PUT /snapshots/%20', [undefined]],
  ['POST /snapshots/none/restore', [undefined]],
  ['DELETE /snapshots/none', [undefined]],
  ['POST /verify', [{ on: 'POST /nothing' }, { on: 'POST /refunds', times: 99 }, { within: 'long' }]],
  ['POST /nothing', [{}]],
  ['DELETE /state', [undefined]]
]
const controlCall: fc.Arbitrary<Call> = fc
  .tuple(
    fc.constantFrom(...CONTROL.flatMap(([on, bodies]) => bodies.map(body => ({ on, body: body === undefined ? undefined : JSON.stringify(body) })))),
    fc.constantFrom<[name: string, value: string][]>(
      [],
      [],
      [],
      [],
      [],
      [],
      [['origin', 'http://evil.example']],
      [['host', 'evil.example']],
      [['content-type', 'text/plain']]
    )
  )
  .map(([{ on, body }, changed]) => ({
    of: 'control',
    on,
    body,
    headers: { host: 'localhost', ...(body !== undefined && { 'content-type': 'application/json' }), ...Object.fromEntries(changed) }
  }))

/** What is to be seen of an emulator: everything that a call could have changed. */
const SEEN = ['/state', '/settings', '/clock', '/script', '/snapshots']

async function start(t: Test) {
  const { inject, control, nextIds } = await startTestEmulator(t, { records: RECORDS, logged: false })
  const make = ({ of, on, body, headers }: Call): Promise<Answer> => {
    const [method, url] = on.split(' ') as ['POST', string]
    return inject({ method, url: `/${of === 'api' ? 'next' : '_control'}${url}`, headers, ...(body !== undefined && { payload: body }) })
  }
  const seen = async () => (await Promise.all(SEEN.map(async path => (await control(`GET ${path}`)).text))).join('\n')
  const begin = async () => {
    for (const { name } of (await control('GET /snapshots')).body.data) await control(`DELETE /snapshots/${name}`)
    equal((await control('POST /load', { scenario: { clock: NOW, data: WORLD } })).status, 200)
  }
  const WORLD = (await control('GET /state')).body
  return { make, seen, begin, nextIds }
}

t.test('through the API', async t => {
  const one = await start(t)
  const twin = await start(t)
  const statuses = new Map<boolean, number>()

  await property(
    t,
    'A08: whatever is refused changes nothing, and a twin that never got it draws the same ids',
    { of: fc.array(fc.oneof({ weight: 3, arbitrary: apiCall }, controlCall), { minLength: 1, maxLength: 12 }), runs: 45 },
    async calls => {
      await one.begin()
      await twin.begin()
      let before = await one.seen()
      for (const call of calls) {
        const { status, text } = await one.make(call)
        const after = await one.seen()
        const isRefused = status >= 400
        statuses.set(isRefused, (statuses.get(isRefused) ?? 0) + 1)
        if (isRefused) equal(after, before)
        else equal((await twin.make(call)).text, text)
        before = after
      }

      equal(before, await twin.seen())
      equal((await one.nextIds()).join(), (await twin.nextIds()).join())
      equal(await one.seen(), await twin.seen())
    }
  )

  const isShort = process.env.FAST_CHECK_RUNS !== undefined && 'the number of runs was given'
  await t.test('among the calls that were made up there were many of both kinds', { skip: isShort }, async t => {
    const [refused = 0, made = 0] = [statuses.get(true), statuses.get(false)]
    t.ok(refused > 50 && made > 50, `${refused} refused, ${made} made`)
  })
})
