/** What texts take in memory. */

const BEYOND_LATIN_1 = /[\u0100-\uffff]/

/**
 * How many bytes the characters of a text take: one each, or two each where any of them is beyond
 * Latin-1.
 */
export const byteSize = (text: string): number =>
  BEYOND_LATIN_1.test(text) ? 2 * text.length : text.length

/**
 * A copy of the beginning of a text, which does not hold the rest in memory; a shorter text as it
 * is.
 */
export const beginningOf = (text: string, length: number): string =>
  text.length > length ? `${Buffer.from(text.slice(0, length))}…` : text
