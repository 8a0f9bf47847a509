/** The check compared with Ajv: the same schemas, documents with a change or two. */
import { equal } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import t from 'tap'
import { parse } from 'yaml'
import { checkerOf, type Rule, type Schema, WORDS } from '../../src/core/checking.js'
import { FORMATS } from '../../src/core/formats.js'
import { nested, settingsInForce, settingsSchema } from '../../src/core/settings.js'
import type { TemplateRule } from '../../src/core/templates.js'
import { SCRIPT_ENTRY } from '../../src/scenario/shape/entry.js'
import { fixtureSchema } from '../../src/scenario/shape/parts.js'
import { scenarioSchema } from '../../src/scenario/shape/scenario.js'
import { property } from '../support/property.js'

const shipped = (path: string) =>
  parse(readFileSync(new URL(`../../${path}.yaml`, import.meta.url), 'utf8'))
const bistro = shipped('fixtures/bistro')
const fixture = Object.fromEntries(
  Object.entries<unknown[]>(bistro).map(([family, records]) => [family, records.slice(0, 3)])
)
const scenario = {
  ...shipped('scenarios/test-cards'),
  ...shipped('scenarios/partial-refunds'),
  seed: 3,
  settings: { pagination: { max_limit: 5 } },
  data: fixture
}
const entry = {
  on: 'POST /transactions',
  match: { body: { amount: 100, card: { last4: ['4242', '/^1/'] } } },
  delay: { min: '1s', max: '2s' },
  when: 'before'
}

const CASES: Record<string, { schema: object; document: object }> = {
  fixture: { schema: fixtureSchema(), document: fixture },
  scenario: { schema: scenarioSchema(), document: scenario },
  entry: { schema: SCRIPT_ENTRY, document: entry },
  settings: { schema: settingsSchema(() => true), document: nested(settingsInForce({}).values) }
}

const value = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    '',
    ' ',
    'x',
    'a:b',
    'US',
    'us',
    'usd',
    'card',
    '2026-02-30',
    '2026-03-01T00:00:00Z',
    'a@b.example',
    '4242'
  ),
  fc.constantFrom<unknown>(
    0,
    -1,
    1.5,
    2 ** 53,
    250,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    [],
    [null],
    ['x'],
    {},
    { now: '2026-01-01' },
    { min: 'x' },
    undefined
  ),
  fc.jsonValue({ maxDepth: 2 })
)
const name = fc.constantFrom(
  'id',
  'created',
  'extra',
  'amount',
  '__proto__',
  'toString',
  'body',
  'x'
)
/** A change at a random place: a value is replaced, removed or added. */
const change = fc.record({
  way: fc.array(fc.nat(40), { minLength: 1, maxLength: 6 }),
  act: fc.constantFrom('replace', 'leave out', 'add'),
  value,
  name
})
type Change = typeof change extends fc.Arbitrary<infer C> ? C : never

function changed(
  document: unknown,
  { way: [step = 0, ...rest], act, value, name }: Change
): unknown {
  if (typeof document !== 'object' || document === null) return value
  const entries: [string, unknown][] = Object.entries(document)
  const place = step % Math.max(1, entries.length)
  const [at = name, part] = entries[place] ?? []
  if (rest.length > 0 && typeof part === 'object' && part !== null)
    entries[place] = [at, changed(part, { way: rest, act, value, name })]
  else if (act === 'add') entries.push([name, value])
  else entries.splice(place, 1, ...(act === 'replace' ? [[at, value] as [string, unknown]] : []))
  return Array.isArray(document) ? entries.map(([, member]) => member) : Object.fromEntries(entries)
}

/** Whether the placeholders of a template follow its rule, with one required placeholder once. */
function isTemplate({ placeholders, once }: TemplateRule, template: object): boolean {
  const found = JSON.stringify(Object.values(template)).match(/(?<=[[:,]|^)"\$[^"]*"(?!:)/g) ?? []
  const names = found.map(text => JSON.parse(text))
  return (
    names.every(name => placeholders.includes(name)) &&
    (once === undefined || names.filter(name => name === once).length === 1)
  )
}

const isOfRules = (rules: readonly Rule[], value: object) =>
  rules.every(([kind, names, name]) => {
    const count = names.filter(name => name in value).length
    if (name !== undefined && !(name in value)) return true
    return { one: count === 1, needs: count > 0, excludes: count === 0 }[kind]
  })

for (const [title, { schema, document }] of Object.entries(CASES)) {
  const ajv = new Ajv({ strict: false, allowUnionTypes: true })
  for (const [format, { problem }] of Object.entries(FORMATS))
    ajv.addFormat(format, text => problem(text) === null)
  ajv.addKeyword({ keyword: 'x-template', type: 'object', validate: isTemplate })
  ajv.addKeyword({ keyword: 'x-rules', type: 'object', validate: isOfRules })
  const isRight = ajv.compile(schema)
  const { problems } = checkerOf(() => schema)
  const of = fc.array(change, { maxLength: 2 })

  await property(
    t,
    `${title}: the check allows what Ajv allows, and nothing else`,
    { of, runs: 400 },
    changes => {
      const made = changes.reduce<unknown>(changed, document)
      equal(problems(made).length === 0, isRight(made))
    }
  )
}

/** Words of JSON Schema without a check of their own. */
const SILENT =
  /^(items|properties|additionalProperties|required|if|then|else|description|default|[x~].*)$/

t.test('each word of a schema has a check, or needs none', async t => {
  const walk = (schema: Schema): string[] => {
    const { properties = {}, additionalProperties, items, then, else: otherwise } = schema
    const parts = [...Object.values(properties), additionalProperties, items, then, otherwise]
    const words = Object.keys(schema).filter(word => !(word in WORDS) && !SILENT.test(word))
    return [...words, ...parts.flatMap(part => (typeof part === 'object' ? walk(part) : []))]
  }
  for (const { schema } of Object.values(CASES)) t.strictSame(walk(schema as Schema), [])
})
