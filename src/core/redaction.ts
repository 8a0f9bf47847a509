/** Keeps card numbers and API keys out of what is shown: errors, logs and the journal (A25). */

/** Thirteen digits or more, however they are grouped. */
const DIGIT_RUN = /\d(?:[ -]?\d){12,}/g
/** What could be an API key. */
const TOKEN = /[\w.~+/=-]{6,}/g
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

/** The positions of a run's characters that belong to a card number: a Luhn-valid stretch of 13 to 19 digits, wherever in the run it starts. */
function maskedRun(run: string): string {
  const places = [...run.matchAll(/\d/g)].map(match => match.index)
  const digits = places.map(place => run[place]).join('')
  const shown = [...run]
  for (let start = 0; start + SHORTEST <= digits.length; ) {
    let length = Math.min(LONGEST, digits.length - start)
    while (length >= SHORTEST && !isLuhnValid(digits.slice(start, start + length))) length--
    if (length < SHORTEST) start++
    else {
      for (const place of places.slice(start, start + length)) shown[place] = '*'
      start += length
    }
  }
  return shown.join('')
}

/** The text with every card number, and every API key that `isKey` knows, masked. */
export function masked(text: string, isKey: (token: string) => boolean = () => false): string {
  return text.replace(DIGIT_RUN, maskedRun).replace(TOKEN, token => (isKey(token) ? '***' : token))
}
