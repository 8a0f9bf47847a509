/** Finds card numbers, however their digits are grouped (A25). */

const MIN_DIGITS = 13
const MAX_DIGITS = 19
/** Digits with nothing, a space or a dash between them; characters without width do not count. */
const RUN = /\d(?:\p{Cf}*(?:[\p{Zs}\p{Pd}\u2212]\p{Cf}*)?\d){12,}/gu
const GAP = String.raw`\p{Cf}*[\p{Zs}\p{Pd}\u2212\t,./_+:|]{1,3}\p{Cf}*`
/** A whole number in the groups that cards have, unlike times and phone numbers. */
const GROUPED = new RegExp(
  String.raw`(?<!\d)(?:\d{13,19}|(?:\d{4}${GAP}){3}\d{1,7}|\d{4}${GAP}\d{6}${GAP}\d{4,5})(?!\d)`,
  'gu'
)
/** Beginnings and lengths of the numbers that are issued. */
const IS_ISSUED = /^(?:4\d{12}(?:\d{3}){0,2}|[356]\d{12,18}|(?:2[2-7]|81)\d{14,17})$/
const DOUBLED = [0, 2, 4, 6, 8, 1, 3, 5, 7, 9]

/**
 * Masks each Luhn-valid stretch of 13 to 19 digits, wherever in a run it starts, and the numbers of
 * known issuers with other separators in between.
 */
export const withoutCardNumbers = (text: string): string =>
  text.length < MIN_DIGITS
    ? text
    : text
        .replace(RUN, maskedRun)
        .replace(GROUPED, number => (isOfIssuer(number) ? number.replace(/\d/g, '*') : number))

/** A number of a known issuer that is not part of a longer one: a time may be Luhn-valid. */
export const holdsCardNumber = (text: string): boolean =>
  text.length >= MIN_DIGITS && (text.match(GROUPED) ?? []).some(isOfIssuer)

function isOfIssuer(number: string): boolean {
  const digits = number.replace(/\D/g, '')
  return IS_ISSUED.test(digits) && isLuhnValid(digits)
}

/** Of 13 to 19 digits. */
export const isLuhnValid = (digits: string): boolean => cardStart(digits, digits.length) === 0

function maskedRun(run: string): string {
  const digits = run.replace(/\D/g, '')
  const isHidden = new Uint8Array(digits.length)
  for (let end = MIN_DIGITS; end <= digits.length; end++)
    isHidden.fill(1, cardStart(digits, end), end)
  let place = 0
  return run.replace(/\d/g, digit => (isHidden[place++] ? '*' : digit))
}

/** Where the longest card number that ends here starts; `end` for none. */
function cardStart(digits: string, end: number): number {
  let start = end
  let sum = 0
  for (let length = 1; length <= Math.min(MAX_DIGITS, end); length++) {
    const digit = Number(digits[end - length])
    sum += length % 2 === 0 ? (DOUBLED[digit] as number) : digit
    if (length >= MIN_DIGITS && sum % 10 === 0) start = end - length
  }
  return start
}
