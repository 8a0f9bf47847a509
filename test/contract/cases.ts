/**
 * The rules and assumptions as calls: per rule those that keep it, near misses that do not, and those that break it with whom the refusal blames;
 * per assumption those whose answer relies on it, and near misses. Written out by hand; the API, the evidence and any service are asked the same.
 */
import {
  ADDRESS,
  type AssumptionCases,
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
/** What `payLeast` keeps, and `pay`, which sends an amount and a currency. */
const PAID_LEAST: readonly RuleId[] = ['AUTH-2', 'TXN-1', 'TXN-2']
const PAID: readonly RuleId[] = [...PAID_LEAST, 'TXN-6', 'TXN-7']
/** What `refund` keeps: a part is refunded, the amount is given, a reason is not. */
const REFUNDED: readonly RuleId[] = ['REF-1', 'REF-2', 'REF-3', 'REF-5', 'REF-6', 'REF-7', 'REF-8']
/** What a Refund of all that remains of a charge keeps. */
const REFUNDED_WHOLE: readonly RuleId[] = ['REF-1', 'REF-2', 'REF-4', 'REF-6', 'REF-8']
const without = (rules: readonly RuleId[], ...left: RuleId[]) => rules.filter(rule => !left.includes(rule))

const onAccount = (body: Fields): Call => ({ on: 'POST /accounts/${account.id}', body })
const onFurnishedAccount = (body: Fields): Call => ({ on: 'POST /accounts/${furnished_account.id}', body })
const onRefund = (body: Fields): Call => ({ on: 'POST /refunds/${refund.id}', body })
const refundOf = (name: string, body: Fields = {}): Call => ({ on: 'POST /refunds', body: { transaction: `\${${name}.id}`, ...body } })
const readLocation = read('/locations/${location.id}')
const readFurnished = read('/locations/${furnished.id}')
const readUsers = list('/accounts/${account.id}/users')
const readCharge = read('/transactions/${charge.id}')
/** The window that holds what was created when the record was. */
const momentOf = (name: string) => ({ 'created[gte]': `\${${name}.created}`, 'created[lte]': `\${${name}.created}` })
const tickets = (query?: Fields | string) => list('/tickets', query)
const transactions = (query?: Fields | string) => list('/transactions', query)
const refunds = (query?: Fields | string) => list('/refunds', query)
const vip = (body: Fields = {}) => payLeast({ payment_type: 'vip', 'customer[phone]': '+1 617 555 0100', ...body })
const applePay = (body: Fields = {}) => payLeast({ payment_type: 'apple_pay', 'customer[email]': 'ana@example.com', ...body })
/** All that remains of a charge, shown by refunding it: a refused call has taken nothing. */
const remains = (name: string, amount: number): readonly [Call, Expected] => [refundOf(name), { shows: { amount } }]
const unset = (...names: string[]) => Object.fromEntries(names.map(name => [name, null]))

/** The two families that are made and updated alike, each with a record that has everything. */
const UPDATABLE = [
  { name: 'a Location', create: createLocation, made: LOCATION_MADE, update: updateFurnished, reading: readFurnished, furnished: 'furnished' },
  {
    name: 'an Account',
    create: createAccount,
    made: ACCOUNT_MADE,
    update: onFurnishedAccount,
    reading: read('/accounts/${furnished_account.id}'),
    furnished: 'furnished_account'
  }
] as const
const WITH_METADATA: readonly { name: string; update: (body: Fields) => Call; reading: Call; kept: readonly RuleId[]; stays: Shown }[] = [
  ...UPDATABLE.map(({ name, update, reading }) => ({ name, update, reading, kept: ['UPD-1'] as const, stays: { phone: '+1 617 555 0100' } })),
  { name: 'a Refund', update: onRefund, reading: read('/refunds/${refund.id}'), kept: ['REF-9'], stays: { reason: 'cold soup' } }
]
/** A list of Users that shows one keeps USR-1, and one of two Refunds keeps REF-10. */
const shownOn = (path: string): readonly RuleId[] => (path.endsWith('/users') ? ['USR-1'] : [])
const ofAll = (path: string): readonly RuleId[] => (path === '/refunds' ? ['REF-10'] : [])

type Bound = 'gte' | 'gt' | 'lte' | 'lt'
const BOUND_RULES = { gte: 'FILT-1', gt: 'FILT-2', lte: 'FILT-3', lt: 'FILT-4' } as const
/** Windows of a record's creation time, in milliseconds from it: one that lets it in by this comparison, one that keeps it out by this one alone. */
const WINDOWS: Record<Bound, { other: Bound; lets: [own: number, other: number]; keeps: [own: number, other: number] }> = {
  gte: { other: 'lte', lets: [0, 0], keeps: [1, 1] },
  gt: { other: 'lte', lets: [-1, 0], keeps: [0, 1] },
  lte: { other: 'gte', lets: [0, 0], keeps: [-1, -1] },
  lt: { other: 'gte', lets: [1, 0], keeps: [0, -1] }
}
/** The lists that `created` narrows, each with a record that is on it. */
const CREATED = [
  ['/accounts/${account.id}/users', 'user'],
  ['/tickets', 'ticket'],
  ['/transactions', 'charge']
] as const
const NO_INSTANTS = ['31/12/2025', '2026-13-01', '2026-02-30', '1767225600', '2026-01-03T12:00:00 01:00', '2026-03-01T25:00Z']

function comparison(bound: Bound): RuleCases {
  const rule = BOUND_RULES[bound]
  const { other, lets, keeps } = WINDOWS[bound]
  const at = (name: string, shift: number) => `\${${name}.created${shift < 0 ? shift : `+${shift}`}}`
  const window = (name: string, [own, bounding]: [number, number]) => ({ [`created[${bound}]`]: at(name, own), [`created[${other}]`]: at(name, bounding) })
  const also: readonly RuleId[] = ['LIST-1', 'FILT-6', BOUND_RULES[other]]
  const param = `created[${bound}]`
  return {
    kept: [
      ...CREATED.map(
        ([path, name]): Case => ({
          title: `${path}, exactly at the instant`,
          call: list(path, window(name, lets)),
          also: [...also, ...shownOn(path)],
          answers: { holds: [`\${${name}.id}`] },
          later: [[list(path, window(name, keeps)), { lacks: [`\${${name}.id}`] }]],
          reference: true
        })
      ),
      {
        title: 'alone, and nothing is found',
        call: tickets({ [param]: bound.startsWith('g') ? '2030-01-01T00:00:00Z' : '2020-01-01T00:00:00Z' }),
        also: ['LIST-1', 'FILT-6'],
        answers: { page: [] }
      }
    ],
    silent: [
      { title: 'another comparison', call: tickets({ [`created[${other}]`]: '2026-02-01T00:00:00Z' }), also: without(also, rule) },
      { title: 'an empty value', call: tickets({ [param]: '' }), also: ['LIST-1'], relies: ['A16'] },
      { title: 'a month alone', call: tickets({ [param]: '2026-03' }), blames: invalid(param, 'A38') },
      { title: 'a list that does not take it', call: list('/locations', { [param]: '2026-02-01' }), blames: unknown(param) },
      {
        title: 'an instant that was good, where another parameter was not',
        call: tickets({ limit: 0, [param]: '2026-02-01' }),
        blames: invalid('limit', 'A10')
      }
    ],
    broken: [
      ...CREATED.map(
        ([path, name]): Case => ({
          title: `${path} with what is no instant`,
          right: list(path, window(name, lets)),
          call: list(path, { [param]: 'yesterday' }),
          blames: invalid(param, rule),
          reference: true
        })
      ),
      ...NO_INSTANTS.map((value): Case => ({ title: value, call: tickets({ [param]: value }), blames: invalid(param, rule) }))
    ]
  }
}

/** A parameter that a create needs, left out and empty. */
const needed = (create: (body?: Fields) => Call, param: string, rule: RuleId): Case[] => [
  { title: `without ${param}`, call: create({ [param]: undefined }), blames: missing(param, rule), reliesNot: ['A16'], reference: true },
  { title: `with an empty ${param}`, call: create({ [param]: '' }), blames: missing(param, rule), relies: ['A16'], reference: true }
]

const COUNTRIES = ['USA', 'U', 'XX', 'UK', '840', 'United States', ' US']
const NO_ADDRESSES = ['ana', 'ana@', '@example.com', 'ana example.com', 'a@b@example.com', 'Ana <ana@example.com>']
const NO_INTEGERS = ['2.50', '2,50', 'two', '1e3', '$3', '0x10', '5.', ' 5', '+5', '-1.5', '٥']
/** The payment types that ask for nothing beside themselves. */
const PLAIN_TYPES = ['card', 'google_pay', 'emv', 'external', 'paypal']
/** The most that an integer may be, and one that a double cannot hold. */
const MOST = 9_007_199_254_740_991
const BEYOND = '9007199254740993'
const LARGE = 'x'.repeat(1_048_577)

// biome-ignore format: a table, a case in as few lines as it takes
export const RULE_CASES: Readonly<Record<RuleId, RuleCases>> = {
  'FORM-1': {
    right: createLocation(),
    kept: [
      { title: 'spaces, plus signs, ampersands and letters beyond ASCII', call: createLocation({ display_name: 'Café 9 + Söhne & Co = 100 % ${unique}' }),
        also: LOCATION_MADE, answers: { shows: { display_name: 'Café 9 + Söhne & Co = 100 % ${unique}' } }, reliesNot: ['A32', 'A36'], reference: true },
      { title: 'a payment', call: payLeast(), also: PAID_LEAST },
      { title: 'a type with its charset', call: { ...createLocation(), headers: { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' } },
        also: LOCATION_MADE },
      { title: 'a call that is refused later', call: createLocation({ display_name: undefined }), blames: missing('display_name', 'LOC-1') }
    ],
    silent: [
      { title: 'an empty body', call: { on: 'POST /locations/${location.id}', body: '' }, also: ['UPD-1'] },
      { title: 'no body', call: { on: 'POST /locations/${location.id}' }, also: ['UPD-1'] },
      { title: 'a GET', call: readLocation },
      { title: 'a name given twice', call: { on: 'POST /locations', body: 'display_name=A&display_name=B' }, blames: malformed('display_name', 'A36') },
      { title: 'parameters in the query of a POST', call: { on: 'POST /locations', query: { display_name: 'A', 'address[country]': 'US' } },
        blames: unknown('display_name'), reference: true }
    ],
    broken: [
      { title: 'JSON', call: asJson(createLocation()), blames: wrongType('FORM-1'), relies: ['A32'], reference: true },
      { title: 'multipart', call: { on: 'POST /locations', body: '--x--', headers: { 'content-type': 'multipart/form-data; boundary=x' } },
        blames: wrongType('FORM-1'), relies: ['A32'] },
      { title: 'another type', call: { ...createLocation(), headers: { 'content-type': 'text/plain' } }, blames: wrongType('FORM-1'), relies: ['A32'] },
      { title: 'broken percent-encoding of a value', call: { on: 'POST /locations', body: 'display_name=%zz' }, blames: malformed('display_name', 'FORM-1') },
      { title: 'broken percent-encoding of a name', call: { on: 'POST /locations', body: '%zz=1' }, blames: malformed('%zz', 'FORM-1') }
    ]
  },
  'FORM-2': {
    right: createLocation({ 'address[city]': 'Boston' }),
    kept: [
      { title: 'encoded brackets', call: createLocation({ 'address[city]': 'City ${unique}' }), also: LOCATION_MADE,
        answers: { shows: { address: { city: 'City ${unique}' } } }, reference: true },
      { title: 'plain brackets', call: { on: 'POST /locations', body: 'display_name=A&address[country]=US&address[city]=City${unique}' }, also: LOCATION_MADE,
        answers: { shows: { address: { city: 'City${unique}' } } }, reference: true },
      { title: 'metadata', call: onRefund({ 'metadata[till]': '4' }), also: ['META-1', 'REF-9'] },
      { title: 'a query', call: tickets('created[gte]=2026-02-01T00:00:00Z'), also: ['LIST-1', 'FILT-1', 'FILT-6'] },
      { title: 'a call that is refused later', call: payLeast({ payment_type: 'cash', 'customer[name]': 'Ana' }), blames: invalid('payment_type', 'TXN-2') }
    ],
    silent: [
      { title: 'flat names', call: payLeast(), also: PAID_LEAST },
      { title: 'lists', call: { on: 'POST /locations/${location.id}', body: 'tags[]=a&tags[]=b' }, settings: { 'parameters.unknown': 'ignore' },
        also: ['UPD-1'] },
      { title: 'a value without a name', call: { on: 'POST /locations', body: '=x' }, blames: malformed(null, 'A36') },
      { title: 'a dot', call: createLocation({ 'address[country]': undefined, 'address.country': 'US' }), blames: unknown('address.country'), reference: true }
    ],
    broken: [
      ...['customer', 'card', 'bank_account', 'amounts'].map((param): Case => ({ title: `${param} as one value`, right: payLeast(),
        call: payLeast({ [param]: '1' }), blames: invalid(param, 'FORM-2'), reference: true })),
      { title: 'created as one value', right: tickets(), call: tickets({ created: '2026-01-01' }), blames: invalid('created', 'FORM-2'), reference: true },
      { title: 'brackets that do not close', call: { on: 'POST /locations', body: 'display_name=A&address[city=x' },
        blames: malformed('address[city', 'FORM-2') },
      { title: 'brackets that do not open', call: { on: 'POST /locations', body: 'address]=x' }, blames: malformed('address]', 'FORM-2') },
      { title: 'brackets that do not close, in a query', call: tickets('created[gte=1'), blames: malformed('created[gte', 'FORM-2') }
    ]
  },
  'FORM-3': {
    kept: [
      { title: 'a list with limit', given: ['user', 'second_user'], call: list('/accounts/${account.id}/users', { limit: 1 }),
        also: ['LIST-1', 'LIST-2', 'LIST-3', 'USR-1'], answers: { count: 1 }, reference: true },
      { title: 'a list with an empty filter', call: tickets('location='), also: ['LIST-1'] },
      { title: 'a list that is refused later', call: list('/locations', { limit: 'ten' }), blames: invalid('limit', 'LIST-3') }
    ],
    silent: [
      { title: 'a list without parameters', call: list('/locations'), also: ['LIST-1'] },
      { title: 'a read', call: readLocation },
      { title: 'a body that holds nothing of the list', call: { on: 'GET /tickets', body: 'colour=red' }, blames: unexpectedBody('A37') },
      { title: 'list parameters in a POST', right: createLocation(), call: createLocation({ limit: 1 }), blames: unknown('limit'), reference: true }
    ],
    broken: LISTS.map(([path]): Case => ({ title: `${path} with its parameters in a body`, call: { on: `GET ${path}`, body: 'limit=1' },
      blames: unexpectedBody('FORM-3'), relies: ['A37'] }))
  },

  'AUTH-1': {
    right: { ...list('/locations'), key: { name: '${merchant_key}' } },
    kept: [
      { title: 'the key with an empty password', call: { ...readLocation, key: { name: '${merchant_key}', password: '' } }, relies: ['A18'] },
      { title: 'a call that is refused later', call: list('/locations', { limit: 0 }), blames: invalid('limit', 'A10') },
      { title: 'a call that is disabled', call: { on: 'DELETE /locations/${location.id}' }, blames: disabled('LOC-4'), also: ['LOC-4'] }
    ],
    silent: [
      { title: 'POST /transactions with a key', call: { ...payLeast(), key: 'merchant' }, also: without(PAID_LEAST, 'AUTH-2'), relies: ['A20'] },
      { title: 'a key that is not known', call: { ...list('/locations'), key: { name: 'nobody' } }, blames: UNKNOWN_KEY }
    ],
    broken: [
      { title: 'the key as password', call: { ...list('/locations'), key: { name: '', password: '${merchant_key}' } }, blames: BAD_KEY, reference: true },
      { title: 'a password beside the key', call: { ...list('/locations'), key: { name: '${merchant_key}', password: 'word' } }, blames: BAD_KEY,
        relies: ['A18'], reference: true },
      ...['Bearer ${merchant_key}', '${merchant_key}', 'Basic ${merchant_key}', 'Digest username="x"'].map((authorization): Case => ({ title: authorization,
        call: { ...list('/locations'), key: null, headers: { authorization } }, blames: BAD_KEY, reliesNot: ['A18'], reference: true }))
    ]
  },
  'AUTH-2': {
    kept: [
      { title: 'a payment without a key', call: pay(), also: PAID, later: [[read('/transactions/${made.id}'), { shows: '${made}' }]], reliesNot: ['A18', 'A20'],
        reference: true },
      { title: 'the least payment without a key', call: payLeast(), also: PAID_LEAST }
    ],
    silent: [
      { title: 'a payment with a key', call: { ...payLeast(), key: 'merchant' }, also: without(PAID_LEAST, 'AUTH-2') },
      { title: 'a refused payment', call: payLeast({ payment_type: 'cash' }), blames: invalid('payment_type', 'TXN-2') },
      { title: 'a list of Transactions', call: transactions(), also: ['LIST-1'] }
    ],
    broken: []
  },
  'AUTH-3': {
    kept: [
      { title: 'a read with the key', call: readLocation },
      { title: 'a list with the key', call: list('/accounts'), also: ['LIST-1'] },
      { title: 'a call that is refused later', call: read('/locations/none'), blames: notThere() }
    ],
    silent: [
      { title: 'POST /transactions', call: { ...payLeast(), key: 'merchant' }, also: without(PAID_LEAST, 'AUTH-2') },
      { title: 'a key that is not known', call: { ...readLocation, key: { name: 'nobody' } }, blames: UNKNOWN_KEY }
    ],
    broken: [
      ...WITH_KEY.map((call): Case => {
        const isDelete = call.on.startsWith('DELETE')
        const asked = { title: call.on, call: { ...call, key: null }, blames: NO_KEY }
        return isDelete ? asked : { ...asked, right: call, reference: true }
      }),
      { title: 'a User is not deleted', right: readUsers, call: { ...deleteUser, key: null }, blames: NO_KEY, later: [[readUsers, { holds: ['${user.id}'] }]],
        reference: true },
      { title: 'a Location is not changed', right: readFurnished, call: { ...updateFurnished({ phone: '' }), key: null }, blames: NO_KEY,
        later: [[readFurnished, { shows: '${furnished}' }]], reference: true },
      { title: 'nothing is refunded', right: readCharge, call: { ...refund(), key: null }, blames: NO_KEY, later: [remains('charge', 1000)], reference: true },
      { title: 'no user name', call: { ...list('/locations'), key: { name: '' } }, blames: NO_KEY }
    ]
  },
  'BASE-1': {
    right: list('/locations'),
    kept: [
      { title: 'a call below the base address', call: readLocation },
      { title: 'a call that is refused later', call: { ...readLocation, key: null }, blames: NO_KEY }
    ],
    silent: [
      { title: 'an unknown path below it', call: { on: 'GET /nowhere' }, blames: noPath('A08') },
      { title: 'another method', call: { on: 'PUT /locations' }, blames: noMethod('A08') }
    ],
    broken: [
      { title: 'a path beside it', call: { ...list('/locations'), outside: true }, blames: noPath('BASE-1'), relies: ['A39'], reference: true },
      { title: 'a path beside it that no family has', call: { on: 'POST /nowhere', body: 'a=1', outside: true }, blames: noPath('BASE-1'), relies: ['A39'] },
      { title: 'a path that begins like it', call: { on: 'GET /nextlocations', outside: true }, blames: noPath('BASE-1'), relies: ['A39'] }
    ]
  },

  'ADDR-1': {
    kept: [
      ...UPDATABLE.flatMap(({ name, create, made, update, reading }): Case[] => [
        { title: `${name} with the six sub-fields`, call: create(ADDRESS), also: made,
          answers: { shows: { address: { country: 'US', line1: '1 Main Street', line2: 'Floor 2', city: 'Boston', postal_code: '02110', state: 'MA' } } },
          reference: true },
        { title: `one sub-field of ${name}`, call: update({ 'address[city]': 'Salem' }), also: ['UPD-1'],
          later: [[reading, { shows: { address: { city: 'Salem' } } }]], reference: true }
      ])
    ],
    silent: [
      { title: 'an update without an address', call: updateFurnished({ phone: '2' }), also: ['UPD-1'] },
      { title: 'an empty address', call: updateFurnished({ address: '' }), also: ['UPD-1', 'UPD-2'],
        answers: { shows: { address: unset('country', 'line1', 'city') } } },
      { title: 'a list where one value belongs', right: createLocation(), call: createLocation({ 'address[city][]': 'Boston' }),
        blames: malformed('address[city][]', 'A36'), decoded: true, reference: true },
      { title: 'an object where one value belongs', right: createLocation(), call: createLocation({ 'address[city][name]': 'Boston' }),
        blames: malformed('address[city][name]', 'A36'), decoded: true, reference: true },
      { title: 'another sub-field', right: createLocation(), call: createLocation({ 'address[zip]': '02110' }), blames: unknown('address[zip]') }
    ],
    broken: UPDATABLE.flatMap(({ name, create, update, reading, furnished }): Case[] => [
      { title: `${name} with an address of one value`, right: create(), call: create({ 'address[country]': undefined, address: 'US' }),
        blames: invalid('address', 'ADDR-1'), reference: true },
      { title: `${name} with an address as JSON`, right: create(), call: create({ 'address[country]': undefined, address: '{"country":"US"}' }),
        blames: invalid('address', 'ADDR-1'), reference: true },
      { title: `an update of ${name}`, right: reading, call: update({ address: 'US' }), blames: invalid('address', 'ADDR-1'),
        later: [[reading, { shows: `\${${furnished}}` }]], reference: true }
    ])
  },
  'ADDR-2': {
    kept: UPDATABLE.flatMap(({ name, create, made, update }): Case[] => [
      ...['US', 'GB', 'JP'].map((country): Case => ({ title: `${name} in ${country}`, call: create({ 'address[country]': country }), also: made,
        answers: { shows: { address: { country } } }, reliesNot: ['A30'], reference: true })),
      { title: `an update of ${name}`, call: update({ 'address[country]': 'ca' }), also: ['ADDR-1', 'UPD-1'],
        answers: { shows: { address: { country: 'CA' } } }, relies: ['A30'] }
    ]),
    silent: [
      { title: 'an update of another sub-field', call: updateFurnished({ 'address[city]': 'Salem' }), also: ['ADDR-1', 'UPD-1'] },
      { title: 'a create without a country', call: createLocation({ 'address[country]': undefined }), blames: missing('address[country]', 'LOC-2') }
    ],
    broken: UPDATABLE.flatMap(({ name, create, update, reading, furnished }): Case[] => COUNTRIES.flatMap((country): Case[] => [
      { title: `${name} in '${country}'`, right: create(), call: create({ 'address[country]': country }), blames: invalid('address[country]', 'ADDR-2'),
        reference: true },
      { title: `an update of ${name} to '${country}'`, right: reading, call: update({ 'address[country]': country }),
        blames: invalid('address[country]', 'ADDR-2'), later: [[reading, { shows: `\${${furnished}}` }]], reference: true }
    ]))
  },

  'META-1': {
    kept: [
      ...UPDATABLE.map(({ name, create, made }): Case => ({ title: `${name} with pairs`, call: create({ 'metadata[order]': 'A-17', 'metadata[till]': '3' }),
        also: made, answers: { shows: { metadata: { order: 'A-17', till: '3' } } }, reliesNot: ['A17'], reference: true })),
      { title: 'a Refund with pairs', call: refund({ 'metadata[order]': 'A-17' }), also: REFUNDED, answers: { shows: { metadata: { order: 'A-17' } } },
        reference: true },
      ...WITH_METADATA.map(({ name, update, reading, kept }): Case => ({ title: `an update of ${name} adds to them`, call: update({ 'metadata[till]': '4' }),
        also: kept, later: [[reading, { shows: { metadata: { order: 'A-17', till: '4' } } }]], relies: ['A17'] }))
    ],
    silent: [
      { title: 'an empty metadata', call: createLocation({ metadata: '' }), also: LOCATION_MADE },
      { title: 'an empty value on a create', call: createLocation({ 'metadata[order]': '' }), also: LOCATION_MADE,
        answers: { shows: { metadata: unset('order') } } },
      { title: 'a nested value', right: createLocation(), call: createLocation({ 'metadata[k][n]': '1' }), blames: invalid('metadata[k][n]', 'A17') },
      { title: 'a list as a value', right: createLocation(), call: createLocation({ 'metadata[k][]': '1' }), blames: invalid('metadata[k][]', 'A17') }
    ],
    broken: WITH_METADATA.map(({ name, update, reading }): Case => ({ title: `${name} with one value`, right: reading, call: update({ metadata: 'A-18' }),
      blames: invalid('metadata', 'META-1'), later: [[reading, { shows: { metadata: { order: 'A-17', till: '3' } } }]], reference: true }))
  },
  'META-2': {
    kept: WITH_METADATA.map(({ name, update, reading, kept }): Case => ({ title: `a key of ${name}, and only that`, call: update({ 'metadata[order]': '' }),
      also: kept, later: [[reading, { shows: { metadata: { order: null, till: '3' } } }]], reference: true })),
    silent: [
      { title: 'a key that was not there', call: updateFurnished({ 'metadata[none]': '' }), also: ['UPD-1'],
        answers: { shows: { metadata: { order: 'A-17', till: '3' } } } },
      { title: 'a key on a create', call: createLocation({ 'metadata[order]': '' }), also: LOCATION_MADE },
      { title: 'a key that is set', call: updateFurnished({ 'metadata[order]': 'A-18' }), also: ['META-1', 'UPD-1'] },
      { title: 'a refused update', call: updateFurnished({ 'metadata[order]': '', colour: 'red' }), blames: unknown('colour') }
    ],
    broken: []
  },
  'META-3': {
    kept: [
      ...WITH_METADATA.map(({ name, update, reading, kept, stays }): Case => ({ title: `all keys of ${name}`, call: update({ metadata: '' }), also: kept,
        later: [[reading, { shows: { ...stays, metadata: unset('order', 'till') } }]], reference: true })),
      { title: 'all keys, then what is given', call: updateFurnished({ 'metadata[new]': '1', metadata: '' }), also: ['META-1', 'UPD-1'],
        answers: { shows: { metadata: { order: null, till: null, new: '1' } } } }
    ],
    silent: [
      { title: 'metadata that was empty', call: updateLocation({ metadata: '' }), also: ['UPD-1'] },
      { title: 'one key', call: updateFurnished({ 'metadata[order]': '' }), also: ['META-2', 'UPD-1'] },
      { title: 'a create', call: createLocation({ metadata: '' }), also: LOCATION_MADE }
    ],
    broken: []
  },

  'UPD-1': {
    kept: [
      ...UPDATABLE.flatMap(({ name, update, reading }): Case[] => [
        { title: `what an update of ${name} leaves out`, call: update({ phone: '2' }),
          later: [[reading, { shows: { phone: '2', address: { country: 'US', city: 'Boston', state: 'MA' }, metadata: { order: 'A-17', till: '3' } } }]],
          reference: true },
        { title: `sub-fields of the address of ${name}`, call: update({ 'address[city]': 'Salem' }), also: ['ADDR-1'],
          later: [
            [reading, { shows: { address: { country: 'US', line1: '1 Main Street', line2: 'Floor 2', city: 'Salem', postal_code: '02110', state: 'MA' } } }]
          ], reference: true }
      ]),
      { title: 'an update that sends nothing', call: updateFurnished({}), later: [[readFurnished, { shows: '${furnished}' }]] }
    ],
    silent: [
      { title: 'a full update', call: updateLocation({ display_name: 'New', 'address[country]': 'CA' }), also: ['ADDR-1', 'ADDR-2'] },
      { title: 'an update of a Refund', call: onRefund({ 'metadata[till]': '4' }), also: ['META-1', 'REF-9'] },
      { title: 'a create', call: createLocation(), also: LOCATION_MADE },
      { title: 'a refused update', call: updateFurnished({ 'address[country]': 'XX' }), blames: invalid('address[country]', 'ADDR-2') }
    ],
    broken: []
  },
  'UPD-2': {
    kept: [
      ...UPDATABLE.flatMap(({ name, update, reading }): Case[] => [
        { title: `a parameter of ${name}`, call: update({ phone: '' }), also: ['UPD-1'],
          later: [[reading, { shows: { phone: null, address: { line2: 'Floor 2' }, metadata: { till: '3' } } }]], reference: true },
        { title: `a sub-field of the address of ${name}`, call: update({ 'address[line2]': '' }), also: ['ADDR-1', 'UPD-1'],
          later: [[reading, { shows: { address: { line1: '1 Main Street', line2: null } } }]], reference: true }
      ]),
      { title: 'one that the create requires', call: updateFurnished({ display_name: '' }), also: ['UPD-1'], answers: { shows: { display_name: null } } },
      { title: 'a whole address', call: updateFurnished({ address: '' }), also: ['UPD-1'], answers: { shows: { address: unset('country', 'line1', 'city') } } }
    ],
    silent: [
      { title: 'a parameter that had no value', call: updateLocation({ phone: '' }), also: ['UPD-1'] },
      { title: 'one key of metadata', call: updateFurnished({ 'metadata[order]': '' }), also: ['META-2', 'UPD-1'] },
      { title: 'metadata as a whole', call: updateFurnished({ metadata: '' }), also: ['META-3', 'UPD-1'] },
      { title: 'a create', call: createLocation({ phone: '' }), also: LOCATION_MADE, relies: ['A16'] },
      { title: 'one that the create requires, where that is refused', call: updateFurnished({ phone: '', display_name: '' }),
        settings: { 'parameters.unset_required': 'reject' }, blames: missing('display_name', 'A16') }
    ],
    broken: []
  },

  'LIST-1': {
    kept: [
      ...LISTS.map(([path, given]): Case => ({ title: path, given, call: list(path), also: [...shownOn(path), ...ofAll(path)],
        answers: { holds: given.map(name => `\${${name}.id}`) }, reference: true })),
      { title: 'a list of nothing', call: transactions(), answers: { page: [], has_more: false } }
    ],
    silent: [{ title: 'a read', call: readLocation }, { title: 'a refused list', call: list('/locations', { limit: 0 }), blames: invalid('limit', 'A10') }],
    broken: []
  },
  'LIST-2': {
    kept: LISTS.map(([path, given]): Case => ({ title: path, given, call: list(path, { limit: 1 }), also: ['LIST-1', 'LIST-3', ...shownOn(path)],
      answers: { count: 1, has_more: true }, reference: true })),
    silent: [
      { title: 'the last page', given: ['user', 'second_user'], call: list('/accounts/${account.id}/users', { limit: 2 }), also: ['LIST-1', 'LIST-3', 'USR-1'],
        answers: { count: 2, has_more: false }, reference: true },
      { title: 'a list of nothing', call: readUsers, also: ['LIST-1'], answers: { count: 0, has_more: false } }
    ],
    broken: []
  },
  'LIST-3': {
    kept: LISTS.map(([path, given]): Case => ({ title: path, given, call: list(path, { limit: 1 }), also: ['LIST-1', 'LIST-2', ...shownOn(path)],
      answers: { count: 1 }, later: [[list(path, { limit: 2 }), { count: 2 }]], reference: true })),
    silent: [
      { title: 'without limit', call: list('/locations'), also: ['LIST-1'] },
      { title: 'a limit that is clamped', settings: { 'pagination.out_of_range': 'clamp' }, call: list('/locations', { limit: 101 }), also: ['LIST-1'] },
      { title: 'an empty limit', call: list('/locations', { limit: '' }), blames: invalid('limit', 'A16') },
      { title: 'a limit out of range', call: list('/locations', { limit: 0 }), blames: invalid('limit', 'A10') }
    ],
    broken: [
      ...LISTS.flatMap(([path, given]): Case[] => ['ten', '1.5'].map((limit): Case => ({ title: `${path} with ${limit}`, given, right: list(path, { limit: 1 }),
        call: list(path, { limit }), blames: invalid('limit', 'LIST-3'), reference: true }))),
      ...['1e1', '0x1', ' 5', '+5', '-'].map((limit): Case => ({ title: `'${limit}'`, call: list('/locations', { limit }),
        blames: invalid('limit', 'LIST-3') }))
    ]
  },

  'FILT-1': comparison('gte'),
  'FILT-2': comparison('gt'),
  'FILT-3': comparison('lte'),
  'FILT-4': comparison('lt'),
  'FILT-5': {
    kept: [
      { title: 'Tickets', call: tickets({ location: '${place.id}', ...momentOf('ticket_there') }), also: ['LIST-1', 'FILT-1', 'FILT-3', 'FILT-6'],
        answers: { holds: ['${ticket_there.id}'] },
        later: [[tickets({ location: '${location.id}', ...momentOf('ticket_there') }), { count: 0, has_more: false }]], reference: true },
      { title: 'Transactions', call: transactions({ location: '${place.id}', ...momentOf('charge_there') }), also: ['LIST-1', 'FILT-1', 'FILT-3', 'FILT-6'],
        answers: { holds: ['${charge_there.id}'] },
        later: [[transactions({ location: '${location.id}', ...momentOf('charge_there') }), { count: 0, has_more: false }]], reference: true },
      { title: 'a Location without any', call: transactions({ location: '${location.id}' }), also: ['LIST-1', 'FILT-6'], answers: { page: [] },
        reliesNot: ['A16'] }
    ],
    silent: [
      { title: 'an id of none', call: tickets({ location: 'none' }), also: ['LIST-1'], answers: { page: [] }, relies: ['A16'] },
      { title: 'an id of another family', call: tickets({ location: 'mch_a' }), also: ['LIST-1'], answers: { page: [] }, relies: ['A16'] },
      { title: 'an empty value', call: tickets({ location: '' }), also: ['LIST-1'], relies: ['A16'] },
      { title: 'created alone', call: tickets({ 'created[gte]': '2020-01-01T00:00:00Z' }), also: ['LIST-1', 'FILT-1', 'FILT-6'] }
    ],
    broken: []
  },
  'FILT-6': {
    kept: [
      { title: 'location: a page of one is full where the newest Ticket is not', given: ['newest_ticket'], call: tickets({ location: '${place.id}', limit: 1 }),
        also: ['LIST-1', 'LIST-3', 'FILT-5'], answers: { page: ['${ticket_there.id}'] }, reference: true },
      { title: 'created: a page of one is full at an instant before the newest Ticket', call: tickets({ ...momentOf('older_ticket'), limit: 1 }),
        also: ['LIST-1', 'LIST-3', 'FILT-1', 'FILT-3'], answers: { count: 1 }, reference: true }
    ],
    silent: [
      { title: 'neither', call: tickets(), also: ['LIST-1'] },
      { title: 'search alone', call: tickets({ search_query: '${ticket.reference}' }), also: ['LIST-1', 'SRCH-1'] },
      { title: 'created of no record at all', given: ['place'], call: tickets({ location: 'none', 'created[gte]': '2020-01-01T00:00:00Z' }), also: ['LIST-1'] },
      { title: 'a list of Refunds of one Transaction', call: refunds({ transaction: '${charge.id}' }), also: ['LIST-1', 'REF-10'] }
    ],
    broken: []
  },

  'SRCH-1': {
    kept: [
      { title: 'a Ticket whose reference it is', call: tickets({ search_query: '${ticket.reference}', ...momentOf('ticket') }),
        also: ['LIST-1', 'FILT-1', 'FILT-3', 'FILT-6'], answers: { holds: ['${ticket.id}'] },
        later: [[tickets({ search_query: 'no-such-reference', ...momentOf('ticket') }), { count: 0 }]], reference: true }
    ],
    silent: [
      { title: 'no match', call: tickets({ search_query: 'none' }), also: ['LIST-1'], answers: { page: [] } },
      { title: 'an empty value', call: tickets({ search_query: '' }), also: ['LIST-1'], relies: ['A16'], reliesNot: ['A12', 'A13'] },
      { title: 'a search of Transactions', given: ['charge'], call: transactions({ search_query: '4242' }), also: ['LIST-1', 'SRCH-2'] }
    ],
    broken: []
  },
  'SRCH-2': {
    kept: [
      { title: 'a Transaction whose card ends in it', given: ['charge', 'other_card'], call: transactions({ search_query: '4444', ...momentOf('other_card') }),
        also: ['LIST-1', 'FILT-1', 'FILT-3', 'FILT-6'], answers: { holds: ['${other_card.id}'], lacks: ['${charge.id}'] },
        later: [[transactions({ search_query: '0000', ...momentOf('other_card') }), { count: 0 }]], reference: true }
    ],
    silent: [
      { title: 'no match', given: ['charge'], call: transactions({ search_query: '0000' }), also: ['LIST-1'], answers: { page: [] } },
      { title: 'without search', given: ['charge'], call: transactions(), also: ['LIST-1'] },
      { title: 'a search of Tickets', call: tickets({ search_query: '${ticket.reference}' }), also: ['LIST-1', 'SRCH-1'] }
    ],
    broken: []
  },
  'SRCH-3': {
    kept: [
      { title: 'an emptied page', call: tickets({ search_query: '${older_ticket.reference}', limit: 1 }), also: ['LIST-1', 'LIST-2', 'LIST-3'],
        answers: { page: [], has_more: true }, reference: true },
      { title: 'a page with few matches', records: { tickets: [{ id: 'tkt_old', location: 'loc_a', reference: 'T-3', created: '2026-01-01' }] },
        call: tickets({ search_query: '${ticket.reference}', limit: 2 }), also: ['LIST-1', 'LIST-2', 'LIST-3', 'SRCH-1'],
        answers: { page: ['${ticket.id}'], has_more: true } }
    ],
    silent: [
      { title: 'fewer, but no more to fetch', call: tickets({ search_query: '${ticket.reference}' }), also: ['LIST-1', 'SRCH-1'],
        answers: { has_more: false } },
      { title: 'all that were retrieved', call: tickets({ search_query: 'T', limit: 1 }), also: ['LIST-1', 'LIST-2', 'LIST-3', 'SRCH-1'],
        answers: { count: 1, has_more: true } },
      { title: 'without search', call: tickets({ limit: 1 }), also: ['LIST-1', 'LIST-2', 'LIST-3'] }
    ],
    broken: []
  },

  'LOC-1': {
    right: createLocation(),
    kept: [{ title: 'a create', call: createLocation(), also: LOCATION_MADE, answers: { shows: { display_name: 'Bistro ${unique}' } }, reference: true }],
    silent: [
      { title: 'an update', call: updateFurnished({ display_name: 'New' }), also: ['UPD-1'] },
      { title: 'a refused create', call: createLocation({ 'address[country]': 'XX' }), blames: invalid('address[country]', 'ADDR-2') },
      { title: 'a name of white space', call: createLocation({ display_name: '  ' }), blames: invalid('display_name', 'A40') }
    ],
    broken: needed(createLocation, 'display_name', 'LOC-1')
  },
  'LOC-2': {
    right: createLocation(),
    kept: [
      { title: 'a create', call: createLocation({ 'address[country]': 'GB' }), also: LOCATION_MADE, answers: { shows: { address: { country: 'GB' } } },
        reference: true }
    ],
    silent: [
      { title: 'an update', call: updateFurnished({ 'address[country]': 'GB' }), also: ['ADDR-1', 'ADDR-2', 'UPD-1'] },
      { title: 'a refused create', call: { ...createLocation(), key: 'reseller' }, blames: NO_MERCHANT },
      { title: 'another country', call: createLocation({ 'address[country]': 'XX' }), blames: invalid('address[country]', 'ADDR-2') }
    ],
    broken: [
      ...needed(createLocation, 'address[country]', 'LOC-2'),
      { title: 'with another sub-field alone', call: createLocation({ 'address[country]': undefined, 'address[city]': 'Boston' }),
        blames: missing('address[country]', 'LOC-2'), reference: true },
      { title: 'with an empty address', call: createLocation({ 'address[country]': undefined, address: '' }), blames: missing('address[country]', 'LOC-2'),
        relies: ['A16'], reference: true }
    ]
  },
  'LOC-3': {
    right: createLocation(),
    kept: [{ title: "a merchant's key", call: createLocation(), also: LOCATION_MADE }],
    silent: [
      { title: "an update with a reseller's key", call: { ...updateLocation({ phone: '1' }), key: 'reseller' }, also: ['UPD-1'],
        answers: { shows: { phone: '1' } } },
      { title: "a reseller's key and a parameter that is missing", call: { ...createLocation({ display_name: undefined }), key: 'reseller' },
        blames: missing('display_name', 'LOC-1') }
    ],
    broken: [
      { title: "a reseller's key", call: { ...createLocation(), key: 'reseller' }, blames: NO_MERCHANT,
        later: [[{ ...list('/locations'), key: 'reseller' }, { status: 200 }]], reference: true }
    ]
  },
  'LOC-4': {
    kept: [
      { title: 'a delete', call: { on: 'DELETE /locations/${furnished.id}' }, blames: disabled('LOC-4'), answers: { status: 501 },
        later: [[{ on: 'DELETE /locations/${furnished.id}' }, { status: 501 }], [readFurnished, { shows: '${furnished}' }]], relies: ['A07'],
        reliesNot: ['A08'], reference: true },
      { title: 'a delete of what is not there', call: { on: 'DELETE /locations/none' }, blames: disabled('LOC-4') }
    ],
    silent: [
      { title: 'a delete without a key', call: { on: 'DELETE /locations/${location.id}', key: null }, blames: NO_KEY },
      { title: 'a read', call: readLocation }
    ],
    broken: []
  },

  'ACC-1': {
    right: createAccount(),
    kept: ['merchant', 'reseller'].map((type): Case => ({ title: type, call: createAccount({ type }), also: ACCOUNT_MADE, answers: { shows: { type } },
      reference: true })),
    silent: [{ title: 'an update', call: onAccount({ type: 'reseller' }), also: ['UPD-1'], answers: { shows: { type: 'reseller' } } }],
    broken: [
      ...needed(createAccount, 'type', 'ACC-1'),
      ...['partner', 'Merchant', 'merchants', 'constructor'].map((type): Case => ({ title: type, call: createAccount({ type }),
        blames: invalid('type', 'ACC-1'), reference: true })),
      { title: 'another type by an update', right: onAccount({ type: 'merchant' }), call: onAccount({ type: 'partner' }), blames: invalid('type', 'ACC-1'),
        reference: true }
    ]
  },
  'ACC-2': {
    right: createAccount(),
    kept: [{ title: 'a create', call: createAccount(), also: ACCOUNT_MADE, answers: { shows: { name: 'Bistro ${unique}' } }, reference: true }],
    silent: [
      { title: 'an update', call: onAccount({ name: 'New' }), also: ['UPD-1'] },
      { title: 'a name of white space', call: createAccount({ name: '\t ' }), blames: invalid('name', 'A40') }
    ],
    broken: needed(createAccount, 'name', 'ACC-2')
  },
  'ACC-3': {
    right: createAccount(),
    kept: [{ title: 'a create', call: createAccount(), also: ACCOUNT_MADE, answers: { shows: { email: '${unique}@example.com' } }, reference: true }],
    silent: [
      { title: 'an update', call: onAccount({ email: 'new@example.com' }), also: ['UPD-1'] },
      ...NO_ADDRESSES.map((email): Case => ({ title: `the malformed ${email}`, call: createAccount({ email }), blames: invalid('email', 'A30') }))
    ],
    broken: needed(createAccount, 'email', 'ACC-3')
  },
  'ACC-4': {
    right: createAccount(),
    kept: [
      { title: 'a create', call: createAccount({ 'address[country]': 'GB' }), also: ACCOUNT_MADE, answers: { shows: { address: { country: 'GB' } } },
        reference: true }
    ],
    silent: [
      { title: 'an update', call: onAccount({ 'address[country]': 'GB' }), also: ['ADDR-1', 'ADDR-2', 'UPD-1'] },
      { title: 'another country', call: createAccount({ 'address[country]': 'XX' }), blames: invalid('address[country]', 'ADDR-2') }
    ],
    broken: needed(createAccount, 'address[country]', 'ACC-4')
  },
  'ACC-5': {
    kept: [
      { title: 'a delete', call: { on: 'DELETE /accounts/${account.id}' }, blames: disabled('ACC-5'), answers: { status: 501 },
        later: [[{ on: 'DELETE /accounts/${account.id}' }, { status: 501 }], [read('/accounts/${account.id}'), { shows: '${account}' }]], relies: ['A07'],
        reliesNot: ['A08'], reference: true },
      { title: 'a delete of what is not there', call: { on: 'DELETE /accounts/none' }, blames: disabled('ACC-5') }
    ],
    silent: [{ title: 'a delete with a key that is not known', call: { on: 'DELETE /accounts/mch_a', key: { name: 'nobody' } }, blames: UNKNOWN_KEY }],
    broken: []
  },

  'USR-1': {
    kept: [
      { title: 'a create', given: ['other_account'], call: createUser(), also: USER_MADE,
        later: [[readUsers, { page: ['${made.id}'] }], [list('/accounts/${other_account.id}/users'), { page: [] }]], reference: true },
      { title: 'a list', given: ['user', 'other_user'], call: readUsers, also: ['LIST-1'], answers: { page: ['${user.id}'] }, reference: true },
      { title: 'a delete', call: deleteUser, also: ['USR-4'] }
    ],
    silent: [
      { title: 'a list of none', call: readUsers, also: ['LIST-1'] },
      { title: 'a User for an Account that is not there', right: createUser(), call: { ...createUser(), on: 'POST /accounts/none/users' }, blames: notThere(),
        reference: true },
      { title: 'the Users of an Account that is not there', right: readUsers, call: list('/accounts/none/users'), blames: notThere(), reference: true },
      { title: 'a User that is not there', call: { on: 'DELETE /accounts/${account.id}/users/none' }, blames: notThere('user_id') }
    ],
    broken: [
      { title: 'a User of another Account', right: list('/accounts/${other_account.id}/users'),
        call: { on: 'DELETE /accounts/${account.id}/users/${other_user.id}' }, blames: notThere('user_id', 'USR-1'),
        later: [[list('/accounts/${other_account.id}/users'), { page: ['${other_user.id}'] }]], reference: true }
    ]
  },
  'USR-2': {
    right: createUser(),
    kept: [{ title: 'a create', call: createUser(), also: USER_MADE, answers: { shows: { name: 'Ana ${unique}' } }, reference: true }],
    silent: [
      { title: 'a refused create', call: createUser({ email: 'ana' }), blames: invalid('email', 'USR-3') },
      { title: 'a name of white space', call: createUser({ name: ' ' }), blames: invalid('name', 'A40') },
      { title: 'a delete', call: deleteUser, also: ['USR-1', 'USR-4'] }
    ],
    broken: needed(createUser, 'name', 'USR-2')
  },
  'USR-3': {
    right: createUser(),
    kept: [{ title: 'a create', call: createUser(), also: USER_MADE, answers: { shows: { email: '${unique}@example.com' } }, reference: true }],
    silent: [
      { title: 'a domain without a dot', call: createUser({ email: 'ana@localhost' }), blames: invalid('email', 'A30') },
      { title: 'an e-mail of white space', call: createUser({ email: ' ' }), blames: invalid('email', 'A40') }
    ],
    broken: [
      ...needed(createUser, 'email', 'USR-3'),
      ...[...NO_ADDRESSES, `${'a'.repeat(65)}@example.com`, `a@${'b'.repeat(64)}.example`].map((email): Case =>
        ({ title: email, call: createUser({ email }), blames: invalid('email', 'USR-3'), reference: true }))
    ]
  },
  'USR-4': {
    kept: [
      { title: 'a delete', given: ['second_user'], call: deleteUser, also: ['USR-1'], answers: { status: 204, empty: true },
        later: [[readUsers, { page: ['${second_user.id}'] }]], reference: true }
    ],
    silent: [
      { title: 'a delete of a User that is gone', before: [deleteUser], call: deleteUser, blames: notThere('user_id') },
      { title: 'a create', call: createUser(), also: USER_MADE }
    ],
    broken: []
  },

  'TKT-1': {
    right: read('/tickets/${ticket.id}'),
    kept: [],
    silent: [{ title: 'a read', call: read('/tickets/${ticket.id}') }, { title: 'a list', call: tickets(), also: ['LIST-1'] }],
    broken: [
      ...['POST /tickets', 'POST /tickets/${ticket.id}', 'DELETE /tickets/${ticket.id}'].map((on): Case => ({ title: on,
        call: { on, ...(on.startsWith('POST') && { body: { reference: 'New' } }) }, blames: noMethod('TKT-1'),
        later: [[read('/tickets/${ticket.id}'), { shows: '${ticket}' }]], reference: true })),
      { title: 'PUT /tickets', call: { on: 'PUT /tickets', key: null }, blames: noMethod('TKT-1') }
    ]
  },

  'TXN-1': {
    right: pay(),
    kept: [{ title: 'a payment', call: pay(), also: PAID, later: [[read('/transactions/${made.id}'), { shows: '${made}' }]] }],
    silent: [{ title: 'a refused payment', call: pay({ currency: 'USD' }), blames: invalid('currency', 'TXN-6') }, { title: 'a read', call: readCharge }],
    broken: [
      ...needed(pay, 'ticket', 'TXN-1'),
      { title: 'an id of none', call: pay({ ticket: 'none' }), blames: noReference('ticket', 'TXN-1'), reference: true },
      { title: 'an id of another family', call: pay({ ticket: '${location.id}' }), blames: noReference('ticket', 'TXN-1'), reference: true },
      { title: 'an unknown Ticket before what stands after it', call: pay({ ticket: 'none', payment_type: 'cash', amount: 'x' }),
        blames: noReference('ticket', 'TXN-1') }
    ]
  },
  'TXN-2': {
    right: pay(),
    kept: [
      { title: 'vip', call: vip(), also: [...PAID_LEAST, 'TXN-3'], later: [[read('/transactions/${made.id}'), { shows: '${made}' }]], reference: true },
      { title: 'apple_pay', call: applePay(), also: [...PAID_LEAST, 'TXN-4'], later: [[read('/transactions/${made.id}'), { shows: '${made}' }]],
        reference: true },
      ...PLAIN_TYPES.map((payment_type): Case => ({ title: payment_type, call: payLeast({ payment_type }), also: PAID_LEAST,
        later: [[read('/transactions/${made.id}'), { shows: '${made}' }]], reference: true }))
    ],
    silent: [{ title: 'a refused payment', call: pay({ ticket: 'none' }), blames: noReference('ticket', 'TXN-1') }],
    broken: [
      ...needed(pay, 'payment_type', 'TXN-2'),
      ...['cash', 'CARD', 'applepay', 'toString'].map((payment_type): Case => ({ title: payment_type, call: pay({ payment_type }),
        blames: invalid('payment_type', 'TXN-2'), reference: true }))
    ]
  },
  'TXN-3': {
    right: vip(),
    kept: [
      { title: 'vip with customer[phone]', call: vip(), also: PAID_LEAST,
        answers: { shows: { customer: { name: null, email: null, phone: '+1 617 555 0100' } } } }
    ],
    silent: [
      { title: 'another type', call: payLeast({ 'customer[phone]': '1' }), also: PAID_LEAST },
      { title: 'a refused payment', call: vip({ currency: 'USD' }), blames: invalid('currency', 'TXN-6') }
    ],
    broken: [
      ...needed(vip, 'customer[phone]', 'TXN-3'),
      { title: 'with the rest of a customer', call: vip({ 'customer[phone]': undefined, 'customer[email]': 'ana@example.com', 'customer[name]': 'Ana' }),
        blames: missing('customer[phone]', 'TXN-3'), reference: true }
    ]
  },
  'TXN-4': {
    right: applePay(),
    kept: [
      { title: 'apple_pay with customer[email]', call: applePay(), also: PAID_LEAST,
        answers: { shows: { customer: { name: null, email: 'ana@example.com', phone: null } } } }
    ],
    silent: [
      { title: 'another type', call: payLeast({ 'customer[email]': 'ana@example.com' }), also: PAID_LEAST },
      { title: 'a malformed address', call: applePay({ 'customer[email]': 'ana' }), blames: invalid('customer[email]', 'A30') }
    ],
    broken: [
      ...needed(applePay, 'customer[email]', 'TXN-4'),
      { title: 'with the rest of a customer', call: applePay({ 'customer[email]': undefined, 'customer[phone]': '1', 'customer[name]': 'Ana' }),
        blames: missing('customer[email]', 'TXN-4'), reference: true }
    ]
  },
  'TXN-5': {
    kept: [
      { title: 'used with vip', call: vip(BANK), also: [...PAID_LEAST, 'TXN-3'],
        answers: { shows: { payment_method: { bank_account: { bank_name: 'Bank ${unique}', last4: '6789' } } } }, reliesNot: ['A26'] },
      ...PLAIN_TYPES.map((payment_type): Case => ({ title: `not used with ${payment_type}`, call: payLeast({ payment_type, ...BANK }),
        also: PAID_LEAST, answers: { shows: { payment_method: { bank_account: null } } }, relies: ['A26'] }))
    ],
    silent: [
      { title: 'without it', call: vip(), also: [...PAID_LEAST, 'TXN-3'] },
      { title: 'an empty one', call: vip({ bank_account: '' }), also: [...PAID_LEAST, 'TXN-3'], answers: { shows: { payment_method: { bank_account: null } } },
        relies: ['A16'] },
      { title: 'an empty part of one', call: vip({ 'bank_account[account_number]': '' }), also: [...PAID_LEAST, 'TXN-3'] },
      { title: 'a refused payment', call: payLeast({ payment_type: 'vip', ...BANK }), blames: missing('customer[phone]', 'TXN-3') }
    ],
    broken: []
  },
  'TXN-6': {
    right: pay(),
    kept: ['usd', 'eur', 'jpy'].map((currency): Case => ({ title: currency, call: pay({ currency }), also: PAID, answers: { shows: { currency } },
      reliesNot: ['A22'], reference: true })),
    silent: [
      { title: 'left out', call: payLeast({ amount: 1 }), also: [...PAID_LEAST, 'TXN-7'], answers: { shows: { currency: 'usd' } }, relies: ['A22'] },
      { title: 'amounts[currency]', call: payLeast({ 'amounts[currency]': 'eur' }), also: PAID_LEAST, answers: { shows: { currency: 'eur' } },
        relies: ['A24'] },
      { title: 'a bad amounts[currency]', call: payLeast({ 'amounts[currency]': 'EUR' }), blames: invalid('amounts[currency]', 'A24') }
    ],
    broken: ['USD', 'Usd', 'us', 'usdd', 'dollar', '840', 'zzz', ' usd'].map((currency): Case => ({ title: `'${currency}'`, call: pay({ currency }),
      blames: invalid('currency', 'TXN-6'), reference: true }))
  },
  'TXN-7': {
    right: pay(),
    kept: [
      { title: 'an amount, to the unit', call: pay({ amount: 1999 }), also: PAID, later: [[refundOf('made'), { shows: { amount: 1999 } }]],
        reliesNot: ['A24', 'A27'], reference: true },
      ...['amount', 'tip_amount', 'donation_amount'].map((param): Case => ({ title: param, call: payLeast({ [param]: 250 }), also: PAID_LEAST,
        answers: { shows: { [param]: 250 } }, ...(param === 'amount' && { reliesNot: ['A24'] }) })),
      { title: 'an amount of 0', call: payLeast({ amount: 0 }), also: PAID_LEAST, answers: { shows: { amount: 0 } }, reliesNot: ['A24'] },
      { title: 'the most that there is', call: payLeast({ amount: MOST }), also: PAID_LEAST, answers: { shows: { amount: MOST } } }
    ],
    silent: [
      { title: 'none of them', call: payLeast(), also: PAID_LEAST, relies: ['A24'] },
      { title: 'an empty amount', call: payLeast({ amount: '' }), also: PAID_LEAST, relies: ['A16', 'A24'] },
      { title: 'amounts[transaction_amount]', call: payLeast({ 'amounts[transaction_amount]': 7 }), also: PAID_LEAST, answers: { shows: { amount: 7 } },
        relies: ['A24'] },
      { title: 'a bad amounts[transaction_amount]', call: payLeast({ 'amounts[transaction_amount]': '7.5' }),
        blames: invalid('amounts[transaction_amount]', 'A24') },
      ...['amount', 'tip_amount', 'donation_amount'].flatMap((param): Case[] => ['-1', BEYOND].map((value): Case => ({ title: `${param}=${value}`,
        call: payLeast({ [param]: value }), blames: invalid(param, 'A27') }))),
      { title: 'parts that come together to too much', call: payLeast({ amount: MOST, tip_amount: 1 }), blames: invalid('amount', 'A27') }
    ],
    broken: ['amount', 'tip_amount', 'donation_amount'].flatMap((param): Case[] => NO_INTEGERS.map((value): Case => ({ title: `${param}=${value}`,
      call: pay({ [param]: value }), blames: invalid(param, 'TXN-7'), reference: true })))
  },
  'TXN-8': {
    kept: [
      { title: 'a read', given: ['refund'], call: readCharge, answers: { shows: { amount_refunded: 100 } }, relies: ['A29'] },
      { title: 'a list', given: ['refund'], call: transactions(), also: ['LIST-1'], relies: ['A29'] }
    ],
    silent: [
      { title: 'a read of one without a Refund', given: ['refund'], call: read('/transactions/${second_charge.id}'), relies: ['A29'] },
      { title: 'a list without a Refund', given: ['charge'], call: transactions(), also: ['LIST-1'], relies: ['A29'] },
      { title: 'a create', call: payLeast(), also: PAID_LEAST, relies: ['A29'] },
      { title: 'a Refund', call: refund(), also: REFUNDED, reliesNot: ['A29'] }
    ],
    broken: []
  },

  'REF-1': {
    right: refund(),
    kept: [{ title: 'a Refund', call: refund(), also: REFUNDED, answers: { shows: { transaction: '${charge.id}' } }, reference: true }],
    silent: [
      { title: 'all was refunded', call: refundOf('spent'), blames: ALL_REFUNDED },
      { title: 'nothing was settled', call: refundOf('free'), blames: [400, 'charge_has_no_amount', 'transaction', 'A24'] },
      { title: 'a read', call: read('/refunds/${refund.id}') }
    ],
    broken: [
      ...needed(refund, 'transaction', 'REF-1'),
      { title: 'an id of none', call: refund({ transaction: 'none' }), blames: noReference('transaction', 'REF-1'), reference: true },
      { title: 'an id of another family', call: refund({ transaction: '${ticket.id}' }), blames: noReference('transaction', 'REF-1'), reference: true },
      { title: 'an unknown Transaction before a bad amount', call: refund({ transaction: 'none', amount: 'x' }), blames: noReference('transaction', 'REF-1') }
    ]
  },
  'REF-2': {
    kept: [
      { title: 'the card that was charged', call: refundOf('other_card', { amount: 100 }), also: REFUNDED,
        answers: { shows: { payment_method: { card: { brand: 'mastercard', last4: '4444' } } } }, relies: ['A28'] }
    ],
    silent: [
      { title: 'card data sent with a payment type that charges none', call: { on: 'POST /refunds', body: 'transaction=wallet&amount=100' }, also: without(REFUNDED, 'REF-2'),
        records: { transactions: [{ id: 'wallet', ticket: 'tkt_a', payment_type: 'paypal', amount: 1000, payment_method: { card: { last4: '4242' } } }] } },
      { title: 'a payment without a card', call: refundOf('cash', { amount: 100 }), also: without(REFUNDED, 'REF-2'),
        answers: { shows: { payment_method: { card: null } } }, relies: ['A28'] },
      { title: 'a refused Refund', call: refund({ amount: 1001 }), blames: EXCEEDS, reliesNot: ['A28'] }
    ],
    broken: []
  },
  'REF-3': {
    right: refund(),
    kept: [
      { title: 'one unit', call: refund({ amount: 1 }), also: REFUNDED, answers: { shows: { amount: 1 } }, later: [remains('charge', 999)], reference: true }
    ],
    silent: [
      { title: 'without amount', call: refundOf('charge'), also: REFUNDED_WHOLE },
      { title: 'one that a double cannot hold', call: refund({ amount: BEYOND }), blames: invalid('amount', 'A27') },
      { title: 'one above the remainder', call: refund({ amount: 1001 }), blames: EXCEEDS }
    ],
    broken: ['0', '-1', ...NO_INTEGERS].map((amount): Case => ({ title: amount, call: refund({ amount }), blames: invalid('amount', 'REF-3'),
      later: [remains('charge', 1000)], reference: true, right: readCharge }))
  },
  'REF-4': {
    kept: [
      { title: 'the whole charge', call: refundOf('charge'), also: REFUNDED_WHOLE, answers: { shows: { amount: 1000 } }, reference: true },
      { title: 'what remains of it', call: refundOf('partly'), also: [...REFUNDED_WHOLE, 'REF-5'], answers: { shows: { amount: 600 } }, reference: true },
      { title: 'an empty amount', settings: { 'refunds.empty_amount': 'remainder' }, call: refundOf('charge', { amount: '' }), also: REFUNDED_WHOLE,
        answers: { shows: { amount: 1000 } }, relies: ['A16'] }
    ],
    silent: [
      { title: 'with amount', call: refundOf('charge', { amount: 1000 }), also: without(REFUNDED, 'REF-5') },
      { title: 'a refused Refund', call: refundOf('spent'), blames: ALL_REFUNDED }
    ],
    broken: []
  },
  'REF-5': {
    kept: [
      { title: 'a part', call: refund(), also: REFUNDED },
      { title: 'a part after a part', call: refundOf('partly', { amount: 100 }), also: REFUNDED, answers: { shows: { amount: 100 } },
        later: [remains('partly', 500)], reference: true },
      { title: 'the last part', call: refundOf('partly', { amount: 600 }), also: REFUNDED, answers: { shows: { amount: 600 } }, reference: true }
    ],
    silent: [
      { title: 'the whole charge at once', call: refundOf('charge'), also: REFUNDED_WHOLE },
      { title: 'the whole charge at once, its amount given', call: refundOf('charge', { amount: 1000 }), also: without(REFUNDED, 'REF-5') },
      { title: 'a refused part', call: refundOf('partly', { amount: 601 }), blames: EXCEEDS }
    ],
    broken: []
  },
  'REF-6': {
    kept: [{ title: 'a Refund', call: refund(), also: REFUNDED }],
    silent: [{ title: 'nothing was settled', call: refundOf('free'), blames: [400, 'charge_has_no_amount', 'transaction', 'A24'] }],
    broken: [
      { title: 'without amount', right: read('/transactions/${spent.id}'), call: refundOf('spent'), blames: ALL_REFUNDED, reference: true },
      { title: 'with an amount', right: read('/transactions/${spent.id}'), call: refundOf('spent', { amount: 1 }), blames: ALL_REFUNDED, reference: true },
      { title: 'with more than was charged', right: read('/transactions/${spent.id}'), call: refundOf('spent', { amount: 1001 }), blames: ALL_REFUNDED,
        reference: true },
      { title: 'in parts', right: read('/transactions/${partly.id}'), before: [refundOf('partly', { amount: 600 })], call: refundOf('partly'),
        blames: ALL_REFUNDED, reference: true }
    ]
  },
  'REF-7': {
    kept: [
      { title: 'a part', call: refund(), also: REFUNDED },
      { title: 'exactly the remainder', call: refundOf('partly', { amount: 600 }), also: REFUNDED, answers: { shows: { amount: 600 } } }
    ],
    silent: [
      { title: 'without amount', call: refundOf('partly'), also: [...REFUNDED_WHOLE, 'REF-5'] },
      { title: 'all was refunded', call: refundOf('spent', { amount: 1 }), blames: ALL_REFUNDED }
    ],
    broken: [
      { title: 'above the charge', right: readCharge, call: refund({ amount: 1001 }), blames: EXCEEDS, later: [remains('charge', 1000)], reference: true },
      ...[601, 1000, MOST].map((amount): Case => ({ title: `${amount} of 600`, right: read('/transactions/${partly.id}'), call: refundOf('partly', { amount }),
        blames: EXCEEDS, later: [remains('partly', 600)], reference: true }))
    ]
  },
  'REF-8': {
    kept: [
      { title: 'without reason', call: refund(), also: REFUNDED, answers: { shows: { reason: null, transaction: '${charge.id}' } }, reference: true },
      { title: 'an empty reason', call: refund({ reason: '' }), also: REFUNDED, answers: { shows: { reason: null } }, relies: ['A16'] }
    ],
    silent: [
      { title: 'with reason', call: refund({ reason: 'cold soup' }), also: without(REFUNDED, 'REF-8'), answers: { shows: { reason: 'cold soup' } },
        reference: true }
    ],
    broken: []
  },
  'REF-9': {
    kept: [
      { title: 'metadata', call: onRefund({ 'metadata[till]': '4' }), also: ['META-1'],
        later: [
          [read('/refunds/${refund.id}'), { shows: { transaction: '${charge.id}', amount: 100, reason: 'cold soup', metadata: { order: 'A-17', till: '4' } } }]
        ], reference: true }
    ],
    silent: [
      { title: 'an empty body', call: { on: 'POST /refunds/${refund.id}' } },
      { title: 'a parameter that no Refund has', call: onRefund({ colour: 'red' }), blames: unknown('colour'), reliesNot: ['A15'] },
      { title: 'the others, where they are ignored', call: onRefund({ amount: 1, reason: '', transaction: 'none' }),
        settings: { 'parameters.not_updatable': 'ignore' }, answers: { shows: { amount: 100, reason: 'cold soup', transaction: '${charge.id}' } },
        relies: ['A15'] }
    ],
    broken: ([
      [{ amount: 1 }, 'amount'],
      [{ amount: 100 }, 'amount'],
      [{ amount: '' }, 'amount'],
      [{ reason: 'changed' }, 'reason'],
      [{ reason: '' }, 'reason'],
      [{ transaction: '${second_charge.id}' }, 'transaction'],
      [{ 'metadata[till]': '4', reason: 'changed' }, 'reason'],
      [{ reason: 'changed', amount: 1, transaction: 'none' }, 'transaction']
    ] as const).map(([body, param]): Case => ({ title: JSON.stringify(body), call: onRefund(body), blames: notUpdatable(param), relies: ['A15'] }))
  },
  'REF-10': {
    kept: [
      { title: 'of one Transaction', given: ['refund', 'second_refund'], before: [refundOf('second_charge', { amount: 1 })],
        call: refunds({ transaction: '${charge.id}' }), also: ['LIST-1'],
        answers: { holds: ['${refund.id}', '${second_refund.id}'], count: 2, has_more: false },
        later: [[refunds({ transaction: '${second_charge.id}' }), { lacks: ['${refund.id}'], count: 1 }]], reference: true },
      { title: 'of a Transaction without any', call: refunds({ transaction: '${charge.id}' }), also: ['LIST-1'], answers: { page: [] } },
      { title: 'two of all', given: ['refund', 'second_refund'], call: refunds(), also: ['LIST-1'], answers: { page: ['${second_refund.id}', '${refund.id}'] },
        reliesNot: ['A11'] }
    ],
    silent: [
      { title: 'none of all', call: refunds(), also: ['LIST-1'] },
      { title: 'one of all', given: ['refund'], call: refunds(), also: ['LIST-1'] },
      { title: 'of a Transaction that is not there', given: ['refund', 'second_refund'], call: refunds({ transaction: 'none' }), also: ['LIST-1'],
        answers: { page: [] }, relies: ['A16'] },
      { title: 'a read', call: read('/refunds/${refund.id}') }
    ],
    broken: []
  }
}

const SCOPED = { 'auth.visibility': 'scoped' }
const asReseller = (call: Call): Call => ({ ...call, key: 'reseller' })
const order = (title: string, call: Call, blames: Blame): Case => ({ title: `order: ${title}`, call, blames })
const JSON_TYPE = { 'content-type': 'application/json' }
/** A User of the merchant's Account, and one of another. */
const USERS_APART = ['mch_a', 'rsl_r'].map((account, at) => ({ id: at === 0 ? 'usr_a' : 'usr_r', account, name: 'U', email: 'u@example.com' }))
/** A create that runs, and two calls near it. */
const CREATED_OR_NOT: AssumptionCases = {
  relies: [
    { title: 'a create', call: createLocation() },
    { title: 'a payment', call: payLeast() },
    { title: 'a Refund', call: refund() },
    { title: 'a User', call: createUser() }
  ],
  not: [
    { title: 'an update', call: updateLocation({ phone: '1' }) },
    { title: 'a refused create', call: createLocation({ display_name: undefined }), blames: missing('display_name', 'LOC-1') },
    { title: 'a delete', call: deleteUser }
  ]
}
const SHOWN_OR_NOT: AssumptionCases = {
  relies: [
    { title: 'a create', call: createLocation() },
    { title: 'a read', call: read('/tickets/${ticket.id}') },
    { title: 'an update', call: onRefund({ 'metadata[till]': '4' }) },
    { title: 'a list', call: list('/accounts') }
  ],
  not: [
    { title: 'a delete', call: deleteUser },
    { title: 'a list of nothing', call: refunds() },
    { title: 'a refusal', call: list('/locations', { limit: 0 }), blames: invalid('limit', 'A10') }
  ]
}

/** By assumption; A01, A33 and A34 stand behind every answer. */
// biome-ignore format: a table, a case in as few lines as it takes
export const ASSUMPTION_CASES: Readonly<Record<CountedAssumption, AssumptionCases>> = {
  A02: CREATED_OR_NOT,
  A03: CREATED_OR_NOT,
  A04: SHOWN_OR_NOT,
  A05: SHOWN_OR_NOT,
  A06: {
    relies: [...CREATED_OR_NOT.relies, { title: 'statuses.created', settings: { 'statuses.created': 201 }, call: createLocation(), answers: { status: 201 } }],
    not: CREATED_OR_NOT.not
  },
  A07: {
    relies: [
      { title: 'a refusal', call: { ...readLocation, key: null }, blames: NO_KEY },
      { title: 'an operation that is disabled', call: { on: 'DELETE /accounts/mch_a' }, blames: disabled('ACC-5') }
    ],
    not: [{ title: 'an answer', call: readLocation }]
  },
  A08: {
    relies: [
      { title: 'a path that no family has', call: { on: 'GET /nowhere' }, blames: noPath('A08') },
      { title: 'a method that the path does not take', call: { on: 'PATCH /locations/loc_a' }, blames: noMethod('A08') },
      ...['/locations', '/accounts', '/tickets', '/transactions', '/refunds'].map((path): Case => ({ title: `${path}/none`, call: read(`${path}/none`),
        blames: notThere() })),
      { title: 'an update of what is not there', call: { on: 'POST /refunds/none', body: { 'metadata[till]': '4' } }, blames: notThere() },
      { title: 'an id of another family', call: read('/locations/mch_a'), blames: notThere() },
      { title: 'statuses.invalid', settings: { 'statuses.invalid': 422 }, call: createLocation({ display_name: '' }),
        blames: [422, 'parameter_missing', 'display_name', 'LOC-1'] },
      { title: 'statuses.unauthenticated', settings: { 'statuses.unauthenticated': 403 }, call: { ...readLocation, key: null },
        blames: [403, 'api_key_missing', null, 'AUTH-3'] },
      { title: 'statuses.forbidden', settings: { 'statuses.forbidden': 401 }, call: asReseller(createLocation()),
        blames: [401, 'merchant_required', null, 'LOC-3'] },
      { title: 'statuses.missing', settings: { 'statuses.missing': 410 }, call: read('/locations/none'), blames: [410, 'resource_missing', 'id', 'A08'] },
      { title: 'statuses.reference_missing', settings: { 'statuses.reference_missing': 404 }, call: pay({ ticket: 'none' }),
        blames: [404, 'reference_missing', 'ticket', 'TXN-1'] },
      { title: 'statuses.refund_refused', settings: { 'statuses.refund_refused': 409 }, call: refundOf('spent'),
        blames: [409, 'charge_already_refunded', 'transaction', 'REF-6'] },
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
      order('413 before the form', { on: 'POST /locations', body: `%zz&${LARGE}` }, [413, 'body_too_large', null, 'A35']),
      order('the form before an unknown parameter', { on: 'POST /locations', body: 'colour=red&a=%zz' }, malformed('a', 'FORM-1')),
      order('the form before the table', { on: 'POST /locations', body: 'address=US&a[=1' }, malformed('a[', 'FORM-2')),
      order('an unknown parameter before the table', { on: 'POST /locations', body: 'address=US&colour=red' }, unknown('colour')),
      order('an unknown parameter before a cursor', list('/locations', 'x=1&starting_after=none'), unknown('x')),
      order('display_name before the address', createLocation({ display_name: undefined, 'address[country]': 'XX' }), missing('display_name', 'LOC-1')),
      order('type before name and email', createAccount({ type: 'x', name: '', email: 'x' }), invalid('type', 'ACC-1')),
      order('currency before amount', pay({ amount: 'x', currency: 'X' }), invalid('currency', 'TXN-6')),
      order('gte before lt', tickets('created[lt]=x&created[gte]=x'), invalid('created[gte]', 'FILT-1')),
      order('limit before a cursor', list('/locations', 'starting_after=none&limit=x'), invalid('limit', 'LIST-3')),
      order('a cursor before created', tickets('created[gte]=x&starting_after=none'), noCursor('starting_after')),
      order('a Ticket that is not there before a bad amount', pay({ ticket: 'none', amount: 'x' }), noReference('ticket', 'TXN-1')),
      order('the table before the id in the path', { on: 'POST /locations/none', body: { address: 'US' } }, invalid('address', 'ADDR-1')),
      order('the table before the Account in the path', { on: 'POST /accounts/none/users', body: { name: 'A' } }, missing('email', 'USR-3')),
      order('limit before the Account in the path', list('/accounts/none/users', 'limit=x'), invalid('limit', 'LIST-3')),
      order('the table before who may', asReseller(createLocation({ 'address[country]': undefined })), missing('address[country]', 'LOC-2')),
      order('the table before the rules of the operation', vip({ 'customer[phone]': undefined, currency: 'X' }), invalid('currency', 'TXN-6')),
      order('the Account before the User', { on: 'DELETE /accounts/none/users/none' }, notThere('account_id'))
    ],
    not: [
      { title: 'an operation that is disabled', call: { on: 'DELETE /locations/loc_a' }, blames: disabled('LOC-4') },
      { title: 'an answer', call: readLocation },
      order('501 before 413', { on: 'DELETE /accounts/mch_a', body: LARGE }, disabled('ACC-5')),
      order('501 before a body', { on: 'DELETE /accounts/mch_a', body: 'a=1' }, disabled('ACC-5')),
      order('501 before the form', { on: 'DELETE /accounts/mch_a', query: 'a=%zz' }, disabled('ACC-5')),
      order('501 before an unknown parameter', { on: 'DELETE /locations/loc_a', query: 'a=1' }, disabled('LOC-4')),
      order('501 before an id that is not there', { on: 'DELETE /locations/none' }, disabled('LOC-4'))
    ]
  },
  A09: {
    relies: LISTS.map(([path]): Case => ({ title: path, call: list(path) })),
    not: [{ title: 'a read', call: readLocation }, { title: 'a refused list', call: list('/locations', { limit: 0 }), blames: invalid('limit', 'A10') }]
  },
  A10: {
    relies: [
      { title: 'without limit', call: list('/locations') },
      { title: 'a limit above the default', call: list('/locations', { limit: 11 }) },
      { title: 'a cursor', given: ['location'], call: list('/locations', { limit: 1, starting_after: 'loc_b' }), answers: { page: ['loc_a'] } },
      { title: 'a cursor back', given: ['location'], call: list('/locations', { limit: 1, ending_before: 'loc_a' }),
        answers: { page: ['loc_b'], has_more: true } },
      { title: 'a deleted User as a cursor', given: ['user', 'second_user'], before: [{ on: 'DELETE /accounts/${account.id}/users/${second_user.id}' }],
        call: list('/accounts/${account.id}/users', { limit: 1, starting_after: '${second_user.id}' }), answers: { page: ['${user.id}'] } },
      ...['0', '-1', '101', BEYOND].map((limit): Case => ({ title: `limit=${limit}`, call: list('/locations', { limit }), blames: invalid('limit', 'A10') })),
      ...['starting_after', 'ending_before'].flatMap((param): Case[] => ['none', '${charge.id}', '__proto__'].map((id): Case => ({ title: `${param}=${id}`,
        call: list('/locations', { [param]: id }), blames: noCursor(param) }))),
      { title: 'a User of another Account as a cursor', call: list('/accounts/${account.id}/users', { starting_after: '${other_user.id}' }),
        blames: noCursor('starting_after') },
      { title: 'both cursors', call: tickets({ starting_after: '${ticket.id}', ending_before: '${ticket.id}' }), blames: invalid('ending_before', 'A10') },
      { title: 'a limit that is clamped', settings: { 'pagination.out_of_range': 'clamp' }, call: list('/locations', { limit: 101 }), answers: { count: 2 } },
      { title: 'a limit that is clamped to 1', settings: { 'pagination.out_of_range': 'clamp' }, given: ['location'], call: list('/locations', { limit: -7 }),
        answers: { count: 1 } },
      { title: 'pagination.default_limit', settings: { 'pagination.default_limit': 1 }, given: ['location'], call: list('/locations'),
        answers: { count: 1, has_more: true } },
      { title: 'a limit beyond all numbers that is clamped', settings: { 'pagination.out_of_range': 'clamp', 'pagination.max_limit': 1 },
        call: list('/locations', { limit: '9'.repeat(20) }), answers: { count: 1 } },
      { title: 'a default above the largest', settings: { 'pagination.default_limit': 9, 'pagination.max_limit': 1 }, call: list('/locations'),
        answers: { count: 1 } },
      { title: 'pagination.max_limit', settings: { 'pagination.max_limit': 3 }, call: list('/locations', { limit: 4 }), blames: invalid('limit', 'A10') }
    ],
    not: [
      { title: 'a limit', call: list('/locations', { limit: 5 }) },
      { title: 'the default limit', call: list('/locations', { limit: 10 }) },
      { title: 'a limit in range, where others are clamped', settings: { 'pagination.out_of_range': 'clamp' }, call: list('/locations', { limit: 5 }) },
      { title: 'a limit that is no integer', call: list('/locations', { limit: 'x' }), blames: invalid('limit', 'LIST-3') },
      { title: 'a limit that is no integer, where others are clamped', settings: { 'pagination.out_of_range': 'clamp' }, call: list('/locations', 'limit=x'),
        blames: invalid('limit', 'LIST-3') },
      { title: 'a read', call: readLocation }
    ]
  },
  A11: {
    relies: [
      { title: 'two records', call: tickets(), answers: { page: ['${newest_ticket.id}', '${ticket.id}'] } },
      { title: 'one record of two', call: tickets({ limit: 1 }), answers: { page: ['${newest_ticket.id}'] } },
      { title: 'the last of two', call: tickets({ limit: 1, starting_after: '${newest_ticket.id}' }), answers: { page: ['${ticket.id}'] } },
      { title: 'nothing after the last of two', call: tickets({ starting_after: '${ticket.id}' }), answers: { page: [] } },
      { title: 'pagination.order', settings: { 'pagination.order': 'oldest_first' }, call: tickets(),
        answers: { page: ['${ticket.id}', '${newest_ticket.id}'] } }
    ],
    not: [
      { title: 'one record', given: ['user'], call: readUsers },
      { title: 'the one match of a search', call: tickets({ search_query: '${newest_ticket.reference}', limit: 5 }), answers: { page: ['${newest_ticket.id}'] } },
      { title: 'Refunds', settings: { 'pagination.order': 'oldest_first' }, given: ['refund', 'second_refund'], call: refunds(),
        answers: { page: ['${second_refund.id}', '${refund.id}'] } }
    ]
  },
  A12: {
    relies: [
      { title: 'a search of Tickets', call: tickets({ search_query: '${ticket.reference}' }) },
      { title: 'a search of Transactions', call: transactions({ search_query: '4242' }) }
    ],
    not: [{ title: 'no search', call: tickets() }]
  },
  A13: {
    relies: [
      { title: 'a part of a reference, in another case', call: tickets({ search_query: 't-1' }), answers: { page: ['${ticket.id}'] } },
      { title: 'search.reference = prefix', settings: { 'search.reference': 'prefix' }, call: tickets({ search_query: '-1' }), answers: { page: [] } },
      { title: 'search.reference = exact', settings: { 'search.reference': 'exact' }, call: tickets({ search_query: 'T-' }), answers: { page: [] } },
      { title: 'a part of the digits', given: ['charge'], call: transactions({ search_query: '424' }), answers: { page: [] } },
      { title: 'search.last4 = contains', settings: { 'search.last4': 'contains' }, given: ['charge'], call: transactions({ search_query: '24' }),
        answers: { page: ['${charge.id}'] } }
    ],
    not: [{ title: 'no search', call: tickets({ 'created[gte]': '2020-01-01T00:00:00Z' }) }]
  },
  A14: {
    relies: [
      ...([
        [createLocation({ colour: 'red' }), 'colour'],
        [createLocation({ Phone: '1' }), 'Phone'],
        [createLocation({ id: 'loc_mine' }), 'id'],
        [createLocation({ 'tags[]': 'a' }), 'tags[]'],
        [createLocation({ 'a[b][c]': '1' }), 'a[b][c]'],
        [{ on: 'POST /locations', body: 'display_name=A&address[country]=US&__proto__[phone]=1' }, '__proto__[phone]'],
        [createLocation({ constructor: 'x' }), 'constructor'],
        [createLocation({ 'address[toString]': 'x' }), 'address[toString]'],
        [createAccount({ website: 'x' }), 'website'],
        [onAccount({ reseller: 'rsl_r' }), 'reseller'],
        [createUser({ phone: '1' }), 'phone'],
        [pay({ 'metadata[k]': 'v' }), 'metadata[k]'],
        [pay({ 'card[cvv]': '1' }), 'card[cvv]'],
        [pay({ 'amounts[donation_amount]': 1 }), 'amounts[donation_amount]'],
        [refund({ currency: 'usd' }), 'currency'],
        [{ on: 'POST /transactions', query: 'amount=1', body: 'ticket=tkt_a&payment_type=card', key: null }, 'amount'],
        [list('/locations', 'location=loc_a'), 'location'],
        [list('/accounts', 'page=2'), 'page'],
        [list('/accounts/mch_a/users', 'search_query=a'), 'search_query'],
        [tickets('created[eq]=2026-01-01'), 'created[eq]'],
        [transactions('ticket=tkt_a'), 'ticket'],
        [refunds('created[gt]=2026-01-01'), 'created[gt]'],
        [list('/locations/loc_a', 'expand=1'), 'expand'],
        [list('/transactions/${charge.id}', 'expand[]=refunds'), 'expand[]'],
        [{ ...deleteUser, query: 'force=1' }, 'force']
      ] as const).map(([call, param]): Case => ({ title: `${call.on} with ${param}`, call, blames: unknown(param) })),
      { title: 'an empty one', call: createLocation({ colour: '' }), blames: unknown('colour') },
      { title: 'dropped with a warning', settings: { 'parameters.unknown': 'warn' }, call: createLocation({ colour: 'red' }) },
      { title: 'dropped without a word', settings: { 'parameters.unknown': 'ignore' }, call: list('/locations', { colour: 'red' }) }
    ],
    not: [
      { title: 'known ones alone', call: createLocation() },
      { title: 'known ones alone, where others are dropped', settings: { 'parameters.unknown': 'ignore' }, call: createLocation() },
      { title: 'one that is not updatable', call: onRefund({ amount: 1 }), blames: notUpdatable('amount') }
    ]
  },
  A15: {
    relies: [
      { title: 'refused', call: onRefund({ amount: 1 }), blames: notUpdatable('amount') },
      { title: 'ignored', settings: { 'parameters.not_updatable': 'ignore' }, call: onRefund({ amount: 1 }), answers: { shows: { amount: 100 } } }
    ],
    not: [
      { title: 'metadata', call: onRefund({ 'metadata[till]': '4' }) },
      { title: 'one that no Refund has', call: onRefund({ colour: 'red' }), blames: unknown('colour') }
    ]
  },
  A16: {
    relies: [
      { title: 'empty on a create', call: createLocation({ phone: '', website: '', 'address[city]': '' }),
        answers: { shows: { phone: null, website: null, address: { city: null } } } },
      { title: 'an empty object on a create', call: pay({ customer: '', amounts: '' }), answers: { shows: { customer: null, amounts: null } } },
      { title: 'empty in a query', call: tickets('starting_after=&search_query=&created[gte]='), answers: { count: 2 } },
      { title: 'an empty object in a query', call: tickets('created='), answers: { count: 2 } },
      { title: 'limit=', call: list('/locations', 'limit='), blames: invalid('limit', 'A16') },
      { title: 'limit=, where others are clamped', settings: { 'pagination.out_of_range': 'clamp' }, call: list('/locations', 'limit='),
        blames: invalid('limit', 'A16') },
      { title: 'a filter that names nothing', call: transactions({ location: 'none' }), answers: { page: [] } },
      { title: 'an empty amount of a Refund', call: refundOf('charge', { amount: '' }), blames: invalid('amount', 'A16') },
      ...([
        [updateFurnished, { display_name: '' }],
        [updateFurnished, { 'address[country]': '' }],
        [onFurnishedAccount, { address: '' }],
        [onFurnishedAccount, { type: '' }],
        [onFurnishedAccount, { name: '' }],
        [onFurnishedAccount, { email: '' }]
      ] as const).map(([update, sent]): Case => ({ title: `${Object.keys(sent)} that the create requires, unset`, call: update(sent) })),
      ...([
        [updateFurnished({ display_name: '' }), 'display_name'],
        [updateFurnished({ 'address[country]': '' }), 'address[country]'],
        [onFurnishedAccount({ address: '' }), 'address[country]'],
        [onFurnishedAccount({ type: '' }), 'type'],
        [onFurnishedAccount({ name: '' }), 'name'],
        [onFurnishedAccount({ email: '' }), 'email']
      ] as const).map(([call, param]): Case => ({ title: `${JSON.stringify(call.body)}, where that is refused`,
        settings: { 'parameters.unset_required': 'reject' }, call, blames: missing(param, 'A16') }))
    ],
    not: [
      { title: 'nothing empty', call: createLocation() },
      { title: 'an optional parameter that an update unsets', call: updateFurnished({ phone: '' }) },
      { title: 'a filter that names something', call: tickets({ location: 'loc_a' }) },
      { title: 'a parameter that is left out', call: createLocation({ display_name: undefined }), blames: missing('display_name', 'LOC-1') }
    ]
  },
  A17: {
    relies: [
      { title: 'metadata merged', call: updateFurnished({ 'metadata[new]': '1' }), answers: { shows: { metadata: { order: 'A-17', till: '3', new: '1' } } } },
      { title: 'metadata cleared and set', call: { on: updateFurnished({}).on, body: 'metadata=&metadata[new]=1' }, answers: { shows: { metadata: { new: '1' } } } },
      ...['metadata[k][n]', 'metadata[k][]', 'metadata[k][n][m]'].map((param): Case => ({ title: param, call: updateFurnished({ [param]: '1' }),
        blames: invalid(param, 'A17') }))
    ],
    not: [
      { title: 'metadata where there was none', call: updateLocation({ 'metadata[new]': '1' }) },
      { title: 'metadata of a create', call: createLocation({ 'metadata[new]': '1' }) },
      { title: 'an update without metadata', call: updateFurnished({ phone: '1' }) }
    ]
  },
  A18: {
    relies: [
      { title: 'a known key', call: readLocation },
      ...['nobody', ' ${merchant_key}', 'mch_a', '__proto__'].map((name): Case => ({ title: name, call: { ...list('/locations'), key: { name } },
        blames: UNKNOWN_KEY })),
      { title: 'a password', call: { ...list('/locations'), key: { name: '${merchant_key}', password: 'word' } }, blames: BAD_KEY },
      { title: 'auth.accept_any_key', settings: { 'auth.accept_any_key': 'mch_a' }, call: { ...createLocation(), key: { name: 'nobody' } },
        answers: { shows: { account: 'mch_a' } } },
      { title: 'auth.accept_any_key, whosever it is', settings: { 'auth.accept_any_key': 'mch_a' }, call: asReseller(createLocation()),
        answers: { shows: { account: 'mch_a' } } }
    ],
    not: [
      { title: 'no key', call: { ...readLocation, key: null }, blames: NO_KEY },
      { title: 'no key, where any is accepted', settings: { 'auth.accept_any_key': 'mch_a' }, call: { ...list('/locations'), key: null }, blames: NO_KEY },
      { title: 'another scheme', call: { ...list('/locations'), key: null, headers: { authorization: 'Bearer x' } }, blames: BAD_KEY },
      { title: 'POST /transactions', call: { ...payLeast(), key: 'merchant' } }
    ]
  },
  A19: {
    relies: [
      { title: 'a Location shown', call: asReseller(read('/locations/loc_a')) },
      { title: 'a Ticket shown', call: asReseller(read('/tickets/${ticket.id}')) },
      { title: 'a list that shows one', call: asReseller(list('/locations')), answers: { page: ['loc_b', 'loc_a'] } },
      { title: 'a Location hidden', settings: SCOPED, call: asReseller(read('/locations/loc_a')), blames: notThere() },
      { title: 'a list that hides one', settings: SCOPED, call: asReseller(list('/locations')), answers: { page: [] } },
      { title: 'a Transaction hidden', settings: SCOPED, call: asReseller(refundOf('charge')), blames: noReference('transaction', 'REF-1') },
      { title: 'a cursor hidden', settings: SCOPED, call: asReseller(list('/locations', { starting_after: 'loc_a' })), blames: noCursor('starting_after') },
      { title: 'an update hidden', settings: SCOPED, call: asReseller(updateLocation({ phone: '1' })), blames: notThere() }
    ],
    not: [
      { title: "the key's own", call: read('/locations/loc_a') },
      { title: "the key's own, scoped", settings: SCOPED, call: read('/locations/loc_a') },
      { title: 'a list of its own', call: tickets() },
      { title: 'the Users of its own Account, scoped', settings: SCOPED, records: { users: USERS_APART }, call: list('/accounts/mch_a/users'),
        answers: { page: ['usr_a'] } },
      { title: 'an Account that it created', settings: SCOPED,
        records: { accounts: [{ id: 'mch_c', type: 'merchant', name: 'C', email: 'c@example.com', address: { country: 'US' }, reseller: 'rsl_r' }] },
        call: asReseller(read('/accounts/mch_c')) }
    ]
  },
  A20: {
    relies: [
      { title: 'a key', call: { ...payLeast(), key: 'merchant' } },
      { title: 'a key that is not known', call: { ...payLeast(), key: { name: 'nobody' } } },
      { title: 'another scheme', call: { ...payLeast(), headers: { authorization: 'Bearer x' } } }
    ],
    not: [{ title: 'none', call: payLeast() }, { title: 'a key elsewhere', call: readLocation }]
  },
  A21: {
    relies: [
      { title: 'a Location', call: createLocation(), answers: { shows: { account: 'mch_a' } } },
      { title: 'a User', call: createUser(), answers: { shows: { account: '${account.id}' } } },
      { title: "an Account of a reseller's", call: asReseller(createAccount()), answers: { shows: { reseller: 'rsl_r' } } }
    ],
    not: [
      { title: "an Account of a merchant's", call: createAccount(), answers: { shows: { reseller: null } } },
      { title: 'a read', call: readLocation },
      { title: 'a refused create', call: asReseller(createLocation()), blames: NO_MERCHANT }
    ]
  },
  A22: {
    relies: [
      { title: 'no currency', call: payLeast({ amount: 1 }), answers: { shows: { currency: 'usd' } } },
      { title: 'transactions.default_currency', settings: { 'transactions.default_currency': 'eur' }, call: payLeast({ amount: 1 }),
        answers: { shows: { currency: 'eur' } } }
    ],
    not: [
      { title: 'a currency', call: payLeast({ currency: 'eur' }) },
      { title: 'a refused payment', call: payLeast({ payment_type: 'cash' }), blames: invalid('payment_type', 'TXN-2') }
    ]
  },
  A23: {
    relies: [
      { title: 'a Refund', call: refund() },
      { title: 'more than the amount', call: refund({ amount: 1001 }), blames: EXCEEDS },
      { title: 'nothing remains', call: refundOf('spent'), blames: ALL_REFUNDED },
      { title: 'the tip not', call: refundOf('tipped', { amount: 1001 }), blames: EXCEEDS },
      { title: 'the tip too', settings: { 'transactions.refundable': 'amount_plus_extras' }, call: refundOf('tipped'), answers: { shows: { amount: 1230 } } }
    ],
    not: [
      { title: 'a Transaction that is not there', call: refund({ transaction: 'none' }), blames: noReference('transaction', 'REF-1') },
      { title: 'a payment', call: payLeast() }
    ]
  },
  A24: {
    relies: [
      ...([
        [{}, { amount: 0, tip_amount: null, currency: 'usd', amounts: null }],
        [{ tip_amount: 5 }, { amount: 0, tip_amount: 5 }],
        [{ 'amounts[transaction_amount]': 7 }, { amount: 7, amounts: { transaction_amount: 7 } }],
        [{ 'amounts[payment_amount]': 8 }, { amount: 8 }],
        [{ 'amounts[transaction_amount]': 7, 'amounts[payment_amount]': 8 }, { amount: 7 }],
        [{ 'amounts[transaction_amount]': 0, 'amounts[payment_amount]': 8 }, { amount: 0 }],
        [{ amount: 5, 'amounts[transaction_amount]': 7 }, { amount: 5, amounts: { transaction_amount: 7 } }],
        [{ amount: 0, 'amounts[transaction_amount]': 7 }, { amount: 0 }],
        [{ amount: '', 'amounts[transaction_amount]': 7 }, { amount: 7 }],
        [{ 'amounts[tip_amount]': 2 }, { amount: 0, tip_amount: 2 }],
        [{ tip_amount: 0, 'amounts[tip_amount]': 2 }, { tip_amount: 0 }],
        [{ 'amounts[currency]': 'eur' }, { currency: 'eur' }],
        [{ currency: 'jpy', 'amounts[currency]': 'eur' }, { currency: 'jpy', amounts: { currency: 'eur' } }]
      ] as const).map(([body, shows]): Case => ({ title: JSON.stringify(body), call: payLeast(body), answers: { shows },
        later: [[read('/transactions/${made.id}'), { shows: '${made}' }]] })),
      { title: 'a Refund of nothing', call: refundOf('free'), blames: [400, 'charge_has_no_amount', 'transaction', 'A24'] },
      { title: 'a Refund of a part of nothing', call: refundOf('free', { amount: 1 }), blames: [400, 'charge_has_no_amount', 'transaction', 'A24'] },
      { title: 'a part that is no integer', call: payLeast({ 'amounts[tip_amount]': '1.5' }), blames: invalid('amounts[tip_amount]', 'A24') },
      { title: 'a currency that is none', call: payLeast({ 'amounts[currency]': 'zzz' }), blames: invalid('amounts[currency]', 'A24') }
    ],
    not: [
      { title: 'an amount', call: payLeast({ amount: 5 }) },
      { title: 'an amount of 0', call: payLeast({ amount: 0 }) },
      { title: 'a Refund', call: refund() }
    ]
  },
  A25: {
    relies: [
      ...([
        [{ 'card[brand]': 'visa' }, { brand: 'visa', last4: null }],
        [{ 'card[last4]': '1111' }, { brand: null, last4: '1111' }],
        [{ 'card[last4]': '1111', 'card[number]': '4242424242424242' }, { brand: null, last4: '1111' }],
        [{ 'card[number]': '4000 0566-5566 5556' }, { brand: null, last4: '5556' }],
        [{ 'card[number]': '1234' }, { brand: null, last4: '1234' }],
        [{ 'card[number]': '123' }, { brand: null, last4: null }],
        [{ 'card[number]': 'none' }, { brand: null, last4: null }],
        [{ 'card[token]': 'tok_1' }, { brand: null, last4: null }]
      ] as const).map(([body, card]): Case => ({ title: JSON.stringify(body), call: payLeast(body), answers: { shows: { payment_method: { card } } } })),
      ...([
        [{ 'bank_account[bank_name]': 'First' }, { bank_name: 'First', last4: null }],
        [{ 'bank_account[account_number]': 'DE89 3704 0044 0532 0130 00' }, { bank_name: null, last4: '3000' }],
        [{ 'bank_account[account_number]': '12' }, { bank_name: null, last4: null }]
      ] as const).map(([body, bank_account]): Case =>
        ({ title: JSON.stringify(body), call: vip(body), answers: { shows: { payment_method: { bank_account } } } })),
      ...['424', '42424', 'abcd', '-424', '42 4', '٤٢٤٢'].map((last4): Case => ({ title: `card[last4]=${last4}`, call: pay({ 'card[last4]': last4 }),
        blames: invalid('card[last4]', 'A25') }))
    ],
    not: [
      { title: 'neither', call: payLeast(), answers: { shows: { payment_method: { type: 'external', card: null, bank_account: null } } } },
      { title: 'an empty card', call: payLeast({ card: '', 'bank_account[bank_name]': '' }),
        answers: { shows: { payment_method: { card: null, bank_account: null } } } },
      { title: 'parts that are empty', call: payLeast({ 'card[number]': '', 'card[brand]': '' }), answers: { shows: { payment_method: { card: null } } } }
    ]
  },
  A26: {
    relies: [{ title: 'with a card', call: pay(BANK), answers: { shows: { payment_method: { bank_account: null } } } }],
    not: [{ title: 'with vip', call: vip(BANK) }, { title: 'without it', call: pay() }]
  },
  A27: {
    relies: [
      { title: 'a negative amount', call: payLeast({ amount: '-1' }), blames: invalid('amount', 'A27') },
      ...['9007199254740992', BEYOND, '9'.repeat(400)].map((amount): Case => ({ title: amount, call: payLeast({ amount }), blames: invalid('amount', 'A27') })),
      ...['transaction_amount', 'payment_amount', 'tip_amount'].flatMap((name): Case[] => ['-1', BEYOND].map((value): Case =>
        ({ title: `amounts[${name}]=${value}`,
        call: payLeast({ [`amounts[${name}]`]: value }), blames: invalid(`amounts[${name}]`, 'A27') }))),
      { title: 'a Refund that a double cannot hold', call: refund({ amount: BEYOND }), blames: invalid('amount', 'A27') },
      ...([
        [{ amount: MOST, tip_amount: 1 }],
        [{ amount: MOST - 1, tip_amount: 1, donation_amount: 1 }],
        [{ 'amounts[transaction_amount]': MOST, 'amounts[tip_amount]': 1 }]
      ] as const).map(([body]): Case => ({ title: `together too much: ${JSON.stringify(body)}`, call: payLeast(body), blames: invalid('amount', 'A27') })),
      ...([
        ['0', 0], ['-1', -1], ['1.5', 1.5], ['-0.25', -0.25], ['007', 7], ['1e3', 1000], ['1e+06', 1_000_000], ['2.5E-1', 0.25], [String(MOST), MOST]
      ] as const).map(([value, number]): Case => ({ title: `adjustment_number=${value}`, call: payLeast({ adjustment_number: value }),
        answers: { shows: { adjustment_number: number } } })),
      ...['0x10', '+5', ' 5', '1,5', 'NaN', 'Infinity', '-', '1.2.3', '--1', '1e', '1e999', BEYOND, '0.12345678901234567890'].map((value): Case =>
        ({ title: `adjustment_number=${value}`,
        call: payLeast({ adjustment_number: value }), blames: invalid('adjustment_number', 'A27') }))
    ],
    not: [
      { title: 'parts that come together to the most', call: payLeast({ amount: MOST - 2, tip_amount: 1, donation_amount: 1 }) },
      { title: 'an amount', call: payLeast({ amount: '007' }), answers: { shows: { amount: 7 } } },
      { title: 'an amount that is no integer', call: payLeast({ amount: '1.5' }), blames: invalid('amount', 'TXN-7') },
      { title: 'a Refund of 0', call: refund({ amount: 0 }), blames: invalid('amount', 'REF-3') }
    ]
  },
  A28: {
    relies: [
      { title: 'a Refund', call: refund(), answers: { shows: { currency: 'usd' } } },
      { title: 'a Refund of a payment without a card', call: refundOf('cash') }
    ],
    not: [{ title: 'a refused Refund', call: refundOf('spent'), blames: ALL_REFUNDED }, { title: 'an update', call: onRefund({ 'metadata[till]': '4' }) }]
  },
  A29: {
    relies: [
      { title: 'a read', call: readCharge, answers: { shows: { amount_refunded: 0, refunds: { object: 'list', has_more: false } } } },
      { title: 'a create', call: payLeast() },
      { title: 'a list', given: ['charge'], call: transactions() }
    ],
    not: [{ title: 'a list of nothing', call: transactions() }, { title: 'a read of a Location', call: readLocation }]
  },
  A30: {
    relies: [
      ...NO_ADDRESSES.flatMap((email): Case[] => [
        { title: `an Account's ${email}`, call: onAccount({ email }), blames: invalid('email', 'A30') },
        { title: `a customer's ${email}`, call: payLeast({ 'customer[email]': email }), blames: invalid('customer[email]', 'A30') }
      ]),
      { title: "a User's domain without a dot", call: createUser({ email: 'ana@localhost' }), blames: invalid('email', 'A30') },
      ...['us', 'Us', 'uS'].map((country): Case => ({ title: country, call: createLocation({ 'address[country]': country }),
        answers: { shows: { address: { country: 'US' } } } }))
    ],
    not: [
      ...['ana@example.com', 'Ana.Lima+till@sub.example.co', "o'hara@example.com", 'ana@xn--caf-dma.example', 'jörg@bücher.example'].map((email): Case =>
        ({ title: email, call: createUser({ email }), answers: { shows: { email } } })),
      { title: 'an upper-case country', call: createLocation() },
      { title: 'no country', call: createLocation({ 'address[country]': 'XX' }), blames: invalid('address[country]', 'ADDR-2') }
    ]
  },
  A31: {
    relies: [{ title: 'another type', call: onAccount({ type: 'reseller' }), answers: { shows: { id: '${account.id}', type: 'reseller' } } }],
    not: [
      { title: 'the same type', call: onAccount({ type: 'merchant' }) },
      { title: 'no type', call: onAccount({ name: 'New' }) },
      { title: 'a create', call: createAccount() }
    ]
  },
  A32: {
    relies: [
      { title: 'JSON', call: asJson(createLocation()), blames: wrongType('FORM-1') },
      ...['gzip', 'br', 'gzip, identity'].map((encoding): Case => ({ title: encoding, call: { ...createLocation(), headers: { 'content-encoding': encoding } },
        blames: wrongType('A32') }))
    ],
    not: [
      { title: 'a form', call: createLocation() },
      { title: 'an encoding that changes nothing', call: { ...createLocation(), headers: { 'content-encoding': 'identity' } } },
      { title: 'a type without a body', call: { ...readLocation, headers: JSON_TYPE } }
    ]
  },
  A35: {
    relies: [
      { title: 'a large body', call: { on: 'POST /locations', body: LARGE }, blames: [413, 'body_too_large', null, 'A35'] },
      { title: 'many parameters', call: { on: 'POST /locations', body: Array.from({ length: 1001 }, (_, n) => `a${n}=1`).join('&') },
        blames: [400, 'form_too_large', null, 'A35'] },
      { title: 'deep nesting', call: { on: 'POST /locations', body: 'a[b][c][d][e][f]=1' }, blames: [400, 'form_too_large', 'a[b][c][d][e][f]', 'A35'] },
      { title: 'deep nesting in a query', call: tickets('a[b][c][d][e][f]=1'), blames: [400, 'form_too_large', 'a[b][c][d][e][f]', 'A35'] }
    ],
    not: [
      { title: 'a long text', call: createLocation({ display_name: 'x'.repeat(100_000) }) },
      { title: 'a thousand keys', call: { on: 'POST /locations/${location.id}', body: Array.from({ length: 1000 }, (_, n) => `metadata[k${n}]=1`).join('&') } }
    ]
  },
  A36: {
    relies: [
      ...([
        ['display_name=A&display_name=B', 'display_name'],
        ['metadata=a&metadata=b', 'metadata'],
        ['metadata[k]=a&metadata[k]=b', 'metadata[k]'],
        ['display_name=%ff', 'display_name'],
        ['display_name=%C3%28', 'display_name'],
        ['=1', null]
      ] as const).map(([body, param]): Case => ({ title: body, call: { on: 'POST /locations', body }, blames: malformed(param, 'A36') })),
      ...['display_name[]', 'display_name[a]', 'phone[]', 'phone[home]', 'address[city][]', 'address[city][name]'].map((param): Case => ({ title: param,
        call: createLocation({ [param.replace(/\[[^[]*$/, '')]: undefined, [param]: 'A' }), blames: malformed(param, 'A36'), decoded: true })),
      ...['ticket[]', 'payment_type[]', 'amount[]', 'amount[usd]', 'adjustment_number[]', 'card[number][]'].map((param): Case => ({ title: param,
        call: pay({ [param.replace(/\[[^[]*$/, '')]: undefined, [param]: '1' }), blames: malformed(param, 'A36'), decoded: true })),
      ...['limit[]', 'starting_after[]', 'created[gte][]', 'location[]', 'search_query[a]'].map((param): Case => ({ title: `${param} in a query`,
        call: tickets({ [param]: '1' }), blames: malformed(param, 'A36'), decoded: true })),
      { title: 'broken percent-encoding in a query', call: tickets('limit=%zz'), blames: malformed('limit', 'A36') },
      { title: 'a name given twice in a query', call: tickets('limit=1&limit=2'), blames: malformed('limit', 'A36') },
      { title: 'another charset', call: { ...createLocation(), headers: { 'content-type': 'application/x-www-form-urlencoded; charset=iso-8859-1' } },
        blames: malformed(null, 'A36') }
    ],
    not: [
      { title: 'broken percent-encoding in a body', call: { on: 'POST /locations', body: 'display_name=%zz' }, blames: malformed('display_name', 'FORM-1') },
      { title: 'names that differ', call: { on: 'POST /locations', body: 'display_name=A&address[country]=US&address[city]=B' } },
      { title: 'an empty metadata beside a key of it', call: createLocation({ metadata: '', 'metadata[k]': 'v' }) }
    ]
  },
  A37: {
    relies: [
      { title: 'a read', call: { on: 'GET /locations/loc_a', body: 'a=1' }, blames: unexpectedBody('A37') },
      { title: 'a delete', call: { ...deleteUser, body: 'a=1' }, blames: unexpectedBody('A37') },
      { title: 'a list with what is not of the list', call: { on: 'GET /locations', body: 'location=loc_a' }, blames: unexpectedBody('A37') },
      { title: 'a list with its own', call: { on: 'GET /tickets', body: 'location=loc_a' }, blames: unexpectedBody('FORM-3') },
      { title: 'JSON', call: asJson(readLocation), blames: unexpectedBody('A37') },
      { title: 'broken percent-encoding', call: { on: 'GET /locations/loc_a', body: 'a=%zz' }, blames: unexpectedBody('A37') },
      { title: 'a compressed body', call: { ...readLocation, body: 'a=1', headers: { 'content-encoding': 'gzip' } }, blames: unexpectedBody('A37') }
    ],
    not: [
      { title: 'a GET without a body', call: readLocation },
      { title: 'a delete without a body', call: deleteUser },
      { title: 'a delete that is disabled', call: { on: 'DELETE /locations/loc_a', body: 'a=1' }, blames: disabled('LOC-4') }
    ]
  },
  A38: {
    relies: [
      ...['2026-01-31', '2026-02-01T10:00:00', '2026-032T10:00:00Z', '2026-W05-7T10:00:00Z'].map((value): Case => ({ title: value,
        call: tickets({ 'created[gte]': value, limit: 5 }), answers: { count: 2 } })),
      { title: 'a fraction that is finer than a millisecond', call: tickets({ 'created[gte]': '2026-02-01T10:00:00.000001Z' }),
        answers: { page: ['${newest_ticket.id}'] } },
      { title: 'a fraction that is finer than a millisecond, before', call: tickets({ 'created[lt]': '2026-02-01T10:00:00.000001Z' }),
        answers: { page: ['${ticket.id}'] } },
      ...['2026-03', '2026'].map((value): Case => ({ title: value, call: tickets({ 'created[gte]': value }), blames: invalid('created[gte]', 'A38') }))
    ],
    not: [
      ...['2026-02-01T10:00:00Z', '2026-02-01T10:00:00.000Z', '2026-02-01T11:00:00+01:00', '20260201T100000Z', '2026-02-01t10:00:00z'].map((value): Case =>
        ({ title: value,
        call: tickets({ 'created[gte]': value }), answers: { count: 2 } })),
      { title: 'no instant', call: tickets({ 'created[gte]': 'x' }), blames: invalid('created[gte]', 'FILT-1') }
    ]
  },
  A39: {
    relies: [
      { title: 'a slash at the end', call: list('/locations/'), answers: { page: ['loc_b', 'loc_a'] } },
      { title: 'a slash after an id', call: read('/locations/loc_a/'), answers: { shows: { id: 'loc_a' } } },
      { title: 'HEAD', call: { on: 'HEAD /locations' }, blames: noMethod('A39') },
      { title: 'a path beside the base', call: { ...list('/locations'), outside: true }, blames: noPath('BASE-1') }
    ],
    not: [
      { title: 'no slash at the end', call: list('/locations') },
      { title: 'another method', call: { on: 'PUT /locations' }, blames: noMethod('A08') },
      { title: 'a path that no family has', call: { on: 'GET /nowhere' }, blames: noPath('A08') }
    ]
  },
  A40: {
    relies: [
      ...[' ', '\t\n', '\u00a0', '\u3000'].map((display_name): Case => ({ title: `display_name=${JSON.stringify(display_name)}`,
        call: createLocation({ display_name }), blames: invalid('display_name', 'A40') })),
      { title: 'an update of a name', call: updateLocation({ display_name: ' ' }), blames: invalid('display_name', 'A40') },
      { title: 'the phone of a vip payment', call: vip({ 'customer[phone]': ' ' }), blames: invalid('customer[phone]', 'A40') },
      { title: 'letters beyond ASCII in another case',
        records: { tickets: [{ id: 'tkt_g', location: 'loc_a', reference: 'Größe 7', created: '2026-01-01' }] },
        call: tickets({ search_query: 'GRÖSSE' }), answers: { page: ['tkt_g'] } }
    ],
    not: [
      { title: 'a text', call: createLocation({ display_name: ' A ' }), answers: { shows: { display_name: ' A ' } } },
      { title: 'an empty text', call: createLocation({ display_name: '' }), blames: missing('display_name', 'LOC-1') },
      { title: 'the phone of another payment', call: payLeast({ 'customer[phone]': ' ' }) },
      { title: 'an optional text of white space', call: createLocation({ phone: ' ' }), answers: { shows: { phone: ' ' } } }
    ]
  }
}
