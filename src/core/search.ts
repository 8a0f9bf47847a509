/** What a search_query matches (SRCH-1, SRCH-2, A13, A40). */

export type Matching = 'contains' | 'prefix' | 'exact'
/** How a text matches: as written, only if letter case is ignored (A40), or not. */
export type Match = 'same_case' | 'other_case' | 'no'

const TESTS: Readonly<Record<Matching, (text: string, query: string) => boolean>> = {
  contains: (text, query) => text.includes(query),
  prefix: (text, query) => text.startsWith(query),
  exact: (text, query) => text === query
}

/** A missing text matches nothing. */
export function matchOf(text: string | null | undefined, query: string, how: Matching): Match {
  if (text == null) return 'no'
  if (TESTS[how](text, query)) return 'same_case'
  return TESTS[how](caseFolded(text), caseFolded(query)) ? 'other_case' : 'no'
}

export const matches = (text: string | null | undefined, query: string, how: Matching): boolean =>
  matchOf(text, query, how) !== 'no'

/**
 * Unicode's full case folding, the same in every locale: `ß`, `ẞ` and `SS` become `ss`, both small
 * sigmas `σ`. Nothing is normalized: a composed and a decomposed letter differ.
 */
const caseFolded = (text: string): string =>
  text.replace(/[^\0-\x7f]/gu, letterFolded).toLowerCase()

/**
 * One letter at a time, since `toLowerCase` of a whole text makes a final sigma of some; the
 * dotless i folds to itself, not to `i`.
 */
const letterFolded = (letter: string): string =>
  letter === 'ı' ? letter : letter.toLowerCase().toUpperCase().toLowerCase()
