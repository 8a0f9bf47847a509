/** Script entries in words. */
import type { ScriptEntry } from '../../../../client/documents.js'

export const operationsInWords = ({ on }: ScriptEntry): string => (on === '*' ? 'every request' : [on].flat().join(', '))

const said = <T>(value: T | undefined, words: (value: T) => string): string[] => (value === undefined ? [] : [words(value)])

/** The requests of its operations that it is for; empty for all. */
export function callsInWords({ match, calls, chance, from, until, for: lasts }: ScriptEntry): string {
  return [
    ...said(calls, calls => `requests ${calls}`),
    ...said(chance, chance => `${+(chance * 100).toFixed(2)} % of them`),
    ...said(from, from => `from ${from}`),
    ...said(until, until => `until ${until}`),
    ...said(lasts, lasts => `for ${lasts}`),
    ...conditionsIn(match)
  ].join(', ')
}

/** Conditions as `payment_type: card`, the innermost names only. */
function conditionsIn(value: object = {}): string[] {
  return Object.entries(value).flatMap(([name, wanted]) => {
    if (typeof wanted === 'object' && wanted !== null && !Array.isArray(wanted)) return conditionsIn(wanted)
    return [`${name}: ${[wanted].flat().join(' or ')}`]
  })
}

export function effectInWords({ hold, delay, respond, fault, when }: ScriptEntry): string {
  return [
    ...said(hold, holdInWords),
    ...said(delay, delay => `waits ${typeof delay === 'string' ? delay : `${delay.min} to ${delay.max}`}`),
    ...said(respond, ({ status, error, retry_after }) =>
      [`responds with ${status ?? (error ? 400 : 200)}${error?.code ? ` ${error.code}` : ''}`, ...said(retry_after, after => `Retry-After ${after}`)].join(', ')
    ),
    ...said(fault, fault => `${fault.replace('_', ' ')} ${when === 'after' ? 'after the request took effect' : 'before the request takes effect'}`)
  ].join(', then ')
}

const holdInWords = ({ until, gate, release, for: longest }: NonNullable<ScriptEntry['hold']>): string =>
  [
    until === undefined ? `holds until gate ${gate} opens` : `holds until ${until} requests wait`,
    ...(release === 'reverse' ? ['releases the last one first'] : []),
    ...said(longest, longest => `at most ${longest}`)
  ].join(', ')
