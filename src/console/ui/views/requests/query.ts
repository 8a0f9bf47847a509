/**
 * The search of requests: words, and terms such as `status:4xx rule:REF-7 took:no test:"refunds
 * twice"`.
 */
import { remembered } from '../../../../core/remembered.js'
import type { JournalCall } from '../../control/client.js'
import { type Row, sentIn } from './request-list.js'

export type Term = { name: string; value: string }
export type Query = { words: readonly string[]; terms: readonly Term[] }

const YES = /^(y|yes|true|1)$/i
const isIn = (text: string | null | undefined, part: string) =>
  (text ?? '').toLowerCase().includes(part.toLowerCase())

/**
 * Whether a request is what a term says, by the name of the term; docs/console.md says what each
 * finds. Rules and sandboxes are judged elsewhere.
 */
const HOLDS: Readonly<Record<string, (call: JournalCall, value: string) => boolean>> = {
  status: ({ status }, value) =>
    /^\dxx$/i.test(value) ? String(status)[0] === value[0] : String(status) === value,
  is: ({ outcome, took_effect, answered, script }, value) =>
    [
      outcome === 'refused' && 'refused',
      took_effect && !answered && 'lost',
      script && 'scripted'
    ].includes(value),
  took: ({ took_effect }, value) => took_effect === YES.test(value),
  on: ({ on }, value) => on === value,
  method: ({ method }, value) => method === value.toUpperCase(),
  code: ({ refusal }, value) => isIn(refusal?.code, value),
  test: ({ test }, value) => isIn(test, value),
  trace: ({ trace }, value) => trace === value,
  script: ({ script }, value) =>
    script !== null && (script.id === value || isIn(script.name, value)),
  account: ({ account }, value) => account === value,
  slower: ({ ms }, value) => ms >= Number(value),
  rule: () => true,
  in: () => true
}
/** The names of terms. */
export const TERMS: readonly string[] = Object.keys(HOLDS)

const PARTS = /([a-z]+):"([^"]*)"|([a-z]+):(\S+)|"([^"]*)"|(\S+)/g

export function queryIn(text: string): Query {
  const words: string[] = []
  const terms: Term[] = []
  for (const [
    whole,
    quotedName,
    quotedValue,
    name = quotedName,
    value = quotedValue,
    phrase
  ] of text.matchAll(PARTS)) {
    if (name !== undefined && value !== undefined && TERMS.includes(name))
      terms.push({ name, value })
    else words.push((phrase ?? whole).toLowerCase())
  }
  return { words, terms }
}

export const termIn = ({ terms }: Query, name: string): string =>
  terms.findLast(term => term.name === name)?.value ?? ''

const shown = (text: string) => (/[\s"]/.test(text) ? `"${text.replaceAll('"', '')}"` : text)

/** The text with a term in place of those of its name; an empty value takes them out. */
export function withTerm(text: string, name: string, value: string): string {
  const { words, terms } = queryIn(text)
  const kept = terms.filter(term => term.name !== name)
  const all = value === '' ? kept : [...kept, { name, value }]
  return [...words.map(shown), ...all.map(term => `${term.name}:${shown(term.value)}`)].join(' ')
}

/**
 * `text` is what is searched for; `sandbox` is undefined for all; `keys` are the requests that kept
 * or broke a rule: undefined for all, null while they are read.
 */
export type Filter = {
  text: string
  sandbox: string | undefined
  keys: ReadonlySet<string> | null | undefined
}

/** All texts of a request and its response. */
const textOf = remembered(({ ms: _ms, ...call }: JournalCall) =>
  [...sentIn(call.query), ...sentIn(call.body), JSON.stringify(Object.values(call))]
    .join(' ')
    .toLowerCase()
)

export function filtered(rows: readonly Row[], { text, sandbox, keys }: Filter): readonly Row[] {
  const { words, terms } = queryIn(text)
  return rows.filter(
    ({ key, sandbox: its, call }) =>
      (sandbox === undefined || its === sandbox) &&
      (keys === undefined || keys?.has(key)) &&
      terms.every(({ name, value }) => HOLDS[name]?.(call, value)) &&
      words.every(word => textOf(call).includes(word))
  )
}
