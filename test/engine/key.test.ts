import t from 'tap'
import { MERCHANT } from '../support/requests.js'
import { startWorld } from '../support/world.js'

const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString('base64')}`

t.test('AUTH-1, AUTH-3, A18: the key is the user name of HTTP Basic, the password is empty', async t => {
  const { call } = await startWorld()
  const refusedAs: Record<string, (string | undefined)[]> = {
    'api_key_missing AUTH-3': [undefined, basic(':')],
    'api_key_malformed AUTH-1': [
      ...['', 'Basic', 'Basic ', 'Basic !!!', 'Basic ====', `Basic ${MERCHANT}:`],
      ...[Buffer.from(`${MERCHANT}:`).toString('base64'), `Bearer ${Buffer.from(`${MERCHANT}:`).toString('base64')}`],
      ...[MERCHANT, `${MERCHANT}: `, `${MERCHANT}::`, `${MERCHANT}:\n`].map(basic)
    ],
    'api_key_unknown A18': [`${MERCHANT} :`, `${MERCHANT.toUpperCase()}:`].map(basic)
  }
  const get = (authorization?: string) => call('GET /locations', { key: null, headers: { ...(authorization !== undefined && { authorization }) } })
  for (const [expected, values] of Object.entries(refusedAs)) {
    for (const authorization of values) {
      const { status, headers, body } = get(authorization)
      const { code, rule, assumption, param, type } = body.error
      t.strictSame([status, `${code} ${rule ?? assumption}`, param, type], [401, expected, undefined, 'authentication_error'], String(authorization))
      t.equal(headers['www-authenticate'], 'Basic realm="commerce", charset="UTF-8"')
    }
  }
  for (const scheme of ['basic', 'BASIC', 'Basic ']) t.equal(get(basic(`${MERCHANT}:`).replace('Basic', scheme)).status, 200, scheme)
})

t.test("A18: a caller's own key is masked in an error even where no scenario declares it, unless it is as short as a word", async t => {
  const { call } = await startWorld({ settings: { 'auth.accept_any_key': 'mch_a' } })
  for (const [key, shown] of [
    ['sk_live_unknown_1', '***'],
    ['id', 'id']
  ] as const)
    t.equal(call(`GET /tickets/${key}`, { key }).body.error.message, `No Ticket has the id ${shown}.`)
})
