/** JSON as tokens, to be shown in colours. */

/** `content` is what a text says, without quotes and escapes. */
export type Token = { kind: string; text: string; content?: string }

const TOKENS =
  /(?<name>"[^"\\]*(?:\\.[^"\\]*)*"(?=:))|(?<text>"[^"\\]*(?:\\.[^"\\]*)*")|(?<number>-?\d[\d.e+-]*)|(?<word>[a-z]+)|(?<plain>[^"\w-]+)/g

/** The tokens of a value as it is written with an indentation of two. */
export const tokensOf = (value: unknown): Token[] =>
  [...JSON.stringify(value ?? null, null, 2).matchAll(TOKENS)].map(({ 0: text, groups }) => {
    const [kind] = Object.entries(groups as object).find(([, found]) => found !== undefined) as [
      string,
      string
    ]
    return kind === 'text' ? { kind, text, content: JSON.parse(text) } : { kind, text }
  })
