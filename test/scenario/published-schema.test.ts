/**
 * The published schemas accept everything that the loader accepts, and mark what depends on the
 * operation.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import t from 'tap'
import { parse } from 'yaml'
import { publishedSchema } from '../../scripts/docs/published-schema.js'
import { OPERATION_NAMES } from '../../src/reference/operations.js'
import { documentOf as fuzzedDocument } from '../fuzz/documents.js'
import { Draws } from '../fuzz/draws.js'
import { lookedAt } from '../support/first-state.js'
import type { Json } from '../support/json.js'

const ROOT = new URL('../../', import.meta.url)

const withFormats = <A extends Ajv | Ajv2020>(ajv: A): A => {
  addFormats.default(ajv as Ajv)
  return ajv
}
const SCHEMAS: Record<string, Json> = {
  fixture: publishedSchema('fixture'),
  scenario: publishedSchema('scenario')
}
const compiled = (kind: string) =>
  withFormats(new Ajv2020({ strict: true, allErrors: true, code: { optimize: false } })).compile(
    SCHEMAS[kind]
  )
const [isFixture, isScenario] = [compiled('fixture'), compiled('scenario')]

/** The loader's problems of a document. */
const problemsOf = async (data: unknown) => (await lookedAt(data)).problems
/** Where the schema marks a document, as `script.0.match`. */
const marksIn = (data: unknown): string[] => {
  isScenario(data)
  return [
    ...new Set(
      (isScenario.errors ?? []).map(({ instancePath }) =>
        instancePath.slice(1).replaceAll('/', '.')
      )
    )
  ]
}

t.test('the published schemas have an address and compile in the strict mode of Ajv', async t => {
  for (const [kind, { $schema, ...schema }] of Object.entries(SCHEMAS)) {
    t.equal($schema, 'https://json-schema.org/draft/2020-12/schema')
    t.match(schema.$id, new RegExp(`^https://[^ ]+/docs/schema/${kind}\\.json$`))
    t.ok(withFormats(new Ajv({ strict: true, code: { optimize: false } })).compile(schema), kind)
    t.ok(JSON.stringify(schema).length < 120_000, `${kind}: ${JSON.stringify(schema).length} bytes`)
  }
})

t.test('all shipped files and examples of the docs are valid by the schema', async t => {
  const read = (file: string) => readFileSync(new URL(file, ROOT), 'utf8')
  const filesIn = (folder: string) =>
    readdirSync(new URL(`${folder}/`, ROOT)).map(file => `${folder}/${file}`)
  const pages = ['README.md', ...filesIn('docs').filter(file => file.endsWith('.md'))]
  const texts = [
    ...['fixtures', 'scenarios'].flatMap(filesIn).map(file => [file, read(file)] as const),
    ...pages.flatMap(file =>
      [...read(file).matchAll(/^```yaml\n(.*?)^```$/gms)].map(
        ([, text = ''], nth) => [`${file}, ${nth + 1}`, text] as const
      )
    )
  ]
  let judged = 0
  for (const [name, text] of texts) {
    const data = parse(text)
    const isRight = isFixture(data) || (!name.startsWith('fixtures') && isScenario(data))
    if (isRight) judged++
    else
      t.ok(
        (await problemsOf(data)).length > 0,
        `${name} can be loaded: ${JSON.stringify(isScenario.errors?.slice(0, 3))}`
      )
  }
  t.ok(judged > 25, `${judged} documents`)
})

/**
 * Parts of a scenario, by place: they load, are marked at places, or are refused by the loader
 * alone.
 */
const CASES: Record<string, Json> = parse(`
  document:
    loaded: [{}, { clock: { now: 2026-03-01, running: true } }, { settings: { statuses: { created: 201 } } },
      { expect: [{ on: POST /refunds, status: 4xx, times: 0-1 }, { on: POST /refunds, status: [402, 5XX] }] }, { expect: [{ state: { refunds: { count: 0 } } }] },
      { steps: [{ do: POST /refunds, body: { amonut: 1 }, expect: { status: 400, body: { error: { code: parameter_unknown } } } }] },
      { play: [{ do: GET /refunds, repeat: 2 }, { at_once: [{ do: GET /refunds }] }] }]
    refused: [{ clock: 2026-02-30 }]
    '': [{ nmae: x }]
    clock: [{ clock: { running: true } }]
    expect.0.match.body.amount: [{ expect: [{ on: [POST /locations, POST /accounts], match: { body: { amount: 1 } } }] }]
    expect.0.status: [{ expect: [{ on: POST /refunds, status: 6xx }] }]
    expect.0.match.body: [{ expect: [{ on: POST /refunds, match: { body: { amonut: 1 } } }] }]
    expect.0.sequence.0.match.query: [{ expect: [{ sequence: [{ on: GET /refunds, match: { query: { limt: 1 } } }] }] }]
    steps.0.body: [{ steps: [{ do: GET /refunds, body: {} }] }]
    steps.0: [{ steps: [{ do: GET /refunds, query: { limit: 1 }, repeat: 2 }] }]
    play.0.at_once.0.body: [{ play: [{ at_once: [{ do: GET /refunds, body: {} }] }] }]
    settings.pagination.max_limit: [{ settings: { pagination: { max_limit: 0 } } }]
    settings.pagination: [{ settings: { pagination: { maxlimit: 5 } } }]
  clock:
    loaded: ['2026-03-01T10:00:00Z', 2026-03-01, '20260301', 2026-060, 2026-W09-1, 2026W091, '2026-03-01t10:00z', 2026-03-01T10, '2026-03-01T10:00:00,5+02']
    clock: [noon, '2026', 2026-03, 2026-3-1, '2026-03-01 10:00:00Z', '']
  delay:
    loaded: [250ms, 1.5s, 2m, 'PT1,5S', { min: 1s, max: 2s }]
    refused: [36h, 7d, PT36H, P1DT2H, P1W]
    script.0.delay: ['2', 2 s, 2S, P, PT, s, soon, { mean: 1s }, { min: 1s }, { from: 1s }]
  calls:
    loaded: [0, '0', 1, '1', 2-3, 4+, ' 2 - 3 ', every 7]
    script.0.calls: ['-1', every, every 0, every 2+, first, 2-, +, 1.5]
  script:
    loaded: [{ on: '*' }, { on: [GET /tickets, '*'] }, { on: '* /refunds', match: { headers: { via: a }, key: a } }, { on: [GET /tickets, GET /refunds], match: { query: { limit: 1 } } }, { on: GET /tickets, respond: { status: 402, retry_after: 2s } },
      { on: [GET /tickets, POST /refunds], match: { query: { limit: 1 }, body: { amount: 5 } } },
      { on: [GET /refunds, POST /refunds], match: { query: { transaction: txn_1 } } }, { on: [POST /refunds, POST /accounts], match: { body: { amount: 1 } } },
      { on: '*', match: { body: { amount: { gte: 5 }, 'metadata[shift]': late }, query: { created: { gte: 2026-01-01 } } } },
      { on: POST /refunds, match: { body: { amount: { gte: 100 }, 'metadata[shift]': late, metadata: { k: [a, /b/] }, reason: { present: false } } } },
      { on: 'GET /refunds/{id}', match: { params: { id: rfd_1 } } }, { on: POST /transactions, match: { body: { card: { last4: '4242' } } } },
      { on: POST /transactions, match: { body: { card: { last4: { not: '4242' } }, bank_account: { present: false } } } },
      { on: GET /transactions, match: { query: { created: { gte: 2026-01-01 } } } }]
    refused: [{ on: '* /refund' }]
    script.0.match: [{ on: POST /refunds, match: { any: [] } }]
    script.0.on: [{ on: GET /ticket }, { on: [] }, { on: [GET /tickets, GET /ticket] }]
    script.0.match.query.transaction: [{ on: [GET /tickets, POST /refunds], match: { query: { transaction: txn_1 } } }]
    script.0.match.body.amount: [{ on: [POST /locations, POST /accounts], match: { body: { amount: 1 } } },
      { on: POST /refunds, match: { body: { amount: { above: 1 } } } }]
    script.0.match.body: [{ on: [POST /refunds, POST /accounts], match: { body: { amonut: 1 } } }, { on: '*', match: { body: { amonut: 1 } } },
      { on: [GET /tickets, GET /refunds], match: { body: { amount: 1 } } }, { on: POST /refunds, match: { body: { amonut: 1 } } },
      { on: GET /refunds, match: { body: { amount: 1 } } }]
    script.0.match.body.card: [{ on: [POST /transactions, POST /refunds], match: { body: { card: { lats4: '4242' } } } },
      { on: POST /transactions, match: { body: { card: { lats4: '4242' } } } }]
    script.0.match.params: [{ on: '*', match: { params: { ticket: tkt_1 } } }, { on: 'GET /refunds/{id}', match: { params: { user_id: rfd_1 } } }]
    script.0.match.query: [{ on: POST /refunds, match: { query: { amount: 1 } } }]
    script.0.fault: [{ on: GET /tickets, fault: reset }]
  account:
    loaded: [{ id: mch_a, email: jürgen@münchen.example, phone: null }]
    data.accounts.0.id: [{ id: mch a }]
    data.accounts.0.type: [{ type: shop }]
    data.accounts.0.name: [{ name: ' ' }]
    data.accounts.0.email: [{ email: a }]
    data.accounts.0.address.country: [{ address: { country: Germany } }]
`)
const PLACED: Record<string, (part: Json) => Json> = {
  document: document => document,
  clock: clock => ({ clock }),
  delay: delay => ({ script: [{ on: 'GET /tickets', delay }] }),
  calls: calls => ({ script: [{ on: 'GET /tickets', delay: '1s', calls }] }),
  script: entry => ({
    script: [
      { ...(entry.respond === undefined && entry.fault === undefined && { delay: '1s' }), ...entry }
    ]
  }),
  account: more => ({
    data: {
      accounts: [
        { type: 'merchant', name: 'A', email: 'a@example.com', address: { country: 'de' }, ...more }
      ]
    }
  })
}

t.test('the schema marks what the loader refuses, and nothing that it accepts', async t => {
  for (const [table, cases] of Object.entries(CASES)) {
    for (const [becomes, parts] of Object.entries<Json[]>(cases)) {
      for (const data of parts.map(PLACED[table] as (part: Json) => Json)) {
        const found = marksIn(data)
        const shown = `${JSON.stringify(data)}: ${found.join(' ')}`
        if (becomes === 'loaded' || becomes === 'refused') t.strictSame(found, [], shown)
        else t.ok(found.includes(becomes), shown)
        t.equal((await problemsOf(data)).length === 0, becomes === 'loaded', shown)
      }
    }
  }
})

t.test('a variable may replace a fixed word', async t => {
  // biome-ignore format: a table
  const data = {
    seed: '${vars.seed}', clock: '${vars.now}',
    script: [{ on: '${vars.on}', calls: '${ vars.calls }', delay: '${vars.delay}', respond: { status: '${vars.status}' } }],
    data: { transactions: [{ ticket: 'tkt_a', payment_type: '${vars.type}', amount: '${vars.amount}' }] },
    expect: [{ on: 'POST /refunds', times: '${vars.times}', took_effect: '${vars.effect}' }]
  }
  t.strictSame(marksIn(data), [])
  t.strictSame(
    marksIn({
      script: [{ on: ['${vars.on}', 'GET /tickets'], delay: '1s', match: { body: { amount: 1 } } }]
    }),
    []
  )
  t.strictSame(marksIn({ seed: '${payment.id}' }), ['seed'])
})

t.test('an editor knows the match, parameters and response of each operation', async t => {
  const { $defs } = SCHEMAS.scenario
  const partOf = (part: Json): Json =>
    part?.$ref === undefined ? part : $defs[part.$ref.slice('#/$defs/'.length)]
  const matched = new Map(
    $defs.matchByOperation.allOf.flatMap(({ if: condition, then }: Json) =>
      condition.properties.on.const === undefined
        ? []
        : [[condition.properties.on.const, then.properties.match.properties]]
    )
  )
  const called = (call: string) =>
    $defs.callByOperation.allOf.filter((one: Json) =>
      new RegExp(one.if.properties.do.pattern, 'u').test(call)
    )

  t.strictSame([...matched.keys()], OPERATION_NAMES)
  for (const name of OPERATION_NAMES)
    t.equal(called(name.replace(/\{.*?\}/g, '${a.id}')).length, 1, name)
  const { params, query, body } = matched.get('POST /refunds') as Json
  t.strictSame(
    [params, query, Object.keys(partOf(body).properties)],
    [false, false, ['transaction', 'amount', 'reason', 'metadata']]
  )
  t.equal(
    partOf((matched.get('POST /refunds/{id}') as Json).body).properties.amount.deprecated,
    true,
    'what an update cannot change is struck out'
  )
  const [{ then: refund }] = called(' POST  /refunds/ ')
  t.ok('reason' in partOf(refund.properties.body).properties)
  t.ok(
    ['amount', 'error'].every(
      name => name in partOf(refund.properties.expect.properties.body).then.properties
    )
  )
  const [{ then: payment }] = called('POST /transactions')
  t.ok(partOf(payment.properties.body).properties.payment_type.examples.includes('vip'))
  for (const name of ['instant', 'duration', 'calls', 'status'].filter(
    name => $defs[name] !== undefined
  )) {
    const isRight = new Ajv2020().compile({ $defs, ...$defs[name] })
    for (const one of $defs[name].examples) t.ok(isRight(one), name)
  }
})

t.test('a document that the schema refuses is refused by the loader, whatever it is', async t => {
  const seen = { right: 0, refused: 0 }
  for (let nth = 0; nth < 400; nth++) {
    const { on, type, body } = fuzzedDocument(new Draws(14, nth))
    if (on !== 'POST /_control/load' || type !== 'application/json' || body.length > 20_000)
      continue
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
