/** The OpenAPI document: well formed, complete by the reference's tables, and true of what the emulator answers. */

import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import t from 'tap'
import { CALL_EXAMPLES, EXAMPLE_KEY } from '../../src/control/examples.js'
import { openApiDocument } from '../../src/control/openapi.js'
import { CATALOGUE, type ErrorCode, statusOf } from '../../src/core/errors.js'
import { type GivenSettings, settingsInForce } from '../../src/core/settings.js'
import { ASSUMPTIONS } from '../../src/reference/assumptions.js'
import { OPERATION_IDS as IDS, operationOf as knownOf, OPERATIONS, type OperationId, RESOURCE_NAMES } from '../../src/reference/operations.js'
import { RULES } from '../../src/reference/rules.js'
import { TABLES } from '../../src/reference/tables.js'
import { type Answer, NOW, startTestEmulator } from '../support/emulator.js'
import type { Json } from '../support/json.js'

const documentOf = (settings: GivenSettings = {}, base = '/next'): Json =>
  JSON.parse(JSON.stringify(openApiDocument({ base, version: '1.2.3', settings: settingsInForce({ flag: settings }).values })))
const document = documentOf()
const tablesOf = (id: OperationId): Json => TABLES[id]
const FORM = 'application/x-www-form-urlencoded'

const operationOf = (id: OperationId, of = document): Json => of.paths[OPERATIONS[id].path][OPERATIONS[id].method.toLowerCase()]
const at = (reference: string): Json =>
  reference
    .slice(2)
    .split('/')
    .reduce<Json>((part, step) => part?.[step.replaceAll('~1', '/')], document)
const resolved = (part: Json): Json => (part.$ref ? at(part.$ref) : part)

/** Every object of the document. */
function* within(part: unknown): Generator<Json> {
  if (typeof part !== 'object' || part === null) return
  if (!Array.isArray(part)) yield part
  for (const inner of Object.values(part)) yield* within(inner)
}

/** The names of each object of OpenAPI 3.1: `!` marks a required one; after the colon its own object, `*` for a map of them, `[]` for a list. */
const SHAPES: Readonly<Record<string, string>> = {
  OpenApi: 'openapi! info!:Info servers!:Server[] paths!:PathItem* components!:Components security! tags!:Tag[]',
  Info: 'title! version! description',
  Server: 'url! description',
  Tag: 'name! description',
  PathItem: 'get:Operation post:Operation delete:Operation',
  Operation: 'operationId! tags! summary! description security parameters:Parameter[] requestBody:RequestBody responses!:Response*',
  Parameter: 'name! in! required! description style explode schema!:Schema example',
  RequestBody: 'content!:MediaType* required! description',
  MediaType: 'schema!:Schema example examples:Example* encoding:Encoding*',
  Encoding: 'style! explode!',
  Example: 'summary! value!',
  Response: 'description! headers:Header* content:MediaType*',
  Header: 'schema!:Schema description',
  Components: 'schemas!:Schema* examples!:Example* headers!:Header* securitySchemes!:SecurityScheme*',
  SecurityScheme: 'type! scheme! description'
}

/** The paths of names that OpenAPI does not have in that place, and of required names that are missing. */
function misshapen(part: Json, shape: string, path: string): string[] {
  if (/[*\]]$/.test(shape)) return Object.entries(part).flatMap(([name, one]) => misshapen(one, shape.replace(/\*$|\[\]$/, ''), `${path}.${name}`))
  const names = SHAPES[shape]?.split(' ').map(each => each.split(':') as [string, string?])
  if (names === undefined || part.$ref) return []
  const shapes = new Map(names.map(([name, inner = '']) => [name.replace('!', ''), inner]))
  const missing = names.filter(([name]) => name.endsWith('!') && part[name.slice(0, -1)] === undefined).map(([name]) => `${path}.${name}`)
  const inner = Object.entries(part).flatMap(([name, one]) => {
    const found = name.startsWith('x-') ? '' : shapes.get(name)
    return found === undefined ? [`${path}.${name}`] : misshapen(one, found, `${path}.${name}`)
  })
  return [...missing, ...inner]
}

/** A validator of the document's schemas; a word that JSON Schema does not know is an error. */
function validatorFor(of: Json) {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true })
  ajvFormats.default(ajv)
  ajv.addVocabulary(['x-rule', 'x-required-by', 'x-assumption', 'x-assumptions'])
  const local = (part: unknown) => JSON.parse(JSON.stringify(part).replaceAll('#/components/schemas/', 'document#/$defs/'))
  ajv.addSchema({ $id: 'document', $defs: local(of.components.schemas) })
  return (schema: object) => {
    const validate = ajv.compile(local(schema))
    return (value: unknown): string[] => (validate(value) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`))
  }
}
const validator = validatorFor(document)

t.test('openapi: each object has what OpenAPI 3.1 requires of it and nothing that it does not know', async t => {
  t.equal(document.openapi, '3.1.0')
  t.equal(document.info.version, '1.2.3')
  t.strictSame(misshapen(document, 'OpenApi', ''), [])

  const spoilt = structuredClone(document)
  delete spoilt.paths['/refunds'].get.responses
  spoilt.paths['/refunds'].post.requestbody = {}
  t.strictSame(misshapen(spoilt, 'OpenApi', ''), ['.paths./refunds.post.requestbody', '.paths./refunds.get.responses!'], 'the check sees what is wrong')
})

t.test('openapi: every reference leads to a component, and every component is referred to', async t => {
  const references = new Set([...within(document)].flatMap(({ $ref }) => $ref ?? []))

  t.ok(references.size > 40)
  for (const reference of references) t.ok(at(reference), reference)
  for (const kind of ['schemas', 'examples', 'headers'] as const)
    for (const name of Object.keys(document.components[kind])) t.ok(references.has(`#/components/${kind}/${name}`), name)
})

t.test('openapi: the operations are those of the reference, each with its id, tag, summary and the parameters of its path', async t => {
  const found = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`)
  )

  t.strictSame(found.sort(), IDS.map(id => `${id} ${OPERATIONS[id].method} ${OPERATIONS[id].path}`).sort())
  t.strictSame(
    document.tags,
    Object.keys(RESOURCE_NAMES).map(name => ({ name }))
  )
  for (const id of IDS) {
    const { family, path, title, key } = OPERATIONS[id]
    const { tags, summary, parameters = [], security } = operationOf(id)
    t.strictSame([tags, summary], [[family], title], id)
    t.strictSame(security, key ? undefined : [], 'only POST /transactions is called without a key')
    const inPath = parameters.filter((parameter: Json) => parameter.in === 'path').map(({ name, required }: Json) => [name, required])
    t.strictSame(
      inPath,
      [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, true])
    )
  }
  t.strictSame(document.security, [{ apiKey: [] }])
  t.hasStrict(document.components.securitySchemes.apiKey, { type: 'http', scheme: 'basic' })
})

/** Each name in a schema with its type, words, bounds and assumption; what only says that an update can unset it is left out. */
function namesOf(schema: Json, path = ''): string[] {
  const { type, enum: words = [], minimum, maximum, maxLength, properties = {}, items, 'x-assumption': assumption } = resolved(schema)
  const bounds = path === '.limit' ? [] : [minimum, maximum]
  return [
    JSON.stringify([path, maxLength === 0 ? type[0] : type, words.filter((word: unknown) => word !== ''), bounds, assumption]),
    ...(items ? namesOf(items, `${path}[]`) : []),
    ...Object.entries(properties).flatMap(([name, inner]) => namesOf(inner, `${path}.${name}`))
  ]
}

t.test('openapi: every parameter and every field of every table is there with its type, words, bounds and assumption', async t => {
  for (const id of IDS) {
    const { querystring, body, answer } = tablesOf(id)
    const { parameters = [], requestBody, responses } = operationOf(id)
    const query = parameters.filter((parameter: Json) => parameter.in === 'query')
    const properties = Object.fromEntries(query.map(({ name, schema, ...notes }: Json) => [name, { ...schema, ...notes }]))
    t.strictSame(namesOf({ type: 'object', properties }), namesOf(querystring ?? { type: 'object' }), id)
    for (const { name, required, style, explode } of query) {
      t.equal(required, false, `${id}: ${name} may be left out`)
      t.strictSame([style, explode], properties[name].properties ? ['deepObject', true] : [undefined, undefined], name)
    }
    t.equal(requestBody !== undefined, body !== undefined)
    if (body) {
      const { schema, encoding = {} } = requestBody.content[FORM]
      t.strictSame(namesOf(schema), namesOf(body), id)
      const nested = Object.entries<Json>(body.properties).flatMap(([name, { type }]) =>
        type === 'object' ? [[name, { style: 'deepObject', explode: true }]] : []
      )
      t.strictSame(encoding, Object.fromEntries(nested))
      t.equal(requestBody.required, knownOf(id).kind === 'create', 'an update without parameters changes nothing')
    }
    if (answer) t.strictSame(namesOf(Object.values<Json>(responses)[0].content['application/json'].schema), namesOf(answer), id)
  }
})

t.test('openapi: a table in the words of JSON Schema, for a create, an update and an answer', async t => {
  const cases: [schema: string, path: string, words: object][] = [
    ['CreateLocation', '', { type: 'object', required: ['display_name', 'address'], additionalProperties: false }],
    ['CreateLocation', 'display_name', { type: 'string', 'x-rule': 'LOC-1', minLength: 1 }],
    ['CreateLocation', 'address', { type: 'object', 'x-rule': 'ADDR-1', 'x-required-by': 'LOC-2', required: ['country'], additionalProperties: false }],
    ['CreateLocation', 'address country', { type: 'string', 'x-rule': 'ADDR-2', 'x-required-by': 'LOC-2', pattern: '^[A-Za-z]{2}$', minLength: 1 }],
    ['CreateLocation', 'phone', { type: 'string' }],
    ['CreateLocation', 'metadata', { type: 'object', 'x-rule': 'META-1', additionalProperties: { type: 'string' } }],
    ['UpdateLocation', '', { type: 'object', additionalProperties: false }],
    ['UpdateLocation', 'display_name', { type: 'string' }],
    ['UpdateLocation', 'address', { type: ['object', 'string'], maxLength: 0, 'x-rule': 'ADDR-1', additionalProperties: false }],
    ['UpdateLocation', 'address country', { type: 'string', 'x-rule': 'ADDR-2', anyOf: [{ pattern: '^[A-Za-z]{2}$' }, { maxLength: 0 }] }],
    ['UpdateAccount', 'type', { type: 'string', enum: ['merchant', 'reseller', ''], 'x-rule': 'ACC-1' }],
    ['UpdateAccount', 'email', { type: 'string', 'x-assumption': 'A30', anyOf: [{ format: 'email' }, { maxLength: 0 }] }],
    ['UpdateRefund', 'amount', { type: 'string', 'x-rule': 'REF-9', readOnly: true }],
    ['CreateUser', 'email', { type: 'string', 'x-rule': 'USR-3', format: 'email', minLength: 1 }],
    ['CreateTransaction', 'amount', { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, 'x-rule': 'TXN-7' }],
    ['CreateTransaction', 'card token', { type: 'string', writeOnly: true }],
    ['CreateTransaction', 'card last4', { type: 'string', 'x-assumption': 'A25', pattern: '^\\d{4}$' }],
    ['Account', 'created', { type: 'string', format: 'date-time' }],
    ['Account', 'type', { type: ['string', 'null'], enum: ['merchant', 'reseller', null] }],
    ['Account', 'address', { $ref: '#/components/schemas/Address' }],
    ['TicketList', 'data', { type: 'array', items: { $ref: '#/components/schemas/Ticket' } }]
  ]

  for (const [schema, path, words] of cases) {
    const part = path.split(' ').reduce((outer, name) => (name === '' ? outer : outer.properties[name]), document.components.schemas[schema])
    const { description, properties, ...found } = part
    t.strictSame(found, words, `${schema} ${path}`)
  }
})

t.test('openapi: every schema compiles as JSON Schema 2020-12, and every example keeps to its schema', async t => {
  for (const [name, schema] of Object.entries<Json>(document.components.schemas)) {
    const check = validator({ $ref: `#/components/schemas/${name}` })
    for (const example of schema.examples ?? []) t.strictSame(check(example), [], name)
  }
  for (const part of within(document.paths)) {
    if (!part.schema) continue
    const check = validator(part.schema)
    const examples = [...('example' in part ? [part.example] : []), ...Object.values<Json>(part.examples ?? {}).map(example => resolved(example).value)]
    for (const example of examples) t.strictSame(check(example), [], JSON.stringify(example))
  }
})

/** An emulator with the records of the default scenario. */
const startDefault = (t: Parameters<typeof startTestEmulator>[0], settings: GivenSettings = {}) =>
  startTestEmulator(t, { scenario: { clock: NOW, fixtures: ['bistro'] }, settings })

/** Nested values as a form. */
function form(values: Readonly<Record<string, unknown>>): string {
  const flat = (value: unknown, name: string): [string, string][] =>
    typeof value === 'object' && value !== null ? Object.entries(value).flatMap(([step, part]) => flat(part, `${name}[${step}]`)) : [[name, String(value)]]
  return new URLSearchParams(Object.entries(values).flatMap(([name, value]) => flat(value, name))).toString()
}

/** The example calls of an operation: its path, its query, each of its bodies. */
function callsOf(id: OperationId) {
  const { method, path, key } = OPERATIONS[id]
  const { parameters = [], requestBody } = operationOf(id)
  const given = (place: string) =>
    Object.fromEntries(parameters.flatMap((one: Json) => (one.in === place && 'example' in one ? [[one.name, one.example]] : [])))
  const on = `${method} ${path.replace(/\{(\w+)\}/g, (_, name) => given('path')[name])}`
  const bodies = Object.values<Json>(requestBody?.content[FORM].examples ?? { none: { value: undefined } })
  return bodies.map(({ value }) => ({ on, key: key ? EXAMPLE_KEY : null, query: form(given('query')), ...(value && { body: form(value) }) }))
}

/** How the answer of a call is described; undefined where its status is not. */
const described = (id: OperationId, { status }: Answer, of = document): Json => operationOf(id, of).responses[status]

t.test('openapi: every example call is answered as described by the default scenario', async t => {
  const { call, control } = await startDefault(t)

  for (const id of IDS) {
    for (const example of callsOf(id)) {
      await control('POST /reset')
      const answer = await call(example.on, example)
      const content = described(id, answer)?.content
      t.equal(answer.status < 300 || (answer.status === 501 && knownOf(id).disabledBy !== undefined), true, `${example.on} ${answer.status} ${answer.text}`)
      t.ok(described(id, answer), `${id}: ${answer.status} is described`)
      t.strictSame(content ? validator(content['application/json'].schema)(answer.body) : answer.text, content ? [] : '', id)
      t.ok(answer.headers['request-id'])
    }
  }
  t.strictSame(Object.keys(CALL_EXAMPLES).sort(), [...IDS].sort())
})

t.test('openapi: the examples of records are records of the default scenario', async t => {
  const { call } = await startDefault(t)

  for (const [family, resource] of Object.entries(RESOURCE_NAMES)) {
    const [example] = document.components.schemas[resource].examples
    const path = family === 'users' ? '/accounts/mch_bistro/users' : `/${family}`
    const { body } = await call(family === 'users' ? `GET ${path}` : `GET ${path}/${example.id}`, { key: EXAMPLE_KEY })
    t.strictSame(family === 'users' ? body.data.find(({ id }: Json) => id === example.id) : body, example, family)
  }
})

t.test('openapi: an answer with a field too many, a field too few or a wrong type is not as described', async t => {
  const { call } = await startDefault(t)

  for (const id of IDS.filter(id => knownOf(id).kind === 'list')) {
    const [example] = callsOf(id) as [ReturnType<typeof callsOf>[number]]
    const answer = await call(example.on, example)
    const check = validator(described(id, answer).content['application/json'].schema)
    t.strictSame(check(answer.body), [], id)
    for (const field of Object.keys(answer.body.data[0])) {
      const spoilt = structuredClone(answer.body)
      delete spoilt.data[0][field]
      t.strictSame(check(spoilt), [`/data/0 must have required property '${field}'`])
      spoilt.data[0][field] = [1]
      t.not(check(spoilt).length, 0, `${id}: ${field} is no list of numbers`)
    }
    t.strictSame(check({ ...answer.body, total: 3 }), [' must NOT have additional properties'])
    t.strictSame(check({ ...answer.body, data: [{ ...answer.body.data[0], colour: 'red' }] }), ['/data/0 must NOT have additional properties'])
    t.strictSame(check({ ...answer.body, has_more: 'no' }), ['/has_more must be boolean'])
  }
})

const BODY_LIMIT = 2000
type Sent = { on: string; key?: string | null; query?: string; body?: string; headers?: Record<string, string> }

/** Forms that lack what an operation requires. In an update an empty value unsets; white space alone is refused (A40). */
const WITHOUT_REQUIRED: Partial<Record<OperationId, string>> = { updateLocation: 'display_name=+', updateAccount: 'name=+' }
const WITH_BAD_VALUE: Partial<Record<OperationId, string>> = {
  createLocation: 'display_name=A&address[country]=ZZ',
  updateLocation: 'address[country]=ZZ',
  createAccount: 'type=shop',
  updateAccount: 'type=shop',
  createUser: 'name=A&email=nobody',
  createTransaction: 'ticket=tkt_60&payment_type=gold',
  createRefund: 'transaction=txn_1&amount=x',
  updateRefund: 'metadata[a][b]=1'
}
/** What to send instead of an example: `text` as its body or query, with the id of what was created `before` in place of `$id`. */
type Spoiler = Partial<Sent> & { text?: string; before?: Sent }
/** By the code that refuses the call where the operation knows it; any other operation refuses it with another code, or not at all. */
const SPOILERS: Partial<Record<ErrorCode, Spoiler | ((sent: Sent, id: OperationId) => Spoiler)>> = {
  api_key_missing: { key: null },
  api_key_malformed: { key: null, headers: { authorization: 'Bearer sk_test_merchant' } },
  api_key_unknown: { key: 'sk_of_nobody' },
  operation_disabled: {},
  content_type_unsupported: { body: '{}', headers: { 'content-type': 'application/json' } },
  body_too_large: { body: `a=${'x'.repeat(BODY_LIMIT)}` },
  body_unexpected: ({ body = 'a=b' }) => ({ body }),
  form_malformed: { text: 'a[=1' },
  form_too_large: { text: 'a[b][c][d][e][f]=1' },
  parameter_unknown: { text: 'colour=red' },
  parameter_not_updatable: { text: 'amount=1' },
  parameter_missing: (_, id) => ({ text: WITHOUT_REQUIRED[id] ?? '' }),
  parameter_invalid: (_, id) => ({ text: WITH_BAD_VALUE[id] ?? 'limit=0' }),
  cursor_unknown: { text: 'starting_after=nobody' },
  resource_missing: ({ on }) => ({ on: on.replace(/\w+_\w+/g, 'nobody') }),
  merchant_required: { key: 'sk_test_reseller' },
  reference_missing: (_, id) => ({ text: id === 'createRefund' ? 'transaction=nobody' : 'ticket=nobody&payment_type=external' }),
  charge_has_no_amount: { text: 'transaction=$id', before: { on: 'POST /transactions', key: null, body: 'ticket=tkt_60&payment_type=external' } },
  charge_already_refunded: { text: 'transaction=txn_1', before: { on: 'POST /refunds', key: EXAMPLE_KEY, body: 'transaction=txn_1' } },
  refund_exceeds_remaining: { text: 'transaction=txn_1&amount=999999' }
}

t.test('openapi: the refusals of an operation are those that it answers, each code with its status, in the one shape', async t => {
  const { call, control } = await startDefault(t, { 'limits.body': BODY_LIMIT })
  const check = validator({ $ref: '#/components/schemas/Error' })

  for (const id of IDS) {
    const listed = Object.entries<Json>(operationOf(id).responses).flatMap(([status, { content }]) =>
      Object.keys(content?.['application/json'].examples ?? {}).map(code => `${status} ${code}`)
    )
    const seen = new Set<string>()
    for (const spoil of Object.values(SPOILERS)) {
      await control('POST /reset')
      const example = callsOf(id)[0] as Sent
      const { text, before, ...changed } = typeof spoil === 'function' ? spoil(example, id) : spoil
      const created = before && (await call(before.on, before)).body.id
      const sent = { ...example, ...changed, ...(text !== undefined && { [example.on.startsWith('POST') ? 'body' : 'query']: text.replace('$id', created) }) }
      const answer = await call(sent.on, sent)
      if (answer.status < 300) continue
      t.strictSame(check(answer.body), [], id)
      seen.add(`${answer.status} ${answer.body.error.code}`)
    }
    t.strictSame([...seen].sort(), listed.sort(), id)
  }
  t.not(check({ error: { type: 'x', code: 'y', message: 'z', request_id: 'req_1', hint: 'w' } }).length, 0, 'the shape is closed')
  t.not(check({ error: { type: 'x', code: 'y', message: 'z' } }).length, 0, 'a refusal has its request id')
})

t.test('openapi: an error example is of the catalogue, and each answer that names it has its status', async t => {
  const defaults = settingsInForce({}).values

  for (const [code, { value }] of Object.entries<Json>(document.components.examples)) {
    t.strictSame(value.error, { type: CATALOGUE[code as ErrorCode].type, code, message: CATALOGUE[code as ErrorCode].when, request_id: 'req_42' })
  }
  for (const id of IDS) {
    for (const [status, { content, description }] of Object.entries<Json>(operationOf(id).responses)) {
      for (const code of Object.keys(content?.['application/json'].examples ?? {}) as ErrorCode[]) {
        t.equal(statusOf(code, defaults), Number(status), code)
        t.equal(description.includes(`\`${code}\`: ${CATALOGUE[code].when}`), true, code)
      }
    }
  }
})

t.test('openapi: the statuses and the page sizes are those of the settings', async t => {
  const settings: GivenSettings = {
    'statuses.created': 201,
    'statuses.invalid': 422,
    'statuses.refund_refused': 402,
    'pagination.max_limit': 5,
    'pagination.default_limit': 20
  }
  const changed = documentOf(settings)

  t.strictSame(Object.keys(operationOf('createRefund', changed).responses), ['201', '400', '401', '402', '413', '415', '422'])
  t.strictSame(Object.keys(operationOf('updateRefund', changed).responses), ['200', '401', '404', '413', '415', '422'])
  const [limit] = operationOf('listRefunds', changed).parameters
  t.hasStrict(limit, { name: 'limit', required: false, schema: { minimum: 1, maximum: 5, default: 5 } })
  t.match(limit.description, /^Page size, 1 to 5; 5 when left out\. /)
  const [clamped] = operationOf('listRefunds', documentOf({ 'pagination.out_of_range': 'clamp' })).parameters
  t.strictSame([clamped.schema.minimum, clamped.schema.maximum, clamped.schema.default], [undefined, undefined, 10], 'a limit out of range is not refused then')

  const { call } = await startDefault(t, settings)
  const answer = await call('POST /refunds', { key: EXAMPLE_KEY, body: 'transaction=txn_1' })
  t.strictSame([answer.status, validatorFor(changed)(described('createRefund', answer, changed).content['application/json'].schema)(answer.body)], [201, []])
})

t.test('openapi: the address and the examples are those of the sandbox that the document is of', async t => {
  const own = documentOf({}, '/sandbox/blue/next')

  const urls = [own, document].map(({ servers }) => servers.map(({ url }: Json) => url))
  t.strictSame(urls, [['/sandbox/blue/next'], ['/next']])
  t.equal(own.components.schemas.Transaction.examples[0].refunds.url, '/sandbox/blue/next/refunds?transaction=txn_1')
  t.equal(operationOf('listUsers', own).responses[200].content['application/json'].example.url, '/sandbox/blue/next/accounts/mch_bistro/users')
  t.notMatch(JSON.stringify(own), /"\/next/)
})

/** The rules and assumptions that a part of the document names as extensions. */
const namesIn = (part: unknown): Set<string> =>
  new Set(
    [...within(part)]
      .flatMap(one => [one['x-rule'], one['x-required-by'], one['x-assumption'], ...(one['x-rules'] ?? []), ...(one['x-assumptions'] ?? [])])
      .filter(Boolean)
  )

t.test(
  'openapi: an operation names the rules and assumptions of the ledger, each stated in words there, at the key, or once for the whole document',
  async t => {
    const { info, components } = document
    const once = `${info.description}${components.securitySchemes.apiKey.description}`
    const sentencesOf = (part: Json) => [
      ...[part['x-rule'], part['x-required-by'], ...(part['x-rules'] ?? [])].filter(Boolean).map((id: keyof typeof RULES) => `Rule ${id}: ${RULES[id].text}.`),
      ...[part['x-assumption'], ...(part['x-assumptions'] ?? [])]
        .filter(Boolean)
        .map((id: keyof typeof ASSUMPTIONS) => `Assumption ${id}, ${ASSUMPTIONS[id].topic}: ${ASSUMPTIONS[id].default}.`)
    ]

    for (const id of IDS) {
      const { 'x-rules': rules, 'x-assumptions': assumptions } = operationOf(id)
      t.strictSame({ rules, assumptions }, { rules: knownOf(id).rules, assumptions: knownOf(id).assumptions }, id)
    }
    t.strictSame([...namesIn(document)].sort(), [...Object.keys(RULES), ...Object.keys(ASSUMPTIONS)].sort())
    for (const part of within(document)) {
      for (const sentence of sentencesOf(part)) {
        const timesHere = (part.description ?? '').split(sentence).length - 1
        const isOperation = part.operationId !== undefined
        t.equal(timesHere, isOperation && once.includes(sentence) ? 0 : 1, `${part.operationId ?? part.name ?? ''} ${sentence}`)
      }
    }
    t.strictSame(
      info['x-rules'],
      ['FORM-2', 'BASE-1', 'TKT-1'].sort((one, other) => Object.keys(RULES).indexOf(one) - Object.keys(RULES).indexOf(other))
    )
    t.strictSame(info['x-assumptions'], ['A01', 'A07', 'A08', 'A14', 'A32', 'A33', 'A34', 'A35', 'A36', 'A39'])
  }
)

t.test('openapi: an empty value fits the body of an update where it unsets, and its answer fits the description (UPD-2, A16)', async t => {
  const { call } = await startDefault(t)
  const refusing = documentOf({ 'parameters.unset_required': 'reject' })
  const schemaOf = (id: OperationId, of: Json) => of.components.schemas[id.replace(/^./, first => first.toUpperCase())]
  const updates: [id: OperationId, on: string, values: Record<string, unknown>, refused: string[]][] = [
    ['updateLocation', 'POST /locations/loc_bistro', { display_name: '', address: '', phone: '', metadata: '' }, ['display_name', 'address']],
    ['updateAccount', 'POST /accounts/mch_bistro', { type: '', name: '', email: '', address: { country: '' } }, ['type', 'name', 'email', 'address']]
  ]

  for (const [id, on, values, refused] of updates) {
    t.strictSame(validator(schemaOf(id, document))(values), [], id)
    const answer = await call(on, { key: EXAMPLE_KEY, body: form(values) })
    t.equal(answer.status, 200, answer.text)
    t.strictSame(validator(described(id, answer).content['application/json'].schema)(answer.body), [])

    const check = validatorFor(refusing)(schemaOf(id, refusing))
    for (const [name, value] of Object.entries(values)) t.equal(check({ [name]: value }).length > 0, refused.includes(name), `${id} ${name}`)
  }
})
