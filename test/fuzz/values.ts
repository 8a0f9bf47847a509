/** Values that often break programs: text, numbers, deeply nested documents. */
import { type Draws, listed } from './draws.js'
import { KEYS, misplacedCardNumber } from './secrets.js'

const TEXTS = [
  ...listed(
    '¦ ¦\t¦\0¦\r\nSet-Cookie: a=b¦%¦%00¦+¦"¦\'¦`¦\\¦[]¦{}¦[object Object]¦null¦undefined¦true¦NaN¦é¦🍷¦\u202e\u0000\ufeff¦\uffff',
    "<script>alert(1)</script>¦{{7*7}}¦../../etc/passwd¦' OR 1=1 --¦/(a+)+$/¦__proto__¦constructor¦0¦-1¦1.5¦1e3¦0x10¦٣¦９¦9007199254740991",
    '9007199254740993¦Infinity¦-0¦00¦2026-02-30¦2026-03-01T18:00:00+02:00¦9999-12-31T23:59:59.999Z¦+010000-01-01¦0000-01-01¦P1D¦1h¦us¦USD¦zz¦a@b',
    'a@example.com¦@¦txn_none¦*¦?¦#¦&¦=¦;'
  ),
  '${7*7}',
  '1'.repeat(400),
  'a'.repeat(300),
  'é'.repeat(5000),
  'x'.repeat(20_000),
  `"card":{"number":"1`
]

export const hostileText = (draws: Draws): string =>
  draws.way([
    [20, () => draws.pick(TEXTS)],
    [1, () => misplacedCardNumber(draws)],
    [1, () => misplacedCardNumber(draws).replace(/\d{4}(?=\d)/g, '$& ')],
    [1, () => `before ${misplacedCardNumber(draws)} after`],
    [2, () => draws.word(draws.below(40))],
    [
      1,
      () =>
        String.fromCodePoint(...Array.from({ length: draws.below(20) }, () => draws.below(0xd800)))
    ]
  ])

export const hostileWord = (draws: Draws): string =>
  draws.chance(5) ? draws.pick(KEYS) : hostileText(draws)

const LEAVES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  1.5,
  '',
  'x',
  [],
  {},
  ['x'],
  { x: 1 },
  '\0',
  '__proto__'
]

export function hostileJson(draws: Draws, depth = 3): unknown {
  if (depth === 0 || draws.chance(30))
    return draws.way<unknown>([
      [8, () => draws.pick(LEAVES)],
      [8, () => hostileText(draws)],
      [1, () => Number(misplacedCardNumber(draws))]
    ])
  if (draws.chance(40))
    return Array.from({ length: draws.below(4) }, () => hostileJson(draws, depth - 1))
  const names = [
    'a',
    '__proto__',
    'constructor',
    'id',
    'tickets',
    'x'.repeat(50),
    '',
    '\0',
    'extra'
  ]
  return Object.fromEntries(
    Array.from({ length: draws.below(4) }, () => [draws.pick(names), hostileJson(draws, depth - 1)])
  )
}

export function deepJson(draws: Draws): string {
  const depth = draws.pick([100, 2000, 10_000, 100_000])
  return draws.chance(50)
    ? `${'['.repeat(depth)}${']'.repeat(depth)}`
    : `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
}

export function encoded(text: string, draws: Draws): string {
  if (draws.chance(2)) return text.replace(/[\r\n\0 ]/g, '')
  return [...Buffer.from(text)]
    .map(byte =>
      /[\w.~-]/.test(String.fromCharCode(byte))
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).padStart(2, '0')}`
    )
    .join('')
}
