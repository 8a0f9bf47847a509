import t from 'tap'
import { Clock, MACHINE_CLOCK } from '../../src/core/clock.js'
import { ApiError, CATALOGUE, type ErrorCode, statusOf } from '../../src/core/errors.js'
import { type IdKind, Ids, kindOf } from '../../src/core/ids.js'
import { judge, type Rule } from '../../src/core/judge.js'
import { isExact, moneyOf, refundable, settled } from '../../src/core/money.js'
import { patched } from '../../src/core/patch.js'
import { matches } from '../../src/core/search.js'
import { type GivenSettings, type Settings, settingsInForce } from '../../src/core/settings.js'
import { type Facts, Trace } from '../../src/core/trace.js'

const settings = (given: GivenSettings = {}): Settings => settingsInForce({ flag: given }).values
const own = (entries: [string, unknown][]) => Object.fromEntries(entries) as Record<string, unknown>

t.test('trace: keeps judgements in order, with the facts that were given, and each assumption once', async t => {
  const trace = new Trace()

  trace.held('REF-4')
  trace.held('REF-6', { remaining: 5 })
  trace.broke('REF-7', { remaining: 5, asked: 6 })
  trace.broke('FORM-1')
  trace.assumed('A24')
  trace.assumed('A02')
  trace.assumed('A24')

  t.strictSame(trace.judgements, [
    { rule: 'REF-4', held: true },
    { rule: 'REF-6', held: true, facts: { remaining: 5 } },
    { rule: 'REF-7', held: false, facts: { remaining: 5, asked: 6 } },
    { rule: 'FORM-1', held: false }
  ])
  t.strictSame([...trace.assumptions], ['A24', 'A02'])
})

t.test('trace: calls that are judged alike share their course, whatever figures they saw', async t => {
  const judgedWith = (facts: object, more?: object) => {
    const trace = new Trace()
    trace.held('REF-6', facts as Facts)
    trace.held('REF-7', facts as Facts)
    trace.assumed('A23')
    if (more) trace.broke('REF-4', more as Facts)
    return trace
  }
  const [one, other, longer] = [judgedWith({ asked: 1 }), judgedWith({ asked: 2 }), judgedWith({ asked: 3 }, { remaining: 4 })]

  t.equal(one.course, other.course)
  t.not(one.course, longer.course)
  t.strictSame([one.facts, other.facts, longer.facts], [[{ asked: 1 }], [{ asked: 2 }], [{ asked: 3 }, { remaining: 4 }]])
  t.strictSame(longer.judgements, [
    { rule: 'REF-6', held: true, facts: { asked: 3 } },
    { rule: 'REF-7', held: true, facts: { asked: 3 } },
    { rule: 'REF-4', held: false, facts: { remaining: 4 } }
  ])
  t.strictSame(
    [...longer.course.outcomes],
    [
      ['REF-6', true],
      ['REF-7', true],
      ['REF-4', false]
    ]
  )
})

t.test('trace: what says nothing new leaves the course as it is', async t => {
  const trace = new Trace()
  trace.held('META-2')
  trace.assumed('A16')
  const before = trace.course
  trace.assumed('A16')
  t.equal(trace.course, before)
  trace.held('META-2')
  const { course } = trace
  trace.held('META-2')
  trace.assumed('A16')

  t.equal(trace.course, course)
  t.strictSame(trace.judgements, [
    { rule: 'META-2', held: true },
    { rule: 'META-2', held: true }
  ])
})

t.test('trace: one that is off keeps nothing', async t => {
  const trace = new Trace(false)

  trace.held('REF-6', { remaining: 5 })
  trace.broke('REF-7')
  trace.assumed('A23')

  t.strictSame([trace.judgements, trace.assumptions, trace.facts], [[], [], []])
  t.equal(trace.course, new Trace().course)
})

t.test('trace: there is no end of ways to be judged, but of those that are shared', async t => {
  const rules = ['FORM-1', 'FORM-2', 'FORM-3', 'META-1', 'META-2', 'META-3'] as const
  const judgedBy = (way: number) => {
    const trace = new Trace()
    for (let rest = way + 1; rest > 0; rest = Math.floor(rest / rules.length)) trace.held(rules[rest % rules.length] as (typeof rules)[number])
    return trace
  }
  const first = judgedBy(1000)
  const expected = first.judgements
  t.equal(judgedBy(1000).course, first.course)

  for (let way = 0; way < 40_000; way++) judgedBy(way)

  t.not(judgedBy(1000).course, first.course, 'it is not shared for ever')
  t.strictSame([first.judgements, judgedBy(1000).judgements], [expected, expected], 'and tells the same')
})

t.test('judge: rules are tried in order, and the first that does not hold refuses', async t => {
  type Facts = { left: number; asked: number }
  const seen: string[] = []
  const rules: Rule<Facts>[] = [
    { id: 'REF-6', holds: ({ left }) => left > 0, else: 'charge_already_refunded', message: () => 'all is refunded' },
    {
      id: 'REF-7',
      holds: ({ left, asked }) => {
        seen.push('REF-7')
        return asked <= left
      },
      else: 'refund_exceeds_remaining',
      param: 'amount',
      message: ({ left, asked }) => `${asked} of ${left}`
    }
  ]
  const refusal = (facts: Facts, trace: Trace) => {
    try {
      judge(rules, facts, trace)
      return null
    } catch (error) {
      return error as ApiError
    }
  }

  const kept = new Trace()
  t.equal(refusal({ left: 5, asked: 5 }, kept), null)
  t.strictSame(kept.judgements, [
    { rule: 'REF-6', held: true, facts: { left: 5, asked: 5 } },
    { rule: 'REF-7', held: true, facts: { left: 5, asked: 5 } }
  ])

  const second = new Trace()
  const above = refusal({ left: 5, asked: 6 }, second)
  t.type(above, ApiError)
  t.strictSame(
    { code: above?.code, message: above?.message, param: above?.param, rule: above?.rule, facts: above?.facts, assumption: above?.assumption },
    { code: 'refund_exceeds_remaining', message: '6 of 5', param: 'amount', rule: 'REF-7', facts: { left: 5, asked: 6 }, assumption: undefined }
  )
  t.strictSame(second.judgements, [{ rule: 'REF-6', held: true, facts: { left: 5, asked: 6 } }])

  seen.length = 0
  const none = refusal({ left: 0, asked: 6 }, new Trace())
  t.equal(none?.rule, 'REF-6')
  t.equal(none?.param, undefined)
  t.strictSame(seen, [], 'what comes later is not tried')
})

t.test('UPD-1 UPD-2: an update keeps what is left out and unsets what is null', async t => {
  const address = { country: 'US', line1: 'Main St 1', line2: null, city: 'Boston', postal_code: null, state: null }
  const before = { id: 'loc_1', display_name: 'A', phone: '1' as string | null, website: null as string | null, address, metadata: {} }

  const after: [change: object, expected: object][] = [
    [{}, before],
    [{ phone: undefined }, before],
    [{ phone: null }, { ...before, phone: null }],
    [
      { phone: '2', website: 'w' },
      { ...before, phone: '2', website: 'w' }
    ],
    [{ address: {} }, before],
    [{ address: { city: null, state: 'MA' } }, { ...before, address: { ...address, city: null, state: 'MA' } }],
    [
      { address: { country: null, line1: null, line2: null, city: null, postal_code: null, state: null } },
      { ...before, address: { country: null, line1: null, line2: null, city: null, postal_code: null, state: null } }
    ]
  ]
  for (const [change, expected] of after) t.strictSame(patched(before, change), expected, JSON.stringify(change))
  t.equal(before.phone, '1', 'the record before stays as it is')
  t.equal(before.address.city, 'Boston')
})

t.test('META-2 META-3: metadata merges by key, null unsets a key, cleared unsets all before', async t => {
  const cases: [title: string, before: [string, string][], change: { cleared: boolean; entries: [string, string | null][] }, after: [string, string][]][] = [
    [
      'a new key is added',
      [['a', '1']],
      { cleared: false, entries: [['b', '2']] },
      [
        ['a', '1'],
        ['b', '2']
      ]
    ],
    [
      'a key is replaced',
      [
        ['a', '1'],
        ['b', '2']
      ],
      { cleared: false, entries: [['a', '3']] },
      [
        ['a', '3'],
        ['b', '2']
      ]
    ],
    [
      'a key is unset',
      [
        ['a', '1'],
        ['b', '2']
      ],
      { cleared: false, entries: [['a', null]] },
      [['b', '2']]
    ],
    ['a key that is not there is unset', [['a', '1']], { cleared: false, entries: [['x', null]] }, [['a', '1']]],
    ['nothing changes', [['a', '1']], { cleared: false, entries: [] }, [['a', '1']]],
    [
      'all are unset',
      [
        ['a', '1'],
        ['b', '2']
      ],
      { cleared: true, entries: [] },
      []
    ],
    [
      'all are unset, then one is set',
      [
        ['a', '1'],
        ['b', '2']
      ],
      {
        cleared: true,
        entries: [
          ['b', '3'],
          ['c', null]
        ]
      },
      [['b', '3']]
    ],
    [
      'names of the prototype are plain keys',
      [
        ['constructor', '1'],
        ['toString', '2']
      ],
      {
        cleared: false,
        entries: [
          ['__proto__', '3'],
          ['constructor', null]
        ]
      },
      [
        ['toString', '2'],
        ['__proto__', '3']
      ]
    ],
    ['__proto__ stays and is replaced', [['__proto__', '1']], { cleared: false, entries: [['__proto__', '2']] }, [['__proto__', '2']]],
    [
      '__proto__ is unset',
      [
        ['__proto__', '1'],
        ['a', '1']
      ],
      { cleared: false, entries: [['__proto__', null]] },
      [['a', '1']]
    ],
    [
      'a metadata key may be called cleared',
      [
        ['cleared', '1'],
        ['entries', '2']
      ],
      { cleared: false, entries: [['cleared', '3']] },
      [
        ['cleared', '3'],
        ['entries', '2']
      ]
    ]
  ]
  for (const [title, before, { cleared, entries }, after] of cases) {
    const record = { id: 'x', metadata: own(before) }
    const next = patched(record, { metadata: { cleared, entries: own(entries) } })
    t.strictSame(Object.entries(next.metadata), after, title)
    t.strictSame(Object.entries(record.metadata), before, 'the record before stays as it is')
  }
  t.equal(({} as Record<string, unknown>).a, undefined)
  t.equal(Object.getPrototypeOf({}), Object.prototype)
})

t.test('A22 A24: what a payment settles', async t => {
  const nothing = { currency: 'usd', amount: 0, tip_amount: null, donation_amount: null, amounts: null }
  const amounts = (given: object) => ({ ...given }) as never
  const cases: [title: string, sent: Parameters<typeof settled>[0], expected: object][] = [
    ['nothing', {}, nothing],
    ['nulls', { currency: null, amount: null, tip_amount: null, donation_amount: null, amounts: null }, nothing],
    [
      'the top level',
      { currency: 'eur', amount: 10, tip_amount: 2, donation_amount: 3 },
      { currency: 'eur', amount: 10, tip_amount: 2, donation_amount: 3, amounts: null }
    ],
    [
      'transaction_amount',
      { amounts: amounts({ transaction_amount: 7, payment_amount: 8 }) },
      { ...nothing, amount: 7, amounts: { transaction_amount: 7, payment_amount: 8 } }
    ],
    ['payment_amount', { amounts: amounts({ payment_amount: 8 }) }, { ...nothing, amount: 8, amounts: { payment_amount: 8 } }],
    [
      'tip and currency',
      { amounts: amounts({ tip_amount: 1, currency: 'gbp' }) },
      { ...nothing, tip_amount: 1, currency: 'gbp', amounts: { tip_amount: 1, currency: 'gbp' } }
    ],
    [
      'the top level wins',
      { currency: 'eur', amount: 0, tip_amount: 0, amounts: amounts({ currency: 'gbp', transaction_amount: 5, tip_amount: 4 }) },
      { currency: 'eur', amount: 0, tip_amount: 0, donation_amount: null, amounts: { currency: 'gbp', transaction_amount: 5, tip_amount: 4 } }
    ],
    ['an empty amounts', { amounts: amounts({}) }, { ...nothing, amounts: {} }]
  ]
  for (const [title, sent, expected] of cases) t.strictSame(settled(sent, settings()), expected, title)
  t.equal(settled({}, settings({ 'transactions.default_currency': 'chf' })).currency, 'chf')
})

t.test('A23: what of a charge can be refunded, and what remains', async t => {
  const charge = { id: 'txn_1', currency: 'usd', amount: 1000, tip_amount: 200 as number | null, donation_amount: 30 as number | null, amount_refunded: 400 }
  const extras = settings({ 'transactions.refundable': 'amount_plus_extras' })

  t.equal(refundable(charge, settings()), 1000)
  t.equal(refundable(charge, extras), 1230)
  t.equal(refundable({ ...charge, tip_amount: null, donation_amount: null }, extras), 1000)
  t.strictSame(moneyOf(charge, settings()), { transaction: 'txn_1', currency: 'usd', charged: 1000, refunded: 400, remaining: 600 })
  t.strictSame(moneyOf(charge, extras), { transaction: 'txn_1', currency: 'usd', charged: 1230, refunded: 400, remaining: 830 })
  t.equal(moneyOf({ ...charge, amount_refunded: 1000 }, settings()).remaining, 0)
  t.equal(moneyOf({ ...charge, amount_refunded: 1200 }, settings()).remaining, 0, 'it never goes below 0, even when the setting was changed after the Refunds')
})

t.test('A27: the sum of the parts must be held exactly', async t => {
  const most = Number.MAX_SAFE_INTEGER
  const cases: [amount: number, tip: number | null, donation: number | null, exact: boolean][] = [
    [0, null, null, true],
    [most, null, null, true],
    [most, 0, 0, true],
    [most, 1, null, false],
    [most, null, 1, false],
    [most - 2, 1, 1, true],
    [most, most, most, false]
  ]
  for (const [amount, tip_amount, donation_amount, exact] of cases)
    t.equal(isExact({ amount, tip_amount, donation_amount }), exact, `${amount} ${tip_amount} ${donation_amount}`)
})

t.test("A05: the clock is the machine's, runs on from an instant, or stands", async t => {
  let machine = 5000
  const clock = (at: number | null, running: boolean) => new Clock(() => machine, { at, running })

  const own = new Clock(() => machine, MACHINE_CLOCK)
  const running = clock(1_000_000, true)
  const standing = clock(1_000_000, false)
  t.strictSame([own.now(), running.now(), standing.now()], [5000, 1_000_000, 1_000_000])

  machine = 5250
  t.strictSame([own.now(), running.now(), standing.now()], [5250, 1_000_250, 1_000_000])
  t.strictSame([own.running, running.running, standing.running], [true, true, false])

  t.equal(clock(0, false).now(), 0, '1970 is an instant like any other')
})

const KINDS: Record<IdKind, string> = {
  merchant: 'mch_',
  reseller: 'rsl_',
  location: 'loc_',
  ticket: 'tkt_',
  transaction: 'txn_',
  user: 'usr_',
  refund: 'rfd_'
}
const free = () => false

t.test('A02 A03: ids are a prefix and 24 letters and digits, the same for the same seed, kind and number', async t => {
  const drawThree = (given: GivenSettings, kind: IdKind) => {
    const ids = new Ids()
    return [1, 2, 3].map(() => ids.draw(kind, settings(given), free))
  }

  const all: string[] = []
  for (const [kind, prefix] of Object.entries(KINDS) as [IdKind, string][]) {
    const drawn = drawThree({}, kind)
    for (const id of drawn) t.ok(new RegExp(`^${prefix}[A-Za-z0-9]{24}$`).test(id), id)
    t.strictSame(drawThree({}, kind), drawn, 'the same calls draw the same ids')
    t.strictSame(drawThree({ seed: 1 }, kind), drawn, 'the default seed is 1')
    all.push(...drawn, ...drawThree({ seed: 2 }, kind))
  }
  t.equal(new Set(all).size, all.length, 'seeds, kinds and numbers draw apart')
  t.equal(new Set(all.map(id => id.slice(4))).size, all.length, 'the bodies differ too')
})

t.test('A03: each kind counts alone, so the draws of one do not move another', async t => {
  const ids = new Ids()
  const expected = new Ids()

  const first = expected.draw('ticket', settings(), free)
  ids.draw('refund', settings(), free)
  ids.draw('user', settings(), free)
  ids.drawKey(settings(), free)

  t.equal(ids.draw('ticket', settings(), free), first)
  t.strictSame(ids.counters, { refund: 1, user: 1, key: 1, ticket: 1 })
})

t.test('A03: an id that is taken is skipped, and drawing goes on from the counters', async t => {
  const plain = new Ids()
  const [first, second, third] = [1, 2, 3].map(() => plain.draw('location', settings(), free))

  const skipping = new Ids()
  t.equal(
    skipping.draw('location', settings(), id => id === first || id === second),
    third
  )
  t.strictSame(skipping.counters, { location: 3 })

  const on = new Ids({ location: 1 })
  t.equal(on.draw('location', settings(), free), second)
  const { counters } = on
  on.draw('location', settings(), free)
  t.strictSame(counters, { location: 2 }, 'counters that were read do not move')
})

t.test('A02 A03: ids.prefixes and ids.length shape the ids; the alphabet is all letters and digits', async t => {
  for (const length of [8, 24, 64])
    t.ok(new RegExp(`^x-[A-Za-z0-9]{${length}}$`).test(new Ids().draw('refund', settings({ 'ids.length': length, 'ids.prefixes.refund': 'x-' }), free)))
  t.ok(/^[A-Za-z0-9]{24}$/.test(new Ids().draw('refund', settings({ 'ids.prefixes.refund': '' }), free)))

  const ids = new Ids()
  const letters = new Set(Array.from({ length: 200 }, () => ids.draw('user', settings(), free).slice(4)).join(''))
  t.equal(letters.size, 62)
})

t.test('A18: API keys are drawn from the seed too', async t => {
  const first = new Ids().drawKey(settings(), free)

  t.ok(/^sk_test_[A-Za-z0-9]{24}$/.test(first), first)
  t.equal(new Ids().drawKey(settings(), free), first)
  t.not(new Ids().drawKey(settings({ seed: 2 }), free), first)
  t.not(
    new Ids().drawKey(settings(), key => key === first),
    first
  )
  t.equal(new Ids().drawKey(settings({ 'ids.length': 8 }), free), first, 'ids.length is of ids alone')
})

t.test("A02: a family's kind; an Account's goes by its type", async t => {
  t.strictSame(
    [kindOf('accounts', 'merchant'), kindOf('accounts', 'reseller'), kindOf('accounts'), kindOf('accounts', null)],
    ['merchant', 'reseller', 'merchant', 'merchant']
  )
  t.strictSame(
    (['users', 'locations', 'tickets', 'transactions', 'refunds'] as const).map(family => kindOf(family)),
    ['user', 'location', 'ticket', 'transaction', 'refund']
  )
})

t.test('A13: what a search_query matches', async t => {
  const cases: [text: string | null | undefined, query: string, contains: boolean, prefix: boolean, exact: boolean][] = [
    ['T-12', 'T-12', true, true, true],
    ['T-12', 't-12', true, true, true],
    ['T-12', 'T-1', true, true, false],
    ['T-12', '12', true, false, false],
    ['T-12', 'T-123', false, false, false],
    ['T-12', '.', false, false, false],
    ['', '', true, true, true],
    [null, 'T', false, false, false],
    [undefined, 'T', false, false, false]
  ]
  for (const [text, query, ...expected] of cases) {
    t.strictSame(
      (['contains', 'prefix', 'exact'] as const).map(how => matches(text, query, how)),
      expected,
      `${text} ${query}`
    )
  }
})

t.test('A08: every refusal has a status, a type and a sentence that says when it comes', async t => {
  for (const [code, { status, type, when }] of Object.entries(CATALOGUE)) {
    t.ok(/^[a-z_]+$/.test(code), code)
    t.ok(/_error$/.test(type), type)
    t.ok(/^[A-Z`].*\.$/.test(when), when)
    t.ok(statusOf(code as ErrorCode, settings()) >= 400)
    t.ok(typeof status === 'number' || Object.hasOwn(settings(), status), `${code} ${status}`)
  }
})

t.test('A08: statuses by default, and as settings say', async t => {
  const cases: [code: ErrorCode, status: number, given: GivenSettings, changed: number][] = [
    ['path_unknown', 404, { 'statuses.missing': 410 }, 404],
    ['method_not_allowed', 405, { 'statuses.invalid': 422 }, 405],
    ['api_key_missing', 401, { 'statuses.unauthenticated': 403 }, 403],
    ['api_key_unknown', 401, { 'statuses.unauthenticated': 403 }, 403],
    ['api_key_malformed', 401, { 'statuses.unauthenticated': 403 }, 403],
    ['operation_disabled', 501, { 'statuses.invalid': 422 }, 501],
    ['content_type_unsupported', 415, { 'statuses.invalid': 422 }, 415],
    ['body_too_large', 413, { 'statuses.invalid': 422 }, 413],
    ['headers_too_large', 431, { 'statuses.invalid': 422 }, 431],
    ['parameter_invalid', 400, { 'statuses.invalid': 422 }, 422],
    ['parameter_unknown', 400, { 'statuses.invalid': 422 }, 422],
    ['resource_missing', 404, { 'statuses.missing': 410 }, 410],
    ['reference_missing', 400, { 'statuses.reference_missing': 422 }, 422],
    ['merchant_required', 403, { 'statuses.forbidden': 401 }, 401],
    ['charge_has_no_amount', 400, { 'statuses.refund_refused': 402 }, 402],
    ['charge_already_refunded', 400, { 'statuses.refund_refused': 402 }, 402],
    ['refund_exceeds_remaining', 400, { 'statuses.refund_refused': 402 }, 402],
    ['internal_error', 500, { 'statuses.invalid': 422 }, 500]
  ]
  for (const [code, status, given, changed] of cases) t.strictSame([statusOf(code, settings()), statusOf(code, settings(given))], [status, changed], code)
})

t.test('A07: a refusal carries what it was given and no more', async t => {
  const bare = new ApiError('path_unknown', { message: 'no such path' })
  const full = new ApiError('parameter_invalid', {
    message: 'm',
    param: 'p',
    rule: 'REF-3',
    assumption: 'A27',
    facts: { n: 1 },
    problems: [{ path: 'a', message: 'b' }],
    headers: { allow: 'GET' }
  })

  t.type(bare, Error)
  t.strictSame([bare.name, bare.code, bare.message], ['ApiError', 'path_unknown', 'no such path'])
  t.strictSame([bare.param, bare.rule, bare.assumption, bare.facts, bare.problems, bare.headers], [undefined, undefined, undefined, undefined, undefined, {}])
  t.strictSame(
    [full.param, full.rule, full.assumption, full.facts, full.problems, full.headers],
    ['p', 'REF-3', 'A27', { n: 1 }, [{ path: 'a', message: 'b' }], { allow: 'GET' }]
  )
})
