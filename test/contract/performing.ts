/**
 * Sends the requests of a case with `send`: creates what it needs, fills in texts, and compares
 * responses.
 */
import type { Json } from '../support/json.js'
import { type Call, type Case, type Expected, type Fields, GIVENS, type KnownName } from './case.js'

export type Answer = { status: number; text: string; body: Json }
export type Sent = Omit<Call, 'body' | 'query'> & { body?: string; query?: string }
export type Send<A extends Answer> = (call: Sent) => Promise<A>
type Resource = Readonly<Record<string, Json>>
/** Finds records that the API cannot create; null if there are none. */
export type Known = Readonly<Record<KnownName, () => Promise<Resource | null>>>
export type Target<A extends Answer = Answer> = {
  send: Send<A>
  known: Known
  unique: () => string
  /** Texts that are replaced by the target's own values: `${merchant_key}`. */
  constants: Readonly<Record<string, string>>
}

export class NotGiven extends Error {}

const REFERENCE = /\$\{(\w+)(?:\.(\w+))?([+-]\d+)?\}/g
const WHOLE = /^\$\{(\w+)\}$/

export class Performance<A extends Answer = Answer> {
  readonly #target: Target<A>
  readonly #records = new Map<string, Resource>()
  #unique = ''

  constructor(target: Target<A>) {
    this.#target = target
  }

  /** Prepares everything, so that `call` sends only the request itself. */
  async prepare({ given = [], before = [], right, call, answers, later }: Case): Promise<void> {
    for (const name of given) await this.#record(name)
    for (const each of before) await this.#made('a call before it', each)
    for (const name of namesIn([right, call, answers, later]))
      if (name !== 'made') await this.#record(name)
  }

  async call(call: Call): Promise<A> {
    const answer = await this.send(call)
    if (answer.status < 300 && typeof answer.body === 'object')
      this.#records.set('made', answer.body)
    return answer
  }

  async send(call: Call): Promise<A> {
    const { body, query, ...rest } = call
    if (JSON.stringify(call).includes('${unique}')) this.#unique = this.#target.unique()
    return this.#target.send({
      ...((await this.#filled(rest)) as typeof rest),
      ...(body !== undefined && { body: encoded((await this.#filled(body)) as Fields | string) }),
      ...(query !== undefined && { query: encoded((await this.#filled(query)) as Fields | string) })
    })
  }

  async differences(
    answer: Answer,
    expected: Expected,
    isUnset: (value: unknown) => boolean
  ): Promise<string[]> {
    const {
      status,
      shows,
      holds = [],
      lacks = [],
      page,
      count,
      has_more,
      empty
    } = (await this.#filled(expected)) as Expected
    const { body, text } = answer
    // The reference does not name the field that holds the result set.
    const ids: string[] = (Object.values(body ?? {}).find(Array.isArray) ?? []).map(
      ({ id }: Resource) => id
    )
    const differs = (what: string, is: unknown, should: unknown) =>
      JSON.stringify(is) === JSON.stringify(should)
        ? []
        : [`${what} is ${JSON.stringify(is)}, not ${JSON.stringify(should)}`]
    return [
      ...(status === undefined ? [] : differs('the status', answer.status, status)),
      ...(empty ? differs('the body', text, '') : []),
      ...(shows === undefined ? [] : unlike('', body, shows, isUnset)),
      ...holds.filter(id => !ids.includes(id)).map(id => `${id} is not on the page`),
      ...lacks.filter(id => ids.includes(id)).map(id => `${id} is on the page`),
      ...(page ? differs('the page', ids, page) : []),
      ...(count === undefined ? [] : differs('the number of records', ids.length, count)),
      ...(has_more === undefined ? [] : differs('has_more', body?.has_more, has_more))
    ]
  }

  async #filled(value: unknown): Promise<unknown> {
    if (typeof value === 'string') return this.#text(value)
    if (Array.isArray(value)) return Promise.all(value.map(each => this.#filled(each)))
    if (typeof value !== 'object' || value === null) return value
    const entries: [string, unknown][] = []
    for (const [name, part] of Object.entries(value)) entries.push([name, await this.#filled(part)])
    return Object.fromEntries(entries)
  }

  async #text(text: string): Promise<unknown> {
    const whole = WHOLE.exec(text)?.[1]
    if (whole !== undefined && whole !== 'unique' && !(whole in this.#target.constants))
      return this.#record(whole)
    let filled = ''
    let end = 0
    for (const match of text.matchAll(REFERENCE)) {
      const [reference, name = '', field, shift] = match
      filled += text.slice(end, match.index) + (await this.#value(name, field, shift))
      end = match.index + reference.length
    }
    return filled + text.slice(end)
  }

  async #value(
    name: string,
    field: string | undefined,
    shift: string | undefined
  ): Promise<string> {
    if (name === 'unique') return this.#unique
    const constant = this.#target.constants[name]
    if (constant !== undefined) return constant
    const value = (await this.#record(name))[field ?? 'id']
    if (value === undefined || value === null) throw new NotGiven(`${name} has no ${field}`)
    return shift === undefined
      ? String(value)
      : new Date(Date.parse(value) + Number(shift)).toISOString()
  }

  async #record(name: string): Promise<Resource> {
    const present = this.#records.get(name)
    if (present) return present
    if (name in this.#target.known) {
      const found = await this.#target.known[name as keyof Known]()
      if (!found)
        throw new NotGiven(`no ${name.replace('_', ' ')} was found, and the API makes none`)
      this.#records.set(name, found)
      return found
    }
    const given = GIVENS[name as keyof typeof GIVENS] as Call & { after?: readonly Call[] }
    if (!given) throw new Error(`${name}: no given of this name`)
    const { after = [], ...call } = given
    const made = await this.#made(name, call)
    this.#records.set(name, made)
    for (const each of after) await this.#made(name, each)
    return made
  }

  async #made(what: string, call: Call): Promise<Resource> {
    for (const name of namesIn(call)) await this.#record(name)
    const { status, text, body } = await this.send(call)
    if (status >= 300)
      throw new NotGiven(`${what} could not be made: ${call.on} answered ${status} ${text}`)
    return body
  }
}

const namesIn = (value: unknown): string[] =>
  [...JSON.stringify(value ?? null).matchAll(REFERENCE)]
    .map(([, name = '']) => name)
    .filter(name => name !== 'unique' && !name.endsWith('_key'))

function encoded(fields: Fields | string): string {
  if (typeof fields === 'string') return fields
  const sent = Object.entries(fields).filter(
    (entry): entry is [string, string | number] => entry[1] !== undefined
  )
  return new URLSearchParams(
    sent.map(([name, value]) => [name, String(value)] as [string, string])
  ).toString()
}

function unlike(
  path: string,
  is: Json,
  should: unknown,
  isUnset: (value: unknown) => boolean
): string[] {
  if (should === null)
    return isUnset(is) ? [] : [`${path} is ${JSON.stringify(is)}, and was to be unset`]
  if (typeof should === 'object')
    return Object.entries(should).flatMap(([name, part]) =>
      unlike(path ? `${path}.${name}` : name, is?.[name], part, isUnset)
    )
  return is === should ? [] : [`${path} is ${JSON.stringify(is)}, not ${JSON.stringify(should)}`]
}
