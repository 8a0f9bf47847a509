import { OPERATIONS, type Operation, type OperationId } from '../../src/reference/operations.js'
import { type Schema, schemaOf } from '../../src/reference/parameters.js'
import { TABLES, type Tables } from '../../src/reference/tables.js'
import { type Draws, listed } from './draws.js'
import { KEYS, unknownKey, usedCardNumber, usedSecret } from './secrets.js'
import { encoded, hostileText, hostileWord } from './values.js'

/** Existing ids, and the ids of the next few creates, by family. */
export type KnownIds = Readonly<Record<string, readonly string[]>>
export type Call = {
  method: string
  path: string
  headers: Record<string, string>
  body: Buffer | null
}

export const FORM_TYPE = 'application/x-www-form-urlencoded'
/** Every operation; operations that a script may delay or lose occur more often. */
const IDS = [
  ...(Object.keys(OPERATIONS) as OperationId[]),
  'listTickets',
  'createRefund',
  'readLocation'
] as const
const RIGHT: Readonly<Record<string, readonly string[]>> = {
  email: ['a@example.com'],
  country: ['US', 'de'],
  type: ['merchant', 'reseller'],
  payment_type: ['card', 'apple_pay', 'google_pay', 'emv', 'external', 'paypal', 'vip'],
  currency: ['usd', 'eur'],
  last4: ['4242'],
  limit: ['1', '3', '100'],
  gte: ['2026-01-01', '2026-02-01T10:00:00Z'],
  lt: ['2026-03-01', '2026-02-01T10:00:00%2B02:00'],
  search_query: ['T-1', '4242']
}
const FAMILY_OF: Readonly<Record<string, string>> = {
  ticket: 'tickets',
  transaction: 'transactions',
  location: 'locations'
}

export const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString('base64')}`

function rightValue(name: string, schema: Schema, draws: Draws, ids: KnownIds): string {
  const family =
    name === 'starting_after' || name === 'ending_before'
      ? draws.pick(Object.keys(ids))
      : FAMILY_OF[name]
  if (family !== undefined) return draws.pick(ids[family] ?? ['none'])
  const given = RIGHT[name]
  if (given !== undefined) return draws.pick(given)
  return schema.type === 'integer' || schema.type === 'number'
    ? String(draws.below(3000))
    : draws.word(6)
}

const secretValue = (name: string, draws: Draws) =>
  name === 'number' ? usedCardNumber(draws) : usedSecret(draws)

/** Form pairs of a parameter table, some of them invalid. */
function* pairsOf(
  table: Schema,
  under: string,
  draws: Draws,
  ids: KnownIds
): Generator<[name: string, value: string]> {
  for (const [name, schema] of Object.entries(table.properties as Record<string, Schema>)) {
    const written = under === '' ? name : `${under}[${name}]`
    const isRequired = table.required?.includes(name) ?? false
    if (!draws.chance(isRequired ? 95 : 35)) continue
    if (schema['x-secret']) yield [written, secretValue(name, draws)]
    else if (schema.properties && draws.chance(95)) yield* pairsOf(schema, written, draws, ids)
    else if (schema.additionalProperties)
      yield [
        `${written}[${draws.chance(80) ? draws.word(2) : hostileText(draws)}]`,
        hostileText(draws)
      ]
    else
      yield [written, draws.chance(92) ? rightValue(name, schema, draws, ids) : hostileText(draws)]
  }
}

const strayPair = (draws: Draws): [name: string, value: string] =>
  draws.way<[string, string]>([
    [3, () => [hostileWord(draws), draws.word(3)]],
    [
      2,
      () => [
        draws.pick('metadata address card created amounts customer limit amount'.split(' ')),
        hostileText(draws)
      ]
    ],
    [
      2,
      () => [
        `${draws.pick(listed('metadata¦address¦card¦id¦amount'))}${draws.pick(listed('[]¦[¦]¦[][x]¦[a][b]¦[[a]]¦[a]b¦[__proto__]'))}`,
        'x'
      ]
    ],
    [1, () => [`a${'[b]'.repeat(draws.pick([4, 5, 6, 2000]))}`, 'x']],
    [
      1,
      () => [
        draws.pick(
          'cardNumber card_number Card[Number] cvv card[cvc] csc pan api_key password'.split(' ')
        ),
        usedSecret(draws)
      ]
    ],
    [1, () => [`{"card":{"number":"${usedCardNumber(draws)}","csc":"${usedSecret(draws)}"}}`, '']]
  ])

function formOf(table: Schema | undefined, draws: Draws, ids: KnownIds): string {
  const pairs = table === undefined ? [] : [...pairsOf(table, '', draws, ids)]
  for (let strays = draws.chance(25) ? 1 + draws.below(3) : 0; strays > 0; strays--)
    pairs.splice(draws.below(pairs.length + 1), 0, strayPair(draws))
  if (pairs.length > 0 && draws.chance(4)) pairs.push(draws.pick(pairs))
  if (draws.chance(1))
    for (let count = draws.pick([990, 1001, 3000]); count > 0; count--)
      pairs.push([`metadata[k${count}]`, 'v'])
  const text = pairs
    .map(([name, value]) => `${encoded(name, draws)}=${encoded(value, draws)}`)
    .join('&')
  return draws.chance(3)
    ? `${text}${draws.pick(['&%zz=1', '&=', '&&&', '&a=%ff', '&%', '=&=', '%', '[', '&a]=1'])}`
    : text
}

const authorization = (draws: Draws): Record<string, string> =>
  draws.way<Record<string, string>>([
    [40, () => ({ authorization: basic(`${draws.pick(KEYS)}:`) })],
    [3, () => ({ authorization: basic(`${unknownKey(draws)}:`) })],
    [2, () => ({})],
    [1, () => ({ authorization: basic(`${unknownKey(draws)}:${usedSecret(draws)}`) })],
    [1, () => ({ authorization: basic(hostileText(draws)) })],
    [
      1,
      () => ({
        authorization: draws.pick([
          `Basic ${'A'.repeat(9000)}`,
          ...listed('Basic¦Basic ¦Basic ====¦Bearer x¦basic c2s6¦Digest a=b¦Basic \xff')
        ])
      })
    ]
  ])

const FORGED = {
  'x-forwarded-host': 'evil.example',
  forwarded: 'host=evil.example',
  'x-original-url': '/_control/state',
  'x-http-method-override': 'DELETE'
}

export const noise = (draws: Draws): Record<string, string> =>
  draws.way<Record<string, string>>([
    [30, () => ({})],
    [1, () => ({ 'user-agent': hostileHeader(draws) })],
    [1, () => ({ 'user-agent': `till/1 ${draws.pick(KEYS)} ${draws.cardNumber('4929')}` })],
    [
      1,
      () => ({ accept: draws.pick(['text/html', '*/*', 'application/xml', '', 'text/html;q=0']) })
    ],
    [1, () => ({ origin: draws.pick(['http://evil.example', 'null', 'http://localhost', '']) })],
    [1, () => ({ 'content-encoding': draws.pick(['gzip', 'identity', 'br', '']) })],
    [1, () => FORGED],
    [
      1,
      () => ({
        cookie: hostileHeader(draws),
        'if-none-match': '*',
        range: 'bytes=0-1',
        'accept-encoding': 'gzip',
        'accept-version': '9.9.9'
      })
    ],
    [
      1,
      () => ({
        'access-control-request-method': 'DELETE',
        'access-control-request-headers': hostileHeader(draws)
      })
    ]
  ])

const hostileHeader = (draws: Draws) => hostileText(draws).replace(/[^\x20-\x7e\x80-\xff]/g, '?')

function pathOf({ path, family }: Operation, draws: Draws, ids: KnownIds): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
    const wanted = family === 'users' && name !== 'user_id' ? 'accounts' : family
    return draws.chance(88)
      ? draws.pick(ids[wanted] ?? ['none'])
      : encoded(hostileWord(draws), draws) || '%20'
  })
  return draws.way([
    [40, () => filled],
    [1, () => `${filled}/`],
    [1, () => `/${filled}`],
    [1, () => `${filled}/${encoded(hostileWord(draws), draws)}`],
    [1, () => filled.toUpperCase()],
    [
      1,
      () =>
        draws.pick([
          ...listed(
            '/¦¦/next/tickets¦/..%2f_control/state¦/./tickets¦/%74ickets¦/%ff¦/%¦/tickets;a=b'
          ),
          `/tickets/${'a'.repeat(17_000)}`
        ])
    ]
  ])
}

const contentType = (draws: Draws) =>
  draws.chance(96)
    ? FORM_TYPE
    : draws.pick([
        'application/json',
        'text/plain',
        '',
        'a',
        'multipart/form-data; boundary=x',
        `${FORM_TYPE}; charset=utf-16`,
        'é/é',
        '/',
        ';'
      ])

export function apiCall(draws: Draws, ids: KnownIds): Call {
  const operation = draws.pick(IDS)
  const { method: its } = OPERATIONS[operation]
  const tables = TABLES[operation] as Tables
  const isPost = its === 'POST'
  const sendsBody = isPost || draws.chance(3)
  const method = draws.chance(96)
    ? its
    : draws.pick(['PUT', 'PATCH', 'OPTIONS', 'DELETE', 'HEAD', 'TRACE', 'QUERY', 'PROPFIND'])
  const sendsQuery = tables.querystring !== undefined || draws.chance(5)
  const query = sendsQuery
    ? formOf(tables.querystring && schemaOf(tables.querystring), draws, ids)
    : ''
  const body = sendsBody
    ? Buffer.from(
        formOf(tables.body && schemaOf(tables.body), draws, ids),
        draws.chance(97) ? 'utf8' : 'latin1'
      )
    : null
  const path = `${pathOf(OPERATIONS[operation], draws, ids)}${query || draws.chance(2) ? `?${query}` : ''}`
  return {
    method,
    path: path.replace(/[^\x21-\x7e]/g, '?'),
    headers: {
      ...noise(draws),
      ...authorization(draws),
      ...(body && { 'content-type': contentType(draws) })
    },
    body
  }
}
