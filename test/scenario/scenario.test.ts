import { join } from 'node:path'
import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import type { Problem } from '../../src/core/errors.js'
import { Ids } from '../../src/core/ids.js'
import { pathOf } from '../../src/core/places.js'
import { type GivenSettings, settingsInForce } from '../../src/core/settings.js'
import { type DocumentProblem, documentOf } from '../../src/scenario/documents.js'
import { exported } from '../../src/scenario/export.js'
import { FixtureImporter, fixtureIn } from '../../src/scenario/fixture.js'
import { Library } from '../../src/scenario/library.js'
import { isBareFixture } from '../../src/scenario/scenario.js'
import { FIXTURE_CHECKER } from '../../src/scenario/schemas.js'
import { FAMILIES, type Records, Store } from '../../src/store/store.js'
import { coded } from '../support/codes.js'
import { cpuTime } from '../support/cpu.js'
import { startTestEmulator } from '../support/emulator.js'
import { codesIn, firstStateIn, lookedAt } from '../support/first-state.js'

const MACHINE = Date.parse('2026-04-01T00:00:00.000Z')
const NOW = '2026-03-01T18:05:00.000Z'

const account = (id: string, more: object = {}) => ({ id, type: 'merchant', name: 'N', email: 'n@example.com', address: { country: 'US' }, ...more })
const location = (id: string, more: object = {}) => ({ id, account: 'mch_a', display_name: 'L', address: { country: 'US' }, ...more })
const ticket = (id: string, more: object = {}) => ({ id, location: 'loc_a', ...more })
const charge = (id: string, more: object = {}) => ({ id, ticket: 'tkt_a', payment_type: 'card', amount: 1000, ...more })
const refund = (more: object = {}) => ({ transaction: 'txn_a', amount: 100, ...more })
/** A small whole fixture; a test adds or replaces what matters. */
const small = (added: Partial<Record<keyof Records | 'api_keys', object[]>> = {}) => ({
  api_keys: added.api_keys ?? [],
  accounts: [account('mch_a'), ...(added.accounts ?? [])],
  users: added.users ?? [],
  locations: [location('loc_a'), ...(added.locations ?? [])],
  tickets: [ticket('tkt_a'), ...(added.tickets ?? [])],
  transactions: [charge('txn_a'), ...(added.transactions ?? [])],
  refunds: added.refunds ?? []
})
const one = async <F extends keyof Records>(family: F, id: string, data: unknown): Promise<Records[F]> => {
  const { store } = await firstStateIn({ clock: NOW, data })
  return store[family].get(id) as unknown as Records[F]
}
const plain = (value: unknown) => JSON.parse(JSON.stringify(value))

t.test('A04 A05: a record of each family is completed', async t => {
  const data = small({
    users: [{ id: 'usr_a', account: 'mch_a', name: 'U', email: 'u@example.com' }],
    refunds: [refund({ id: 'rfd_a' })]
  })
  const address = { country: 'US', line1: null, line2: null, city: null, postal_code: null, state: null }
  const method = { type: 'card', card: null, bank_account: null }
  const head = { created: NOW }

  const { store } = await firstStateIn({ clock: NOW, data })

  const stored = Object.fromEntries(FAMILIES.map(family => [family, plain(store[family].inCreationOrder())]))
  t.strictSame(stored, {
    accounts: [
      { id: 'mch_a', object: 'account', ...head, type: 'merchant', name: 'N', email: 'n@example.com', address, phone: null, reseller: null, metadata: {} }
    ],
    users: [{ id: 'usr_a', object: 'user', ...head, account: 'mch_a', name: 'U', email: 'u@example.com' }],
    locations: [{ id: 'loc_a', object: 'location', ...head, account: 'mch_a', display_name: 'L', address, phone: null, website: null, metadata: {} }],
    tickets: [{ id: 'tkt_a', object: 'ticket', ...head, location: 'loc_a', reference: null }],
    transactions: [
      {
        id: 'txn_a',
        object: 'transaction',
        ...head,
        ticket: 'tkt_a',
        location: 'loc_a',
        payment_type: 'card',
        payment_method: method,
        currency: 'usd',
        amount: 1000,
        tip_amount: null,
        donation_amount: null,
        adjustment_number: null,
        amounts: null,
        customer: null,
        amount_refunded: 100
      }
    ],
    refunds: [
      { id: 'rfd_a', object: 'refund', ...head, transaction: 'txn_a', amount: 100, currency: 'usd', reason: null, payment_method: method, metadata: {} }
    ]
  })
})

t.test('A22 A24 A25 A28 A30: given values are kept, completed where they are objects', async t => {
  const method = { type: 'card', card: { brand: 'visa', last4: '4242' } }
  const data = small({
    accounts: [account('mch_b', { address: { country: 'gb', city: 'Leeds' }, phone: '1', metadata: { k: 'v' }, reseller: 'mch_a' })],
    transactions: [
      charge('txn_b', { payment_method: method, customer: { name: 'C' }, adjustment_number: -1.5, tip_amount: 5, donation_amount: 0, currency: 'eur' }),
      charge('txn_c', { amount: null, amounts: { transaction_amount: 70, tip_amount: 7, currency: 'gbp' }, location: 'loc_a' }),
      charge('txn_d', { payment_type: 'vip', payment_method: { type: 'vip', bank_account: { last4: '6789' } } })
    ],
    refunds: [refund({ id: 'rfd_b', transaction: 'txn_b', amount: 10, reason: 'cold soup', currency: 'eur' })]
  })
  const { store } = await firstStateIn({ clock: NOW, data })

  const stored = store.accounts.get('mch_b')
  t.strictSame(
    [stored?.address.country, stored?.address.city, stored?.address.line1, stored?.phone, stored?.reseller, plain(stored?.metadata)],
    ['GB', 'Leeds', null, '1', 'mch_a', { k: 'v' }]
  )
  const full = { type: 'card', card: { brand: 'visa', last4: '4242' }, bank_account: null }
  t.hasStrict(store.transactions.get('txn_b'), {
    payment_method: full,
    customer: { name: 'C', email: null, phone: null },
    adjustment_number: -1.5,
    tip_amount: 5,
    donation_amount: 0,
    currency: 'eur',
    amount_refunded: 10
  })
  t.hasStrict(store.transactions.get('txn_c'), {
    amount: 70,
    tip_amount: 7,
    currency: 'gbp',
    amounts: { transaction_amount: 70, tip_amount: 7, currency: 'gbp' }
  })
  t.strictSame(store.transactions.get('txn_d')?.payment_method, { type: 'vip', card: null, bank_account: { bank_name: null, last4: '6789' } })
  t.hasStrict(store.refunds.get('rfd_b'), { payment_method: full, currency: 'eur', reason: 'cold soup' })
})

t.test('A03 A05: ids left out are drawn and created left out is now, in file order', async t => {
  const settings = settingsInForce({}).values
  const ids = new Ids()
  const drawn = (kind: Parameters<Ids['draw']>[0]) => ids.draw(kind, settings, new Set())
  const nameless = ({ id: _, ...rest }: { id: string }) => rest

  const { store, counters } = await firstStateIn({
    clock: NOW,
    data: {
      ...small(),
      accounts: [account('mch_a'), nameless(account('')), { ...nameless(account('')), type: 'reseller' }],
      tickets: [ticket('tkt_a', { created: '2026-01-01' }), nameless(ticket('')), { ...nameless(ticket('')), created: null }],
      transactions: [charge('txn_a', { created: '2026-03-01T20:00:00+02:00' })]
    }
  })

  t.strictSame(
    store.accounts.inCreationOrder().map(({ id }) => id),
    ['mch_a', drawn('merchant'), drawn('reseller')]
  )
  t.strictSame(
    store.tickets.inCreationOrder().map(({ id, created }) => [id, created]),
    [
      ['tkt_a', '2026-01-01T00:00:00.000Z'],
      [drawn('ticket'), NOW],
      [drawn('ticket'), NOW]
    ]
  )
  t.equal(store.transactions.get('txn_a')?.created, '2026-03-01T18:00:00.000Z')
  t.strictSame(counters, { merchant: 1, reseller: 1, ticket: 2 })

  const taken = new Ids().draw('ticket', settings, new Set())
  const skipped = await firstStateIn({ data: { ...small(), tickets: [ticket('tkt_a'), ticket(taken), nameless(ticket(''))] } })
  t.equal(
    skipped.store.tickets.inCreationOrder().at(-1)?.id,
    drawn('ticket') && new Ids({ ticket: 1 }).draw('ticket', settings, new Set()),
    'one taken is skipped'
  )
})

t.test('fixtures: every kind of problem, each with its path', async t => {
  const cases: [data: object, ...problems: string[]][] = [
    [{ tickets: [], tikets: [] }, 'tikets unknown_name'],
    [{ tickets: {} }, 'tickets wrong_type'],
    [{ tickets: ['x'] }, 'tickets[0] wrong_type'],
    [small({ tickets: [ticket('x', { referense: 'T' })] }), 'tickets[1].referense unknown_name'],
    [small({ transactions: [charge('x', { amount_refunded: 5 })] }), 'transactions[1].amount_refunded unknown_name'],
    [small({ users: [{ account: 'mch_a', name: 'U' }] }), 'users[0] required'],
    [small({ locations: [location('x', { address: {} })] }), 'locations[1].address required'],
    [small({ tickets: [ticket('a b')] }), 'tickets[1].id wrong_characters'],
    [small({ tickets: [ticket('')] }), 'tickets[1].id wrong_characters'],
    [small({ tickets: [ticket('x'.repeat(129))] }), 'tickets[1].id wrong_characters'],
    [small({ transactions: [charge('x', { payment_type: 'carb' })] }), 'transactions[1].payment_type not_one_of'],
    [small({ locations: [location('x', { address: { country: 'XX' } })] }), 'locations[1].address.country wrong_format'],
    [small({ users: [{ account: 'mch_a', name: 'U', email: 'u' }] }), 'users[0].email wrong_format'],
    [small({ transactions: [charge('x', { currency: 'USD' })] }), 'transactions[1].currency wrong_format'],
    [
      small({ transactions: [charge('x', { payment_method: { type: 'card', card: { last4: 4242 } } })] }),
      'transactions[1].payment_method.card.last4 wrong_type'
    ],
    [
      small({ transactions: [charge('x', { payment_method: { type: 'card', card: { last4: '42424' } } })] }),
      'transactions[1].payment_method.card.last4 wrong_format'
    ],
    [small({ transactions: [charge('x', { amount: -1 })] }), 'transactions[1].amount too_small'],
    [small({ transactions: [charge('x', { tip_amount: 1.5 })] }), 'transactions[1].tip_amount wrong_type'],
    [small({ transactions: [charge('x', { amount: 2 ** 53 })] }), 'transactions[1].amount too_large'],
    [small({ refunds: [refund({ amount: 0 })] }), 'refunds[0].amount too_small'],
    [small({ locations: [location('x', { metadata: { n: 5 } })] }), 'locations[1].metadata.n wrong_type'],
    [small({ tickets: [ticket('x', { created: '1767225600' })] }), 'tickets[1].created wrong_format'],
    [small({ tickets: [ticket('x', { extra: 5 })] }), 'tickets[1].extra wrong_type'],
    [
      small({ tickets: [ticket('x', { extra: { reference: 1, object: 2, more: 3 } })] }),
      'tickets[1].extra.reference reserved_field',
      'tickets[1].extra.object reserved_field'
    ],
    [small({ tickets: [ticket('x', { location: 'loc_b' })] }), 'tickets[1].location missing_record'],
    [small({ tickets: [ticket('x', { location: 'elsewhere' })] }), 'tickets[1].location missing_record'],
    [
      {
        accounts: [account('mch_a', { reseller: 'rsl_zzzzz' })],
        users: [{ account: 'x', name: 'U', email: 'u@b.co' }],
        locations: [location('l', { account: 'x' })],
        tickets: [ticket('k')],
        transactions: [charge('t')],
        refunds: [refund()]
      },
      'accounts[0].reseller missing_record',
      'users[0].account missing_record',
      'locations[0].account missing_record',
      'tickets[0].location missing_record',
      'transactions[0].ticket missing_record',
      'refunds[0].transaction missing_record'
    ],
    [small({ api_keys: [{ key: 'sk_x', account: 'mch_b' }] }), 'api_keys[0].account missing_record'],
    [small({ api_keys: [{ key: 'a:b', account: 'mch_a' }] }), 'api_keys[0].key not_a_key'],
    [small({ tickets: [ticket('x'), ticket('x')] }), 'tickets[2].id listed_twice'],
    [
      small({
        api_keys: [
          { key: 'sk_x', account: 'mch_a' },
          { key: 'sk_x', account: 'mch_a' }
        ]
      }),
      'api_keys[1].key listed_twice'
    ],
    [small({ refunds: [refund({ amount: 600 }), refund({ amount: 401 })] }), 'refunds[1].amount refund_exceeds_remaining'],
    [
      small({ transactions: [charge('x', { amount: 0, tip_amount: 50 })], refunds: [refund({ transaction: 'x', amount: 1 })] }),
      'refunds[0].transaction charge_has_no_amount'
    ],
    [small({ locations: [location('loc_b')], transactions: [charge('x', { location: 'loc_b' })] }), 'transactions[1].location other_location'],
    [small({ transactions: [charge('x', { payment_method: { type: 'vip' } })] }), 'transactions[1].payment_method other_type'],
    [small({ transactions: [charge('x', { amount: Number.MAX_SAFE_INTEGER, tip_amount: 1 })] }), 'transactions[1].amount sum_too_large'],
    [small({ refunds: [refund({ currency: 'eur' })] }), 'refunds[0].currency other_currency']
  ]
  for (const [data, ...problems] of cases) {
    t.strictSame(await codesIn(data), problems, JSON.stringify(data))
    const under = problems.map(problem => `data${problem.startsWith('data') ? '' : '.'}${problem}`)
    t.strictSame(await codesIn({ data }), under, `${JSON.stringify(data)}, inside a scenario`)
  }
})

t.test('fixtures: a reference to a record that has problems itself, or that could not be read, is no problem of its own', async t => {
  const own = 'accounts[1].extra.name reserved_field'
  const cases: [title: string, data: object, ...problems: string[]][] = [
    [
      'of every family',
      small({
        api_keys: [{ key: 'sk_bad', account: 'bad' }],
        accounts: [account('bad', { extra: { name: 1 } }), account('child', { reseller: 'bad' })],
        users: [{ id: 'usr_b', account: 'bad', name: 'U', email: 'u@example.com' }],
        locations: [location('under', { account: 'bad' })],
        tickets: [ticket('below', { location: 'under' })],
        transactions: [charge('deeper', { ticket: 'below' }), charge('txn_bad', { payment_method: { type: 'vip' } })],
        refunds: [refund({ transaction: 'deeper', amount: 5 }), refund({ transaction: 'txn_bad', amount: 5 })]
      }),
      own,
      'transactions[2].payment_method other_type'
    ],
    [
      'with a problem of shape',
      small({ locations: [location('loc_b', { phone: 5 })], tickets: [ticket('tkt_b', { location: 'loc_b' }), ticket('tkt_c', { location: 'loc_c' })] }),
      'locations[1].phone wrong_type',
      'tickets[2].location missing_record'
    ],
    ['whose id is not right', small({ locations: [location('loc b')], tickets: [ticket('tkt_b', { location: 'loc_b' })] }), 'locations[1].id wrong_characters'],
    ['whose id is misspelled', { accounts: [{ ...account(''), id: undefined, idd: 'mch_a' }], locations: [location('loc_a')] }, 'accounts[0].idd unknown_name'],
    ['that is no record', { accounts: ['mch_a'], locations: [location('loc_a')] }, 'accounts[0] wrong_type'],
    ['in a section that is no list', { accounts: {}, locations: [location('loc_a')] }, 'accounts wrong_type'],
    ['in a section with an unknown name', { acounts: [account('mch_a')], locations: [location('loc_a')] }, 'acounts unknown_name'],
    [
      'in a section with a name like none, but for one that is nowhere there',
      {
        shops: [{ ...account('mch_a'), colour: 'red' }],
        locations: [location('loc_a'), location('loc_b', { account: 'the_other_one' }), location('loc_c', { account: 'mch_aa' })]
      },
      'shops unknown_name',
      'locations[1].account missing_record'
    ],
    [
      'whose id is not right, but for one that is nowhere near',
      small({ locations: [location('loc b')], tickets: [ticket('tkt_b', { location: 'somewhere_else' })] }),
      'locations[1].id wrong_characters',
      'tickets[1].location missing_record'
    ],
    [
      'whose id is misspelled, but for one that is nowhere near',
      { accounts: [{ ...account(''), id: undefined, idd: 'mch_a' }], locations: [location('loc_a'), location('loc_b', { account: 'somebody' })] },
      'accounts[0].idd unknown_name',
      'locations[1].account missing_record'
    ],
    [
      'among too many that are not right',
      {
        accounts: Array.from({ length: 101 }, (_, nth) => account(`an account ${nth}`)),
        locations: [location('loc_a', { account: 'somebody' })]
      },
      ...Array.from({ length: 101 }, (_, nth) => `accounts[${nth}].id wrong_characters`)
    ],
    [
      'without an id, which nobody can mean',
      { accounts: [{ type: 'merchant', name: 'N', address: { country: 'US' } }], locations: [location('loc_a')] },
      'accounts[0] required',
      'locations[0].account missing_record'
    ]
  ]
  for (const [title, data, ...problems] of cases) t.strictSame(await codesIn(plain(data)), problems, title)
})

t.test('fixtures: records under a misspelt name, or beside data, are checked as those that are meant', async t => {
  const cases: [title: string, data: object, ...problems: string[]][] = [
    [
      'a misspelt family',
      {
        ...small(),
        tickts: [ticket('tkt_b', { location: 'elsewhere' }), ticket('tkt_c', { refrence: 'C' }), 5],
        transactions: [charge('x', { ticket: 'tkt_b' })]
      },
      'tickts unknown_name',
      'tickts[0].location missing_record',
      'tickts[1].refrence unknown_name',
      'tickts[2] wrong_type'
    ],
    [
      'records that name one that is nowhere',
      { ...small(), tickts: [ticket('tkt_b')], transactions: [charge('x', { ticket: 'tkt_b' }), charge('y', { ticket: 'nowhere_to_be_found' })] },
      'transactions[1].ticket missing_record',
      'tickts unknown_name'
    ],
    ['misspelt keys', { ...small(), api_kyes: [{ key: 'sk_x', account: 'mch_none_of_these' }] }, 'api_kyes unknown_name', 'api_kyes[0].account missing_record'],
    ['no list', { ...small(), tickts: 5, transactions: [charge('x', { ticket: 'nowhere' })] }, 'tickts unknown_name', 'tickts wrong_type']
  ]
  for (const [title, data, ...problems] of cases) {
    t.strictSame(await codesIn(plain(data)), problems, title)
    t.strictSame(
      await codesIn({ data: plain(data) }),
      problems.map(problem => `data.${problem}`),
      `${title}, inside a scenario`
    )
  }
  const { tickets, ...data } = small()
  t.strictSame(
    await codesIn({
      data,
      tickets: [...tickets, ticket('tkt_b', { location: 'elsewhere' })],
      steps: [{ do: 'GET /tickets/${tkt_a}' }, { do: 'GET /tickets/${tkt_c_x}' }]
    }),
    ['tickets unknown_name', 'tickets[1].location missing_record', 'steps[1].do unknown_reference']
  )
  t.strictSame(
    await codesIn({
      dta: {
        ...small(),
        tickets: [ticket('tkt_a'), ticket('tkt_b', { location: 5 }), ticket('tkt_c', { location: 'elsewhere' })],
        refnds: [{ amount: 5 }]
      },
      steps: [{ do: 'GET /tickets/${tkt_a}' }, { do: 'GET /tickets/${tkt_c_x}' }]
    }),
    [
      'dta unknown_name',
      'dta.tickets[1].location wrong_type',
      'dta.tickets[2].location missing_record',
      'dta.refnds[0] required',
      'steps[1].do unknown_reference'
    ],
    'under a misspelt data'
  )
  t.strictSame(await codesIn({ date: '2026-03-01', steps: [{ do: 'GET /tickets/${tkt_a}' }] }), ['date unknown_name'])
  const variable = { data: { ...small(), tickts: [{ ...ticket('tkt_b'), reference: '${vars.none}' }] } }
  t.strictSame(await codesIn(variable), ['data.tickts unknown_name', 'data.tickts[0].reference undeclared_variable'])
  const unknown = { data: { ...small(), tickets: [ticket('${vars.none}')] } }
  t.strictSame(await codesIn(unknown), ['data.tickets[0].id undeclared_variable'])
})

t.test('a scenario: a key of a step is looked for among the keys that could be read', async t => {
  const steps = [{ do: 'GET /tickets', key: 'sk_step' }]
  const other = 'steps[0].key unknown_key'
  const keys = (...api_keys: unknown[]) => ({ data: { ...small(), api_keys }, steps })
  const cases: [title: string, data: object, ...problems: string[]][] = [
    ['there', keys({ key: 'sk_step', account: 'mch_a' })],
    ['not there', keys({ key: 'another_key', account: 'mch_a' }), other],
    [
      'beside a problem elsewhere',
      { ...keys({ key: 'sk_stepp', account: 'mch_a' }), script: [{ on: 'GET /tickets', delay: 5 }] },
      other,
      'script[0].delay wrong_format'
    ],
    ['of nobody', keys({ key: 'sk_step', account: 'mch_none' }), 'data.api_keys[0].account missing_record'],
    ['that is not right itself', keys({ key: 'sk_step:', account: 'mch_a' }), 'data.api_keys[0].key not_a_key'],
    ['that may be under another name', keys({ kye: 'sk_step', account: 'mch_a' }), 'data.api_keys[0] required', 'data.api_keys[0].kye unknown_name'],
    [
      'that is not under another name',
      keys({ kye: 'another_key', account: 'mch_a', shared: [true, null] }),
      'data.api_keys[0] required',
      'data.api_keys[0].kye unknown_name',
      'data.api_keys[0].shared unknown_name',
      other
    ],
    ['that may be missing', keys({ account: 'mch_a' }), 'data.api_keys[0] required'],
    ['that any may be', { ...keys(), settings: { auth: { accept_any_key: 'mch_a' } } }],
    ['that any may be, as far as is known', { ...keys(), settings: { auth: { accept_any_key: 5 } } }, 'settings.auth.accept_any_key wrong_type'],
    [
      'of a step whose expectation is not right',
      { data: small(), steps: [{ do: 'GET /tickets', key: 'sk_step', expect: { status: 4010 } }] },
      'steps[0].expect.status too_large'
    ]
  ]
  for (const [title, data, ...problems] of cases) t.strictSame(await codesIn(plain(data)), problems, title)
})

t.test('a scenario: a Ticket that is nowhere is found beside a record with a problem', async t => {
  const own = 'data.tickets[0].extra.id reserved_field'
  const script = (id: string) => [{ on: 'POST /transactions', match: { body: { ticket: id } }, delay: '1s' }]
  const wrong = (more: object) => ({ ...small(), transactions: [], tickets: [ticket('tkt_a', { extra: { id: 1 }, ...more })] })
  const cases: [title: string, data: object, ...problems: string[]][] = [
    ['nowhere', { data: wrong({}), script: script('tkt_other') }, own, 'script[0].match.body.ticket missing_record'],
    ['the one with the problem', { data: wrong({}), script: script('tkt_a') }, own],
    ['one whose id would be drawn', { data: wrong({ id: undefined }), script: script('tkt_other') }, own]
  ]
  for (const [title, data, ...problems] of cases) t.strictSame(await codesIn(plain(data)), problems, title)
})

t.test('fixtures: a record that is wrong in one place is still checked in the others', async t => {
  const wrong = { extra: { id: 1 }, created: 'soon' }
  const said = (at: string) => [`${at}.created wrong_format`, `${at}.extra.id reserved_field`]
  const cases: [data: object, ...problems: string[]][] = [
    [small({ accounts: [account('mch_b', { reseller: 'none_such', ...wrong })] }), 'accounts[1].reseller missing_record', ...said('accounts[1]')],
    [small({ tickets: [ticket('tkt_b', { location: 'elsewhere', ...wrong })] }), 'tickets[1].location missing_record', ...said('tickets[1]')],
    [small({ tickets: [ticket('tkt_a', wrong)] }), 'tickets[1].id listed_twice', ...said('tickets[1]')],
    [
      small({
        locations: [location('loc_b')],
        transactions: [charge('x', { location: 'loc_b', payment_method: { type: 'vip', card: 5 }, amount: 2 ** 53 - 1, tip_amount: 1, ...wrong })]
      }),
      'transactions[1].amount sum_too_large',
      'transactions[1].location other_location'.replace('loc_b', 'loc_a'),
      'transactions[1].payment_method other_type',
      'transactions[1].payment_method.card wrong_type',
      ...said('transactions[1]')
    ],
    [
      small({ refunds: [refund({ id: 'rfd_a', amount: 1001, currency: 'eur', ...wrong })] }),
      'refunds[0].amount refund_exceeds_remaining',
      'refunds[0].currency other_currency',
      ...said('refunds[0]')
    ],
    [
      small({ transactions: [charge('x', { location: 5, payment_type: 'carb', payment_method: { type: 'vip' }, tip_amount: 'x' })] }),
      'transactions[1].payment_type not_one_of',
      'transactions[1].location wrong_type',
      'transactions[1].tip_amount wrong_type'
    ],
    [
      small({ refunds: [refund({ amount: '5', currency: 5 }), { transaction: 'txn_a' }] }),
      'refunds[0].amount wrong_type',
      'refunds[0].currency wrong_type',
      'refunds[1] required'
    ],
    [
      small({ api_keys: [{ key: 'a b', account: 'none_such' }, { key: 'k', account: 5 }, { key: 'k' }] }),
      'api_keys[0].key not_a_key',
      'api_keys[0].account missing_record',
      'api_keys[1].account wrong_type',
      'api_keys[2] required',
      'api_keys[2].key listed_twice'
    ]
  ]
  for (const [data, ...problems] of cases) t.strictSame((await codesIn(data)).toSorted(), problems.toSorted(), JSON.stringify(data))
})

t.test('A40: a text that has to be given is not of white space alone', async t => {
  const cases: [data: object, path: string][] = [
    [small({ accounts: [account('mch_b', { name: ' ' })] }), 'accounts[1].name'],
    [small({ users: [{ account: 'mch_a', name: '\u00a0\t', email: 'u@example.com' }] }), 'users[0].name'],
    [small({ locations: [location('loc_b', { display_name: '\n' })] }), 'locations[1].display_name'],
    [small({ tickets: [ticket('tkt_b', { location: ' ' })] }), 'tickets[1].location']
  ]
  for (const [data, path] of cases) {
    t.strictSame(await codesIn(data), [`${path} blank`])
    const empty = JSON.parse(JSON.stringify(data).replace(/"(?: |\\u00a0\\t|\\n|\u00a0\\t)"/, '""'))
    t.strictSame(await codesIn(empty), [`${path} empty`])
  }
  t.strictSame(await codesIn(small({ tickets: [ticket('tkt_b', { reference: ' ' })], accounts: [account('mch_b', { name: ' N ' })] })), [])
})

t.test('REF-6 REF-7 A24: the Refunds of a fixture are judged in file order as the API judges them', async t => {
  const cases: [title: string, data: object, ...problems: string[]][] = [
    ['to the last sub-unit', small({ refunds: [refund({ amount: 999 }), refund({ amount: 1 })] })],
    ['one more than remains', small({ refunds: [refund({ amount: 999 }), refund({ amount: 2 })] }), 'refunds[1].amount refund_exceeds_remaining'],
    ['when all is refunded', small({ refunds: [refund({ amount: 1000 }), refund({ amount: 1 })] }), 'refunds[1].transaction charge_already_refunded'],
    [
      'a refused one is not counted',
      small({ refunds: [refund({ amount: 600 }), refund({ amount: 600 }), refund({ amount: 400 }), refund({ amount: 1 })] }),
      'refunds[1].amount refund_exceeds_remaining',
      'refunds[3].transaction charge_already_refunded'
    ],
    [
      'of a charge that settled nothing',
      small({ transactions: [charge('txn_0', { amount: 0, tip_amount: 5 })], refunds: [refund({ transaction: 'txn_0', amount: 1 })] }),
      'refunds[0].transaction charge_has_no_amount'
    ]
  ]
  for (const [title, data, ...problems] of cases) t.strictSame(await codesIn(data), problems, title)

  const { add } = await running(small({ refunds: [refund({ id: 'rfd_a', amount: 600 }), refund({ id: 'rfd_b', amount: 400 })] }))
  const merges: [title: string, more: object, ...problems: string[]][] = [
    ['two that change places', { refunds: [refund({ id: 'rfd_a', amount: 400 }), refund({ id: 'rfd_b', amount: 600 })] }],
    ['the later one larger first', { refunds: [refund({ id: 'rfd_b', amount: 600 }), refund({ id: 'rfd_a', amount: 400 })] }],
    ['one larger than what the other leaves', { refunds: [refund({ id: 'rfd_b', amount: 401 })] }, 'refunds[0].amount refund_exceeds_remaining'],
    ['a new one', { refunds: [refund({ amount: 1 })] }, 'refunds[0].transaction charge_already_refunded'],
    [
      'a new one in the place of another',
      { refunds: [refund({ amount: 400 }), refund({ id: 'rfd_b', amount: 1 })] },
      'refunds[1].transaction charge_already_refunded'
    ],
    ['of a charge that is raised', { transactions: [charge('txn_a', { amount: 1001 })], refunds: [refund({ amount: 1 })] }],
    ['of a charge that is lowered with them', { transactions: [charge('txn_a', { amount: 500 })], refunds: [refund({ id: 'rfd_a', amount: 100 })] }],
    ['a charge that is lowered alone', { transactions: [charge('txn_a', { amount: 999 })] }, 'transactions[0].amount below_refunds'],
    [
      'a charge that is lowered, and a new Refund',
      { transactions: [charge('txn_a', { amount: 999 })], refunds: [refund({ amount: 1 })] },
      'transactions[0].amount below_refunds'
    ],
    [
      'a charge that is lowered, and a Refund that is wrong elsewhere',
      { transactions: [charge('txn_a', { amount: 500 })], refunds: [refund({ id: 'rfd_a', amount: 100, currency: 'eur' })] },
      'refunds[0].currency other_currency'
    ]
  ]
  for (const [title, more, ...problems] of merges) t.strictSame(add(more).problems, problems, title)
  t.strictSame(
    add({ refunds: [refund({ amount: 1 })], transactions: [charge('txn_a', { tip_amount: 1 })] }, { 'transactions.refundable': 'amount_plus_extras' }).problems,
    []
  )
})

t.test('A21: an Account may name a reseller that comes after it', async t => {
  const stored = await one('accounts', 'mch_a', { accounts: [account('mch_a', { reseller: 'rsl_r' }), account('rsl_r', { type: 'reseller' })] })

  t.equal(stored.reseller, 'rsl_r')
})

t.test('A23: what can be refunded is what the setting says', async t => {
  const data = small({
    transactions: [charge('x', { amount: 100, tip_amount: 20, donation_amount: 3 })],
    refunds: [refund({ transaction: 'x', amount: 123 })]
  })

  t.equal((await codesIn({ data })).length, 1)
  t.strictSame(await codesIn({ data, settings: { transactions: { refundable: 'amount_plus_extras' } } }), [])
  t.equal(
    (await codesIn({ data, settings: { transactions: { refundable: 'amount_plus_extras' } } }, { flag: { 'transactions.refundable': 'amount' } })).length,
    1
  )
})

t.test('fixtures: an object where nothing is said of its parts is kept with nulls', async t => {
  const stored = await one(
    'transactions',
    'x',
    small({ transactions: [charge('x', { customer: {}, payment_method: { type: 'card', card: {}, bank_account: null }, amounts: {} })] })
  )

  t.strictSame(plain(stored.customer), { name: null, email: null, phone: null })
  t.strictSame(plain(stored.payment_method), { type: 'card', card: { brand: null, last4: null }, bank_account: null })
  t.strictSame(plain(stored.amounts), {})
})

t.test('A24: amounts echoes what was given; null is as if left out', async t => {
  const amounts = { currency: null, transaction_amount: null, payment_amount: 70, tip_amount: null }
  const stored = await one('transactions', 'x', small({ transactions: [charge('x', { amount: null, amounts })] }))

  t.strictSame(plain(stored.amounts), { payment_amount: 70 })
  t.strictSame([stored.currency, stored.amount, stored.tip_amount], ['usd', 70, null])
})

t.test('fixtures: later records win by id and take the place of the earlier ones', async t => {
  const store = new Store()
  const importer = new FixtureImporter(store, { ids: new Ids(), now: MACHINE, settings: settingsInForce({}).values })
  const first = small({ tickets: [ticket('x', { reference: 'old' }), ticket('y'), { location: 'loc_a' }], api_keys: [{ key: 'k', account: 'mch_a' }] })
  const second = {
    accounts: [account('mch_b')],
    tickets: [{ location: 'loc_a' }, ticket('x', { reference: 'new' })],
    api_keys: [{ key: 'k', account: 'mch_b' }]
  }

  importer.import(fixtureIn(documentOf('first', first), first), fixtureIn(documentOf('second', second), second))

  t.strictSame(importer.problems, [])
  t.strictSame(
    store.tickets.inCreationOrder().map(({ id, reference }) => [id.length > 9 ? 'drawn' : id, reference]),
    [
      ['tkt_a', null],
      ['x', 'new'],
      ['y', null],
      ['drawn', null],
      ['drawn', null]
    ]
  )
  t.strictSame([...store.keys], [['k', 'mch_b']])
})

/** A store with imported records, and a way to merge others into a copy of it. */
async function running(data: object) {
  const { store } = await firstStateIn({ clock: NOW, data })
  const add = (more: object, given: GivenSettings = {}) => {
    const copy = store.clone()
    const found: DocumentProblem[] = []
    const settings = settingsInForce({ flag: given }).values
    const importer = new FixtureImporter(copy, { ids: new Ids(), now: Date.parse(NOW) + 1000, settings }, found)
    importer.import(fixtureIn(documentOf('more', more), more))
    const problems = found.map(({ steps, ...said }) => coded(pathOf(steps), said))
    return { imported: importer.imported, problems, store: copy }
  }
  return { store, add }
}

t.test('records merged into a running state: replaced in place, and returned as they are stored', async t => {
  const { store, add } = await running(small({ tickets: [ticket('x', { reference: 'old' }), ticket('y')], refunds: [refund({ id: 'rfd_a', amount: 400 })] }))

  const {
    imported,
    problems,
    store: after
  } = add({
    api_keys: [{ key: 'k', account: 'mch_a' }],
    accounts: [account('mch_a', { name: 'Renamed', type: 'reseller', reseller: 'mch_new' }), account('mch_new')],
    tickets: [ticket('x', { reference: 'new' }), { location: 'loc_a' }],
    refunds: [refund({ id: 'rfd_a', amount: 700 }), refund({ amount: 300 })]
  })

  t.strictSame(problems, [])
  t.strictSame(
    imported.tickets.map(({ reference }) => reference),
    ['new', null]
  )
  t.strictSame(imported.api_keys, [{ key: 'k', account: 'mch_a' }])
  t.equal(imported.accounts[0]?.name, 'Renamed')
  t.equal(imported.tickets[1]?.created, '2026-03-01T18:05:01.000Z')
  t.strictSame(
    after.tickets
      .inCreationOrder()
      .map(({ id }) => id)
      .slice(0, 3),
    ['tkt_a', 'x', 'y']
  )
  t.equal(after.transactions.get('txn_a')?.amount_refunded, 1000)
  t.strictSame(
    imported.refunds.map(({ amount }) => amount),
    [700, 300]
  )
  t.equal(after.keys.get('k'), 'mch_a')
  t.strictSame(
    [store.transactions.get('txn_a')?.amount_refunded, store.tickets.get('x')?.reference, store.keys.size],
    [400, 'old', 0],
    'the state before stays'
  )

  const lowered = add({ transactions: [charge('txn_a', { amount: 400 })] })
  t.strictSame(lowered.problems, [])
  t.equal(lowered.store.transactions.get('txn_a')?.amount_refunded, 400, 'a Transaction that is replaced keeps what was refunded')
})

t.test('records merged into a running state: what others depend on cannot be changed', async t => {
  const { add } = await running(
    small({
      accounts: [account('mch_b')],
      users: [{ id: 'usr_a', account: 'mch_a', name: 'U', email: 'u@b.co' }],
      locations: [location('loc_b')],
      tickets: [ticket('tkt_b')],
      transactions: [charge('txn_b'), charge('txn_eur', { currency: 'eur' })],
      refunds: [refund({ id: 'rfd_a', amount: 400 })]
    })
  )
  const cases: [more: object, ...problems: string[]][] = [
    [{ users: [{ id: 'usr_a', account: 'mch_b', name: 'U', email: 'u@b.co' }] }, 'users[0].account fixed_field'],
    [{ locations: [location('loc_a', { account: 'mch_b' })] }, 'locations[0].account fixed_field'],
    [{ tickets: [ticket('tkt_a', { location: 'loc_b' })] }, 'tickets[0].location fixed_field'],
    [{ transactions: [charge('txn_a', { ticket: 'tkt_b' })] }, 'transactions[0].ticket fixed_field'],
    [{ transactions: [charge('txn_a', { currency: 'eur' })] }, 'transactions[0].currency fixed_field'],
    [{ transactions: [charge('txn_a', { payment_type: 'emv' })] }, 'transactions[0].payment_method fixed_field'],
    [{ transactions: [charge('txn_b', { currency: 'eur', payment_type: 'emv' })] }],
    [{ refunds: [refund({ id: 'rfd_a', transaction: 'txn_b' })] }, 'refunds[0].transaction fixed_field'],
    [{ transactions: [charge('txn_a', { amount: 399 })] }, 'transactions[0].amount below_refunds'],
    [{ refunds: [refund({ id: 'rfd_a', amount: 1001 })] }, 'refunds[0].amount refund_exceeds_remaining'],
    [{ transactions: [charge('txn_a', { amount: 1500 })], refunds: [refund({ id: 'rfd_a', amount: 1001 })] }],
    [{ accounts: [account('mch_a', { reseller: 'none_such' })] }, 'accounts[0].reseller missing_record']
  ]
  for (const [more, ...problems] of cases) t.strictSame(add(more).problems, problems, JSON.stringify(more))
})

t.test('a bare fixture is taken where a scenario is', async t => {
  const cases: [data: unknown, bare: boolean][] = [
    [{ tickets: [] }, true],
    [{ api_keys: [], tikets: [] }, true],
    [{ name: 'x' }, false],
    [{ name: 'x', tickets: [] }, false],
    [{ data: {} }, false],
    [{}, false],
    [null, false],
    ['tickets', false],
    [[], false]
  ]
  for (const [data, bare] of cases) t.equal(isBareFixture(data), bare, JSON.stringify(data))

  const { scenario, store, settings, clock } = await firstStateIn(small())
  t.strictSame(scenario, { name: 'given', description: null })
  t.equal(store.tickets.size, 1)
  t.strictSame(settings, {})
  t.strictSame(clock, { at: null, running: true })
  t.equal(store.tickets.get('tkt_a')?.created, '2026-04-01T00:00:00.000Z', "the machine's time")
})

t.test('a scenario: name, description, seed, settings', async t => {
  const { scenario, settings, store } = await firstStateIn({
    name: 'mine',
    description: 'Mine.',
    seed: 7,
    settings: { pagination: { default_limit: 5 }, ids: { prefixes: { ticket: 'k_' }, length: 8 }, auth: { accept_any_key: null } },
    data: { ...small(), tickets: [ticket('tkt_a'), { location: 'loc_a' }] }
  })

  t.strictSame(scenario, { name: 'mine', description: 'Mine.' })
  t.strictSame(settings, { 'pagination.default_limit': 5, 'ids.prefixes.ticket': 'k_', 'ids.length': 8, 'auth.accept_any_key': null, seed: 7 })
  const drawn = new Ids().draw('ticket', settingsInForce({ scenario: settings }).values, new Set())
  t.ok(/^k_.{8}$/.test(drawn))
  t.equal(store.tickets.inCreationOrder().at(-1)?.id, drawn)

  const flagged = await firstStateIn({ seed: 7, data: { ...small(), tickets: [ticket('tkt_a'), { location: 'loc_a' }] } }, { flag: { seed: 9 } })
  t.equal(
    flagged.store.tickets.inCreationOrder().at(-1)?.id,
    new Ids().draw('ticket', settingsInForce({ flag: { seed: 9 } }).values, new Set()),
    'a flag takes precedence over the scenario'
  )
  t.equal((await firstStateIn({})).store.accounts.size, 0, 'an empty scenario has no records')
})

t.test('a scenario: the clock in each of its forms', async t => {
  const at = Date.parse(NOW)
  const cases: [clock: unknown, start: object][] = [
    [undefined, { at: null, running: true }],
    [NOW, { at, running: false }],
    ['2026-03-01', { at: Date.parse('2026-03-01'), running: false }],
    [{ now: NOW }, { at, running: true }],
    [
      { now: NOW, running: true },
      { at, running: true }
    ],
    [
      { now: NOW, running: false },
      { at, running: false }
    ]
  ]
  for (const [clock, start] of cases) t.strictSame((await firstStateIn({ ...(clock !== undefined && { clock }) })).clock, start, JSON.stringify(clock))
})

t.test('a scenario: what it may not say', async t => {
  const cases: [data: unknown, ...problems: string[]][] = [
    [{ name: 'x', behaviour: [] }, 'behaviour unknown_name'],
    [{ name: 'x', scripts: [], expects: [] }, 'scripts unknown_name', 'expects unknown_name'],
    [{ generate: {}, script: {}, steps: {}, expect: {} }, ...['generate', 'script', 'steps', 'expect'].map(name => `${name} wrong_type`)],
    [{ generate: [5], script: [5], steps: [5], expect: [5] }, ...['generate', 'script', 'steps', 'expect'].map(name => `${name}[0] wrong_type`)],
    [
      { script: [null], steps: [null], play: [null, { at_once: [null] }], expect: [null] },
      ...['script[0]', 'steps[0]', 'play[0]', 'play[1].at_once[0]', 'expect[0]'].map(place => `${place} wrong_type`)
    ],
    [{ nmae: 'x', data: {} }, 'nmae unknown_name'],
    [{ name: '' }, 'name empty'],
    [{ name: 5 }, 'name wrong_type'],
    [{ seed: -1 }, 'seed too_small'],
    [{ seed: '7' }, 'seed wrong_type'],
    [{ fixtures: 'bistro' }, 'fixtures wrong_type'],
    [{ clock: 2026 }, 'clock wrong_type'],
    [{ clock: 'now' }, 'clock wrong_format'],
    [{ clock: {} }, 'clock required'],
    [{ clock: { now: NOW, runing: true } }, 'clock.runing unknown_name'],
    [{ settings: 5 }, 'settings wrong_type'],
    [{ settings: { port: 1 } }, 'settings.port process_setting'],
    [{ settings: { cors: true } }, 'settings.cors process_setting'],
    [{ settings: { limits: { body: 1 } } }, 'settings.limits process_setting'],
    [{ settings: { pagination: { max_limit: 0 } } }, 'settings.pagination.max_limit too_small'],
    [{ settings: { paginatoin: { max_limit: 1 } } }, 'settings.paginatoin unknown_name'],
    [{ settings: { seed: 5 } }, 'settings.seed unknown_name'],
    [{ settings: { auth: { accept_any_key: 'mch_a' } } }, 'settings.auth.accept_any_key missing_account'],
    [null, 'empty_document'],
    [[], 'wrong_type'],
    ['just text', 'wrong_type']
  ]
  for (const [data, ...problems] of cases) {
    t.strictSame(await codesIn(data), problems, JSON.stringify(data))
  }
})

t.test('A18: accept_any_key names an Account of the document', async t => {
  const { settings } = await firstStateIn({ settings: { auth: { accept_any_key: 'mch_a' } }, data: small() })
  t.equal(settings['auth.accept_any_key'], 'mch_a')

  t.strictSame(await codesIn(small(), { flag: { 'auth.accept_any_key': 'mch_none' } }), ['missing_account'])
})

function folders(t: Test) {
  const root = t.testdir({
    fixtures: {
      'base.yaml': stringify(small({ tickets: [ticket('tkt_b', { reference: 'base' })] })),
      'more.yaml': stringify({ tickets: [ticket('tkt_b', { reference: 'more' }), ticket('tkt_c')] }),
      'bad.yaml': 'tickets:\n  - { id: tkt_x, location: loc_a }\n  - { id: tkt_x, location: none }\n',
      'misfit.yaml': 'tickets:\n  - { id: 5 }\n',
      'scenario.yaml': 'name: x\n',
      'broken.yaml': 'a: [',
      'deep.yaml': `a: ${'['.repeat(65)}${']'.repeat(65)}`
    },
    scenarios: { 'own.yaml': 'tickets: []' }
  })
  return { root, library: new Library({ fixtures: join(root, 'fixtures'), scenarios: join(root, 'scenarios') }), file: join(root, 'scenarios', 'own.yaml') }
}

t.test('a scenario: fixtures are merged in order, then its own records', async t => {
  const { library, file } = folders(t)
  const data = { tickets: [ticket('tkt_c', { reference: 'data' })] }

  const { store } = await firstStateIn({ fixtures: ['base', '../fixtures/more.yaml'], data }, { library, file })

  t.strictSame(
    store.tickets.inCreationOrder().map(({ id, reference }) => [id, reference]),
    [
      ['tkt_a', null],
      ['tkt_b', 'more'],
      ['tkt_c', 'data']
    ]
  )
})

t.test('a scenario: the problems of its fixtures are listed together, each with its file and line', async t => {
  const { library, file } = folders(t)
  const placedIn = async (data: unknown) =>
    (await lookedAt(data, { library, file, name: 'doc' })).problems.map(
      ({ file = '', line, column, path, ...said }) => `${file.split('/').at(-1)}:${line ?? 0}:${column ?? 0} ${coded(path, said)}`
    )

  const twice = small({ tickets: [ticket('y'), ticket('y')] })
  t.strictSame(await placedIn({ fixtures: ['base', 'bad', 'misfit', 'bad'], data: twice }), [
    'doc:0:0 data.tickets[2].id listed_twice',
    'bad.yaml:3:11 tickets[1].id listed_twice',
    'bad.yaml:3:28 tickets[1].location missing_record',
    'misfit.yaml:2:5 tickets[0] required',
    'misfit.yaml:2:11 tickets[0].id wrong_type'
  ])
  t.strictSame(
    await placedIn({ fixtures: ['misfit', 'zzzzzz', 'broken', '../../x.yaml', 'deep'], data: twice }),
    [
      'doc:0:0 fixtures[1] other',
      'doc:0:0 fixtures[3] other',
      'doc:0:0 data.tickets[2].id listed_twice',
      'misfit.yaml:2:5 tickets[0] required',
      'misfit.yaml:2:11 tickets[0].id wrong_type',
      'broken.yaml:1:4 not_closed',
      'deep.yaml:1:1 too_large'
    ],
    'files that cannot be read among them'
  )
  t.strictSame(await placedIn({ fixtures: ['scenario'] }), ['scenario.yaml:1:7 name unknown_name'])
  t.equal((await placedIn({ fixtures: ['broken'] })).length, 1)
  t.strictSame(await codesIn({ fixtures: ['./own.yaml'] }), ['fixtures[0] other'])
})

t.test('a scenario: a folder of fixtures that cannot be read is an error of the system', async t => {
  const library = new Library({ fixtures: join(t.testdirName, 'none'), scenarios: null })

  await t.rejects(firstStateIn({ fixtures: ['bistro'] }, { library }), { code: 'ENOENT' })
})

t.test('a scenario: script, expectations and steps are those of the document, ready to use', async t => {
  const script = [{ name: 'slow', on: 'GET /tickets', delay: '1s' }]
  const expect = [{ on: 'POST /refunds', times: 1 }, { on: 'GET /tickets' }]
  const steps = [
    { as: 'page', do: 'GET /tickets/${tkt_a}' },
    { do: 'GET /refunds', query: { transaction: '${page.id}' } }
  ]

  const first = await firstStateIn({ data: small(), script, expect, steps })

  t.strictSame(first.script.listed(), [{ id: 'scr_1', entry: script[0], matched: 0, applied: 0 }])
  t.strictSame(
    first.expectations.map(one => [one.data, 'calls' in one && [...one.calls.operations]]),
    [
      [expect[0], ['createRefund']],
      [expect[1], ['listTickets']]
    ]
  )
  t.strictSame(first.steps, steps)

  const { script: none, expectations, steps: noSteps } = await firstStateIn({ data: small() })
  t.strictSame([none.listed(), expectations, noSteps], [[], [], []])
})

/** A scenario in which every section is wrong. */
const MISTAKEN = `name: wrong
fixtures: []
data:
  accounts: [{ id: mch_a, type: merchant, name: A, email: a@example.com, address: { country: US } }]
  tickets:
    - { id: tkt_a, location: loc_none }
generate:
  - { tickets: 5, users: 5 }
  - { accounts: 5, created: { from: 2026-02-01, to: 2026-01-01 } }
script:
  - on: DELETE /locations/{id}
    fault: hang
  - { on: GET /tickets, match: { query: { locaton: x }, key: "/(/" }, calls: 3-2, delay: { min: 2s, max: 1s } }
  - { on: GET /refunds, delay: 1s }
  - { on: GET /refunds, respond: { status: 200, error: { code: c, message: m }, headers: { connection: close } } }
  - { on: GET /refunds, delay: 2s }
steps:
  - { do: POST /refund }
  - { as: a.b, do: "GET /tickets/\${nothing.id}", body: {} }
expect:
  - { on: POST /refunds, match: { body: { reason: "/*/" } } }
  - { on: GET /tickets, times: 1, at_most: 2 }
settings: { auth: { accept_any_key: mch_none } }
`

t.test('a scenario: with every section wrong at once each problem is reported at its place, in good time, and the state stays as it was', async t => {
  const { control, state, nextIds } = await startTestEmulator(t)
  const { nextIds: expectedIds } = await startTestEmulator(t)
  const before = await state()
  const problems = [
    '6:30 data.tickets[0].location missing_record',
    '8:5 generate[0] not_exactly_one',
    '9:29 generate[1].created reversed',
    '11:9 script[0].on disabled',
    '13:52 script[1].match.query.locaton unknown_parameter',
    '13:62 script[1].match.key bad_pattern',
    '13:78 script[1].calls not_calls',
    '13:90 script[1].delay reversed',
    '15:44 script[3].respond.status not_an_error',
    '15:104 script[3].respond.headers.connection framing_header',
    '16:5 script[4] shadowed',
    '18:11 steps[0].do unknown_request',
    '19:11 steps[1].as other',
    '19:20 steps[1].do unknown_reference',
    '19:56 steps[1].body body_unexpected',
    '21:51 expect[0].match.body.reason bad_pattern',
    '22:5 expect[1] not_together',
    '23:37 settings.auth.accept_any_key missing_account'
  ]
  for (const on of ['POST /load', 'POST /load?dry_run=1']) {
    const begun = cpuTime()
    const { status, body } = await control(on, MISTAKEN, { 'content-type': 'application/yaml' })
    const ms = cpuTime() - begun

    t.strictSame([status, body.error.code], [400, 'document_invalid'])
    const listed = (body.error.problems as Problem[]).map(({ line, column, path, ...said }) => `${line}:${column} ${coded(path, said)}`)
    t.strictSame(listed, problems, on)
    t.ok(ms < 1000, `${on} in ${ms} ms`)
    t.equal(await state(), before, 'byte for byte')
  }
  t.strictSame((await control('GET /script')).body.data, [])
  t.strictSame(await nextIds(), await expectedIds(), 'the ids that are drawn next are those that would have been')
})

t.test('a scenario: what a problem elsewhere leaves unknown is not reported', async t => {
  const { library, file } = folders(t)
  const data = { ...small(), tickets: [ticket('tkt_a', { extra: { id: 1 } })] }
  const own = 'data.tickets[0].extra.id reserved_field'
  const cases: [title: string, data: object, ...problems: string[]][] = [
    ['a step about a record with a problem', { data, steps: [{ do: 'GET /tickets/${tkt_a}' }] }, own],
    ['but one about no record', { data, steps: [{ do: 'GET /tickets/${tkt_b}' }] }, own, 'steps[0].do unknown_reference'],
    [
      'a step after one of another shape',
      { data: small(), steps: [{ as: 'a', do: 5 }, 5, { as: 5, do: 'GET /tickets/${a.id}' }] },
      'steps[0].do wrong_type',
      'steps[1] wrong_type',
      'steps[2].as wrong_type'
    ],
    [
      'anything about a fixture that was not read',
      { fixtures: ['zzzzzz'], steps: [{ do: 'GET /tickets/${tkt_z}' }], data: { tickets: [ticket('t')] } },
      'fixtures[0] other'
    ],
    ['nor where fixtures is no list', { fixtures: 'base', data: { tickets: [ticket('t')] } }, 'fixtures wrong_type'],
    ['nor where one has no name', { fixtures: [5], data: { tickets: [ticket('t')] } }, 'fixtures[0] wrong_type'],
    ['nor where fixtures is misspelled', { fixtuers: ['base'], data: { tickets: [ticket('t')] } }, 'fixtuers unknown_name'],
    ['but where another name is', { sede: 1, data: { tickets: [ticket('t')] } }, 'sede unknown_name', 'data.tickets[0].location missing_record'],
    ['but where data is empty', { data: null, steps: [{ do: 'GET /tickets/${tkt_z}' }] }, 'data wrong_type', 'steps[0].do unknown_reference'],
    [
      'what a call of a sequence asks for without an operation',
      { expect: [{ sequence: [{ on: 'POST /refundz', match: { body: { none: 1 } } }] }] },
      'expect[0].sequence[0].on unknown_word'
    ],
    ['nor where data is no object', { data: 5, steps: [{ do: 'GET /tickets/${tkt_z}' }] }, 'data wrong_type'],
    [
      'generated records of an Account with a problem',
      {
        data: { accounts: [account('mch_a', { extra: { id: 1 } })] },
        generate: [{ users: 1 }, { locations: 1, account: 'mch_a' }, { tickets: 1 }, { transactions: 1 }]
      },
      'data.accounts[0].extra.id reserved_field'
    ],
    [
      'generated payments of Tickets that could not be generated',
      {
        data: { ...small(), tickets: [], transactions: [] },
        generate: [{ tickets: 1, created: { from: '2026-02-01', to: '2026-01-01' } }, { transactions: 1 }]
      },
      'generate[0].created reversed'
    ],
    [
      'an entry behind one of another shape',
      {
        script: [
          { on: 'GET /tickets', delay: 5 },
          { on: 'GET /tickets', delay: '1s' }
        ]
      },
      'script[0].delay wrong_format'
    ],
    [
      'an Account with a problem that any key acts as',
      { data: { accounts: [account('mch_a', { phone: 5 })] }, settings: { auth: { accept_any_key: 'mch_a' } } },
      'data.accounts[0].phone wrong_type'
    ]
  ]
  for (const [title, data, ...problems] of cases) {
    const found = await codesIn(data, { library, file })
    t.strictSame(found, problems, title)
  }
})

t.test('a scenario: settings that are right are used where others are not', async t => {
  const data = { ...small(), refunds: [refund({ id: 'rfd_a', amount: 1001 })], transactions: [charge('txn_a', { tip_amount: 1 })] }
  const settings = { transactions: { refundable: 'amount_plus_extras' }, ids: { length: 'x' }, 'statuses.created': 5, seed: 'x', paginatoin: {}, limits: 5 }

  const problems = await codesIn({ seed: 'x', settings, data })

  t.strictSame(
    problems.map(problem => problem.split(' ')[0]),
    ['seed', 'settings.ids.length', 'settings.statuses.created', 'settings.seed', 'settings.paginatoin', 'settings.limits'],
    'the Refund is within what can be refunded'
  )
})

t.test('records: a fixture that is merged is refused with all its problems, and the state stays as it was', async t => {
  const { control, state } = await startTestEmulator(t, { records: { transactions: [charge('txn_a')] } })
  const before = await state()
  const text = `refunds:
  - { transaction: txn_a, amount: 600 }
  - { transaction: txn_a, amount: 401 }
tickets:
  - { location: loc_none }
  - { location: loc_a, reference: 5 }
users: {}
`

  const { status, body } = await control('POST /records', text, { 'content-type': 'application/yaml' })

  t.strictSame([status, body.error.code], [400, 'document_invalid'])
  t.strictSame(
    body.error.problems.map(({ line, column, path, ...said }: Problem) => `${line}:${column} ${coded(path, said)}`),
    ['3:35 refunds[1].amount refund_exceeds_remaining', '5:17 tickets[0].location missing_record', '6:35 tickets[1].reference other', '7:8 users other']
  )
  t.equal(await state(), before)
})

t.test('a scenario: however many problems it has, it is refused with the first thousand', async t => {
  const tickets = (ticket: object) => ({ tickets: new Array(150_000).fill(ticket) })
  const cases: [data: unknown, first: string][] = [
    [{ data: tickets({ location: 'loc_none' }) }, 'data.tickets[0].location missing_record'],
    [{ data: { ...small(), ...tickets(ticket('tkt_a')) } }, 'data.tickets[1].id listed_twice']
  ]
  for (const [data, first] of cases) {
    const problems = await codesIn(data)
    t.strictSame([problems.length, problems[0]], [1001, first])
  }
})

t.test('a scenario: the problems of expectations are listed in their order, however long each takes to find', async t => {
  const expect = [
    { on: 'POST /refunds', match: { body: { reason: '/(/' } } },
    { on: 'POST /refunds', times: 1, at_least: 1 }
  ]

  t.strictSame(
    (await codesIn({ expect })).map(problem => problem.split(' ')[0]),
    ['expect[0].match.body.reason', 'expect[1]']
  )
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

t.test('an export is a fixture: loaded again, it gives the same records and the same export', async t => {
  const { store } = await firstStateIn(RICH)
  store.users.remove('usr_gone')
  const first = exported(store)

  const asJson = JSON.stringify(first)
  const asYaml = stringify(first, { lineWidth: 0, aliasDuplicateObjects: false })
  for (const text of [asJson, asYaml]) {
    const again = await firstStateIn(text)
    t.equal(JSON.stringify(exported(again.store)), asJson)
    for (const family of FAMILIES) {
      t.equal(JSON.stringify(again.store[family].inCreationOrder()), JSON.stringify(store[family].inCreationOrder()), family)
      t.strictSame(
        again.store[family].inCreationOrder().map(({ id }) => id),
        store[family].inCreationOrder().map(({ id }) => id)
      )
    }
    t.strictSame([...again.store.keys], [...store.keys])
  }
  t.strictSame(await FIXTURE_CHECKER.problems(plain(first)), [])
})

t.test('an export leaves out what is derived, what is null and what is empty, and keeps the order of creation', async t => {
  const { store } = await firstStateIn(RICH)
  store.users.remove('usr_gone')
  const document = plain(exported(store))

  t.strictSame(document.api_keys, [
    { key: 'sk_b', account: 'mch_a' },
    { key: 'sk_a', account: 'rsl_r' }
  ])
  for (const [family, order] of Object.entries({
    accounts: 'mch_a rsl_r',
    users: 'usr_a usr_b',
    locations: 'loc_b loc_a',
    tickets: 'tkt_b tkt_a',
    transactions: 'txn_b txn_a',
    refunds: 'rfd_b rfd_a'
  })) {
    t.equal(document[family].map(({ id }: { id: string }) => id).join(' '), order, family)
  }
  t.strictSame(document.tickets, [
    { id: 'tkt_b', created: '2026-03-02T00:00:00.123Z', location: 'loc_b' },
    { id: 'tkt_a', created: '2026-03-01T00:00:00.000Z', location: 'loc_b', reference: '' }
  ])
  t.equal(document.accounts[0].name, null, 'what a fixture must give is given as null')
  t.strictSame(document.accounts[0].address, { country: null, city: 'Boston' })
  t.strictSame(Object.entries(document.accounts[0].metadata), [
    ['__proto__', 'x'],
    ['constructor', 'y'],
    ['', 'z']
  ])
  t.strictSame(document.accounts[1].metadata, undefined)
  t.equal(JSON.stringify(document.accounts[1].extra), '{"tier":"gold","nested":{"a":[1,null,{"b":"c"}]},"__proto__":{"p":1}}')
  t.strictSame(document.transactions[0], {
    id: 'txn_b',
    created: '2026-04-01T00:00:00.000Z',
    ticket: 'tkt_a',
    location: 'loc_b',
    payment_type: 'vip',
    payment_method: { type: 'vip', card: {}, bank_account: { bank_name: 'Bank' } },
    currency: 'eur',
    amount: 0,
    tip_amount: 5,
    amounts: { currency: 'eur', tip_amount: 5 },
    customer: {}
  })
  t.strictSame(document.users[1].extra, {})
  for (const name of ['object', 'refunds', 'amount_refunded']) t.equal(JSON.stringify(document).includes(`"${name}":`), name === 'refunds', name)
})

t.test('an export of an empty store is an empty fixture', async t => {
  t.strictSame(plain(exported(new Store())), { api_keys: [], accounts: [], users: [], locations: [], tickets: [], transactions: [], refunds: [] })
})
