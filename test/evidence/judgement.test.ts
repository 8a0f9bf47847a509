/**
 * Near misses that the emulator never shows: a rule is passed where its statement held, not where
 * it should have.
 */
import t from 'tap'
import { judgementOf } from '../../src/evidence/judgement.js'
import type { AssumptionId } from '../../src/reference/assumptions.js'
import type { RuleId } from '../../src/reference/rules.js'
import { form, type Given, judgedRequest } from '../support/judged-request.js'

const ADDRESS = {
  country: 'US',
  line1: null,
  line2: null,
  city: 'B',
  postal_code: null,
  state: null
}
const LOCATION = {
  display_name: 'A',
  phone: '1',
  website: null,
  address: ADDRESS,
  metadata: { till: '1' }
}
const update = (body: string, shown: object, found: object = LOCATION): Given =>
  ({
    operation: 'updateLocation',
    method: 'POST',
    body: form(body),
    record: found,
    result: { ...found, ...shown }
  }) as never
const EVERYTHING = 'display_name=&phone=&address=&metadata[till]=1'
const list = (query: string, data: number, more: Given = {}): Given =>
  ({
    operation: 'listTransactions',
    query: form(query),
    result: { object: 'list', data: Array(data).fill({ amount_refunded: 0 }), has_more: true },
    ...more
  }) as never
const REFUND: Given = {
  operation: 'createRefund',
  method: 'POST',
  body: form('transaction=txn_a'),
  money: { refunded: 0, remaining: 5 } as never
}

// biome-ignore format: a table
const CASES: [rule: RuleId, isKept: boolean, what: string, given: Given][] = [
  ['UPD-1', true, 'a parameter that was left out is unchanged', update('phone=1', {})],
  [
    'UPD-1', false, 'everything that was left out has changed',
    update('phone=1', { display_name: 'B', address: { ...ADDRESS, country: 'CA', city: 'C' } }, { ...LOCATION, metadata: {} })
  ],
  ['UPD-1', false, 'nothing was left out', update(EVERYTHING, {})],
  [
    'UPD-1', false, 'nothing that was left out had a value',
    update(EVERYTHING.replace('&phone=', ''), { phone: null }, { ...LOCATION, phone: null })
  ],
  ['UPD-1', true, 'metadata was left out', update('display_name=&phone=&address=', {})],
  ['UPD-1', false, 'metadata that was left out was empty', update('display_name=&phone=&address=', {}, { ...LOCATION, metadata: {} })],
  ['UPD-2', true, 'a parameter that was sent empty has no value', update('phone=', { phone: null })],
  ['UPD-2', false, 'another parameter has lost its value', update('display_name=B', { phone: null })],
  ['ADDR-1', true, 'a sub-field was sent', update('address[city]=B', {})],
  ['ADDR-1', false, 'a sub-field was sent that an address does not have', update('address[zip]=1', {})],
  ['SRCH-3', true, 'a search shows less than was retrieved', list('search_query=1', 1, { retrieved: 2 })],
  ['SRCH-3', false, 'a list shows less than was retrieved', list('', 1, { retrieved: 2 })],
  ['SRCH-3', false, 'a search shows all that was retrieved', list('search_query=1', 2, { retrieved: 2 })],
  ['REF-10', true, 'two Refunds are listed', list('', 2, { operation: 'listRefunds' })],
  ['REF-10', false, 'one Refund is listed', list('', 1, { operation: 'listRefunds' })],
  [
    'REF-10', false, 'two Refunds are listed by a Transaction that they are not of',
    list('transaction=txn_none', 2, { operation: 'listRefunds' })
  ],
  ['REF-2', true, 'a Refund of a card', { ...REFUND, result: { amount: 1, payment_method: { type: 'card', card: {} } } as never }],
  [
    'REF-2', false, 'a Refund of a payment whose card is not known',
    { ...REFUND, result: { amount: 1, payment_method: { type: 'card', card: null } } as never }
  ],
  [
    'REF-2', false, 'a Refund of another payment',
    { ...REFUND, result: { amount: 1, payment_method: { type: 'paypal', card: {} } } as never }
  ]
]

t.test('rules: which requests pass a rule, and which are near misses', t => {
  for (const [rule, isKept, what, given] of CASES) {
    t.equal(judgementOf(judgedRequest(given)).passed.includes(rule), isKept, `${rule}: ${what}`)
  }
  t.end()
})

const payment = (body: string, given: Given = {}): Given =>
  ({
    operation: 'createTransaction',
    method: 'POST',
    body: form(body),
    result: {},
    ...given
  }) as never
/** Refused before it ran. */
const REFUSED: Given = { outcome: 'refused', result: null }

// biome-ignore format: a table
const RELIANCES: [assumption: AssumptionId, relies: boolean, what: string, given: Given][] = [
  ['A08', false, 'an answer of a script', { outcome: 'scripted' }],
  ['A12', true, 'a search', { operation: 'listTickets', query: form('search_query=1') }],
  ['A12', false, 'a search that was refused', { operation: 'listTickets', query: form('search_query=1'), ...REFUSED }],
  ['A17', false, 'metadata that is set where there was none', update('metadata[a]=1', {}, { ...LOCATION, metadata: {} })],
  ['A22', true, 'a payment without a currency', payment('amount=1')],
  ['A22', false, 'a currency under amounts', payment('amounts[currency]=usd')],
  ['A24', true, 'amounts', payment('amounts[payment_amount]=1')],
  ['A24', false, 'amounts of a payment that was refused', payment('amounts[payment_amount]=1', REFUSED)],
  ['A25', true, 'a card', payment('amount=1&card[last4]=4242')],
  ['A25', false, 'a card of a payment that was refused', payment('amount=1&card[last4]=4242', REFUSED)],
  ['A27', true, 'an adjustment number', payment('amount=1&adjustment_number=1')],
  ['A27', false, 'an adjustment number of a payment that was refused', payment('amount=1&adjustment_number=1', REFUSED)]
]

t.test('assumptions: which responses rely on one, and which are near misses', t => {
  for (const [assumption, relies, what, given] of RELIANCES) {
    t.equal(
      judgementOf(judgedRequest(given)).relied.includes(assumption),
      relies,
      `${assumption}: ${what}`
    )
  }
  t.end()
})
