/** The published schemas refuse nothing that the loader accepts, and mark what depends on the operation of a call. */
import { readdirSync, readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import t from 'tap'
import { parse } from 'yaml'
import { Clock } from '../../src/core/clock.js'
import { ApiError } from '../../src/core/errors.js'
import { OPERATION_NAMES } from '../../src/reference/operations.js'
import { documentOf } from '../../src/scenario/documents.js'
import { Library } from '../../src/scenario/library.js'
import { publishedSchema } from '../../src/scenario/published-schema.js'
import { firstStateOf } from '../../src/scenario/scenario.js'
import { documentOf as fuzzedDocument } from '../fuzz/documents.js'
import { Draws } from '../fuzz/draws.js'
import type { Json } from '../support/json.js'

const ROOT = new URL('../../', import.meta.url)
const LIBRARY = new Library({ fixtures: null, scenarios: null })

const compiled = (kind: 'fixture' | 'scenario') => {
  const ajv = new Ajv2020({ strict: true, allErrors: true })
  addFormats.default(ajv)
  return ajv.compile(publishedSchema(kind))
}
const isScenario = compiled('scenario')
const isFixture = compiled('fixture')

/** The problems that the loader finds in a document. */
async function problemsOf(data: unknown): Promise<string[]> {
  try {
    const launch = { flag: {}, environment: {} }
    await firstStateOf(documentOf('doc', data), { name: 'doc', file: null }, { library: LIBRARY, launch, clockFor: start => new Clock(() => 0, start) })
    return []
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return (error.problems ?? []).map(({ path }) => path)
  }
}
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

/** Parts of a scenario, and where they are marked: nowhere where the loader accepts them, or where only the loader can tell. */
const CASES: [data: Json, marks: string[], isLoaded: boolean][] = [
  [{}, [], true],
  [{ nmae: 'x' }, [''], false],
  [{ clock: '2026-03-01T10:00:00Z' }, [], true],
  ...['2026-03-01', '20260301', '2026-060', '2026-W09-1', '2026W091', '2026-03-01t10:00z', '2026-03-01T10', '2026-03-01T10:00:00,5+02'].map(
    (clock): [Json, string[], boolean] => [{ clock }, [], true]
  ),
  ...['noon', '2026', '2026-03', '2026-3-1', '2026-03-01 10:00:00Z', ''].map((clock): [Json, string[], boolean] => [{ clock }, ['clock'], false]),
  [{ clock: '2026-02-30' }, [], false],
  [{ clock: { now: '2026-03-01', running: true } }, [], true],
  [{ clock: { running: true } }, ['clock'], false],
  ...['250ms', '1.5s', '2m', '36h', '7d', 'PT36H', 'P1DT2H', 'P1W', 'PT1,5S'].map((delay): [Json, string[], boolean] => [
    { script: [{ on: 'GET /tickets', delay }] },
    [],
    !['36h', '7d', 'PT36H', 'P1DT2H', 'P1W'].includes(delay)
  ]),
  ...['2', '2 s', '2S', 'P', 'PT', 's', 'soon'].map((delay): [Json, string[], boolean] => [
    { script: [{ on: 'GET /tickets', delay }] },
    ['script.0.delay'],
    false
  ]),
  [{ script: [{ on: 'GET /tickets', delay: { min: '1s', max: '2s' } }] }, [], true],
  [{ script: [{ on: 'GET /tickets', delay: { min: '1s' } }] }, ['script.0.delay'], false],
  ...[1, '1', '2-3', '4+', ' 2 - 3 '].map((calls): [Json, string[], boolean] => [{ script: [{ on: 'GET /tickets', delay: '1s', calls }] }, [], true]),
  ...[0, '0', '-1', 'first', '2-', '+', 1.5].map((calls): [Json, string[], boolean] => [
    { script: [{ on: 'GET /tickets', delay: '1s', calls }] },
    ['script.0.calls'],
    false
  ]),
  [{ script: [{ on: 'GET /ticket', delay: '1s' }] }, ['script.0.on'], false],
  [{ script: [{ on: '*', delay: '1s' }] }, [], true],
  [{ script: [{ on: ['GET /tickets', 'GET /refunds'], delay: '1s', match: { query: { limit: 1 } } }] }, [], true],
  [{ script: [{ on: [], delay: '1s' }] }, ['script.0.on'], false],
  [{ script: [{ on: ['GET /tickets', '*'], delay: '1s' }] }, ['script.0.on'], false],
  [{ script: [{ on: ['GET /tickets', 'GET /ticket'], delay: '1s' }] }, ['script.0.on'], false],
  [{ script: [{ on: ['GET /tickets', 'POST /refunds'], delay: '1s', match: { query: { limit: 1 }, body: { amount: 5 } } }] }, [], true],
  [
    { script: [{ on: ['GET /tickets', 'POST /refunds'], delay: '1s', match: { query: { transaction: 'txn_1' } } }] },
    ['script.0.match.query.transaction'],
    false
  ],
  [{ script: [{ on: ['GET /refunds', 'POST /refunds'], delay: '1s', match: { query: { transaction: 'txn_1' } } }] }, [], true],
  [{ script: [{ on: ['POST /locations', 'POST /accounts'], delay: '1s', match: { body: { amount: 1 } } }] }, ['script.0.match.body.amount'], false],
  [{ script: [{ on: ['POST /refunds', 'POST /accounts'], delay: '1s', match: { body: { amount: 1 } } }] }, [], true],
  [{ script: [{ on: ['POST /refunds', 'POST /accounts'], delay: '1s', match: { body: { amonut: 1 } } }] }, ['script.0.match.body'], false],
  [{ script: [{ on: ['GET /tickets', 'GET /refunds'], delay: '1s', match: { body: { amount: 1 } } }] }, ['script.0.match.body'], false],
  [
    { script: [{ on: ['POST /transactions', 'POST /refunds'], delay: '1s', match: { body: { card: { lats4: '4242' } } } }] },
    ['script.0.match.body.card'],
    false
  ],
  [
    { script: [{ on: '*', delay: '1s', match: { body: { amount: { gte: 5 }, 'metadata[shift]': 'late' }, query: { created: { gte: '2026-01-01' } } } }] },
    [],
    true
  ],
  [{ script: [{ on: '*', delay: '1s', match: { body: { amonut: 1 } } }] }, ['script.0.match.body'], false],
  [{ script: [{ on: '*', delay: '1s', match: { params: { ticket: 'tkt_1' } } }] }, ['script.0.match.params'], false],
  [{ expect: [{ on: ['POST /locations', 'POST /accounts'], match: { body: { amount: 1 } } }] }, ['expect.0.match.body.amount'], false],
  [
    {
      script: [
        {
          on: 'POST /refunds',
          delay: '1s',
          match: { body: { amount: { gte: 100 }, 'metadata[shift]': 'late', metadata: { k: ['a', '/b/'] }, reason: { present: false } } }
        }
      ]
    },
    [],
    true
  ],
  [{ script: [{ on: 'POST /refunds', delay: '1s', match: { body: { amonut: 1 } } }] }, ['script.0.match.body'], false],
  [{ script: [{ on: 'POST /refunds', delay: '1s', match: { body: { amount: { above: 1 } } } }] }, ['script.0.match.body.amount'], false],
  [{ script: [{ on: 'POST /refunds', delay: '1s', match: { query: { amount: 1 } } }] }, ['script.0.match.query'], false],
  [{ script: [{ on: 'GET /refunds', delay: '1s', match: { body: { amount: 1 } } }] }, ['script.0.match.body'], false],
  [{ script: [{ on: 'GET /refunds/{id}', delay: '1s', match: { params: { id: 'rfd_1' } } }] }, [], true],
  [{ script: [{ on: 'GET /refunds/{id}', delay: '1s', match: { params: { user_id: 'rfd_1' } } }] }, ['script.0.match.params'], false],
  [{ script: [{ on: 'POST /transactions', delay: '1s', match: { body: { card: { last4: '4242' } } } }] }, [], true],
  [{ script: [{ on: 'POST /transactions', delay: '1s', match: { body: { card: { last4: { not: '4242' } }, bank_account: { present: false } } } }] }, [], true],
  [{ script: [{ on: 'POST /transactions', delay: '1s', match: { body: { card: { lats4: '4242' } } } }] }, ['script.0.match.body.card'], false],
  [{ script: [{ on: 'GET /transactions', delay: '1s', match: { query: { created: { gte: '2026-01-01' } } } }] }, [], true],
  [{ script: [{ on: 'POST /refunds', fault: 'reset' }] }, ['script.0.fault'], false],
  [{ script: [{ on: 'POST /refunds', respond: { status: 402, retry_after: '2s' } }] }, [], true],
  [
    {
      expect: [
        { on: 'POST /refunds', status: '4xx', times: 0 },
        { on: 'POST /refunds', status: [402, '5XX'], at_most: 1 }
      ]
    },
    [],
    true
  ],
  [{ expect: [{ on: 'POST /refunds', status: '6xx' }] }, ['expect.0.status'], false],
  [{ expect: [{ on: 'POST /refunds', match: { body: { amonut: 1 } } }] }, ['expect.0.match.body'], false],
  [{ expect: [{ sequence: [{ on: 'GET /refunds', match: { query: { limt: 1 } } }] }] }, ['expect.0.sequence.0.match.query'], false],
  [{ expect: [{ state: { refunds: { count: 0 } } }] }, [], true],
  [{ steps: [{ do: 'POST /refunds', body: { amonut: 1 }, expect: { status: 400, body: { error: { code: 'parameter_unknown' } } } }] }, [], true],
  [{ steps: [{ do: 'GET /refunds', body: {} }] }, ['steps.0.body'], false],
  [{ steps: [{ do: 'GET /refunds', query: { limit: 1 }, repeat: 2 }] }, ['steps.0'], false],
  [{ play: [{ do: 'GET /refunds', repeat: 2 }, { at_once: [{ do: 'GET /refunds' }] }] }, [], true],
  [{ play: [{ at_once: [{ do: 'GET /refunds', body: {} }] }] }, ['play.0.at_once.0.body'], false],
  [{ settings: { pagination: { max_limit: 0 } } }, ['settings.pagination.max_limit'], false],
  [{ settings: { pagination: { maxlimit: 5 } } }, ['settings.pagination'], false],
  [{ settings: { statuses: { created: 201 } } }, [], true],
  [{ data: { accounts: [{ id: 'mch_a', type: 'merchant', name: 'A', email: 'jürgen@münchen.example', address: { country: 'de' }, phone: null }] } }, [], true],
  [{ data: { accounts: [{ id: 'mch a', type: 'merchant', name: 'A', email: 'a@example.com', address: { country: 'de' } }] } }, ['data.accounts.0.id'], false],
  [
    { data: { accounts: [{ type: 'shop', name: ' ', email: 'a', address: { country: 'Germany' } }] } },
    ['data.accounts.0.type', 'data.accounts.0.name', 'data.accounts.0.email', 'data.accounts.0.address.country'],
    false
  ]
]

t.test('the schema marks what the loader refuses, and nothing that it accepts', async t => {
  for (const [data, marks, isLoaded] of CASES) {
    const shown = JSON.stringify(data)
    const found = marksIn(data)
    t.strictSame(found.length === 0, marks.length === 0, `${shown}: ${found.join(' ')}`)
    for (const mark of marks) t.ok(found.includes(mark), `${shown}: ${mark} among ${found.join(' ')}`)
    t.equal((await problemsOf(data)).length === 0, isLoaded, shown)
    t.notOk(isLoaded && marks.length > 0)
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
