/** Secrets to send that must not come back, in forms that can be recognised anywhere. */
import type { Draws } from './draws.js'

/** API keys of every scenario that the run loads. */
export const KEYS = ['sk_test_merchant', 'sk_test_merchant_bakery', 'sk_test_reseller']

const SEPARATORS = [
  '',
  '',
  '',
  ' ',
  '-',
  '.',
  '/',
  '_',
  ',',
  ':',
  '|',
  '\u00a0',
  '\u200b',
  '\ufeff'
]

/** A card number in its own parameter, which must not appear anywhere. */
export const usedCardNumber = (draws: Draws) =>
  (draws.cardNumber('4539').match(/\d{4}/g) as string[]).join(draws.pick(SEPARATORS))
/** A card number in a stored field, which only records and the state may show. */
export const misplacedCardNumber = (draws: Draws) => draws.cardNumber('4929')
/** A security code, token, account number or the like in its own parameter. */
export const usedSecret = (draws: Draws) => `zq${draws.word(14)}qz`
/** An API key that no sandbox has, sent by mistake or in the Authorization header. */
export const unknownKey = (draws: Draws) => `sk_own${draws.word(16)}`

/** A JSON number is not a secret: it may be an amount, and is shown as it is. */
const CARD_NUMBER =
  /(?<![\d.:,[])(4539|4929)[ ./_,:|\u00a0\u200b\ufeff-]?\d{4}[ ./_,:|\u00a0\u200b\ufeff-]?\d{4}[ ./_,:|\u00a0\u200b\ufeff-]?\d{4}/g
const USED_SECRET = /zq[a-z0-9]{14}qz/
const OWN_KEY = /sk_own[a-z0-9]{16}(?!\w)/
const KNOWN_KEY = new RegExp(`(?<!\\w)(${KEYS.join('|')})(?!\\w)`)

/** What a text may show: API keys in fixtures, misplaced card numbers in records. */
export type Allowed = { keys: boolean; misplaced: boolean }

export function leaksIn(text: string, allowed: Allowed): string[] {
  const leaks: string[] = []
  for (const [number, beginning] of text.matchAll(CARD_NUMBER))
    if (isLuhnValid(number.replace(/\D/g, '')) && !(beginning === '4929' && allowed.misplaced))
      leaks.push(`the card number ${number}`)
  const secret = USED_SECRET.exec(text)
  if (secret) leaks.push(`the used secret ${secret[0]}`)
  const own = OWN_KEY.exec(text)
  if (own) leaks.push(`the caller's key ${own[0]}`)
  const known = allowed.keys ? null : KNOWN_KEY.exec(text)
  if (known) leaks.push(`the API key ${known[0]}`)
  return leaks
}

function isLuhnValid(digits: string): boolean {
  const sum = [...digits].reverse().reduce((sum, digit, index) => {
    const doubled = Number(digit) * (index % 2 === 0 ? 1 : 2)
    return sum + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return sum % 10 === 0
}
