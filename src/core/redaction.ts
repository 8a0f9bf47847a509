/** Keeps card data, API keys and the control token out of what is shown: errors, logs, the journal and reports (A25). */
import type { Schema } from '../reference/parameters.js'
import { PARAMETER_TABLES } from '../reference/tables.js'
import { withoutCardNumbers } from './card-numbers.js'
import { FormList, type FormObject } from './form.js'
import { MASK, NO_WORDS, type SecretWords } from './secret-words.js'

/** Objects that card data is sent in. */
const HOLDER = '(?:^|\\.)(?:(?:credit_|debit_|payment_)?card|bank_?account)'
const IS_HOLDER = new RegExp(`${HOLDER}$`)
/** What is named by its place: card data, and the API key that a script matches. */
const IS_PLACE = new RegExp(`${HOLDER}(?:\\.|$)|^match$`)
const IS_SECRET = new RegExp(
  [
    // words of a name: what is used and forgotten, and what people call it elsewhere
    '(?<![a-z\\d])(?:card)?(?:csc|cvc2?|cvv2?|pan|exp|expiry|(?<!page_)token|card_?number|security_?code)(?![a-z\\d])',
    '(?<![a-z\\d])(?:payload|iban|routing(?:number)?|(?:bank)?account_?number|api_?key|password)(?![a-z\\d])',
    // a name of its own: a phone number is not a secret
    '(?:^|\\.)(?:number|authorization)(?:\\.|$)|^match\\.key$',
    // all card data but what answers show of it too, misspelt names included
    `${HOLDER}[._](?!(?<=card.)(?:brand|last_?4)$|(?<=account.)(?:bank_name|last_?4)$)`
  ].join('|')
)

const IS_NORMAL = /^[a-z\d]+(?:[._][a-z\d]+)*$/
/** A nested name with a dot between its parts and an underscore between the words of one, in small letters: `cardToken[Value]` is `card_token.value`. */
function normal(name: string): string {
  if (IS_NORMAL.test(name)) return name
  const words = name.replace(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase()
  return words
    .replace(/[^a-z\d]*[[\].][^a-z\d]*/g, '.')
    .replace(/[^a-z\d.]+/g, '_')
    .replace(/^[._]|[._]$/g, '')
}

/** Whether a value with this name must never be kept, however the name is written; a nested name has brackets or dots. */
export const isSecretName = (name: string): boolean => IS_SECRET.test(normal(name))
const isHolder = (name: string) => IS_HOLDER.test(normal(name))
/** What the names of an object's parts are judged with: its own, where it matters. */
const placeOf = (name: string) => (name !== '' && IS_PLACE.test(normal(name)) ? `${name}.` : '')

/** The names of the reference that hold nothing secret, nor below them; most names that clients send are among them. */
export function openNames(): ReadonlySet<string> {
  found ??= new Set(PARAMETER_TABLES.flatMap(namesIn).filter(name => !isSecretName(name) && !isHolder(name)))
  return found
}
/** Found with the first request: a start needs none. */
let found: ReadonlySet<string> | undefined

function namesIn({ properties = {} }: Schema): string[] {
  return Object.entries(properties).flatMap(([name, part]) => [name, ...namesIn(part)])
}

/** The text with its secrets masked, percent-encoded or not: card numbers, each of the words where it is by itself, and values of secret names. */
export function withoutSecrets(text: string, words: SecretWords = NO_WORDS): string {
  const shown = maskedText(text, words)
  if (!shown.includes('%')) return shown
  const decoded = readable(shown)
  const masked = maskedText(decoded, words)
  return masked === decoded ? shown : masked
}

const maskedText = (text: string, words: SecretWords) => words.maskedIn(withoutCardNumbers(MAY_NAME.test(text) ? withoutNamed(text) : text))

/** Signs of JSON, of a form and of a security code, which a client may have sent where they do not belong. */
const MAY_NAME = /["=]|c[sv][cv]2?[\W_]{0,4}\d/i
const CODE = /(?<![a-z])((?:csc|cvc|cvv)2?[\W_]{0,4})\d{3,4}(?!\d)/gi
const NAME = /"([^"\\]{1,60})"\s*:\s*|(?<![\w.[\]-])([\w.[\]-]+)=/g
const VALUE = /"(?:[^"\\]|\\.)*"?|[[{](?:[^[\]{}]|[[{][^[\]{}]*[\]}]?)*[\]}]?|[^\s,;&{}[\]"]+/y

/** The text with the values of secret names masked, in JSON or after an equals sign, and security codes wherever they follow their name. */
function withoutNamed(text: string): string {
  let shown = ''
  let done = 0
  for (const { 0: all, 1: quoted, 2: name = quoted as string, index } of text.matchAll(NAME)) {
    VALUE.lastIndex = index + all.length
    if (index < done || !(isSecretName(name) || (isHolder(name) && /[[{]/.test(text.charAt(VALUE.lastIndex)))) || !VALUE.test(text)) continue
    shown += `${text.slice(done, index)}${all}${quoted === undefined ? MASK : `"${MASK}"`}`
    done = VALUE.lastIndex
  }
  return (shown + text.slice(done)).replace(CODE, `$1${MASK}`)
}

/** A text with its percent-encoding undone as far as that is possible, and without control characters; a tab is a space, since it may group digits. */
export const readable = (text: string): string => (text.includes('%') ? withoutControls(text.replace(/(?:%[\da-f]{2})+/gi, decodedRun)) : withoutControls(text))
const withoutControls = (text: string) => text.replaceAll('\t', ' ').replace(/\p{Cc}/gu, '?')

function decodedRun(run: string): string {
  try {
    return decodeURIComponent(run)
  } catch {
    return run.replace(/%([0-7][\da-f])/gi, (_all, code) => String.fromCharCode(Number.parseInt(code, 16)))
  }
}

/** Masks what is secret in a form, in place: values of secret names but those in `open`, all that is not open below card data, card numbers and words wherever they are. */
export function redactForm(form: FormObject, words: SecretWords, open: readonly string[] = [], name = ''): void {
  const place = placeOf(name)
  let isRenamed = false
  for (const [part, node] of form) {
    const isOpen = place === '' && (openNames().has(part) || open.includes(part))
    const shown = isOpen ? part : nameShown(part, words)
    isRenamed ||= shown !== part
    // an empty value says nothing, and evidence has to see that it was empty
    if (node === '') continue
    const path = place + part
    const isText = typeof node === 'string'
    if (node instanceof FormList) {
      const isSecret = !isOpen && isSecretName(`${path}.0`)
      for (const [index, item] of node.items.entries()) node.items[index] = isSecret && item !== '' ? MASK : withoutSecrets(item, words)
    } else if (!isOpen && (shown === MASK || isSecretName(path) || (name === '' && isText && isHolder(part)))) form.set(part, MASK)
    else if (!isText) redactForm(node, words, [], path)
    else {
      const text = withoutSecrets(node, words)
      if (text !== node) form.set(part, text)
    }
  }
  if (!isRenamed) return
  const named = [...form].map(([part, node]) => [nameShown(part, words), node] as const)
  form.clear()
  for (const [part, node] of named) form.set(part, node)
}

/** A name that is really JSON sent as a form, or a piece of that, is masked as a whole. */
const nameShown = (name: string, words: SecretWords) => (/["{}]/.test(name) ? MASK : withoutSecrets(name, words))

/** How the digest of a value is written where the value itself is not kept. */
export const IS_DIGEST = /^sha256:[\da-f]{64}$/

/** Data of JSON with everything secret in it masked: by name, below card data, and in texts and numbers wherever they are. Digests stay. */
export const maskedThroughout = <T>(value: T, words: SecretWords = NO_WORDS): T => maskedPart(value, words, '') as T

function maskedPart(value: unknown, words: SecretWords, name: string): unknown {
  if (typeof value === 'string' || typeof value === 'number') {
    const text = String(value)
    const shown = IS_DIGEST.test(text) ? text : withoutSecrets(text, words)
    return shown === text ? value : shown
  }
  if (typeof value !== 'object' || value === null) return value
  const place = placeOf(name)
  const show = (part: unknown, inner: string) => (isSecretName(place + inner) ? hidden(part) : maskedPart(part, words, place + inner))
  if (Array.isArray(value)) return value.map(part => show(part, '0'))
  return Object.fromEntries(Object.entries(value).map(([inner, part]) => [withoutSecrets(inner, words), show(part, inner)]))
}

/** What is shown in place of a secret value: the mask; null, an empty text and a digest reveal nothing, and are shown as they are. */
function hidden(value: unknown): unknown {
  if (value === null || value === '' || (typeof value === 'string' && IS_DIGEST.test(value))) return value
  return Array.isArray(value) ? value.map(hidden) : MASK
}
