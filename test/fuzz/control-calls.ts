/** Requests for every control route, with valid, invalid and hostile documents. */
import { CONTROL_GROUPS } from '../../src/control/requests.js'
import type { Row } from '../../src/control/row.js'
import { FILE_ROWS } from '../../src/control/subjects/documents.js'
import { SETTING_KEYS, SETTINGS } from '../../src/core/settings.js'
import { OPERATION_NAMES } from '../../src/reference/operations.js'
import { type Schema, schemaOf } from '../../src/reference/parameters.js'
import { fixtureSchema } from '../../src/scenario/shape/parts.js'
import { FAMILIES } from '../../src/store/store.js'
import { type Call, noise } from './api-calls.js'
import { grown } from './documents.js'
import { type Draws, listed } from './draws.js'
import { KEYS, misplacedCardNumber } from './secrets.js'
import { deepJson, encoded, hostileJson, hostileText, hostileWord } from './values.js'

/** Every scripted response of the run has this header. */
export const SCRIPTED = 'x-scripted'
/** Operations that a script may delay or lose. */
export const FAULTED = ['GET /tickets', 'POST /refunds', 'GET /locations/{id}'] as const

/** Shipped scenarios without a script, so all responses come from operations. */
const SCENARIOS =
  'default month-end partial-refunds reseller-onboarding split-bill needle-on-a-late-page'.split(
    ' '
  )
const API_KEYS = KEYS.map((key, index) => ({
  key,
  account: ['mch_bistro', 'mch_bakery', 'rsl_partner'][index]
}))
const YAMLS = [
  ...listed(
    '? ? ?¦- - - -¦&a *a¦*none¦!!js/function "x"¦!!binary ////¦%YAML 9.9\n---\n¦\ufeffseed: 1¦seed: 1\nseed: 2¦\t- a¦a: b: c¦"¦{¦seed: .nan¦seed: 0x10',
    'seed: 1e400¦<<: {seed: 1}¦null¦---\n---\n¦seed: 1 # ok\n¦tickets: [{location: loc_bistro}]¦clock: 2026-03-01'
  ),
  `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefgh'].map((name, index) => `${name}: &${name} [${`*${'abcdefg'[index]},`.repeat(9)}]`).join('\n')}\n`,
  `${'- '.repeat(5000)}x`,
  `${'{a: '.repeat(3000)}`
]

type Body = { type: string; text: string }
const json = (value: unknown): Body => ({
  type: 'application/json',
  text: JSON.stringify(value) ?? ''
})
const WRONG_JSON = listed(
  '¦{¦[¦nul¦{"a":1,}¦"¦{"__proto__":{"x":1}}¦{"constructor":{"prototype":{"x":1}}}¦1e999¦\0¦\ufeff{}¦{"a":1}{"a":2}'
)
const TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  '',
  'application/json; charset=x',
  'a'
]
const hostileBody = (draws: Draws): Body =>
  draws.way<Body>([
    [6, () => json(hostileJson(draws))],
    [2, () => ({ type: 'application/json', text: draws.pick(WRONG_JSON) })],
    [1, () => ({ type: 'application/json', text: deepJson(draws) })],
    [2, () => ({ type: 'application/yaml', text: draws.pick(YAMLS) })],
    [1, () => ({ type: draws.pick(TYPES), text: hostileText(draws) })]
  ])

function nearly(right: Record<string, unknown>, draws: Draws): Body {
  if (draws.chance(55)) return json(right)
  const text = JSON.stringify(right)
  const places = [...text.matchAll(/:("[^"]*"|\d+)/g)]
  const place = places[draws.below(places.length)]
  if (place === undefined || draws.chance(20))
    return json({ ...right, [hostileText(draws)]: hostileJson(draws) })
  const value = draws.chance(8) ? deepJson(draws) : (JSON.stringify(hostileJson(draws)) ?? 'null')
  const changed = `${text.slice(0, place.index + 1)}${value}${text.slice(place.index + place[0].length)}`
  return { type: draws.chance(90) ? 'application/json' : 'application/yaml', text: changed }
}

const records = (draws: Draws) => grown(fixtureSchema(), '', draws, 0) as Record<string, unknown>

const scenario = (draws: Draws): Record<string, unknown> => ({
  name: draws.word(5),
  fixtures: ['bistro'],
  seed: draws.below(3) + 1,
  ...(draws.chance(40) && {
    clock: draws.pick<unknown>(['2026-03-01', { now: '2026-03-01T10:00:00Z', running: true }])
  }),
  ...(draws.chance(30) && { data: { ...records(draws), api_keys: API_KEYS } }),
  ...(draws.chance(20) && { generate: [{ tickets: draws.below(30), location: 'loc_bistro' }] }),
  ...(draws.chance(20) && { settings: { pagination: { default_limit: 1 + draws.below(9) } } }),
  ...(draws.chance(30) && { script: [entry(draws)] }),
  ...(draws.chance(20) && {
    steps: [
      { do: 'POST /transactions', body: { ticket: 'tkt_1', payment_type: 'external', amount: 5 } }
    ]
  }),
  ...(draws.chance(20) && { expect: [{ on: 'POST /refunds', times: `${draws.below(3)}+` }] })
})

function entry(draws: Draws): Record<string, unknown> {
  const calls = draws.chance(50) ? {} : { calls: draws.pick<unknown>([1, 2, '1-3', '2+', '5']) }
  if (draws.chance(35)) {
    const status = draws.pick([200, 201, 204, 304, 400, 402, 418, 429, 500, 502, 503, 599])
    const text = hostileText(draws)
    const answer = draws.pick<Record<string, unknown>>([
      { body: hostileJson(draws, 2) },
      { body: text },
      { error: { code: 'x', message: text } },
      {}
    ])
    const named = draws.pick(
      'content-type retry-after set-cookie location content-encoding date'.split(' ')
    )
    const headers = { [SCRIPTED]: '1', ...(draws.chance(30) && { [named]: draws.word(4) }) }
    const number = misplacedCardNumber(draws)
    const on = draws.chance(20)
      ? {
          on: 'POST /transactions',
          match: { body: { 'card[number]': draws.chance(50) ? Number(number) : number } }
        }
      : { on: draws.pick(OPERATION_NAMES) }
    return {
      ...on,
      ...calls,
      respond: { status, headers, ...(status === 204 || status === 304 ? {} : answer) }
    }
  }
  const on = draws.pick(FAULTED)
  const match = draws.chance(30)
    ? { match: { query: { limit: draws.pick(['1', '/^[0-9]+$/', '/(a+)+$/', ['1', '2'], 3]) } } }
    : {}
  const fault = draws.pick(
    'connection_reset empty_response truncated_body malformed_body hang'.split(' ')
  )
  const when = draws.chance(50) ? { when: 'after' } : {}
  const delay = draws.pick<unknown>(['1ms', '5ms', { min: '0ms', max: '20ms' }, '2s'])
  return {
    on,
    ...calls,
    ...(on === 'GET /tickets' && match),
    ...(draws.chance(60) ? { fault, ...when } : { delay })
  }
}

function settings(draws: Draws): Record<string, unknown> {
  const key = draws.pick(SETTING_KEYS)
  const { schema, default: fallback } = SETTINGS[key] as {
    schema: { enum?: unknown[]; minimum?: number; maximum?: number }
    default: unknown
  }
  const right = () => {
    if (schema.enum) return draws.pick(schema.enum)
    if (schema.minimum === undefined) return fallback
    return schema.minimum + draws.below(Math.min((schema.maximum ?? 0) - schema.minimum + 1, 50))
  }
  const change =
    typeof fallback === 'boolean'
      ? { [key]: draws.chance(50) }
      : { [key]: draws.chance(90) ? right() : hostileJson(draws) }
  return draws.chance(10)
    ? { ...change, auth: { accept_any_key: draws.pick(['mch_bistro', 'none', null]) } }
    : change
}

const NAMES: Readonly<Record<string, (draws: Draws) => string>> = {
  '/snapshots': draws => draws.pick(['one', 'two', 'three', 'a.b', 'A-1_2', '0']),
  '/sandboxes': draws => draws.pick(SANDBOXES),
  '/settings': draws => draws.pick(SETTING_KEYS),
  '/requests': draws => `req_${1 + draws.below(3000)}`,
  '/scenarios': draws => draws.pick([...SCENARIOS, '__proto__', '..%2fREADME']),
  '/records': draws =>
    `${draws.pick(FAMILIES)}/${draws.pick(['tkt_60', 'txn_none', 'loc_bistro', '__proto__'])}`,
  '/script': draws => `scr_${draws.below(9)}`,
  '/gates': draws => `scr_${draws.below(9)}`,
  '/console': draws => draws.pick(['console.js', 'console.css', '..%2ffiles.ts', '__proto__']),
  '/docs': draws => draws.pick(['swagger-ui.css', '..%2f..%2fpackage.json', '__proto__'])
}
const BODIES: Readonly<Record<string, (draws: Draws) => Record<string, unknown>>> = {
  'POST /load': draws => ({
    scenario: draws.way<unknown>([
      [2, () => draws.pick(SCENARIOS)],
      [1, () => hostileText(draws)],
      [5, () => scenario(draws)]
    ])
  }),
  'POST /records': records,
  'POST /script': entry,
  'PATCH /settings': settings,
  'PUT /clock': draws => ({
    now: draws.pick([
      '2026-03-01',
      '2026-12-31T23:59:59.999+14:00',
      '0001-01-01',
      '9999-12-31T23:59:59.999Z'
    ])
  }),
  'POST /clock/advance': draws => ({
    by: draws.pick(['1h', '0ms', 'P1D', '250ms', '99999999999999h', '-1h', '7d'])
  }),
  'POST /verify': draws => ({
    on: draws.pick(OPERATION_NAMES),
    times: draws.below(4),
    ...(draws.chance(30) && { within: draws.pick(['1ms', '20ms', '0s', 'x']) })
  })
}
const WEIGHTS: Readonly<Record<string, number>> = {
  'POST /script': 14,
  'POST /records': 8,
  'POST /load': 8,
  'PATCH /settings': 6,
  'POST /verify': 6,
  'GET /requests': 5,
  'POST /reset': 1
}
const ROWS = Object.entries<Row>(
  Object.assign({}, ...CONTROL_GROUPS.map(({ rows }) => rows), FILE_ROWS)
)

function addressOf(on: string, { query }: Row, draws: Draws): string {
  const path = on.replace(
    /(\/\w+)\/[A-Z]+(?:\/[A-Z]+)?/,
    (_, below) =>
      `${below}/${draws.chance(80) ? (NAMES[below] as (draws: Draws) => string)(draws) : encoded(hostileText(draws), draws) || '%20'}`
  )
  if (draws.chance(5)) return `${path}${draws.pick(['/', '/..', '/nothing', '/%2e%2e/next'])}`
  const known = Object.entries<Schema>(query ? (schemaOf(query).properties ?? {}) : {}).filter(() =>
    draws.chance(25)
  )
  const stray: [string, string][] = draws.chance(10)
    ? [[hostileWord(draws), hostileText(draws)]]
    : []
  const textFor = ({ enum: words }: Schema) =>
    String(
      words === undefined
        ? draws.pick(['1', '1000', '4xx', '200', 'POST /refunds', 'req_5', '2026-01-01'])
        : draws.pick(words)
    )
  const pairs = [...known.map(([name, schema]) => [name, textFor(schema)] as const), ...stray]
  return pairs.length === 0
    ? path
    : `${path}?${pairs.map(([name, value]) => `${encoded(name, draws)}=${encoded(value, draws)}`).join('&')}`
}

export const SANDBOXES = ['one', 'two', 'worker-3', 'A.b_c']

export function controlCall(draws: Draws): Call {
  const [on, row] = draws.way(ROWS.map(named => [WEIGHTS[named[0]] ?? 2, () => named] as const))
  const [its, ...rest] = addressOf(on, row, draws).split(' ') as [string, ...string[]]
  const method = draws.chance(97)
    ? its
    : draws.pick(['PUT', 'POST', 'GET', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'])
  const right = () => BODIES[on]?.(draws) ?? JSON.parse(row.body?.example as string)
  const other = () => (draws.chance(its === 'GET' ? 3 : 30) ? hostileBody(draws) : null)
  const body = row.body && draws.chance(85) ? nearly(right(), draws) : other()
  const path = rest.join(' ').replace(/[^\x21-\x7e]/g, '?')
  const host: Record<string, string> = draws.chance(97)
    ? {}
    : {
        host: draws.pick([
          'evil.example',
          '127.0.0.1:1',
          '[::1]:80',
          '[',
          'localhost.',
          'a'.repeat(5000),
          '',
          'evil.localhost',
          'x@y'
        ])
      }
  const headers = { ...noise(draws), ...host, ...(body && { 'content-type': body.type }) }
  return {
    method,
    path: isKeyless(path, body) ? '/load?dry_run=1' : path,
    headers,
    body: body && Buffer.from(body.text)
  }
}

/** Whether a load may leave out the keys that the run needs; such a load is a dry run. */
const isKeyless = (path: string, body: Body | null) =>
  path.startsWith('/load') &&
  body !== null &&
  !body.text.includes('"fixtures":["bistro"]') &&
  !SCENARIOS.some(name => body.text === `{"scenario":"${name}"}`)
