/** The search of requests: words, and terms such as `status:4xx` or `test:"refunds twice"`. */
import { remembered } from '../../../../core/remembered.js'
import { OPERATION_NAMES } from '../../../../reference/operations.js'
import { RULE_IDS, RULES } from '../../../../reference/rules.js'
import type { JournalCall } from '../../control/client.js'
import { type Row, sentIn } from './request-list.js'

export type Term = { name: string; value: string }
export type Query = { words: readonly string[]; terms: readonly Term[] }

const YES = /^(y|yes|true|1)$/i
const isIn = (text: string | null | undefined, part: string) =>
  (text ?? '').toLowerCase().includes(part.toLowerCase())

type Value = readonly [value: string, about: string]
/** Without `holds` it is judged elsewhere; without `values` and `isValue` any text will do. */
type Meaning = {
  example: string
  finds: string
  holds?: (call: JournalCall, value: string) => boolean
  values?: readonly Value[]
  isValue?: (value: string) => boolean
}

export const TERMS: Readonly<Record<string, Meaning>> = {
  status: {
    example: '4xx',
    finds: 'a status, or a class of statuses',
    holds: ({ status }, value) =>
      /^\dxx$/i.test(value) ? String(status)[0] === value[0] : String(status) === value,
    isValue: value => /^\d(\d\d|xx)$/i.test(value)
  },
  is: {
    example: 'refused',
    finds: 'its outcome',
    holds: ({ outcome, took_effect, answered, script }, value) =>
      [
        outcome === 'refused' && 'refused',
        took_effect && !answered && 'lost',
        script && 'scripted'
      ].includes(value),
    values: [
      ['refused', 'Refused by the service'],
      ['lost', 'It took effect, and the response was lost'],
      ['scripted', 'A script entry was applied']
    ]
  },
  took: {
    example: 'yes',
    finds: 'whether it took effect',
    holds: ({ took_effect }, value) => took_effect === YES.test(value)
  },
  on: {
    example: '"POST /refunds"',
    finds: 'an operation',
    holds: ({ on }, value) => on === value,
    values: OPERATION_NAMES.map(name => [name, ''])
  },
  method: {
    example: 'POST',
    finds: 'a method',
    holds: ({ method }, value) => method === value.toUpperCase()
  },
  rule: {
    example: 'REF-7',
    finds: 'passed or violated a rule',
    values: RULE_IDS.map(id => [id, RULES[id].text])
  },
  code: {
    example: 'card_declined',
    finds: 'the code of a refusal',
    holds: ({ refusal }, value) => isIn(refusal?.code, value)
  },
  script: {
    example: 'scr_1',
    finds: 'a script entry, by id or name',
    holds: ({ script }, value) =>
      script !== null && (script.id === value || isIn(script.name, value))
  },
  test: {
    example: 'checkout',
    finds: 'the test that sent it',
    holds: ({ test }, value) => isIn(test, value)
  },
  account: {
    example: 'mch_1',
    finds: 'the Account of its key',
    holds: ({ account }, value) => account === value
  },
  trace: {
    example: '4bf92f35',
    finds: 'the trace of its traceparent header',
    holds: ({ trace }, value) => trace?.startsWith(value) === true
  },
  slower: {
    example: '100',
    finds: 'took at least this many milliseconds',
    holds: ({ ms }, value) => ms >= Number(value),
    isValue: value => Number.isFinite(Number(value))
  },
  in: {
    example: 'all',
    finds: 'every sandbox, not just this one',
    values: [['all', 'All sandboxes']]
  }
}

function isKnown({ name, value }: Term): boolean {
  const { isValue, values } = { ...TERMS[name] }
  return isValue?.(value) ?? values?.some(([known]) => known === value) ?? true
}

export const unknownIn = ({ words, terms }: Query): (readonly [part: string, why: string])[] => [
  ...words
    .filter(word => /^[a-z]+:./.test(word))
    .map(word => [word, 'is not a search term, so it is searched as text'] as const),
  ...terms
    .filter(term => !isKnown(term))
    .map(term => [`${term.name}:${term.value}`, 'is unknown, so nothing matches it'] as const)
]

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
    if (name !== undefined && value !== undefined && Object.hasOwn(TERMS, name))
      terms.push({ name, value })
    else words.push((phrase ?? whole).toLowerCase())
  }
  return { words, terms }
}

export const termIn = ({ terms }: Query, name: string): string =>
  terms.findLast(term => term.name === name)?.value ?? ''

const quoted = (text: string) => (/[\s"]/.test(text) ? `"${text.replaceAll('"', '')}"` : text)

export function withTerm(text: string, name: string, value: string): string {
  const { words, terms } = queryIn(text)
  const others = terms.filter(term => term.name !== name)
  const all = value === '' ? others : [...others, { name, value }]
  return [...words.map(quoted), ...all.map(term => `${term.name}:${quoted(term.value)}`)].join(' ')
}

type Suggestion = { term: string; about: string; replacement: string }

/** Terms, or values of one, that continue the last word of a search. */
export function suggestionsFor(
  text: string,
  tests: readonly string[]
): { before: string; suggestions: Suggestion[] } {
  const place = text.search(/(?:[a-z]+:"[^"]*|\S*)$/)
  const begun = text.slice(place)
  const valuesOf = (name: string): readonly Value[] | undefined =>
    name === 'test' ? tests.map(test => [test, '']) : TERMS[name]?.values
  const [name = '', value] = begun.split(':')
  const values = value === undefined ? undefined : valuesOf(name)
  const all =
    values?.map(([value, about]): Suggestion => {
      const term = `${name}:${quoted(value)}`
      return { term, about, replacement: term }
    }) ??
    Object.entries(TERMS).map(([name, { example, finds: about }]): Suggestion => {
      const term = `${name}:${example}`
      return { term, about, replacement: valuesOf(name) ? `${name}:` : term }
    })
  const plain = (text: string) => text.replaceAll('"', '').toLowerCase()
  return {
    before: text.slice(0, place),
    suggestions: all.filter(
      ({ term }) => plain(term).startsWith(plain(begun)) && plain(term) !== plain(begun)
    )
  }
}

/** `sandbox` is undefined for all; `keys` are those of a rule: undefined for all, null unread. */
export type Filter = {
  text: string
  sandbox: string | undefined
  keys?: ReadonlySet<string> | null | undefined
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
      terms.every(term => isKnown(term) && (TERMS[term.name]?.holds?.(call, term.value) ?? true)) &&
      words.every(word => textOf(call).includes(word))
  )
}
