/** Problems of a response: an undocumented status, a refusal of the wrong shape, a secret. */
import { CATALOGUE, type ErrorCode } from '../../src/core/errors.js'
import type { Outcome, Seen } from './client.js'
import { SCRIPTED } from './control-calls.js'
import { leaksIn } from './secrets.js'

/** The target of a request; unknown for bytes over a bare socket. */
export type Target = { method: string; path: string } | null

const SHAPE = ['type', 'code', 'message', 'param', 'rule', 'assumption', 'problems', 'request_id']
const NEEDED = ['type', 'code', 'message', 'request_id']
/** Control requests whose responses contain keys or show requests. */
const TELLS_KEYS = /\/_control\/(state|records|keys|openapi\.json|docs)(\/|\?|$)/
const TELLS_CALLS = /\/_control\/(requests|events|findings|verify|script)(\/|\?|$)/

export function faultsOf({ answers, text, failure }: Outcome, target: Target): string[] {
  const faults = answers.flatMap(answer => [
    ...statusFaults(answer),
    ...shapeFaults(answer, target)
  ])
  // headers that are too large are refused before the method, and so whether a body is expected, is known
  const isHead = target?.method === 'HEAD' && failure?.includes('Parse Error')
  if (failure !== null && !isHead) faults.push(failure)
  const isRefusal = answers.length === 0 || answers.some(({ status }) => status >= 400)
  const isScripted = answers.some(({ headers }) => headers[SCRIPTED] !== undefined)
  const path = target?.path ?? ''
  const allowed = {
    keys: !isRefusal && TELLS_KEYS.test(path),
    misplaced: (!isRefusal && !TELLS_CALLS.test(path)) || isScripted || target === null
  }
  return [...faults, ...leaksIn(text, allowed).map(leak => `the answer shows ${leak}`)]
}

const isScripted = ({ status, headers, body }: Seen) =>
  headers[SCRIPTED] !== undefined || (status === 502 && body.includes('"scripted_fault"'))

function statusFaults(answer: Seen): string[] {
  const { status, body } = answer
  if (status < 500 || isScripted(answer)) return []
  const isDocumented =
    (status === 501 && body.includes('"operation_disabled"')) ||
    (status === 503 && /"not_ready"|"starting"/.test(body))
  return isDocumented ? [] : [`status ${status}`]
}

function shapeFaults(answer: Seen, target: Target): string[] {
  const { status, headers, body } = answer
  if (status < 400 || isScripted(answer) || target?.method === 'HEAD') return []
  if (status === 409 && /^\{"holds":false,/.test(body)) return []
  if (status === 503 && /^\{"status":"starting"/.test(body)) return []
  // a refusal changed by a script's malformed_body
  const whole = body.endsWith('{') ? `${body.slice(0, -1)}}` : body
  const parsed = parsedError(whole)
  if (!/^application\/json/.test(headers['content-type'] ?? ''))
    return [`a refusal of type ${headers['content-type']}`]
  if (parsed === null) return ['a refusal whose body is no error object']
  const faults = Object.keys(parsed).flatMap(name =>
    SHAPE.includes(name) ? [] : [`the error has a member ${name}`]
  )
  for (const name of NEEDED)
    if (typeof parsed[name] !== 'string' || parsed[name] === '')
      faults.push(`the error has no ${name}`)
  const entry = Object.hasOwn(CATALOGUE, String(parsed.code))
    ? CATALOGUE[parsed.code as ErrorCode]
    : null
  if (entry === null) faults.push(`the code ${parsed.code} is in no catalogue`)
  else if (entry.type !== parsed.type)
    faults.push(`the code ${parsed.code} has the type ${parsed.type}`)
  if (parsed.request_id !== headers['request-id'])
    faults.push(`the request_id ${parsed.request_id} is not the header's ${headers['request-id']}`)
  return faults
}

function parsedError(body: string): Record<string, unknown> | null {
  try {
    const { error, ...more } = JSON.parse(body)
    return typeof error === 'object' && error !== null && Object.keys(more).length === 0
      ? error
      : null
  } catch {
    return null
  }
}
