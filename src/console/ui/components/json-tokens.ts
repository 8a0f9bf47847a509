/** JSON as tokens, to be shown in colours. */

/** `content` is what a text says, without quotes and escapes. */
export type Token = { kind: 'plain' | 'name' | 'text' | 'number' | 'word'; text: string; content?: string }

const STEP = '  '

/** The tokens of a value as it is written with an indentation of two. */
export function tokensOf(value: unknown): Token[] {
  const tokens: Token[] = []
  write(value, '', tokens)
  return tokens
}

function write(value: unknown, indent: string, tokens: Token[]): void {
  const plain = (text: string) => tokens.push({ kind: 'plain', text })
  if (typeof value === 'string') tokens.push({ kind: 'text', text: JSON.stringify(value), content: value })
  else if (typeof value === 'number') tokens.push({ kind: 'number', text: String(value) })
  else if (typeof value !== 'object' || value === null) tokens.push({ kind: 'word', text: String(value ?? null) })
  else {
    const isList = Array.isArray(value)
    const [open, close] = isList ? '[]' : '{}'
    const members = Object.entries(value).filter(([, member]) => member !== undefined)
    if (members.length === 0) {
      plain(`${open}${close}`)
      return
    }
    const inner = indent + STEP
    members.forEach(([name, member], place) => {
      plain(`${place === 0 ? open : ','}\n${inner}`)
      if (!isList) {
        tokens.push({ kind: 'name', text: JSON.stringify(name) })
        plain(': ')
      }
      write(member, inner, tokens)
    })
    plain(`\n${indent}${close}`)
  }
}
