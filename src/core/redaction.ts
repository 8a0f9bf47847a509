/** Keeps card data, API keys and the control token out of what is shown: errors, logs, the journal and reports (A25). */
import type { Schema } from '../reference/parameters.js'
import { PARAMETER_TABLES } from '../reference/tables.js'
import { LEAST_DIGITS, MOST_SEPARATORS, withoutCardNumbers } from './card-numbers.js'
import { FormList, FormObject } from './form.js'
import { MASK, NO_WORDS, type SecretWords } from './secret-words.js'

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

/** What may be shown below the objects that card data is sent in: the names that answers have there too. Everything else below them is secret, misspelt names among it. */
const OPEN_BELOW: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({ card: ['brand', 'last4'], bank_account: ['bank_name', 'last4'], bankaccount: ['bank_name', 'last4'] }).map(([name, open]) => [
    name,
    new Set(open)
  ])
)
const NOTHING: ReadonlySet<string> = new Set()

/** The names that may be shown below an object of this name; undefined where the object holds no card data. */
const openBelow = (name: string): ReadonlySet<string> | undefined => OPEN_BELOW.get(name) ?? OPEN_BELOW.get(plain(name))

/** The names of the reference that hold nothing secret, nor below them; most names that clients send are among them. */
export const OPEN_NAMES: ReadonlySet<string> = new Set(
  PARAMETERS.map(({ name }) => name).filter(name => !SECRET_NAMES.has(plain(name)) && openBelow(name) === undefined)
)

/** Whether a value with this name must never be kept, however the name is written. */
export const isSecretName = (name: string): boolean => !OPEN_NAMES.has(name) && SECRET_NAMES.has(plain(name))

/** Whether a value with this nested name must never be kept: because of the last part of the name, or because it is below an object that card data is sent in. */
export function isSecretPath(path: readonly string[]): boolean {
  if (isSecretName(path.at(-1) ?? '')) return true
  const holder = path.findIndex((name, at) => at < path.length - 1 && openBelow(name) !== undefined)
  return holder >= 0 && !(holder === path.length - 2 && openBelow(path[holder] as string)?.has(path.at(-1) as string))
}

/** A name and a value of JSON, which a client may have sent where form encoding belongs. */
const JSON_PAIR = /"([^"\\]{1,40})"\s*:\s*(?:"(?:[^"\\]|\\.)*"?|[^\s,{}[\]"]+)/g
/** An object or list of JSON under a name that card data is sent in, as far as the first end of one. */
const JSON_HOLDER = /"(card|bank_?account)"\s*:\s*[[{][^\]}]*[\]}]?/gi

/** The text with its secrets masked, encoded or not: card numbers, each of the words where it is by itself, and values of secret names in JSON. */
export function withoutSecrets(text: string, words: SecretWords = NO_WORDS): string {
  if (!hasSign(text) && (text.length < words.shortest || !words.sign.test(text))) return text
  let shown = withoutPlainSecrets(text, words)
  let decoded = shown
  for (let level = 0; level < MOST_LEVELS && IS_ENCODED.test(decoded); level++) {
    const deeper = percentDecoded(decoded)
    decoded = withoutPlainSecrets(deeper, words)
    if (decoded !== deeper) shown = decoded
  }
  return shown
}

const IS_ENCODED = /%[\da-f]{2}/i
/** How often a text may be percent-encoded, one in the other, for what it holds to be seen. */
const MOST_LEVELS = 4

/** What a character of ASCII may be the sign of: a digit of a number, JSON or percent-encoding, the start of digits or of credentials in base64. */
const DIGIT = 1
const ENCODING = 2
const BASE64_START = 4
const SIGNS = new Uint8Array(128)
for (const character of '0123456789') SIGNS[character.charCodeAt(0)] = DIGIT
for (const character of '"%') SIGNS[character.charCodeAt(0)] = ENCODING
for (const character of 'MNOBb') SIGNS[character.charCodeAt(0)] = BASE64_START
/** What follows such a start: the digit after it in base64, `Basic` and `Bearer`. */
const AFTER_START = 'DTjzaeAE'

/** Whether there is a sign of a secret in a text, apart from words: one look at each character, since most texts have none. */
function hasSign(text: string): boolean {
  let digits = 0
  let gap = 0
  for (let place = 0; place < text.length; place++) {
    const character = text.charCodeAt(place)
    if (character >= 0x80) return true
    const sign = SIGNS[character]
    if (sign !== DIGIT) {
      if (++gap > MOST_SEPARATORS) digits = 0
      if (sign !== 0 && (sign === ENCODING || AFTER_START.includes(text.charAt(place + 1)))) return true
    } else {
      gap = 0
      if (++digits === LEAST_DIGITS) return true
    }
  }
  return false
}

function withoutPlainSecrets(text: string, words: SecretWords): string {
  let shown = text
  if (text.includes('"')) {
    shown = text
      .replace(JSON_HOLDER, (_all, name) => `"${name}":"${MASK}"`)
      .replace(JSON_PAIR, (pair, name) => (isSecretName(name) ? `"${name}":"${MASK}"` : pair))
  }
  shown = words.maskedIn(withoutCardNumbers(shown))
  return MAY_BE_BASE64.test(shown) || words.sign.test(shown) ? withoutBase64(shown, words) : shown
}

/** The text with its percent-encoding undone as far as that is possible, without control characters. */
function percentDecoded(text: string): string {
  return text
    .replace(/(?:%[\da-f]{2})+/gi, run => {
      try {
        return decodeURIComponent(run)
      } catch {
        return run.replace(/%([0-7][\da-f])/gi, (_all, code) => String.fromCharCode(Number.parseInt(code, 16)))
      }
    })
    .replace(/\p{Cc}/gu, '?')
}

/** Nine digits in base64, at whichever byte they begin, or the words that credentials in base64 follow. */
const MAY_BE_BASE64 = /(?:[MNO][DTjz][AEIMQUYcgk][w-z0-5]){3}|[Bb]asic\s|BASIC\s|[Bb]earer\s/
const BASE64 = /[\w+/-]{8,}={0,2}/g

/** The text with every piece of base64 masked that holds a card number or one of the words; the piece may begin inside a longer word. */
function withoutBase64(text: string, words: SecretWords): string {
  return text.replace(BASE64, piece => {
    const isSecret = [0, 1, 2, 3].some(start => {
      const decoded = Buffer.from(piece.slice(start), 'base64').toString()
      return words.maskedIn(withoutCardNumbers(decoded)) !== decoded
    })
    return isSecret ? MASK : piece
  })
}

/** Masks what is secret in a form, in place: values of secret names but those in `open`, all that is not open below card data, card numbers and words wherever they are. */
export const redactForm = (form: FormObject, words: SecretWords, open: readonly string[] = []): void => redactParts(form, words, undefined, open)

/** `below` are the names that may be shown where the object is, or is within, card data; `named` are those that may be shown at the root. */
function redactParts(form: FormObject, words: SecretWords, below?: ReadonlySet<string>, named?: readonly string[]): void {
  let isRenamed = false
  for (const [name, node] of form) {
    const isOpen = OPEN_NAMES.has(name) || named?.includes(name) === true
    const shown = isOpen ? name : nameShown(name, words)
    isRenamed ||= shown !== name
    // an empty value says nothing, and evidence has to see that it was empty
    if (node === '') continue
    const isText = typeof node === 'string'
    const open = isOpen || below ? undefined : openBelow(name)
    const within = below ? NOTHING : open
    const isSecret = below
      ? isText && !below.has(name)
      : !isOpen && (shown === MASK || isSecretName(name) || (open !== undefined && named !== undefined && isText))
    if (isSecret) form.set(name, MASK)
    else if (node instanceof FormObject) redactParts(node, words, within)
    else if (node instanceof FormList) {
      node.items.forEach((item, place) => {
        node.items[place] = within !== undefined && item !== '' ? MASK : withoutSecrets(item, words)
      })
    } else {
      const text = withoutSecrets(node, words)
      if (text !== node) form.set(name, text)
    }
  }
  if (!isRenamed) return
  const renamed = [...form].map(([name, node]) => [nameShown(name, words), node] as const)
  form.clear()
  for (const [name, node] of renamed) form.set(name, node)
}

const nameShown = (name: string, words: SecretWords) => (OPEN_NAMES.has(name) || OPEN_BELOW.has(name) ? name : redactedName(name, words))
/** A name that is really JSON sent as a form, or a piece of that, is masked as a whole. */
const redactedName = (name: string, words: SecretWords) => (/["{}]/.test(name) ? MASK : withoutSecrets(name, words))

/** How the digest of a value is written where the value itself is not kept. */
export const IS_DIGEST = /^sha256:[\da-f]{64}$/

/** Data of JSON with everything secret in it masked: by name, below card data, and in texts and numbers wherever they are. Digests stay. */
export function maskedThroughout<T>(value: T, words: SecretWords = NO_WORDS): T {
  return maskedPart(value, words) as T
}

function maskedPart(value: unknown, words: SecretWords): unknown {
  if (typeof value === 'string' || typeof value === 'number') {
    const text = String(value)
    const shown = IS_DIGEST.test(text) ? text : withoutSecrets(text, words)
    return shown === text ? value : shown
  }
  if (Array.isArray(value)) return value.map(part => maskedPart(part, words))
  return eachPart(value, words, (part, name) => {
    if (isSecretPath(stepsIn(name))) return hidden(part)
    const open = openBelow(name)
    return open === undefined ? maskedPart(part, words) : maskedHolder(part, open, words)
  })
}

/** Card data with all but what is open by name masked; a text in its place says what kind it is. */
function maskedHolder(value: unknown, open: ReadonlySet<string>, words: SecretWords): unknown {
  if (Array.isArray(value)) return hidden(value)
  if (typeof value !== 'object') return maskedPart(value, words)
  return eachPart(value, words, (part, name) => (open.has(name) && typeof part !== 'object' ? maskedPart(part, words) : hidden(part)))
}

/** An object with each part shown in its own way; anything else as it is. */
function eachPart(value: unknown, words: SecretWords, show: (part: unknown, name: string) => unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [withoutSecrets(name, words), show(part, name)]))
}

/** What is shown in place of a secret value: the mask; null, an empty text and a digest reveal nothing, and are shown as they are. */
function hidden(value: unknown): unknown {
  if (value === null || value === '' || (typeof value === 'string' && IS_DIGEST.test(value))) return value
  return Array.isArray(value) ? value.map(hidden) : MASK
}

/** A nested name by its parts, in brackets or not. */
const stepsIn = (name: string): string[] => (name.includes('[') ? name.split(/[[\]]+/).filter(part => part !== '') : [name])
