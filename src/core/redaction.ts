/** Keeps card data and API keys out of what is shown: errors, logs and the journal (A25). */
import type { Schema } from '../reference/parameters.js'
import { PARAMETER_TABLES } from '../reference/tables.js'
import { FormList, type FormNode, FormObject } from './form.js'

/** What stands where something was masked. */
export const MASK = '***'
const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '')
/** Every parameter that the reference names, nested ones too. */
const PARAMETERS = PARAMETER_TABLES.flatMap(parametersIn)

function parametersIn({ properties = {} }: Schema): { name: string; isSecret: boolean }[] {
  return Object.entries(properties).flatMap(([name, part]) => [{ name, isSecret: part['x-secret'] === true }, ...parametersIn(part)])
}

/** The names of the parameters that are used and forgotten, and what people call them elsewhere. */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  ...PARAMETERS.filter(({ isSecret }) => isSecret).map(({ name }) => plain(name)),
  ...['cardnumber', 'pan', 'cvc', 'cvc2', 'cvv', 'cvv2', 'cardcsc', 'securitycode', 'apikey', 'password', 'authorization']
])

/** The names of the reference that hold nothing secret; most names that clients send are among them. */
export const OPEN_NAMES: ReadonlySet<string> = new Set(PARAMETERS.map(({ name }) => name).filter(name => !SECRET_NAMES.has(plain(name))))

/** Whether what has this name is kept nowhere, however the name is written. */
export const isSecretName = (name: string): boolean => !OPEN_NAMES.has(name) && SECRET_NAMES.has(plain(name))

/** A name and a value of JSON, which a client may have sent where form encoding belongs. */
const JSON_PAIR = /"([^"\\]{1,40})"\s*:\s*(?:"(?:[^"\\]|\\.)*"?|[^\s,{}[\]"]+)/g

/** Thirteen digits or more, however they are grouped. */
const DIGIT_RUN = /\d(?:[ -]?\d){12,}/g
const HAS_DIGIT_RUN = new RegExp(DIGIT_RUN, '')
const LONGEST = 19
const SHORTEST = 13

/** The run with every Luhn-valid stretch of 13 to 19 digits masked, wherever in the run it starts; stretches may overlap. */
function maskedRun(run: string): string {
  const places = Array.from(run, (_, place) => place).filter(place => isDigit(run, place))
  const sums = luhnSums(places.map(place => Number(run[place])))
  const shown = [...run]
  let done = 0
  for (let start = 0; start + SHORTEST <= places.length; start++) {
    for (let end = Math.min(start + LONGEST, places.length); end >= Math.max(start + SHORTEST, done + 1); end--) {
      // counted from the right every second digit is doubled: those whose parity is that of the end
      const sum = sums[end % 2] as number[]
      if (((sum[end] as number) - (sum[start] as number)) % 10 !== 0) continue
      for (const place of places.slice(Math.max(start, done), end)) shown[place] = '*'
      done = end
      break
    }
  }
  return shown.join('')
}

const isDigit = (text: string, place: number) => text[place] !== ' ' && text[place] !== '-'

/** The Luhn sums of the digits before each place: once with those at even places doubled, once with those at odd ones. */
function luhnSums(digits: readonly number[]): readonly number[][] {
  return [0, 1].map(parity => {
    const sums = [0]
    for (const [place, digit] of digits.entries()) {
      const doubled = digit > 4 ? digit * 2 - 9 : digit * 2
      const counted = place % 2 === parity ? doubled : digit
      sums.push((sums[place] as number) + counted)
    }
    return sums
  })
}

/** The text with every card number, and each of the API keys where it stands as a word, masked. */
export const masked = (text: string, keys: readonly string[] = []): string =>
  withoutKeys(HAS_DIGIT_RUN.test(text) ? text.replace(DIGIT_RUN, maskedRun) : text, keys)

/** The text with all of that masked, and what JSON in it says under a secret name. */
export function withoutSecrets(text: string, keys: readonly string[] = []): string {
  if (text.length < SHORTEST && (PATTERNS.get(keys)?.shortest ?? 0) > text.length && !text.includes('"')) return text
  return masked(text.includes('"') ? text.replace(JSON_PAIR, (pair, name) => (isSecretName(name) ? `"${name}":"${MASK}"` : pair)) : text, keys)
}

/** Whether a card number or one of the API keys may be in the text. */
export const isSecretIn = (text: string, keys: readonly string[]): boolean => HAS_DIGIT_RUN.test(text) || isKeyIn(text, keys)

const escaped = (key: string) => key.replace(/\W/g, '\\$&')
/** Keys that are looked for again and again. */
const PATTERNS = new WeakMap<readonly string[], { any: RegExp; shortest: number }>()

/** The keys, ready to be looked for again and again. */
export function compileKeyPattern(keys: readonly string[]): readonly string[] {
  if (keys.length > 0) PATTERNS.set(keys, { any: new RegExp(keys.map(escaped).join('|')), shortest: Math.min(...keys.map(key => key.length)) })
  return keys
}

/** The text with each of the API keys, where it stands as a word, masked. */
export function withoutKeys(text: string, keys: readonly string[]): string {
  if (!isKeyIn(text, keys)) return text
  const present = keys.filter(key => text.includes(key))
  return present.sort((a, b) => b.length - a.length).reduce((rest, key) => rest.replace(new RegExp(`(?<!\\w)${escaped(key)}(?!\\w)`, 'g'), MASK), text)
}

const isKeyIn = (text: string, keys: readonly string[]): boolean => PATTERNS.get(keys)?.any.test(text) ?? keys.some(key => text.includes(key))

/** Masks what is secret in a form, in place: values of secret names, card numbers and API keys wherever they are. */
export function redactForm(form: FormObject, keys: readonly string[]): void {
  let isRenamed = false
  form.parts.each((node, name) => {
    const isOpen = OPEN_NAMES.has(name)
    const shown = isOpen ? name : redactedName(name, keys)
    isRenamed ||= shown !== name
    // an empty value says nothing, and evidence has to see that it was empty
    if (!isOpen && node !== '' && (shown === MASK || isSecretName(name))) form.parts.set(name, MASK)
    else redactNode(form, name, node, keys)
  })
  if (isRenamed) rename(form, name => (OPEN_NAMES.has(name) ? name : redactedName(name, keys)))
}

function redactNode(form: FormObject, name: string, node: FormNode, keys: readonly string[]): void {
  if (node instanceof FormObject) redactForm(node, keys)
  else if (node instanceof FormList)
    node.items.forEach((item, place) => {
      node.items[place] = withoutSecrets(item, keys)
    })
  else {
    const shown = withoutSecrets(node, keys)
    if (shown !== node) form.parts.set(name, shown)
  }
}

function rename({ parts }: FormObject, nameOf: (name: string) => string): void {
  const named = parts.entries().map(([name, node]) => [nameOf(name), node] as const)
  parts.clear()
  for (const [name, node] of named) parts.set(name, node)
}

/** A name that is no name, but JSON, or a piece of it, sent as a form, is masked whole. */
const redactedName = (name: string, keys: readonly string[]) => (/["{}]/.test(name) ? MASK : withoutSecrets(name, keys))

/** A value with every card number in its texts, and every number that is one, masked. */
export function maskedThroughout<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_name, part) => {
    if (typeof part !== 'string' && typeof part !== 'number') return part
    const shown = masked(String(part))
    return shown === String(part) ? part : shown
  })
}
