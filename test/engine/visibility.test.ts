import t from 'tap'
import { hasNoted, recordsShown } from '../../src/engine/exchange.js'
import { ASSUMPTION_PLACES } from '../../src/reference/assumptions.js'
import { MERCHANT, RESELLER, smallFixture } from '../support/requests.js'
import { startWorld } from '../support/world.js'

const LATER = { created: '2026-03-01T18:04:00.000Z', address: { country: 'US' } }
const records = {
  accounts: [{ id: 'mch_b', type: 'merchant', name: 'B', email: 'b@example.com', ...LATER }],
  locations: [{ id: 'loc_b', account: 'mch_b', display_name: 'B', ...LATER }]
}

t.test('A19: a list relies on it where it would be another one otherwise', async t => {
  const cases: [visibility: 'open' | 'scoped', key: string, on: string, query: string, shown: string[], relies: boolean][] = [
    ['open', MERCHANT, 'GET /locations', '', ['loc_a', 'loc_b'], true],
    ['open', MERCHANT, 'GET /locations', 'limit=1', ['loc_a'], false],
    ['open', MERCHANT, 'GET /tickets', '', ['tkt_a'], false],
    ['open', RESELLER, 'GET /tickets', '', ['tkt_a'], true],
    ['open', MERCHANT, 'GET /tickets', 'location=loc_b', [], true],
    ['scoped', MERCHANT, 'GET /locations', '', ['loc_a'], true],
    ['scoped', MERCHANT, 'GET /locations', 'limit=1', ['loc_a'], false],
    ['scoped', 'sk_b', 'GET /locations', 'limit=1', ['loc_b'], true],
    ['scoped', MERCHANT, 'GET /tickets', '', ['tkt_a'], false],
    ['scoped', RESELLER, 'GET /tickets', '', [], true],
    ['scoped', MERCHANT, 'GET /tickets', 'location=loc_a', ['tkt_a'], false],
    ['scoped', MERCHANT, 'GET /tickets', 'location=loc_b', [], true],
    ['scoped', MERCHANT, 'GET /accounts/mch_a/users', '', [], false]
  ]
  for (const [visibility, key, on, query, shown, relies] of cases) {
    const data = smallFixture(records)
    const scenario = { settings: { auth: { visibility } }, data: { ...data, api_keys: [...data.api_keys, { key: 'sk_b', account: 'mch_b' }] } }
    const { executed } = await startWorld({ scenario })

    const exchange = executed(on, { key, query })

    const what = `${visibility} ${key} ${on} ${query}`
    const ids = recordsShown(exchange).map(({ id }) => id)
    t.strictSame([ids.sort(), hasNoted(exchange, ASSUMPTION_PLACES.get('A19') as number)], [shown, relies], what)
  }
})
