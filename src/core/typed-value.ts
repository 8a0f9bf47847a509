/** Values typed into a field, a flag or an environment variable. */

/**
 * The value that a text means by the type of its JSON Schema; the text itself where it is of
 * another type, which the schema refuses.
 */
export function typedValue(text: string, { type }: { type?: string | readonly string[] }): unknown {
  if (type === 'integer' && /^-?\d+$/.test(text)) return Number(text)
  if (type === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text)
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true'
  if (type === 'object') return jsonIn(text)
  if (type === 'array') return text.split(',').map(part => part.trim())
  return Array.isArray(type) && text === '' ? null : text
}

/** Parses JSON; other text is returned as it is. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
