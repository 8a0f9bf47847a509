/**
 * Control documents generated from the JSON Schemas, and damaged: types, depth, size, repeats,
 * unknown names, aliases, duplicates, huge numbers, unicode.
 */
import { stringify } from 'yaml'
import { settingsSchema } from '../../src/core/settings.js'
import { SCRIPT_ENTRY } from '../../src/scenario/shape/entry.js'
import { expectationSchema } from '../../src/scenario/shape/expectation.js'
import { fixtureSchema } from '../../src/scenario/shape/parts.js'
import { scenarioSchema } from '../../src/scenario/shape/scenario.js'
import type { Draws } from './draws.js'

export type PostedDocument = {
  on: string
  type: 'application/json' | 'application/yaml'
  body: Buffer
}
type Schema = Readonly<Record<string, unknown>>
type Tree = { [name: string]: unknown } | unknown[]

const verifySchema = {
  type: 'object',
  properties: {
    ...expectationSchema(true).properties,
    sequence: { type: 'array', items: expectationSchema(true) }
  }
}
const TARGETS: readonly (readonly [weight: number, on: string, schema: object])[] = [
  [8, 'POST /_control/load', scenarioSchema()],
  [5, 'POST /_control/records', fixtureSchema()],
  [3, 'POST /_control/script', SCRIPT_ENTRY],
  [2, 'PATCH /_control/settings', settingsSchema(key => !key.startsWith('statuses'))],
  [3, 'POST /_control/verify', verifySchema]
]
/** Values that make a document valid about half of the time. */
const KNOWN: Readonly<Record<string, readonly unknown[]>> = {
  fixtures: ['bistro', 'empty', 'bistor', './x.yaml'],
  location: ['loc_bistro'],
  account: ['mch_bistro'],
  reseller: [null],
  ticket: ['tkt_1', 'tkt_2', 'tkt_60'],
  transaction: ['txn_1', 'txn_2'],
  do: ['POST /transactions', 'GET /tickets', 'GET /tickets/tkt_1'],
  delay: ['1ms', { min: '1ms', max: '2ms' }],
  calls: [1, '2-3', '4+'],
  within: ['1ms']
}
const FORMATS: Readonly<Record<string, readonly unknown[]>> = {
  instant: ['2026-03-01T10:00:00Z', '2026-03-01'],
  currency: ['usd', 'EUR'],
  country: ['US', 'de'],
  email: ['a@example.com']
}
const NUMBERS = [0, -1, 1.5, 2 ** 53, 1e308, 1_000_000]
const TEXTS = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  '\ufeff',
  '\u202e',
  '🍷'.repeat(40),
  '__proto__',
  '<<',
  '*a',
  '/(a+)+$/',
  '/[/',
  '${x.y}',
  '9'.repeat(400),
  'x'.repeat(5000)
]
const ODD: readonly unknown[] = [null, true, [], {}, [[]], ...NUMBERS, ...TEXTS]
const NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'id',
  'locatoin',
  'a.b.c',
  'a[b][c]',
  '',
  '\u0000',
  '🍷'
]
const MADE = ['tickets', 'transactions', 'users']
const DEEP = '"@deep@"'
const TWICE = '"@twice@":0'
const RAW_NUMBER = '"@number@"'
const HUGE_NUMBERS = [
  '1e400',
  '-1e400',
  '9007199254740993',
  `1${'0'.repeat(400)}`,
  '-0',
  '1e-400',
  '0.1e1000000'
]

export function documentOf(draws: Draws): PostedDocument {
  const [, on, schema] = draws.way(TARGETS.map(target => [target[0], () => target] as const))
  let data = grown(schema as Schema, '', draws, 0)
  for (let left = draws.pick([0, 1, 1, 2, 3, 5]); left > 0 && partsOf(data) < MANY_PARTS; left--)
    data = broken(data, draws)
  const isYaml = draws.chance(35)
  const whole = on.endsWith('/load') && !isYaml ? { scenario: data } : data
  const text = isYaml ? yamlOf(whole, draws) : textOf(whole, draws)
  return { on, type: isYaml ? 'application/yaml' : 'application/json', body: bytesOf(text, draws) }
}

export function grown(schema: Schema, name: string, draws: Draws, depth: number): unknown {
  const known = KNOWN[name]
  if (schema.type === 'array' && Array.isArray(known))
    return Array.from({ length: draws.below(3) }, () => structuredClone(draws.pick(known)))
  if (known !== undefined && schema.type !== 'array') return structuredClone(draws.pick(known))
  if (schema.if !== undefined)
    return grown((draws.chance(50) ? schema.then : schema.else) as Schema, name, draws, depth)
  if (Array.isArray(schema.enum)) return draws.pick(schema.enum)
  const type = Array.isArray(schema.type) ? draws.pick(schema.type) : schema.type
  if (type === 'array')
    return Array.from({ length: draws.below(4) }, () =>
      grown((schema.items ?? {}) as Schema, '', draws, depth + 1)
    )
  if (type === 'object') return grownObject(schema, draws, depth)
  if (type === 'integer' || type === 'number')
    return Math.max((schema.minimum as number | undefined) ?? 0, draws.below(60))
  if (type === 'boolean') return draws.chance(50)
  if (type === 'null') return null
  if (typeof schema.format === 'string')
    return draws.pick(FORMATS[schema.format] ?? [draws.word(4)])
  return name === 'id' ? `${draws.word(3)}_${draws.below(1e6)}` : draws.word(1 + draws.below(8))
}

function grownObject(
  { properties = {}, additionalProperties, required = [] }: Schema,
  draws: Draws,
  depth: number
): Record<string, unknown> {
  const all = Object.entries(properties as Record<string, Schema>)
  const share = depth === 0 ? 35 : 25
  const chosen = all.filter(
    ([name]) => (required as string[]).includes(name) || draws.chance(share)
  )
  const made = Object.fromEntries(
    chosen.map(([name, schema]) => [name, grown(schema, name, draws, depth + 1)])
  )
  if (typeof additionalProperties === 'object' && depth < 8 && draws.chance(60))
    made[draws.pick(['amount', 'ticket', 'card', 'k'])] = grown(
      additionalProperties as Schema,
      '',
      draws,
      depth + 1
    )
  return made
}

const MOST_REPEATS = 60_000
/** Maximum values that one repeat adds to a document. */
const MOST_PARTS = 2_000_000
/** Maximum size before further repeats, which could not be written. */
const MANY_PARTS = 2000

const times = (draws: Draws) =>
  draws.way([
    [60, () => 2 + draws.below(8)],
    [28, () => draws.below(300)],
    [9, () => draws.below(5000)],
    [3, () => draws.below(MOST_REPEATS)]
  ])

/** The number of values in data, as far as it matters; twenty characters count as one. */
function partsOf(data: unknown, before = 0): number {
  if (typeof data !== 'object' || data === null)
    return before + 1 + String(data).length / CHARACTERS
  let count = before + 1
  for (const [name, part] of Object.entries(data)) {
    if (count >= MANY_PARTS) break
    count = partsOf(part, count + name.length / CHARACTERS)
  }
  return count
}
const CHARACTERS = 20

function broken(data: unknown, draws: Draws): unknown {
  const trees: Tree[] = []
  collect(data, trees)
  if (trees.length === 0) return structuredClone(draws.pick(ODD))
  const tree = draws.pick(trees)
  const names = Object.keys(tree)
  const name = names.length === 0 ? undefined : draws.pick(names)
  const put = (name: string, value: unknown) =>
    Object.defineProperty(tree, name, {
      value,
      enumerable: true,
      configurable: true,
      writable: true
    })
  draws.way<unknown>([
    [6, () => name !== undefined && put(name, structuredClone(draws.pick(ODD)))],
    [2, () => name !== undefined && put(name, '@deep@')],
    [2, () => name !== undefined && put(name, '@number@')],
    [2, () => put('@twice@', 0)],
    [
      4,
      () =>
        put(
          Array.isArray(tree) ? `${tree.length}` : draws.pick(NAMES),
          structuredClone(draws.pick(ODD))
        )
    ],
    [2, () => name !== undefined && Reflect.deleteProperty(tree, name)],
    [
      4,
      () => {
        const count = times(draws)
        if (Array.isArray(tree) && tree.length > 0) {
          const member = draws.pick(tree)
          for (let parts = 0; tree.length < count && parts < MOST_PARTS; parts += partsOf(member))
            tree.push(structuredClone(member))
          // A name of digits would create an empty list of that length.
        } else for (let n = 0; n < count; n++) put(`k${draws.word(3)}${n}`, n)
      }
    ],
    [1, () => put('x'.repeat(times(draws) * 20), structuredClone(draws.pick(ODD)))],
    [
      2,
      () =>
        !Array.isArray(tree) &&
        put('generate', [
          { [draws.pick(MADE)]: draws.pick([10, 900, 12_000, 1_000_000]), location: 'loc_bistro' }
        ])
    ]
  ])
  return data
}

function collect(value: unknown, into: Tree[]): void {
  if (typeof value !== 'object' || value === null || into.length > 200) return
  into.push(value as Tree)
  for (const part of Object.values(value)) collect(part, into)
}

function yamlOf(data: unknown, draws: Draws): string {
  const isSmall = JSON.stringify(data).length < 50_000
  if (draws.chance(10)) return bomb(draws)
  return isSmall && draws.chance(60)
    ? stringify(data, { aliasDuplicateObjects: draws.chance(70) })
    : textOf(data, draws)
}

function bomb(draws: Draws): string {
  const [levels, width] = [1 + draws.below(12), 1 + draws.below(12)]
  const isMerge = draws.chance(30)
  const level = (n: number) => {
    const aliases = Array(width).fill(`*a${n}`).join(', ')
    return `a${n + 1}: &a${n + 1} ${isMerge ? `{ <<: [${aliases}] }` : `[${aliases}]`}\n`
  }
  return `a0: &a0 { k: v }\n${Array.from({ length: levels }, (_, n) => level(n)).join('')}`
}

function textOf(data: unknown, draws: Draws): string {
  const open = draws.pick(['[', '{"a":', '- ', '{'])
  const depth = draws.pick([3, 60, 70, 500, 100_000])
  const close = open.startsWith('{') ? `1${'}'.repeat(depth)}` : ']'.repeat(depth)
  const deep = `${open.repeat(depth)}${draws.chance(50) ? close : ''}`
  return JSON.stringify(data, null, draws.chance(20) ? 1 : 0)
    .replace(DEEP, deep)
    .replaceAll(TWICE, '"twice":1,"twice":2')
    .replaceAll(RAW_NUMBER, draws.pick(HUGE_NUMBERS))
}

/** Maximum characters of a document, so that a run ends in time. */
const MAX_LENGTH = 2_000_000

function bytesOf(text: string, draws: Draws): Buffer {
  const bytes = Buffer.from(text.slice(0, MAX_LENGTH), 'utf8')
  const at = draws.below(bytes.length)
  return draws.way([
    [88, () => bytes],
    [3, () => bytes.subarray(0, draws.below(bytes.length + 1))],
    [
      3,
      () =>
        Buffer.concat([
          Buffer.from(draws.pick(['\ufeff', ' \n', '%YAML 1.2\n---\n', '---\n'])),
          bytes
        ])
    ],
    [3, () => Buffer.concat([bytes, draws.bytes(3)])],
    [3, () => bytes.fill(draws.below(256), at, Math.min(at + 1, bytes.length))]
  ])
}
