/** Counts and instants as people write them. */

export const countOf = (count: number, one: string): string =>
  `${count.toLocaleString('en')} ${one}${count === 1 ? '' : 's'}`

export const instantInWords = (instant: string): string =>
  `${instant.slice(0, 19).replace('T', ' ')} UTC`
