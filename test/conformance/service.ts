/** The service under test, as HTTP alone: a call, its answer, and the two verdicts that the reference lets a caller reach. */
import assert from 'node:assert/strict'

/** Where the service is and what to call it with. */
export type Target = {
  /** The base address; every path is relative to it. */
  baseUrl: string
  /** An API key of a merchant Account. */
  merchantKey: string
  /** An API key of a reseller Account; what needs one is skipped without. */
  resellerKey?: string | undefined
  /** The id of a Ticket to pay; found by listing Tickets when left out. */
  ticket?: string | undefined
}

/** Form fields by their bracket names: `{ 'address[city]': 'Boston' }`. */
export type Fields = Readonly<Record<string, string | number>>
export type Record_ = Readonly<Record<string, any>>
export type Answer = {
  /** The call, for a message: `POST /refunds`. */
  on: string
  status: number
  text: string
  /** The body read as JSON; undefined where it is none. */
  body: any
}
export type Call = {
  /** Form fields, or a body as it is where a content type is given. */
  body?: Fields | string
  query?: Fields
  /** The merchant's key when left out; null sends none. */
  key?: string | null
  headers?: Readonly<Record<string, string>>
  /** Another base address. */
  base?: string
}

/** Thrown where this service offers no way to set a check up. */
export class Skip extends Error {}

const TIMEOUT = 30_000

/** HTTP Basic with a user name and a password. */
export const basic = (name: string, password = ''): string => `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`

const encoded = (fields: Fields) => new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)] as [string, string])).toString()

/** Makes one call; redirects are not followed. `on` is a method and a path below the base address. */
export async function send(
  { baseUrl, merchantKey }: Target,
  on: string,
  { body, query, key = merchantKey, headers = {}, base = baseUrl }: Call = {}
): Promise<Answer> {
  const [method, path] = on.split(' ') as [string, string]
  const response = await fetch(`${base}${path}${query ? `?${encoded(query)}` : ''}`, {
    method,
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT),
    headers: {
      ...(key !== null && { authorization: basic(key) }),
      ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...headers
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : encoded(body) })
  })
  const text = await response.text()
  return { on, status: response.status, text, body: jsonOf(text) }
}

function jsonOf(text: string): any {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** An answer in a few words, for a message. */
export const told = ({ on, status, text }: Answer): string => `${on} answered ${status}: ${text.length > 300 ? `${text.slice(0, 300)}…` : text || '(empty)'}`

/** Whether the answer is a 2xx. */
export const isAccepted = ({ status }: Answer): boolean => status >= 200 && status < 300

/** The call was carried out: a 2xx with an object that has an id. */
export function accepted(answer: Answer): Record_ {
  assert.ok(isAccepted(answer), `a 2xx was expected; ${told(answer)}`)
  assert.ok(typeof answer.body?.id === 'string' && answer.body.id !== '', `a resource with an id was expected; ${told(answer)}`)
  return answer.body
}

/** A list: its result set, which the reference does not name, is the one member that holds an array. */
export function listed(answer: Answer): { records: Record_[]; hasMore: boolean } {
  assert.ok(isAccepted(answer), `a 2xx was expected; ${told(answer)}`)
  const { body } = answer
  assert.ok(typeof body === 'object' && body !== null && !Array.isArray(body), `an object was expected; ${told(answer)}`)
  assert.equal(typeof body.has_more, 'boolean', `has_more, true or false, was expected; ${told(answer)}`)
  const sets = Object.values(body).filter(Array.isArray)
  assert.ok(sets.length > 0, `a member that holds the results was expected; ${told(answer)}`)
  if (sets.length > 1) throw new Skip(`which member is the result set cannot be told; ${told(answer)}`)
  return { records: sets[0] as Record_[], hasMore: body.has_more }
}
