/** JSON as tokens, and what differs between two values. */
export type Token = { kind: string; text: string; content?: string }

const TOKENS =
  /(?<name>"[^"\\]*(?:\\.[^"\\]*)*"(?=:))|(?<text>"[^"\\]*(?:\\.[^"\\]*)*")|(?<number>-?\d[\d.e+-]*)|(?<word>[a-z]+)|(?<plain>[^"\w-]+)/g

export const tokensOf = (value: unknown): Token[] =>
  [...JSON.stringify(value ?? null, null, 2).matchAll(TOKENS)].map(({ 0: text, groups }) => {
    const [kind = ''] = Object.entries({ ...groups }).flatMap(([name, part]) =>
      part === undefined ? [] : [name]
    )
    return kind === 'text' ? { kind, text, content: JSON.parse(text) } : { kind, text }
  })

export type Difference = { path: string; before: unknown; after: unknown }

const isParted = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

export function differences(before: unknown, after: unknown, path = ''): Difference[] {
  if (!isParted(before) || !isParted(after) || Array.isArray(before) !== Array.isArray(after)) {
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, before, after }]
  }
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap(name =>
    differences(before[name], after[name], path === '' ? name : `${path}.${name}`)
  )
}
