/** What the named formats of the parameter tables mean (ADDR-2, TXN-6, USR-3, A22, A25, A30). */
import ajvFormats from 'ajv-formats/dist/formats.js'
import { iso31661 } from 'iso-3166'
import type { Format } from '../reference/parameters.js'
import { instantOf, instantProblem } from './instants.js'

const COUNTRIES = new Set(iso31661.map(country => country.alpha2))
const CURRENCIES = new Set(Intl.supportedValuesOf('currency').map(currency => currency.toLowerCase()))
const EMAIL = ajvFormats.fullFormats.email as RegExp

type Check = {
  holds: (value: string) => boolean
  expected: (value: string) => string
  /** The value as it is kept. */
  kept?: (value: string) => string
}

export const FORMATS: Record<Format, Check> = {
  email: { holds: value => EMAIL.test(value), expected: () => 'an e-mail address was expected, such as ana@example.com' },
  country: {
    holds: value => /^[a-z]{2}$/i.test(value) && COUNTRIES.has(value.toUpperCase()),
    expected: () => 'a two-letter ISO 3166-1 country code was expected, such as US',
    kept: value => value.toUpperCase()
  },
  currency: {
    holds: value => CURRENCIES.has(value),
    expected: value =>
      CURRENCIES.has(value.toLowerCase())
        ? `the code is written in lower case: ${value.toLowerCase()}`
        : 'a three-letter ISO 4217 currency code in lower case was expected, such as usd'
  },
  instant: { holds: value => instantOf(value) !== null, expected: instantProblem },
  last4: { holds: value => /^\d{4}$/.test(value), expected: () => 'four digits were expected, such as 4242' }
}
