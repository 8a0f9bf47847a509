import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { settingsInForce } from '../../src/core/settings.js'
import { Decoder } from '../../src/engine/parameters.js'
import { compileTable } from '../../src/engine/tables.js'
import { CURSORS, closed, integer, schemaOf } from '../../src/reference/parameters.js'
import { changeSettings } from '../../src/sandbox/settings.js'
import { form } from '../support/judged-request.js'
import type { Blame } from '../support/requests.js'
import { startWorld, stateOf } from '../support/world.js'

type Case = [on: string, body: string | undefined, blame: Blame, query?: string]
const COUNTRY = 'address[country]=US'
const LOCATION = `display_name=A&${COUNTRY}`
const PAYMENT = 'ticket=tkt_a&payment_type=card'
const records = {
  transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }],
  refunds: [{ id: 'rfd_a', transaction: 'txn_a', amount: 100, metadata: { a: '1', b: '2' } }]
}

/** Checks refusals, and that nothing was changed or drawn. */
async function refuses(t: Test, cases: Case[], settings: object = {}) {
  const [{ blame, world }, { world: untouched }] = [
    await startWorld({ records, settings }),
    await startWorld({ records, settings })
  ]
  for (const [on, body, blamed, query] of cases)
    t.strictSame(
      blame(on, { ...(body !== undefined && { body }), ...(query !== undefined && { query }) }),
      blamed,
      `${on} ${query ?? ''} ${body ?? ''}`
    )
  t.equal(stateOf(world), stateOf(untouched))
}

t.test('A14: the refusal suggests a parameter, or lists those of the request', async t => {
  const { call } = await startWorld({ records })
  const cases: [on: string, sent: { body?: string; query?: string }, says: string][] = parse(`
    - [POST /locations, {body: 'address[cty]=A'}, 'did you mean address[city]?']
    - [POST /locations, {body: city=A}, 'did you mean address[city]?']
    - [GET /locations, {query: colour=1}, 'it takes limit, starting_after, ending_before.']
    - [GET /locations/loc_a, {query: colour=1}, it takes none.]
    - [POST /locations, {query: display_name=A}, belongs in the form-encoded body of a POST.]
    - [GET /refunds, {query: limt=1&transactoin=a}, did you mean limit? Nor is transactoin.]
    - [POST /transactions, {body: type=card}, did you mean payment_type?]
    - [GET /tickets, {query: status=open}, 'it takes limit, starting_after']
  `)
  for (const [on, sent, says] of cases) t.ok(call(on, sent).body.error.message.includes(says), on)
  const many = Array.from({ length: 23 }, (_, nth) => `n${nth}=`).join('&')
  t.match(call('GET /tickets', { query: many }).body.error.message, /n1, .*, n20 and 2 more\.$/)
})

t.test('A14: warn drops unknown parameters and says so in a Warning header', async t => {
  const { call } = await startWorld({ records, settings: { 'parameters.unknown': 'warn' } })

  t.strictSame(call('GET /locations', { query: 'limt=1' }).headers.warning, [
    '299 - "limt is not a parameter of this operation; did you mean limit?"'
  ])
  t.strictSame(
    call('POST /locations', { body: `${LOCATION}&address[zip]=1&città=x`, query: 'x=%22' }).headers
      .warning,
    [
      '299 - "x belongs in the form-encoded body of a POST."',
      '299 - "address[zip] is not a parameter of this operation; did you mean address[city]? Nor is citt?."'
    ]
  )
  t.equal(call('GET /locations', { query: 'limit=1' }).headers.warning, undefined)
  const ignoring = await startWorld({ settings: { 'parameters.unknown': 'ignore' } })
  const { status, headers } = ignoring.call('GET /tickets', { query: 'limt=1' })
  t.strictSame([status, headers.warning], [200, undefined])
})

t.test('FORM-2, A36, A37, A14: other refusals', async t => {
  const malformed = (param: string): Blame => [400, 'form_malformed', param, 'A36']
  const unknown = (param: string): Blame => [400, 'parameter_unknown', param, 'A14']
  await refuses(t, [
    ['POST /locations', `${LOCATION}&a[b][]=1`, unknown('a[b][]')],
    ['POST /locations', `${LOCATION}&one=1&two=2`, unknown('one')],
    ['GET /refunds/rfd_a', undefined, unknown('x[y]'), 'x[y]=1'],
    ['POST /locations', 'display_name=A&address[]=US', malformed('address[]')],
    ['POST /locations', `${LOCATION}&metadata[]=1`, malformed('metadata[]')],
    ['POST /locations', 'address=US&address[city]=A', malformed('address[city]')],
    ['POST /transactions', `${PAYMENT}&card[]=4242`, malformed('card[]')],
    ['GET /tickets', undefined, malformed('created[]'), 'created[]=2026-01-01'],
    ['POST /locations', 'a=1&'.repeat(1001), malformed('a')],
    ['POST /locations', LOCATION, malformed('a'), 'a=%zz'],
    [
      'POST /locations',
      `${LOCATION}&metadata[__proto__][polluted]=1`,
      [400, 'parameter_invalid', 'metadata[__proto__][polluted]', 'A17']
    ]
  ])
})

t.test('FORM-2: text where nested names belong is refused', async t => {
  const { call } = await startWorld()
  for (const address of ['[object Object]', '{"country":"US"}', 'US'])
    t.equal(
      call('POST /locations', { body: { display_name: 'A', address } }).body.error.message,
      'address must have nested names, such as address[country]=…; got one value.'
    )
})

t.test('A35: the limits of a form are settings', async t => {
  await refuses(
    t,
    [
      ['POST /locations', `${LOCATION}&phone=1`, [400, 'form_too_large', null, 'A35']],
      ['POST /locations', 'a[b][c]=1', [400, 'form_too_large', 'a[b][c]', 'A35']],
      ['GET /locations', undefined, [400, 'form_too_large', null, 'A35'], 'a=1&b=2&c=3']
    ],
    { 'limits.parameters': 2, 'limits.depth': 1 }
  )
})

t.test('UPD-2, A16: an empty address first unsets all of it, then sets what was sent', async t => {
  const { call, blame, world } = await startWorld()
  const { body } = call('POST /locations/loc_a', {
    body: 'address=&address[country]=ca&address[city]=Quebec'
  })
  t.strictSame(body.address, {
    country: 'CA',
    line1: null,
    line2: null,
    city: 'Quebec',
    postal_code: null,
    state: null
  })

  await changeSettings(world, { parameters: { unset_required: 'reject' } })
  const missing: Blame = [400, 'parameter_missing', 'address[country]', 'A16']
  t.strictSame(blame('POST /locations/loc_a', { body: 'address=&address[city]=Salem' }), missing)
  t.strictSame(blame('POST /accounts/mch_a', { body: 'phone=1&address[country]=' }), missing)
})

t.test('A25: a secret value is never repeated', async t => {
  const table = compileTable(
    schemaOf(closed({ pin: integer({ 'x-secret': true }), count: integer() })),
    CURSORS
  )
  const { values: settings } = settingsInForce({})
  const reading = { settings, world: { state: {} } } as never
  const decode = (text: string) => new Decoder(reading, table, form(text)).object(table, form(text))

  t.throws(() => decode('pin=12ab&count=1'), {
    message: 'pin must be a whole number, digits only.'
  })
  t.throws(() => decode('pin=1&count=12ab'), {
    message: 'count must be a whole number, digits only; got 12ab.'
  })
  t.throws(() => decode(`pin=1&count=${'x'.repeat(41)}`), {
    message: 'count must be a whole number, digits only; got 41 characters.'
  })
  t.strictSame(decode('pin=1&count=2'), { pin: 1, count: 2 })
})
