import t from 'tap'
import { parse } from 'yaml'
import { PAYMENT_TYPES, type PaymentType } from '../../src/reference/payment-methods.js'
import { exported } from '../../src/scenario/records/record.js'
import type { FirstState } from '../../src/scenario/scenario.js'
import { type GenerateData, problemsOfShape } from '../../src/scenario/shape/scenario.js'
import { FAMILIES, type Records, type Store } from '../../src/store/store.js'
import { codesIn, firstStateIn } from '../support/first-state.js'
import type { Json } from '../support/json.js'
import { NOW, smallFixture } from '../support/requests.js'
import { rows } from '../support/rows.js'

const SEEDS = [1, 4_294_967_295]
const [FROM, TO] = ['2026-01-01T00:00:00.000Z', '2026-03-01T12:30:00.000Z']
const RANGE = { from: FROM, to: TO }
/** A Location without Tickets, so that all records are generated. */
const EMPTY = {
  locations: [{ id: 'loc_b', account: 'mch_a', display_name: 'B', address: { country: 'US' } }]
}

const generatedIn = async (
  generate: GenerateData[],
  { seed = 1, data = smallFixture(EMPTY) }: { seed?: number; data?: object } = {}
): Promise<Store> => (await firstStateIn({ clock: NOW, seed, data, generate })).store
/** Values of a field in a family, in order of creation; the last ones if a number is given. */
const valuesOf = <F extends keyof Records, N extends keyof Records[F]>(
  store: Store,
  family: F,
  field: N,
  count = 0
): Records[F][N][] =>
  (store[family].inCreationOrder() as unknown as Records[F][])
    .slice(-count)
    .map(record => record[field])
const isSorted = (instants: readonly string[]) =>
  instants.every((at, index) => index === 0 || (instants[index - 1] as string) <= at)
const isBetween = (instants: readonly string[], from: string, to: string) =>
  instants.every(at => at >= from && at <= to)

t.test('generate: each family by number, for the first Account or Location', async t => {
  const families = ['accounts', 'users', 'locations', 'tickets', 'transactions'] as const
  const store = await generatedIn(families.map(family => ({ [family]: 3 }) as GenerateData))

  const isId = (prefix: string) => new RegExp(`^${prefix}_[A-Za-z0-9]{24}$`)
  for (const [nth, prefix] of ['mch', 'usr', 'loc', 'tkt', 'txn'].entries()) {
    const family = families[nth] as (typeof families)[number]
    const of = family as 'accounts'
    const ids = valuesOf(store, of, 'id', 3)
    t.strictSame([new Set(ids).size, ids.every(id => isId(prefix).test(id))], [3, true], family)
    t.strictSame(valuesOf(store, of, 'created', 3), [NOW, NOW, NOW], `${family} are created now`)
  }
  t.equal(FAMILIES.map(family => store[family].size).join(), '5,3,5,4,3,0')
  for (const { type, address } of store.accounts.inCreationOrder().slice(2))
    t.strictSame([type, address.country], ['merchant', 'US'])
  for (const of of ['users', 'locations'] as const)
    t.strictSame(valuesOf(store, of as 'users', 'account', 3), ['mch_a', 'mch_a', 'mch_a'])
  for (const of of ['tickets', 'transactions'] as const)
    t.strictSame(valuesOf(store, of as 'tickets', 'location', 3), ['loc_a', 'loc_a', 'loc_a'])
})

t.test('generate: records belong to the Account or Location that is named', async t => {
  // biome-ignore format: a table
  const data = smallFixture({
    ...EMPTY, accounts: [{ id: 'mch_b', type: 'merchant', name: 'B', email: 'b@example.com', address: { country: 'US' } }]
  })
  const [account, location] = [{ account: 'mch_b' }, { location: 'loc_b' }]
  const of = { users: account, locations: account, tickets: location, transactions: location }
  const named = await generatedIn(
    Object.entries(of).map(([family, on]) => ({ [family]: 2, ...on }) as GenerateData),
    { data }
  )
  const nothingStands = await generatedIn(
    [{ accounts: 1 }, { users: 2 }, { locations: 1 }, { tickets: 2 }, { transactions: 2 }],
    { data: {} }
  )

  const hungOn = (store: Store) => [
    ...(['users', 'locations'] as const).map(of => valuesOf(store, of as 'users', 'account', 2)),
    ...(['tickets', 'transactions'] as const).map(of =>
      valuesOf(store, of as 'tickets', 'location', 2)
    )
  ]
  t.equal(hungOn(named).join(), 'mch_b,mch_b,mch_b,mch_b,loc_b,loc_b,loc_b,loc_b')
  const [a, l] = [
    valuesOf(nothingStands, 'accounts', 'id')[0],
    valuesOf(nothingStands, 'locations', 'id')[0]
  ]
  t.equal(hungOn(nothingStands).join(), [a, a, a, l, l, l, l].join())
})

t.test('generate: the first merchant is not a reseller, even after one', async t => {
  const { accounts, ...rest } = smallFixture()
  const store = await generatedIn([{ users: 1 }], {
    data: { ...rest, accounts: accounts.toReversed() }
  })

  t.equal(store.users.inCreationOrder()[0]?.account, 'mch_a')
})

t.test('generate: over several seeds all generated records are consistent', async t => {
  const counts = { accounts: 20, users: 100, locations: 20, tickets: 400, transactions: 600 }
  const more = {
    tickets: { location: 'loc_b' },
    transactions: { location: 'loc_b', refunded: 0.35 }
  }
  const generate = Object.entries(counts).map(
    ([family, count]): GenerateData => ({
      [family]: count,
      created: RANGE,
      ...more[family as keyof typeof more]
    })
  )
  for (const seed of SEEDS) {
    const store = await generatedIn(generate, { seed })
    const transactions = store.transactions.inCreationOrder()
    const refunds = store.refunds.inCreationOrder()

    for (const [family, count] of Object.entries(counts)) {
      const instants = valuesOf(store, family as 'tickets', 'created', count)
      const isSpread = new Set(instants).size > instants.length * 0.9
      t.strictSame(
        [isBetween(instants, FROM, TO), isSorted(instants), isSpread],
        [true, true, true],
        `seed ${seed}: ${family} are created in the range, in order, at different times`
      )
    }
    const wrongPayments = transactions.filter(
      ({ ticket, created, location, amount, tip_amount }) => {
        const paid = store.tickets.get(ticket)
        const isThere =
          paid?.location === 'loc_b' && location === 'loc_b' && paid.created <= created
        return !isThere || amount <= 0 || (tip_amount ?? 0) >= amount
      }
    )
    t.strictSame([transactions.length, wrongPayments], [600, []])
    t.ok(new Set(transactions.map(({ ticket }) => ticket)).size > 150, `seed ${seed}: Tickets paid`)

    const charges = refunds.map(({ transaction }) => store.transactions.get(transaction))
    const wrongRefunds = refunds.filter(({ amount, created, payment_method }, nth) => {
      const charge = charges[nth]
      const isWithin = amount >= 1 && charge?.amount_refunded === amount && amount <= charge.amount
      const isLater = charge !== undefined && created >= charge.created && created <= TO
      const method = JSON.stringify(charge?.payment_method)
      return !isWithin || !isLater || JSON.stringify(payment_method) !== method
    })
    t.strictSame([refunds.length, new Set(charges).size, wrongRefunds], [210, 210, []])
    const whole = refunds.filter(({ amount }, nth) => charges[nth]?.amount === amount)
    t.ok(whole.length > 60 && whole.length < 150, `seed ${seed}: some whole, some in part`)

    const document = JSON.parse(JSON.stringify(exported(store)))
    t.strictSame(problemsOfShape('fixture', document), [], 'an export of it is a fixture')
    const again = await firstStateIn({ clock: NOW, data: document })
    t.equal(JSON.stringify(exported(again.store)), JSON.stringify(document))
  }
})

t.test('TXN-3 TXN-4 A25: a payment has what its payment type needs, and only that', async t => {
  for (const seed of SEEDS) {
    const store = await generatedIn([{ tickets: 20 }, { transactions: 400 }], { seed })
    const byType = new Map<PaymentType, number>()
    for (const {
      payment_type,
      payment_method,
      customer,
      currency
    } of store.transactions.inCreationOrder()) {
      byType.set(payment_type, (byType.get(payment_type) ?? 0) + 1)
      const isCard = ['card', 'apple_pay', 'google_pay', 'emv'].includes(payment_type)
      const isVip = payment_type === 'vip'
      const shape = [
        payment_method.type === payment_type,
        /^\d{4}$/.test(payment_method.card?.last4 ?? '') && Boolean(payment_method.card?.brand),
        /^\d{4}$/.test(payment_method.bank_account?.last4 ?? '') &&
          Boolean(payment_method.bank_account?.bank_name),
        /^\+\d{11}$/.test(customer?.phone ?? ''),
        /@example\.(com|net|org)$/.test(customer?.email ?? ''),
        currency
      ]
      if (
        JSON.stringify(shape) !==
        JSON.stringify([true, isCard, isVip, isVip, payment_type === 'apple_pay', 'usd'])
      )
        t.fail(`${payment_type}: ${shape}`)
    }
    t.strictSame(
      [...byType.keys()].sort(),
      [...PAYMENT_TYPES].sort(),
      `seed ${seed}: all seven types`
    )
    t.ok([...byType.values()].every(count => count > 25))
  }
})

t.test('generate: refunded is an exact share', async t => {
  const cases =
    '10 - 0 | 10 0 0 | 10 0.2 2 | 10 0.25 3 | 10 0.24 2 | 10 1 10 | 1 0.5 1 | 1 0.49 0 | 0 1 0'
  for (const [count, share, refunds] of rows<[string, string, string]>(cases)) {
    const [transactions, refunded] = [Number(count), share === '-' ? undefined : Number(share)]
    const store = await generatedIn([{ transactions, ...(refunded !== undefined && { refunded }) }])
    t.equal(store.refunds.size, Number(refunds), `${refunded} of ${transactions}`)
  }
})

t.test('generate: names are filled in', async t => {
  const families = ['accounts', 'users', 'locations', 'tickets'] as const
  const store = await generatedIn(families.map(family => ({ [family]: 12 }) as GenerateData))

  const of = (family: string, field: string) =>
    valuesOf(store, family as 'accounts', field as 'name', 12).map(String)
  const isEmail = (text: string) => /^[^@\s]+@example\.(com|net|org)$/.test(text)
  t.ok([...of('accounts', 'email'), ...of('users', 'email')].every(isEmail))
  t.ok([...of('accounts', 'name'), ...of('locations', 'display_name')].every(Boolean))
  t.ok(of('users', 'name').every(text => /^\S+ \S+/.test(text)))
  for (const { address } of store.accounts.inCreationOrder().slice(2))
    t.ok(address.line1 && address.city && /^\d{5}$/.test(address.postal_code ?? ''))
  for (const [index, reference] of of('tickets', 'reference').entries()) {
    const number = String(index + 2).padStart(4, '0')
    t.match(reference, new RegExp(`^(Table|Bar|Patio|Booth|Counter) [1-9][0-9]? #${number}$`))
  }
})

t.test('generate: a payment is never made before the first Ticket of its Location', async t => {
  const data = smallFixture({
    ...EMPTY,
    tickets: [{ id: 'tkt_b', location: 'loc_b', created: '2026-02-20T10:00:00.000Z' }]
  })

  const store = await generatedIn(
    [{ transactions: 100, location: 'loc_b', refunded: 1, created: RANGE }],
    { data }
  )

  const early = valuesOf(store, 'transactions', 'created')
  for (const instants of [early, valuesOf(store, 'refunds', 'created')])
    t.ok(isBetween(instants, '2026-02-20T10:00:00.000Z', TO))
  t.ok(isSorted(early))
  t.ok(
    early.filter(at => at === '2026-02-20T10:00:00.000Z').length > 50,
    'those of earlier come with it'
  )
})

t.test('generate: a range of one instant, and one at the ends of time', async t => {
  for (const at of ['2026-02-01', '0001-01-01', '9999-12-31T23:59:59.999Z']) {
    const of = { location: 'loc_b', created: { from: at, to: at } }
    const store = await generatedIn([
      { tickets: 3, ...of },
      { transactions: 3, refunded: 1, ...of }
    ])
    const instants = (['tickets', 'transactions', 'refunds'] as const).flatMap(family =>
      valuesOf(store, family, 'created', 3)
    )
    t.strictSame(
      [instants.length, new Set(instants)],
      [9, new Set([new Date(at).toISOString()])],
      at
    )
  }
})

t.test('A03: the same seed gives the same bytes, another seed others', async t => {
  const generate: GenerateData[] = [
    { accounts: 2 },
    { users: 5 },
    { locations: 2 },
    { tickets: 30, created: RANGE },
    { transactions: 20, refunded: 0.5 }
  ]
  const bytes = async (seed: number) =>
    JSON.stringify(exported(await generatedIn(generate, { seed })))
  const state = async (options: object) =>
    firstStateIn({ clock: NOW, data: smallFixture(), generate, seed: 1 }, options)

  const first = await bytes(1)
  t.equal(await bytes(1), first)
  t.not(await bytes(2), first)
  const [one, two] = await Promise.all([bytes(1), bytes(2)])
  t.strictSame([one, two], [first, await bytes(2)], 'at the same time too')

  const ids = ({ store }: FirstState) => [
    valuesOf(store, 'users', 'id'),
    valuesOf(store, 'users', 'name')
  ]
  t.notSame(ids(await state({ flag: { seed: 2 } })), ids(await state({})), "the flag's seed wins")
  const { counters } = await state({})
  t.strictSame(
    counters,
    { merchant: 2, user: 5, location: 2, ticket: 30, transaction: 20, refund: 10 },
    'ids that come later are drawn on from there'
  )
})

t.test('generate: whole and partial refunds, and payments of each Ticket', async t => {
  const shares =
    '10 - 0.5 0 5 | 10 0.2 0.3 2 3 | 10 0 1 0 10 | 1 0.5 0.5 1 0 | 9 0.5 0 5 0 | 10 1 - 10 0 | 0 1 0 0 0'
  for (const [count, whole, part, wholes, parts] of rows<string[]>(shares)) {
    const shared = { refunded: Number(whole), partly_refunded: Number(part) }
    const given = Object.fromEntries(Object.entries(shared).filter(([, share]) => share >= 0))
    const store = await generatedIn([{ transactions: Number(count), ...given }])
    const refunds = store.refunds.inCreationOrder()
    const isWhole = ({ transaction, amount }: Records['refunds']) =>
      store.transactions.get(transaction)?.amount === amount
    const found = [refunds.filter(isWhole).length, refunds.length]
    const all = Number(wholes) + Number(parts)
    if (part !== '-') t.strictSame(found, [Number(wholes), all], JSON.stringify(given))
    else t.equal(found[1], all)
  }
  const cent = { transactions: 4, payment_types: ['card' as const], amount: { min: 1, max: 1 } }
  t.equal((await generatedIn([{ ...cent, partly_refunded: 1 }])).refunds.size, 4)

  const cases =
    '30 1 30 30 1 1 | 30 2 30 15 2 2 | 7 2-3 9 3 2 3 | 40 1-3 60 40 1 3 | 100 4-100 30 25 4 100 | 0 1-3 1 0 0 0'
  for (const [count, each, tickets, ...bounds] of rows<string[]>(cases)) {
    for (const created of [RANGE, undefined]) {
      const of = { location: 'loc_b', ...(created && { created }) }
      const [transactions, most, least, longest] = [count, ...bounds].map(Number) as number[]
      const store = await generatedIn([
        { tickets: Number(tickets), ...of },
        { transactions, payments_per_ticket: each as string, ...of }
      ])
      const all = store.transactions.inCreationOrder()
      const paid = new Map<string, number>()
      for (const { ticket } of all) paid.set(ticket, (paid.get(ticket) ?? 0) + 1)
      const sizes = [...paid.values()].sort((a, b) => a - b)
      t.equal(store.transactions.size, transactions)
      t.ok(paid.size <= (most as number), `${paid.size} Tickets`)
      t.ok((sizes[0] ?? 0) >= (least as number), `${each}: ${sizes}`)
      t.ok((sizes.at(-1) ?? 0) <= (longest as number), `${each}: ${sizes}`)
      t.ok(all.every(({ ticket, created }) => created >= `${store.tickets.get(ticket)?.created}`))
    }
  }
})

t.test('generate: every problem, with its place', async t => {
  const cases: [entries: Json, ...problems: string[]][] = parse(`[
    [{ tickets: 5 }, generate wrong_type], [[{}], '[0] needs'], [[{ location: loc_a, created: { from: ${FROM}, to: ${TO} } }], '[0] needs'],
    [[{ tickets: 1, users: 1 }], '[0] not_together'], [[{ transactions: 1, tickets: 1, users: 0 }], '[0] not_together'],
    [[{ refunds: 5 }], '[0].refunds unknown_name'], [[{ tikets: 5 }], '[0].tikets unknown_name'], [[{ tickets: -1 }], '[0].tickets too_small'],
    [[{ tickets: 0.5 }], '[0].tickets wrong_type'], [[{ tickets: 1000001 }], '[0].tickets too_large'],
    [[{ transactions: 1, refunded: 1.1 }], '[0].refunded too_large'], [[{ transactions: 1, refunded: -0.1 }], '[0].refunded too_small'],
    [[{ tickets: 9, refunded: 0.5 }], '[0].refunded needs'], [[{ tickets: 9, partly_refunded: 0.5 }], '[0].partly_refunded needs'],
    [[{ tickets: 9, payments_per_ticket: 2 }], '[0].payments_per_ticket needs'], [[{ transactions: 9, partly_refunded: 2 }], '[0].partly_refunded too_large'],
    [[{ transactions: 9, payments_per_ticket: 2 }], '[0].payments_per_ticket not_shared'], [[{ transactions: 9, payments_per_ticket: 0 }], '[0].payments_per_ticket too_small'],
    [[{ transactions: 9, payments_per_ticket: 0-3 }], '[0].payments_per_ticket not_shared'], [[{ transactions: 9, payments_per_ticket: 1+ }], '[0].payments_per_ticket not_shared'],
    [[{ transactions: 9, payments_per_ticket: every 3 }], '[0].payments_per_ticket not_shared'],
    [[{ transactions: 9, payments_per_ticket: 5-8 }], '[0].payments_per_ticket not_shared'],
    [[{ transactions: 9, payments_per_ticket: 1-101 }], '[0].payments_per_ticket not_shared'],
    [[{ tickets: 2, location: loc_b }, { transactions: 9, location: loc_b, payments_per_ticket: 3 }], '[1].payments_per_ticket too_few_tickets'],
    [[{ transactions: 1, refunded: 20% }], '[0].refunded wrong_type'], [[{ transactions: 1, payment_types: [card, paypall] }], '[0].payment_types[1] not_one_of'],
    [[{ transactions: 1, payment_types: [] }], '[0].payment_types too_few_items'], [[{ tickets: 1, created: { from: ${FROM} } }], '[0].created required'],
    [[{ tickets: 1, created: { from: yesterday, to: ${TO} } }], '[0].created.from wrong_format'],
    [[{ users: 1, created: { from: '2026-03-01T00:00:00-02:00', to: '2026-03-01T01:00:00Z' } }], '[0].created reversed'],
    [[{ transactions: 1, amount: { min: 3, max: 2 } }], '[0].amount reversed'],
    [[{ tickets: 1, location: loc_x }, { transactions: 1, location: loc_y }], '[0].location missing_record', '[1].location missing_record'],
    [[{ users: 1, account: mch_x }, { locations: 1, account: mch_y }], '[0].account missing_record', '[1].account missing_record'],
    [[{ transactions: 1, location: loc_b }], '[0].location no_early_ticket'], [[{ transactions: 0, location: loc_b }], '[0].location no_early_ticket'],
    [[{ transactions: 5, created: { from: 2026-01-01, to: 2026-01-02 } }], '[0].location no_early_ticket'],
    [[{ transactions: 1, location: loc_b }, { tickets: 1, location: loc_b }], '[0].location no_early_ticket'],
    [[{ transactions: 5, payments_per_ticket: 2 }, { users: 1, account: mch_x }, { tickets: 1, location: loc_x }],
      '[0].payments_per_ticket not_shared', '[1].account missing_record', '[2].location missing_record']
  ]`)
  const missing = (...nths: number[]) => nths.map(nth => `generate[${nth}] missing_parent`)
  for (const [generate, ...said] of cases) {
    const problems = said.map(problem => (problem.startsWith('[') ? `generate${problem}` : problem))
    t.strictSame(
      await codesIn({ clock: NOW, data: smallFixture(EMPTY), generate }),
      problems,
      JSON.stringify(generate)
    )
  }
  for (const generate of [
    [{ tickets: 1 }, { transactions: 1 }],
    [{ users: 1 }, { locations: 1 }]
  ])
    t.strictSame(await codesIn({ data: {}, generate }), missing(0))
  t.strictSame(
    await codesIn({ data: { accounts: [smallFixture().accounts[1]] }, generate: [{ users: 1 }] }),
    missing(0),
    'a reseller is no merchant'
  )
})

t.test('generate: the payments of each Location begin with its own first Ticket', async t => {
  const location = { loc_b: 1, loc_c: 1 }
  const locations = [...EMPTY.locations, { ...EMPTY.locations[0], id: 'loc_c' }]
  const store = await generatedIn(
    [
      { tickets: 1, location: 'loc_b', created: { from: FROM, to: FROM } },
      { tickets: 1, location: 'loc_c', created: { from: TO, to: TO } },
      { transactions: 200, location, created: { from: FROM, to: '2026-03-02' }, refunded: 1 }
    ],
    { data: smallFixture({ locations }) }
  )
  const all = store.transactions.inCreationOrder()
  const [early, late] = ['loc_b', 'loc_c'].map(id =>
    all.filter(one => one.location === id).map(({ created }) => created)
  ) as [string[], string[]]
  t.ok(
    early.filter(at => at < TO).length > 50,
    'of the one that opened first, in all the time before the other opened'
  )
  t.ok(late.length > 50 && late.every(at => at >= TO))
  t.ok(isSorted(all.map(({ created }) => created)))
})

t.test('generate: some Locations and payment types are more frequent than others', async t => {
  const created = { from: '2025-01-01', to: '2025-12-31T23:59:59Z' }
  const more = { locations: [...EMPTY.locations, { ...EMPTY.locations[0], id: 'loc_c' }] }
  const location = { loc_b: 3, loc_c: 1 }
  const payment_types = { card: 8, vip: 1, emv: 1 }
  const generate: GenerateData[] = [
    { tickets: 400, location, created: { from: '2024-12-01', to: '2025-01-01' } },
    { transactions: 8000, location, payment_types, amount: { min: 450, max: 1200 }, created }
  ]
  const store = await generatedIn(generate, { data: smallFixture(more) })
  const all = store.transactions.inCreationOrder().slice(-8000)
  t.equal(all.length, 8000)
  t.ok(isSorted(all.map(({ created }) => created)))
  const nearly = (
    wanted: number,
    what: string,
    is: (transaction: Records['transactions']) => boolean
  ) => {
    const got = all.filter(is).length / all.length
    t.ok(Math.abs(got - wanted) < 0.03, `${what}: ${got}`)
  }
  nearly(1 / 4, 'evenings', ({ created }) => new Date(created).getUTCHours() >= 18)
  nearly(31 / 365, 'December', ({ created }) => created.startsWith('2025-12'))
  nearly(3 / 4, 'Locations', ({ location }) => location === 'loc_b')
  nearly(8 / 10, 'payment types', ({ payment_type }) => payment_type === 'card')
  const bills = all.map(({ amount, tip_amount }) => amount - (tip_amount ?? 0))
  t.strictSame([Math.min(...bills), Math.max(...bills)], [450, 1200], 'both bounds are included')
  nearly(1 / 2, 'bills', ({ amount, tip_amount }) => amount - (tip_amount ?? 0) < 825)
  t.equal(
    JSON.stringify(exported(await generatedIn(generate, { data: smallFixture(more) }))),
    JSON.stringify(exported(store)),
    'the same from the same seed'
  )
})

t.test('generate: no weights, and weights of missing records', async t => {
  const wrong: [entry: object, code: string, path: string][] = parse(`[
    [{ tickets: 1, location: {} }, empty, location], [{ transactions: 1, payment_types: {} }, empty, payment_types],
    [{ tickets: 1, location: { loc_a: 1, loc_x: 1 } }, missing_record, location],
    [{ transactions: 1, payment_types: { cash: 1 } }, unknown_name, payment_types.cash]
  ]`)
  for (const [entry, code, path] of wrong) {
    const error = await generatedIn([entry as GenerateData]).then(
      () => null,
      ({ problems }) => problems
    )
    t.match(error, [{ code, path: `generate[0].${path}` }], JSON.stringify(entry))
  }
  const types = async (payment_types: GenerateData['payment_types']) => {
    const store = await generatedIn([{ transactions: 50, payment_types }])
    return [...new Set(valuesOf(store, 'transactions', 'payment_type'))].sort().join()
  }
  t.strictSame(
    [await types(['emv', 'external', 'emv']), await types({ card: 0, vip: 0 })],
    ['emv,external', 'vip']
  )
  const even = { transactions: 20, amount: { min: 700, max: 700 } }
  const { transactions } = await generatedIn([{ tickets: 1 }, even])
  const bills = transactions
    .inCreationOrder()
    .slice(-20)
    .map(({ amount, tip_amount }) => amount - (tip_amount ?? 0))
  t.strictSame([...new Set(bills)], [700])
})
