/**
 * A request generated from the published schemas is never refused as malformed, only for what no
 * schema can state.
 */
import { ok } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { openApiDocument } from '../../src/control/openapi/api.js'
import { settingsInForce } from '../../src/core/settings.js'
import { NOW, startTestEmulator } from '../support/emulator.js'
import type { Json } from '../support/json.js'
import { property } from '../support/property.js'

const REFUSED = [
  'form_malformed',
  'parameter_unknown',
  'parameter_invalid',
  'parameter_missing',
  'form_too_large'
]
/**
 * What no schema says: that there is one cursor at most, what a payment type requires, and that a
 * sum is at most 2^53-1.
 */
const EXCEPTIONS: readonly ((error: Json, sent: URLSearchParams) => boolean)[] = [
  ({ param }, sent) =>
    ['starting_after', 'ending_before'].includes(param) &&
    sent.has('starting_after') &&
    sent.has('ending_before'),
  ({ param }) => ['customer[phone]', 'customer[email]'].includes(param),
  ({ message }) => message.includes('above 2^53-1')
]
const FORM = 'application/x-www-form-urlencoded'
const KEY = 'sk_test_merchant'
const RUNS = 150

const document: Json = openApiDocument({
  origin: '',
  base: '/next',
  version: '0.0.0',
  settings: settingsInForce({}).values
})
/** Usually existing ids, so that most requests succeed; ids in paths by family. */
const IDS: Readonly<Record<string, readonly string[]>> = {
  ticket: ['tkt_60'],
  transaction: ['txn_1'],
  locations: ['loc_bistro'],
  accounts: ['mch_bistro'],
  tickets: ['tkt_12'],
  transactions: ['txn_1'],
  refunds: ['rfd_1'],
  starting_after: ['', 'none'],
  ending_before: ['']
}
/** Values of the formats, whose patterns are rough; where one is optional it may be empty. */
const FORMATTED: readonly string[] = [
  ...['', 'ana@example.com', "o'neil@x-y.museum", 'US', 'de', 'usd', 'eur', '4242'],
  ...['2026-02-01', '2024-02-29T18:00', '2026-02-01t18:00:00.123z', '2026-02-01T18:00:00+02:00']
]

function valuesOf(schema: Json, schemas: Json): fc.Arbitrary<unknown> {
  const {
    $ref,
    type,
    anyOf,
    enum: words,
    pattern,
    minimum,
    maximum,
    minLength = 0,
    maxLength
  } = schema
  if ($ref) return valuesOf(schemas[$ref.split('/').pop()], schemas)
  if (anyOf) return fc.oneof(...anyOf.map((one: Json) => valuesOf(one, schemas)))
  if (words) return fc.constantFrom(...words)
  if (type === 'integer')
    return fc.oneof(
      fc.constantFrom(minimum, maximum),
      fc.integer({ min: minimum, max: Math.min(maximum, 10_000) })
    )
  if (type === 'number') return fc.double({ noNaN: true, noDefaultInfinity: true })
  if (type === 'object') return objectOf(schema, schemas)
  const matches = new RegExp(pattern, 'u')
  if (pattern?.endsWith('$') && !pattern.includes('\\['))
    return fc.constantFrom(...FORMATTED.filter(text => matches.test(text)))
  const texts =
    pattern === undefined ? fc.string({ unit: 'grapheme', minLength }) : fc.stringMatching(matches)
  return texts.filter(
    text => text.length >= minLength && (maxLength === undefined || text.length <= maxLength)
  )
}

function objectOf(schema: Json, schemas: Json): fc.Arbitrary<Json> {
  const { properties = {}, required = [], additionalProperties, propertyNames } = schema
  const entries = Object.entries<Json>(properties).map(
    ([name, part]): [string, fc.Arbitrary<unknown>] => [
      name,
      IDS[name] ? fc.constantFrom(...IDS[name]) : valuesOf(part, schemas)
    ]
  )
  const named = fc.record(Object.fromEntries(entries), { requiredKeys: required })
  const names = (valuesOf(propertyNames ?? {}, schemas) as fc.Arbitrary<string>).filter(
    name => !(name in properties)
  )
  const others = fc.dictionary(names, fc.string({ unit: 'grapheme' }), {
    maxKeys: additionalProperties ? 3 : 0
  })
  return fc.tuple(others, named).map(parts => Object.assign({}, ...parts))
}

const formOf = (values: Json): [string, string][] =>
  Object.entries(values).map(([name, value]) => [name, String(value)])

function callsOf(of: Json): fc.Arbitrary<{ on: string; path: string; form: URLSearchParams }> {
  const operations = Object.entries<Json>(of.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).flatMap(([method, { parameters = [], requestBody }]) => {
      const query = parameters.filter((parameter: Json) => parameter.in === 'query')
      const properties = Object.fromEntries(query.map(({ name, schema }: Json) => [name, schema]))
      const schema = requestBody?.content[FORM].schema ?? { type: 'object', properties }
      const [, family] = path.split('/') as [string, string]
      const place = path
        .replace('{account_id}', 'mch_bistro')
        .replace('{id}', IDS[family]?.[0] as string)
      return query.length === 0 && !requestBody
        ? []
        : [
            {
              on: `${method.toUpperCase()} ${path}`,
              place,
              values: valuesOf(schema, of.components.schemas)
            }
          ]
    })
  )
  const calls = operations.map(({ on, place, values }) =>
    values.map(value => ({ on, path: place, form: new URLSearchParams(formOf(value as Json)) }))
  )
  return fc.oneof(...calls)
}

const { call, control } = await startTestEmulator(t, {
  scenario: { clock: NOW, fixtures: ['bistro'] },
  settings: { 'limits.parameters': 5000 }
})

const answered = new Map<string, Set<string>>()
await property(
  t,
  'openapi: no request made from the schemas is refused as malformed',
  { of: callsOf(document), runs: RUNS },
  async ({ on, path, form }) => {
    const [method] = on.split(' ') as [string]
    const sent = form.toString()
    const { status, body } = await call(`${method} ${path}`, {
      key: KEY,
      ...(method === 'POST' ? { body: sent } : { query: sent })
    })
    const code = body.error?.code ?? String(status)
    answered.set(on, (answered.get(on) ?? new Set()).add(code))
    ok(
      !REFUSED.includes(code) || EXCEPTIONS.some(isExcepted => isExcepted(body.error, form)),
      `${on} ${sent} ${JSON.stringify(body.error)}`
    )
    if (status < 300 && method === 'POST') await control('POST /reset')
  }
)

t.test('openapi: each operation with parameters is called, and succeeds', async t => {
  t.equal(answered.size, 14)
  for (const [on, codes] of answered) t.ok(codes.has('200'), `${on} ${[...codes]}`)
})
