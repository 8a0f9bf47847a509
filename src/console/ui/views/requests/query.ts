/**
 * The search of requests: words, and terms such as `status:4xx rule:REF-7 took:no test:"refunds
 * twice"`.
 */
import { remembered } from '../../../../core/remembered.js'
import { OPERATION_NAMES } from '../../../../reference/operations.js'
import { RULES } from '../../../../reference/rules.js'
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
  trace: ({ trace }, value) => trace?.startsWith(value.replace('…', '')) === true,
  script: ({ script }, value) =>
    script !== null && (script.id === value || isIn(script.name, value)),
  account: ({ account }, value) => account === value,
  slower: ({ ms }, value) => ms >= Number(value),
  rule: () => true,
  in: () => true
}
const TERMS: readonly string[] = Object.keys(HOLDS)

export const EXAMPLES: readonly (readonly [term: string, finds: string])[] = [
  ['status:4xx', 'a status, or a class of them'],
  ['is:refused', 'refused; also is:lost and is:scripted'],
  ['took:yes', 'whether it took effect'],
  ['on:"POST /refunds"', 'an operation'],
  ['method:POST', 'a method'],
  ['rule:REF-7', 'passed or violated a rule'],
  ['code:card_declined', 'the code of a refusal'],
  ['script:scr_1', 'a script entry, by id or name'],
  ['test:checkout', 'the test that sent it'],
  ['account:mch_1', 'the Account of its key'],
  ['trace:4bf92f35…', 'the trace of its traceparent header'],
  ['slower:100', 'took at least so many milliseconds'],
  ['in:all', 'every sandbox, not just this one']
]

/** What a term must be, where not any text will do. */
const VALUES: Readonly<Record<string, (value: string) => boolean>> = {
  status: value => /^\d(\d\d|xx)$/i.test(value),
  is: value => ['refused', 'lost', 'scripted'].includes(value),
  on: value => OPERATION_NAMES.includes(value),
  rule: value => Object.hasOwn(RULES, value),
  slower: value => Number.isFinite(Number(value)),
  in: value => value === 'all'
}
const isKnown = ({ name, value }: Term) => VALUES[name]?.(value) ?? true

export function unknownIn({ words, terms }: Query): (readonly [part: string, why: string])[] {
  const odd = words.filter(word => /^[a-z]+:./.test(word))
  return [
    ...odd.map(word => [word, 'is not a search term, so it is searched as text'] as const),
    ...terms
      .filter(term => !isKnown(term))
      .map(term => [`${term.name}:${term.value}`, 'is not known, so it finds nothing'] as const)
  ]
}

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
      terms.every(term => isKnown(term) && HOLDS[term.name]?.(call, term.value)) &&
      words.every(word => textOf(call).includes(word))
  )
}
