export const countOf = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`

export const instantInWords = (instant: string): string =>
  `${instant.slice(0, 19).replace('T', ' ')} UTC`
