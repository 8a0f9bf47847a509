/** What texts take in memory. */

const BEYOND_LATIN_1 = /[\u0100-\uffff]/

/** Bytes of a text in memory: one a character, or two if any is beyond Latin-1. */
export const byteSize = (text: string): number =>
  BEYOND_LATIN_1.test(text) ? 2 * text.length : text.length

/** A copy of the beginning, which does not hold the rest in memory; a short text as it is. */
export const beginningOf = (text: string, length: number): string =>
  text.length > length ? `${Buffer.from(text.slice(0, length))}…` : text
