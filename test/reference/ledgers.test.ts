/** The reference as data, compared with the hand-written contracts in test/contract/. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { LOCATION_RULES, REFUND_RULES, TRANSACTION_RULES } from '../../src/core/rules.js'
import { flattened, SETTINGS, type SettingKey } from '../../src/core/settings.js'
import * as accounts from '../../src/reference/accounts.js'
import {
  ASSUMPTION_IDS,
  ASSUMPTIONS,
  type AssumptionId,
  isStanding
} from '../../src/reference/assumptions.js'
import * as locations from '../../src/reference/locations.js'
import {
  OPERATION_IDS,
  OPERATION_NAMES,
  OPERATIONS,
  operationAt,
  operationNamed,
  operationOf,
  operationsAt,
  RESOURCE_NAMES
} from '../../src/reference/operations.js'
import * as pieces from '../../src/reference/parameters.js'
import * as methods from '../../src/reference/payment-methods.js'
import * as refunds from '../../src/reference/refunds.js'
import { RULE_IDS, RULES, type RuleId } from '../../src/reference/rules.js'
import { TABLES, type Tables } from '../../src/reference/tables.js'
import * as transactions from '../../src/reference/transactions.js'
import { rows } from '../support/rows.js'

const contract = (name: string) =>
  JSON.parse(readFileSync(new URL(`../contract/${name}.json`, import.meta.url), 'utf8'))

t.test('the operations are the 22 endpoints of the reference, in its order', async t => {
  const endpoints = contract('operations')

  const known = OPERATION_IDS.map(id => {
    const { method, path, kind, key, disabledBy } = operationOf(id)
    return { id, method, path, kind, key, disabled: disabledBy !== undefined }
  })

  t.equal(endpoints.length, 22)
  t.strictSame(known, endpoints)
  for (const { family, title } of Object.values(OPERATIONS)) {
    t.ok(RESOURCE_NAMES[family], family)
    t.ok(title)
  }
  t.equal(new Set(Object.values(OPERATIONS).map(({ title }) => title)).size, 22, 'titles differ')
})

t.test(
  'the rules are the 58 of the ledger, in its order, with sections and whether a request can violate and pass them',
  async t => {
    const ledger = contract('rules')

    const known = Object.entries(RULES).map(([id, { text, ...rule }]) => ({
      id,
      rule: text,
      ...rule
    }))

    t.equal(ledger.length, 58)
    t.strictSame(known, ledger)
  }
)

t.test(
  'the assumptions are the 40 of the ledger, in its order, with their settings and whether they apply to every response',
  async t => {
    const ledger = contract('assumptions')

    const known = Object.entries(ASSUMPTIONS).map(([id, { default: _, ...assumption }]) => ({
      id,
      ...assumption
    }))

    t.equal(ledger.length, 40)
    t.strictSame(known, ledger)
    for (const [id, assumption] of Object.entries(ASSUMPTIONS))
      t.ok(assumption.default.length > 0, `${id} says its default`)
    t.strictSame(ASSUMPTION_IDS.filter(isStanding), ['A01', 'A33', 'A34'])
  }
)

/**
 * What the assumptions say about their settings: the default, and the values of a setting with few.
 */
const DEFAULTS = flattened({
  ids: {
    prefixes: {
      merchant: 'mch_',
      reseller: 'rsl_',
      location: 'loc_',
      ticket: 'tkt_',
      transaction: 'txn_',
      user: 'usr_',
      refund: 'rfd_'
    },
    length: 24
  },
  seed: 1,
  statuses: {
    created: 200,
    invalid: 400,
    unauthenticated: 401,
    forbidden: 403,
    missing: 404,
    reference_missing: 400,
    refund_refused: 400
  },
  errors: { expose_rule: true },
  shapes: {
    error: {
      error: {
        type: '$type',
        code: '$code',
        message: '$message',
        param: '$param',
        rule: '$rule',
        assumption: '$assumption',
        request_id: '$request_id'
      }
    },
    list: {
      object: 'list',
      url: '$url',
      data: '$members',
      has_more: '$has_more',
      first_id: '$first_id',
      last_id: '$last_id'
    }
  },
  pagination: {
    default_limit: 10,
    max_limit: 100,
    out_of_range: 'reject',
    cursors: ['starting_after', 'ending_before'],
    order: 'newest_first'
  },
  search: { reference: 'contains', last4: 'exact' },
  parameters: { unknown: 'reject', not_updatable: 'reject', unset_required: 'allow' },
  refunds: { empty_amount: 'reject', without_card: 'allow' },
  auth: { accept_any_key: null, visibility: 'open', payment_key: 'ignore' },
  transactions: { default_currency: 'usd', without_amount: 'zero', refundable: 'amount' },
  cors: true,
  limits: { body: 1_048_576, parameters: 1000, depth: 4 }
})
const CHOICES: Partial<Record<SettingKey, unknown[]>> = {
  'statuses.created': [200, 201],
  'pagination.out_of_range': ['clamp', 'reject'],
  'search.reference': ['contains', 'exact', 'prefix'],
  'parameters.unknown': ['ignore', 'reject', 'warn'],
  'parameters.not_updatable': ['ignore', 'reject'],
  'parameters.unset_required': ['allow', 'reject'],
  'refunds.empty_amount': ['reject', 'remainder'],
  'refunds.without_card': ['allow', 'reject'],
  'transactions.without_amount': ['reject', 'zero'],
  'auth.payment_key': ['check', 'ignore'],
  'auth.visibility': ['open', 'scoped'],
  'transactions.refundable': ['amount', 'amount_plus_extras']
}

t.test(
  'every setting that an assumption names exists and says so, with the default and the values that the assumption states',
  async t => {
    const named = Object.values(ASSUMPTIONS).flatMap(
      ({ settings }) => [...settings] as SettingKey[]
    )

    t.strictSame(Object.keys(DEFAULTS).sort(), [...new Set(named)].sort())
    for (const key of named) {
      t.ok(Object.hasOwn(SETTINGS, key), `${key} is a setting`)
      t.ok(
        ASSUMPTIONS[SETTINGS[key].assumption as AssumptionId].settings.includes(key),
        `${key} names its assumption`
      )
      t.strictSame(SETTINGS[key].default, DEFAULTS[key], `the default of ${key}`)
      const { enum: words } = SETTINGS[key].schema as { enum?: unknown[] }
      if (CHOICES[key])
        t.strictSame([...(words as unknown[])].sort(), CHOICES[key], `the values of ${key}`)
    }
  }
)

t.test(
  'a setting that shapes responses is of the sandbox; cors and limits are of the process',
  async t => {
    for (const key of Object.keys(DEFAULTS) as SettingKey[]) {
      t.equal(
        SETTINGS[key].scope,
        key === 'cors' || key.startsWith('limits.') ? 'process' : 'sandbox',
        key
      )
    }
  }
)

/** A table with its nested tables. */
const partsOf = (
  path: string,
  schema: pieces.Schema
): { path: string; schema: pieces.Schema; required: boolean }[] => {
  const within = (
    path: string,
    schema: pieces.Schema,
    required: boolean
  ): ReturnType<typeof partsOf> => [
    { path, schema, required },
    ...Object.entries(schema.properties ?? {}).flatMap(([name, part]) =>
      within(`${path}.${name}`, part, schema.required?.includes(name) ?? false)
    ),
    ...(schema.items ? within(`${path}[]`, schema.items, false) : [])
  ]
  return within(path, schema, false)
}
const PARTS = OPERATION_IDS.flatMap(id => {
  const { body, querystring }: Tables = TABLES[id]
  return [body, querystring].flatMap(table =>
    table
      ? partsOf(id, pieces.schemaOf(table)).map(part => ({ ...part, operation: operationOf(id) }))
      : []
  )
})

t.test(
  'a rule or assumption that a parameter table names is in the list of its operation, and every value is answered for',
  async t => {
    for (const { path, schema, operation } of PARTS) {
      const { 'x-rule': rule, 'x-required-by': requiredBy, 'x-assumption': assumption } = schema
      const canBeBad =
        schema.format !== undefined ||
        schema.enum !== undefined ||
        schema.type === 'integer' ||
        schema.type === 'number'
      if (canBeBad) t.ok(rule ?? assumption, `${path} says what refuses a bad value`)
      // an update has the create's table, but requires nothing
      const named =
        operation.kind === 'update'
          ? [rule].filter(id => id !== 'LOC-1' && id !== 'ACC-2')
          : [rule, requiredBy]
      for (const id of named)
        if (id !== undefined) t.equal(operation.rules.includes(id), true, `${path} ${id}`)
      if (assumption !== undefined)
        t.equal(operation.assumptions.includes(assumption), true, `${path} ${assumption}`)
    }
  }
)

t.test('the rules and assumptions of an operation are in the ledger, each once', async t => {
  for (const id of OPERATION_IDS) {
    const { rules, assumptions, disabledBy, key } = operationOf(id)
    const [known, assumed] = [
      rules.filter(rule => Object.hasOwn(RULES, rule)),
      assumptions.filter(one => Object.hasOwn(ASSUMPTIONS, one) && !isStanding(one))
    ]
    t.strictSame([...new Set(known)], rules, id)
    t.strictSame([...new Set(assumed)], assumptions, id)
    t.strictSame(
      [rules.includes('BASE-1'), rules.includes('AUTH-3'), rules.includes('AUTH-2')],
      [true, key, !key],
      id
    )
    if (disabledBy) t.equal(rules.at(-1), disabledBy, id)
  }
  const named = new Set<string>(
    OPERATION_IDS.flatMap(id => [...operationOf(id).rules, ...operationOf(id).assumptions])
  )
  const unnamed = [...RULE_IDS, ...ASSUMPTION_IDS.filter(id => !isStanding(id))].filter(
    id => !named.has(id)
  )
  t.strictSame(unnamed, ['TKT-1'])
})

t.test('the rules that a request can violate are those of admission', async t => {
  const wayIn: RuleId[] = ['BASE-1', 'AUTH-1', 'AUTH-3', 'FORM-1', 'FORM-2', 'FORM-3', 'TKT-1']
  const ofValues = PARTS.flatMap(({ schema, required, operation }) => {
    const { 'x-rule': rule, 'x-required-by': requiredBy, type } = schema
    const isTyped =
      schema.format ??
      schema.enum ??
      schema.properties ??
      schema.additionalProperties ??
      schema['x-refers'] ??
      schema['x-fixed']
    const canBeBad =
      isTyped !== undefined || type === 'integer' || (required && operation.kind === 'create')
    return [...(rule && canBeBad ? [rule] : []), ...(requiredBy ? [requiredBy] : [])]
  })
  const judged = [...LOCATION_RULES, ...TRANSACTION_RULES, ...REFUND_RULES].flatMap(
    ({ rule }) => rule ?? []
  )
  // a User of another Account than the one in the path
  const breakable = new Set<RuleId>([...wayIn, ...ofValues, ...judged, 'USR-1'])

  for (const id of RULE_IDS) t.equal(RULES[id].violable, breakable.has(id), id)
})

/** Each request's parameters as the reference lists them; `!` marks required ones. */
const PAGE = 'limit starting_after ending_before'
const REFUND = 'transaction amount reason metadata'
const PARAMETERS: [table: unknown, names: string][] = [
  [locations.CREATE_LOCATION, 'display_name! address! phone website metadata'],
  [accounts.CREATE_ACCOUNT, 'type! name! email! address! phone metadata'],
  [accounts.CREATE_USER, 'name! email!'],
  [
    transactions.CREATE_TRANSACTION,
    'ticket! payment_type! bank_account card payload currency adjustment_number amount donation_amount tip_amount customer amounts'
  ],
  [refunds.CREATE_REFUND, REFUND.replace(' ', '! ')],
  [refunds.UPDATE_REFUND, REFUND],
  [TABLES.listLocations.querystring, PAGE],
  [TABLES.listAccounts.querystring, PAGE],
  [TABLES.listUsers.querystring, `${PAGE} created`],
  [locations.LIST_TICKETS, `${PAGE} location search_query created`],
  [transactions.LIST_TRANSACTIONS, `${PAGE} location search_query created`],
  [refunds.LIST_REFUNDS, `${PAGE} transaction`]
]

t.test(
  "each call's table has the reference's parameters, in its order, required as there",
  async t => {
    for (const [table, names] of PARAMETERS) {
      const { properties = {}, required = [], additionalProperties } = table as pieces.Schema
      const marked = Object.keys(properties).map(
        parameter => parameter + (required.includes(parameter) ? '!' : '')
      )
      t.strictSame([marked.join(' '), additionalProperties], [names, false], 'and is closed')
    }
  }
)

t.test(
  'UPD-1: an update takes the parameters of the create, and an empty value unsets',
  async t => {
    for (const [create, update] of [
      [locations.CREATE_LOCATION, locations.UPDATE_LOCATION],
      [accounts.CREATE_ACCOUNT, accounts.UPDATE_ACCOUNT]
    ]) {
      const [made, changed] = [pieces.schemaOf(create as never), pieces.schemaOf(update as never)]
      t.strictSame(
        Object.keys(changed.properties as object),
        Object.keys(made.properties as object)
      )
      t.equal(made['x-empty'], 'absent')
      t.equal(changed['x-empty'], 'unsets')
    }
  }
)

t.test('TXN-2, ACC-1: payment_type and type have the words of the reference', async t => {
  t.strictSame(
    [...methods.PAYMENT_TYPES],
    ['card', 'apple_pay', 'google_pay', 'emv', 'external', 'paypal', 'vip']
  )
  t.strictSame([...accounts.ACCOUNT_TYPES], ['merchant', 'reseller'])
  const { payment_type } = transactions.CREATE_TRANSACTION.properties
  t.strictSame(pieces.schemaOf(payment_type).enum, methods.PAYMENT_TYPES)
  t.strictSame(
    pieces.schemaOf(accounts.CREATE_ACCOUNT.properties.type).enum,
    accounts.ACCOUNT_TYPES
  )
})

t.test(
  'operationNamed: an operation by its method and path as the reference writes them',
  async t => {
    for (const [index, { id, method, path }] of contract('operations').entries())
      t.strictSame(
        [OPERATION_NAMES[index], operationNamed(`${method} ${path}`)],
        [`${method} ${path}`, id]
      )

    for (const [name, id] of Object.entries({
      'get /tickets': 'listTickets',
      ' Post /refunds ': 'createRefund',
      'GET /tickets/{id}': 'readTicket'
    }))
      t.equal(operationNamed(name), id, name)
    const unknown =
      'GET /tickets/{ID}|GET /tickets/tkt_1|GET /tickets/|GET  /tickets|GET/tickets|GET /Tickets|POST /tickets|/tickets||__proto__|constructor'
    for (const name of unknown.split('|')) t.equal(operationNamed(name), null, name)
  }
)

t.test('operationAt: the operation of a method and path', async t => {
  const known = rows<[method: string, path: string, operation: string, ...params: string[]]>(`
    GET /locations listLocations | POST /locations createLocation | POST /locations/ createLocation | POST /locations/loc_1 updateLocation id=loc_1
    DELETE /locations/loc_1/ deleteLocation id=loc_1 | GET /accounts/mch_1/users listUsers id=mch_1
    DELETE /accounts/mch_1/users/usr_1 deleteUser account_id=mch_1 user_id=usr_1 | GET /tickets/a%20b%2Fc readTicket id=a%20b/c
    GET /tickets/{id} readTicket id={id} | GET /tickets/__proto__ readTicket id=__proto__
  `)
  const isMethodOf = (method: string, path: string) =>
    operationsAt(path).some(one => one.method === method)
  for (const [method, path, operation, ...given] of known) {
    const params = Object.fromEntries(given.map(one => one.replace('%20', ' ').split('=')))
    t.strictSame(operationAt(method, path), { operation, params }, path)
    t.equal(isMethodOf(method, path), true, `${path} as operationsAt sees it`)
  }
  const unknown =
    'DELETE /tickets|get /tickets|GET /tickets//|GET /tickets/a/b|GET /accounts//users|GET tickets|GET /Tickets|POST /locations/loc_1/more|GET /|GET '
  for (const [method, path] of unknown.split('|').map(call => call.split(' ') as [string, string]))
    t.strictSame(
      [operationAt(method, path), isMethodOf(method, path)],
      [null, false],
      `${method} ${path}`
    )
})

t.test('each operation has its tables: path parameters as its path says', async t => {
  t.strictSame(Object.keys(TABLES), Object.keys(OPERATIONS), 'in the same order')
  for (const [id, { method, path }] of Object.entries(OPERATIONS)) {
    const {
      params,
      body,
      querystring,
      response: answer
    }: Tables = TABLES[id as keyof typeof TABLES]
    const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name)
    t.strictSame(
      Object.keys(params ? (pieces.schemaOf(params).properties as object) : {}),
      names,
      `${id}: params`
    )
    t.equal(body !== undefined, method === 'POST', `${id}: body`)
    t.equal(querystring !== undefined, id.startsWith('list'), `${id}: querystring`)
    t.equal(answer === undefined, method === 'DELETE', `${id}: answer`)
    const { enum: objects } = answer
      ? ((pieces.schemaOf(answer).properties as Record<string, pieces.Schema>)
          .object as pieces.Schema)
      : {}
    const resource = RESOURCE_NAMES[OPERATIONS[id as keyof typeof OPERATIONS].family].toLowerCase()
    if (answer) t.strictSame(objects, [id.startsWith('list') ? 'list' : resource], `${id}: answers`)
  }
})
