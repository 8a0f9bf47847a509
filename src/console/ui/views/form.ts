/** Parameters in addresses and forms, as the console shows, copies and sends them. */
import { encodeForm } from '../../../core/form-encoding.js'
import type { JournalCall } from '../control/client.js'

/** A path with its query, encoded but for the brackets. */
export function addressOf({ path, query }: Pick<JournalCall, 'path' | 'query'>): string {
  const form = encodeForm(query).replaceAll('%5B', '[').replaceAll('%5D', ']')
  return form === '' ? path : `${path}?${form}`
}

/** Lines of `name=value` as pairs; a line without `=` is a name without a value. */
export const pairsIn = (lines: string): [string, string][] =>
  lines.split('\n').flatMap((line): [string, string][] => {
    if (line.trim() === '') return []
    const at = line.indexOf('=')
    return [at < 0 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1)]]
  })
