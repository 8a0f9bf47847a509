import t from 'tap'
import { CATALOGUE, type ErrorCode, statusOf } from '../../src/core/errors.js'
import {
  firstViolated,
  judge,
  LOCATION_RULES,
  type PaymentFacts,
  REFUND_RULES,
  type Rule,
  TRANSACTION_RULES
} from '../../src/core/rules.js'
import { type GivenSettings, type Settings, settingsInForce } from '../../src/core/settings.js'
import { rows } from '../support/rows.js'

const settings = (given: GivenSettings = {}): Settings => settingsInForce({ flag: given }).values

t.test('judge: rules are tried in order, and the first violated one refuses', async t => {
  const facts = { left: 0, asked: 6 }
  const rules: Rule<typeof facts>[] = [
    {
      rule: 'REF-6',
      holds: ({ left }) => left > 0,
      else: 'charge_already_refunded',
      message: () => 'all is refunded'
    },
    {
      rule: 'REF-7',
      holds: () => t.fail('rules after the broken one are not tried') as never,
      else: 'refund_exceeds_remaining',
      message: () => ''
    }
  ]

  t.throws(() => judge(rules, facts), {
    code: 'charge_already_refunded',
    message: 'all is refunded',
    rule: 'REF-6',
    facts
  })
  t.doesNotThrow(() => judge(rules.slice(0, 1), { left: 5, asked: 6 }))
})

t.test('LOC-3, TXN-3, TXN-4, REF-6, REF-7: which facts pass the rules of a create', async t => {
  const broken = <F extends object>(
    rules: readonly Rule<F & Record<string, unknown>>[],
    facts: F
  ) => {
    const rule = firstViolated(rules, facts as F & Record<string, unknown>)
    return rule?.rule ?? rule?.assumption ?? null
  }
  const paid = (more: Partial<PaymentFacts>): PaymentFacts => ({
    payment_type: 'card',
    has_phone: false,
    has_email: false,
    has_currency: true,
    has_amount: true,
    amount: 0,
    tip_amount: null,
    donation_amount: null,
    ...more
  })
  for (const [type, by] of Object.entries({ merchant: null, reseller: 'LOC-3', null: 'LOC-3' }))
    t.equal(
      broken(LOCATION_RULES, { account: 'a', type: type === 'null' ? null : (type as 'merchant') }),
      by,
      type
    )
  for (const [facts, by] of [
    [{}, null],
    [{ payment_type: 'vip' }, 'TXN-3'],
    [{ payment_type: 'vip', has_phone: true }, null],
    [{ payment_type: 'vip', has_email: true }, 'TXN-3'],
    [{ payment_type: 'apple_pay', has_phone: true }, 'TXN-4'],
    [{ payment_type: 'apple_pay', has_email: true }, null],
    [{ has_currency: false, has_amount: false }, 'A22'],
    [{ has_amount: false }, 'A24'],
    [{ amount: Number.MAX_SAFE_INTEGER }, null],
    [{ amount: Number.MAX_SAFE_INTEGER, tip_amount: 1 }, 'A27']
  ] as const) {
    t.equal(broken(TRANSACTION_RULES, paid(facts)), by, JSON.stringify(facts))
  }
  const refunds =
    '0 0 - A24 | 1 0 - - | 1 0 1 - | 1 0 2 REF-7 | 5 3 3 REF-7 | 5 4 1 - | 5 4 2 REF-7 | 5 5 - REF-6 | 5 5 1 REF-6'
  for (const [rule, ...figures] of rows(refunds).map(row => row.toReversed())) {
    const by = rule === '-' ? null : rule
    const [asked, refunded, charged] = figures.map(figure =>
      figure === '-' ? null : Number(figure)
    ) as [number | null, number, number]
    const facts = {
      transaction: 'txn_a',
      currency: 'usd',
      charged,
      refunded,
      remaining: charged - refunded,
      asked
    }
    t.equal(broken(REFUND_RULES, facts), by, JSON.stringify(facts))
    if (by === 'REF-7')
      t.match(
        firstViolated(REFUND_RULES, facts)?.message(facts),
        ` ${facts.remaining} remain${facts.remaining === 1 ? 's' : ''}; `
      )
  }
})

t.test('A08: every refusal has a status, a type and a description', async t => {
  for (const [code, { status, type, when }] of Object.entries(CATALOGUE)) {
    t.ok(/^[a-z_]+$/.test(code), code)
    t.ok(/_error$/.test(type), type)
    t.ok(/^[A-Z`].*\.$/.test(when), when)
    t.ok(statusOf(code as ErrorCode, settings()) >= 400)
    t.ok(typeof status === 'number' || Object.hasOwn(settings(), status), `${code} ${status}`)
  }
})

t.test('A08: statuses by default, and with settings', async t => {
  const given = {
    'statuses.missing': 410,
    'statuses.invalid': 422,
    'statuses.unauthenticated': 403,
    'statuses.reference_missing': 409,
    'statuses.forbidden': 401,
    'statuses.refund_refused': 402
  }
  const cases = rows<[code: ErrorCode, usual: string, changed: string]>(`
    path_unknown 404 404 | method_not_allowed 405 405 | api_key_missing 401 403 | api_key_unknown 401 403 | api_key_malformed 401 403
    operation_disabled 501 501 | content_type_unsupported 415 415 | body_too_large 413 413 | headers_too_large 431 431 | parameter_invalid 400 422
    parameter_unknown 400 422 | resource_missing 404 410 | reference_missing 400 409 | merchant_required 403 401 | charge_has_no_amount 400 402
    charge_already_refunded 400 402 | refund_exceeds_remaining 400 402 | internal_error 500 500
  `)
  for (const [code, usual, changed] of cases)
    t.equal(
      [statusOf(code, settings()), statusOf(code, settings(given))].join(),
      [usual, changed].join(),
      code
    )
})
