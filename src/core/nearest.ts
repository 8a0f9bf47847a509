/** Did-you-mean. */
import { distance } from 'fastest-levenshtein'

/** The known name that a person most likely meant, or null when none is near. */
export function nearest(name: string, known: readonly string[]): string | null {
  const near = (other: string) => distance(name.toLowerCase(), other.toLowerCase())
  const best = known.toSorted((a, b) => near(a) - near(b))[0]
  return best !== undefined && near(best) <= Math.max(2, Math.floor(name.length / 3)) ? best : null
}

/** `; did you mean …?` for an error message, or nothing. */
export function didYouMean(name: string, known: readonly string[]): string {
  const meant = nearest(name, known)
  return meant === null ? '' : `; did you mean ${meant}?`
}
