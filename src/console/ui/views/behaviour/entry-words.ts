/** Script entries in words. */
import type { ScriptEntry } from '../../../../client/documents.js'

/** Which operations an entry speaks of. */
export function operationsInWords({ on }: ScriptEntry): string {
  if (on === '*') return 'every call'
  return typeof on === 'string' ? on : on.join(', ')
}

/** Which of the calls of its operations it is for; empty for all. */
export function callsInWords({ match, calls, chance, from, until, for: lasts }: ScriptEntry): string {
  return [
    ...(calls === undefined ? [] : [`calls ${calls}`]),
    ...(chance === undefined ? [] : [`${+(chance * 100).toFixed(2)} % of them`]),
    ...(from === undefined ? [] : [`from ${from}`]),
    ...(until === undefined ? [] : [`until ${until}`]),
    ...(lasts === undefined ? [] : [`for ${lasts}`]),
    ...conditionsIn(match)
  ].join(', ')
}

/** Conditions as `payment_type: card`, the innermost names only. */
function conditionsIn(value: object = {}): string[] {
  return Object.entries(value).flatMap(([name, wanted]) => {
    if (typeof wanted === 'object' && wanted !== null && !Array.isArray(wanted)) return conditionsIn(wanted)
    return [`${name}: ${Array.isArray(wanted) ? wanted.join(' or ') : wanted}`]
  })
}

/** What it does to them, one after the other. */
export function effectInWords({ hold, delay, respond, fault, when }: ScriptEntry): string {
  const { status, error, retry_after } = respond ?? {}
  return [
    ...(hold === undefined ? [] : [holdInWords(hold)]),
    ...(delay === undefined ? [] : [`waits ${typeof delay === 'string' ? delay : `${delay.min} to ${delay.max}`}`]),
    ...(respond === undefined
      ? []
      : [
          ['answers', status ?? (error ? 400 : 200), error?.code].filter(Boolean).join(' ') + (retry_after === undefined ? '' : `, Retry-After ${retry_after}`)
        ]),
    ...(fault === undefined ? [] : [`${fault.replace('_', ' ')} ${when === 'after' ? 'after the call took effect' : 'before the call takes effect'}`])
  ].join(', then ')
}

function holdInWords({ until, gate, release, for: longest }: NonNullable<ScriptEntry['hold']>): string {
  const what = until === undefined ? `holds until gate ${gate} opens` : `holds until ${until} wait`
  return `${what}${release === 'reverse' ? ', releases the last one first' : ''}${longest === undefined ? '' : `, at most ${longest}`}`
}
