/** Formats without lookaround, `\d` or `\w`, on which engines disagree. */
import { COUNTRIES, CURRENCIES, NOT_BLANK } from '../../core/formats.js'
import type { Format } from '../../reference/parameters.js'

type Json = Record<string, unknown>

const oneOf = (alternatives: Iterable<string>) => `(?:${[...alternatives].join('|')})`

const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]"
/** At most 64 characters before the @. */
const LOCAL = oneOf([
  `${ATOM}{1,64}`,
  `${ATOM}{1,32}\\.${ATOM}{1,31}`,
  `${ATOM}{1,16}(?:\\.${ATOM}{1,15}){2,3}`
])
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
const EMAIL = `${LOCAL}@(?:${LABEL}\\.)+[A-Za-z]{2,63}`

/** A calendar date, perhaps with a time, without the rare ordinal and week dates. */
const DATE = oneOf([
  '[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])',
  '[0-9]{4}-(?:0[13-9]|1[0-2])-(?:29|30)',
  '[0-9]{4}-(?:0[13578]|1[02])-31',
  '(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29'
])
const CLOCK = '(?:[01][0-9]|2[0-3]):[0-5][0-9]'
const INSTANT = `${DATE}(?:[Tt]${CLOCK}(?::[0-5][0-9](?:\\.[0-9]+)?)?(?:[Zz]|[+-]${CLOCK})?)?`

const inBothCases = (codes: Iterable<string>) =>
  [...codes].flatMap(code => [code, code.toLowerCase()])

type Pattern = { text: string; minLength?: number; maxLength?: number }
const PATTERNS: Readonly<Record<Format, Pattern>> = {
  email: { text: EMAIL, maxLength: 254 },
  instant: { text: INSTANT },
  country: { text: oneOf(inBothCases(COUNTRIES)), minLength: 2, maxLength: 2 },
  currency: { text: oneOf(CURRENCIES), minLength: 3, maxLength: 3 },
  last4: { text: '[0-9]{4}', minLength: 4, maxLength: 4 }
}

/** Without `format: email`, on which validators disagree. */
export function sentFormat(name: Format, mayBeEmpty: boolean): Json {
  const { text, ...lengths } = PATTERNS[name]
  return mayBeEmpty
    ? { maxLength: lengths.maxLength, pattern: `^(?:${text})?$` }
    : { ...lengths, pattern: `^${text}$` }
}

/** A required text must not be blank (A40). */
export const requiredText = (mayBeEmpty: boolean): Json =>
  mayBeEmpty ? { pattern: `^$|${NOT_BLANK}` } : { minLength: 1, pattern: NOT_BLANK }
