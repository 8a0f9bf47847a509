/** Calls of every route of the control API, with documents that are valid, invalid or hostile. */
import { SETTING_KEYS, SETTINGS } from '../../src/core/settings.js'
import { OPERATION_NAMES } from '../../src/reference/operations.js'
import { type Call, type KnownIds, noise } from './api-calls.js'
import type { Draws } from './draws.js'
import { KEYS, misplacedCardNumber } from './secrets.js'
import { deepJson, encoded, hostileJson, hostileText, hostileWord } from './values.js'

/** Every scripted answer of the run has this header. */
export const SCRIPTED = 'x-scripted'
/** The operations that the run lets a script delay, or whose answers it may lose; every other call must be answered. */
export const FAULTED = ['GET /tickets', 'POST /refunds', 'GET /locations/{id}'] as const

/** Shipped scenarios without a script, whose answers all come from the operations. */
const SCENARIOS = ['default', 'month-end', 'partial-refunds', 'reseller-onboarding', 'split-bill', 'needle-on-a-late-page']
const API_KEYS = KEYS.map((key, index) => ({ key, account: ['mch_bistro', 'mch_bakery', 'rsl_partner'][index] }))
const YAMLS = [
  `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefgh'].map((name, index) => `${name}: &${name} [${`*${'abcdefg'[index]},`.repeat(9)}]`).join('\n')}\n`,
  '? ? ?',
  '- - - -',
  '&a *a',
  '*none',
  '!!js/function "x"',
  '!!binary ////',
  '%YAML 9.9\n---\n',
  '\ufeffseed: 1',
  'seed: 1\nseed: 2',
  '\t- a',
  'a: b: c',
  '"',
  '{',
  'seed: .nan',
  'seed: 0x10',
  'seed: 1e400',
  '<<: {seed: 1}',
  'null',
  '---\n---\n',
  'seed: 1 # ok\n',
  'tickets: [{location: loc_bistro}]',
  'clock: 2026-03-01',
  `${'- '.repeat(5000)}x`,
  `${'{a: '.repeat(3000)}`
]

/** A body with its type. */
type Body = { type: string; text: string }
const json = (value: unknown): Body => ({ type: 'application/json', text: JSON.stringify(value) ?? '' })
const hostileBody = (draws: Draws): Body =>
  draws.way<Body>([
    [6, () => json(hostileJson(draws))],
    [
      2,
      () => ({
        type: 'application/json',
        text: draws.pick([
          '',
          '{',
          '[',
          'nul',
          '{"a":1,}',
          '"',
          '{"__proto__":{"x":1}}',
          '{"constructor":{"prototype":{"x":1}}}',
          '1e999',
          '\0',
          '\ufeff{}',
          '{"a":1}{"a":2}'
        ])
      })
    ],
    [1, () => ({ type: 'application/json', text: deepJson(draws) })],
    [2, () => ({ type: 'application/yaml', text: draws.pick(YAMLS) })],
    [
      1,
      () => ({
        type: draws.pick(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', '', 'application/json; charset=x', 'a']),
        text: hostileText(draws)
      })
    ]
  ])

/** A document of the right shape, with any value in one place. */
function nearly(right: Record<string, unknown>, draws: Draws): Body {
  if (draws.chance(55)) return json(right)
  const text = JSON.stringify(right)
  const places = [...text.matchAll(/:("[^"]*"|\d+)/g)]
  const place = places[draws.below(places.length)]
  if (place === undefined || draws.chance(20)) return json({ ...right, [hostileText(draws)]: hostileJson(draws) })
  const value = draws.chance(8) ? deepJson(draws) : (JSON.stringify(hostileJson(draws)) ?? 'null')
  const changed = `${text.slice(0, place.index + 1)}${value}${text.slice(place.index + place[0].length)}`
  return { type: draws.chance(90) ? 'application/json' : 'application/yaml', text: changed }
}

function records(draws: Draws, ids: KnownIds): Record<string, unknown> {
  const location = draws.pick(ids.locations ?? ['none'])
  const ticket = draws.pick(ids.tickets ?? ['none'])
  return draws.pick<Record<string, unknown>>([
    { tickets: [{ location, reference: draws.word(4) }] },
    { tickets: [{ id: draws.word(5), location, reference: misplacedCardNumber(draws), created: '2026-02-01T00:00:00Z', extra: { seat: draws.below(9) } }] },
    { transactions: [{ ticket, payment_type: 'card', payment_method: { card: { brand: 'visa', last4: '4242' } }, amount: draws.below(5000) }] },
    { refunds: [{ transaction: draws.pick(ids.transactions ?? ['none']), amount: 1 + draws.below(50), metadata: { k: 'v' } }] },
    {
      users: [{ account: 'mch_bistro', name: 'U', email: 'u@example.com' }],
      locations: [{ account: 'mch_bistro', display_name: 'L', address: { country: 'US' } }]
    },
    { accounts: [{ type: 'merchant', name: 'A', email: 'a@example.com', address: { country: 'US' } }] },
    { tickets: Array.from({ length: 300 }, () => ({ location })) }
  ])
}

const scenario = (draws: Draws, ids: KnownIds): Record<string, unknown> => ({
  name: draws.word(5),
  fixtures: ['bistro'],
  seed: draws.below(3) + 1,
  ...(draws.chance(40) && { clock: draws.pick<unknown>(['2026-03-01', { now: '2026-03-01T10:00:00Z', running: true }]) }),
  ...(draws.chance(30) && { data: { ...records(draws, ids), api_keys: API_KEYS } }),
  ...(draws.chance(20) && { generate: [{ tickets: draws.below(30), location: 'loc_bistro' }] }),
  ...(draws.chance(20) && { settings: { pagination: { default_limit: 1 + draws.below(9) } } }),
  ...(draws.chance(30) && { script: [entry(draws)] }),
  ...(draws.chance(20) && { steps: [{ do: 'POST /transactions', body: { ticket: 'tkt_1', payment_type: 'external', amount: 5 } }] }),
  ...(draws.chance(20) && { expect: [{ on: 'POST /refunds', at_least: draws.below(3) }] })
})

/** A script entry: an answer that is marked as scripted, or a delay or fault of an operation whose answers may be lost. */
function entry(draws: Draws): Record<string, unknown> {
  const calls = draws.chance(50) ? {} : { calls: draws.pick<unknown>([1, 2, '1-3', '2+', '5']) }
  if (draws.chance(35)) {
    const status = draws.pick([200, 201, 204, 304, 400, 402, 418, 429, 500, 502, 503, 599])
    const answer = draws.pick<Record<string, unknown>>([
      { body: hostileJson(draws, 2) },
      { body: hostileText(draws) },
      { error: { code: 'x', message: hostileText(draws) } },
      {}
    ])
    const headers = {
      [SCRIPTED]: '1',
      ...(draws.chance(30) && { [draws.pick(['content-type', 'retry-after', 'set-cookie', 'location', 'content-encoding', 'date'])]: draws.word(4) })
    }
    const number = misplacedCardNumber(draws)
    const on = draws.chance(20)
      ? { on: 'POST /transactions', match: { body: { 'card[number]': draws.chance(50) ? Number(number) : number } } }
      : { on: draws.pick(OPERATION_NAMES) }
    return { ...on, ...calls, respond: { status, headers, ...(status === 204 || status === 304 ? {} : answer) } }
  }
  const on = draws.pick(FAULTED)
  const match = draws.chance(30) ? { match: { query: { limit: draws.pick(['1', '/^[0-9]+$/', '/(a+)+$/', ['1', '2'], 3]) } } } : {}
  const fault = draws.pick(['connection_reset', 'empty_response', 'truncated_body', 'malformed_body', 'hang'])
  const when = draws.chance(50) ? { when: 'after' } : {}
  const delay = draws.pick<unknown>(['1ms', '5ms', { min: '0ms', max: '20ms' }, 'PT0.01S', '2s'])
  return { on, ...calls, ...(on === 'GET /tickets' && match), ...(draws.chance(60) ? { fault, ...when } : { delay }) }
}

/** Changes of settings, all of a sandbox's own among them. */
function settings(draws: Draws): Record<string, unknown> {
  const key = draws.pick(SETTING_KEYS)
  const { schema, default: fallback } = SETTINGS[key] as { schema: { enum?: unknown[]; minimum?: number; maximum?: number }; default: unknown }
  const right = () => {
    if (schema.enum) return draws.pick(schema.enum)
    if (schema.minimum === undefined) return fallback
    return schema.minimum + draws.below(Math.min((schema.maximum ?? 0) - schema.minimum + 1, 50))
  }
  const change = typeof fallback === 'boolean' ? { [key]: draws.chance(50) } : { [key]: draws.chance(90) ? right() : hostileJson(draws) }
  return draws.chance(10) ? { ...change, auth: { accept_any_key: draws.pick(['mch_bistro', 'none', null]) } } : change
}

const SNAPSHOTS = ['one', 'two', 'three', 'a.b', 'A-1_2', '0']
const snapshotName = (draws: Draws) => (draws.chance(80) ? draws.pick(SNAPSHOTS) : encoded(hostileText(draws), draws) || '%20')

/** A route, with the body that it is sent. */
type Route = [weight: number, on: (draws: Draws) => string, body?: (draws: Draws, ids: KnownIds) => Record<string, unknown>]
function query(draws: Draws, ...queries: string[]): string {
  if (draws.chance(70)) return draws.pick(queries)
  return draws.chance(50) ? '' : `?${encoded(hostileWord(draws), draws)}=${encoded(hostileText(draws), draws)}`
}
const ROUTES: Route[] = [
  [2, () => 'GET /health'],
  [2, () => 'GET '],
  [
    1,
    draws =>
      `GET ${draws.pick(['/', '/console/console.js', '/console/console.css', '/console/..%2ffiles.ts', '/console/__proto__', '/schema/fixture.json', '/schema/scenario.json', '/schema/script.json', '/openapi.json', '/docs', '/docs/', '/docs/swagger-ui.css', '/docs/..%2f..%2fpackage.json', '/docs/__proto__', '/nothing', '/..', '/%2e%2e/next'])}`
  ],
  [1, () => 'POST /reset'],
  [
    3,
    draws => `POST /load${draws.chance(50) ? query(draws, '?dry_run=1', '?dry_run', '?dry_run=0', '?dry_run=x') : ''}`,
    draws => ({ scenario: draws.chance(70) ? draws.pick(SCENARIOS) : hostileText(draws) })
  ],
  [5, draws => `POST /load${draws.chance(60) ? '?dry_run=1' : ''}`, (draws, ids) => ({ scenario: scenario(draws, ids) })],
  [1, () => 'GET /scenarios'],
  [3, draws => `GET /state${query(draws, '', '?format=yaml', '?format=json')}`],
  [8, () => 'POST /records', records],
  [2, () => 'POST /keys', (draws, ids) => ({ account: draws.pick(ids.accounts ?? ['none']) })],
  [2, () => 'GET /settings'],
  [6, () => 'PATCH /settings', settings],
  [2, draws => `DELETE /settings/${draws.chance(80) ? draws.pick(SETTING_KEYS) : encoded(hostileWord(draws), draws)}`],
  [2, () => 'GET /changes'],
  [2, draws => `GET /assumptions${query(draws, '', '?scope=run')}`],
  [2, () => 'GET /clock'],
  [
    4,
    () => 'PUT /clock',
    draws => ({ now: draws.pick(['2026-03-01', '2026-12-31T23:59:59.999+14:00', '0001-01-01', '9999-12-31T23:59:59.999Z']), running: draws.chance(50) })
  ],
  [3, () => 'POST /clock/advance', draws => ({ by: draws.pick(['1h', '0ms', 'P1D', '250ms', '99999999999999h', '-1h', '7d']) })],
  [2, () => 'GET /snapshots'],
  [4, draws => `PUT /snapshots/${snapshotName(draws)}`],
  [4, draws => `POST /snapshots/${snapshotName(draws)}/restore`],
  [4, draws => `DELETE /snapshots/${snapshotName(draws)}`],
  [2, () => 'GET /script'],
  [14, () => 'POST /script', entry],
  [4, draws => `DELETE /script${draws.chance(50) ? '' : `/${draws.chance(70) ? `scr_${draws.below(9)}` : encoded(hostileWord(draws), draws)}`}`],
  [
    5,
    draws => `GET /requests${query(draws, '', '?limit=1000', '?limit=3&status=4xx', '?status=200', '?on=POST%20/refunds', '?since=req_5', '?since=2026-01-01')}`
  ],
  [5, draws => `GET /requests/${draws.chance(85) ? `req_${1 + draws.below(3000)}` : encoded(hostileWord(draws), draws)}${query(draws, '', '?format=text')}`],
  [1, draws => `GET /requests/req_${1 + draws.below(3000)}?format=scenario`],
  [1, () => 'DELETE /requests'],
  [1, () => 'GET /events'],
  [
    4,
    draws => `POST /explain${query(draws, '', '?format=text')}`,
    (draws, ids) => ({
      method: draws.pick(['POST', 'GET', 'DELETE', 'HEAD']),
      path: draws.pick([
        '/refunds',
        '/tickets?limit=1',
        `/transactions/${draws.pick(ids.transactions ?? ['none'])}`,
        '/../_control/reset',
        encoded(hostileWord(draws), draws)
      ]),
      ...(draws.chance(50) && { body: { transaction: draws.pick(ids.transactions ?? ['none']), amount: draws.below(100) } }),
      ...(draws.chance(20) && { changes: { settings: settings(draws) } })
    })
  ],
  [1, () => 'GET /gates'],
  [
    2,
    draws => `POST /gates/${draws.chance(80) ? `scr_${draws.below(9)}` : encoded(hostileWord(draws), draws)}/open`,
    draws => (draws.chance(50) ? {} : { release: 'reverse' })
  ],
  [
    6,
    () => 'POST /verify',
    draws => ({
      on: draws.pick(OPERATION_NAMES),
      times: draws.below(4),
      ...(draws.chance(30) && { within: draws.pick(['1ms', '20ms', '0s', 'x']) }),
      ...(draws.chance(20) && { match: { account: 'mch_bistro' } })
    })
  ],
  [
    2,
    () => 'POST /verify',
    draws => draws.pick<Record<string, unknown>>([{ script: 'all_used' }, { sequence: [{ on: 'POST /refunds' }, { on: 'GET /tickets' }] }, { sequence: [] }])
  ],
  [3, draws => `GET /coverage${query(draws, '', '?format=text', '?format=junit', '?scope=run')}`],
  [1, draws => `DELETE /coverage${query(draws, '', '?scope=run')}`],
  [3, draws => `GET /findings${query(draws, '', '?format=text', '?scope=run')}`],
  [2, () => 'GET /metrics'],
  [2, draws => `GET /run${query(draws, '', '?scope=run')}`],
  [2, () => 'GET /sandboxes'],
  [1, () => 'GET /session'],
  [1, () => 'DELETE /session'],
  [1, () => 'POST /session', draws => (draws.chance(50) ? { token: hostileText(draws) } : (hostileJson(draws) as Record<string, unknown>))],
  [2, draws => `DELETE /sandboxes/${draws.chance(70) ? draws.pick(SANDBOXES) : encoded(hostileWord(draws), draws)}`]
]

/** Sandboxes that the run uses. */
export const SANDBOXES = ['one', 'two', 'worker-3', 'A.b_c']

/** A call of the control API, below its address. */
export function controlCall(draws: Draws, ids: KnownIds): Call {
  const [, on, bodyOf] = draws.way(ROUTES.map(route => [route[0], () => route] as const))
  const [its, ...rest] = on(draws).split(' ') as [string, ...string[]]
  const method = draws.chance(97) ? its : draws.pick(['PUT', 'POST', 'GET', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'])
  const other = () => (draws.chance(its === 'GET' ? 3 : 30) ? hostileBody(draws) : null)
  const body = bodyOf && draws.chance(85) ? nearly(bodyOf(draws, ids), draws) : other()
  const path = rest.join(' ').replace(/[^\x21-\x7e]/g, '?')
  const host: Record<string, string> = draws.chance(97)
    ? {}
    : { host: draws.pick(['evil.example', '127.0.0.1:1', '[::1]:80', '[', 'localhost.', 'a'.repeat(5000), '', 'evil.localhost', 'x@y']) }
  const headers = { ...noise(draws), ...host, ...(body && { 'content-type': body.type }) }
  return { method, path: isKeyless(path, body) ? '/load?dry_run=1' : path, headers, body: body && Buffer.from(body.text) }
}

/** Whether a load may leave out the keys that the run needs; such a load is only checked. */
const isKeyless = (path: string, body: Body | null) =>
  path.startsWith('/load') && body !== null && !body.text.includes('"fixtures":["bistro"]') && !SCENARIOS.some(name => body.text === `{"scenario":"${name}"}`)
