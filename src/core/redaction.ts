/**
 * Keeps card data, API keys and the control token out of what is shown: errors, logs, the journal
 * and reports (A25).
 */
import type { Schema } from '../reference/parameters.js'
import { PARAMETER_TABLES } from '../reference/tables.js'
import { withoutCardNumbers } from './card-numbers.js'
import { type FormNode, FormObject } from './form.js'
import { MASK } from './mask.js'

/** The first characters of a word, compared before the whole. */
const HEAD = 4

/** Words that are masked wherever they occur: API keys and the control token. */
export class SecretWords {
  readonly #words: ReadonlySet<string>
  /** Longest first, so that a word is preferred to its own prefix. */
  readonly #lengths: readonly number[]
  readonly #heads: RegExp
  readonly #also: SecretWords | null

  /** `also` are words that are masked too. */
  constructor(words: Iterable<string>, also: SecretWords | null = null) {
    const all = Array.from(words, word => [word, Buffer.from(`${word}:`).toString('base64')]).flat()
    this.#words = new Set(all)
    this.#lengths = [...new Set(all.map(({ length }) => length))].sort((a, b) => b - a)
    const heads = new Set(all.map(word => word.slice(0, HEAD).replace(/\W/g, '\\$&')))
    this.#heads = new RegExp(`(?<!\\w)(?:${[...heads].join('|')})`, 'g')
    this.#also = also
  }

  has(word: string): boolean {
    return this.#words.has(word) || this.#also?.has(word) === true
  }

  /** Masks each of the words where it stands alone. */
  maskedIn(text: string): string {
    let masked = ''
    let done = 0
    const isShorter = text.length < (this.#lengths.at(-1) ?? Number.POSITIVE_INFINITY)
    const heads = isShorter || text.search(this.#heads) < 0 ? [] : text.matchAll(this.#heads)
    for (const { index } of heads) {
      const isWord = (length: number) =>
        this.#words.has(text.slice(index, index + length)) &&
        !/\w/.test(text.charAt(index + length))
      const length = index < done ? undefined : this.#lengths.find(isWord)
      if (length === undefined) continue
      masked += text.slice(done, index) + MASK
      done = index + length
    }
    masked += text.slice(done)
    return this.#also === null ? masked : this.#also.maskedIn(masked)
  }
}

export const NO_WORDS = new SecretWords([])

/** Names of what is never kept, and their common synonyms. */
const WORDS = String.raw`(?<![a-z\d])(?:(?:card)?(?:csc|cvc2?|cvv2?|pan|exp|expiry|(?<!page_)token|card_?number|security_?code)|payload|iban|routing(?:_?number)?|(?:bank)?account_?number|api_?key|password)`
const HOLDER = String.raw`(?:^|\.)(?:(?:credit_|debit_|payment_)?card|bank_?account)`
const IS_HOLDER = new RegExp(`${HOLDER}$`)
const IS_SECRET = new RegExp(
  [
    `${WORDS}(?![a-z\\d])`,
    // the whole name: a phone number is not a secret
    '(?:^|\\.)(?:number|authorization)(?:\\.|$)|(?:^|\\.)match\\.key$',
    // all card data, misspelt names included, except what a response shows of it
    `${HOLDER}[._](?!(?<=card.)(?:brand|last_?4)$|(?<=account.)(?:bank_name|last_?4)$)`
  ].join('|')
)
/** A value after its name, in JSON or a form, and a security code after its name anywhere. */
const NAMED = new RegExp(
  String.raw`((?:${WORDS}|(?<=["[.])number)\]?(?:="?|"\s*:\s*"?))(?:(?<=")(?:[^"\\]|\\.)*|(?<!")[^\s,;&{}[\]"]+)`,
  'gi'
)
/** Card data in JSON, up to the last bracket, whatever its names are. */
const HELD =
  /("(?:(?:credit|debit|payment)?_?card|bank_?account)"\s*:\s*)(?!\{(?:\s*"(?:brand|last_?4|bank_name)"\s*:\s*(?:null|"[^"\\]*"),?)*\s*\})[[{](?:.*[\]}]|.*)/gis
const CODE = /(?<![a-z])((?:csc|cvc|cvv)2?[\W_]{0,4})\d{3,4}(?!\d)/gi

const IS_NORMAL = /^[a-z\d]+(?:[._][a-z\d]+)*$/

/**
 * In small letters, with dots between parts and underscores between words: `cardToken[Value]` is
 * `card_token.value`.
 */
function normal(name: string): string {
  if (IS_NORMAL.test(name)) return name
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z\d]+/g, run => (/[[\].]/.test(run) ? '.' : '_'))
    .replace(/^[._]|[._]$/g, '')
}

/** Whether a value of this name must never be kept, however the name is spelled. */
export const isSecretName = (name: string): boolean => IS_SECRET.test(normal(name))

/** Names of the reference that need no masking: most that clients send. */
export function openNames(): ReadonlySet<string> {
  plainNames ??= new Set(
    PARAMETER_TABLES.flatMap(namesIn).filter(name => !isSecretName(name) && !IS_HOLDER.test(name))
  )
  return plainNames
}
const namesIn = ({ properties = {} }: Schema): string[] =>
  Object.entries(properties).flatMap(([name, part]) => [name, ...namesIn(part)])
/** Computed by the first request, to keep the start fast. */
let plainNames: ReadonlySet<string> | undefined

/** Masks card numbers, these words and values of secret names, percent-encoded or not. */
export function withoutSecrets(text: string, words: SecretWords = NO_WORDS): string {
  const masked = maskedText(text, words)
  if (!masked.includes('%')) return masked
  const decoded = readable(masked)
  const maskedDecoded = maskedText(decoded, words)
  return maskedDecoded === decoded ? masked : maskedDecoded
}

function maskedText(text: string, words: SecretWords): string {
  const named = /["=]|c[sv][cv]2?[\W_]{0,4}\d/i.test(text)
    ? text.replace(HELD, `$1${MASK}`).replace(NAMED, `$1${MASK}`).replace(CODE, `$1${MASK}`)
    : text
  return words.maskedIn(withoutCardNumbers(named))
}

/**
 * Percent-encoding undone as far as possible, without control characters; a tab is a space, since
 * it may group digits.
 */
export const readable = (text: string): string =>
  (text.includes('%') ? text.replace(/(?:%[\da-f]{2})+/gi, decodedRun) : text)
    .replaceAll('\t', ' ')
    .replace(/\p{Cc}/gu, '?')

function decodedRun(run: string): string {
  try {
    return decodeURIComponent(run)
  } catch {
    return run.replace(/%([0-7][\da-f])/gi, (_all, code) =>
      String.fromCharCode(Number.parseInt(code, 16))
    )
  }
}

/** Whether a value at a place is masked where it is shown. */
export const isSecret = (steps: readonly (string | number)[], text: string): boolean =>
  steps.some(step => isSecretName(String(step))) || withoutSecrets(text) !== text

export const IS_DIGEST = /^sha256:[\da-f]{64}$/

/**
 * Masks what is secret in data of JSON: by name, below card data, and in texts and numbers. Digests
 * stay.
 */
export const maskedThroughout = <T>(value: T, words: SecretWords = NO_WORDS): T =>
  masked(value, words, '') as T

function masked(value: unknown, words: SecretWords, path: string): unknown {
  if (typeof value === 'string' || typeof value === 'number') {
    const text = String(value)
    const masked = IS_DIGEST.test(text) ? text : withoutSecrets(text, words)
    return masked === text ? value : masked
  }
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof FormObject) return redactForm(value, words, [], path)
  if (Array.isArray(value)) return value.map(item => memberMasked(['0', item], words, path)[1])
  const members = Object.entries(value)
  return Object.fromEntries(members.map(member => memberMasked(member, words, path)))
}

/**
 * Masks a form in place, with texts in the place of card data; names in `open` are not secret, and
 * a name that is masked comes last.
 */
export function redactForm(
  form: FormObject,
  words: SecretWords,
  open: readonly string[] = [],
  path = ''
): FormObject {
  for (const member of [...form]) {
    const [name, part] = member
    const isOpen = path === '' && (openNames().has(name) || open.includes(name))
    const isCard =
      path === '' && !isOpen && typeof part === 'string' && IS_HOLDER.test(normal(name))
    const [maskedName, shownPart] = memberMasked(member, words, path, isOpen)
    const maskedPart = isCard ? hidden(part) : shownPart
    if (maskedName !== name) form.delete(name)
    if (maskedName !== name || maskedPart !== part) form.set(maskedName, maskedPart as FormNode)
  }
  return form
}

function memberMasked(
  [name, part]: readonly [name: string, part: unknown],
  words: SecretWords,
  under: string,
  isOpen = false
): [name: string, part: unknown] {
  const path = under === '' ? name : `${under}.${name}`
  if (isOpen) return [name, masked(part, words, path)]
  // a name that is really JSON is masked as a whole
  const maskedName = /["{}]/.test(name) ? MASK : withoutSecrets(name, words)
  const isSecret = maskedName === MASK || isSecretName(path)
  return [maskedName, isSecret ? hidden(part) : masked(part, words, path)]
}

/** Masks a value; null, empty text and digests reveal nothing and stay. */
function hidden(value: unknown): unknown {
  if (value === null || value === '' || (typeof value === 'string' && IS_DIGEST.test(value)))
    return value
  return Array.isArray(value) ? value.map(hidden) : MASK
}
