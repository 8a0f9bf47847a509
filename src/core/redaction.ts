/** Keeps card numbers and API keys out of what is shown: errors, logs and the journal (A25). */

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
export function masked(text: string, keys: readonly string[] = []): string {
  const shown = text.replace(DIGIT_RUN, maskedRun)
  const present = keys.filter(key => shown.includes(key)).sort((a, b) => b.length - a.length)
  return present.reduce((rest, key) => rest.replace(new RegExp(`(?<!\\w)${key.replace(/\W/g, '\\$&')}(?!\\w)`, 'g'), '***'), shown)
}
