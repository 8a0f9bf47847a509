/**
 * What the named formats of the parameter tables mean (ADDR-2, TXN-6, USR-3, A22, A25, A30, A38).
 */
import { currencies } from 'countries-list/currencies'
import { iso31661 } from 'iso-3166'
import type { AssumptionId } from '../reference/assumptions.js'
import type { Format as FormatName } from '../reference/parameters.js'
import { durationExpected, durationOf, instantProblem, parseInstant } from './instants.js'

/** `assumption` is set if it refuses the value, even if the parameter has a rule. */
export type FormatProblem = { expected: string; assumption?: AssumptionId }
/** What is wrong with a value, how it is stored, and which assumption that relies on. */
export type Format = {
  problem: (value: string) => FormatProblem | null
  stored?: (value: string) => string
  reliesOn?: (value: string) => AssumptionId | null
}

/** An email address of RFC 5321, with RFC 6531's letters beyond ASCII (USR-3, A30). */
const MALFORMED: FormatProblem = { expected: 'must be an email address, such as ana@example.com' }
/** Correct by the syntax alone. */
const UNUSUAL: FormatProblem = {
  expected: `${MALFORMED.expected}, with printable characters and a domain name that has a dot`,
  assumption: 'A30'
}

/** In octets (RFC 5321 4.5.3.1, RFC 1035 2.3.4). */
const MAX_LENGTHS = { address: 254, local: 64, domain: 253, label: 63 }

const DOT_STRING =
  /^[\w!#$%&'*+\-/=?^`{|}~\u{80}-\u{10ffff}]+(?:\.[\w!#$%&'*+\-/=?^`{|}~\u{80}-\u{10ffff}]+)*$/u
const QUOTED_STRING = /^"(?:[ !#-[\]-~\u{80}-\u{10ffff}]|\\[ -~])*"$/u
/** White space and control characters, which the syntax allows, and halves of surrogate pairs. */
const UNPRINTABLE = /(?! )[\u{80}-\u{9f}\p{Z}\p{Cs}]/u
const ASCII_LABEL = /^[a-z\d](?:[a-z\d-]*[a-z\d])?$/i
/** Letters, marks and digits, and the other characters that RFC 5892 allows as exceptions. */
const UNICODE_LABEL =
  /^[\p{L}\p{Nd}](?:[\p{L}\p{M}\p{Nd}\u{b7}\u{375}\u{5f3}\u{5f4}\u{30fb}-]|\u{200c}|\u{200d})*(?<!-)$/u
const ADDRESS_LITERAL = /^\[(?:\d{1,3}(?:\.\d{1,3}){3}|[a-z\d-]*[a-z\d]:[!-Z^-~]+)\]$/i

/** The usual address, valid if it is short. */
const USUAL = /^[\w+-]+(?:\.[\w+-]+)*@(?:[a-z\d]+(?:-+[a-z\d]+)*\.)+[a-z]+$/i

function emailProblem(text: string): FormatProblem | null {
  if (text.length <= MAX_LENGTHS.label && USUAL.test(text)) return null
  if (Buffer.byteLength(text) > MAX_LENGTHS.address) return MALFORMED
  const [, local = '', domain = ''] = /^(.*)@(.*)$/s.exec(text) ?? []
  const isLocal = DOT_STRING.test(local) || QUOTED_STRING.test(local)
  if (!isLocal || Buffer.byteLength(local) > MAX_LENGTHS.local) return MALFORMED
  if (ADDRESS_LITERAL.test(domain)) return UNUSUAL
  const labels = domain.split('.').map(asciiLabel)
  const isDomain = labels.every(({ length }) => length > 0 && length <= MAX_LENGTHS.label)
  if (!isDomain || labels.join('.').length > MAX_LENGTHS.domain) return MALFORMED
  return labels.length === 1 || UNPRINTABLE.test(local) ? UNUSUAL : null
}

/** A DNS label in ASCII (Punycode); empty if it is not one. */
function asciiLabel(label: string): string {
  if (ASCII_LABEL.test(label)) return label
  const url = `http://${label}.example`
  return UNICODE_LABEL.test(label) && URL.canParse(url)
    ? new URL(url).hostname.slice(0, -'.example'.length)
    : ''
}

const COUNTRIES: ReadonlySet<string> = new Set(iso31661.map(country => country.alpha2))
const UNITED_KINGDOM = 'must be an ISO 3166-1 country code; the United Kingdom is GB'
const CURRENCIES: ReadonlySet<string> = new Set(
  Object.entries(currencies).flatMap(([code, { withdrawn }]) =>
    withdrawn ? [] : code.toLowerCase()
  )
)

export const NOT_BLANK = '\\S'

export const FORMATS: Readonly<Record<FormatName | 'default_currency' | 'duration', Format>> = {
  email: { problem: emailProblem },
  country: {
    problem: value => {
      if (/^[a-z]{2}$/i.test(value) && COUNTRIES.has(value.toUpperCase())) return null
      return {
        expected: /^uk$/i.test(value)
          ? UNITED_KINGDOM
          : 'must be a two-letter ISO 3166-1 country code, such as US'
      }
    },
    stored: value => value.toUpperCase(),
    reliesOn: value => (value === value.toUpperCase() ? null : 'A30')
  },
  currency: {
    problem: value => {
      if (CURRENCIES.has(value)) return null
      const code = value.toLowerCase()
      return {
        expected: CURRENCIES.has(code)
          ? `must be a currency code in lower case; write ${code}`
          : 'must be a three-letter ISO 4217 currency code in lower case, such as usd'
      }
    }
  },
  default_currency: {
    problem: value => (value === 'required' ? null : FORMATS.currency.problem(value))
  },
  duration: {
    problem: value => (durationOf(value) === null ? { expected: durationExpected(value) } : null)
  },
  instant: {
    problem: value => (parseInstant(value) === null ? instantProblem(value) : null)
  },
  last4: {
    problem: value =>
      /^\d{4}$/.test(value) ? null : { expected: 'must be four digits, such as 4242' }
  }
}
