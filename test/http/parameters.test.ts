import t, { type Test } from 'tap'
import { createFormDecoder } from '../../src/core/form.js'
import { settingsInForce } from '../../src/core/settings.js'
import { Trace } from '../../src/core/trace.js'
import { compileTable, decodeParameters } from '../../src/http/parameters.js'
import { closed, integer, schemaOf } from '../../src/reference/parameters.js'
import { type Blame, blameOf, MERCHANT, RESELLER, startTestEmulator } from '../support/emulator.js'

type Case = [on: string, body: string | undefined, blame: Blame, query?: string]
const COUNTRY = 'address[country]=US'
const LOCATION = `display_name=A&${COUNTRY}`
const PAYMENT = 'ticket=tkt_a&payment_type=card'
const transaction = { id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }
const records = {
  users: [{ id: 'usr_a', account: 'mch_a', name: 'U', email: 'u@example.com' }],
  transactions: [transaction],
  refunds: [{ id: 'rfd_a', transaction: 'txn_a', amount: 100, metadata: { a: '1', b: '2' } }]
}

/** Makes each call, compares what it blames, and shows at the end that not one id was drawn. */
async function refuses(t: Test, cases: Case[], settings: object = {}) {
  const emulator = await startTestEmulator(t, { records, settings })
  for (const [on, body, blame, query] of cases) {
    const options = { ...(body !== undefined && { body }), ...(query !== undefined && { query }) }
    t.strictSame(await emulator.refusal(on, options), blame, `${on} ${query ?? ''} ${body ?? ''}`)
  }
  const untouched = await startTestEmulator(t, { records, settings })
  t.strictSame(await emulator.nextIds(), await untouched.nextIds(), 'the next ids are those that would have been drawn')
}

t.test('A14: a parameter that the call does not have is refused, wherever it stands', async t => {
  const unknown = (param: string): Blame => [400, 'parameter_unknown', param, 'A14']
  await refuses(t, [
    ['POST /locations', `${LOCATION}&colour=red`, unknown('colour')],
    ['POST /locations', `${LOCATION}&address[zip]=1`, unknown('address[zip]')],
    ['POST /locations', `${LOCATION}&city=Boston`, unknown('city')],
    ['POST /locations', `${LOCATION}&id=loc_mine`, unknown('id')],
    ['POST /locations', `${LOCATION}&Phone=1`, unknown('Phone')],
    ['POST /locations', `${LOCATION}&tags[]=a&tags[]=b`, unknown('tags[]')],
    ['POST /locations', `${LOCATION}&a[b][c]=1`, unknown('a[b][c]')],
    ['POST /locations', `${LOCATION}&a[b][]=1`, unknown('a[b][]')],
    ['POST /locations', `${LOCATION}&one=1&two=2`, unknown('one')],
    ['POST /locations', `${LOCATION}&colour=`, unknown('colour')],
    ['POST /locations', `${LOCATION}&__proto__=x`, unknown('__proto__')],
    ['POST /locations', `${LOCATION}&__proto__[phone]=x`, unknown('__proto__[phone]')],
    ['POST /locations', `${LOCATION}&constructor=x`, unknown('constructor')],
    ['POST /locations', `${LOCATION}&toString=x`, unknown('toString')],
    ['POST /locations', `${LOCATION}&address[__proto__]=x`, unknown('address[__proto__]')],
    ['POST /locations', `${LOCATION}&address[toString]=x`, unknown('address[toString]')],
    ['POST /locations/loc_a', 'colour=red', unknown('colour')],
    ['POST /accounts/mch_a/users', 'name=A&email=a@example.com&phone=1', unknown('phone')],
    ['POST /transactions', `${PAYMENT}&metadata[k]=v`, unknown('metadata[k]')],
    ['POST /transactions', `${PAYMENT}&card[cvv]=1`, unknown('card[cvv]')],
    ['POST /transactions', `${PAYMENT}&amounts[donation_amount]=1`, unknown('amounts[donation_amount]')],
    ['POST /locations', LOCATION, unknown('x'), 'x=1'],
    ['POST /locations', undefined, unknown('display_name'), 'display_name=A'],
    ['POST /locations/loc_a', undefined, unknown('address[city]'), 'address[city]=Boston'],
    ['POST /transactions', PAYMENT, unknown('amount'), 'amount=1'],
    ['GET /locations', undefined, unknown('colour'), 'colour=red'],
    ['GET /locations', undefined, unknown('location'), 'location=loc_a'],
    ['GET /locations', undefined, unknown('created[gte]'), 'created[gte]=2026-01-01'],
    ['GET /tickets', undefined, unknown('created[eq]'), 'created[eq]=2026-01-01'],
    ['GET /refunds', undefined, unknown('created[gt]'), 'created[gt]=2026-01-01'],
    ['GET /locations/loc_a', undefined, unknown('expand'), 'expand=1'],
    ['GET /tickets/tkt_a', undefined, unknown('x'), 'x'],
    ['GET /transactions/txn_a', undefined, unknown('expand[]'), 'expand[]=refunds'],
    ['GET /refunds/rfd_a', undefined, unknown('x[y]'), 'x[y]=1'],
    ['DELETE /accounts/mch_a/users/usr_a', undefined, unknown('force'), 'force=1']
  ])
})

t.test('A14: the refusal says what was probably meant, or what the call takes', async t => {
  const { call } = await startTestEmulator(t, { records })
  const cases: [on: string, body: string | undefined, query: string | undefined, message: string][] = [
    ['POST /locations', 'display_nam=A', undefined, 'display_nam is not a parameter of this call; did you mean display_name?'],
    ['POST /locations', 'adress[city]=A', undefined, 'adress[city] is not a parameter of this call; did you mean address[city]?'],
    ['POST /locations', 'address[cty]=A', undefined, 'address[cty] is not a parameter of this call; did you mean address[city]?'],
    ['POST /locations', 'city=A', undefined, 'city is not a parameter of this call; did you mean address[city]?'],
    ['POST /transactions', 'card[csv]=1', undefined, 'card[csv] is not a parameter of this call; did you mean card[csc]?'],
    ['GET /locations', undefined, 'limt=1', 'limt is not a parameter of this call; did you mean limit?'],
    ['GET /locations', undefined, 'colour=1', 'colour is not a parameter of this call; it takes limit, starting_after, ending_before.'],
    ['GET /locations/loc_a', undefined, 'colour=1', 'colour is not a parameter of this call; it takes none.'],
    [
      'POST /locations',
      undefined,
      'display_name=A',
      'display_name is not a parameter of this call; the parameters of a POST go in its form-encoded body, not in the query string.'
    ],
    [
      'GET /refunds',
      undefined,
      'limt=1&transactoin=a',
      'limt is not a parameter of this call; did you mean limit? transactoin is not a parameter of this call; did you mean transaction?'
    ]
  ]
  for (const [on, body, query, message] of cases) {
    const answer = await call(on, { ...(body && { body }), ...(query && { query }) })

    t.equal(answer.body.error.message, message)
  }
})

t.test('A14: warn drops an unknown parameter and says so in a Warning header each and in the log', async t => {
  const { call, logs } = await startTestEmulator(t, { records, settings: { 'parameters.unknown': 'warn' } })

  const one = await call('GET /locations', { query: 'limt=1' })
  const many = await call('POST /locations', { body: `${LOCATION}&città=x&address[zip]=1`, query: 'x=%22' })
  const none = await call('GET /locations', { query: 'limit=1' })

  t.equal(one.status, 200)
  t.strictSame(one.headers.warning, ['299 - "limt is not a parameter of this call; did you mean limit?"'])
  t.equal(many.status, 200)
  t.equal(many.body.display_name, 'A')
  t.strictSame(
    (many.headers.warning as string[]).map(warning => warning.slice(0, 50)),
    [
      '299 - "x is not a parameter of this call; the para',
      '299 - "address[zip] is not a parameter of this cal',
      '299 - "citt? is not a parameter of this call; it t'
    ]
  )
  t.equal(none.headers.warning, undefined)
  const warned = logs.map(line => JSON.parse(line)).filter(({ level }) => level === 40)
  t.strictSame(
    warned.map(({ msg }) => msg.split(' ')[0]),
    ['limt', 'x', 'address[zip]', 'città']
  )
})

t.test('A14: of many parameters that are not known, the first ten are reported in Warning headers', async t => {
  const { call } = await startTestEmulator(t, { settings: { 'parameters.unknown': 'warn' } })
  const query = Array.from({ length: 40 }, (_, nth) => `unknown_${nth}=1`).join('&')

  const { status, headers } = await call('GET /tickets', { query })
  t.equal(status, 200)
  t.equal((headers.warning as string[]).length, 10)
  t.equal((headers.warning as string[])[0]?.includes('unknown_0'), true)
})

t.test('A14: ignore drops an unknown parameter without a word, and still checks the others', async t => {
  const { call, logs } = await startTestEmulator(t, { records, settings: { 'parameters.unknown': 'ignore' } })

  const created = await call('POST /locations', { body: `${LOCATION}&colour=red&address[zip]=1&tags[]=a&__proto__[phone]=x`, query: 'phone=1' })
  const listed = await call('GET /locations', { query: 'colour=red&limit=1' })
  const refused = await call('POST /locations', { body: `colour=red&${COUNTRY}` })

  t.equal(created.status, 200)
  t.equal(created.headers.warning, undefined)
  t.equal(created.body.phone, null)
  t.notOk('colour' in created.body)
  t.equal(listed.body.data.length, 1)
  t.strictSame(blameOf(refused), [400, 'parameter_missing', 'display_name', 'LOC-1'])
  t.strictSame(
    logs.filter(line => JSON.parse(line).level >= 40),
    []
  )
})

t.test('A36: a list or an object where one value belongs, and the reverse, is refused in the brackets of the caller', async t => {
  const malformed = (param: string): Blame => [400, 'form_malformed', param, 'A36']
  const notNested = (param: string, by: string): Blame => [400, 'parameter_invalid', param, by]
  await refuses(t, [
    ['POST /locations', `display_name[]=A&${COUNTRY}`, malformed('display_name[]')],
    ['POST /locations', `display_name[a]=A&${COUNTRY}`, malformed('display_name[a]')],
    ['POST /locations', `${LOCATION}&phone[home][]=1`, malformed('phone[home][]')],
    ['POST /locations', 'display_name=A&address[]=US', malformed('address[]')],
    ['POST /locations', 'display_name=A&address[country][code]=US', malformed('address[country][code]')],
    ['POST /locations/loc_a', 'phone[]=', malformed('phone[]')],
    ['POST /transactions', `${PAYMENT}&card[]=4242`, malformed('card[]')],
    ['POST /transactions', `${PAYMENT}&card[number][]=4242`, malformed('card[number][]')],
    ['POST /transactions', `${PAYMENT}&amount[usd]=1`, malformed('amount[usd]')],
    ['POST /refunds', 'transaction[id]=txn_a', malformed('transaction[id]')],
    ['GET /locations', undefined, malformed('limit[]'), 'limit[]=1'],
    ['GET /tickets', undefined, malformed('created[]'), 'created[]=2026-01-01'],
    ['GET /tickets', undefined, malformed('created[gte][]'), 'created[gte][]=2026-01-01'],
    ['POST /locations', 'display_name=A&address=US', notNested('address', 'ADDR-1')],
    ['POST /locations/loc_a', 'address=US', notNested('address', 'ADDR-1')],
    ['POST /transactions', `${PAYMENT}&card=4242`, notNested('card', 'FORM-2')],
    ['POST /transactions', `${PAYMENT}&amounts=1`, notNested('amounts', 'FORM-2')],
    ['GET /tickets', undefined, notNested('created', 'FORM-2'), 'created=2026-01-01']
  ])
})

t.test('FORM-2: text where nested names belong is told how to be sent, and that a client printed its object', async t => {
  const { call } = await startTestEmulator(t)
  const printed = [
    '[object Object]',
    '[object Map]',
    'map[city:Boston country:US]',
    'Array',
    '{"country":"US"}',
    "{'country': 'US'}",
    '[["country","US"]]',
    ' {"country"=>"US"}\n'
  ]
  for (const [text, isPrinted] of [
    ...printed.map(text => [text, true] as const),
    ...['US', 'Arrays', 'a map[city:Boston]', '[object Object', '{', 'object'].map(text => [text, false] as const)
  ]) {
    const { body } = await call('POST /locations', { body: { display_name: 'A', address: text } })
    const hint = isPrinted ? '; the client turned an object into text' : ''
    t.equal(body.error.message, `address: nested names were expected, sent as address[country]=…, not one value${hint}.`, text)
  }
  const { body } = await call('POST /locations', { body: `${LOCATION}&metadata=map[a:b]` })
  t.equal(body.error.message, 'metadata: nested names were expected, sent as metadata[key]=…, not one value; the client turned an object into text.')
  const list = await call('POST /locations', { body: `${LOCATION}&metadata[]=a` })
  t.equal(list.body.error.message, 'metadata[]: nested names were expected, sent as metadata[key]=….')
  const twice = await call('POST /locations', { body: 'display_name[]=A' })
  t.equal(twice.body.error.message, 'display_name[]: one value was expected, not a list.')
  const object = await call('POST /locations', { body: 'display_name[a]=A' })
  t.equal(object.body.error.message, 'display_name[a]: one value was expected, not an object.')
})

t.test('FORM-1, FORM-2, A35, A36: a broken form is refused, and its parameter named', async t => {
  await refuses(t, [
    ['POST /locations', 'display_name=%zz', [400, 'form_malformed', 'display_name', 'FORM-1']],
    ['POST /locations', 'display_name=%ff', [400, 'form_malformed', 'display_name', 'A36']],
    ['POST /locations', '%zz=1', [400, 'form_malformed', '%zz', 'FORM-1']],
    ['POST /locations', 'display_name=A&display_name=B', [400, 'form_malformed', 'display_name', 'A36']],
    ['POST /locations', 'address[city=A', [400, 'form_malformed', 'address[city', 'FORM-2']],
    ['POST /locations', '=1', [400, 'form_malformed', null, 'A36']],
    ['POST /locations', 'address=US&address[city]=A', [400, 'form_malformed', 'address[city]', 'A36']],
    ['POST /locations', 'metadata=a&metadata=b', [400, 'form_malformed', 'metadata', 'A36']],
    ['POST /locations', 'a[b][c][d][e][f]=1', [400, 'form_too_large', 'a[b][c][d][e][f]', 'A35']],
    ['POST /locations', 'a=1&'.repeat(1001), [400, 'form_malformed', 'a', 'A36']],
    ['POST /locations', Array.from({ length: 1001 }, (_, n) => `a${n}=1`).join('&'), [400, 'form_too_large', null, 'A35']],
    ['GET /locations', undefined, [400, 'form_malformed', 'limit', 'A36'], 'limit=%ff'],
    ['GET /locations', undefined, [400, 'form_malformed', 'limit', 'A36'], 'limit=1&limit=2'],
    ['GET /tickets', undefined, [400, 'form_malformed', 'created[gte', 'FORM-2'], 'created[gte=1'],
    ['GET /locations/loc_a', undefined, [400, 'form_malformed', 'a', 'A36'], 'a=%zz'],
    ['POST /locations', LOCATION, [400, 'form_malformed', 'a', 'A36'], 'a=%zz']
  ])
})

t.test('A35: the bounds of a form are settings', async t => {
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

t.test('TXN-7, REF-3, LIST-3, A10, A27: an integer is decimal digits, up to 2^53-1', async t => {
  const noIntegers = [
    '1e3',
    '0x10',
    '+5',
    '%205',
    '5%20',
    '%2B5',
    '5.0',
    '5.',
    '.5',
    'abc',
    '1,000',
    '1_000',
    'NaN',
    'Infinity',
    '%D9%A5',
    '%EF%BC%95',
    'null',
    '5%00',
    '5%0A'
  ]
  const outside = ['-1', '9007199254740992', '9'.repeat(20), '9'.repeat(400)]
  const payment = (param: string, value: string, by: string): Case => [
    'POST /transactions',
    `${PAYMENT}&${param}=${value}`,
    [400, 'parameter_invalid', param, by]
  ]
  const page = (value: string, by: string): Case => ['GET /locations', undefined, [400, 'parameter_invalid', 'limit', by], `limit=${value}`]
  const refund = (value: string, by: string): Case => ['POST /refunds', `transaction=txn_a&amount=${value}`, [400, 'parameter_invalid', 'amount', by]]
  await refuses(t, [
    ...noIntegers.flatMap(value => [payment('amount', value, 'TXN-7'), page(value, 'LIST-3')]),
    ...outside.flatMap(value => [payment('amount', value, 'A27'), page(value, 'A10')]),
    ...['tip_amount', 'donation_amount'].flatMap(param => [payment(param, '1e3', 'TXN-7'), payment(param, '-1', 'A27')]),
    ...['transaction_amount', 'payment_amount', 'tip_amount'].flatMap(name => [
      payment(`amounts[${name}]`, 'x', 'A24'),
      payment(`amounts[${name}]`, '-1', 'A27')
    ]),
    ...['x', '0', '-1'].map(value => refund(value, 'REF-3')),
    refund('9007199254740992', 'A27'),
    page('0', 'A10'),
    page('101', 'A10'),
    page('', 'A16')
  ])

  const { call } = await startTestEmulator(t)
  for (const [value, amount] of [
    ['0', 0],
    ['5', 5],
    ['007', 7],
    ['9007199254740991', 9_007_199_254_740_991],
    ['', 0]
  ] as const) {
    const { status, body } = await call('POST /transactions', { body: `${PAYMENT}&amount=${value}` })

    t.strictSame([status, body.amount], [200, amount], value)
  }
  const messages = { '1e3': 'a whole number, digits only, was expected, not 1e3', '-1': 'at least 0 was expected, not -1' }
  for (const [value, message] of Object.entries(messages)) {
    t.equal((await call('POST /transactions', { body: `${PAYMENT}&amount=${value}` })).body.error.message, `amount: ${message}.`)
  }
})

t.test('A10: with pagination.out_of_range = clamp a page size outside the bounds is the nearest within them', async t => {
  const { call } = await startTestEmulator(t, { records, settings: { 'pagination.out_of_range': 'clamp', 'pagination.max_limit': 2 } })
  await call('POST /locations', { body: LOCATION })
  await call('POST /locations', { body: LOCATION })

  for (const [limit, count] of [
    ['0', 1],
    ['-7', 1],
    ['1', 1],
    ['2', 2],
    ['3', 2],
    ['9'.repeat(30), 2]
  ] as const) {
    t.equal((await call('GET /locations', { query: `limit=${limit}` })).body.data.length, count, limit)
  }
  t.strictSame(blameOf(await call('GET /locations', { query: 'limit=x' })), [400, 'parameter_invalid', 'limit', 'LIST-3'])
})

t.test('A27: adjustment_number is any decimal number', async t => {
  const bad = ['1e', 'e3', '0x10', '+5', '%2B5', '%205', '1,5', 'NaN', 'Infinity', '-', '9007199254740993', '-9007199254740993', '1e400', '1.2.3', '--1']
  await refuses(
    t,
    bad.map((value): Case => ['POST /transactions', `${PAYMENT}&adjustment_number=${value}`, [400, 'parameter_invalid', 'adjustment_number', 'A27']])
  )

  const { call } = await startTestEmulator(t)
  for (const [value, number] of [
    ['0', 0],
    ['-1', -1],
    ['1.5', 1.5],
    ['-0.25', -0.25],
    ['007', 7],
    ['1e3', 1000],
    ['.5', 0.5],
    ['1e%2B06', 1_000_000],
    ['9007199254740991', 9_007_199_254_740_991]
  ] as const) {
    const { body } = await call('POST /transactions', { body: `${PAYMENT}&adjustment_number=${value}` })

    t.equal(body.adjustment_number, number)
  }
})

t.test('ADDR-2, USR-3, A25, A30: a text has the form that its parameter says', async t => {
  await refuses(t, [
    ['POST /locations', 'display_name=A&address[country]=XX', [400, 'parameter_invalid', 'address[country]', 'ADDR-2']],
    ['POST /accounts/mch_a', 'email=a', [400, 'parameter_invalid', 'email', 'A30']],
    ['POST /accounts/mch_a/users', 'name=A&email=a', [400, 'parameter_invalid', 'email', 'USR-3']],
    ['POST /accounts/mch_a/users', 'name=A&email=a@localhost', [400, 'parameter_invalid', 'email', 'A30']],
    ['POST /transactions', `${PAYMENT}&card[last4]=424`, [400, 'parameter_invalid', 'card[last4]', 'A25']]
  ])
})

t.test('A10: a cursor names a record of the list, and there is one at most', async t => {
  const invalid = (code: string, param: string): Blame => [400, code, param, 'A10']
  await refuses(t, [
    ['GET /locations', undefined, invalid('cursor_unknown', 'starting_after'), 'starting_after=loc_none'],
    ['GET /locations', undefined, invalid('cursor_unknown', 'ending_before'), 'ending_before=tkt_a'],
    ['GET /locations', undefined, invalid('parameter_invalid', 'ending_before'), 'starting_after=loc_a&ending_before=loc_a'],
    ['GET /accounts/rsl_r/users', undefined, invalid('cursor_unknown', 'starting_after'), 'starting_after=usr_a']
  ])
  const { call } = await startTestEmulator(t, { records })
  t.equal((await call('GET /locations', { query: 'starting_after=&ending_before=loc_a' })).status, 200, 'an empty one is none')
})

t.test('TXN-2: a word is one of those that the reference lists, and the nearest is suggested', async t => {
  const { call } = await startTestEmulator(t)
  const words = 'card, apple_pay, google_pay, emv, external, paypal, vip'
  for (const [word, rest] of [
    ['applepay', 'applepay; did you mean apple_pay?'],
    ['Card', 'Card; did you mean card?'],
    ['toString', 'toString.']
  ]) {
    const { body } = await call('POST /transactions', { body: `ticket=tkt_a&payment_type=${word}` })
    t.equal(body.error.message, `payment_type: one of ${words} was expected, not ${rest}`)
  }
})

t.test('A16: an empty value on a create is as if absent', async t => {
  await refuses(t, [
    ['POST /locations', undefined, [400, 'parameter_missing', 'display_name', 'LOC-1']],
    ['POST /locations', `display_name=&${COUNTRY}`, [400, 'parameter_missing', 'display_name', 'LOC-1']],
    ['POST /locations', `display_name=+%09&${COUNTRY}`, [400, 'parameter_missing', 'display_name', 'A40']],
    ['POST /locations', 'display_name=A&address=', [400, 'parameter_missing', 'address[country]', 'LOC-2']],
    ['POST /locations', 'display_name=A&address[city]=', [400, 'parameter_missing', 'address[country]', 'LOC-2']]
  ])

  const { call } = await startTestEmulator(t, { records })
  const location = await call('POST /locations', { body: `${LOCATION}&phone=&website&address[city]=&metadata=` })
  t.hasStrict(location.body, { phone: null, website: null, address: { country: 'US', city: null }, metadata: {} })
  const keyed = await call('POST /locations', { body: `${LOCATION}&address=&metadata=&metadata[a]=1&metadata[b]=` })
  t.strictSame(keyed.body.metadata, { a: '1' }, 'an empty value beside its parts changes nothing on a create')
  const payment = await call('POST /transactions', {
    body: `${PAYMENT}&card[brand]=&bank_account=&payload=&currency=&adjustment_number=&amount=&tip_amount=&customer[name]=&amounts[tip_amount]=`
  })
  t.hasStrict(payment.body, {
    payment_method: { type: 'card', card: null, bank_account: null },
    currency: 'usd',
    amount: 0,
    tip_amount: null,
    adjustment_number: null,
    amounts: null,
    customer: null
  })
  const refund = await call('POST /refunds', { body: 'transaction=txn_a&amount=&reason=&metadata=' })
  t.hasStrict(refund.body, { amount: 900, reason: null, metadata: {} })
})

t.test('A16: an empty value in a query is as if absent', async t => {
  const { call } = await startTestEmulator(t, { records })

  for (const query of ['starting_after=', 'location=', 'search_query=', 'created=', 'created[gte]=&created[lt]=', 'created[gte]']) {
    const { status, body } = await call('GET /tickets', { query })

    t.equal(status, 200, query)
    t.equal(body.data.length, 1)
  }
  t.equal((await call('GET /refunds', { query: 'transaction=' })).body.data.length, 1)
})

t.test('UPD-1: parameters left out of an update stay unchanged', async t => {
  const full = {
    locations: [
      {
        id: 'loc_b',
        account: 'mch_a',
        display_name: 'B',
        address: { country: 'US', line1: '1', city: 'Boston' },
        phone: '1',
        website: 'w',
        metadata: { k: 'v' }
      }
    ]
  }
  const { call } = await startTestEmulator(t, { records: full })
  const before = (await call('GET /locations/loc_b')).body

  t.strictSame((await call('POST /locations/loc_b')).body, before, 'without a body')
  t.strictSame((await call('POST /locations/loc_b', { body: '' })).body, before, 'with an empty one')
  const { body } = await call('POST /locations/loc_b', { body: 'address[city]=Salem&phone=2' })
  t.strictSame(body, { ...before, address: { ...before.address, city: 'Salem' }, phone: '2' })
  t.strictSame((await call('GET /locations/loc_b')).body, body)
})

t.test('UPD-2, A16: an empty value unsets an optional parameter; with parameters.unset_required = reject it is refused for a required one', async t => {
  const place = { country: 'US', line1: '1', line2: '2', city: 'Boston', postal_code: '02108', state: 'MA' }
  const full = { locations: [{ id: 'loc_b', account: 'mch_a', display_name: 'B', address: place, phone: '1', website: 'w' }] }
  const { call, refusal } = await startTestEmulator(t, { records: full, settings: { 'parameters.unset_required': 'reject' } })

  const unset = await call('POST /locations/loc_b', { body: 'phone=&website&address[line2]=' })
  t.hasStrict(unset.body, { phone: null, website: null, address: { ...place, line2: null } })

  const missing = (param: string): Blame => [400, 'parameter_missing', param, 'A16']
  for (const [on, body, param] of [
    ['POST /locations/loc_b', 'display_name=', 'display_name'],
    ['POST /locations/loc_b', 'address[country]=', 'address[country]'],
    ['POST /locations/loc_b', 'address=', 'address[country]'],
    ['POST /locations/loc_b', 'address=&address[city]=Salem', 'address[country]'],
    ['POST /accounts/mch_a', 'type=', 'type'],
    ['POST /accounts/mch_a', 'name=', 'name'],
    ['POST /accounts/mch_a', 'email=', 'email'],
    ['POST /accounts/mch_a', 'phone=1&address[country]=', 'address[country]']
  ] as const) {
    t.strictSame(await refusal(on, { body }), missing(param), body)
  }

  const replaced = await call('POST /locations/loc_b', { body: 'address=&address[country]=ca&address[city]=Quebec' })
  t.strictSame(
    replaced.body.address,
    { country: 'CA', line1: null, line2: null, city: 'Quebec', postal_code: null, state: null },
    'first unset all, then set what is given'
  )
})

t.test('A16: a required parameter can be unset too', async t => {
  const { call } = await startTestEmulator(t)

  const location = await call('POST /locations/loc_a', { body: 'display_name=&address=' })
  const account = await call('POST /accounts/mch_a', { body: 'type=&name=&email=&address[country]=' })
  const read = await call('GET /accounts/mch_a')
  const creating = await call('POST /locations', { body: LOCATION })

  t.hasStrict(location.body, { display_name: null, address: { country: null, line1: null, line2: null, city: null, postal_code: null, state: null } })
  t.hasStrict(account.body, { id: 'mch_a', type: null, name: null, email: null, address: { country: null } })
  t.strictSame(read.body, account.body)
  t.strictSame(blameOf(creating), [403, 'merchant_required', null, 'LOC-3'], 'an Account of no type is no merchant')
})

t.test('META-1, META-2, META-3, A17: metadata merges by key, an empty value unsets, an empty whole clears', async t => {
  const cases: [body: string, metadata: object][] = [
    ['', { a: '1', b: '2' }],
    ['metadata[c]=3', { a: '1', b: '2', c: '3' }],
    ['metadata[a]=9', { a: '9', b: '2' }],
    ['metadata[a]=', { b: '2' }],
    ['metadata[a]', { b: '2' }],
    ['metadata[nope]=', { a: '1', b: '2' }],
    ['metadata[a]=&metadata[c]=3', { b: '2', c: '3' }],
    ['metadata=', {}],
    ['metadata', {}],
    ['metadata=&metadata[c]=3', { c: '3' }],
    ['metadata[c]=3&metadata=', { c: '3' }],
    ['metadata=&metadata[a]=', {}],
    ['metadata[a+b]=c+d', { a: '1', b: '2', 'a b': 'c d' }],
    ['metadata[0]=zero', { a: '1', b: '2', 0: 'zero' }],
    ['metadata[amount]=1e3', { a: '1', b: '2', amount: '1e3' }],
    ['metadata[A]=x', { a: '1', b: '2', A: 'x' }]
  ]
  for (const [on, some] of [
    ['POST /refunds/rfd_a', cases],
    ['POST /locations/loc_b', cases.slice(0, 4)],
    ['POST /accounts/mch_b', cases.slice(6, 8)]
  ] as const) {
    for (const [body, metadata] of some) {
      const { call } = await startTestEmulator(t, {
        records: {
          ...records,
          locations: [{ id: 'loc_b', account: 'mch_a', display_name: 'B', address: { country: 'US' }, metadata: { a: '1', b: '2' } }],
          accounts: [{ id: 'mch_b', type: 'merchant', name: 'B', email: 'b@example.com', address: { country: 'US' }, metadata: { a: '1', b: '2' } }]
        }
      })

      const updated = await call(on, { body })
      const read = await call(on.replace('POST', 'GET'))

      t.strictSame(updated.body.metadata, metadata, `${on} ${body}`)
      t.strictSame(read.body, updated.body)
    }
  }
  const { call } = await startTestEmulator(t)
  const created = await call('POST /locations', { body: `${LOCATION}&metadata[a]=1&metadata[b]=` })
  t.strictSame(created.body.metadata, { a: '1' })
})

t.test('META-1, A17: a metadata value is text', async t => {
  const nested = (param: string): Blame => [400, 'parameter_invalid', param, 'A17']
  for (const [on, before] of [
    ['POST /locations', `${LOCATION}&`],
    ['POST /refunds/rfd_a', '']
  ] as const) {
    await refuses(t, [
      [on, `${before}metadata[k][n]=1`, nested('metadata[k][n]')],
      [on, `${before}metadata[k][]=1`, nested('metadata[k][]')],
      [on, `${before}metadata[__proto__][polluted]=1`, nested('metadata[__proto__][polluted]')],
      [on, `${before}metadata[]=1`, [400, 'form_malformed', 'metadata[]', 'A36']],
      [on, `${before}metadata=k`, [400, 'parameter_invalid', 'metadata', 'META-1']]
    ])
  }
})

t.test('A15: a parameter that an update cannot change is refused; with parameters.not_updatable = ignore it is dropped', async t => {
  const body = 'amount=1&reason=x&metadata[k]=v'
  await refuses(t, [['POST /refunds/rfd_a', body, [400, 'parameter_not_updatable', 'amount', 'REF-9']]])
  const { call } = await startTestEmulator(t, { records, settings: { 'parameters.not_updatable': 'ignore' } })

  const answer = await call('POST /refunds/rfd_a', { body })

  t.strictSame([answer.status, answer.body.amount, answer.body.reason, answer.body.metadata.k], [200, 100, null, 'v'])
})

t.test('META-1: the names of built-in properties are metadata keys like any other', async t => {
  const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'toJSON', 'cleared', 'entries', 'length']
  const before = Object.getOwnPropertyNames(Object.prototype)
  const { call, control } = await startTestEmulator(t, { records })
  for (const [index, name] of names.entries()) {
    const pair = `metadata[${name}]=v${index}`
    const has = ({ text }: { text: string }) => text.includes(`"${name}":"v${index}"`)

    const created = await call('POST /locations', { body: `${LOCATION}&${pair}` })
    t.ok(has(created), `${name} on a create`)
    t.ok(has(await call(`GET /locations/${created.body.id}`)))
    t.ok(has(await call('POST /refunds/rfd_a', { body: pair })), `${name} on an update`)
    t.ok(has(await call('POST /refunds/rfd_a', { body: 'metadata[other]=x' })), 'kept by the next update')
    t.ok(has(await control('GET /state')))
    t.notOk(has(await call('POST /refunds/rfd_a', { body: `metadata[${name}]=` })), `${name} unset`)
  }

  t.strictSame(Object.getOwnPropertyNames(Object.prototype), before)
  t.equal(({} as Record<string, unknown>).v0, undefined)
})

t.test('A08: refusals come in the order of the ledger', async t => {
  const json = { 'content-type': 'application/json' }
  const large = `display_name=${'x'.repeat(300)}`
  const cases: [what: string, on: string, options: object, blame: Blame][] = [
    ['404 before 415', 'POST /nowhere', { body: '{}', headers: json }, [404, 'path_unknown', null, 'A08']],
    ['404 before 413', 'POST /nowhere', { body: large }, [404, 'path_unknown', null, 'A08']],
    ['404 before 401', 'GET /nowhere', { key: null }, [404, 'path_unknown', null, 'A08']],
    ['404 before the form', 'GET /nowhere', { query: 'a=%zz' }, [404, 'path_unknown', null, 'A08']],
    ['405 before 401', 'DELETE /locations', { key: null }, [405, 'method_not_allowed', null, 'A08']],
    ['405 before 415', 'PUT /locations', { body: '{}', headers: json }, [405, 'method_not_allowed', null, 'A08']],
    ['405 before 413', 'PUT /tickets/tkt_a', { body: large }, [405, 'method_not_allowed', null, 'TKT-1']],
    ['405 before the form', 'PATCH /locations/loc_a', { body: 'a=%zz' }, [405, 'method_not_allowed', null, 'A08']],
    ['401 before 501', 'DELETE /locations/loc_a', { key: null }, [401, 'api_key_missing', null, 'AUTH-3']],
    ['401 before 501', 'DELETE /accounts/mch_a', { key: 'wrong' }, [401, 'api_key_unknown', null, 'A18']],
    ['401 before 415', 'POST /locations', { key: null, body: '{}', headers: json }, [401, 'api_key_missing', null, 'AUTH-3']],
    ['401 before 413', 'POST /locations', { key: null, body: large }, [401, 'api_key_missing', null, 'AUTH-3']],
    ['401 before the form', 'GET /locations', { key: null, query: 'a=%zz' }, [401, 'api_key_missing', null, 'AUTH-3']],
    ['401 before a missing resource', 'GET /locations/nope', { key: null }, [401, 'api_key_missing', null, 'AUTH-3']],
    ['501 before 415', 'DELETE /locations/loc_a', { body: '{}', headers: json }, [501, 'operation_disabled', null, 'LOC-4']],
    ['501 before 413', 'DELETE /accounts/mch_a', { body: large }, [501, 'operation_disabled', null, 'ACC-5']],
    ['501 before a body', 'DELETE /accounts/mch_a', { body: 'a=1' }, [501, 'operation_disabled', null, 'ACC-5']],
    ['501 before the form', 'DELETE /accounts/mch_a', { query: 'a=%zz' }, [501, 'operation_disabled', null, 'ACC-5']],
    ['501 before an unknown parameter', 'DELETE /locations/loc_a', { query: 'a=1' }, [501, 'operation_disabled', null, 'LOC-4']],
    ['501 before a missing resource', 'DELETE /locations/nope', {}, [501, 'operation_disabled', null, 'LOC-4']],
    ['415 before 413', 'POST /locations', { body: `{"display_name":"${large}"}`, headers: json }, [415, 'content_type_unsupported', null, 'FORM-1']],
    ['415 before a body', 'DELETE /accounts/mch_a/users/usr_a', { body: '{}', headers: json }, [415, 'content_type_unsupported', null, 'A32']],
    ['415 before an unknown parameter', 'POST /locations', { body: '{}', headers: json, query: 'a=1' }, [415, 'content_type_unsupported', null, 'FORM-1']],
    ['413 before the form', 'POST /locations', { body: `%zz&${large}` }, [413, 'body_too_large', null, 'A35']],
    ['413 before an unknown parameter', 'POST /locations', { body: `colour=${large}` }, [413, 'body_too_large', null, 'A35']],
    ['the form before an unknown parameter', 'POST /locations', { body: 'colour=red&a=%zz' }, [400, 'form_malformed', 'a', 'FORM-1']],
    ['the form before the table', 'POST /locations', { body: 'address=US&a[=1' }, [400, 'form_malformed', 'a[', 'FORM-2']],
    ['the body before the query', 'POST /locations', { body: 'a=%zz', query: 'b=%zz' }, [400, 'form_malformed', 'a', 'FORM-1']],
    ['an unknown parameter before the table', 'POST /locations', { body: 'address=US&colour=red' }, [400, 'parameter_unknown', 'colour', 'A14']],
    ['the query before the body', 'POST /locations', { body: 'colour=red', query: 'x=1' }, [400, 'parameter_unknown', 'x', 'A14']],
    ["the table's order, not the call's", 'POST /locations', { body: 'address[country]=XX' }, [400, 'parameter_missing', 'display_name', 'LOC-1']],
    ["the table's order", 'POST /accounts', { body: 'type=x&name=&email=x' }, [400, 'parameter_invalid', 'type', 'ACC-1']],
    ["the table's order", 'POST /accounts', { body: 'type=merchant&email=x' }, [400, 'parameter_missing', 'name', 'ACC-2']],
    ["the table's order", 'POST /transactions', { body: 'payment_type=x' }, [400, 'parameter_missing', 'ticket', 'TXN-1']],
    ["the table's order", 'POST /transactions', { body: 'ticket=tkt_a&amount=x&currency=X' }, [400, 'parameter_missing', 'payment_type', 'TXN-2']],
    ["the table's order", 'POST /transactions', { body: `${PAYMENT}&amount=x&currency=X` }, [400, 'parameter_invalid', 'currency', 'TXN-6']],
    ["the table's order", 'GET /tickets', { query: 'created[lt]=x&created[gte]=x' }, [400, 'parameter_invalid', 'created[gte]', 'FILT-1']],
    ['the table before a missing resource in the path', 'POST /locations/nope', { body: 'address=US' }, [400, 'parameter_invalid', 'address', 'ADDR-1']],
    ['the table before a missing parent', 'POST /accounts/nope/users', { body: 'name=A' }, [400, 'parameter_missing', 'email', 'USR-3']],
    ['a missing resource before the rules', 'POST /locations/nope', { key: RESELLER, body: '' }, [404, 'resource_missing', 'id', 'A08']],
    ['a reference in its place', 'POST /transactions', { body: 'ticket=nope&payment_type=x&amount=x' }, [400, 'reference_missing', 'ticket', 'TXN-1']],
    ['a reference in its place', 'POST /refunds', { body: 'transaction=nope&amount=x' }, [400, 'reference_missing', 'transaction', 'REF-1']],
    ['an unknown parameter before a reference', 'POST /refunds', { body: 'transaction=nope&colour=red' }, [400, 'parameter_unknown', 'colour', 'A14']],
    ['the table before 403', 'POST /locations', { key: RESELLER, body: 'display_name=A' }, [400, 'parameter_missing', 'address[country]', 'LOC-2']],
    ['a reference before the rules', 'POST /transactions', { body: 'ticket=nope&payment_type=vip' }, [400, 'reference_missing', 'ticket', 'TXN-1']],
    [
      'TXN-3 before TXN-7',
      'POST /transactions',
      { body: 'ticket=tkt_a&payment_type=vip&amount=9007199254740991&tip_amount=1' },
      [400, 'parameter_missing', 'customer[phone]', 'TXN-3']
    ],
    ['a missing parent before a missing User', 'DELETE /accounts/nope/users/nope', {}, [404, 'resource_missing', 'account_id', 'A08']],
    ['the limit before the cursor', 'GET /locations', { query: 'limit=x&starting_after=nope' }, [400, 'parameter_invalid', 'limit', 'LIST-3']],
    ['an unknown parameter before the cursor', 'GET /locations', { query: 'x=1&starting_after=nope' }, [400, 'parameter_unknown', 'x', 'A14']]
  ]
  const settings = { 'limits.body': 256 }
  const emulator = await startTestEmulator(t, { records, settings })
  for (const [what, on, options, blame] of cases) {
    t.strictSame(await emulator.refusal(on, { key: MERCHANT, ...options }), blame, `${what}: ${on}`)
  }
  const untouched = await startTestEmulator(t, { records, settings })
  t.strictSame(await emulator.nextIds(), await untouched.nextIds())
})

t.test('A25: a secret value is never repeated, not even where it is refused for its kind', async t => {
  const table = compileTable(schemaOf(closed({ pin: integer({ 'x-secret': true }), count: integer() })))
  const decoding = { settings: settingsInForce({}).values, trace: new Trace(), unknown: () => {}, refer: () => {}, cursor: () => {} }
  const decode = (text: string) => decodeParameters(table, createFormDecoder({ parameters: 9, depth: 1 })(text).root, decoding)

  t.throws(() => decode('pin=12ab&count=1'), { message: 'pin: a whole number, digits only, was expected.' })
  t.throws(() => decode('pin=1&count=12ab'), { message: 'count: a whole number, digits only, was expected, not 12ab.' })
  t.throws(() => decode(`pin=1&count=${'x'.repeat(41)}`), { message: 'count: a whole number, digits only, was expected, not a text of 41 characters.' })
  t.strictSame(decode('pin=1&count=2'), { pin: 1, count: 2 })
})
