/** An instant to the second: 2026-03-01 18:05:00 UTC. */
export const instantInWords = (instant: string): string =>
  `${instant.slice(0, 19).replace('T', ' ')} UTC`
