import { join } from 'node:path'
import t, { type Test } from 'tap'
import { parse, stringify } from 'yaml'
import type { Problem } from '../../src/core/errors.js'
import { Ids } from '../../src/core/ids.js'
import { pathOf } from '../../src/core/places.js'
import { type GivenSettings, settingsInForce } from '../../src/core/settings.js'
import { type DocumentProblem, documentOf } from '../../src/scenario/documents.js'
import { Library } from '../../src/scenario/library.js'
import { editing, editOf } from '../../src/scenario/records/edits.js'
import { fixtureIn } from '../../src/scenario/records/fixture.js'
import { exported } from '../../src/scenario/records/record.js'
import { kindOf, problemsOfShape } from '../../src/scenario/shape/scenario.js'
import { FAMILIES, type Records, Store } from '../../src/store/store.js'
import { coded } from '../support/codes.js'
import { startTestEmulator } from '../support/emulator.js'
import { codesIn, firstStateIn, lookedAt, problemsIn } from '../support/first-state.js'
import type { Json } from '../support/json.js'

const MACHINE = Date.parse('2026-04-01T00:00:00.000Z')
const NOW = '2026-03-01T18:05:00.000Z'

/** Default fields of each family's records. */
const USUAL: Record<string, object> = {
  accounts: { type: 'merchant', name: 'N', email: 'n@example.com', address: { country: 'US' } },
  users: { account: 'mch_a', name: 'U', email: 'u@example.com' },
  locations: { account: 'mch_a', display_name: 'L', address: { country: 'US' } },
  tickets: { location: 'loc_a' },
  transactions: { ticket: 'tkt_a', payment_type: 'card', amount: 1000 },
  refunds: { transaction: 'txn_a', amount: 100 }
}
/** Records with their default fields, except those in `left out`. */
const completed = (family: string, records: Json): Json =>
  USUAL[family] === undefined || !Array.isArray(records)
    ? records
    : records.map((record: Json) =>
        record?.constructor === Object
          ? Object.fromEntries(
              Object.entries({ ...USUAL[family], ...record }).filter(
                ([, value]) => value !== 'left out'
              )
            )
          : record
      )
/** A fixture whose records name only what matters. */
const fixture = (data: Json): Json =>
  Object.fromEntries(
    Object.entries(data).map(([family, records]) => [family, completed(family, records)])
  )
/** A small complete fixture with additional records. */
const small = (added: Json = {}): Json => {
  const [accounts, locations, tickets, transactions] = ['mch_a', 'loc_a', 'tkt_a', 'txn_a'].map(
    id => [{ id }]
  )
  const given = { accounts, users: [], locations, tickets, transactions, refunds: [] }
  const base: Json = { api_keys: [], ...given }
  for (const [family, records] of Object.entries<Json>(added))
    base[family] = base[family] === undefined ? records : [...base[family], ...records]
  return fixture(base)
}
const one = async <F extends keyof Records>(
  family: F,
  id: string,
  data: unknown
): Promise<Records[F]> => {
  const { store } = await firstStateIn({ clock: NOW, data })
  return store[family].get(id) as unknown as Records[F]
}
const plain = (value: unknown) => JSON.parse(JSON.stringify(value))
/** Fields of a family's records in order of creation. */
const fieldsIn = <F extends keyof Records>(
  store: Store,
  family: F,
  ...fields: (keyof Records[F])[]
) =>
  (store[family].inCreationOrder() as unknown as Records[F][]).map(record =>
    fields.map(field => record[field])
  )

/** A document of a table, with its problems. */
type Case = [data: Json, ...problems: string[]]
type Titled = [title: string, ...of: Case]

t.test('A04 A05: a record of each family is completed', async t => {
  const data = small({ users: [{ id: 'usr_a' }], refunds: [{ id: 'rfd_a' }] })

  const { store } = await firstStateIn({ clock: NOW, data })

  const stored = Object.fromEntries(
    FAMILIES.map(family => [family, plain(store[family].inCreationOrder())])
  )
  const given = fixture({
    accounts: [{ phone: null, reseller: null, metadata: {} }],
    locations: [{ phone: null, website: null, metadata: {} }]
  })
  const address = parse('{ country: US, line1: ~, line2: ~, city: ~, postal_code: ~, state: ~ }')
  const method = parse(
    '{ currency: usd, payment_method: { type: card, card: ~, bank_account: ~ } }'
  )
  const nothing = parse(
    '{ tip_amount: ~, donation_amount: ~, adjustment_number: ~, amounts: ~, customer: ~ }'
  )
  const record = (id: string, object: string, ...more: object[]) =>
    Object.assign({ id, object, created: NOW }, ...more)
  const { accounts, locations } = given
  const paid = { location: 'loc_a', amount_refunded: 100 }
  const refunded = { reason: null, metadata: {} }
  t.strictSame(stored, {
    accounts: [record('mch_a', 'account', accounts[0], { address })],
    users: [record('usr_a', 'user', USUAL.users as object)],
    locations: [record('loc_a', 'location', locations[0], { address })],
    tickets: [record('tkt_a', 'ticket', { location: 'loc_a', reference: null })],
    transactions: [
      record('txn_a', 'transaction', USUAL.transactions as object, paid, method, nothing)
    ],
    refunds: [record('rfd_a', 'refund', USUAL.refunds as object, method, refunded)]
  })
})

t.test('A22 A24 A25 A28 A30: given values are kept, completed where they are objects', async t => {
  const data = small(
    parse(`
      accounts: [{ id: mch_b, address: { country: gb, city: Leeds }, phone: '1', metadata: { k: v }, reseller: mch_a }]
      transactions:
        - { id: txn_b, payment_method: { type: card, card: { brand: visa, last4: '4242' } }, customer: { name: C }, adjustment_number: -1.5, tip_amount: 5,
            donation_amount: 0, currency: eur }
        - { id: txn_c, amount: null, amounts: { transaction_amount: 70, tip_amount: 7, currency: gbp }, location: loc_a }
        - { id: txn_d, payment_type: vip, payment_method: { type: vip, bank_account: { last4: '6789' } } }
        - { id: txn_e, customer: {}, payment_method: { type: card, card: {}, bank_account: null }, amounts: {} }
        - { id: txn_f, amount: null, amounts: { currency: null, transaction_amount: null, payment_amount: 70, tip_amount: null } }
      refunds: [{ id: rfd_b, transaction: txn_b, amount: 10, reason: cold soup, currency: eur }]
    `)
  )
  const stored: Json = parse(`
    mch_b: { address: { country: GB, city: Leeds, line1: null }, phone: '1', reseller: mch_a, metadata: { k: v } }
    txn_b: { payment_method: { type: card, card: { brand: visa, last4: '4242' }, bank_account: null }, customer: { name: C, email: null, phone: null },
             adjustment_number: -1.5, tip_amount: 5, donation_amount: 0, currency: eur, amount_refunded: 10 }
    txn_c: { amount: 70, tip_amount: 7, currency: gbp, amounts: { transaction_amount: 70, tip_amount: 7, currency: gbp } }
    txn_d: { payment_method: { type: vip, card: null, bank_account: { bank_name: null, last4: '6789' } } }
    txn_e: { customer: { name: null, email: null, phone: null }, payment_method: { type: card, card: { brand: null, last4: null }, bank_account: null } }
    txn_f: { currency: usd, amount: 70, tip_amount: null, amounts: { payment_amount: 70 } }
    rfd_b: { payment_method: { type: card, card: { brand: visa, last4: '4242' }, bank_account: null }, currency: eur, reason: cold soup }
  `)
  const { store } = await firstStateIn({ clock: NOW, data })
  for (const [id, fields] of Object.entries(stored)) {
    const family = FAMILIES.find(family => store[family].has(id)) as keyof Records
    t.hasStrict(plain(store[family].get(id)), fields, id)
  }
  t.strictSame(
    [
      plain(store.transactions.get('txn_e')?.amounts),
      plain(store.transactions.get('txn_f')?.amounts)
    ],
    [{}, { payment_amount: 70 }]
  )
})

t.test('A03 A05: omitted ids are drawn and omitted created is now, in file order', async t => {
  const settings = settingsInForce({}).values
  const ids = new Ids()
  const drawn = (kind: Parameters<Ids['draw']>[0]) => ids.draw(kind, settings, new Set())
  const whole = small({ accounts: [{}, { type: 'reseller' }] })
  const tickets = [{ id: 'tkt_a', created: '2026-01-01' }, {}, { created: null }]
  const transactions = [{ id: 'txn_a', created: '2026-03-01T20:00:00+02:00' }]

  const { store, counters } = await firstStateIn({
    clock: NOW,
    data: { ...whole, ...fixture({ tickets, transactions }) }
  })

  t.strictSame(fieldsIn(store, 'accounts', 'id').flat(), [
    'mch_a',
    drawn('merchant'),
    drawn('reseller')
  ])
  const [first, second] = [drawn('ticket'), drawn('ticket')]
  t.strictSame(fieldsIn(store, 'tickets', 'id').flat(), ['tkt_a', first, second])
  t.strictSame(fieldsIn(store, 'tickets', 'created').flat(), ['2026-01-01T00:00:00.000Z', NOW, NOW])
  t.equal(store.transactions.get('txn_a')?.created, '2026-03-01T18:00:00.000Z')
  t.strictSame(counters, { merchant: 1, reseller: 1, ticket: 2 })

  const skipped = await firstStateIn({ data: small({ tickets: [{ id: first }, {}] }) })
  t.equal(fieldsIn(skipped.store, 'tickets', 'id').at(-1)?.[0], second, 'one taken is skipped')
})

t.test('fixtures: every kind of problem, each with its path', async t => {
  const ofRecords: [family: string, record: Json, ...problems: string[]][] = parse(`[
    [tickets, { id: x, referense: T }, referense unknown_name], [transactions, { id: x, amount_refunded: 5 }, amount_refunded unknown_name],
    [locations, { id: x, address: {} }, address required], [tickets, { id: a b }, id wrong_characters], [tickets, { id: '' }, id wrong_characters],
    [tickets, { id: ${'x'.repeat(129)} }, id wrong_characters],
    [transactions, { id: x, payment_type: carb }, payment_type not_one_of], [locations, { id: x, address: { country: XX } }, address.country wrong_format],
    [users, { email: u }, email wrong_format], [users, { email: left out }, ' required'], [transactions, { id: x, currency: USD }, currency wrong_format],
    [transactions, { payment_method: { type: card, card: { last4: 4242 } } }, payment_method.card.last4 wrong_type],
    [transactions, { payment_method: { type: card, card: { last4: '42424' } } }, payment_method.card.last4 wrong_format],
    [transactions, { id: x, amount: -1 }, amount too_small], [transactions, { id: x, tip_amount: 1.5 }, tip_amount wrong_type],
    [transactions, { id: x, amount: 9007199254740992 }, amount too_large], [refunds, { amount: 0 }, amount too_small],
    [locations, { id: x, metadata: { n: 5 } }, metadata.n wrong_type], [tickets, { id: x, created: '1767225600' }, created wrong_format],
    [tickets, { id: x, extra: 5 }, extra wrong_type], [tickets, { id: x, location: loc_b }, location missing_record],
    [tickets, { id: x, extra: { reference: 1, object: 2, more: 3 } }, extra.reference reserved_field, extra.object reserved_field],
    [tickets, { id: x, location: elsewhere }, location missing_record], [users, { id: x, account: '\${a.id}' }, account missing_record], [api_keys, { key: sk_x, account: mch_b }, account missing_record],
    [api_keys, { key: 'a:b', account: mch_a }, key not_a_key], [tickets, { id: tkt_a }, id listed_twice],
    [transactions, { id: x, payment_method: { type: vip } }, payment_method contradicts],
    [transactions, { id: x, amount: 9007199254740991, tip_amount: 1 }, amount sum_too_large], [refunds, { currency: eur }, currency contradicts],
    [tickets, x, ' wrong_type']
  ]`)
  const ofFixtures: Case[] = [
    [{ tickets: [], tikets: [] }, 'tikets unknown_name'],
    [{ tickets: {} }, 'tickets wrong_type'],
    [
      fixture(
        parse(`{ accounts: [{ id: mch_a, reseller: rsl_zzzzz }], users: [{ account: x }], locations: [{ account: x }],
          tickets: [{}], transactions: [{}], refunds: [{}] }`)
      ),
      ...'users[0].account locations[0].account tickets[0].location transactions[0].ticket refunds[0].transaction accounts[0].reseller'
        .split(' ')
        .map(place => `${place} missing_record`)
    ],
    ...parse(`[
      [{ api_keys: [&key { key: sk_x, account: mch_a }, *key] }, 'api_keys[1].key listed_twice'],
      [{ refunds: [{ amount: 600 }, { amount: 401 }] }, 'refunds[1].amount refund_exceeds_remaining'],
      [{ transactions: [{ id: x, amount: 0 }], refunds: [{ transaction: x, amount: 1 }] }, 'refunds[0].transaction charge_has_no_amount'],
      [{ locations: [{ id: loc_b }], transactions: [{ location: loc_b }] }, 'transactions[1].location contradicts']
    ]`).map(([added, problem]: Case): Case => [small(added), problem as string]),
    ...ofRecords.map(([family, record, ...problems]): Case => {
      const place = `${family}[${['users', 'refunds', 'api_keys'].includes(family) ? 0 : 1}]`
      return [
        small({ [family]: [record] }),
        ...problems.map(problem => `${place}${problem.startsWith(' ') ? '' : '.'}${problem}`)
      ]
    })
  ]
  for (const [data, ...problems] of ofFixtures) {
    t.strictSame(await codesIn(data), problems, JSON.stringify(data))
    const within = problems.map(problem => `data.${problem}`)
    t.strictSame(await codesIn({ data }), within, `${JSON.stringify(data)}, inside a scenario`)
  }
})

t.test('fixtures: a reference to an invalid record is not a problem itself', async t => {
  const added: Json = parse(`
    { api_keys: [{ key: sk_bad, account: bad }], accounts: [{ id: bad, extra: { name: 1 } }, { id: child, reseller: bad }],
      users: [{ id: usr_b, account: bad }], locations: [{ id: under, account: bad }], tickets: [{ id: below, location: under }],
      transactions: [{ id: deeper, ticket: below }, { id: txn_bad, payment_method: { type: vip } }],
      refunds: [{ transaction: deeper, amount: 5 }, { transaction: txn_bad, amount: 5 }] }`)
  t.strictSame(await codesIn(small(added)), [
    'accounts[1].extra.name reserved_field',
    'transactions[2].payment_method contradicts'
  ])
})

t.test('a scenario: a key of a step is looked for among those of its records', async t => {
  const cases: [title: string, api_keys: Json, more: Json, ...problems: string[]][] = parse(`[
    [there, [{ key: sk_step, account: mch_a }], {}], [not there, [{ key: another_key, account: mch_a }], {}, 'steps[0].key unknown_key'],
    [of nobody, [{ key: sk_step, account: mch_none }], {}, 'data.api_keys[0].account missing_record'],
    [that any may be, [], { settings: { auth: { accept_any_key: mch_a } } }]
  ]`)
  const steps = [{ do: 'GET /tickets', key: 'sk_step' }]
  for (const [title, api_keys, more, ...problems] of cases)
    t.strictSame(await codesIn({ data: small({ api_keys }), steps, ...more }), problems, title)
  t.match(await problemsIn({ data: small(), steps: [{ do: 'GET /tickets/${tkt_b}' }] }), [
    /did you mean \$\{tkt_a\}\?$/
  ])
})

t.test('A40: a required text must not be white space alone', async t => {
  for (const [family, name, blank] of [
    ['accounts', 'name', ' '],
    ['users', 'name', '\u00a0\t'],
    ['locations', 'display_name', '\n'],
    ['tickets', 'location', ' ']
  ] as const) {
    for (const [value, code] of Object.entries({ [blank]: 'blank', '': 'empty' }))
      t.strictSame(await codesIn(small({ [family]: [{ [name]: value }] })), [
        `${family}[${family === 'users' ? 0 : 1}].${name} ${code}`
      ])
  }
  t.strictSame(
    await codesIn(small({ tickets: [{ reference: ' ' }], accounts: [{ name: ' N ' }] })),
    []
  )
})

t.test('REF-6 REF-7 A24: Refunds of a fixture are judged in file order, as by the API', async t => {
  const amounts = (...amounts: number[]) => ({ refunds: amounts.map(amount => ({ amount })) })
  const cases: Titled[] = [
    ['to the last sub-unit', amounts(999, 1)],
    ['one more than remains', amounts(999, 2), 'refunds[1].amount refund_exceeds_remaining'],
    ['when all is refunded', amounts(1000, 1), 'refunds[1].transaction charge_already_refunded'],
    [
      'a refused one is not counted',
      amounts(600, 600, 400, 1),
      'refunds[1].amount refund_exceeds_remaining',
      'refunds[3].transaction charge_already_refunded'
    ]
  ]
  for (const [title, added, ...problems] of cases)
    t.strictSame(await codesIn(small(added)), problems, title)

  const halves = { rfd_a: 600, rfd_b: 400 }
  const { add } = await running(
    small({ refunds: Object.entries(halves).map(([id, amount]) => ({ id, amount })) })
  )
  const merges: Titled[] = parse(`
    - [two that change places, { refunds: [{ id: rfd_a, amount: 400 }, { id: rfd_b, amount: 600 }] }]
    - [the later one larger first, { refunds: [{ id: rfd_b, amount: 600 }, { id: rfd_a, amount: 400 }] }]
    - [one larger than what the other leaves, { refunds: [{ id: rfd_b, amount: 401 }] }, 'refunds[0].amount refund_exceeds_remaining']
    - [a new one, { refunds: [{ amount: 1 }] }, 'refunds[0].transaction charge_already_refunded']
    - [one in the place of another, { refunds: [{ amount: 400 }, { id: rfd_b, amount: 1 }] }, 'refunds[1].transaction charge_already_refunded']
    - [of a charge that is raised, { transactions: [{ id: txn_a, amount: 1001 }], refunds: [{ amount: 1 }] }]
    - [of a charge that is lowered with them, { transactions: [{ id: txn_a, amount: 500 }], refunds: [{ id: rfd_a, amount: 100 }] }]
    - [a charge that is lowered alone, { transactions: [{ id: txn_a, amount: 999 }] }, 'transactions[0].amount below_refunds']
    - ['lowered, with a new Refund', { transactions: [{ id: txn_a, amount: 999 }], refunds: [{ amount: 1 }] }, 'transactions[0].amount below_refunds']
    - - a charge that is lowered, and a Refund that is wrong elsewhere
      - { transactions: [{ id: txn_a, amount: 500 }], refunds: [{ id: rfd_a, amount: 100, currency: eur }] }
      - refunds[0].currency contradicts
  `)
  for (const [title, more, ...problems] of merges) t.strictSame(add(more).problems, problems, title)
  const tipped = { refunds: [{ amount: 1 }], transactions: [{ id: 'txn_a', tip_amount: 1 }] }
  t.strictSame(add(tipped, { 'transactions.refundable': 'amount_plus_extras' }).problems, [])
})

t.test('A21: an Account may name a reseller that comes after it', async t => {
  const accounts = [
    { id: 'mch_a', reseller: 'rsl_r' },
    { id: 'rsl_r', type: 'reseller' }
  ]
  t.equal((await one('accounts', 'mch_a', fixture({ accounts }))).reseller, 'rsl_r')
})

t.test('A23: what can be refunded is what the setting says', async t => {
  const transactions = [{ id: 'x', amount: 100, tip_amount: 20, donation_amount: 3 }]
  const refunding = (amount: number) =>
    small({ transactions, refunds: [{ transaction: 'x', amount }] })
  const data = refunding(123)
  const extras = { data, settings: { transactions: { refundable: 'amount_plus_extras' } } }

  const flags = { flag: { 'transactions.refundable': 'amount' } } as const
  for (const [document, given, warned, refused] of [
    [{ data }, {}, 1, 0],
    [extras, {}, 0, 0],
    [extras, flags, 1, 0],
    [{ ...extras, data: refunding(124) }, flags, 0, 1]
  ] as const) {
    const { problems, warnings } = await lookedAt(document, given)
    t.strictSame([warnings.length, problems.length], [warned, refused], JSON.stringify(given))
  }
})

t.test('fixtures: later records win by id and replace the earlier ones in place', async t => {
  const store = new Store()
  const generation = { store, ids: new Ids(), now: MACHINE, settings: settingsInForce({}).values }
  const first = small({
    tickets: [{ id: 'x', reference: 'old' }, { id: 'y' }, {}],
    api_keys: [{ key: 'k', account: 'mch_a' }]
  })
  const second = fixture({
    accounts: [{ id: 'mch_b' }],
    tickets: [{}, { id: 'x', reference: 'new' }],
    api_keys: [{ key: 'k', account: 'mch_b' }]
  })

  const fixtures = Object.entries({ first, second }).map(([name, data]) =>
    fixtureIn(documentOf(name, data), data)
  )
  Array.from(editing({ fixtures, removed: [] }, generation, [] as DocumentProblem[]))

  const shown = fieldsIn(store, 'tickets', 'id', 'reference').map(
    ([id = '', reference]) => `${String(id).length > 9 ? 'drawn' : id} ${reference}`
  )
  t.strictSame(shown, ['tkt_a null', 'x new', 'y null', 'drawn null', 'drawn null'])
  t.strictSame([...store.keys], [['k', 'mch_b']])
})

/** A store with imported records, and a function that merges others into a copy. */
async function running(data: object) {
  const { store } = await firstStateIn({ clock: NOW, data })
  const add = (added: Json, given: GivenSettings = {}) => {
    const [more, copy] = [fixture(added), store.clone()]
    const found: DocumentProblem[] = []
    const settings = settingsInForce({ flag: given }).values
    const generation = { store: copy, ids: new Ids(), now: Date.parse(NOW) + 1000, settings }
    const fixtures = [fixtureIn(documentOf('more', more), more)]
    const steps = editing({ fixtures, removed: [] }, generation, found)
    let step = steps.next()
    while (!step.done) step = steps.next()
    const problems = found.map(({ steps, ...said }) => coded(pathOf(steps), said))
    return { ...step.value, problems, store: copy }
  }
  return { store, add }
}

t.test('records merged into a running state: replaced in place', async t => {
  const { store, add } = await running(
    small({
      tickets: [{ id: 'x', reference: 'old' }, { id: 'y' }],
      refunds: [{ id: 'rfd_a', amount: 400 }]
    })
  )

  const merged = add({
    api_keys: [{ key: 'k', account: 'mch_a' }],
    accounts: [
      { id: 'mch_a', name: 'Renamed', type: 'reseller', reseller: 'mch_new' },
      { id: 'mch_new' }
    ],
    tickets: [{ id: 'x', reference: 'new' }, {}],
    refunds: [{ id: 'rfd_a', amount: 700 }, { amount: 300 }]
  })

  const { imported, store: after } = merged
  const references = imported.tickets.map(({ reference }) => reference)
  const amounts = imported.refunds.map(({ amount }) => amount)
  t.strictSame(
    [merged.problems, references, amounts, imported.api_keys],
    [[], ['new', null], [700, 300], [{ key: 'k', account: 'mch_a' }]]
  )
  t.strictSame(
    [imported.accounts[0]?.name, imported.tickets[1]?.created],
    ['Renamed', '2026-03-01T18:05:01.000Z']
  )
  t.strictSame(fieldsIn(after, 'tickets', 'id').flat().slice(0, 3), ['tkt_a', 'x', 'y'])
  t.strictSame(
    [after.transactions.get('txn_a')?.amount_refunded, after.keys.get('k')],
    [1000, 'mch_a']
  )
  const before = [
    store.transactions.get('txn_a')?.amount_refunded,
    store.tickets.get('x')?.reference,
    store.keys.size
  ]
  t.strictSame(before, [400, 'old', 0], 'the state before stays')

  const lowered = add({ transactions: [{ id: 'txn_a', amount: 400 }] })
  t.strictSame(lowered.problems, [])
  t.equal(
    lowered.store.transactions.get('txn_a')?.amount_refunded,
    400,
    'a Transaction that is replaced keeps what was refunded'
  )
})

t.test('records merged into a running state: what others depend on cannot be changed', async t => {
  const data = parse(`
    { accounts: [{ id: mch_b }], users: [{ id: usr_a }], locations: [{ id: loc_b }], tickets: [{ id: tkt_b }],
      transactions: [{ id: txn_b }, { id: txn_eur, currency: eur }], refunds: [{ id: rfd_a, amount: 400 }] }`)
  const { add } = await running(small(data))
  const cases: Case[] = parse(`
    - [{ users: [{ id: usr_a, account: mch_b }] }, 'users[0].account contradicts']
    - [{ locations: [{ id: loc_a, account: mch_b }] }, 'locations[0].account contradicts']
    - [{ tickets: [{ id: tkt_a, location: loc_b }] }, 'tickets[0].location contradicts']
    - [{ transactions: [{ id: txn_a, ticket: tkt_b }] }, 'transactions[0].ticket contradicts']
    - [{ transactions: [{ id: txn_a, currency: eur }] }, 'transactions[0].currency contradicts']
    - [{ transactions: [{ id: txn_a, payment_type: emv }] }, 'transactions[0].payment_method contradicts']
    - [{ transactions: [{ id: txn_b, currency: eur, payment_type: emv }] }]
    - [{ refunds: [{ id: rfd_a, transaction: txn_b }] }, 'refunds[0].transaction contradicts']
    - [{ transactions: [{ id: txn_a, amount: 399 }] }, 'transactions[0].amount below_refunds']
    - [{ refunds: [{ id: rfd_a, amount: 1001 }] }, 'refunds[0].amount refund_exceeds_remaining']
    - [{ transactions: [{ id: txn_a, amount: 1500 }], refunds: [{ id: rfd_a, amount: 1001 }] }]
    - [{ accounts: [{ id: mch_a, reseller: none_such }] }, 'accounts[0].reseller missing_record']
  `)
  for (const [more, ...problems] of cases)
    t.strictSame(add(more).problems, problems, JSON.stringify(more))
})

t.test('a bare fixture is accepted as a scenario', async t => {
  for (const data of [{ tickets: [] }, { api_keys: [], tikets: [] }])
    t.equal(kindOf(data), 'fixture', JSON.stringify(data))
  const others = parse('[{ name: x }, { name: x, tickets: [] }, { data: {} }, {}, ~, tickets, []]')
  for (const data of others) t.equal(kindOf(data), 'scenario', JSON.stringify(data))

  const { scenario, store, settings, clock } = await firstStateIn(small())
  t.strictSame(
    [scenario, settings, clock],
    [{ name: 'given', description: null }, {}, { at: null, running: true }]
  )
  t.strictSame(
    fieldsIn(store, 'tickets', 'created').flat(),
    ['2026-04-01T00:00:00.000Z'],
    "the machine's time"
  )
})

t.test('a scenario: name, description, seed, settings', async t => {
  const data = small({ tickets: [{}] })
  const { scenario, settings, store } = await firstStateIn({
    name: 'mine',
    description: 'Mine.',
    seed: 7,
    settings: {
      pagination: { default_limit: 5 },
      ids: { prefixes: { ticket: 'k_' }, length: 8 },
      auth: { accept_any_key: null }
    },
    data
  })
  const drawn = (given: Parameters<typeof settingsInForce>[0]) =>
    new Ids().draw('ticket', settingsInForce(given).values, new Set())
  const drawnIn = (store: Store) => fieldsIn(store, 'tickets', 'id').at(-1)?.[0]

  t.strictSame(scenario, { name: 'mine', description: 'Mine.' })
  t.strictSame(settings, {
    'pagination.default_limit': 5,
    'ids.prefixes.ticket': 'k_',
    'ids.length': 8,
    'auth.accept_any_key': null,
    seed: 7
  })
  t.match(drawnIn(store), /^k_.{8}$/)
  t.equal(drawnIn(store), drawn({ scenario: settings }))

  const flagged = await firstStateIn({ seed: 7, data }, { flag: { seed: 9 } })
  t.equal(drawnIn(flagged.store), drawn({ flag: { seed: 9 } }), 'a flag wins over the scenario')
  t.equal((await firstStateIn({})).store.accounts.size, 0, 'an empty scenario has no records')
})

t.test('a scenario: the clock in each of its forms', async t => {
  const at = Date.parse(NOW)
  const cases: [start: object, ...clocks: unknown[]][] = [
    [{ at: null, running: true }, undefined],
    [{ at, running: false }, NOW, { now: NOW, running: false }],
    [{ at: Date.parse('2026-03-01'), running: false }, '2026-03-01'],
    [{ at, running: true }, { now: NOW }, { now: NOW, running: true }]
  ]
  for (const [start, ...clocks] of cases)
    for (const clock of clocks)
      t.strictSame(
        (await firstStateIn({ ...(clock !== undefined && { clock }) })).clock,
        start,
        JSON.stringify(clock)
      )
})

t.test('a scenario: invalid values', async t => {
  const cases: Case[] = parse(`[
    [{ name: x, behaviour: [] }, behaviour unknown_name], [{ name: x, scripts: [], expects: [] }, scripts unknown_name, expects unknown_name],
    [{ generate: {}, script: {}, steps: {}, expect: {} }, generate wrong_type, script wrong_type, steps wrong_type, expect wrong_type],
    [{ generate: [5], script: [5], steps: [5], expect: [5] },
      'generate[0] wrong_type', 'script[0] wrong_type', 'steps[0] wrong_type', 'expect[0] wrong_type'],
    [{ script: [null], steps: [null], play: [null, { at_once: [null] }], expect: [null] },
      'script[0] wrong_type', 'steps[0] wrong_type', 'play[0] wrong_type', 'play[1].at_once[0] wrong_type', 'expect[0] wrong_type'],
    [{ nmae: x, data: {} }, nmae unknown_name], [{ name: '' }, name empty], [{ name: 5 }, name wrong_type], [{ seed: -1 }, seed too_small],
    [{ seed: '7' }, seed wrong_type], [{ fixtures: bistro }, fixtures wrong_type], [{ clock: 2026 }, clock wrong_format], [{ clock: [] }, clock wrong_type], [{ clock: now }, clock wrong_format],
    [{ clock: {} }, clock required], [{ clock: { now: '${NOW}', runing: true } }, clock.runing unknown_name], [{ settings: 5 }, settings wrong_type],
    [{ settings: { port: 1 } }, settings.port unknown_name], [{ settings: { cors: true } }, settings.cors unknown_name],
    [{ settings: { limits: { body: 1 } } }, settings.limits unknown_name], [{ settings: { limits: { x: 1 } } }, settings.limits unknown_name], [{ settings: { seed: 5 } }, settings.seed unknown_name],
    [{ settings: { pagination: { max_limit: 0 } } }, settings.pagination.max_limit too_small],
    [{ settings: { paginatoin: { max_limit: 1 } } }, settings.paginatoin unknown_name],
    [{ settings: { auth: { accept_any_key: mch_a } } }, settings.auth.accept_any_key missing_account],
    [null, empty_document], [[], wrong_type]
  ]`)
  for (const [data, ...problems] of [...cases, ['just text', 'wrong_type']])
    t.strictSame(await codesIn(data), problems, JSON.stringify(data))
})

t.test('A18: accept_any_key names an Account of the document', async t => {
  const { settings } = await firstStateIn({
    settings: { auth: { accept_any_key: 'mch_a' } },
    data: small()
  })
  t.equal(settings['auth.accept_any_key'], 'mch_a')

  t.strictSame(await codesIn(small(), { flag: { 'auth.accept_any_key': 'mch_none' } }), [
    'missing_account'
  ])
})

function folders(t: Test) {
  const root = t.testdir({
    fixtures: {
      'base.yaml': stringify(small({ tickets: [{ id: 'tkt_b', reference: 'base' }] })),
      'more.yaml': stringify(
        fixture({ tickets: [{ id: 'tkt_b', reference: 'more' }, { id: 'tkt_c' }] })
      ),
      'bad.yaml':
        'tickets:\n  - { id: tkt_x, location: lost }\n  - { id: tkt_x, location: none }\n',
      'misfit.yaml': 'tickets:\n  - { id: 5 }\n',
      'scenario.yaml': 'name: x\n',
      'broken.yaml': 'a: [',
      'deep.yaml': `a: ${'['.repeat(65)}${']'.repeat(65)}`
    },
    scenarios: {
      'own.yaml': 'tickets: []',
      'groups.yaml':
        'groups:\n  a: [{ on: GET /tickets, delay: 1s, calls: 2-1 }]\n  b: [{ on: GET /tickets, delay: 1 }]\n  c: { script: [{ on: GET /tickets, delay: 1s }] }\n'
    }
  })
  return {
    root,
    library: new Library({ fixtures: join(root, 'fixtures'), scenarios: join(root, 'scenarios') }),
    file: join(root, 'scenarios', 'own.yaml')
  }
}

t.test('a scenario: fixtures are merged in order, then its own records', async t => {
  const { library, file } = folders(t)
  const data = fixture({ tickets: [{ id: 'tkt_c', reference: 'data' }] })

  const { store } = await firstStateIn(
    { fixtures: ['base', 'base', '../fixtures/more.yaml'], data },
    { library, file }
  )

  t.strictSame(
    fieldsIn(store, 'tickets', 'id', 'reference').join(' '),
    'tkt_a, tkt_b,more tkt_c,data'
  )
})

t.test('gates: each reports everything that it finds, and a failed item stops there', async t => {
  const { library, file } = folders(t)
  const text = 'name: x: y\n'
  const shape = 'sede: 1\n'
  const data = 'data: { tickets: [{ location: none }] }\n'
  const misfit = [
    'misfit.yaml:2:5 tickets[0] required',
    'misfit.yaml:2:11 tickets[0].id wrong_type'
  ]
  // biome-ignore format: a table
  const cases: [title: string, text: string, ...problems: string[]][] = [
    ['text, shape and meaning', text + shape + data, 'doc:1:7 holds_colon'],
    ['shape and meaning', shape + data, 'doc:1:1 sede unknown_name'],
    [
      'shape in several parts', `${shape}seed: x\nscript: [5]\n${data}`, 'doc:1:1 sede unknown_name', 'doc:2:7 seed wrong_type',
      'doc:3:10 script[0] wrong_type'
    ],
    [
      'variables and shape', `seed: x\nvars: { a b: 1 }\nname: "$\{vars.none}"\n${data}`, 'doc:1:7 seed wrong_type',
      'doc:2:9 vars.a b not_a_variable_name', 'doc:3:7 name unknown_variable'
    ],
    [
      'shape of a record and meaning of others', 'data:\n  locations: [5]\n  tickets: [{ location: none }]\n',
      'doc:2:15 data.locations[0] wrong_type'
    ],
    ['fixtures', `fixtures: [base, bad, misfit, bad]\n${data}`, ...misfit],
    [
      'fixtures there are not', `fixtures: [misfit, zzzzzz, broken, ../../x.yaml, deep, misfit, zzzzzz]\n${shape}`,
      'doc:1:20 fixtures[1] no_fixture', 'doc:1:36 fixtures[3] no_file', 'doc:1:64 fixtures[6] no_fixture', 'doc:2:1 sede unknown_name',
      'broken.yaml:1:4 not_closed', 'deep.yaml:1:1 too_deep', ...misfit
    ],
    ['a scenario as a fixture', 'fixtures: [scenario]\n', 'scenario.yaml:1:1 name unknown_name'],
    [
      'groups', `use: [groups.yaml#a, groups.yaml#b, groups.yaml#c]\n${shape}`, 'doc:2:1 sede unknown_name',
      'groups.yaml:3:34 groups.b[0].delay wrong_format', 'groups.yaml:4:6 groups.c wrong_type'
    ],
    [
      'meaning', `use: [groups.yaml#a]\nfixtures: [base, bad]\n${data}steps: [{ do: GET /ticket }]\n`,
      'bad.yaml:2:28 tickets[0].location missing_record', 'bad.yaml:3:11 tickets[1].id listed_twice', 'bad.yaml:3:28 tickets[1].location missing_record',
      'doc:3:31 data.tickets[0].location missing_record', 'doc:4:15 steps[0].do unknown_request',
      'groups.yaml:2:45 groups.a[0].calls not_counts'
    ]
  ]
  for (const [title, text, ...problems] of cases) {
    const { problems: found } = await lookedAt(text, { library, file, name: 'doc' })
    t.strictSame(
      found.map(
        ({ file = '', line, column, path, ...said }) =>
          `${file.split('/').at(-1)}:${line}:${column} ${coded(path, said)}`
      ),
      problems,
      title
    )
  }
  t.strictSame(await codesIn({ fixtures: ['./own.yaml'] }), ['fixtures[0] names_only'])
})

t.test('a scenario: a folder of fixtures that cannot be read is a system error', async t => {
  const library = new Library({ fixtures: join(t.testdirName, 'none'), scenarios: null })

  await t.rejects(firstStateIn({ fixtures: ['bistro'] }, { library }), { code: 'ENOENT' })
})

t.test('a scenario: script, expectations and steps are those of the document', async t => {
  const script = [{ name: 'slow', on: 'GET /tickets', delay: '1s' }]
  const expect = [{ on: 'POST /refunds', times: 1 }, { on: 'GET /tickets' }]
  const steps = [
    { as: 'page', do: 'GET /tickets/${tkt_a}' },
    { do: 'GET /refunds', query: { transaction: '${page.id}' } }
  ]

  const first = await firstStateIn({ data: small(), script, expect, steps })

  t.strictSame(first.script.listed(), [{ id: 'scr_1', entry: script[0], matched: 0, applied: 0 }])
  const expected = first.expectations.map(one => [one.data, [...(one.steps[0]?.operations ?? [])]])
  t.strictSame(expected.flat(), [expect[0], ['createRefund'], expect[1], ['listTickets']])
  t.strictSame(first.steps, steps)

  const { script: none, expectations, steps: noSteps } = await firstStateIn({ data: small() })
  t.strictSame([none.listed(), expectations, noSteps], [[], [], []])
})

const placed = (problems: Problem[]) =>
  problems.map(({ line, column, path, ...said }) => `${line}:${column} ${coded(path, said)}`)

/** A scenario in which every section is wrong. */
const MISTAKEN = `name: wrong
fixtures: []
data:
  accounts: [{ id: mch_a, type: merchant, name: A, email: a@example.com, address: { country: US } }]
  tickets:
    - { id: tkt_a, location: loc_none }
generate:
  - { transactions: 5, payments_per_ticket: 2 }
  - { accounts: 5 }
script:
  - on: DELETE /locations/{id}
    fault: hang
  - { on: GET /tickets, match: { query: { locaton: x }, key: "/(/" }, calls: 3-2, delay: { min: 2s, max: 11m } }
  - { on: GET /refunds, delay: 1s }
  - { on: GET /refunds, respond: { status: 204, error: { code: c, message: m }, headers: { connection: close } } }
  - { on: GET /refunds, delay: 2s }
steps:
  - { do: POST /refund }
  - { as: a.b, do: "GET /tickets/\${nothing.id}", body: {} }
expect:
  - { on: POST /refunds, match: { body: { reason: "/*/" } } }
  - { on: GET /tickets, times: 2-1 }
`

t.test('a scenario: wrong in every section, each problem has its place; no change', async t => {
  const { control, state, nextIds } = await startTestEmulator(t)
  const { nextIds: expectedIds } = await startTestEmulator(t)
  const before = await state()
  const problems = `6:30 data.tickets[0].location missing_record
8:45 generate[0].payments_per_ticket not_shared
11:9 script[0].on disabled
13:43 script[1].match.query.locaton unknown_field
13:62 script[1].match.key bad_pattern
13:78 script[1].calls not_counts
13:106 script[1].delay.max too_large
15:36 script[3].respond.status no_section
15:92 script[3].respond.headers.connection framing_header
16:5 script[4] shadowed
18:11 steps[0].do unknown_request
19:7 steps[1].as not_a_variable_name
19:50 steps[1].body no_section
21:51 expect[0].match.body.reason bad_pattern
22:32 expect[1].times not_counts`.split('\n')
  for (const on of ['POST /load', 'POST /load?dry_run=1']) {
    const { status, body } = await control(on, MISTAKEN, { 'content-type': 'application/yaml' })

    t.strictSame([status, body.error.code], [400, 'document_invalid'])
    t.strictSame(placed(body.error.problems), problems, on)
    t.equal(await state(), before, 'byte for byte')
  }
  t.strictSame((await control('GET /script')).body.data, [])
  t.strictSame(await nextIds(), await expectedIds(), 'the ids drawn next are those of before')
})

t.test(
  "a scenario: problems that follow from another record's problem are not reported",
  async t => {
    const data = { ...small(), ...fixture({ tickets: [{ id: 'tkt_a', extra: { id: 1 } }] }) }
    const own = 'data.tickets[0].extra.id reserved_field'
    const ofTicket = { on: 'POST /transactions', match: { body: { ticket: 'tkt_a' } }, delay: '1s' }
    const cases: Titled[] = [
      ['a step about it', { data, steps: [{ do: 'GET /tickets/${tkt_a}' }] }, own],
      ['an entry about it', { data, script: [ofTicket] }, own],
      [
        'generated records of it',
        {
          data: fixture({ accounts: [{ id: 'mch_a', extra: { id: 1 } }] }),
          generate: [{ users: 1 }, { locations: 1, account: 'mch_a' }, { tickets: 1 }],
          settings: { auth: { accept_any_key: 'mch_a' } }
        },
        'data.accounts[0].extra.id reserved_field'
      ],
      [
        'payments of Tickets that could not be generated',
        {
          data: { ...small(), tickets: [], transactions: [] },
          generate: [{ tickets: 1, location: 'loc_b' }, { transactions: 1 }]
        },
        'generate[0].location missing_record'
      ]
    ]
    for (const [title, data, ...problems] of cases)
      t.strictSame(await codesIn(data), problems, title)
  }
)

t.test('a scenario: of many problems, the first thousand are reported', async t => {
  const tickets = (ticket: object) => ({ tickets: new Array(50_000).fill(ticket) })
  const cases: [data: unknown, first: string][] = [
    [{ data: tickets({ location: 'loc_none' }) }, 'data.tickets[0].location missing_record'],
    [
      { data: { ...small(), ...tickets({ id: 'tkt_a', location: 'loc_a' }) } },
      'data.tickets[1].id listed_twice'
    ]
  ]
  for (const [data, first] of cases) {
    const problems = await codesIn(data)
    t.strictSame([problems.length, problems[0]], [1001, first])
  }
})

/** A fixture with all that an export could lose. */
const RICH = `
api_keys:
  - { key: sk_b, account: mch_a }
  - { key: sk_a, account: rsl_r }
accounts:
  - { id: mch_a, type: merchant, name: null, email: n@example.com, address: { country: null, city: Boston }, reseller: rsl_r, metadata: { __proto__: x, constructor: y, "": z } }
  - { id: rsl_r, type: reseller, name: R, email: r@example.com, address: { country: US }, extra: { tier: gold, nested: { a: [1, null, { b: c }] }, __proto__: { p: 1 } } }
users:
  - { id: usr_a, account: mch_a, name: U, email: u@example.com, created: 2026-01-01 }
  - { id: usr_gone, account: mch_a, name: G, email: g@example.com }
  - { id: usr_b, account: mch_a, name: B, email: b@example.com, extra: {} }
locations:
  - { id: loc_b, account: mch_a, display_name: null, address: { country: US }, phone: "1", website: w, metadata: { k: "" } }
  - { id: loc_a, account: mch_a, display_name: A, address: { country: US, line1: a, line2: b, city: c, postal_code: "02134", state: MA } }
tickets:
  - { id: tkt_b, location: loc_b, created: 2026-03-02T00:00:00.123Z }
  - { id: tkt_a, location: loc_b, reference: "", created: 2026-03-01 }
transactions:
  - { id: txn_b, ticket: tkt_a, payment_type: vip, payment_method: { type: vip, card: {}, bank_account: { bank_name: Bank } }, customer: {}, amounts: { currency: eur, tip_amount: 5 } }
  - { id: txn_a, ticket: tkt_b, payment_type: card, payment_method: { card: { brand: visa, last4: "0042" }, type: card }, amount: 1000, tip_amount: 0, donation_amount: 3,
      adjustment_number: -0.5, customer: { email: c@example.com }, amounts: {}, currency: jpy, extra: { "__proto__": 1 } }
refunds:
  - { id: rfd_b, transaction: txn_a, amount: 1, reason: "", metadata: { __proto__: "1" } }
  - { id: rfd_a, transaction: txn_a, amount: 999, reason: cold soup }
`

t.test('an export is a fixture: loaded again, it gives the same records and export', async t => {
  const { store } = await firstStateIn(RICH)
  store.users.remove('usr_gone')
  const first = exported(store)

  const asJson = JSON.stringify(first)
  const asYaml = stringify(first, { lineWidth: 0, aliasDuplicateObjects: false })
  for (const text of [asJson, asYaml]) {
    const again = await firstStateIn(text)
    t.equal(JSON.stringify(exported(again.store)), asJson)
    for (const family of FAMILIES)
      t.equal(
        JSON.stringify(again.store[family].inCreationOrder()),
        JSON.stringify(store[family].inCreationOrder()),
        family
      )
    t.strictSame([...again.store.keys], [...store.keys])
  }
  t.strictSame(problemsOfShape('fixture', plain(first)), [])
})

t.test('an export leaves out what is derived, what is null and what is empty', async t => {
  const { store } = await firstStateIn(RICH)
  store.users.remove('usr_gone')
  const document = plain(exported(store))

  const keyed = document.api_keys.map(({ key, account }: Json) => `${key} ${account}`)
  t.strictSame(keyed, ['sk_b mch_a', 'sk_a rsl_r'])
  const ids = FAMILIES.flatMap(family => document[family].map(({ id }: Json) => id)).join(' ')
  t.equal(ids, 'mch_a rsl_r usr_a usr_b loc_b loc_a tkt_b tkt_a txn_b txn_a rfd_b rfd_a')
  t.strictSame(document.tickets, [
    { id: 'tkt_b', created: '2026-03-02T00:00:00.123Z', location: 'loc_b' },
    { id: 'tkt_a', created: '2026-03-01T00:00:00.000Z', location: 'loc_b', reference: '' }
  ])
  t.equal(document.accounts[0].name, null, 'what a fixture must give is given as null')
  t.strictSame(document.accounts[0].address, { country: null, city: 'Boston' })
  t.equal(
    JSON.stringify(document.accounts[0].metadata),
    '{"__proto__":"x","constructor":"y","":"z"}'
  )
  t.strictSame(document.accounts[1].metadata, undefined)
  t.equal(
    JSON.stringify(document.accounts[1].extra),
    '{"tier":"gold","nested":{"a":[1,null,{"b":"c"}]},"__proto__":{"p":1}}'
  )
  t.strictSame(
    document.transactions[0],
    parse(
      `{
      id: txn_b, created: '2026-04-01T00:00:00.000Z', ticket: tkt_a, location: loc_b, payment_type: vip, amount: 0, customer: {},
      amounts: &amounts { currency: eur, tip_amount: 5 }, <<: *amounts,
      payment_method: { type: vip, card: {}, bank_account: { bank_name: Bank } }
    }`,
      { merge: true }
    )
  )
  t.strictSame(document.users[1].extra, {})
  for (const name of ['object', 'refunds', 'amount_refunded'])
    t.equal(JSON.stringify(document).includes(`"${name}":`), name === 'refunds', name)
})

t.test('deletions: the Transactions are read once for each edit', async t => {
  const ids = ['tkt_1', 'tkt_2', 'tkt_3']
  const data = small({
    tickets: ids.map(id => ({ id })),
    transactions: ids.map(ticket => ({ ticket }))
  })
  const { store } = await firstStateIn({ clock: NOW, data })
  const index = store.transactions.index('all')
  const range = index.range.bind(index)
  let times = 0
  index.range = (...given) => {
    times++
    return range(...given)
  }
  const problems: DocumentProblem[] = []
  const { values: settings } = settingsInForce({})
  const generation = { store, ids: new Ids(), now: Date.parse(NOW), settings }
  const edit = editOf({ delete: ids }, () => t.fail())
  Array.from(editing(edit, generation, problems))
  t.strictSame([times, problems.map(({ code }) => code)], [1, Array(3).fill('in_use')])
})

t.test('expect: a record that must not exist can be misspelt', async t => {
  const typo = { data: small(), expect: [{ state: { users: { zzzz: null } } }] }
  t.strictSame(await codesIn(typo), ['expect[0].state.users.zzzz missing_record'])
})
