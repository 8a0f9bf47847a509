/** Parameters in addresses and forms, as the console shows, copies and sends them. */

type Pairs = readonly (readonly [name: string, value: string])[]

/** Pairs as a form or a query, with readable brackets. */
export const formOf = (pairs: Pairs): string =>
  pairs.map(([name, value]) => `${encodeURIComponent(name).replaceAll('%5B', '[').replaceAll('%5D', ']')}=${encodeURIComponent(value)}`).join('&')

export const addressOf = (path: string, query: Pairs): string => (query.length === 0 ? path : `${path}?${formOf(query)}`)

/** Lines of `name=value` as pairs; a line without `=` is a name without a value. */
export const pairsIn = (lines: string): [string, string][] =>
  lines.split('\n').flatMap((line): [string, string][] => {
    if (line.trim() === '') return []
    const at = line.indexOf('=')
    return [at < 0 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1)]]
  })
