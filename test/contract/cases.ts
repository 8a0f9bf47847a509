/**
 * Requests by rule: some pass it, some are near misses, and some violate it, with the blame of the
 * refusal; and by assumption: responses that rely on it, and near misses. Written by hand.
 */
import {
  ADDRESS,
  type AssumptionCases,
  type AssumptionId,
  asJson,
  BANK,
  type Blame,
  type Call,
  type Case,
  type CountedAssumption,
  createAccount,
  createLocation,
  createUser,
  deleteUser,
  type Expected,
  type Fields,
  LISTS,
  list,
  pay,
  payLeast,
  type RuleCases,
  type RuleId,
  read,
  refund,
  type Shown,
  updateFurnished,
  updateLocation,
  WITH_KEY
} from './case.js'

type Group = keyof RuleCases | keyof AssumptionCases
type Row = { readonly group: Group; readonly each: Case }
type Said = Blame | readonly RuleId[] | Partial<Case>
const paging = (...page: string[]): Partial<Case> => ({ answers: { page } })
const ANY = { reference: true } as const
const showing = (shows: Expected['shows']) => ({ answers: { shows } }) as Partial<Case>
function saidOf(said: Said): Partial<Case> {
  if (!Array.isArray(said)) return said as Partial<Case>
  return typeof said[0] === 'number' ? { blames: said as unknown as Blame } : { also: said }
}
const row =
  (group: Group) =>
  (title: string, call: Call, ...said: Said[]): Row => ({
    group,
    each: Object.assign({ title, call }, ...said.map(saidOf))
  })
const [kept, near, broken, relies, not] = [
  row('kept'),
  row('silent'),
  row('broken'),
  row('relies'),
  row('not')
]
const order = (title: string, call: Call, blame: Blame) => relies(`order: ${title}`, call, blame)
const casesIn = (rows: readonly Row[], wanted: Group) =>
  rows.filter(({ group }) => group === wanted).map(({ each }) => each)
const rule = (right: Call | null, ...rows: Row[]): RuleCases => ({
  ...(right && { right }),
  kept: casesIn(rows, 'kept'),
  silent: casesIn(rows, 'silent'),
  broken: casesIn(rows, 'broken')
})
const assumption = (...rows: Row[]): AssumptionCases => ({
  relies: casesIn(rows, 'relies'),
  not: casesIn(rows, 'not')
})

type By = Blame[3]
const invalid = (param: string, by: By): Blame => [400, 'parameter_invalid', param, by]
const missing = (param: string, by: By): Blame => [400, 'parameter_missing', param, by]
const malformed = (param: string | null, by: By): Blame => [400, 'form_malformed', param, by]
const unknown = (param: string): Blame => [400, 'parameter_unknown', param, 'A14']
const notUpdatable = (param: string): Blame => [400, 'parameter_not_updatable', param, 'REF-9']
const wrongType = (by: By): Blame => [415, 'content_type_unsupported', null, by]
const unexpectedBody = (by: By): Blame => [400, 'body_unexpected', null, by]
const notThere = (param = 'id', by: By = 'A08'): Blame => [404, 'resource_missing', param, by]
const noReference = (param: string, by: By): Blame => [400, 'reference_missing', param, by]
const noCursor = (param: string): Blame => [400, 'cursor_unknown', param, 'A10']
const noPath = (by: By): Blame => [404, 'path_unknown', null, by]
const noMethod = (by: By): Blame => [405, 'method_not_allowed', null, by]
const disabled = (by: By): Blame => [501, 'operation_disabled', null, by]
const NO_KEY: Blame = [401, 'api_key_missing', null, 'AUTH-3']
const BAD_KEY: Blame = [401, 'api_key_malformed', null, 'AUTH-1']
const UNKNOWN_KEY: Blame = [401, 'api_key_unknown', null, 'A18']
const NO_MERCHANT: Blame = [403, 'merchant_required', null, 'LOC-3']
const EXCEEDS: Blame = [400, 'refund_exceeds_remaining', 'amount', 'REF-7']
const ALL_REFUNDED: Blame = [400, 'charge_already_refunded', 'transaction', 'REF-6']

const LOCATION_MADE: readonly RuleId[] = ['ADDR-1', 'ADDR-2', 'LOC-1', 'LOC-2', 'LOC-3']
const ACCOUNT_MADE: readonly RuleId[] = ['ADDR-1', 'ADDR-2', 'ACC-1', 'ACC-2', 'ACC-3', 'ACC-4']
const USER_MADE: readonly RuleId[] = ['USR-1', 'USR-2', 'USR-3']
/** Rules that `payLeast` passes, and `pay`, which sends amount and currency. */
const PAID_LEAST: readonly RuleId[] = ['AUTH-2', 'TXN-1', 'TXN-2']
const PAID: readonly RuleId[] = [...PAID_LEAST, 'TXN-6', 'TXN-7']
/** Rules that `refund` passes: a partial amount, without a reason. */
const REFUNDED: readonly RuleId[] = ['REF-1', 'REF-2', 'REF-3', 'REF-5', 'REF-8']
/** Rules that a Refund of the whole remainder passes. */
const REFUNDED_WHOLE: readonly RuleId[] = ['REF-1', 'REF-2', 'REF-4', 'REF-8']
const without = (rules: readonly RuleId[], ...left: RuleId[]) =>
  rules.filter(rule => !left.includes(rule))

const onAccount = (body: Fields): Call => ({ on: 'POST /accounts/${account.id}', body })
const onFurnishedAccount = (body: Fields): Call => ({
  on: 'POST /accounts/${furnished_account.id}',
  body
})
const onRefund = (body: Fields): Call => ({ on: 'POST /refunds/${refund.id}', body })
const refundOf = (name: string, body: Fields = {}): Call => ({
  on: 'POST /refunds',
  body: { transaction: `\${${name}.id}`, ...body }
})
const readLocation = read('/locations/${location.id}')
const readFurnished = read('/locations/${furnished.id}')
const readUsers = list('/accounts/${account.id}/users')
const readCharge = read('/transactions/${charge.id}')
/** The instant at which a record was created, as a window. */
const momentOf = (name: string) => ({
  'created[gte]': `\${${name}.created}`,
  'created[lte]': `\${${name}.created}`
})
const locations = (query?: Fields | string) => list('/locations', query)
const postLocation = (body: string): Call => ({ on: 'POST /locations', body })
const tickets = (query?: Fields | string) => list('/tickets', query)
const transactions = (query?: Fields | string) => list('/transactions', query)
const refunds = (query?: Fields | string) => list('/refunds', query)
const vip = (body: Fields = {}) =>
  payLeast({ payment_type: 'vip', 'customer[phone]': '+1 617 555 0100', ...body })
const applePay = (body: Fields = {}) =>
  payLeast({ payment_type: 'apple_pay', 'customer[email]': 'ana@example.com', ...body })
/** The remainder of a charge, shown by refunding it: a refused request has taken nothing. */
const remains = (name: string, amount: number): readonly [Call, Expected] => [
  refundOf(name),
  { shows: { amount } }
]
const unset = (...names: string[]) => Object.fromEntries(names.map(name => [name, null]))

/** The two families with the same create and update, each with a complete record. */
const UPDATABLE = [
  {
    name: 'a Location',
    create: createLocation,
    made: LOCATION_MADE,
    update: updateFurnished,
    reading: readFurnished,
    furnished: 'furnished'
  },
  {
    name: 'an Account',
    create: createAccount,
    made: ACCOUNT_MADE,
    update: onFurnishedAccount,
    reading: read('/accounts/${furnished_account.id}'),
    furnished: 'furnished_account'
  }
] as const
const WITH_METADATA: readonly {
  name: string
  update: (body: Fields) => Call
  reading: Call
  keeps: readonly RuleId[]
  stays: Shown
}[] = [
  ...UPDATABLE.map(({ name, update, reading }) => ({
    name,
    update,
    reading,
    keeps: ['UPD-1'] as const,
    stays: { phone: '+1 617 555 0100' }
  })),
  {
    name: 'a Refund',
    update: onRefund,
    reading: read('/refunds/${refund.id}'),
    keeps: ['REF-9'],
    stays: { reason: 'cold soup' }
  }
]
/** A list that shows a User passes USR-1, a list of two Refunds REF-10. */
const shownOn = (path: string): readonly RuleId[] => (path.endsWith('/users') ? ['USR-1'] : [])
const ofAll = (path: string): readonly RuleId[] => (path === '/refunds' ? ['REF-10'] : [])

type Bound = 'gte' | 'gt' | 'lte' | 'lt'
const BOUND_RULES = { gte: 'FILT-1', gt: 'FILT-2', lte: 'FILT-3', lt: 'FILT-4' } as const
/**
 * Windows around a creation time in milliseconds: one includes it, one excludes it by this
 * comparison alone.
 */
const WINDOWS: Record<
  Bound,
  { other: Bound; lets: [own: number, other: number]; keeps: [own: number, other: number] }
> = {
  gte: { other: 'lte', lets: [0, 0], keeps: [1, 1] },
  gt: { other: 'lte', lets: [-1, 0], keeps: [0, 1] },
  lte: { other: 'gte', lets: [0, 0], keeps: [-1, -1] },
  lt: { other: 'gte', lets: [1, 0], keeps: [0, -1] }
}
/** The lists that `created` narrows, each with a record on it. */
const CREATED = [
  ['/accounts/${account.id}/users', 'user'],
  ['/tickets', 'ticket'],
  ['/transactions', 'charge']
] as const
const NO_INSTANTS = [
  '31/12/2025',
  '2026-13-01',
  '2026-02-30',
  '1767225600',
  '2026-01-03T12:00:00 01:00',
  '2026-03-01T25:00Z'
]

function comparison(bound: Bound): RuleCases {
  const by = BOUND_RULES[bound]
  const { other, lets, keeps } = WINDOWS[bound]
  const at = (name: string, shift: number) =>
    `\${${name}.created${shift < 0 ? shift : `+${shift}`}}`
  const window = (name: string, [own, bounding]: [number, number]) => ({
    [`created[${bound}]`]: at(name, own),
    [`created[${other}]`]: at(name, bounding)
  })
  const also: readonly RuleId[] = ['LIST-1', 'FILT-6', BOUND_RULES[other]]
  const param = `created[${bound}]`
  return rule(
    null,
    ...CREATED.flatMap(([path, name]) => {
      const right = list(path, window(name, lets))
      const shown = {
        answers: { holds: [`\${${name}.id}`] },
        later: [[list(path, window(name, keeps)), { lacks: [`\${${name}.id}`] }]]
      } as const
      return [
        kept(`${path}, exactly at the instant`, right, [...also, ...shownOn(path)], shown, ANY),
        broken(
          `${path} with what is no instant`,
          list(path, { [param]: 'yesterday' }),
          invalid(param, by),
          { right },
          ANY
        )
      ]
    }),
    kept(
      'alone, and nothing is found',
      tickets({ [param]: `20${bound.startsWith('g') ? 3 : 2}0-01-01T00:00:00Z` }),
      ['LIST-1', 'FILT-6'],
      paging()
    ),
    near(
      'another comparison',
      tickets({ [`created[${other}]`]: '2026-02-01T00:00:00Z' }),
      without(also, by)
    ),
    near('an empty value', tickets({ [param]: '' }), ['LIST-1'], { relies: ['A16'] }),
    near('a month alone', tickets({ [param]: '2026-03' }), invalid(param, 'A38')),
    near('a list that does not take it', locations({ [param]: '2026-02-01' }), unknown(param)),
    near(
      'an instant that was good, where another parameter was not',
      tickets({ limit: 0, [param]: '2026-02-01' }),
      invalid('limit', 'A10')
    ),
    ...NO_INSTANTS.map(value => broken(value, tickets({ [param]: value }), invalid(param, by)))
  )
}

const needed = (create: (body?: Fields) => Call, param: string, by: RuleId) => [
  broken(
    `without ${param}`,
    create({ [param]: undefined }),
    missing(param, by),
    { reliesNot: ['A16'] },
    ANY
  ),
  broken(
    `with an empty ${param}`,
    create({ [param]: '' }),
    missing(param, by),
    { relies: ['A16'] },
    ANY
  )
]

const COUNTRIES = ['USA', 'U', 'XX', 'UK', '840', 'United States', ' US']
const NO_ADDRESSES = [
  'ana',
  'ana@',
  '@example.com',
  'ana example.com',
  'a@b@example.com',
  'Ana <ana@example.com>'
]
const NO_INTEGERS = ['2.50', '2,50', 'two', '1e3', '$3', '0x10', '5.', ' 5', '+5', '-1.5', '٥']
/** Payment types without further requirements. */
const PLAIN_TYPES = ['card', 'google_pay', 'emv', 'external', 'paypal']
/** The maximum of an integer, and an integer that a double cannot hold. */
const MOST = 9_007_199_254_740_991
const BEYOND = '9007199254740993'
const LARGE = 'x'.repeat(1_048_577)

const OF_RESELLER = {
  records: {
    accounts: [
      {
        id: 'mch_c',
        type: 'merchant',
        name: 'C',
        email: 'c@example.com',
        address: { country: 'US' },
        reseller: 'rsl_r'
      }
    ],
    locations: [{ id: 'loc_c', account: 'mch_c', display_name: 'C', address: { country: 'US' } }]
  }
}
const REQUIRED = { settings: { 'transactions.default_currency': 'required' } } as const
const NEEDS_AMOUNT = { settings: { 'transactions.without_amount': 'reject' } } as const
const NEEDS_CARD = { settings: { 'refunds.without_card': 'reject' } } as const

// biome-ignore format: a table, a case in as few lines as it takes
export const RULE_CASES: Readonly<Record<RuleId, RuleCases>> = { 'FORM-1': rule(createLocation(),
  kept('spaces, plus signs, ampersands and letters beyond ASCII', createLocation({ display_name: 'Café 9 + Söhne & Co = 100 % ${unique}' }), LOCATION_MADE,
    showing({ display_name: 'Café 9 + Söhne & Co = 100 % ${unique}' }), { reliesNot: ['A32', 'A36'] }, ANY),
  kept('a type with its charset', { ...createLocation(), headers: { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' } }, LOCATION_MADE),
  near('an empty body', { on: 'POST /locations/${location.id}', body: '' }, ['UPD-1']),
  near('no body', { on: 'POST /locations/${location.id}' }, ['UPD-1']),
  near('a name given twice', postLocation('display_name=A&display_name=B'), malformed('display_name', 'A36')),
  near('parameters in the query of a POST', { on: 'POST /locations', query: { display_name: 'A', 'address[country]': 'US' } }, unknown('display_name'),
    ANY),
  broken('JSON', asJson(createLocation()), wrongType('FORM-1'), { relies: ['A32'] }, ANY),
  broken('multipart', { on: 'POST /locations', body: '--x--', headers: { 'content-type': 'multipart/form-data; boundary=x' } }, wrongType('FORM-1'),
    { relies: ['A32'] }),
  broken('another type', { ...createLocation(), headers: { 'content-type': 'text/plain' } }, wrongType('FORM-1'), { relies: ['A32'] }),
  broken('no type', { ...createLocation(), headers: { 'content-type': '' } }, wrongType('FORM-1'), { relies: ['A32'] }),
  broken('broken percent-encoding of a value', postLocation('display_name=%zz'), malformed('display_name', 'FORM-1')),
  broken('broken percent-encoding of a name', postLocation('%zz=1'), malformed('%zz', 'FORM-1'))),
'FORM-2': rule(createLocation({ 'address[city]': 'Boston' }),
  kept('encoded brackets', createLocation({ 'address[city]': 'City ${unique}' }), LOCATION_MADE, showing({ address: { city: 'City ${unique}' } }), ANY),
  kept('plain brackets', postLocation('display_name=A&address[country]=US&address[city]=City${unique}'), LOCATION_MADE,
    showing({ address: { city: 'City${unique}' } }), ANY),
  kept('a query', tickets('created[gte]=2026-02-01T00:00:00Z'), ['LIST-1', 'FILT-1', 'FILT-6']),
  kept('a call that is refused later', payLeast({ payment_type: 'cash', 'customer[name]': 'Ana' }), invalid('payment_type', 'TXN-2')),
  near('lists', { on: 'POST /locations/${location.id}', body: 'tags[]=a&tags[]=b' }, ['UPD-1'], { settings: { 'parameters.unknown': 'ignore' } }),
  near('a value without a name', postLocation('=x'), malformed(null, 'A36')),
  near('a dot', createLocation({ 'address[country]': undefined, 'address.country': 'US' }), unknown('address.country'), ANY),
  ...['customer', 'card', 'bank_account', 'amounts'].map(param => broken(`${param} as one value`, payLeast({ [param]: '1' }), invalid(param, 'FORM-2'),
    { right: payLeast() }, ANY)),
  broken('one value beside a nested one', payLeast({ customer: 'x', 'card[last4]': '4242' }), invalid('customer', 'FORM-2'), { right: payLeast() }, ANY),
  broken('created as one value', tickets({ created: '2026-01-01' }), invalid('created', 'FORM-2'), { right: tickets() }, ANY),
  broken('brackets that do not close', postLocation('display_name=A&address[city=x'), malformed('address[city', 'FORM-2')),
  broken('brackets that do not open', postLocation('address]=x'), malformed('address]', 'FORM-2')),
  broken('brackets that do not close, in a query', tickets('created[gte=1'), malformed('created[gte', 'FORM-2'))),
'FORM-3': rule(null,
  kept('a list with limit', list('/accounts/${account.id}/users', { limit: 1 }), ['LIST-1', 'LIST-2', 'LIST-3', 'USR-1'],
    { given: ['user', 'second_user'], answers: { count: 1 } }, ANY),
  kept('a list with an empty filter', tickets('location='), ['LIST-1']),
  kept('a list that is refused later', locations({ limit: 'ten' }), invalid('limit', 'LIST-3')),
  near('a body that holds nothing of the list', { on: 'GET /tickets', body: 'colour=red' }, unexpectedBody('A37')),
  near('list parameters in a POST', createLocation({ limit: 1 }), unknown('limit'), { right: createLocation() }, ANY),
  ...LISTS.map(([path]) => broken(`${path} with its parameters in a body`, { on: `GET ${path}`, body: 'limit=1' }, unexpectedBody('FORM-3'),
    { relies: ['A37'] })),
  broken('some in the query, some in a body', { on: 'GET /tickets', query: { limit: 1 }, body: 'location=loc_a' }, unexpectedBody('FORM-3')),
  near('a list in the query, with a body', { on: 'GET /tickets', query: { 'limit[]': 1 }, body: 'limit=1' }, malformed('limit[]', 'A36'),
    { decoded: true })),

'AUTH-1': rule({ ...locations(), key: { name: '${merchant_key}' } },
  kept('the key with an empty password', { ...readLocation, key: { name: '${merchant_key}', password: '' } }, { relies: ['A18'] }),
  kept('a call that is disabled', { on: 'DELETE /locations/${location.id}' }, disabled('LOC-4'), ['LOC-4']),
  near('POST /transactions with a key', { ...payLeast(), key: 'merchant' }, without(PAID_LEAST, 'AUTH-2'), { relies: ['A20'] }),
  near('a key that is not known', { ...locations(), key: { name: 'nobody' } }, UNKNOWN_KEY),
  broken('the key as password', { ...locations(), key: { name: '', password: '${merchant_key}' } }, BAD_KEY, ANY),
  broken('a password beside the key', { ...locations(), key: { name: '${merchant_key}', password: 'word' } }, BAD_KEY, { relies: ['A18'] }, ANY),
  ...['Bearer ${merchant_key}', '${merchant_key}', 'Basic ${merchant_key}', 'Digest username="x"'].map(authorization =>
    broken(authorization, { ...locations(), key: null, headers: { authorization } }, BAD_KEY, { reliesNot: ['A18'] }, ANY))),
'AUTH-2': rule(null,
  kept('a payment without a key', pay(), PAID, { later: [[read('/transactions/${made.id}'), { shows: '${made}' }]], reliesNot: ['A18', 'A20'] }, ANY),
  near('a refused payment', payLeast({ payment_type: 'cash' }), invalid('payment_type', 'TXN-2'))),
'AUTH-3': rule(null,
  kept('a list with the key', list('/accounts'), ['LIST-1']),
  kept('a call that is refused later', read('/locations/none'), notThere()),
  near('a key that is not known', { ...readLocation, key: { name: 'nobody' } }, UNKNOWN_KEY),
  ...WITH_KEY.map(call => broken(call.on, { ...call, key: null }, NO_KEY, call.on.startsWith('DELETE') ? {} : { right: call, ...ANY })),
  broken('a User is not deleted', { ...deleteUser, key: null }, NO_KEY, { right: readUsers, later: [[readUsers, { holds: ['${user.id}'] }]] }, ANY),
  broken('a Location is not changed', { ...updateFurnished({ phone: '' }), key: null }, NO_KEY,
    { right: readFurnished, later: [[readFurnished, { shows: '${furnished}' }]] }, ANY),
  broken('nothing is refunded', { ...refund(), key: null }, NO_KEY, { right: readCharge, later: [remains('charge', 1000)] }, ANY),
  broken('no user name', { ...locations(), key: { name: '' } }, NO_KEY)),
'BASE-1': rule(locations(),
  kept('a call that is refused later', { ...readLocation, key: null }, NO_KEY),
  near('an unknown path below it', { on: 'GET /nowhere' }, noPath('A08')),
  near('another method', { on: 'PUT /locations' }, noMethod('A08')),
  broken('a path beside it', { ...locations(), outside: true }, noPath('BASE-1'), { relies: ['A39'] }, ANY),
  broken('a path beside it that no family has', { on: 'POST /nowhere', body: 'a=1', outside: true }, noPath('BASE-1'), { relies: ['A39'] }),
  broken('a path that begins like it', { on: 'GET /nextlocations', outside: true }, noPath('BASE-1'), { relies: ['A39'] })),

'ADDR-1': rule(null,
  ...UPDATABLE.flatMap(({ name, create, made, update, reading }) => [
    kept(`${name} with the six sub-fields`, create(ADDRESS), made, showing({ address: { country: 'US', line1: '1 Main Street', line2: 'Floor 2',
      city: 'Boston', postal_code: '02110', state: 'MA' } }), ANY),
    kept(`one sub-field of ${name}`, update({ 'address[city]': 'Salem' }), ['UPD-1'], { later: [[reading, { shows: { address: { city: 'Salem' } } }]] },
      ANY)]),
  near('an empty address', updateFurnished({ address: '' }), ['UPD-1', 'UPD-2'], showing({ address: unset('country', 'line1', 'city') })),
  near('a list where one value belongs', createLocation({ 'address[city][]': 'Boston' }), malformed('address[city][]', 'A36'),
    { right: createLocation(), decoded: true }, ANY),
  near('an object where one value belongs', createLocation({ 'address[city][name]': 'Boston' }), malformed('address[city][name]', 'A36'),
    { right: createLocation(), decoded: true }, ANY),
  near('another sub-field', createLocation({ 'address[zip]': '02110' }), unknown('address[zip]'), { right: createLocation() }),
  ...UPDATABLE.flatMap(({ name, create, update, reading, furnished }) => [
    broken(`${name} with an address of one value`, create({ 'address[country]': undefined, address: 'US' }), invalid('address', 'ADDR-1'),
      { right: create() }, ANY),
    broken(`${name} with an address as JSON`, create({ 'address[country]': undefined, address: '{"country":"US"}' }), invalid('address', 'ADDR-1'),
      { right: create() }, ANY),
    broken(`an update of ${name}`, update({ address: 'US' }), invalid('address', 'ADDR-1'),
      { right: reading, later: [[reading, { shows: `\${${furnished}}` }]] }, ANY)])),
'ADDR-2': rule(null,
  ...UPDATABLE.flatMap(({ name, create, made, update }) => [
    ...['US', 'GB', 'JP'].map(country => kept(`${name} in ${country}`, create({ 'address[country]': country }), made, showing({ address: { country } }),
      { reliesNot: ['A30'] }, ANY)),
    kept(`an update of ${name}`, update({ 'address[country]': 'ca' }), ['ADDR-1', 'UPD-1'], showing({ address: { country: 'CA' } }), { relies: ['A30'] })]),
  near('a create without a country', createLocation({ 'address[country]': undefined }), missing('address[country]', 'LOC-2')),
  ...UPDATABLE.flatMap(({ name, create, update, reading, furnished }) => COUNTRIES.flatMap(country => [
    broken(`${name} in '${country}'`, create({ 'address[country]': country }), invalid('address[country]', 'ADDR-2'), { right: create() }, ANY),
    broken(`an update of ${name} to '${country}'`, update({ 'address[country]': country }), invalid('address[country]', 'ADDR-2'),
      { right: reading, later: [[reading, { shows: `\${${furnished}}` }]] }, ANY)]))),

'META-1': rule(null,
  ...UPDATABLE.map(({ name, create, made }) => kept(`${name} with pairs`, create({ 'metadata[order]': 'A-17', 'metadata[till]': '3' }), made,
    showing({ metadata: { order: 'A-17', till: '3' } }), { reliesNot: ['A17'] }, ANY)),
  kept('a Refund with pairs', refund({ 'metadata[order]': 'A-17' }), REFUNDED, showing({ metadata: { order: 'A-17' } }), ANY),
  ...WITH_METADATA.map(({ name, update, reading, keeps }) => kept(`an update of ${name} adds to them`, update({ 'metadata[till]': '4' }), keeps,
    { later: [[reading, { shows: { metadata: { order: 'A-17', till: '4' } } }]], relies: ['A17'] })),
  near('an empty value on a create', createLocation({ 'metadata[order]': '' }), LOCATION_MADE, showing({ metadata: unset('order') })),
  near('a nested value', createLocation({ 'metadata[k][n]': '1' }), invalid('metadata[k][n]', 'A17'), { right: createLocation() }),
  near('a list as a value', createLocation({ 'metadata[k][]': '1' }), invalid('metadata[k][]', 'A17'), { right: createLocation() }),
  ...WITH_METADATA.map(({ name, update, reading }) => broken(`${name} with one value`, update({ metadata: 'A-18' }), invalid('metadata', 'META-1'),
    { right: reading, later: [[reading, { shows: { metadata: { order: 'A-17', till: '3' } } }]] }, ANY))),
'META-2': rule(null,
  ...WITH_METADATA.map(({ name, update, reading, keeps }) => kept(`a key of ${name}, and only that`, update({ 'metadata[order]': '' }), keeps,
    { later: [[reading, { shows: { metadata: { order: null, till: '3' } } }]] }, ANY)),
  near('a key that was not there', updateFurnished({ 'metadata[none]': '' }), ['UPD-1'], showing({ metadata: { order: 'A-17', till: '3' } })),
  near('a key that is set', updateFurnished({ 'metadata[order]': 'A-18' }), ['META-1', 'UPD-1']),
  near('a refused update', updateFurnished({ 'metadata[order]': '', colour: 'red' }), unknown('colour'))),
'META-3': rule(null,
  ...WITH_METADATA.map(({ name, update, reading, keeps, stays }) => kept(`all keys of ${name}`, update({ metadata: '' }), keeps,
    { later: [[reading, { shows: { ...stays, metadata: unset('order', 'till') } }]] }, ANY)),
  kept('all keys, then what is given', updateFurnished({ 'metadata[new]': '1', metadata: '' }), ['META-1', 'UPD-1'],
    showing({ metadata: { order: null, till: null, new: '1' } })),
  near('metadata that was empty', updateLocation({ metadata: '' }), ['UPD-1']),
  near('a create', createLocation({ metadata: '' }), LOCATION_MADE)),

'UPD-1': rule(null,
  ...UPDATABLE.flatMap(({ name, update, reading }) => [
    kept(`what an update of ${name} leaves out`, update({ phone: '2' }),
      { later: [[reading, { shows: { phone: '2', address: { country: 'US', city: 'Boston', state: 'MA' }, metadata: { order: 'A-17', till: '3' } } }]] },
      ANY),
    kept(`sub-fields of the address of ${name}`, update({ 'address[city]': 'Salem' }), ['ADDR-1'],
      { later: [ [reading, { shows: { address: { country: 'US', line1: '1 Main Street', line2: 'Floor 2', city: 'Salem', postal_code: '02110',
      state: 'MA' } } }] ] }, ANY)]),
  kept('an update that sends nothing', updateFurnished({}), { later: [[readFurnished, { shows: '${furnished}' }]] }),
  near('a full update', updateLocation({ display_name: 'New', 'address[country]': 'CA' }), ['ADDR-1', 'ADDR-2'])),
'UPD-2': rule(null,
  ...UPDATABLE.flatMap(({ name, update, reading }) => [
    kept(`a parameter of ${name}`, update({ phone: '' }), ['UPD-1'], { later: [[reading,
      { shows: { phone: null, address: { line2: 'Floor 2' }, metadata: { till: '3' } } }]] }, ANY),
    kept(`a sub-field of the address of ${name}`, update({ 'address[line2]': '' }), ['ADDR-1', 'UPD-1'],
      { later: [[reading, { shows: { address: { line1: '1 Main Street', line2: null } } }]] }, ANY)]),
  kept('one that the create requires', updateFurnished({ display_name: '' }), ['UPD-1'], showing({ display_name: null })),
  kept('a whole address', updateFurnished({ address: '' }), ['UPD-1'], showing({ address: unset('country', 'line1', 'city') })),
  near('a parameter that had no value', updateLocation({ phone: '' }), ['UPD-1']),
  near('a create', createLocation({ phone: '' }), LOCATION_MADE, { relies: ['A16'] }),
  near('one that the create requires, where that is refused', updateFurnished({ phone: '', display_name: '' }), missing('display_name', 'A16'),
    { settings: { 'parameters.unset_required': 'reject' } })),

'LIST-1': rule(null,
  ...LISTS.map(([path, given]) => kept(path, list(path), [...shownOn(path), ...ofAll(path)],
    { given, answers: { holds: given.map(name => `\${${name}.id}`) } }, ANY)),
  kept('a list of nothing', transactions(), { answers: { page: [], has_more: false } }),
  near('a refused list', locations({ limit: 0 }), invalid('limit', 'A10'))),
'LIST-2': rule(null,
  ...LISTS.map(([path, given]) => kept(path, list(path, { limit: 1 }), ['LIST-1', 'LIST-3', ...shownOn(path)],
    { given, answers: { count: 1, has_more: true } }, ANY)),
  near('the last page', list('/accounts/${account.id}/users', { limit: 2 }), ['LIST-1', 'LIST-3', 'USR-1'],
    { given: ['user', 'second_user'], answers: { count: 2, has_more: false } }, ANY),
  near('a list of nothing', readUsers, ['LIST-1'], { answers: { count: 0, has_more: false } })),
'LIST-3': rule(null,
  ...LISTS.map(([path, given]) => kept(path, list(path, { limit: 1 }), ['LIST-1', 'LIST-2', ...shownOn(path)],
    { given, answers: { count: 1 }, later: [[list(path, { limit: 2 }), { count: 2 }]] }, ANY)),
  near('without limit', locations(), ['LIST-1']),
  near('a limit that is clamped', locations({ limit: 101 }), ['LIST-1'], { settings: { 'pagination.out_of_range': 'clamp' } }),
  near('an empty limit', locations({ limit: '' }), invalid('limit', 'A16')),
  ...LISTS.flatMap(([path, given]) => ['ten', '1.5'].map(limit => broken(`${path} with ${limit}`, list(path, { limit }), invalid('limit', 'LIST-3'),
    { given, right: list(path, { limit: 1 }) }, ANY))),
  ...['1e1', '0x1', ' 5', '+5', '-'].map(limit => broken(`'${limit}'`, locations({ limit }), invalid('limit', 'LIST-3')))),

'FILT-1': comparison('gte'),
'FILT-2': comparison('gt'),
'FILT-3': comparison('lte'),
'FILT-4': comparison('lt'),
'FILT-5': rule(null,
  kept('Tickets', tickets({ location: '${place.id}', ...momentOf('ticket_there') }), ['LIST-1', 'FILT-1', 'FILT-3', 'FILT-6'],
    { answers: { holds: ['${ticket_there.id}'] }, later: [[tickets({ location: '${location.id}', ...momentOf('ticket_there') }),
    { count: 0, has_more: false }]] }, ANY),
  kept('Transactions', transactions({ location: '${place.id}', ...momentOf('charge_there') }), ['LIST-1', 'FILT-1', 'FILT-3', 'FILT-6'],
    { answers: { holds: ['${charge_there.id}'] }, later: [[transactions({ location: '${location.id}', ...momentOf('charge_there') }),
    { count: 0, has_more: false }]] }, ANY),
  kept('a Location without any', transactions({ location: '${location.id}' }), ['LIST-1', 'FILT-6'], { answers: { page: [] }, reliesNot: ['A16'] }),
  near('an id of none', tickets({ location: 'none' }), ['LIST-1'], { answers: { page: [] }, relies: ['A16'] }),
  near('an id of another family', tickets({ location: 'mch_a' }), ['LIST-1'], { answers: { page: [] }, relies: ['A16'] }),
  near('an empty value', tickets({ location: '' }), ['LIST-1'], { relies: ['A16'] }),
  near('created alone', tickets({ 'created[gte]': '2020-01-01T00:00:00Z' }), ['LIST-1', 'FILT-1', 'FILT-6'])),
'FILT-6': rule(null,
  kept('location: a page of one is full where the newest Ticket is not', tickets({ location: '${place.id}', limit: 1 }), ['LIST-1', 'LIST-3', 'FILT-5'],
    { given: ['newest_ticket'], answers: { page: ['${ticket_there.id}'] } }, ANY),
  kept('created: a page of one is full at an instant before the newest Ticket', tickets({ ...momentOf('older_ticket'), limit: 1 }),
    ['LIST-1', 'LIST-3', 'FILT-1', 'FILT-3'], { answers: { count: 1 } }, ANY),
  near('created of no record at all', tickets({ location: 'none', 'created[gte]': '2020-01-01T00:00:00Z' }), ['LIST-1'], { given: ['place'] })),

'SRCH-1': rule(null,
  kept('a Ticket whose reference it is', tickets({ search_query: '${ticket.reference}', ...momentOf('ticket') }), ['LIST-1', 'FILT-1', 'FILT-3', 'FILT-6'],
    { answers: { holds: ['${ticket.id}'] }, later: [[tickets({ search_query: 'no-such-reference', ...momentOf('ticket') }), { count: 0 }]] }, ANY),
  near('no match', tickets({ search_query: 'none' }), ['LIST-1'], paging()),
  near('an empty value', tickets({ search_query: '' }), ['LIST-1'], { relies: ['A16'], reliesNot: ['A12', 'A13'] }),
  near('a search of Transactions', transactions({ search_query: '4242' }), ['LIST-1', 'SRCH-2'], { given: ['charge'] })),
'SRCH-2': rule(null,
  kept('a Transaction whose card ends in it', transactions({ search_query: '4444', ...momentOf('other_card') }), ['LIST-1', 'FILT-1', 'FILT-3', 'FILT-6'],
    { given: ['charge', 'other_card'], answers: { holds: ['${other_card.id}'], lacks: ['${charge.id}'] },
    later: [[transactions({ search_query: '0000', ...momentOf('other_card') }), { count: 0 }]] }, ANY),
  near('no match', transactions({ search_query: '0000' }), ['LIST-1'], { given: ['charge'], answers: { page: [] } })),
'SRCH-3': rule(null,
  kept('an emptied page', tickets({ search_query: '${older_ticket.reference}', limit: 1 }), ['LIST-1', 'LIST-2', 'LIST-3'],
    { answers: { page: [], has_more: true } }, ANY),
  kept('a page with few matches', tickets({ search_query: '${ticket.reference}', limit: 2 }), ['LIST-1', 'LIST-2', 'LIST-3', 'SRCH-1'],
    { records: { tickets: [{ id: 'tkt_old', location: 'loc_a', reference: 'T-3', created: '2026-01-01' }] },
    answers: { page: ['${ticket.id}'], has_more: true } }),
  near('fewer, but no more to fetch', tickets({ search_query: '${ticket.reference}' }), ['LIST-1', 'SRCH-1'], { answers: { has_more: false } }),
  near('all that were retrieved', tickets({ search_query: 'T', limit: 1 }), ['LIST-1', 'LIST-2', 'LIST-3', 'SRCH-1'],
    { answers: { count: 1, has_more: true } }),
  near('without search', tickets({ limit: 1 }), ['LIST-1', 'LIST-2', 'LIST-3'])),

'LOC-1': rule(createLocation(),
  kept('a create', createLocation(), LOCATION_MADE, showing({ display_name: 'Bistro ${unique}' }), ANY),
  near('an update', updateFurnished({ display_name: 'New' }), ['UPD-1']),
  near('a name of white space', createLocation({ display_name: '  ' }), invalid('display_name', 'A40')),
  ...needed(createLocation, 'display_name', 'LOC-1')),
'LOC-2': rule(createLocation(),
  kept('a create', createLocation({ 'address[country]': 'GB' }), LOCATION_MADE, showing({ address: { country: 'GB' } }), ANY),
  near('an update', updateFurnished({ 'address[country]': 'GB' }), ['ADDR-1', 'ADDR-2', 'UPD-1']),
  ...needed(createLocation, 'address[country]', 'LOC-2'),
  broken('with another sub-field alone', createLocation({ 'address[country]': undefined, 'address[city]': 'Boston' }), missing('address[country]', 'LOC-2'),
    ANY),
  broken('with an empty address', createLocation({ 'address[country]': undefined, address: '' }), missing('address[country]', 'LOC-2'), { relies: ['A16'] },
    ANY)),
'LOC-3': rule(createLocation(),
  kept("a merchant's key", createLocation(), LOCATION_MADE),
  near("an update with a reseller's key", { ...updateLocation({ phone: '1' }), key: 'reseller' }, ['UPD-1'], showing({ phone: '1' })),
  near("a reseller's key and a parameter that is missing", { ...createLocation({ display_name: undefined }), key: 'reseller' },
    missing('display_name', 'LOC-1')),
  broken("a reseller's key", { ...createLocation(), key: 'reseller' }, NO_MERCHANT,
    { later: [[{ ...locations(), key: 'reseller' }, { status: 200 }]] }, ANY)),
'LOC-4': rule(null,
  kept('a delete', { on: 'DELETE /locations/${furnished.id}' }, disabled('LOC-4'),
    { answers: { status: 501 }, later: [[{ on: 'DELETE /locations/${furnished.id}' }, { status: 501 }], [readFurnished, { shows: '${furnished}' }]],
    relies: ['A07'], reliesNot: ['A08'] }, ANY),
  kept('a delete of what is not there', { on: 'DELETE /locations/none' }, disabled('LOC-4')),
  near('a read', readLocation)),

'ACC-1': rule(createAccount(),
  ...['merchant', 'reseller'].map(type => kept(type, createAccount({ type }), ACCOUNT_MADE, showing({ type }), ANY)),
  near('an update', onAccount({ type: 'reseller' }), ['UPD-1'], showing({ type: 'reseller' })),
  ...needed(createAccount, 'type', 'ACC-1'),
  ...['partner', 'Merchant', 'merchants', 'constructor'].map(type => broken(type, createAccount({ type }), invalid('type', 'ACC-1'), ANY)),
  broken('another type by an update', onAccount({ type: 'partner' }), invalid('type', 'ACC-1'), { right: onAccount({ type: 'merchant' }) }, ANY)),
'ACC-2': rule(createAccount(),
  kept('a create', createAccount(), ACCOUNT_MADE, showing({ name: 'Bistro ${unique}' }), ANY),
  near('an update', onAccount({ name: 'New' }), ['UPD-1']),
  near('a name of white space', createAccount({ name: '\t ' }), invalid('name', 'A40')),
  ...needed(createAccount, 'name', 'ACC-2')),
'ACC-3': rule(createAccount(),
  kept('a create', createAccount(), ACCOUNT_MADE, showing({ email: '${unique}@example.com' }), ANY),
  near('an update', onAccount({ email: 'new@example.com' }), ['UPD-1']),
  ...NO_ADDRESSES.map(email => near(`the malformed ${email}`, createAccount({ email }), invalid('email', 'A30'))),
  ...needed(createAccount, 'email', 'ACC-3')),
'ACC-4': rule(createAccount(),
  kept('a create', createAccount({ 'address[country]': 'GB' }), ACCOUNT_MADE, showing({ address: { country: 'GB' } }), ANY),
  near('an update', onAccount({ 'address[country]': 'GB' }), ['ADDR-1', 'ADDR-2', 'UPD-1']),
  ...needed(createAccount, 'address[country]', 'ACC-4')),
'ACC-5': rule(null,
  kept('a delete', { on: 'DELETE /accounts/${account.id}' }, disabled('ACC-5'),
    { answers: { status: 501 }, later: [[{ on: 'DELETE /accounts/${account.id}' }, { status: 501 }],
    [read('/accounts/${account.id}'), { shows: '${account}' }]], relies: ['A07'], reliesNot: ['A08'] }, ANY),
  kept('a delete of what is not there', { on: 'DELETE /accounts/none' }, disabled('ACC-5')),
  near('a delete with a key that is not known', { on: 'DELETE /accounts/mch_a', key: { name: 'nobody' } }, UNKNOWN_KEY)),

'USR-1': rule(null,
  kept('a create', createUser(), USER_MADE, { given: ['other_account'],
    later: [[readUsers, { page: ['${made.id}'] }], [list('/accounts/${other_account.id}/users'), { page: [] }]] }, ANY),
  kept('a list', readUsers, ['LIST-1'], { given: ['user', 'other_user'], answers: { page: ['${user.id}'] } }, ANY),
  kept('a delete', deleteUser, ['USR-4']),
  near('a User for an Account that is not there', { ...createUser(), on: 'POST /accounts/none/users' }, notThere(), { right: createUser() }, ANY),
  near('the Users of an Account that is not there', list('/accounts/none/users'), notThere(), { right: readUsers }, ANY),
  near('a User that is not there', { on: 'DELETE /accounts/${account.id}/users/none' }, notThere('user_id')),
  broken('a User of another Account', { on: 'DELETE /accounts/${account.id}/users/${other_user.id}' }, notThere('user_id', 'USR-1'),
    { right: list('/accounts/${other_account.id}/users'), later: [[list('/accounts/${other_account.id}/users'), { page: ['${other_user.id}'] }]] }, ANY)),
'USR-2': rule(createUser(),
  kept('a create', createUser(), USER_MADE, showing({ name: 'Ana ${unique}' }), ANY),
  near('a name of white space', createUser({ name: ' ' }), invalid('name', 'A40')),
  ...needed(createUser, 'name', 'USR-2')),
'USR-3': rule(createUser(),
  kept('a create', createUser(), USER_MADE, showing({ email: '${unique}@example.com' }), ANY),
  near('a domain without a dot', createUser({ email: 'ana@localhost' }), invalid('email', 'A30')),
  near('an e-mail of white space', createUser({ email: ' ' }), invalid('email', 'A40')),
  ...needed(createUser, 'email', 'USR-3'),
  ...[...NO_ADDRESSES, `${'a'.repeat(65)}@example.com`, `a@${'b'.repeat(64)}.example`].map(email =>
    broken(email, createUser({ email }), invalid('email', 'USR-3'), ANY))),
'USR-4': rule(null,
  kept('a delete', deleteUser, ['USR-1'], { given: ['second_user'], answers: { status: 204, empty: true },
    later: [[readUsers, { page: ['${second_user.id}'] }]] }, ANY),
  near('a delete of a User that is gone', deleteUser, notThere('user_id'), { before: [deleteUser] })),

'TKT-1': rule(read('/tickets/${ticket.id}'),
  near('a read', read('/tickets/${ticket.id}')),
  near('a list', tickets(), ['LIST-1']),
  ...['POST /tickets', 'POST /tickets/${ticket.id}', 'DELETE /tickets/${ticket.id}'].map(on =>
    broken(on, { on, ...(on.startsWith('POST') && { body: { reference: 'New' } }) }, noMethod('TKT-1'),
    { later: [[read('/tickets/${ticket.id}'), { shows: '${ticket}' }]] }, ANY)),
  broken('PUT /tickets', { on: 'PUT /tickets', key: null }, noMethod('TKT-1'))),

'TXN-1': rule(pay(),
  kept('a payment', pay(), PAID, { later: [[read('/transactions/${made.id}'), { shows: '${made}' }]] }),
  near('a read', readCharge),
  ...needed(pay, 'ticket', 'TXN-1'),
  broken('an id of none', pay({ ticket: 'none' }), noReference('ticket', 'TXN-1'), ANY),
  broken('an id of another family', pay({ ticket: '${location.id}' }), noReference('ticket', 'TXN-1'), ANY),
  broken('an unknown Ticket before what stands after it', pay({ ticket: 'none', payment_type: 'cash', amount: 'x' }), noReference('ticket', 'TXN-1'))),
'TXN-2': rule(pay(),
  kept('vip', vip(), [...PAID_LEAST, 'TXN-3'], { later: [[read('/transactions/${made.id}'), { shows: '${made}' }]] }, ANY),
  kept('apple_pay', applePay(), [...PAID_LEAST, 'TXN-4'], { later: [[read('/transactions/${made.id}'), { shows: '${made}' }]] }, ANY),
  ...PLAIN_TYPES.map(payment_type => kept(payment_type, payLeast({ payment_type }), PAID_LEAST,
    { later: [[read('/transactions/${made.id}'), { shows: '${made}' }]] }, ANY)),
  near('a refused payment', pay({ ticket: 'none' }), noReference('ticket', 'TXN-1')),
  ...needed(pay, 'payment_type', 'TXN-2'),
  ...['cash', 'CARD', 'applepay', 'toString'].map(payment_type => broken(payment_type, pay({ payment_type }), invalid('payment_type', 'TXN-2'), ANY))),
'TXN-3': rule(vip(),
  kept('vip with customer[phone]', vip(), PAID_LEAST, showing({ customer: { name: null, email: null, phone: '+1 617 555 0100' } })),
  near('another type', payLeast({ 'customer[phone]': '1' }), PAID_LEAST),
  near('a refused payment', vip({ currency: 'USD' }), invalid('currency', 'TXN-6')),
  ...needed(vip, 'customer[phone]', 'TXN-3'),
  broken('with the rest of a customer', vip({ 'customer[phone]': undefined, 'customer[email]': 'ana@example.com', 'customer[name]': 'Ana' }),
    missing('customer[phone]', 'TXN-3'), ANY)),
'TXN-4': rule(applePay(),
  kept('apple_pay with customer[email]', applePay(), PAID_LEAST, showing({ customer: { name: null, email: 'ana@example.com', phone: null } })),
  near('another type', payLeast({ 'customer[email]': 'ana@example.com' }), PAID_LEAST),
  near('a malformed address', applePay({ 'customer[email]': 'ana' }), invalid('customer[email]', 'A30')),
  near('a blank address', applePay({ 'customer[email]': ' ' }), invalid('customer[email]', 'A40')),
  ...needed(applePay, 'customer[email]', 'TXN-4'),
  broken('with the rest of a customer', applePay({ 'customer[email]': undefined, 'customer[phone]': '1', 'customer[name]': 'Ana' }),
    missing('customer[email]', 'TXN-4'), ANY)),
'TXN-5': rule(null,
  kept('used with vip', vip(BANK), [...PAID_LEAST, 'TXN-3'], showing({ payment_method: { bank_account: { bank_name: 'Bank ${unique}', last4: '6789' } } }),
    { reliesNot: ['A26'] }),
  ...PLAIN_TYPES.map(payment_type => kept(`not used with ${payment_type}`, payLeast({ payment_type, ...BANK }), PAID_LEAST,
    showing({ payment_method: { bank_account: null } }), { relies: ['A26'] })),
  near('an empty one', vip({ bank_account: '' }), [...PAID_LEAST, 'TXN-3'], showing({ payment_method: { bank_account: null } }), { relies: ['A16'] }),
  near('an empty part of one', vip({ 'bank_account[account_number]': '' }), [...PAID_LEAST, 'TXN-3']),
  near('a refused payment', payLeast({ payment_type: 'vip', ...BANK }), missing('customer[phone]', 'TXN-3'))),
'TXN-6': rule(pay(),
  ...['usd', 'eur', 'jpy'].map(currency => kept(currency, pay({ currency }), PAID, showing({ currency }), { reliesNot: ['A22'] }, ANY)),
  near('left out', payLeast({ amount: 1 }), [...PAID_LEAST, 'TXN-7'], showing({ currency: 'usd' }), { relies: ['A22'] }),
  near('amounts[currency]', payLeast({ 'amounts[currency]': 'eur' }), PAID_LEAST, showing({ currency: 'eur' }), { relies: ['A24'] }),
  near('a bad amounts[currency]', payLeast({ 'amounts[currency]': 'EUR' }), invalid('amounts[currency]', 'A24')),
  ...['USD', 'Usd', 'us', 'usdd', 'dollar', '840', 'zzz', ' usd'].map(currency =>
    broken(`'${currency}'`, pay({ currency }), invalid('currency', 'TXN-6'), ANY))),
'TXN-7': rule(pay(),
  kept('an amount, to the unit', pay({ amount: 1999 }), PAID, { later: [[refundOf('made'), { shows: { amount: 1999 } }]], reliesNot: ['A24', 'A27'] }, ANY),
  ...['amount', 'tip_amount', 'donation_amount'].map(param => kept(param, payLeast({ [param]: 250 }), PAID_LEAST, showing({ [param]: 250 }),
    { ...(param === 'amount' && { reliesNot: ['A24'] }) })),
  kept('an amount of 0', payLeast({ amount: 0 }), PAID_LEAST, showing({ amount: 0 }), { reliesNot: ['A24'] }),
  kept('the most that there is', payLeast({ amount: MOST }), PAID_LEAST, showing({ amount: MOST })),
  near('none of them', payLeast(), PAID_LEAST, { relies: ['A24'] }),
  near('an empty amount', payLeast({ amount: '' }), PAID_LEAST, { relies: ['A16', 'A24'] }),
  near('amounts[transaction_amount]', payLeast({ 'amounts[transaction_amount]': 7 }), PAID_LEAST, showing({ amount: 7 }), { relies: ['A24'] }),
  near('a bad amounts[transaction_amount]', payLeast({ 'amounts[transaction_amount]': '7.5' }), invalid('amounts[transaction_amount]', 'A24')),
  ...['amount', 'tip_amount', 'donation_amount'].flatMap(param => ['-1', BEYOND].map(value =>
    near(`${param}=${value}`, payLeast({ [param]: value }), invalid(param, 'A27')))),
  near('parts that come together to too much', payLeast({ amount: MOST, tip_amount: 1 }), invalid('amount', 'A27')),
  ...['amount', 'tip_amount', 'donation_amount'].flatMap(param => NO_INTEGERS.map(value =>
    broken(`${param}=${value}`, pay({ [param]: value }), invalid(param, 'TXN-7'), ANY)))),
'TXN-8': rule(null,
  kept('a read', readCharge, showing({ amount_refunded: 100 }), { given: ['refund'], relies: ['A29'] }),
  kept('a list', transactions(), ['LIST-1'], { given: ['refund'], relies: ['A29'] }),
  near('a read of one without a Refund', read('/transactions/${second_charge.id}'), { given: ['refund'], relies: ['A29'] }),
  near('a list without a Refund', transactions(), ['LIST-1'], { given: ['charge'], relies: ['A29'] }),
  near('a create', payLeast(), PAID_LEAST, { relies: ['A29'] }),
  near('a Refund', refund(), REFUNDED, { reliesNot: ['A29'] })),

'REF-1': rule(refund(),
  kept('a Refund', refund(), REFUNDED, showing({ transaction: '${charge.id}' }), ANY),
  near('a read', read('/refunds/${refund.id}')),
  ...needed(refund, 'transaction', 'REF-1'),
  broken('an id of none', refund({ transaction: 'none' }), noReference('transaction', 'REF-1'), ANY),
  broken('an id of another family', refund({ transaction: '${ticket.id}' }), noReference('transaction', 'REF-1'), ANY),
  broken('an unknown Transaction before a bad amount', refund({ transaction: 'none', amount: 'x' }), noReference('transaction', 'REF-1'))),
'REF-2': rule(null,
  kept('the card that was charged', refundOf('other_card', { amount: 100 }), REFUNDED,
    showing({ payment_method: { card: { brand: 'mastercard', last4: '4444' } } }), { relies: ['A28'] }),
  near('card data sent with a payment type that charges none', { on: 'POST /refunds', body: 'transaction=wallet&amount=100' }, without(REFUNDED, 'REF-2'),
    { records: { transactions: [{ id: 'wallet', ticket: 'tkt_a', payment_type: 'paypal', amount: 1000, payment_method: { card: { last4: '4242' } } }] } }),
  near('a payment without a card', refundOf('cash', { amount: 100 }), without(REFUNDED, 'REF-2'), showing({ payment_method: { card: null } }),
    { relies: ['A28'] }),
  near('a refused Refund', refund({ amount: 1001 }), EXCEEDS, { reliesNot: ['A28'] })),
'REF-3': rule(refund(),
  kept('one unit', refund({ amount: 1 }), REFUNDED, showing({ amount: 1 }), { later: [remains('charge', 999)] }, ANY),
  near('one that a double cannot hold', refund({ amount: BEYOND }), invalid('amount', 'A27')),
  ...['0', '-1', ...NO_INTEGERS].map(amount => broken(amount, refund({ amount }), invalid('amount', 'REF-3'),
    { later: [remains('charge', 1000)], right: readCharge }, ANY))),
'REF-4': rule(null,
  kept('the whole charge', refundOf('charge'), REFUNDED_WHOLE, showing({ amount: 1000 }), ANY),
  kept('what remains of it', refundOf('partly'), [...REFUNDED_WHOLE, 'REF-5'], showing({ amount: 600 }), ANY),
  kept('an empty amount', refundOf('charge', { amount: '' }), REFUNDED_WHOLE, showing({ amount: 1000 }),
    { settings: { 'refunds.empty_amount': 'remainder' }, relies: ['A16'] }),
  near('a refused Refund', refundOf('spent'), ALL_REFUNDED)),
'REF-5': rule(null,
  kept('a part after a part', refundOf('partly', { amount: 100 }), REFUNDED, showing({ amount: 100 }), { later: [remains('partly', 500)] }, ANY),
  kept('the last part', refundOf('partly', { amount: 600 }), REFUNDED, showing({ amount: 600 }), ANY),
  near('the whole charge at once, its amount given', refundOf('charge', { amount: 1000 }), without(REFUNDED, 'REF-5'))),
'REF-6': rule(null,
  near('nothing was settled', refundOf('free'), [400, 'charge_has_no_amount', 'transaction', 'A24']),
  broken('without amount', refundOf('spent'), ALL_REFUNDED, { right: read('/transactions/${spent.id}') }, ANY),
  broken('with an amount', refundOf('spent', { amount: 1 }), ALL_REFUNDED, { right: read('/transactions/${spent.id}') }, ANY),
  broken('with more than was charged', refundOf('spent', { amount: 1001 }), ALL_REFUNDED, { right: read('/transactions/${spent.id}') }, ANY),
  broken('in parts', refundOf('partly'), ALL_REFUNDED, { right: read('/transactions/${partly.id}'), before: [refundOf('partly', { amount: 600 })] }, ANY)),
'REF-7': rule(null,
  near('exactly the remainder', refundOf('partly', { amount: 600 }), REFUNDED, showing({ amount: 600 })),
  broken('above the charge', refund({ amount: 1001 }), EXCEEDS, { right: readCharge, later: [remains('charge', 1000)] }, ANY),
  ...[601, 1000, MOST].map(amount => broken(`${amount} of 600`, refundOf('partly', { amount }), EXCEEDS,
    { right: read('/transactions/${partly.id}'), later: [remains('partly', 600)] }, ANY))),
'REF-8': rule(null,
  kept('without reason', refund(), REFUNDED, showing({ reason: null, transaction: '${charge.id}' }), ANY),
  kept('an empty reason', refund({ reason: '' }), REFUNDED, showing({ reason: null }), { relies: ['A16'] }),
  near('with reason', refund({ reason: 'cold soup' }), without(REFUNDED, 'REF-8'), showing({ reason: 'cold soup' }), ANY)),
'REF-9': rule(null,
  kept('metadata', onRefund({ 'metadata[till]': '4' }), ['META-1'], { later: [ [read('/refunds/${refund.id}'),
    { shows: { transaction: '${charge.id}', amount: 100, reason: 'cold soup', metadata: { order: 'A-17', till: '4' } } }] ] }, ANY),
  near('an empty body', { on: 'POST /refunds/${refund.id}' }),
  near('a parameter that no Refund has', onRefund({ colour: 'red' }), unknown('colour'), { reliesNot: ['A15'] }),
  near('the others, where they are ignored', onRefund({ amount: 1, reason: '', transaction: 'none' }),
    showing({ amount: 100, reason: 'cold soup', transaction: '${charge.id}' }), { settings: { 'parameters.not_updatable': 'ignore' }, relies: ['A15'] }),
  ...([ [{ amount: 1 }, 'amount'], [{ amount: 100 }, 'amount'], [{ amount: '' }, 'amount'], [{ reason: 'changed' }, 'reason'], [{ reason: '' }, 'reason'],
    [{ transaction: '${second_charge.id}' }, 'transaction'], [{ 'metadata[till]': '4', reason: 'changed' }, 'reason'],
    [{ reason: 'changed', amount: 1, transaction: 'none' }, 'transaction'] ] as const).map(([body, param]) =>
    broken(JSON.stringify(body), onRefund(body), notUpdatable(param), { relies: ['A15'] }))),
'REF-10': rule(null,
  kept('of one Transaction', refunds({ transaction: '${charge.id}' }), ['LIST-1'],
    { given: ['refund', 'second_refund'], before: [refundOf('second_charge', { amount: 1 })],
    answers: { holds: ['${refund.id}', '${second_refund.id}'], count: 2, has_more: false },
    later: [[refunds({ transaction: '${second_charge.id}' }), { lacks: ['${refund.id}'], count: 1 }]] }, ANY),
  kept('of a Transaction without any', refunds({ transaction: '${charge.id}' }), ['LIST-1'], paging()),
  kept('two of all', refunds(), ['LIST-1'], { given: ['refund', 'second_refund'], answers: { page: ['${second_refund.id}', '${refund.id}'] },
    reliesNot: ['A11'] }),
  near('none of all', refunds(), ['LIST-1']),
  near('one of all', refunds(), ['LIST-1'], { given: ['refund'] }),
  near('of a Transaction that is not there', refunds({ transaction: 'none' }), ['LIST-1'],
    { given: ['refund', 'second_refund'], answers: { page: [] }, relies: ['A16'] }))
}

const SCOPED = { 'auth.visibility': 'scoped' }
const createUserOf = (account: string): Call => ({
  ...createUser(),
  on: `POST /accounts/${account}/users`
})
const asReseller = (call: Call): Call => ({ ...call, key: 'reseller' })
const JSON_TYPE = { 'content-type': 'application/json' }
/** A User of the merchant's Account, and a User of another. */
const USERS_APART = ['mch_a', 'rsl_r'].map((account, at) => ({
  id: at === 0 ? 'usr_a' : 'usr_r',
  account,
  name: 'U',
  email: 'u@example.com'
}))
/** Usual requests, each with all assumptions that its response relies on. */
// biome-ignore format: a table
export const USUAL: readonly Case[] = ([
  ['a create', createLocation(), 'A02 A03 A04 A05 A06 A18 A21'],
  ['a payment', payLeast(), 'A02 A03 A04 A05 A06 A09 A22 A24 A29'],
  ['a payment with a key', { ...payLeast(), key: 'merchant' }, 'A02 A03 A04 A05 A06 A09 A20 A22 A24 A29'],
  ['a Refund', refund(), 'A02 A03 A04 A05 A06 A18 A23 A28'],
  ['a User', createUser(), 'A02 A03 A04 A05 A06 A18 A19 A21'],
  ['an update', updateLocation({ phone: '1' }), 'A04 A05 A18'],
  ['an update of a Refund', onRefund({ 'metadata[till]': '4' }), 'A04 A05 A17 A18'],
  ['a delete', deleteUser, 'A18 A19'],
  ['a read', readLocation, 'A04 A05 A18'],
  ['a read of a Ticket', read('/tickets/${ticket.id}'), 'A04 A05 A18'],
  ['a read of a Transaction', readCharge, 'A04 A05 A09 A18 A29'],
  ['a list', list('/accounts'), 'A04 A05 A09 A10 A11 A18 A19'],
  ['a list of Tickets', tickets(), 'A04 A05 A09 A10 A11 A18'],
  ['a list of Locations', locations(), 'A04 A05 A09 A10 A11 A18'],
  ['a list of nothing', refunds(), 'A09 A10 A18'],
  ['a list of no Transaction', transactions(), 'A09 A10 A18'],
  ['a refused create', createLocation({ display_name: undefined }), 'A07 A08 A18', missing('display_name', 'LOC-1')],
  ['a refused list', locations({ limit: 0 }), 'A07 A08 A10 A18', invalid('limit', 'A10')],
  ['no key', { ...readLocation, key: null }, 'A07 A08', NO_KEY],
  ['nothing remains', refundOf('spent'), 'A07 A08 A18 A23', ALL_REFUNDED]
] as const satisfies readonly (readonly [string, Call, string, Blame?])[]).map(([title, call, all, blames]) => (
  { title, call, rests: all.split(' ') as AssumptionId[], ...(blames && { blames }) }))

/** By assumption; A01, A33 and A34 apply to every response. */
// biome-ignore format: a table, a case in as few lines as it takes
export const ASSUMPTION_CASES: Readonly<Partial<Record<CountedAssumption, AssumptionCases>>> = {
A06: assumption(
  relies('statuses.created', createLocation(), { settings: { 'statuses.created': 201 }, answers: { status: 201 } })),
A07: assumption(
  relies('an operation that is disabled', { on: 'DELETE /accounts/mch_a' }, disabled('ACC-5'))),
A08: assumption(
  relies('a method that the path does not take', { on: 'PATCH /locations/loc_a' }, noMethod('A08')),
  ...['/locations', '/accounts', '/tickets', '/transactions', '/refunds'].map(path => relies(`${path}/none`, read(`${path}/none`), notThere())),
  relies('an update of what is not there', { on: 'POST /refunds/none', body: { 'metadata[till]': '4' } }, notThere()),
  relies('an id of another family', read('/locations/mch_a'), notThere()),
  relies('statuses.invalid', createLocation({ display_name: '' }), [422, 'parameter_missing', 'display_name', 'LOC-1'],
    { settings: { 'statuses.invalid': 422 } }),
  relies('statuses.unauthenticated', { ...readLocation, key: null }, [403, 'api_key_missing', null, 'AUTH-3'],
    { settings: { 'statuses.unauthenticated': 403 } }),
  relies('statuses.forbidden', asReseller(createLocation()), [401, 'merchant_required', null, 'LOC-3'], { settings: { 'statuses.forbidden': 401 } }),
  relies('statuses.missing', read('/locations/none'), [410, 'resource_missing', 'id', 'A08'], { settings: { 'statuses.missing': 410 } }),
  relies('statuses.reference_missing', pay({ ticket: 'none' }), [404, 'reference_missing', 'ticket', 'TXN-1'],
    { settings: { 'statuses.reference_missing': 404 } }),
  relies('statuses.refund_refused', refundOf('spent'), [409, 'charge_already_refunded', 'transaction', 'REF-6'],
    { settings: { 'statuses.refund_refused': 409 } }),
  order('404 before 415', { on: 'POST /nowhere', body: '{}', headers: JSON_TYPE }, noPath('A08')),
  order('404 before 413', { on: 'POST /nowhere', body: LARGE }, noPath('A08')),
  order('404 before 401', { on: 'GET /nowhere', key: null }, noPath('A08')),
  order('404 before the form', { on: 'GET /nowhere', query: 'a=%zz' }, noPath('A08')),
  order('405 before 401', { on: 'DELETE /locations', key: null }, noMethod('A08')),
  order('405 before 415', { on: 'PUT /locations', body: '{}', headers: JSON_TYPE }, noMethod('A08')),
  order('405 before the form', { on: 'PATCH /locations/loc_a', body: 'a=%zz' }, noMethod('A08')),
  order('401 before 501', { on: 'DELETE /locations/loc_a', key: null }, NO_KEY),
  order('401 before 415', { ...asJson(createLocation()), key: null }, NO_KEY),
  order('401 before 413', { on: 'POST /locations', body: LARGE, key: null }, NO_KEY),
  order('401 before the form', { on: 'GET /locations', query: 'a=%zz', key: null }, NO_KEY),
  order('401 before an id that is not there', { on: 'GET /locations/none', key: null }, NO_KEY),
  order('415 before 413', { on: 'POST /locations', body: LARGE, headers: JSON_TYPE }, wrongType('FORM-1')),
  order('415 before an unknown parameter', { on: 'POST /locations', query: 'a=1', body: '{}', headers: JSON_TYPE }, wrongType('FORM-1')),
  order('413 before the form', postLocation(`%zz&${LARGE}`), [413, 'body_too_large', null, 'A35']),
  order('413 before a body that is not expected', { on: 'DELETE /accounts/mch_a/users/none', body: LARGE }, [413, 'body_too_large', null, 'A35']),
  order('a body that is not expected before an id', { on: 'DELETE /accounts/none/users/none', body: 'a=1' }, unexpectedBody('A37')),
  order('the form of the body before that of the query', { on: 'POST /locations', body: 'a=%zz', query: 'b=%zz' }, malformed('a', 'FORM-1')),
  order('an unknown parameter of the query before one of the body', { on: 'POST /locations', body: 'colour=red', query: 'x=1' }, unknown('x')),
  order('the form before an unknown parameter', postLocation('colour=red&a=%zz'), malformed('a', 'FORM-1')),
  order('the form before the table', postLocation('address=US&a[=1'), malformed('a[', 'FORM-2')),
  order('an unknown parameter before the table', postLocation('address=US&colour=red'), unknown('colour')),
  order('an unknown parameter before a cursor', locations('x=1&starting_after=none'), unknown('x')),
  order('display_name before the address', createLocation({ display_name: undefined, 'address[country]': 'XX' }), missing('display_name', 'LOC-1')),
  order('type before name and email', createAccount({ type: 'x', name: '', email: 'x' }), invalid('type', 'ACC-1')),
  order('currency before amount', pay({ amount: 'x', currency: 'X' }), invalid('currency', 'TXN-6')),
  order('gte before lt', tickets('created[lt]=x&created[gte]=x'), invalid('created[gte]', 'FILT-1')),
  order('limit before a cursor', locations('starting_after=none&limit=x'), invalid('limit', 'LIST-3')),
  order('a cursor before created', tickets('created[gte]=x&starting_after=none'), noCursor('starting_after')),
  order('a Ticket that is not there before a bad amount', pay({ ticket: 'none', amount: 'x' }), noReference('ticket', 'TXN-1')),
  order('the table before the id in the path', { on: 'POST /locations/none', body: { address: 'US' } }, invalid('address', 'ADDR-1')),
  order('the table before the Account in the path', { on: 'POST /accounts/none/users', body: { name: 'A' } }, missing('email', 'USR-3')),
  order('limit before the Account in the path', list('/accounts/none/users', 'limit=x'), invalid('limit', 'LIST-3')),
  order('the table before who may', asReseller(createLocation({ 'address[country]': undefined })), missing('address[country]', 'LOC-2')),
  order('the table before the rules of the operation', vip({ 'customer[phone]': undefined, currency: 'X' }), invalid('currency', 'TXN-6')),
  order('what a type needs before the sum', payLeast({ payment_type: 'vip', amount: MOST, tip_amount: 1 }), missing('customer[phone]', 'TXN-3')),
  order('the Account before the User', { on: 'DELETE /accounts/none/users/none' }, notThere('account_id')),
  not('an operation that is disabled', { on: 'DELETE /locations/loc_a' }, disabled('LOC-4')),
  not('order: 501 before 413', { on: 'DELETE /accounts/mch_a', body: LARGE }, disabled('ACC-5')),
  not('order: 501 before a body', { on: 'DELETE /accounts/mch_a', body: 'a=1' }, disabled('ACC-5')),
  not('order: 501 before the form', { on: 'DELETE /accounts/mch_a', query: 'a=%zz' }, disabled('ACC-5')),
  not('order: 501 before an unknown parameter', { on: 'DELETE /locations/loc_a', query: 'a=1' }, disabled('LOC-4')),
  not('order: 501 before an id that is not there', { on: 'DELETE /locations/none' }, disabled('LOC-4'))),
A09: assumption(
  ...LISTS.map(([path]) => relies(path, list(path)))),
A10: assumption(
  relies('a limit above the default', locations({ limit: 11 })),
  relies('a cursor', locations({ limit: 1, starting_after: 'loc_b' }), { given: ['location'], answers: { page: ['loc_a'] } }),
  relies('a cursor back', locations({ limit: 1, ending_before: 'loc_a' }), { given: ['location'], answers: { page: ['loc_b'], has_more: true } }),
  relies('a deleted User as a cursor', list('/accounts/${account.id}/users', { limit: 1, starting_after: '${second_user.id}' }),
    { given: ['user', 'second_user'], before: [{ on: 'DELETE /accounts/${account.id}/users/${second_user.id}' }], answers: { page: ['${user.id}'] } }),
  ...['0', '-1', '101', BEYOND].map(limit => relies(`limit=${limit}`, locations({ limit }), invalid('limit', 'A10'))),
  ...['starting_after', 'ending_before'].flatMap(param => ['none', '${charge.id}', '__proto__'].map(id =>
    relies(`${param}=${id}`, locations({ [param]: id }), noCursor(param)))),
  relies('a User of another Account as a cursor', list('/accounts/${account.id}/users', { starting_after: '${other_user.id}' }),
    noCursor('starting_after')),
  relies('both cursors', tickets({ starting_after: '${ticket.id}', ending_before: '${ticket.id}' }), invalid('ending_before', 'A10')),
  relies('a limit that is clamped', locations({ limit: 101 }), { settings: { 'pagination.out_of_range': 'clamp' }, answers: { count: 2 } }),
  relies('a limit that is clamped to 1', locations({ limit: -7 }),
    { settings: { 'pagination.out_of_range': 'clamp' }, given: ['location'], answers: { count: 1 } }),
  relies('pagination.default_limit', locations(), { settings: { 'pagination.default_limit': 1 }, given: ['location'],
    answers: { count: 1, has_more: true } }),
  relies('a limit beyond all numbers that is clamped', locations({ limit: '9'.repeat(20) }),
    { settings: { 'pagination.out_of_range': 'clamp', 'pagination.max_limit': 1 }, answers: { count: 1 } }),
  relies('a default above the largest', locations(), { settings: { 'pagination.default_limit': 9, 'pagination.max_limit': 1 },
    answers: { count: 1 } }),
  relies('pagination.max_limit', locations({ limit: 4 }), invalid('limit', 'A10'), { settings: { 'pagination.max_limit': 3 } }),
  not('a limit', locations({ limit: 5 })),
  not('the default limit', locations({ limit: 10 })),
  not('a limit in range, where others are clamped', locations({ limit: 5 }), { settings: { 'pagination.out_of_range': 'clamp' } }),
  not('a limit that is no integer', locations({ limit: 'x' }), invalid('limit', 'LIST-3')),
  not('a limit that is no integer, where others are clamped', locations('limit=x'), invalid('limit', 'LIST-3'),
    { settings: { 'pagination.out_of_range': 'clamp' } })),
A11: assumption(
  relies('two records', tickets(), paging('${newest_ticket.id}', '${ticket.id}')),
  relies('one record of two', tickets({ limit: 1 }), paging('${newest_ticket.id}')),
  relies('the last of two', tickets({ limit: 1, starting_after: '${newest_ticket.id}' }), paging('${ticket.id}')),
  relies('nothing after the last of two', tickets({ starting_after: '${ticket.id}' }), paging()),
  relies('pagination.order', tickets(), { settings: { 'pagination.order': 'oldest_first' }, answers: { page: ['${ticket.id}', '${newest_ticket.id}'] } }),
  relies('the one match of a search among two', tickets({ search_query: '${newest_ticket.reference}', limit: 5 }),
    paging('${newest_ticket.id}')),
  relies('a search that hides them all', tickets({ search_query: 'none' }), paging()),
  not('one record', readUsers, { given: ['user'] }),
  not('a search of one record', transactions({ search_query: '4242' }), { given: ['charge'] }),
  not('Refunds', refunds(), { settings: { 'pagination.order': 'oldest_first' }, given: ['refund', 'second_refund'],
    answers: { page: ['${second_refund.id}', '${refund.id}'] } })),
A12: assumption(
  relies('a search of Tickets', tickets({ search_query: '${ticket.reference}' })),
  relies('a search of Transactions', transactions({ search_query: '4242' }))),
A13: assumption(
  relies('a part of a reference, in another case', tickets({ search_query: 't-1' }), paging('${ticket.id}')),
  relies('search.reference = prefix', tickets({ search_query: '-1' }), { settings: { 'search.reference': 'prefix' }, answers: { page: [] } }),
  relies('search.reference = exact', tickets({ search_query: 'T-' }), { settings: { 'search.reference': 'exact' }, answers: { page: [] } }),
  relies('a part of the digits', transactions({ search_query: '424' }), { given: ['charge'], answers: { page: [] } }),
  relies('search.last4 = contains', transactions({ search_query: '24' }),
    { settings: { 'search.last4': 'contains' }, given: ['charge'], answers: { page: ['${charge.id}'] } }),
  not('no search', tickets({ 'created[gte]': '2020-01-01T00:00:00Z' }))),
A14: assumption(
  relies('a parameter of a read', { ...readLocation, query: 'x=1' }, unknown('x')),
  ...([ [createLocation({ colour: 'red' }), 'colour'], [createLocation({ Phone: '1' }), 'Phone'], [createLocation({ id: 'loc_mine' }), 'id'],
    [createLocation({ 'tags[]': 'a' }), 'tags[]'], [createLocation({ 'a[b][c]': '1' }), 'a[b][c]'],
    [postLocation('display_name=A&address[country]=US&__proto__[phone]=1'), '__proto__[phone]'],
    [createLocation({ constructor: 'x' }), 'constructor'], [createLocation({ 'address[toString]': 'x' }), 'address[toString]'],
    [createAccount({ website: 'x' }), 'website'], [onAccount({ reseller: 'rsl_r' }), 'reseller'], [createUser({ phone: '1' }), 'phone'],
    [pay({ 'metadata[k]': 'v' }), 'metadata[k]'], [pay({ 'card[cvv]': '1' }), 'card[cvv]'],
    [pay({ 'amounts[donation_amount]': 1 }), 'amounts[donation_amount]'], [refund({ currency: 'usd' }), 'currency'],
    [{ on: 'POST /transactions', query: 'amount=1', body: 'ticket=tkt_a&payment_type=card', key: null }, 'amount'],
    [locations('location=loc_a'), 'location'], [list('/accounts', 'page=2'), 'page'],
    [list('/accounts/mch_a/users', 'search_query=a'), 'search_query'], [tickets('created[eq]=2026-01-01'), 'created[eq]'],
    [transactions('ticket=tkt_a'), 'ticket'], [refunds('created[gt]=2026-01-01'), 'created[gt]'], [list('/locations/loc_a', 'expand=1'), 'expand'],
    [list('/transactions/${charge.id}', 'expand[]=refunds'), 'expand[]'],
    [{ ...deleteUser, query: 'force=1' }, 'force'] ] as const).map(([call, param]) => relies(`${call.on} with ${param}`, call, unknown(param))),
  relies('an empty one', createLocation({ colour: '' }), unknown('colour')),
  relies('dropped with a warning', createLocation({ colour: 'red' }), { settings: { 'parameters.unknown': 'warn' } }),
  relies('dropped without a word', locations({ colour: 'red' }), { settings: { 'parameters.unknown': 'ignore' } }),
  not('known ones alone, where others are dropped', createLocation(), { settings: { 'parameters.unknown': 'ignore' } }),
  not('one that is not updatable', onRefund({ amount: 1 }), notUpdatable('amount'))),
A15: assumption(
  relies('refused', onRefund({ amount: 1 }), notUpdatable('amount')),
  relies('ignored', onRefund({ amount: 1 }), showing({ amount: 100 }), { settings: { 'parameters.not_updatable': 'ignore' } }),
  not('one that no Refund has', onRefund({ colour: 'red' }), unknown('colour'))),
A16: assumption(
  relies('empty on a create', createLocation({ phone: '', website: '', 'address[city]': '' }),
    showing({ phone: null, website: null, address: { city: null } })),
  relies('an empty object on a create', pay({ customer: '', amounts: '' }), showing({ customer: null, amounts: null })),
  relies('empty in a query', tickets('starting_after=&search_query=&created[gte]='), { answers: { count: 2 } }),
  relies('an empty object in a query', tickets('created='), { answers: { count: 2 } }),
  relies('limit=', locations('limit='), invalid('limit', 'A16')),
  relies('limit=, where others are clamped', locations('limit='), invalid('limit', 'A16'), { settings: { 'pagination.out_of_range': 'clamp' } }),
  relies('a filter that names nothing', transactions({ location: 'none' }), paging()),
  relies('an empty amount of a Refund', refundOf('charge', { amount: '' }), invalid('amount', 'A16')),
  ...([ [updateFurnished, { display_name: '' }], [updateFurnished, { 'address[country]': '' }], [onFurnishedAccount, { address: '' }],
    [onFurnishedAccount, { type: '' }], [onFurnishedAccount, { name: '' }],
    [onFurnishedAccount, { email: '' }] ] as const).map(([update, sent]) => relies(`${Object.keys(sent)} that the create requires, unset`, update(sent))),
  ...([ [updateFurnished({ display_name: '' }), 'display_name'], [updateFurnished({ 'address[country]': '' }), 'address[country]'],
    [onFurnishedAccount({ address: '' }), 'address[country]'], [onFurnishedAccount({ type: '' }), 'type'], [onFurnishedAccount({ name: '' }), 'name'],
    [onFurnishedAccount({ email: '' }), 'email'] ] as const).map(([call, param]) =>
    relies(`${JSON.stringify(call.body)}, where that is refused`, call, missing(param, 'A16'), { settings: { 'parameters.unset_required': 'reject' } })),
  not('an optional parameter that an update unsets', updateFurnished({ phone: '' })),
  not('a filter that names something', tickets({ location: 'loc_a' }))),
A17: assumption(
  relies('metadata merged', updateFurnished({ 'metadata[new]': '1' }), showing({ metadata: { order: 'A-17', till: '3', new: '1' } })),
  relies('metadata cleared and set', { on: updateFurnished({}).on, body: 'metadata=&metadata[new]=1' }, showing({ metadata: { new: '1' } })),
  ...([ [createLocation({}).on, 'metadata=&metadata[k]=1&display_name=A&address[country]=US', { metadata: { k: '1' } }],
    [createLocation({}).on, 'address[country]=US&display_name=A&address=', { address: { country: 'US' } }],
    [payLeast().on, 'ticket=${ticket.id}&payment_type=card&card=&card[last4]=4242', { payment_method: { card: { last4: '4242' } } }] ] as const).map(
    ([on, body, shows]) => relies(body, { on, body, ...(on === payLeast().on && { key: null }) }, showing(shows), { relies: ['A16', 'A17'] })),
  relies('an address cleared and set', { on: updateFurnished({}).on, body: 'address=&address[country]=CA' },
    showing({ address: { country: 'CA', city: null } })),
  ...['metadata[k][n]', 'metadata[k][]', 'metadata[k][n][m]'].map(param => relies(param, updateFurnished({ [param]: '1' }), invalid(param, 'A17'))),
  not('metadata where there was none', updateLocation({ 'metadata[new]': '1' })),
  not('metadata of a create', createLocation({ 'metadata[new]': '1' })),
  not('an update without metadata', updateFurnished({ phone: '1' }))),
A18: assumption(
  ...['nobody', ' ${merchant_key}', 'mch_a', '__proto__'].map(name => relies(name, { ...locations(), key: { name } }, UNKNOWN_KEY)),
  relies('a password', { ...locations(), key: { name: '${merchant_key}', password: 'word' } }, BAD_KEY),
  relies('auth.accept_any_key', { ...createLocation(), key: { name: 'nobody' } }, showing({ account: 'mch_a' }),
    { settings: { 'auth.accept_any_key': 'mch_a' } }),
  relies('auth.accept_any_key, whosever it is', asReseller(createLocation()), showing({ account: 'mch_a' }),
    { settings: { 'auth.accept_any_key': 'mch_a' } }),
  not('no key, where any is accepted', { ...locations(), key: null }, NO_KEY, { settings: { 'auth.accept_any_key': 'mch_a' } }),
  not('another scheme', { ...locations(), key: null, headers: { authorization: 'Bearer x' } }, BAD_KEY)),
A19: assumption(
  relies('a Location shown', asReseller(read('/locations/loc_a'))),
  relies('a Ticket shown', asReseller(read('/tickets/${ticket.id}'))),
  relies('a list that shows one', asReseller(locations()), paging('loc_b', 'loc_a')),
  relies('a Location hidden', asReseller(read('/locations/loc_a')), notThere(), { settings: SCOPED }),
  relies('a list that hides one', asReseller(locations()), { settings: SCOPED, answers: { page: [] } }),
  relies('a Transaction hidden', asReseller(refundOf('charge')), noReference('transaction', 'A19'), { settings: SCOPED }),
  relies('a cursor hidden', asReseller(locations({ starting_after: 'loc_a' })), noCursor('starting_after'), { settings: SCOPED }),
  relies('an update hidden', asReseller(updateLocation({ phone: '1' })), notThere(), { settings: SCOPED }),
  ...([ [{ on: 'POST /accounts/mch_a', body: { phone: '1' } }], [createUserOf('mch_a')], [{ on: 'DELETE /accounts/mch_a/users/usr_a' }, 'account_id'],
    [onRefund({ 'metadata[k]': 'v' })], [list('/accounts/mch_a/users')] ] as const).map(([call, param = 'id']) =>
    relies(`${call.on} hidden`, asReseller(call), notThere(param), { settings: SCOPED, records: { users: USERS_APART } })),
  not("the key's own", read('/locations/loc_a')),
  not("the key's own, scoped", read('/locations/loc_a'), { settings: SCOPED }),
  not('the Users of its own Account, scoped', list('/accounts/mch_a/users'),
    { settings: SCOPED, records: { users: USERS_APART }, answers: { page: ['usr_a'] } }),
  relies('a list of what is at an Account that it created', asReseller(locations()),
    { settings: SCOPED, answers: { page: ['loc_c'] }, ...OF_RESELLER }),
  not('a Location of an Account that it created', asReseller(read('/locations/loc_c')), { settings: SCOPED, ...OF_RESELLER }),
  not('an Account that it created', asReseller(read('/accounts/mch_c')),
    { settings: SCOPED, ...OF_RESELLER })),
A20: assumption(
  relies('a key that is not known', { ...payLeast(), key: { name: 'nobody' } }),
  relies('another scheme', { ...payLeast(), headers: { authorization: 'Bearer x' } }),
  ...([ [{ key: 'merchant' }, null], [{ key: { name: 'nobody' } }, 'unknown'], [{ key: { name: 'nobody', password: 'x' } }, 'malformed'],
    [{ headers: { authorization: 'Bearer x' } }, 'malformed'], [{ key: { name: '' } }, 'missing'] ] as const).map(([sent, wrong]) =>
    relies(`auth.payment_key = check: ${JSON.stringify(sent)}`, { ...payLeast(), ...sent }, { settings: { 'auth.payment_key': 'check' },
      ...(wrong && { blames: [401, `api_key_${wrong}`, null, 'A20'] as const }) })),
  not('none, where one is checked', payLeast(), { settings: { 'auth.payment_key': 'check' } })),
A21: assumption(
  relies('a Location', createLocation(), showing({ account: 'mch_a' })),
  relies('a User', createUser(), showing({ account: '${account.id}' })),
  relies("an Account of a reseller's", asReseller(createAccount()), showing({ reseller: 'rsl_r' })),
  not("an Account of a merchant's", createAccount(), showing({ reseller: null })),
  not('a refused create', asReseller(createLocation()), NO_MERCHANT)),
A22: assumption(
  relies('no currency', payLeast({ amount: 1 }), showing({ currency: 'usd' })),
  relies('transactions.default_currency', payLeast({ amount: 1 }), showing({ currency: 'eur' }), { settings: { 'transactions.default_currency': 'eur' } }),
  ...[{}, { currency: '' }].map(body => relies(`required: ${JSON.stringify(body)}`, payLeast({ amount: 1, ...body }), missing('currency', 'A22'), REQUIRED)),
  not('a currency, where it is required', payLeast({ currency: 'eur' }), REQUIRED),
  not('amounts[currency], where it is required', payLeast({ 'amounts[currency]': 'eur' }), REQUIRED),
  not('a currency', payLeast({ currency: 'eur' })),
  not('a refused payment', payLeast({ payment_type: 'cash' }), invalid('payment_type', 'TXN-2'))),
A23: assumption(
  relies('more than the amount', refund({ amount: 1001 }), EXCEEDS),
  relies('the tip not', refundOf('tipped', { amount: 1001 }), EXCEEDS),
  relies('the tip too', refundOf('tipped'), showing({ amount: 1230 }), { settings: { 'transactions.refundable': 'amount_plus_extras' } }),
  not('a Transaction that is not there', refund({ transaction: 'none' }), noReference('transaction', 'REF-1'))),
A24: assumption(
  ...([ [{}, { amount: 0, tip_amount: null, currency: 'usd', amounts: null }], [{ tip_amount: 5 }, { amount: 0, tip_amount: 5 }],
    [{ 'amounts[transaction_amount]': 7 }, { amount: 7, amounts: { transaction_amount: 7 } }], [{ 'amounts[payment_amount]': 8 }, { amount: 8 }],
    [{ 'amounts[transaction_amount]': 7, 'amounts[payment_amount]': 8 }, { amount: 7 }],
    [{ 'amounts[transaction_amount]': 0, 'amounts[payment_amount]': 8 }, { amount: 0 }],
    [{ amount: 5, 'amounts[transaction_amount]': 7 }, { amount: 5, amounts: { transaction_amount: 7 } }],
    [{ amount: 0, 'amounts[transaction_amount]': 7 }, { amount: 0 }], [{ amount: '', 'amounts[transaction_amount]': 7 }, { amount: 7 }],
    [{ 'amounts[tip_amount]': 2 }, { amount: 0, tip_amount: 2 }], [{ tip_amount: 0, 'amounts[tip_amount]': 2 }, { tip_amount: 0 }],
    [{ 'amounts[currency]': 'eur' }, { currency: 'eur' }], [{ currency: 'jpy', 'amounts[currency]': 'eur' },
    { currency: 'jpy', amounts: { currency: 'eur' } }] ] as const).map(([body, shows]) =>
    relies(JSON.stringify(body), payLeast(body), showing(shows), { later: [[read('/transactions/${made.id}'), { shows: '${made}' }]] })),
  relies('a Refund of a part of nothing', refundOf('free', { amount: 1 }), [400, 'charge_has_no_amount', 'transaction', 'A24']),
  relies('a part that is no integer', payLeast({ 'amounts[tip_amount]': '1.5' }), invalid('amounts[tip_amount]', 'A24')),
  relies('a currency that is none', payLeast({ 'amounts[currency]': 'zzz' }), invalid('amounts[currency]', 'A24')),
  ...[{}, { amount: '' }, { tip_amount: 5 }].map(body =>
    relies(`transactions.without_amount = reject: ${JSON.stringify(body)}`, payLeast(body), missing('amount', 'A24'), NEEDS_AMOUNT)),
  relies('amounts, where one is needed', payLeast({ 'amounts[payment_amount]': 8 }), NEEDS_AMOUNT),
  not('an amount of 0, where one is needed', payLeast({ amount: 0 }), NEEDS_AMOUNT),
  not('an amount', payLeast({ amount: 5 })),
  not('an amount of 0', payLeast({ amount: 0 }))),
A25: assumption(
  ...([ [{ 'card[brand]': 'visa' }, { brand: 'visa', last4: null }], [{ 'card[last4]': '1111' }, { brand: null, last4: '1111' }],
    [{ 'card[last4]': '1111', 'card[number]': '4242424242424242' }, { brand: null, last4: '1111' }],
    [{ 'card[number]': '4000 0566-5566 5556' }, { brand: null, last4: '5556' }], [{ 'card[number]': '1234' }, { brand: null, last4: '1234' }],
    [{ 'card[number]': '123' }, { brand: null, last4: null }], [{ 'card[number]': 'none' }, { brand: null, last4: null }],
    [{ 'card[token]': 'tok_1' }, { brand: null, last4: null }] ] as const).map(([body, card]) =>
    relies(JSON.stringify(body), payLeast(body), showing({ payment_method: { card } }))),
  ...([ [{ 'bank_account[bank_name]': 'First' }, { bank_name: 'First', last4: null }],
    [{ 'bank_account[account_number]': 'DE89 3704 0044 0532 0130 00' }, { bank_name: null, last4: '3000' }],
    [{ 'bank_account[account_number]': '12' }, { bank_name: null, last4: null }] ] as const).map(([body, bank_account]) =>
    relies(JSON.stringify(body), vip(body), showing({ payment_method: { bank_account } }))),
  ...['424', '42424', 'abcd', '-424', '42 4', '٤٢٤٢'].map(last4 => relies(`card[last4]=${last4}`, pay({ 'card[last4]': last4 }),
    invalid('card[last4]', 'A25'))),
  not('neither', payLeast(), showing({ payment_method: { type: 'external', card: null, bank_account: null } })),
  not('an empty card', payLeast({ card: '', 'bank_account[bank_name]': '' }), showing({ payment_method: { card: null, bank_account: null } })),
  not('parts that are empty', payLeast({ 'card[number]': '', 'card[brand]': '' }), showing({ payment_method: { card: null } }))),
A26: assumption(
  relies('with a card', pay(BANK), showing({ payment_method: { bank_account: null } })),
  not('with vip', vip(BANK)),
  not('without it', pay())),
A27: assumption(
  ...['9007199254740992', BEYOND, '9'.repeat(400)].map(amount => relies(amount, payLeast({ amount }), invalid('amount', 'A27'))),
  ...['transaction_amount', 'payment_amount', 'tip_amount'].flatMap(name =>
    ['-1', BEYOND].map(value => relies(`amounts[${name}]=${value}`, payLeast({ [`amounts[${name}]`]: value }), invalid(`amounts[${name}]`, 'A27')))),
  ...([ [{ amount: MOST, tip_amount: 1 }], [{ amount: MOST - 1, tip_amount: 1, donation_amount: 1 }],
    [{ 'amounts[transaction_amount]': MOST, 'amounts[tip_amount]': 1 }] ] as const).map(([body]) =>
    relies(`together too much: ${JSON.stringify(body)}`, payLeast(body), invalid('amount', 'A27'))),
  ...([ ['0', 0], ['-1', -1], ['1.5', 1.5], ['-0.25', -0.25], ['007', 7], ['1e3', 1000], ['1e+06', 1_000_000], ['2.5E-1', 0.25],
    [String(MOST), MOST] ] as const).map(([value, number]) => relies(`adjustment_number=${value}`, payLeast({ adjustment_number: value }),
    showing({ adjustment_number: number }))),
  ...['0x10', '+5', ' 5', '1,5', 'NaN', 'Infinity', '-', '1.2.3', '--1', '1e', '1e999', BEYOND, '0.12345678901234567890'].map(value =>
    relies(`adjustment_number=${value}`, payLeast({ adjustment_number: value }), invalid('adjustment_number', 'A27'))),
  not('parts that come together to the most', payLeast({ amount: MOST - 2, tip_amount: 1, donation_amount: 1 })),
  not('an amount', payLeast({ amount: '007' }), showing({ amount: 7 })),
  not('an amount that is no integer', payLeast({ amount: '1.5' }), invalid('amount', 'TXN-7')),
  not('a Refund of 0', refund({ amount: 0 }), invalid('amount', 'REF-3'))),
A28: assumption(
  relies('a Refund', refund(), showing({ currency: 'usd' })),
  relies('a Refund of a payment without a card', refundOf('cash')),
  relies('refunds.without_card = reject', refundOf('cash'), [400, 'charge_has_no_card', 'transaction', 'A28'], NEEDS_CARD),
  relies('a Refund to a card, where one is needed', refundOf('other_card'), NEEDS_CARD),
  not('a refused Refund, where a card is needed', refundOf('cash', { amount: 1001 }), EXCEEDS, NEEDS_CARD)),
A29: assumption(
  relies('a read', readCharge, showing({ amount_refunded: 0, refunds: { object: 'list', has_more: false } })),
  relies('a list', transactions(), { given: ['charge'] })),
A30: assumption(
  ...NO_ADDRESSES.flatMap(email => [
    relies(`an Account's ${email}`, onAccount({ email }), invalid('email', 'A30')),
    relies(`a customer's ${email}`, payLeast({ 'customer[email]': email }), invalid('customer[email]', 'A30'))]),
  ...['us', 'Us', 'uS'].map(country => relies(country, createLocation({ 'address[country]': country }), showing({ address: { country: 'US' } }))),
  ...['ana@example.com', 'Ana.Lima+till@sub.example.co', "o'hara@example.com", 'ana@xn--caf-dma.example', 'jörg@bücher.example'].map(email =>
    not(email, createUser({ email }), showing({ email }))),
  not('no country', createLocation({ 'address[country]': 'XX' }), invalid('address[country]', 'ADDR-2'))),
A31: assumption(
  relies('another type', onAccount({ type: 'reseller' }), showing({ id: '${account.id}', type: 'reseller' })),
  not('the same type', onAccount({ type: 'merchant' })),
  not('no type', onAccount({ name: 'New' })),
  not('a create', createAccount())),
A32: assumption(
  relies('JSON', asJson(createLocation()), wrongType('FORM-1')),
  relies('a type that cannot be read', { ...createLocation(), headers: { 'content-type': 'form' } }, wrongType('FORM-1')),
  ...['gzip', 'br', 'gzip, identity'].map(encoding => relies(encoding, { ...createLocation(), headers: { 'content-encoding': encoding } },
    wrongType('A32'))),
  not('an encoding that changes nothing', { ...createLocation(), headers: { 'content-encoding': 'identity' } }),
  not('a type without a body', { ...readLocation, headers: JSON_TYPE })),
A35: assumption(
  relies('a large body', { on: 'POST /locations', body: LARGE }, [413, 'body_too_large', null, 'A35']),
  relies('many parameters', { on: 'POST /locations', body: Array.from({ length: 1001 }, (_, n) => `a${n}=1`).join('&') },
    [400, 'form_too_large', null, 'A35']),
  relies('deep nesting', postLocation('a[b][c][d][e][f]=1'), [400, 'form_too_large', 'a[b][c][d][e][f]', 'A35']),
  relies('deep nesting in a query', tickets('a[b][c][d][e][f]=1'), [400, 'form_too_large', 'a[b][c][d][e][f]', 'A35']),
  relies('a long search', tickets({ search_query: 'x'.repeat(1001) }), invalid('search_query', 'A35')),
  not('a long text', createLocation({ display_name: 'x'.repeat(100_000) })),
  not('a thousand keys', { on: 'POST /locations/${location.id}', body: Array.from({ length: 1000 }, (_, n) => `metadata[k${n}]=1`).join('&') })),
A36: assumption(
  ...([ ['display_name=A&display_name=B', 'display_name'], ['metadata=a&metadata=b', 'metadata'], ['metadata[k]=a&metadata[k]=b', 'metadata[k]'],
    ['display_name=%ff', 'display_name'], ['display_name=%C3%28', 'display_name'],
    ['=1', null] ] as const).map(([body, param]) => relies(body, { on: 'POST /locations', body }, malformed(param, 'A36'))),
  ...['display_name[]', 'display_name[a]', 'phone[]', 'phone[home]', 'address[city][]', 'address[city][name]'].map(param =>
    relies(param, createLocation({ [param.replace(/\[[^[]*$/, '')]: undefined, [param]: 'A' }), malformed(param, 'A36'), { decoded: true })),
  ...['ticket[]', 'payment_type[]', 'amount[]', 'amount[usd]', 'adjustment_number[]', 'card[number][]'].map(param =>
    relies(param, pay({ [param.replace(/\[[^[]*$/, '')]: undefined, [param]: '1' }), malformed(param, 'A36'), { decoded: true })),
  ...['limit[]', 'starting_after[]', 'created[gte][]', 'location[]', 'search_query[a]'].map(param =>
    relies(`${param} in a query`, tickets({ [param]: '1' }), malformed(param, 'A36'), { decoded: true })),
  relies('a list before an unknown parameter', createLocation({ colour: 'red', 'phone[]': '1' }), malformed('phone[]', 'A36'), { decoded: true }),
  relies('an object before an unknown parameter, in a query', tickets({ colour: 'red', 'limit[a]': '1' }), malformed('limit[a]', 'A36'),
    { decoded: true }),
  relies('a list where nested names belong', createLocation({ 'metadata[]': '1', colour: 'red' }), malformed('metadata[]', 'A36'), { decoded: true }),
  relies('a list of a parameter that cannot be updated', onRefund({ 'amount[]': 1 }), malformed('amount[]', 'A36'), { decoded: true }),
  not('a list of an unknown parameter', createLocation({ 'colour[]': 'red', 'phone[a]': undefined }), unknown('colour[]')),
  relies('broken percent-encoding in a query', tickets('limit=%zz'), malformed('limit', 'A36')),
  relies('a name given twice in a query', tickets('limit=1&limit=2'), malformed('limit', 'A36')),
  relies('another charset', { ...createLocation(), headers: { 'content-type': 'application/x-www-form-urlencoded; charset=iso-8859-1' } },
    malformed(null, 'A36')),
  not('broken percent-encoding in a body', postLocation('display_name=%zz'), malformed('display_name', 'FORM-1')),
  not('names that differ', postLocation('display_name=A&address[country]=US&address[city]=B')),
  not('an empty metadata beside a key of it', createLocation({ metadata: '', 'metadata[k]': 'v' }))),
A37: assumption(
  relies('a read', { on: 'GET /locations/loc_a', body: 'a=1' }, unexpectedBody('A37')),
  relies('a delete', { ...deleteUser, body: 'a=1' }, unexpectedBody('A37')),
  relies('a list with what is not of the list', { on: 'GET /locations', body: 'location=loc_a' }, unexpectedBody('A37')),
  relies('a list with its own', { on: 'GET /tickets', body: 'location=loc_a' }, unexpectedBody('FORM-3')),
  relies('JSON', asJson(readLocation), unexpectedBody('A37')),
  relies('broken percent-encoding', { on: 'GET /locations/loc_a', body: 'a=%zz' }, unexpectedBody('A37')),
  relies('a compressed body', { ...readLocation, body: 'a=1', headers: { 'content-encoding': 'gzip' } }, unexpectedBody('A37')),
  not('a delete that is disabled', { on: 'DELETE /locations/loc_a', body: 'a=1' }, disabled('LOC-4'))),
A38: assumption(
  ...['2026-01-31', '2026-02-01T10:00:00', '2026-032T10:00:00Z', '2026-W05-7T10:00:00Z'].map(value =>
    relies(value, tickets({ 'created[gte]': value, limit: 5 }), { answers: { count: 2 } })),
  relies('a leap second', tickets({ 'created[gte]': '2016-12-31T23:59:60Z', limit: 5 }), { answers: { count: 2 } }),
  relies('a fraction that is finer than a millisecond', tickets({ 'created[gte]': '2026-02-01T10:00:00.000001Z' }),
    paging('${newest_ticket.id}')),
  relies('a fraction that is finer than a millisecond, before', tickets({ 'created[lt]': '2026-02-01T10:00:00.000001Z' }),
    paging('${ticket.id}')),
  ...['2026-03', '2026'].map(value => relies(value, tickets({ 'created[gte]': value }), invalid('created[gte]', 'A38'))),
  ...['2026-02-01T10:00:00Z', '2026-02-01T10:00:00.000Z', '2026-02-01T11:00:00+01:00', '20260201T100000Z', '2026-02-01t10:00:00z'].map(value =>
    not(value, tickets({ 'created[gte]': value }), { answers: { count: 2 } })),
  not('no instant', tickets({ 'created[gte]': 'x' }), invalid('created[gte]', 'FILT-1'))),
A39: assumption(
  relies('a slash at the end', list('/locations/'), paging('loc_b', 'loc_a')),
  relies('a slash after an id', read('/locations/loc_a/'), showing({ id: 'loc_a' })),
  relies('HEAD', { on: 'HEAD /locations' }, { answers: { empty: true } }),
  relies('a path beside the base', { ...locations(), outside: true }, noPath('BASE-1')),
  not('another method', { on: 'PUT /locations' }, noMethod('A08')),
  not('a path that no family has', { on: 'GET /nowhere' }, noPath('A08'))),
A40: assumption(
  ...[' ', '\t\n', '\u00a0', '\u3000'].map(display_name => relies(`display_name=${JSON.stringify(display_name)}`, createLocation({ display_name }),
    invalid('display_name', 'A40'))),
  relies('an update of a name', updateLocation({ display_name: ' ' }), invalid('display_name', 'A40')),
  relies('the phone of a vip payment', vip({ 'customer[phone]': ' ' }), invalid('customer[phone]', 'A40')),
  relies('letters beyond ASCII in another case', tickets({ search_query: 'GRÖSSE' }),
    { records: { tickets: [{ id: 'tkt_g', location: 'loc_a', reference: 'Größe 7', created: '2026-01-01' }] }, answers: { page: ['tkt_g'] } }),
  not('a text', createLocation({ display_name: ' A ' }), showing({ display_name: ' A ' })),
  not('an empty text', createLocation({ display_name: '' }), missing('display_name', 'LOC-1')),
  not('the phone of another payment', payLeast({ 'customer[phone]': ' ' })),
  not('an optional text of white space', createLocation({ phone: ' ' }), showing({ phone: ' ' })))
}
