/** What a search_query matches (SRCH-1, SRCH-2, A13). */

export type Matching = 'contains' | 'prefix' | 'exact'

/** Whether the text matches the query; letter case is ignored, and nothing matches a text that is not there. */
export function matches(text: string | null | undefined, query: string, how: Matching): boolean {
  if (text == null) return false
  const [hay, needle] = [text.toLowerCase(), query.toLowerCase()]
  if (how === 'exact') return hay === needle
  return how === 'prefix' ? hay.startsWith(needle) : hay.includes(needle)
}
