/** What is typed into the search of requests: words, and terms such as `status:4xx rule:REF-7 took:no test:"refunds twice"`. */

export type Term = { name: string; value: string }
export type Query = { words: readonly string[]; terms: readonly Term[] }

/** The names of terms; docs/console.md says what each finds. */
export const TERMS: readonly string[] = ['status', 'is', 'took', 'on', 'method', 'rule', 'code', 'test', 'script', 'account', 'slower', 'in']

const PARTS = /([a-z]+):"([^"]*)"|([a-z]+):(\S+)|"([^"]*)"|(\S+)/g

export function queryIn(text: string): Query {
  const words: string[] = []
  const terms: Term[] = []
  for (const [whole, quotedName, quotedValue, name = quotedName, value = quotedValue, phrase] of text.matchAll(PARTS)) {
    if (name !== undefined && value !== undefined && TERMS.includes(name)) terms.push({ name, value })
    else words.push((phrase ?? whole).toLowerCase())
  }
  return { words, terms }
}

export const termIn = ({ terms }: Query, name: string): string => terms.findLast(term => term.name === name)?.value ?? ''

const shown = (text: string) => (/[\s"]/.test(text) ? `"${text.replaceAll('"', '')}"` : text)

/** The text with a term in place of those of its name; an empty value takes them out. */
export function withTerm(text: string, name: string, value: string): string {
  const { words, terms } = queryIn(text)
  const kept = terms.filter(term => term.name !== name)
  const all = value === '' ? kept : [...kept, { name, value }]
  return [...words.map(shown), ...all.map(term => `${term.name}:${shown(term.value)}`)].join(' ')
}
