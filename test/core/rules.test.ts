import t from 'tap'
import { ApiError, CATALOGUE, type ErrorCode, statusOf } from '../../src/core/errors.js'
import { firstBroken, judge, LOCATION_RULES, type PaymentFacts, REFUND_RULES, type Rule, TRANSACTION_RULES } from '../../src/core/rules.js'
import { type GivenSettings, type Settings, settingsInForce } from '../../src/core/settings.js'

const settings = (given: GivenSettings = {}): Settings => settingsInForce({ flag: given }).values

t.test('judge: rules are tried in order, and the first that does not hold refuses', async t => {
  type Facts = { left: number; asked: number }
  const tried: string[] = []
  const rules: Rule<Facts>[] = [
    { rule: 'REF-6', holds: ({ left }) => left > 0, else: 'charge_already_refunded', message: () => 'all is refunded' },
    {
      rule: 'REF-7',
      holds: ({ left, asked }) => {
        tried.push('REF-7')
        return asked <= left
      },
      else: 'refund_exceeds_remaining',
      param: 'amount',
      message: ({ left, asked }) => `${asked} of ${left}`
    },
    { assumption: 'A27', holds: ({ asked }) => asked < 100, else: 'parameter_invalid', message: () => 'too large' }
  ]
  const refusalOf = (facts: Facts) => {
    try {
      judge(rules, facts)
      return null
    } catch (error) {
      t.type(error, ApiError)
      const { code, message, param, rule, assumption, facts } = error as ApiError
      return { code, message, param, rule, assumption, facts }
    }
  }

  t.equal(refusalOf({ left: 5, asked: 5 }), null)
  t.strictSame(refusalOf({ left: 5, asked: 6 }), {
    code: 'refund_exceeds_remaining',
    message: '6 of 5',
    param: 'amount',
    rule: 'REF-7',
    assumption: undefined,
    facts: { left: 5, asked: 6 }
  })
  t.strictSame(refusalOf({ left: 200, asked: 100 }), {
    code: 'parameter_invalid',
    message: 'too large',
    param: undefined,
    rule: undefined,
    assumption: 'A27',
    facts: { left: 200, asked: 100 }
  })
  tried.length = 0
  t.equal(refusalOf({ left: 0, asked: 6 })?.rule, 'REF-6')
  t.strictSame(tried, [], 'rules after the broken one are not tried')
  t.strictSame([firstBroken(rules, { left: 5, asked: 6 }), firstBroken(rules, { left: 5, asked: 5 })], [rules[1], undefined])
})

t.test('LOC-3, TXN-3, TXN-4, REF-6, REF-7: which facts keep the rules of a create, and which of them is broken first', async t => {
  const broken = <F extends object>(rules: readonly Rule<F & Record<string, unknown>>[], facts: F) => {
    const rule = firstBroken(rules, facts as F & Record<string, unknown>)
    return rule?.rule ?? rule?.assumption ?? null
  }
  const paid = (more: Partial<PaymentFacts>): PaymentFacts => ({
    payment_type: 'card',
    has_phone: false,
    is_phone_blank: false,
    has_email: false,
    amount: 0,
    tip_amount: null,
    donation_amount: null,
    ...more
  })
  for (const [type, by] of [
    ['merchant', null],
    ['reseller', 'LOC-3'],
    [null, 'LOC-3']
  ] as const) {
    t.equal(broken(LOCATION_RULES, { account: 'a', type }), by, `${type}`)
  }
  for (const [facts, by] of [
    [{}, null],
    [{ is_phone_blank: true }, null],
    [{ payment_type: 'vip' }, 'TXN-3'],
    [{ payment_type: 'vip', has_phone: true }, null],
    [{ payment_type: 'vip', has_phone: true, is_phone_blank: true }, 'A40'],
    [{ payment_type: 'vip', has_email: true }, 'TXN-3'],
    [{ payment_type: 'apple_pay', has_phone: true }, 'TXN-4'],
    [{ payment_type: 'apple_pay', has_email: true }, null],
    [{ amount: Number.MAX_SAFE_INTEGER }, null],
    [{ amount: Number.MAX_SAFE_INTEGER, tip_amount: 1 }, 'A27']
  ] as const) {
    t.equal(broken(TRANSACTION_RULES, paid(facts)), by, JSON.stringify(facts))
  }
  for (const [charged, refunded, asked, by] of [
    [0, 0, null, 'A24'],
    [1, 0, null, null],
    [1, 0, 1, null],
    [1, 0, 2, 'REF-7'],
    [5, 3, 3, 'REF-7'],
    [5, 4, 1, null],
    [5, 4, 2, 'REF-7'],
    [5, 5, null, 'REF-6'],
    [5, 5, 1, 'REF-6']
  ] as const) {
    const facts = { transaction: 'txn_a', currency: 'usd', charged, refunded, remaining: charged - refunded, asked }
    t.equal(broken(REFUND_RULES, facts), by, JSON.stringify(facts))
    if (by === 'REF-7') t.match(firstBroken(REFUND_RULES, facts)?.message(facts), ` ${facts.remaining} remain${facts.remaining === 1 ? 's' : ''}; `)
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
