/** The published schemas refuse nothing that the loader accepts, and mark what depends on the operation of a call. */
import { readdirSync, readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import t from 'tap'
import { parse } from 'yaml'
import { OPERATION_NAMES } from '../../src/reference/operations.js'
import { publishedSchema } from '../../src/scenario/published-schema.js'
import { documentOf as fuzzedDocument } from '../fuzz/documents.js'
import { Draws } from '../fuzz/draws.js'
import { lookedAt } from '../support/first-state.js'
import type { Json } from '../support/json.js'

const ROOT = new URL('../../', import.meta.url)

const compiled = (kind: 'fixture' | 'scenario') => {
  const ajv = new Ajv2020({ strict: true, allErrors: true })
  addFormats.default(ajv)
  return ajv.compile(publishedSchema(kind))
}
const isScenario = compiled('scenario')
const isFixture = compiled('fixture')

/** The problems that the loader finds in a document. */
const problemsOf = async (data: unknown) => (await lookedAt(data)).problems
/** Where a document is marked by the schema, as `script.0.match`. */
const marksIn = (data: unknown): string[] => {
  isScenario(data)
  return [...new Set((isScenario.errors ?? []).map(({ instancePath }) => instancePath.slice(1).replaceAll('/', '.')))]
}

const WITH_FORMATS = (ajv: Json): Json => {
  addFormats.default(ajv)
  return ajv
}

t.test('the published schemas have an address, and compile in the strict mode of Ajv, by draft 2020-12 and by draft 7', async t => {
  for (const kind of ['fixture', 'scenario'] as const) {
    const { $schema, ...schema } = publishedSchema(kind) as Json
    t.equal($schema, 'https://json-schema.org/draft/2020-12/schema')
    t.match(schema.$id, new RegExp(`^https://[^ ]+/docs/schema/${kind}\\.json$`))
    for (const ajv of [new Ajv2020({ strict: true }), new Ajv({ strict: true })]) t.ok(WITH_FORMATS(ajv).compile(schema), kind)
    t.ok(JSON.stringify(schema).length < 105_000, `${kind}: ${JSON.stringify(schema).length} bytes`)
  }
})

t.test('what is shipped and what the docs show is right by the schema', async t => {
  const texts = [
    ...['fixtures', 'scenarios'].flatMap(folder =>
      readdirSync(new URL(`${folder}/`, ROOT)).map(file => [`${folder}/${file}`, readFileSync(new URL(`${folder}/${file}`, ROOT), 'utf8')])
    ),
    ...[
      'README.md',
      ...readdirSync(new URL('docs/', ROOT))
        .filter(file => file.endsWith('.md'))
        .map(file => `docs/${file}`)
    ].flatMap(file =>
      [...readFileSync(new URL(file, ROOT), 'utf8').matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text], nth) => [`${file}, ${nth + 1}`, text as string])
    )
  ] as [name: string, text: string][]
  let judged = 0
  for (const [name, text] of texts) {
    const data = parse(text)
    const [isRight, problems] = [name.startsWith('fixtures') ? isFixture(data) : isScenario(data) || isFixture(data), await problemsOf(data)]
    if (problems.length > 0) continue
    judged++
    t.ok(isRight, `${name}: ${JSON.stringify(isScenario.errors?.slice(0, 3))}`)
  }
  t.ok(judged > 25, `${judged} documents`)
})

/** An entry of a script that does something for requests of operations. */
const on = (operations: Json, match?: Json): Json => ({ script: [{ on: operations, delay: '1s', ...(match && { match }) }] })
const get = (more: Json): Json => ({ script: [{ on: 'GET /tickets', ...more }] })
const body = (operations: Json, body: Json): Json => on(operations, { body })
const account = (more: Json): Json => ({ data: { accounts: [{ type: 'merchant', name: 'A', email: 'a@example.com', address: { country: 'de' }, ...more }] } })

/** Parts of a scenario, and what becomes of each: it is loaded, marked at places, or refused by the loader where only that can tell. */
const CASES: [data: Json, becomes: 'loaded' | 'refused' | { at: string }][] = [
  [{}, 'loaded'],
  [{ nmae: 'x' }, { at: '' }],
  ...['2026-03-01T10:00:00Z', '2026-03-01', '20260301', '2026-060', '2026-W09-1', '2026W091', '2026-03-01t10:00z', '2026-03-01T10'].map(
    (clock): [Json, 'loaded'] => [{ clock }, 'loaded']
  ),
  [{ clock: '2026-03-01T10:00:00,5+02' }, 'loaded'],
  ...['noon', '2026', '2026-03', '2026-3-1', '2026-03-01 10:00:00Z', ''].map((clock): [Json, Json] => [{ clock }, { at: 'clock' }]),
  [{ clock: '2026-02-30' }, 'refused'],
  [{ clock: { now: '2026-03-01', running: true } }, 'loaded'],
  [{ clock: { running: true } }, { at: 'clock' }],
  ...['250ms', '1.5s', '2m', 'PT1,5S'].map((delay): [Json, 'loaded'] => [get({ delay }), 'loaded']),
  ...['36h', '7d', 'PT36H', 'P1DT2H', 'P1W'].map((delay): [Json, 'refused'] => [get({ delay }), 'refused']),
  ...['2', '2 s', '2S', 'P', 'PT', 's', 'soon', { min: '1s' }].map((delay): [Json, Json] => [get({ delay }), { at: 'script.0.delay' }]),
  [get({ delay: { min: '1s', max: '2s' } }), 'loaded'],
  ...[1, '1', '2-3', '4+', ' 2 - 3 '].map((calls): [Json, 'loaded'] => [get({ delay: '1s', calls }), 'loaded']),
  ...[0, '0', '-1', 'first', '2-', '+', 1.5].map((calls): [Json, Json] => [get({ delay: '1s', calls }), { at: 'script.0.calls' }]),
  ...['GET /ticket', [], ['GET /tickets', '*'], ['GET /tickets', 'GET /ticket']].map((one): [Json, Json] => [on(one), { at: 'script.0.on' }]),
  [on('*'), 'loaded'],
  [on(['GET /tickets', 'GET /refunds'], { query: { limit: 1 } }), 'loaded'],
  [on(['GET /tickets', 'POST /refunds'], { query: { limit: 1 }, body: { amount: 5 } }), 'loaded'],
  [on(['GET /tickets', 'POST /refunds'], { query: { transaction: 'txn_1' } }), { at: 'script.0.match.query.transaction' }],
  [on(['GET /refunds', 'POST /refunds'], { query: { transaction: 'txn_1' } }), 'loaded'],
  [body(['POST /locations', 'POST /accounts'], { amount: 1 }), { at: 'script.0.match.body.amount' }],
  [body(['POST /refunds', 'POST /accounts'], { amount: 1 }), 'loaded'],
  [body(['POST /refunds', 'POST /accounts'], { amonut: 1 }), { at: 'script.0.match.body' }],
  [body(['GET /tickets', 'GET /refunds'], { amount: 1 }), { at: 'script.0.match.body' }],
  [body(['POST /transactions', 'POST /refunds'], { card: { lats4: '4242' } }), { at: 'script.0.match.body.card' }],
  [on('*', { body: { amount: { gte: 5 }, 'metadata[shift]': 'late' }, query: { created: { gte: '2026-01-01' } } }), 'loaded'],
  [body('*', { amonut: 1 }), { at: 'script.0.match.body' }],
  [on('*', { params: { ticket: 'tkt_1' } }), { at: 'script.0.match.params' }],
  [body('POST /refunds', { amount: { gte: 100 }, 'metadata[shift]': 'late', metadata: { k: ['a', '/b/'] }, reason: { present: false } }), 'loaded'],
  [body('POST /refunds', { amonut: 1 }), { at: 'script.0.match.body' }],
  [body('POST /refunds', { amount: { above: 1 } }), { at: 'script.0.match.body.amount' }],
  [on('POST /refunds', { query: { amount: 1 } }), { at: 'script.0.match.query' }],
  [body('GET /refunds', { amount: 1 }), { at: 'script.0.match.body' }],
  [on('GET /refunds/{id}', { params: { id: 'rfd_1' } }), 'loaded'],
  [on('GET /refunds/{id}', { params: { user_id: 'rfd_1' } }), { at: 'script.0.match.params' }],
  [body('POST /transactions', { card: { last4: '4242' } }), 'loaded'],
  [body('POST /transactions', { card: { last4: { not: '4242' } }, bank_account: { present: false } }), 'loaded'],
  [body('POST /transactions', { card: { lats4: '4242' } }), { at: 'script.0.match.body.card' }],
  [on('GET /transactions', { query: { created: { gte: '2026-01-01' } } }), 'loaded'],
  [get({ fault: 'reset' }), { at: 'script.0.fault' }],
  [get({ respond: { status: 402, retry_after: '2s' } }), 'loaded'],
  [{ expect: [{ on: ['POST /locations', 'POST /accounts'], match: { body: { amount: 1 } } }] }, { at: 'expect.0.match.body.amount' }],
  [{ expect: ['4xx', [402, '5XX']].map(status => ({ on: 'POST /refunds', status, at_most: 1 })) }, 'loaded'],
  [{ expect: [{ on: 'POST /refunds', status: '6xx' }] }, { at: 'expect.0.status' }],
  [{ expect: [{ on: 'POST /refunds', match: { body: { amonut: 1 } } }] }, { at: 'expect.0.match.body' }],
  [{ expect: [{ sequence: [{ on: 'GET /refunds', match: { query: { limt: 1 } } }] }] }, { at: 'expect.0.sequence.0.match.query' }],
  [{ expect: [{ state: { refunds: { count: 0 } } }] }, 'loaded'],
  [{ steps: [{ do: 'POST /refunds', body: { amonut: 1 }, expect: { status: 400, body: { error: { code: 'parameter_unknown' } } } }] }, 'loaded'],
  [{ steps: [{ do: 'GET /refunds', body: {} }] }, { at: 'steps.0.body' }],
  [{ steps: [{ do: 'GET /refunds', query: { limit: 1 }, repeat: 2 }] }, { at: 'steps.0' }],
  [{ play: [{ do: 'GET /refunds', repeat: 2 }, { at_once: [{ do: 'GET /refunds' }] }] }, 'loaded'],
  [{ play: [{ at_once: [{ do: 'GET /refunds', body: {} }] }] }, { at: 'play.0.at_once.0.body' }],
  [{ settings: { pagination: { max_limit: 0 } } }, { at: 'settings.pagination.max_limit' }],
  [{ settings: { pagination: { maxlimit: 5 } } }, { at: 'settings.pagination' }],
  [{ settings: { statuses: { created: 201 } } }, 'loaded'],
  [account({ id: 'mch_a', email: 'jürgen@münchen.example', phone: null }), 'loaded'],
  [account({ id: 'mch a' }), { at: 'data.accounts.0.id' }],
  ...Object.entries({ type: 'shop', name: ' ', email: 'a' }).map(([name, is]): [Json, Json] => [account({ [name]: is }), { at: `data.accounts.0.${name}` }]),
  [account({ address: { country: 'Germany' } }), { at: 'data.accounts.0.address.country' }]
]

t.test('the schema marks what the loader refuses, and nothing that it accepts', async t => {
  for (const [data, becomes] of CASES) {
    const found = marksIn(data)
    const shown = `${JSON.stringify(data)}: ${found.join(' ')}`
    if (typeof becomes === 'object') t.ok(found.includes(becomes.at), shown)
    else t.strictSame(found, [], shown)
    t.equal((await problemsOf(data)).length === 0, becomes === 'loaded', shown)
  }
})

t.test('a value of a variable may stand where a word, a number or a length of time belongs', async t => {
  const data = {
    seed: '${vars.seed}',
    clock: '${vars.now}',
    script: [{ on: '${vars.on}', calls: '${ vars.calls }', delay: '${vars.delay}', respond: { status: '${vars.status}' } }],
    data: { transactions: [{ ticket: 'tkt_a', payment_type: '${vars.type}', amount: '${vars.amount}' }] },
    expect: [{ on: 'POST /refunds', times: '${vars.times}', took_effect: '${vars.effect}' }]
  }
  t.strictSame(marksIn(data), [])
  t.strictSame(marksIn({ script: [{ on: ['${vars.on}', 'GET /tickets'], delay: '1s', match: { body: { amount: 1 } } }] }), [])
  t.strictSame(marksIn({ seed: '${payment.id}' }), ['seed'])
})

t.test('for every operation an editor knows the names that a call of it can be matched by, can send, and is answered', async t => {
  const { $defs } = publishedSchema('scenario') as Json
  const partOf = (part: Json): Json => (part?.$ref === undefined ? part : $defs[part.$ref.slice('#/$defs/'.length)])
  const matched = new Map(
    $defs.matchByOperation.allOf.flatMap(({ if: condition, then }: Json) =>
      condition.properties.on.const === undefined ? [] : [[condition.properties.on.const, then.properties.match.properties]]
    )
  )
  const called = (call: string) => $defs.callByOperation.allOf.filter((one: Json) => new RegExp(one.if.properties.do.pattern, 'u').test(call))

  t.strictSame([...matched.keys()], OPERATION_NAMES)
  for (const name of OPERATION_NAMES) t.equal(called(name.replace(/\{.*?\}/g, '${a.id}')).length, 1, name)
  const { params, query, body } = matched.get('POST /refunds') as Json
  t.strictSame([params, query, Object.keys(partOf(body).properties)], [false, false, ['transaction', 'amount', 'reason', 'metadata']])
  t.equal(partOf((matched.get('POST /refunds/{id}') as Json).body).properties.amount.deprecated, true, 'what an update cannot change is struck out')
  const [{ then: refund }] = called(' POST  /refunds/ ')
  t.ok('reason' in partOf(refund.properties.body).properties)
  t.ok(['amount', 'error'].every(name => name in partOf(refund.properties.expect.properties.body).then.properties))
  const [{ then: payment }] = called('POST /transactions')
  t.ok(partOf(payment.properties.body).properties.payment_type.examples.includes('vip'))
  for (const [name, part] of Object.entries<Json>($defs))
    if (['instant', 'duration', 'calls', 'status'].includes(name))
      t.ok(
        part.examples.every((one: Json) => new Ajv2020().compile({ $defs, ...part })(one)),
        name
      )
})

t.test('a document that the schema refuses is refused by the loader, whatever it is', async t => {
  const seen = { right: 0, refused: 0 }
  for (let nth = 0; nth < 400; nth++) {
    const { on, type, body } = fuzzedDocument(new Draws(14, nth))
    if (on !== 'POST /_control/load' || type !== 'application/json' || body.length > 20_000) continue
    let data: Json
    try {
      data = JSON.parse(body.toString()).scenario
    } catch {
      continue
    }
    if (isScenario(data) || isFixture(data)) seen.right++
    else {
      seen.refused++
      const problems = await problemsOf(data)
      t.ok(problems.length > 0, `${nth}: ${JSON.stringify(isScenario.errors?.slice(0, 2))}`)
    }
  }
  t.ok(seen.right > 5 && seen.refused > 20, JSON.stringify(seen))
})
