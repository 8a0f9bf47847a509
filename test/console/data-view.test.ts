/** What the console's data view works out of the state and of the OpenAPI document. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { listAddress, listParameters, listPath } from '../../src/console/ui/views/data/list-parameters.js'
import { childrenOf, countOf, familiesOfIds, matches, moneyIn, nameOf, newestFirst, parentsOf, shownMoney } from '../../src/console/ui/views/data/records.js'
import { CURSORS } from '../../src/reference/parameters.js'
import { smallFixture } from '../support/emulator.js'

const created = '2026-03-01T18:00:00.000Z'
const records = smallFixture({
  transactions: [{ id: 'txn_a', created, ticket: 'tkt_a', location: 'loc_a', payment_type: 'external', currency: 'usd', amount: 4200, tip_amount: 700 }],
  refunds: [
    { id: 'rfd_a', created, transaction: 'txn_a', amount: 1000, currency: 'usd', reason: 'cold soup' },
    { id: 'rfd_b', created, transaction: 'txn_b', amount: 50, currency: 'usd' }
  ]
})
const state = records as unknown as Parameters<typeof moneyIn>[0]
const [transaction] = state.transactions as unknown as [Parameters<typeof nameOf>[0]]

t.test('console: records lead to what they belong to and to what belongs to them', async t => {
  t.strictSame(
    parentsOf(state, transaction).map(({ family, record }) => [family, record.id]),
    [
      ['tickets', 'tkt_a'],
      ['locations', 'loc_a']
    ]
  )
  t.strictSame(parentsOf(state, { id: 'rfd_b', created, transaction: 'txn_b' }), [], 'a Transaction that is not there')
  t.strictSame(
    childrenOf(state, 'locations', 'loc_a').map(({ family, field, records: found }) => [family, field, found.map(({ id }) => id)]),
    [
      ['tickets', 'location', ['tkt_a']],
      ['transactions', 'location', ['txn_a']]
    ]
  )
  t.strictSame(parentsOf(state, { id: 'mch_b', created, reseller: null }), [], 'an Account without a reseller')
  t.strictSame(childrenOf(state, 'refunds', 'rfd_a'), [])
  t.equal(familiesOfIds(state).get('rfd_a'), 'refunds')
  t.equal(familiesOfIds(state).get('rfd_c'), undefined)
})

t.test('console: a record is found by words anywhere in it, without regard to case', async t => {
  const cases: [search: string, found: boolean][] = [
    ['', true],
    ['TXN_A', true],
    ['external 4200', true],
    ['external 4201', false],
    ['tip_amount', true]
  ]
  for (const [search, found] of cases) t.equal(matches(transaction, search), found, search)
})

t.test('console: records are listed newest first, equal instants in reverse order', async t => {
  const of = (id: string, at: string) => ({ id, created: at })

  t.strictSame(
    newestFirst([of('a', created), of('b', '2026-03-02T00:00:00.000Z'), of('c', created)]).map(({ id }) => id),
    ['b', 'c', 'a']
  )
})

t.test('console: the money of a Transaction follows transactions.refundable (A23)', async t => {
  t.match(moneyIn(state, transaction, { 'transactions.refundable': 'amount' }), { charged: 4200, refunded: 1000, remaining: 3200 })
  t.match(moneyIn(state, transaction, { 'transactions.refundable': 'amount_plus_extras' }), { charged: 4900, refunded: 1000, remaining: 3900 })
  t.equal(shownMoney(4200, 'usd'), '4,200 usd')
  t.equal(shownMoney(0, null), '0')
  t.strictSame([countOf(0, 'refunds'), countOf(1, 'refunds'), countOf(1200, 'tickets')], ['0 refunds', '1 refund', '1,200 tickets'])
  t.equal(nameOf(transaction), 'external, 4,200 usd')
  t.equal(nameOf({ id: 'rfd_a', created, amount: 1000, currency: 'usd', reason: 'cold soup' }), '1,000 usd, cold soup')
  t.equal(nameOf({ id: 'loc_a', created, display_name: 'A' }), 'A', 'a record without an amount')
})

t.test('console: the parameters of a list are those of the API, without paging', async t => {
  const openApi = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'))
  const namesOf = (family: Parameters<typeof listPath>[0]) => listParameters(openApi, family, CURSORS).map(({ name }) => name)

  t.strictSame(namesOf('tickets'), ['limit', 'location', 'search_query', 'created[gte]', 'created[gt]', 'created[lte]', 'created[lt]'])
  t.strictSame(namesOf('users'), ['limit', 'created[gte]', 'created[gt]', 'created[lte]', 'created[lt]'])
  t.equal(listPath('users'), '/accounts/{id}/users')
  t.equal(
    listAddress('tickets', 'mch_a', { 'created[gte]': '2026-01-01T00:00:00Z', search_query: '', location: 'loc a&b' }),
    '/tickets?created[gte]=2026-01-01T00%3A00%3A00Z&location=loc%20a%26b'
  )
  t.strictSame([listAddress('users', 'mch_$&/?', { limit: '' }), listAddress('refunds', '', {})], ['/accounts/mch_%24%26%2F%3F/users', '/refunds'])
})

t.test('console: a list that the document lacks has no parameters, and what a parameter leaves out is empty', async t => {
  const range = { properties: { gte: { description: 'From.' }, lt: {} } }
  const parameters = [
    { name: 'created', in: 'query', style: 'deepObject', schema: { $ref: '#/components/schemas/Range' } },
    { name: 'metadata', in: 'query', style: 'deepObject', schema: {} },
    { name: 'sort', in: 'query', schema: { enum: ['up', 'down'] } },
    ...CURSORS.map(name => ({ name, in: 'query', schema: {} }))
  ]
  const openApi = { paths: { '/tickets': { get: { parameters } }, '/refunds': {} }, components: { schemas: { Range: range } } }

  t.strictSame(listParameters(openApi, 'tickets', CURSORS), [
    { name: 'created[gte]', about: 'From.', words: null },
    { name: 'created[lt]', about: '', words: null },
    { name: 'sort', about: '', words: ['up', 'down'] }
  ])
  t.strictSame([listParameters(openApi, 'refunds', CURSORS), listParameters(openApi, 'accounts', CURSORS)], [[], []])
})
