/**
 * What the named formats of the parameter tables mean (ADDR-2, TXN-6, USR-3, A22, A25, A30, A38).
 */
import { currencies } from 'countries-list/currencies'
import { iso31661 } from 'iso-3166'
import type { AssumptionId } from '../reference/assumptions.js'
import type { Format as FormatName } from '../reference/parameters.js'
import { durationExpected, durationOf } from './durations.js'
import { emailProblem } from './email.js'
import { instantProblem, parseInstant } from './instants.js'

/** `assumption` is set if it refuses the value, even if the parameter has a rule. */
export type FormatProblem = { expected: string; assumption?: AssumptionId }
/** What is wrong with a value, how it is stored, and which assumption that relies on. */
export type Format = {
  problem: (value: string) => FormatProblem | null
  stored?: (value: string) => string
  reliesOn?: (value: string) => AssumptionId | null
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
