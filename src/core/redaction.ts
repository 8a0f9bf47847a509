/** Keeps card data and API keys out of what is shown: errors, logs and the journal (A25). */
import { type Schema, schemaOf } from '../reference/parameters.js'
import { CREATE_TRANSACTION } from '../reference/transactions.js'

/** What stands where something was masked. */
export const MASK = '***'
const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '')
/** The names of the parameters that are used and forgotten, and what people call them elsewhere. */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  ...secretsIn(schemaOf(CREATE_TRANSACTION)),
  ...['cardnumber', 'pan', 'cvc', 'cvc2', 'cvv', 'cvv2', 'cardcsc', 'securitycode', 'apikey', 'password', 'authorization']
])

function secretsIn(schema: Schema): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, part]) => (part['x-secret'] ? [plain(name)] : secretsIn(part)))
}

/** Whether what has this name is kept nowhere, however the name is written. */
export const isSecretName = (name: string): boolean => SECRET_NAMES.has(plain(name))

/** A name and a value of JSON, which a client may have sent where form encoding belongs. */
const JSON_PAIR = /"([^"\\]{1,40})"\s*:\s*(?:"(?:[^"\\]|\\.)*"?|[^\s,{}[\]"]+)/g

/** Thirteen digits or more, however they are grouped. */
const DIGIT_RUN = /\d(?:[ -]?\d){12,}/g
const LONGEST = 19
const SHORTEST = 13

/** The Luhn checksum of the digits holds. */
function isLuhnValid(digits: string): boolean {
  let sum = 0
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index])
    const doubled = digit * 2
    sum += index % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

/** The run with every Luhn-valid stretch of 13 to 19 digits masked, wherever in the run it starts; stretches may overlap. */
function maskedRun(run: string): string {
  const places = [...run.matchAll(/\d/g)].map(match => match.index)
  const digits = places.map(place => run[place]).join('')
  const shown = [...run]
  for (let start = 0; start + SHORTEST <= digits.length; start++) {
    for (let end = start + SHORTEST; end <= Math.min(start + LONGEST, digits.length); end++) {
      if (isLuhnValid(digits.slice(start, end))) for (const place of places.slice(start, end)) shown[place] = '*'
    }
  }
  return shown.join('')
}

/** The text with every card number, and each of the API keys where it stands as a word, masked. */
export const masked = (text: string, keys: readonly string[] = []): string => withoutKeys(text.replace(DIGIT_RUN, maskedRun), keys)

/** The text with all of that masked, and what JSON in it says under a secret name. */
export function withoutSecrets(text: string, keys: readonly string[] = []): string {
  return masked(text.includes('"') ? text.replace(JSON_PAIR, (pair, name) => (isSecretName(name) ? `"${name}":"${MASK}"` : pair)) : text, keys)
}

const escaped = (key: string) => key.replace(/\W/g, '\\$&')
const PATTERNS = new WeakMap<readonly string[], RegExp>()

/** Makes ready to look for a list of keys again and again. */
export function expected(keys: readonly string[]): readonly string[] {
  if (keys.length > 0) PATTERNS.set(keys, new RegExp(keys.map(escaped).join('|')))
  return keys
}

/** The text with each of the API keys, where it stands as a word, masked. */
export function withoutKeys(text: string, keys: readonly string[]): string {
  if (PATTERNS.get(keys)?.test(text) === false) return text
  const present = keys.filter(key => text.includes(key))
  if (present.length === 0) return text
  return present.sort((a, b) => b.length - a.length).reduce((rest, key) => rest.replace(new RegExp(`(?<!\\w)${escaped(key)}(?!\\w)`, 'g'), MASK), text)
}
