/** JSON as tokens, to be shown in colours. */

/** `content` is what a text says, without quotes and escapes. */
export type Token = { kind: 'plain' | 'name' | 'text' | 'number' | 'word'; text: string; content?: string }

const STEP = '  '

/** The tokens of a value as it is written with an indentation of two. */
export function tokensOf(value: unknown, indent = ''): Token[] {
  if (typeof value === 'string') return [{ kind: 'text', text: JSON.stringify(value), content: value }]
  if (typeof value === 'number') return [{ kind: 'number', text: String(value) }]
  if (typeof value !== 'object' || value === null) return [{ kind: 'word', text: String(value ?? null) }]
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  if (members.length === 0) return [plain(`${open}${close}`)]
  const inner = indent + STEP
  const written = members.flatMap(([name, member], place): Token[] => [
    plain(`${place === 0 ? open : ','}\n${inner}`),
    ...(Array.isArray(value) ? [] : [{ kind: 'name', text: JSON.stringify(name) } as const, plain(': ')]),
    ...tokensOf(member, inner)
  ])
  return [...written, plain(`\n${indent}${close}`)]
}

const plain = (text: string): Token => ({ kind: 'plain', text })
