/**
 * The service under test over HTTP: requests, responses, and the verdicts that the reference
 * allows.
 */
import assert from 'node:assert/strict'
import type { Sent } from '../contract/performing.js'
import type { Json } from '../support/json.js'

export type Service = {
  baseUrl: string
  merchantKey: string
  /** The API key of a reseller Account; without it, checks that need it are skipped. */
  resellerKey?: string | undefined
  /** The id of a Ticket to pay; found in the list of Tickets when left out. */
  ticket?: string | undefined
}

export type Resource = Readonly<Record<string, Json>>
export type Answer = {
  on: string
  status: number
  text: string
  /** The body as JSON; undefined if it is not JSON. */
  body: Json
}

export class Skip extends Error {}

const TIMEOUT = 60_000

const basic = (name: string, password = ''): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`

export async function send(
  { baseUrl, merchantKey, resellerKey }: Service,
  { on, body, query, key = 'merchant', headers = {}, outside }: Sent
): Promise<Answer> {
  if (key === 'reseller' && !resellerKey) throw new Skip('no reseller key was given')
  const [method, path] = on.split(' ') as [string, string]
  const named =
    typeof key === 'string'
      ? { name: key === 'merchant' ? merchantKey : (resellerKey as string) }
      : key
  const response = await fetch(
    `${outside ? baseUrl.replace(/\/next$/, '') : baseUrl}${path}${query ? `?${query}` : ''}`,
    {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT),
      headers: {
        ...(named && {
          authorization: basic(named.name, 'password' in named ? named.password : '')
        }),
        ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers
      },
      ...(body !== undefined && { body })
    }
  )
  const text = await response.text()
  return { on, status: response.status, text, body: jsonOf(text) }
}

function jsonOf(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const describeAnswer = ({ on, status, text }: Answer): string =>
  `${on} answered ${status}: ${text.length > 300 ? `${text.slice(0, 300)}…` : text || '(empty)'}`

export const isAccepted = ({ status }: Answer): boolean => status >= 200 && status < 300

/** Whether it succeeded: a 2xx with an object that has an id. */
export function accepted(answer: Answer): Resource {
  assert.ok(isAccepted(answer), `must be a 2xx; ${describeAnswer(answer)}`)
  assert.ok(
    typeof answer.body?.id === 'string' && answer.body.id !== '',
    `must be a resource with an id; ${describeAnswer(answer)}`
  )
  return answer.body
}

/** A list: the only array member is its result set. */
export function listed(answer: Answer): { records: Resource[]; hasMore: boolean } {
  assert.ok(isAccepted(answer), `must be a 2xx; ${describeAnswer(answer)}`)
  const { body } = answer
  assert.ok(
    typeof body === 'object' && body !== null && !Array.isArray(body),
    `must be an object; ${describeAnswer(answer)}`
  )
  assert.equal(
    typeof body.has_more,
    'boolean',
    `has_more, must be true or false,; ${describeAnswer(answer)}`
  )
  const sets = Object.values(body).filter(Array.isArray)
  assert.ok(sets.length > 0, `must be a member that holds the results; ${describeAnswer(answer)}`)
  if (sets.length > 1)
    throw new Skip(`which member is the result set is not clear; ${describeAnswer(answer)}`)
  return { records: sets[0] as Resource[], hasMore: body.has_more }
}
