/** The reference as data against the contracts written out by hand in test/contract/. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { SETTING_KEYS, SETTINGS, type SettingKey, type Settings } from '../../src/core/settings.js'
import * as accounts from '../../src/reference/accounts.js'
import { ASSUMPTIONS, type AssumptionId } from '../../src/reference/assumptions.js'
import * as locations from '../../src/reference/locations.js'
import { OPERATION_NAMES, OPERATIONS, operationAt, operationNamed, operationsAt, RESOURCE_NAMES } from '../../src/reference/operations.js'
import * as pieces from '../../src/reference/parameters.js'
import * as methods from '../../src/reference/payment-methods.js'
import * as refunds from '../../src/reference/refunds.js'
import { RULES, type RuleId } from '../../src/reference/rules.js'
import { TABLES, type Tables } from '../../src/reference/tables.js'
import * as tickets from '../../src/reference/tickets.js'
import * as transactions from '../../src/reference/transactions.js'
import * as users from '../../src/reference/users.js'

const contract = (name: string) => JSON.parse(readFileSync(new URL(`../contract/${name}.json`, import.meta.url), 'utf8'))

t.test('the operations are the 22 endpoints of the reference, in its order', async t => {
  const endpoints = contract('operations')

  const known = Object.entries(OPERATIONS).map(([id, { method, path, key }]) => ({ id, method, path, key }))

  t.equal(endpoints.length, 22)
  t.strictSame(known, endpoints)
  for (const { family, title } of Object.values(OPERATIONS)) {
    t.ok(RESOURCE_NAMES[family], family)
    t.ok(title)
  }
  t.equal(new Set(Object.values(OPERATIONS).map(({ title }) => title)).size, 22, 'titles differ')
})

t.test('the rules are the 58 of the ledger, in its order, with sections and whether a call can violate them', async t => {
  const ledger = contract('rules')

  const known = Object.entries(RULES).map(([id, { text, sections, violable }]) => ({ id, rule: text, sections: [...sections], violable }))

  t.equal(ledger.length, 58)
  t.strictSame(known, ledger)
})

t.test('the assumptions are the 35 of the ledger, in its order, with their settings', async t => {
  const ledger = contract('assumptions')

  const known = Object.entries(ASSUMPTIONS).map(([id, { topic, settings }]) => ({ id, topic, settings: [...settings] }))

  t.equal(ledger.length, 35)
  t.strictSame(known, ledger)
  for (const [id, assumption] of Object.entries(ASSUMPTIONS)) t.ok(assumption.default.length > 0, `${id} says its default`)
})

/** What the assumptions say of their settings: default, and the values that a setting with few takes. */
const DEFAULTS: Partial<Settings> = {
  'ids.prefixes.merchant': 'mch_',
  'ids.prefixes.reseller': 'rsl_',
  'ids.prefixes.location': 'loc_',
  'ids.prefixes.ticket': 'tkt_',
  'ids.prefixes.transaction': 'txn_',
  'ids.prefixes.user': 'usr_',
  'ids.prefixes.refund': 'rfd_',
  'ids.length': 24,
  seed: 1,
  'statuses.created': 200,
  'errors.expose_rule': true,
  'statuses.invalid': 400,
  'statuses.unauthenticated': 401,
  'statuses.forbidden': 403,
  'statuses.missing': 404,
  'statuses.reference_missing': 400,
  'statuses.refund_refused': 400,
  'pagination.default_limit': 10,
  'pagination.max_limit': 100,
  'pagination.out_of_range': 'reject',
  'pagination.order': 'newest_first',
  'search.reference': 'contains',
  'search.last4': 'exact',
  'parameters.unknown': 'reject',
  'parameters.not_updatable': 'reject',
  'parameters.unset_required': 'reject',
  'auth.accept_any_key': null,
  'auth.visibility': 'open',
  'transactions.default_currency': 'usd',
  'transactions.refundable': 'amount',
  cors: true,
  'limits.body': 1_048_576,
  'limits.parameters': 1000,
  'limits.depth': 4
}
const CHOICES: Partial<Record<SettingKey, unknown[]>> = {
  'statuses.created': [200, 201],
  'pagination.out_of_range': ['clamp', 'reject'],
  'search.reference': ['contains', 'exact', 'prefix'],
  'parameters.unknown': ['ignore', 'reject', 'warn'],
  'parameters.not_updatable': ['ignore', 'reject'],
  'parameters.unset_required': ['allow', 'reject'],
  'auth.visibility': ['open', 'scoped'],
  'transactions.refundable': ['amount', 'amount_plus_extras']
}

t.test('every setting that an assumption names exists, with the default and the values that the assumption states', async t => {
  const named = Object.values(ASSUMPTIONS).flatMap(({ settings }) => [...settings] as SettingKey[])

  t.strictSame(Object.keys(DEFAULTS).sort(), [...new Set(named)].sort())
  for (const key of named) {
    t.ok(Object.hasOwn(SETTINGS, key), `${key} is a setting`)
    t.strictSame(SETTINGS[key].default, DEFAULTS[key], `the default of ${key}`)
    const { enum: words } = SETTINGS[key].schema as { enum?: unknown[] }
    if (CHOICES[key]) t.strictSame([...(words as unknown[])].sort(), CHOICES[key], `the values of ${key}`)
  }
})

t.test('every setting that says which assumption it changes is named by that assumption', async t => {
  for (const key of SETTING_KEYS) {
    const { assumption } = SETTINGS[key] as { assumption?: AssumptionId }
    if (assumption) t.ok((ASSUMPTIONS[assumption].settings as readonly string[]).includes(key), `${assumption} names ${key}`)
  }
})

t.test('a setting that shapes answers is of the sandbox; cors and limits are of the process', async t => {
  for (const key of Object.keys(DEFAULTS) as SettingKey[]) {
    t.equal(SETTINGS[key].scope, key === 'cors' || key.startsWith('limits.') ? 'process' : 'sandbox', key)
  }
})

t.test('every rule and assumption that a table names stands in a ledger, and every value is answered for', async t => {
  const tables: Record<string, pieces.Schema> = {}
  for (const file of [accounts, locations, methods, refunds, tickets, transactions, users]) {
    for (const [name, value] of Object.entries(file)) if (!Array.isArray(value)) tables[name] = pieces.schemaOf(value as never)
  }
  const notes = (path: string, schema: pieces.Schema): { path: string; schema: pieces.Schema }[] => [
    { path, schema },
    ...Object.entries(schema.properties ?? {}).flatMap(([name, part]) => notes(`${path}.${name}`, part)),
    ...(schema.items ? notes(`${path}[]`, schema.items) : [])
  ]
  const noted = Object.entries(tables).flatMap(([name, schema]) => notes(name, schema))
  const rulesNamed = new Set<string>()

  for (const { path, schema } of noted) {
    for (const word of ['x-rule', 'x-required-by'] as const) {
      const rule = schema[word]
      if (rule === undefined) continue
      t.ok(Object.hasOwn(RULES, rule), `${path} ${word} ${rule}`)
      rulesNamed.add(rule)
    }
    const assumption = schema['x-assumption']
    if (assumption !== undefined) t.ok(Object.hasOwn(ASSUMPTIONS, assumption), `${path} x-assumption ${assumption}`)
    const canBeBad = schema.format !== undefined || schema.enum !== undefined || schema.type === 'integer' || schema.type === 'number'
    const isParameter = /^(CREATE|UPDATE|LIST)_/.test(path)
    if (isParameter && canBeBad) t.ok(schema['x-rule'] ?? schema['x-assumption'], `${path} says what refuses a bad value`)
  }

  const spokenOfByTables: RuleId[] = [
    ...(['ADDR-1', 'ADDR-2', 'META-1', 'LIST-3', 'FILT-1', 'FILT-2', 'FILT-3', 'FILT-4', 'FILT-5', 'SRCH-1', 'SRCH-2'] as const),
    ...([
      'LOC-1',
      'LOC-2',
      'ACC-1',
      'ACC-2',
      'ACC-3',
      'ACC-4',
      'USR-2',
      'USR-3',
      'TXN-1',
      'TXN-2',
      'TXN-6',
      'TXN-7',
      'REF-1',
      'REF-3',
      'REF-9',
      'REF-10'
    ] as const)
  ]
  t.strictSame([...rulesNamed].sort(), spokenOfByTables.sort())
})

/** Each call's parameters as the reference lists them; `!` marks the required. */
const PARAMETERS: Record<string, { table: unknown; names: string }> = {
  CREATE_LOCATION: { table: locations.CREATE_LOCATION, names: 'display_name! address! phone website metadata' },
  CREATE_ACCOUNT: { table: accounts.CREATE_ACCOUNT, names: 'type! name! email! address! phone metadata' },
  CREATE_USER: { table: users.CREATE_USER, names: 'name! email!' },
  CREATE_TRANSACTION: {
    table: transactions.CREATE_TRANSACTION,
    names: 'ticket! payment_type! bank_account card payload currency adjustment_number amount donation_amount tip_amount customer amounts'
  },
  CREATE_REFUND: { table: refunds.CREATE_REFUND, names: 'transaction! amount reason metadata' },
  UPDATE_REFUND: { table: refunds.UPDATE_REFUND, names: 'transaction amount reason metadata' },
  LIST_LOCATIONS: { table: locations.LIST_LOCATIONS, names: 'limit starting_after ending_before' },
  LIST_ACCOUNTS: { table: accounts.LIST_ACCOUNTS, names: 'limit starting_after ending_before' },
  LIST_USERS: { table: users.LIST_USERS, names: 'limit starting_after ending_before created' },
  LIST_TICKETS: { table: tickets.LIST_TICKETS, names: 'limit starting_after ending_before location search_query created' },
  LIST_TRANSACTIONS: { table: transactions.LIST_TRANSACTIONS, names: 'limit starting_after ending_before location search_query created' },
  LIST_REFUNDS: { table: refunds.LIST_REFUNDS, names: 'limit starting_after ending_before transaction' }
}

t.test("each call's table has the reference's parameters, in its order, required as there", async t => {
  for (const [name, { table, names }] of Object.entries(PARAMETERS)) {
    const { properties = {}, required = [], additionalProperties } = table as pieces.Schema
    t.equal(
      Object.keys(properties)
        .map(parameter => parameter + (required.includes(parameter) ? '!' : ''))
        .join(' '),
      names,
      name
    )
    t.equal(additionalProperties, false, `${name} is closed`)
  }
})

t.test('UPD-1: an update takes the parameters of the create, and an empty value unsets', async t => {
  for (const [create, update] of [
    [locations.CREATE_LOCATION, locations.UPDATE_LOCATION],
    [accounts.CREATE_ACCOUNT, accounts.UPDATE_ACCOUNT]
  ]) {
    const [made, changed] = [pieces.schemaOf(create as never), pieces.schemaOf(update as never)]
    t.strictSame(Object.keys(changed.properties as object), Object.keys(made.properties as object))
    t.equal(made['x-empty'], 'absent')
    t.equal(changed['x-empty'], 'unsets')
  }
})

t.test('TXN-2: payment_type has the seven words of the reference', async t => {
  t.strictSame([...methods.PAYMENT_TYPES], ['card', 'apple_pay', 'google_pay', 'emv', 'external', 'paypal', 'vip'])
  t.strictSame(transactions.CREATE_TRANSACTION.properties.payment_type, { type: 'string', enum: [...methods.PAYMENT_TYPES], 'x-rule': 'TXN-2' })
})

t.test('ACC-1: type has the two words of the reference', async t => {
  t.strictSame([...accounts.ACCOUNT_TYPES], ['merchant', 'reseller'])
})

t.test('A04: an address has its six sub-fields, null where not sent', async t => {
  t.strictSame(pieces.addressOf({}), { country: null, line1: null, line2: null, city: null, postal_code: null, state: null })
  t.strictSame(pieces.addressOf({ country: 'US', city: 'Boston' }), {
    country: 'US',
    line1: null,
    line2: null,
    city: 'Boston',
    postal_code: null,
    state: null
  })
})

t.test('operationsAt: the operations that a path has, whatever their method', async t => {
  const at: [path: string, ids: string[]][] = [
    ['/locations', ['POST /locations', 'GET /locations']],
    ['/locations/', ['POST /locations', 'GET /locations']],
    ['/locations/loc_1', ['GET /locations/{id}', 'POST /locations/{id}', 'DELETE /locations/{id}']],
    ['/accounts/mch_1/users', ['POST /accounts/{id}/users', 'GET /accounts/{id}/users']],
    ['/accounts/mch_1/users/usr_1', ['DELETE /accounts/{account_id}/users/{user_id}']],
    ['/tickets', ['GET /tickets']],
    ['/refunds/rfd_1', ['GET /refunds/{id}', 'POST /refunds/{id}']],
    ['/locations/loc_1/more', []],
    ['/locations//', []],
    ['/Locations', []],
    ['/', []],
    ['', []]
  ]
  for (const [path, ids] of at) {
    t.strictSame(
      operationsAt(path).map(({ method, path }) => `${method} ${path}`),
      ids,
      path
    )
  }
})

t.test('operationNamed: an operation by its method and path as the reference writes them', async t => {
  t.strictSame(
    OPERATION_NAMES,
    contract('operations').map(({ method, path }: { method: string; path: string }) => `${method} ${path}`)
  )
  for (const [index, id] of Object.keys(OPERATIONS).entries()) t.equal(operationNamed(OPERATION_NAMES[index] as string), id)

  const named: [name: string, id: string | null][] = [
    ['get /tickets', 'listTickets'],
    [' Post /refunds ', 'createRefund'],
    ['GET /tickets/{id}', 'readTicket'],
    ['GET /tickets/{ID}', null],
    ['GET /tickets/tkt_1', null],
    ['GET /tickets/', null],
    ['GET  /tickets', null],
    ['GET/tickets', null],
    ['GET /Tickets', null],
    ['POST /tickets', null],
    ['/tickets', null],
    ['', null],
    ['__proto__', null],
    ['constructor', null]
  ]
  for (const [name, id] of named) t.equal(operationNamed(name), id, name)
})

t.test('operationAt: the operation of a method and path, with the values of its path parameters', async t => {
  const at: [call: string, operation: string | null, params?: object][] = [
    ['GET /locations', 'listLocations', {}],
    ['POST /locations', 'createLocation', {}],
    ['POST /locations/', 'createLocation', {}],
    ['POST /locations/loc_1', 'updateLocation', { id: 'loc_1' }],
    ['DELETE /locations/loc_1/', 'deleteLocation', { id: 'loc_1' }],
    ['GET /accounts/mch_1/users', 'listUsers', { id: 'mch_1' }],
    ['DELETE /accounts/mch_1/users/usr_1', 'deleteUser', { account_id: 'mch_1', user_id: 'usr_1' }],
    ['GET /tickets/a%20b%2Fc', 'readTicket', { id: 'a b/c' }],
    ['GET /tickets/{id}', 'readTicket', { id: '{id}' }],
    ['GET /tickets/__proto__', 'readTicket', { id: '__proto__' }],
    ['DELETE /tickets', null],
    ['get /tickets', null],
    ['GET /tickets//', null],
    ['GET /tickets/a/b', null],
    ['GET /accounts//users', null],
    ['GET tickets', null],
    ['GET /Tickets', null],
    ['GET /', null],
    ['GET ', null]
  ]
  for (const [call, operation, params] of at) {
    const [method, path] = call.split(' ') as [string, string]
    t.strictSame(operationAt(method, path), operation === null ? null : { operation, params }, call)
    t.equal(
      operationsAt(path).some(one => one.method === method),
      operation !== null,
      `${call} as operationsAt sees it`
    )
  }
})

t.test('each operation has its tables: path parameters as its path says, a body for a POST, a query for a list, an answer', async t => {
  t.strictSame(Object.keys(TABLES), Object.keys(OPERATIONS), 'in the same order')
  for (const [id, { method, path }] of Object.entries(OPERATIONS)) {
    const { params, body, querystring, answer }: Tables = TABLES[id as keyof typeof TABLES]
    const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name)
    t.strictSame(Object.keys(params ? (pieces.schemaOf(params).properties as object) : {}), names, `${id}: params`)
    t.equal(body !== undefined, method === 'POST', `${id}: body`)
    t.equal(querystring !== undefined, id.startsWith('list'), `${id}: querystring`)
    t.equal(answer === undefined, method === 'DELETE', `${id}: answer`)
    const { enum: objects } = answer ? ((pieces.schemaOf(answer).properties as Record<string, pieces.Schema>).object as pieces.Schema) : {}
    const resource = RESOURCE_NAMES[OPERATIONS[id as keyof typeof OPERATIONS].family].toLowerCase()
    if (answer) t.strictSame(objects, [id.startsWith('list') ? 'list' : resource], `${id}: answers`)
  }
})
