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
import { type Schema, schemaOf } from '../../src/reference/parameters.js'
import { RULES } from '../../src/reference/rules.js'
import { TABLES, type Tables } from '../../src/reference/tables.js'
import { type Answer, NOW, startTestEmulator } from '../support/emulator.js'
import type { Json } from '../support/json.js'

const documentOf = (settings: GivenSettings = {}, base = '/next'): Json =>
  JSON.parse(JSON.stringify(openApiDocument({ base, version: '1.2.3', settings: settingsInForce({ flag: settings }).values })))
const document = documentOf()
const tablesOf = (id: OperationId): Tables => TABLES[id]
const FORM = 'application/x-www-form-urlencoded'

const operationOf = (id: OperationId, of = document): Json => of.paths[OPERATIONS[id].path][OPERATIONS[id].method.toLowerCase()]
const at = (reference: string): Json =>
  reference
    .slice(2)
    .split('/')
    .reduce<Json>((part, step) => part?.[step.replaceAll('~1', '/')], document)
const resolved = (part: Json): Json => (part.$ref ? at(part.$ref) : part)
const bodySchemaOf = (id: OperationId) => resolved(operationOf(id).requestBody.content[FORM].schema)

/** Every object of the document. */
function* within(part: unknown): Generator<Json> {
  if (typeof part !== 'object' || part === null) return
  if (!Array.isArray(part)) yield part
  for (const inner of Object.values(part)) yield* within(inner)
}

/** What OpenAPI 3.1 has in each of its objects: required names end with !, and a name's own object stands after it, `*` for one by any name, `[]` for a list. */
const SHAPES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  OpenApi: {
    'openapi!': '',
    'info!': 'Info',
    'servers!': 'Server[]',
    'paths!': 'PathItem*',
    'components!': 'Components',
    'security!': '',
    'tags!': 'Tag[]'
  },
  Info: { 'title!': '', 'version!': '', description: '' },
  Server: { 'url!': '', description: '' },
  Tag: { 'name!': '', description: '' },
  PathItem: { get: 'Operation', post: 'Operation', delete: 'Operation' },
  Operation: {
    'operationId!': '',
    'tags!': '',
    'summary!': '',
    description: '',
    security: '',
    parameters: 'Parameter[]',
    requestBody: 'RequestBody',
    'responses!': 'Response*'
  },
  Parameter: { 'name!': '', 'in!': '', 'required!': '', description: '', style: '', explode: '', 'schema!': 'Schema', example: '' },
  RequestBody: { 'content!': 'MediaType*', 'required!': '', description: '' },
  MediaType: { 'schema!': 'Schema', example: '', examples: 'Example*', encoding: 'Encoding*' },
  Encoding: { 'style!': '', 'explode!': '' },
  Example: { 'summary!': '', 'value!': '' },
  Response: { 'description!': '', headers: 'Header*', content: 'MediaType*' },
  Header: { 'schema!': 'Schema', description: '' },
  Components: { 'schemas!': 'Schema*', 'examples!': 'Example*', 'headers!': 'Header*', 'securitySchemes!': 'SecurityScheme*' },
  SecurityScheme: { 'type!': '', 'scheme!': '', description: '' }
}

/** Where a part of the document is not what OpenAPI has there. */
function misshapen(part: Json, shape: string, path: string): string[] {
  if (shape.endsWith('[]')) return (part as Json[]).flatMap((one, index) => misshapen(one, shape.slice(0, -2), `${path}[${index}]`))
  if (shape.endsWith('*')) return Object.entries(part).flatMap(([name, one]) => misshapen(one, shape.slice(0, -1), `${path}.${name}`))
  const names = SHAPES[shape]
  if (names === undefined || part.$ref) return []
  const missing = Object.keys(names).filter(name => name.endsWith('!') && part[name.slice(0, -1)] === undefined)
  const inner = Object.entries(part).flatMap(([name, one]) => {
    if (name.startsWith('x-')) return []
    const found = names[`${name}!`] ?? names[name]
    return found === undefined ? [`${path}.${name}`] : misshapen(one, found, `${path}.${name}`)
  })
  return [...missing.map(name => `${path}.${name}`), ...inner]
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

/** How a table is used: in an update nothing is required, and an empty value unsets; in an answer a required text may be empty. */
type Place = { isUpdate?: boolean; isAnswer?: boolean; isRequired?: boolean; rules?: readonly string[] }

/** Where a table and the document's schema differ in names, types, words, bounds or what is required. */
function differences(table: Schema, shown: Json, path: string, { isRequired = false, ...use }: Place = {}): string[] {
  const { isUpdate = false, isAnswer = false, rules } = use
  const found: string[] = []
  const same = (what: string, one: unknown, other: unknown) => JSON.stringify(one) !== JSON.stringify(other) && found.push(`${path} ${what}`)
  const inside = resolved(shown)
  const isClearable = isUpdate && path !== '' && !table['x-fixed']
  const breakable = (rule?: string) => (rules === undefined || rules.includes(rule as string) ? rule : undefined)
  same('type', isClearable && table.type === 'object' ? [table.type, 'string'] : table.type, inside.type)
  same('enum', isClearable && table.enum ? [...table.enum, ''] : table.enum, inside.enum)
  same('rule', [table['x-rule'], table['x-required-by']].map(breakable), [inside['x-rule'], inside['x-required-by']])
  same('assumption', table['x-assumption'], inside['x-assumption'])
  if (path !== '.limit') same('bounds', [table.minimum, table.maximum], [inside.minimum, inside.maximum])
  same('required', isUpdate ? undefined : table.required, inside.required)
  same(
    'closed',
    typeof table.additionalProperties === 'object' ? 'object' : table.additionalProperties,
    typeof inside.additionalProperties === 'object' ? 'object' : inside.additionalProperties
  )
  same('emptiness', isRequired && !isAnswer && !isUpdate && table.type === 'string' && !table.enum ? 1 : undefined, inside.minLength)
  const cleared = table.type === 'object' ? 0 : table.format && [0]
  same('clearing', isClearable ? cleared : undefined, inside.maxLength ?? inside.anyOf?.slice(1).map((one: Json) => one.maxLength))
  same('secret', table['x-secret'], inside.writeOnly)
  same('fixed', table['x-fixed'], inside.readOnly)
  same('names', Object.keys(table.properties ?? {}), Object.keys(inside.properties ?? {}))
  if (table.items) found.push(...differences(table.items, inside.items, `${path}[]`, use))
  for (const [name, part] of Object.entries(table.properties ?? {})) {
    found.push(...differences(part, inside.properties?.[name] ?? {}, `${path}.${name}`, { ...use, isRequired: table.required?.includes(name) ?? false }))
  }
  return found
}

t.test('openapi: every parameter and every field of every table is there with its type, words and bounds, required only where the table says so', async t => {
  for (const id of IDS) {
    const { querystring, body, answer } = tablesOf(id)
    const operation = operationOf(id)
    const query = (operation.parameters ?? []).filter((parameter: Json) => parameter.in === 'query')
    const properties = schemaOf(querystring ?? ({ properties: {} } as never)).properties ?? {}
    t.strictSame(
      query.map(({ name }: Json) => name),
      Object.keys(properties),
      id
    )
    for (const { name, required, schema, style, explode, ...notes } of query) {
      t.equal(required, false, `${id}: ${name} may be left out`)
      t.strictSame(differences(properties[name] as Schema, { ...schema, ...notes }, `.${name}`), [])
      t.strictSame([style, explode], properties[name]?.properties ? ['deepObject', true] : [undefined, undefined], name)
    }
    t.equal(operation.requestBody !== undefined, body !== undefined)
    if (body) {
      const table = schemaOf(body)
      t.strictSame(differences(table, bodySchemaOf(id), '', { isUpdate: knownOf(id).kind === 'update', rules: knownOf(id).rules }), [])
      const nested = Object.entries(table.properties ?? {}).flatMap(([name, { type }]) =>
        type === 'object' ? [[name, { style: 'deepObject', explode: true }]] : []
      )
      t.strictSame(operation.requestBody.content[FORM].encoding ?? {}, Object.fromEntries(nested))
      t.equal(operation.requestBody.required, knownOf(id).kind === 'create', 'an update without parameters changes nothing')
    }
    const content = Object.values<Json>(operation.responses).flatMap(({ content }, index) => (index === 0 && content ? [content] : []))
    if (answer) t.strictSame(differences(schemaOf(answer), content[0]['application/json'].schema, '', { isAnswer: true }), [])
  }
  const limits = IDS.flatMap(id => (operationOf(id).parameters ?? []).filter(({ name }: Json) => name === 'limit'))
  t.equal(limits.length, 6)
  for (const { schema, required } of limits)
    t.strictSame([schema.minimum, schema.maximum, schema.default, required], [1, 100, 10, false], 'a default does not require it')
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
  const lists = {
    locations: 'listLocations',
    accounts: 'listAccounts',
    users: 'listUsers',
    tickets: 'listTickets',
    transactions: 'listTransactions',
    refunds: 'listRefunds'
  } as const

  for (const [family, id] of Object.entries(lists)) {
    const [example] = callsOf(id) as [ReturnType<typeof callsOf>[number]]
    const answer = await call(example.on, example)
    const check = validator(described(id, answer).content['application/json'].schema)
    t.strictSame(check(answer.body), [], family)
    for (const field of Object.keys(answer.body.data[0])) {
      const spoilt = structuredClone(answer.body)
      delete spoilt.data[0][field]
      t.strictSame(check(spoilt), [`/data/0 must have required property '${field}'`])
      spoilt.data[0][field] = [1]
      t.not(check(spoilt).length, 0, `${family}: ${field} is no list of numbers`)
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
/** A call of an operation that is refused with a code, or with another where the operation knows no such refusal; made from an example of the operation. */
const SPOILERS: Partial<Record<ErrorCode, (sent: Sent, id: OperationId, call: (on: string, sent: object) => Promise<Answer>) => Sent | Promise<Sent>>> = {
  api_key_missing: sent => ({ ...sent, key: null }),
  api_key_malformed: sent => ({ ...sent, key: null, headers: { authorization: 'Bearer sk_test_merchant' } }),
  api_key_unknown: sent => ({ ...sent, key: 'sk_of_nobody' }),
  operation_disabled: sent => sent,
  content_type_unsupported: sent => ({ ...sent, body: '{}', headers: { 'content-type': 'application/json' } }),
  body_too_large: sent => ({ ...sent, body: `a=${'x'.repeat(BODY_LIMIT)}` }),
  body_unexpected: sent => ({ ...sent, body: sent.body ?? 'a=b' }),
  form_malformed: sent => ({ ...sent, ...inPlace(sent, 'a[=1') }),
  form_too_large: sent => ({ ...sent, ...inPlace(sent, 'a[b][c][d][e][f]=1') }),
  parameter_unknown: sent => ({ ...sent, ...inPlace(sent, 'colour=red') }),
  parameter_not_updatable: sent => ({ ...sent, ...inPlace(sent, 'amount=1') }),
  parameter_missing: (sent, id) => ({ ...sent, ...inPlace(sent, WITHOUT_REQUIRED[id] ?? '') }),
  parameter_invalid: (sent, id) => ({ ...sent, ...inPlace(sent, WITH_BAD_VALUE[id] ?? 'limit=0') }),
  cursor_unknown: sent => ({ ...sent, ...inPlace(sent, 'starting_after=nobody') }),
  resource_missing: sent => ({ ...sent, on: sent.on.replace(/\w+_\w+/g, 'nobody') }),
  merchant_required: sent => ({ ...sent, key: 'sk_test_reseller' }),
  reference_missing: sent => ({
    ...sent,
    ...inPlace(sent, 'transaction=nobody&ticket=nobody&payment_type=external'.replace(sent.on.endsWith('refunds') ? /&.*/ : /^[^&]*&/, ''))
  }),
  charge_has_no_amount: async (sent, _id, call) => {
    const { body } = await call('POST /transactions', { key: null, body: 'ticket=tkt_60&payment_type=external' })
    return { ...sent, ...inPlace(sent, `transaction=${body.id}`) }
  },
  charge_already_refunded: async (sent, _id, call) => {
    await call('POST /refunds', { key: EXAMPLE_KEY, body: 'transaction=txn_1' })
    return { ...sent, ...inPlace(sent, 'transaction=txn_1') }
  },
  refund_exceeds_remaining: sent => ({ ...sent, ...inPlace(sent, 'transaction=txn_1&amount=999999') })
}
const inPlace = ({ on }: Sent, text: string) => (on.startsWith('POST') ? { body: text } : { query: text })

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
      const sent = await spoil(callsOf(id)[0] as Sent, id, call)
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

  t.strictSame(
    own.servers.map(({ url }: Json) => url),
    ['/sandbox/blue/next']
  )
  t.strictSame(
    document.servers.map(({ url }: Json) => url),
    ['/next']
  )
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
