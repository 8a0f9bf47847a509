import t from 'tap'
import { ApiError, CATALOGUE, type ErrorCode, statusOf } from '../../src/core/errors.js'
import { firstBroken, judge, type Rule } from '../../src/core/rules.js'
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
