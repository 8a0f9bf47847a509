/** Script entries in words: those of the scenario language, on one line. */
import type { ScriptEntry } from '../../../../client/documents.js'

const MAX_LENGTH = 300

/** Names and values one after another, as in `calls 1, delay min 1s, max 2s`. */
function words(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(words).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, part]) => `${name} ${words(part)}`.trim())
    .join(', ')
}

/** The operations of an entry, and all that it says of them. */
export function entryInWords({ name: _, on, ...rest }: ScriptEntry): string {
  const text = `${on === '*' ? 'every request' : [on].flat().join(', ')}: ${words(rest)}`
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text
}
