/** Formats as JSON Schema, without lookaround, `\d` or `\w`, which engines read differently. */
import { COUNTRIES, CURRENCIES, NOT_BLANK } from '../../core/formats.js'
import type { Format } from '../../reference/parameters.js'

type Json = Record<string, unknown>

const oneOf = (...alternatives: readonly string[]) => `(?:${alternatives.join('|')})`

const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]"
/** At most 64 characters before the @, and 63 in a label. */
const LOCAL = oneOf(
  `${ATOM}{1,64}`,
  `${ATOM}{1,32}\\.${ATOM}{1,31}`,
  `${ATOM}{1,16}(?:\\.${ATOM}{1,15}){2,3}`
)
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
const EMAIL = `${LOCAL}@(?:${LABEL}\\.)+[A-Za-z]{2,63}`

/** From 0001 to 9998: no offset leads out of the years 0 to 9999. */
const YEAR = oneOf(
  '000[1-9]',
  '00[1-9][0-9]',
  '0[1-9][0-9]{2}',
  '[1-8][0-9]{3}',
  '9[0-8][0-9]{2}',
  '99[0-8][0-9]',
  '999[0-8]'
)
const LEAP_YEAR = oneOf(
  '[0-9]{2}(?:0[48]|[2468][048]|[13579][26])',
  '(?:[02468][048]|[13579][26])00'
)

/** A calendar date, an ordinal date or a week date; week 53, which few years have, is left out. */
function date(dash: string): string {
  const monthAndDay = oneOf(
    `(?:0[1-9]|1[0-2])${dash}(?:0[1-9]|1[0-9]|2[0-8])`,
    `(?:0[13-9]|1[0-2])${dash}(?:29|30)`,
    `(?:0[13578]|1[02])${dash}31`
  )
  const dayOfYear = '(?:00[1-9]|0[1-9][0-9]|[12][0-9]{2}|3[0-5][0-9]|36[0-5])'
  const week = `W(?:0[1-9]|[1-4][0-9]|5[0-2])${dash}[1-7]`
  return oneOf(
    `${YEAR}${dash}${oneOf(monthAndDay, dayOfYear, week)}`,
    `${LEAP_YEAR}${dash}02${dash}29`
  )
}

const HOUR = '(?:[01][0-9]|2[0-3])'
const SIXTIETH = '[0-5][0-9]'
const FRACTION = '(?:[.,][0-9]+)?'
const TIME = oneOf(
  `${HOUR}(?::?${SIXTIETH})?${FRACTION}`,
  `${HOUR}${oneOf(`:${SIXTIETH}:`, SIXTIETH)}${SIXTIETH}${FRACTION}`,
  '24(?::00(?::00)?|00(?:00)?)?'
)
const ZONE = `(?:[Zz]|[+-]${HOUR}(?::?${SIXTIETH})?)?`
/** As clients write the last instant. */
const LAST = '9999-12-31(?:[Tt]23:59(?::59(?:[.,]9+)?)?[Zz]?)?'
const INSTANT = oneOf(`${oneOf(date('-'), date(''))}(?:[Tt]${TIME}${ZONE})?`, LAST)

/** Codes, as alternatives that begin with all but their last letters. */
function codes(of: ReadonlySet<string>): string {
  const endings = new Map<string, string>()
  for (const code of of)
    endings.set(code.slice(0, -1), (endings.get(code.slice(0, -1)) ?? '') + code.slice(-1))
  return oneOf(...Array.from(endings, ([start, ends]) => `${start}[${ends}]`).sort())
}
const COUNTRY = codes(COUNTRIES)
/** `A[DE]` → `[Aa][DdEe]` */
const inAnyCase = (text: string) =>
  text
    .replaceAll(/[A-Z](?=\[)/g, '[$&]')
    .replaceAll(/[A-Z]/g, letter => letter + letter.toLowerCase())

type Pattern = { text: string; longest?: number; shortest?: number }
const PATTERNS: Readonly<Record<Format, Pattern>> = {
  email: { text: EMAIL, longest: 254 },
  instant: { text: INSTANT },
  country: { text: COUNTRY, shortest: 2, longest: 2 },
  currency: { text: codes(CURRENCIES), shortest: 3, longest: 3 },
  last4: { text: '[0-9]{4}', shortest: 4, longest: 4 }
}

const formatOf = ({ text, shortest, longest }: Pattern, mayBeEmpty: boolean): Json => ({
  ...(shortest !== undefined && !mayBeEmpty && { minLength: shortest }),
  ...(longest !== undefined && { maxLength: longest }),
  pattern: mayBeEmpty ? `^(?:${text})?$` : `^${text}$`
})

/** Without that of email: those who read it disagree on what an address is. */
export const sentFormat = (name: Format, mayBeEmpty: boolean): Json =>
  formatOf(
    name === 'country' ? { ...PATTERNS.country, text: inAnyCase(COUNTRY) } : PATTERNS[name],
    mayBeEmpty
  )

/** A format of a response. An email address may have letters that the pattern does not. */
export function responseFormat(name: Format): Json {
  if (name === 'email') return {}
  return name === 'instant' ? { format: 'date-time' } : formatOf(PATTERNS[name], false)
}

/** A required text is not of white space alone (A40). */
export const requiredText = (isClearable: boolean): Json =>
  isClearable ? { pattern: `^$|${NOT_BLANK}` } : { minLength: 1, pattern: NOT_BLANK }
