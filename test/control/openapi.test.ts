/**
 * The OpenAPI document: well formed, complete by the reference's tables, and true of the responses.
 */
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import t from 'tap'
import { parse } from 'yaml'
import { controlDocument } from '../../scripts/docs/control-document.js'
import { openApiDocument } from '../../src/control/openapi/api.js'
import { EXAMPLE_KEY } from '../../src/control/openapi/schemas.js'
import { CONTROL_GROUPS } from '../../src/control/requests.js'
import type { ErrorCode } from '../../src/core/errors.js'
import { FORMATS } from '../../src/core/formats.js'
import { type GivenSettings, settingsInForce } from '../../src/core/settings.js'
import {
  OPERATION_IDS as IDS,
  operationOf as knownOf,
  OPERATIONS,
  type OperationId
} from '../../src/reference/operations.js'
import type { Format } from '../../src/reference/parameters.js'
import { RULES } from '../../src/reference/rules.js'
import { TABLES } from '../../src/reference/tables.js'
import { VERSION } from '../../src/scenario/library.js'
import { ran } from '../support/command.js'
import { type Answer, NOW, startTestEmulator } from '../support/emulator.js'
import type { Json } from '../support/json.js'

const ORIGIN = 'http://localhost:4010'
const documentOf = (settings: GivenSettings = {}, base = '/next', origin = ORIGIN): Json =>
  JSON.parse(
    JSON.stringify(
      openApiDocument({
        origin,
        base,
        version: '1.2.3',
        settings: settingsInForce({ flag: settings }).values
      })
    )
  )
const document = documentOf()
const control: Json = JSON.parse(
  JSON.stringify(
    controlDocument(CONTROL_GROUPS, { origin: ORIGIN, base: '/next', version: VERSION })
  )
)
const tablesOf = (id: OperationId): Json => TABLES[id]
const FORM = 'application/x-www-form-urlencoded'

const operationOf = (id: OperationId, of = document): Json =>
  of.paths[OPERATIONS[id].path][OPERATIONS[id].method.toLowerCase()]
const at = (reference: string, of = document): Json =>
  reference
    .slice(2)
    .split('/')
    .reduce<Json>((part, step) => part?.[step.replaceAll('~1', '/')], of)
/** Resolves a reference, and the type of a nullable or clearable part. */
const resolved = ({ $ref, anyOf, ...beside }: Json): Json => {
  const { type, ...first } = anyOf ? resolved(anyOf[0]) : {}
  if (anyOf) return { ...first, type: anyOf[1].type === 'null' ? [type, 'null'] : type, ...beside }
  return $ref ? { ...at($ref), ...beside } : beside
}

/** Every object of the document. */
function* within(part: unknown): Generator<Json> {
  if (typeof part !== 'object' || part === null) return
  if (!Array.isArray(part)) yield part
  for (const inner of Object.values(part)) yield* within(inner)
}

/** The names of OpenAPI 3.1 objects: `!` is required, `*` a map, `[]` a list. */
const SHAPES: Readonly<Record<string, string>> = parse(`
  OpenApi: 'openapi! info!:Info servers!:Server[] paths!:PathItem* components!:Components security! tags!:Tag[]'
  Info: title! version! summary description contact:Contact license:License
  Contact: name url email
  License: name! identifier url
  Server: url! description
  Tag: name! description
  PathItem: get:Operation post:Operation put:Operation patch:Operation delete:Operation
  Operation: 'operationId! tags! summary! description security parameters:Parameter[] requestBody:RequestBody responses!:Response*'
  Parameter: name! in! required description schema!:Schema example
  RequestBody: content!:MediaType* required! description
  MediaType: schema!:Schema example
  Response: description! content:MediaType*
  Components: schemas!:Schema* securitySchemes!:SecurityScheme*
  SecurityScheme: type! scheme! description
`)

/** Paths of unknown names and of missing required names. */
function misshapen(part: Json, shape: string, path: string): string[] {
  if (/[*\]]$/.test(shape))
    return Object.entries(part).flatMap(([name, one]) =>
      misshapen(one, shape.replace(/\*$|\[\]$/, ''), `${path}.${name}`)
    )
  const names = SHAPES[shape]?.split(' ').map(each => each.split(':') as [string, string?])
  if (names === undefined || part.$ref) return []
  const shapes = new Map(names.map(([name, inner = '']) => [name.replace('!', ''), inner]))
  const missing = names
    .filter(([name]) => name.endsWith('!') && part[name.slice(0, -1)] === undefined)
    .map(([name]) => `${path}.${name}`)
  const inner = Object.entries(part).flatMap(([name, one]) => {
    const found = name.startsWith('x-') ? '' : shapes.get(name)
    return found === undefined ? [`${path}.${name}`] : misshapen(one, found, `${path}.${name}`)
  })
  return [...missing, ...inner]
}

/** A validator of the document's schemas; an unknown keyword is an error. */
function validatorFor(of: Json) {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true })
  ajvFormats.default(ajv)
  ajv.addVocabulary(['x-extensible-enum'])
  const local = (part: unknown) =>
    JSON.parse(JSON.stringify(part).replaceAll('#/components/schemas/', 'document#/$defs/'))
  ajv.addSchema({ $id: 'document', $defs: local(of.components.schemas) })
  return (schema: object) => {
    const validate = ajv.compile(local(schema))
    return (value: unknown): string[] =>
      validate(value)
        ? []
        : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  }
}
const validator = validatorFor(document)

t.test('openapi: each object has what OpenAPI 3.1 requires, and nothing unknown', async t => {
  t.equal(document.openapi, '3.1.0')
  t.equal(document.info.version, '1.2.3')
  for (const each of [document, control]) t.strictSame(misshapen(each, 'OpenApi', ''), [])

  const spoilt = structuredClone(document)
  delete spoilt.paths['/refunds'].get.responses
  spoilt.paths['/refunds'].post.requestbody = {}
  t.strictSame(
    misshapen(spoilt, 'OpenApi', ''),
    ['.paths./refunds.post.requestbody', '.paths./refunds.get.responses!'],
    'the check sees what is wrong'
  )
})

t.test('openapi: every reference leads to a component', async t => {
  for (const each of [document, control]) {
    const references = new Set([...within(each)].flatMap(({ $ref }) => $ref ?? []))

    t.ok(references.size > 20)
    for (const reference of references) t.ok(at(reference, each), reference)
    for (const name of Object.keys(each.components.schemas))
      t.ok(references.has(`#/components/schemas/${name}`), name)
  }
})

t.test('openapi: the operations are those of the reference', async t => {
  const found = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(
      ([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`
    )
  )
  t.strictSame(
    found.sort(),
    IDS.map(id => `${id} ${OPERATIONS[id].method} ${OPERATIONS[id].path}`).sort()
  )
  for (const id of IDS) {
    const { description, parameters = [], security } = operationOf(id)
    t.match(description, /^[A-Z][^\n]+\.(\n|$)/, 'what it does comes first')
    t.strictSame(security, OPERATIONS[id].key ? undefined : [])
    const inPath = parameters
      .filter((parameter: Json) => parameter.in === 'path')
      .map(({ name, required, schema }: Json) => [name, required, schema])
    t.strictSame(
      inPath,
      [...OPERATIONS[id].path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [
        name,
        true,
        { type: 'string', minLength: 1 }
      ])
    )
  }
})

/** Each name in a schema, nested ones in brackets, with its type, enum and bounds. */
function namesOf(schema: Json, path = ''): string[] {
  const { type, const: only, enum: words = [only], minimum, maximum, ...more } = resolved(schema)
  const { properties, items, additionalProperties, 'x-fixed': isFixed, maxLength } = more
  if (properties)
    return Object.entries<Json>(properties).flatMap(([name, inner]) =>
      namesOf(inner, path === '' ? name : `${path}[${name}]`)
    )
  if (isFixed || additionalProperties || maxLength === 0) return []
  const bounds = path === 'limit' ? [] : [minimum, maximum]
  return [
    JSON.stringify([path, type, words.filter((word: unknown) => word), bounds]),
    ...(items ? namesOf(items, `${path}[]`) : [])
  ]
}

t.test('openapi: every name of every table has its type, words and limits', async t => {
  for (const id of IDS) {
    const { querystring, body, response } = tablesOf(id)
    const { parameters = [], requestBody, responses } = operationOf(id)
    const query = parameters.filter((parameter: Json) => parameter.in === 'query')
    const properties = Object.fromEntries(
      query.map(({ name, schema, ...notes }: Json) => [name, { ...schema, ...notes }])
    )
    t.strictSame(namesOf({ properties }), namesOf(querystring ?? { properties: {} }), id)
    for (const { name, required } of query) t.notOk(required, `${id}: ${name} may be left out`)
    t.equal(requestBody !== undefined, body !== undefined)
    if (body) {
      t.strictSame(namesOf(requestBody.content[FORM].schema), namesOf(body), id)
      t.equal(
        requestBody.required,
        knownOf(id).kind === 'create',
        'an update without parameters changes nothing'
      )
    }
    const [success] = Object.values<Json>(responses)
    if (response && !knownOf(id).disabledBy)
      t.strictSame(namesOf(success.content['application/json'].schema), namesOf(response), id)
  }
})

t.test('openapi: a table in the words of JSON Schema, for a create', async t => {
  const most = Number.MAX_SAFE_INTEGER
  const cases: [schema: string, name: string, words: object][] = parse(`
    - [CreateLocation, display_name, {type: string, pattern: '\\S'}]
    - [CreateLocation, 'address[country]', {type: string, pattern: '^[A-Za-z]{2}$'}]
    - [UpdateLocation, address, {type: string, maxLength: 0}]
    - [UpdateLocation, display_name, {type: string, pattern: '^$|\\S'}]
    - [UpdateAccount, type, {type: string, enum: [merchant, reseller, '']}]
    - [CreateTransaction, amount, {type: integer, format: int64, minimum: 0, maximum: ${most}}]
    - [CreateTransaction, adjustment_number, {type: number, format: double}]
    - [CreateTransaction, 'card[last4]', {type: string, pattern: '^$|^[0-9]{4}$'}]
    - [Account, created, {type: string, format: date-time}]
    - [Account, object, {type: string, const: account}]
    - [Account, type, {anyOf: [{type: string, enum: [merchant, reseller]}, {type: 'null'}]}]
    - [Transaction, tip_amount, {type: [integer, 'null'], format: int64, minimum: 0, maximum: ${most}}]
    - [Transaction, refunds, {$ref: RefundList}]
    - [TicketList, data, {type: array, items: {$ref: Ticket}}]
  `)

  for (const [schema, name, words] of cases) {
    const { description, properties, examples, ...found } =
      document.components.schemas[schema].properties[name]
    const named = JSON.parse(JSON.stringify(found).replaceAll('#/components/schemas/', ''))
    t.strictSame(named, words, `${schema} ${name}`)
  }
  t.equal(
    Object.hasOwn(document.components.schemas.UpdateRefund.properties, 'amount'),
    false,
    'what an update only names to refuse it is not published'
  )
})

/** The fields of all responses, whatever names lead to them. */
function* answered(part: Json, of: Json, seen = new Set<string>()): Generator<Json> {
  const { $ref, anyOf = [], items, properties = {} } = part
  if ($ref && !seen.has($ref)) yield* answered(at($ref, of), of, seen.add($ref))
  for (const inner of [...anyOf, ...(items ? [items] : [])]) yield* answered(inner, of, seen)
  for (const field of Object.values<Json>(properties)) {
    yield { ...(field.$ref && at(field.$ref, of)), ...field }
    yield* answered(field, of, seen)
  }
}
const responsesOf = (of: Json) =>
  Object.values<Json>(of.paths).flatMap(methods =>
    Object.values<Json>(methods).flatMap(one => Object.entries<Json>(one.responses))
  )
/** The codes that the description of a refusal lists. */
const codesIn = (description: string) =>
  Array.from(description.matchAll(/^- `(\w+)`/gm), ([, code]) => code as string)
const schemasOf = (of: Json) => Object.values<Json>(of.components.schemas)

type Hold = [rule: string, broken: (of: Json) => Json[], spoil: (of: Json) => unknown]
/** Rules for the document: each finds nothing, and something once the document is damaged. */
const HOLDS: Hold[] = [
  [
    'no enum has null, or only one value',
    of =>
      [...within(of)].filter(
        part => Array.isArray(part.enum) && (part.enum.length < 2 || part.enum.includes(null))
      ),
    of => of.components.schemas.Account.properties.type.anyOf[0].enum.push(null)
  ],
  [
    'no index of names stands beside another, or beside a field of another type',
    of =>
      schemasOf(of).filter(
        one =>
          one.patternProperties || (one.properties && typeof one.additionalProperties === 'object')
      ),
    of => Object.assign(of.components.schemas.UpdateRefund, { patternProperties: {} })
  ],
  [
    'each field of an answer has its rule or assumption',
    of =>
      responsesOf(of)
        .flatMap(([, response]) => [
          ...answered(Object.values<Json>(response.content ?? {})[0]?.schema ?? {}, of)
        ])
        .filter(field => !/(Rule|Assumption) [A-Z]/.test(field.description)),
    of => delete of.components.schemas.ErrorResponse.properties.error.properties.param.description
  ],
  [
    'each success with a body has an example',
    of =>
      responsesOf(of).flatMap(([status, { content }]) =>
        status.startsWith('2') && content && !content['application/json'].example ? [content] : []
      ),
    of => delete of.paths['/refunds/{id}'].get.responses[200].content['application/json'].example
  ],
  [
    'each refusal has an example, that of a parameter where there is one',
    of =>
      responsesOf(of).filter(([status, { content, description }]) => {
        const { schema, example } = content?.['application/json'] ?? {}
        const codes = codesIn(description)
        const code = codes.find(code => code.startsWith('parameter_')) ?? codes[0]
        const isRefusal = schema?.$ref?.endsWith('/ErrorResponse') && status !== 'default'
        return isRefusal && example?.error.code !== code
      }),
    of => delete of.paths['/refunds'].get.responses[400].content['application/json'].example
  ],
  [
    'each parameter of a path or a query has a description',
    of =>
      Object.values<Json>(of.paths)
        .flatMap(methods => Object.values<Json>(methods))
        .flatMap(({ parameters = [] }) => parameters)
        .filter(({ description }: Json) => !description),
    of => delete of.paths['/tickets/{id}'].get.parameters[0].description
  ],
  [
    'each operation but a disabled one has a success, and a refusal of any other status',
    of =>
      IDS.filter(id => {
        const statuses = Object.keys(operationOf(id, of).responses)
        const has = [statuses.some(status => status.startsWith('2')), statuses.includes('default')]
        return has.some(one => one === (knownOf(id).disabledBy !== undefined))
      }),
    of => Object.assign(of.paths['/accounts/{id}'].delete.responses, { default: {} })
  ],
  [
    'a disabled operation answers 501, or that the key is wrong',
    of =>
      IDS.filter(
        id =>
          knownOf(id).disabledBy && String(Object.keys(operationOf(id, of).responses)) !== '401,501'
      ),
    of => delete of.paths['/accounts/{id}'].delete.responses[501]
  ]
]

t.test('openapi: what generators and mocks rely on', async t => {
  for (const [rule, broken, spoil] of HOLDS) {
    const spoilt = structuredClone(document)
    spoil(spoilt)
    t.strictSame(broken(document), [], rule)
    t.not(broken(spoilt).length, 0, `${rule}: the check sees what is wrong`)
  }
})

t.test('openapi: an empty value', async t => {
  const cases: [schema: string, value: Json, fits: boolean][] = parse(`
    - [UpdateLocation, {address: '', metadata: ''}, true]
    - [UpdateLocation, {address: US}, false]
    - [UpdateRefund, {metadata: a}, false]
    - [CreateTransaction, {ticket: t, payment_type: card, currency: '', customer: {email: ''}}, true]
    - [CreateTransaction, {ticket: '', payment_type: card}, false]
  `)
  for (const [schema, value, fits] of cases) {
    const sent = Object.fromEntries(new URLSearchParams(form(value)))
    const check = validator({ $ref: `#/components/schemas/${schema}` })
    t.equal(check(sent).length === 0, fits, `${schema} ${JSON.stringify(sent)}`)
  }
})

t.test('openapi: the patterns of what is sent fit what clients send', async t => {
  const { CreateUser, CreateTransaction, CreateLocation } = document.components.schemas
  const created = operationOf('listUsers').parameters.at(-1)
  const schemas: Readonly<Record<Format, Json>> = {
    email: CreateUser.properties.email,
    country: CreateLocation.properties['address[country]'],
    currency: CreateTransaction.properties.currency,
    last4: CreateTransaction.properties['card[last4]'],
    instant: created.schema
  }
  const cases: [format: Format, fit: string, unfit: string][] = parse(`
    - - instant
      - 2026-02-01 2026-02-01T18:00 2026-02-01T18:00:00Z 2026-02-01t18:00:00.123456z 2026-02-01T18:00:00+02:00
      - yesterday 2026 2026-02 2026-W05 2026-02-01T
    - - email
      - ana@example.com first.last+tag@sub.example.co.uk o'neil@x-y.museum
      - a a@b @b.de a@
    - [country, US de gb, USA U 1A]
    - [currency, usd eur, USD us]
    - [last4, 4242 0000, 424 42424 424x]
  `)
  for (const [format, fit, unfit] of cases) {
    const check = validator(schemas[format])
    for (const value of fit.split(' '))
      t.strictSame([check(value), FORMATS[format].problem(value)], [[], null], value)
    for (const value of unfit.split(' '))
      t.strictSame(
        [check(value).length > 0, FORMATS[format].problem(value) !== null],
        [true, true],
        value
      )
  }
})

t.test('openapi: every number says its size', async t => {
  for (const part of within(document)) {
    if ([part.type].flat().includes('integer')) t.match(part.format, /^int(32|64)$/)
    if ([part.type].flat().includes('number')) t.equal(part.format, 'double')
  }
})

t.test('openapi: every schema compiles as JSON Schema 2020-12', async t => {
  for (const each of [document, control]) {
    const validator = validatorFor(each)
    for (const [name, schema] of Object.entries<Json>(each.components.schemas)) {
      const check = validator({ $ref: `#/components/schemas/${name}` })
      for (const example of schema.examples ?? []) t.strictSame(check(example), [], name)
    }
    for (const part of within(each.paths)) {
      if (!part.schema) continue
      const check = validator(part.schema)
      if ('example' in part) t.strictSame(check(part.example), [], JSON.stringify(part.example))
    }
  }
})

/** An emulator with the records of the default scenario. */
const startDefault = (t: Parameters<typeof startTestEmulator>[0], settings: GivenSettings = {}) =>
  startTestEmulator(t, { scenario: { clock: NOW, fixtures: ['bistro'] }, settings })

/** Nested values as a form. */
function form(values: Readonly<Record<string, unknown>>): string {
  const flat = (value: unknown, name: string): [string, string][] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([step, part]) => flat(part, `${name}[${step}]`))
      : [[name, String(value)]]
  return new URLSearchParams(
    Object.entries(values).flatMap(([name, value]) => flat(value, name))
  ).toString()
}

/** The example call of an operation. */
function callOf(id: OperationId, of = document) {
  const { method, path, key } = OPERATIONS[id]
  const { parameters = [], requestBody } = operationOf(id, of)
  const given = (place: string) =>
    Object.fromEntries(
      parameters.flatMap((one: Json) =>
        one.in === place && 'example' in one ? [[one.name, one.example]] : []
      )
    )
  const on = `${method} ${path.replace(/\{(\w+)\}/g, (_, name) => given('path')[name])}`
  const { example } = requestBody?.content[FORM] ?? {}
  return {
    on,
    key: key ? EXAMPLE_KEY : null,
    query: form(given('query')),
    ...(example && { body: form(example) })
  }
}

/** The schema of a response; undefined if its status is not documented. */
const described = (id: OperationId, { status }: Answer, of = document): Json =>
  operationOf(id, of).responses[status]

t.test('openapi: every example request gets the described response', async t => {
  const { call, control } = await startDefault(t)

  for (const id of IDS) {
    const example = callOf(id)
    await control('POST /reset')
    const answer = await call(example.on, example)
    const content = described(id, answer)?.content
    t.equal(
      answer.status < 300 || (answer.status === 501 && knownOf(id).disabledBy !== undefined),
      true,
      `${example.on} ${answer.status} ${answer.text}`
    )
    t.ok(described(id, answer), `${id}: ${answer.status} is described`)
    t.strictSame(
      content ? validator(content['application/json'].schema)(answer.body) : answer.text,
      content ? [] : '',
      id
    )
    t.ok(answer.headers['request-id'])
  }
})

t.test('openapi: nested parameters are named in brackets', async t => {
  const { CreateLocation, UpdateLocation } = document.components.schemas
  t.strictSame(CreateLocation.required, ['display_name', 'address[country]'])
  t.equal(UpdateLocation.required, undefined)
  t.strictSame(
    operationOf('listUsers').parameters.map(({ name }: Json) => name),
    'id limit starting_after ending_before created[gte] created[gt] created[lte] created[lt]'.split(
      ' '
    )
  )
  const check = validator({ $ref: '#/components/schemas/UpdateLocation' })
  for (const fit of ['metadata[a]=b&metadata[c]=', 'metadata=', 'address=', 'address[country]='])
    t.strictSame(check(Object.fromEntries(new URLSearchParams(fit))), [])
  for (const unfit of ['metadata=a', 'metadata[a][b]=c', 'address=US', 'colour=red'])
    t.not(check(Object.fromEntries(new URLSearchParams(unfit))).length, 0, unfit)
})

t.test('openapi: the documents in docs/ are the default documents, as printed', async t => {
  const shipped = (name: string) =>
    readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8')
  const printed = async (...options: string[]) => (await ran(['openapi', ...options])).stdout

  t.strictSame(JSON.parse(shipped('openapi.json')), JSON.parse(await printed()))
  t.strictSame(JSON.parse(shipped('openapi.control.json')), control)
  t.match(
    await printed('--set', 'statuses.created=201', '--port', '4711'),
    /"url": "http:\/\/localhost:4711\/next"[\s\S]*"201"/
  )
})

t.test('openapi: an answer with a field too many', async t => {
  const { call } = await startDefault(t)

  for (const id of IDS.filter(id => knownOf(id).kind === 'list')) {
    const example = callOf(id)
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
    t.strictSame(check({ ...answer.body, data: [{ ...answer.body.data[0], colour: 'red' }] }), [
      '/data/0 must NOT have additional properties'
    ])
    t.strictSame(check({ ...answer.body, has_more: 'no' }), ['/has_more must be boolean'])
  }
})

const BODY_LIMIT = 2000
type Sent = {
  on: string
  key?: string | null
  query?: string
  body?: string
  headers?: Record<string, string>
}

/**
 * Forms that lack a required parameter. In an update an empty value unsets; white space alone is
 * refused (A40).
 */
const WITHOUT_REQUIRED: Partial<Record<OperationId, string>> = {
  updateLocation: 'display_name=+',
  updateAccount: 'name=+'
}
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
/** What to send instead of an example; `$id` is the id created `before`. */
type Spoiler = Partial<Sent> & { text?: string; before?: Sent }
/** By the refusal's error code. */
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
  reference_missing: (_, id) => ({
    text: id === 'createRefund' ? 'transaction=nobody' : 'ticket=nobody&payment_type=external'
  }),
  charge_has_no_amount: {
    text: 'transaction=$id',
    before: { on: 'POST /transactions', key: null, body: 'ticket=tkt_60&payment_type=external' }
  },
  charge_already_refunded: {
    text: 'transaction=txn_1',
    before: { on: 'POST /refunds', key: EXAMPLE_KEY, body: 'transaction=txn_1' }
  },
  refund_exceeds_remaining: { text: 'transaction=txn_1&amount=999999' }
}

t.test('openapi: the refusals of an operation are those that it returns', async t => {
  const { call, control } = await startDefault(t, { 'limits.body': BODY_LIMIT })
  const check = validator({ $ref: '#/components/schemas/ErrorResponse' })

  for (const id of IDS) {
    const listed = Object.entries<Json>(operationOf(id).responses).flatMap(
      ([status, { description }]) => codesIn(description).map(code => `${status} ${code}`)
    )
    const seen = new Set<string>()
    for (const spoil of Object.values(SPOILERS)) {
      await control('POST /reset')
      const example: Sent = callOf(id)
      const { text, before, ...changed } = typeof spoil === 'function' ? spoil(example, id) : spoil
      const created = before && (await call(before.on, before)).body.id
      const sent = {
        ...example,
        ...changed,
        ...(text !== undefined && {
          [example.on.startsWith('POST') ? 'body' : 'query']: text.replace('$id', created)
        })
      }
      const answer = await call(sent.on, sent)
      if (answer.status < 300) continue
      t.strictSame(check(answer.body), [], id)
      seen.add(`${answer.status} ${answer.body.error.code}`)
    }
    t.strictSame([...seen].sort(), listed.sort(), id)
  }
  t.not(
    check({ error: { type: 'x', code: 'y', message: 'z', request_id: 'req_1', hint: 'w' } }).length,
    0
  )
  t.not(check({ error: { type: 'x', code: 'y', message: 'z' } }).length, 0)
})

t.test('openapi: what a setting allows is not described as refused', t => {
  const cases: [settings: GivenSettings, code: string, isOpen: boolean][] = parse(`
    - [{}, none, false]
    - [{parameters.unknown: warn}, parameter_unknown, true]
    - [{parameters.unknown: ignore}, parameter_unknown, true]
    - [{parameters.not_updatable: ignore}, parameter_not_updatable, false]
  `)
  const bodies = { CreateRefund: { transaction: 'txn_1' }, UpdateRefund: {} }
  for (const [settings, code, isOpen] of cases) {
    const changed = documentOf(settings)
    const { schemas } = changed.components
    t.notMatch(JSON.stringify(changed.paths), `\`${code}\``)
    for (const [name, sent] of Object.entries(bodies)) {
      const check = validatorFor(changed)({ $ref: `#/components/schemas/${name}` })
      t.equal(schemas[name].additionalProperties, true)
      t.strictSame(check(sent), [])
      t.equal(check({ ...sent, colour: '' }).length === 0, isOpen, `${name} ${code}`)
    }
    t.equal('amount' in schemas.UpdateRefund.properties, code === 'parameter_not_updatable')
  }
  t.match(JSON.stringify(document.paths), /`parameter_unknown`.*`parameter_not_updatable`/)
  t.match(operationOf('readTicket').responses.default.description, 'The response of a script')
  t.end()
})

t.test('openapi: what a key can do follows the settings', t => {
  const cases: [settings: GivenSettings, security: object[], has401: boolean][] = parse(`
    - [{}, [], false]
    - [{auth.payment_key: check}, [{}, {apiKey: []}], true]
  `)
  for (const [settings, security, has401] of cases) {
    const { responses, security: keys } = operationOf('createTransaction', documentOf(settings))
    t.strictSame([keys, '401' in responses], [security, has401], JSON.stringify(settings))
    const { description } = responses['401'] ?? { description: '' }
    t.notMatch(description, 'api_key_missing', 'a payment without a key is right')
  }
  const codesOf = (settings: GivenSettings) =>
    JSON.stringify(operationOf('createRefund', documentOf(settings)).responses)
  t.notMatch(codesOf({}), 'charge_has_no_card')
  t.match(codesOf({ 'refunds.without_card': 'reject' }), 'charge_has_no_card')
  t.end()
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
  t.strictSame(
    Object.keys(operationOf('createRefund', changed).responses),
    '201 400 401 402 413 415 422 default'.split(' ')
  )
  t.strictSame(
    Object.keys(operationOf('updateRefund', changed).responses),
    '200 401 404 413 415 422 default'.split(' ')
  )
  const [limit] = operationOf('listRefunds', changed).parameters
  t.hasStrict(limit.schema, { minimum: 1, maximum: 5, default: 5 })
  const [usual] = operationOf('listRefunds').parameters
  t.hasStrict(usual.schema, { minimum: 1, maximum: 100, default: 10 })
  const [clamped] = operationOf(
    'listRefunds',
    documentOf({ 'pagination.out_of_range': 'clamp' })
  ).parameters
  t.strictSame(
    [clamped.schema.minimum, clamped.schema.maximum, clamped.schema.default],
    [undefined, undefined, 10]
  )

  const { call } = await startDefault(t, settings)
  const answer = await call('POST /refunds', { key: EXAMPLE_KEY, body: 'transaction=txn_1' })
  t.strictSame(
    [
      answer.status,
      validatorFor(changed)(
        described('createRefund', answer, changed).content['application/json'].schema
      )(answer.body)
    ],
    [201, []]
  )
})

t.test('openapi: the address and the examples are those of the sandbox', async t => {
  const own = documentOf({}, '/sandbox/blue/next')

  const urls = [own, document, documentOf({}, '/next', '')].map(({ servers }) =>
    servers.map(({ url }: Json) => url)
  )
  t.strictSame(urls, [
    ['http://localhost:4010/sandbox/blue/next'],
    ['http://localhost:4010/next'],
    ['/next']
  ])
  t.match(own.info.description, '(http://localhost:4010/sandbox/blue/_control/assumptions)')
  t.equal(own.components.schemas.Transaction.examples[0].refunds.url, '/sandbox/blue/next/refunds')
  t.equal(
    operationOf('listUsers', own).responses[200].content['application/json'].example.url,
    '/sandbox/blue/next/accounts/mch_bistro/users'
  )
  t.notMatch(JSON.stringify(own), /"\/next/)
})

t.test('openapi: rules and assumptions are named in words too', async t => {
  for (const id of IDS) {
    const rules = knownOf(id).rules.filter(rule => !/^(BASE-1|AUTH-[13]|FORM-2)$/.test(rule))
    const lines = [...operationOf(id).description.matchAll(/^- Rule (\S+): (.*)\.$/gm)].map(
      ([, rule, text]) => [rule, text]
    )
    t.strictSame(
      lines,
      rules.map(rule => [rule, RULES[rule].text])
    )
  }
  t.match(operationOf('updateAccount').description, /\n\nAssumptions: (?!A07).*A30, A31, A40\.$/)
})

t.test('openapi: an empty value fits the body of an update where it unsets', async t => {
  const { call } = await startDefault(t)
  const schemaOf = (id: OperationId) =>
    document.components.schemas[id.replace(/^./, first => first.toUpperCase())]
  const updates: [id: OperationId, on: string, values: Json][] = parse(`
    - [updateLocation, POST /locations/loc_bistro, {display_name: '', address: {country: ''}, phone: '', metadata: {a: ''}}]
    - [updateAccount, POST /accounts/mch_bistro, {type: '', name: '', email: '', address: {country: ''}}]
  `)

  for (const [id, on, values] of updates) {
    const sent = Object.fromEntries(new URLSearchParams(form(values)))
    t.strictSame(validator(schemaOf(id))(sent), [], id)
    const answer = await call(on, { key: EXAMPLE_KEY, body: form(values) })
    t.equal(answer.status, 200, answer.text)
    t.strictSame(
      validator(described(id, answer).content['application/json'].schema)(answer.body),
      []
    )
  }
})

t.test('openapi: the same settings and address give the same bytes', async t => {
  const { control } = await startTestEmulator(t)
  for (const path of ['openapi.json', 'openapi.control.json', 'schema/script.json']) {
    const [first, again] = [await control(`GET /${path}`), await control(`GET /${path}`)]
    t.equal(first.text, again.text, path)
    t.match(again.headers['content-type'], /^application\/json/)
  }
  const page = async () => (await control('GET /openapi.json')).text
  const before = await page()
  await control('PATCH /settings', { pagination: { max_limit: 7 } })
  t.not(await page(), before)
  await control('POST /reset')
  t.equal(await page(), before)
})
