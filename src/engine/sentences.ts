/** The refusals of the emulated API but for those of creates. */
import { ApiError, type ErrorCode, type ErrorDetails } from '../core/errors.js'
import { bounded, nearest, shortened } from '../core/nearest.js'
import { BASE, CONTROL, controlOfBase, isUnder } from '../core/paths.js'
import { readable } from '../core/redaction.js'
import { shownGot } from '../core/sentences.js'
import type { AssumptionId } from '../reference/assumptions.js'
import { type Family, OPERATIONS, operationsAt, RESOURCE_NAMES } from '../reference/operations.js'
import type { RuleId } from '../reference/rules.js'

export type Blame =
  | { rule: RuleId; assumption?: undefined }
  | { assumption: AssumptionId; rule?: undefined }

const refused = (code: ErrorCode, message: string, details: Omit<ErrorDetails, 'message'>) =>
  new ApiError(code, { message, ...details })

const CHALLENGE = { 'www-authenticate': 'Basic realm="commerce", charset="UTF-8"' }
const HOW = 'send the API key as the user name and leave the password empty, as curl -u KEY: does'
const noKey = (what: string) =>
  refused('api_key_missing', `${what}: ${HOW}.`, { rule: 'AUTH-3', headers: CHALLENGE })
const badKey = (what: string) =>
  refused('api_key_malformed', `${what}: ${HOW}.`, { rule: 'AUTH-1', headers: CHALLENGE })
/** A base address at the beginning of a path, with its host or sandbox. */
const BASE_AGAIN = new RegExp(`^(?:/https?:/+[^/]+)?(/sandbox/[^/]+)?(?:${BASE}(?=/|$))+`)
/** What languages print for a missing value, or for an object. */
const UNSET = /^(?:undefined|null|None|nil|NaN|\[object \w+\])$/

export const isUnset = (text: string): boolean => UNSET.test(text)
/** Why a client probably sent such a value, or an empty text. */
export const unsetHint = (text: string): string =>
  isUnset(text) ? '; the client sent a variable that has no value' : ''
export const JSON_HINT =
  '; it looks like JSON: send a form, such as name=value&address[city]=Boston.'

const LISTS = Object.values(OPERATIONS).flatMap(({ kind, path }) => (kind === 'list' ? [path] : []))
const lastOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)

/** The list named last in a path: `/refunds` in `/transactions/txn_1/refunds`. */
function suggestedList(path: string): string | undefined {
  const names = path.split('/').flatMap(part => nearest(part, LISTS.map(lastOf)) ?? [])
  const suggestion = LISTS.find(list => lastOf(list) === names.at(-1))
  return suggestion && isUnder(suggestion, path) ? undefined : suggestion
}

/** The path without a repeated base address. */
function suggestedAddress(path: string, base: string): string | null {
  const [again, sandbox] = BASE_AGAIN.exec(path) ?? []
  return again === undefined
    ? null
    : `${sandbox ? `${sandbox}${BASE}` : base}${path.slice(again.length)}`
}

/** The methods of a path; empty where it has no operation. */
export const methodsAt = (path: string) =>
  operationsAt(path)
    .map(({ method }) => method)
    .join(', ')

const suggestedDocument = (path: string, base: string) =>
  /^\/(?:openapi|swagger)\b[^/]*$/.test(path) &&
  `the OpenAPI document is at ${controlOfBase(base)}/openapi.json`

function unknownPath(path: string, base: string): string {
  const address = suggestedAddress(path, base)
  if (address)
    return `The base address ${base} is in the path more than once: send this to ${bounded(address)}.`
  if (isUnder(CONTROL, path))
    return `The control API is not below the base address: send this to ${controlOfBase(base)}${bounded(path.slice(CONTROL.length))}.`
  const suggestion = suggestedList(path)
  const advice =
    suggestedDocument(path, base) ||
    `${suggestion ? `did you mean ${suggestion}? Paths` : 'paths'} begin with ${LISTS.slice(0, -1).join(', ')} or ${LISTS.at(-1)}`
  return `No endpoint has the path ${bounded(path)}; ${advice}.`
}

export const REFUSALS = {
  stateReplaced: () =>
    new ApiError('state_replaced', {
      message:
        'A load, a reset, a restored snapshot or a deletion replaced the state of the sandbox while this request waited, so it had no effect. Send it again to the new state.'
    }),
  badPath: () =>
    refused(
      'request_malformed',
      'The percent-encoding of the path is broken: % must be followed by two hexadecimal digits.',
      { assumption: 'A08' }
    ),
  longPart: () =>
    refused('path_unknown', 'A part of the path is longer than any id.', { assumption: 'A08' }),
  noPath: (path: string, base: string) =>
    refused('path_unknown', unknownPath(readable(path), base), { assumption: 'A08' }),
  /** A path with other methods. */
  noMethod: (path: string, method: string, base: string) => {
    const allow = methodsAt(path)
    const isTicket = operationsAt(path).some(({ family }) => family === 'tickets')
    const isWrite = ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method)
    const seed =
      isTicket && method === 'POST'
        ? ` The emulator's own POST ${controlOfBase(base)}/records adds them for a test, such as {"tickets":[{"location":"loc_bistro"}]}.`
        : ''
    return refused(
      'method_not_allowed',
      `${isTicket ? 'Tickets are read-only: ' : ''}${shortened(readable(path))} takes ${allow}, not ${method}.${seed}`,
      { headers: { allow }, ...(isTicket && isWrite ? { rule: 'TKT-1' } : { assumption: 'A08' }) }
    )
  },
  outsideBase: (path: string, base: string) => {
    const name = readable(path)
    if (methodsAt(path) !== '')
      return refused(
        'path_unknown',
        `The base address ends in /next: send this to ${base}${bounded(name)}.`,
        { rule: 'BASE-1' }
      )
    const address = suggestedAddress(name, base)
    const advice = address
      ? `an address is in the path: send this to ${bounded(address)}`
      : suggestedDocument(name, base) ||
        `every path is relative to the base address, which is ${base} here. The control API is at ${controlOfBase(base)}`
    return refused(
      'path_unknown',
      `There is nothing at ${base.slice(0, -BASE.length)}${shortened(name)}; ${advice}.`,
      { rule: 'BASE-1' }
    )
  },

  noKey: () => noKey('No API key was sent'),
  noUserName: () => noKey('The user name is empty'),
  notBasic: () => badKey('The Authorization header is not HTTP Basic'),
  notBase64: () => badKey('The Basic credentials are not base64 of KEY and a colon'),
  hasPassword: () => badKey('The password is not empty'),
  unknownKey: (key: string) =>
    refused(
      'api_key_unknown',
      `The loaded scenario has no such API key${unsetHint(key)}. Its keys are shown at start, and declared under api_keys in its fixtures.`,
      { assumption: 'A18', headers: CHALLENGE }
    ),

  disabled: (family: Family, rule: RuleId) =>
    refused(
      'operation_disabled',
      `Deleting ${RESOURCE_NAMES[family]}s is disabled: the service always responds with 501.`,
      { rule }
    ),
  encoded: (encoding: unknown) =>
    refused(
      'content_type_unsupported',
      `Content-Encoding ${bounded(encoding)} is not supported; send the body without encoding.`,
      { assumption: 'A32' }
    ),
  /** The control API alone gives a limit. */
  notAType: (_settings?: unknown, limit?: string) => {
    const isControl = limit !== undefined
    return refused(
      'content_type_unsupported',
      `The Content-Type header is not a media type; send application/${isControl ? 'json or application/yaml' : 'x-www-form-urlencoded'}.`,
      isControl ? {} : { rule: 'FORM-1' }
    )
  },
  notAForm: (type: string | undefined) =>
    refused(
      'content_type_unsupported',
      `${type === undefined ? 'No Content-Type was sent' : `The Content-Type is ${bounded(type)}`}; send application/x-www-form-urlencoded, with nested values as address[city]=Boston.`,
      { rule: 'FORM-1' }
    ),
  tooLarge: (bytes: number, limit = 'limits.body') =>
    refused('body_too_large', `The body is larger than ${limit} allows: ${bytes} bytes.`, {
      assumption: 'A35'
    }),
  unexpectedBody: (method: string, isList: boolean, by: Blame) =>
    refused(
      'body_unexpected',
      `A ${method} takes no body; ${isList ? 'list parameters go in the query string' : 'its parameters go in the path'}.`,
      by
    ),

  unknown: (messages: readonly string[], param: string) =>
    refused('parameter_unknown', messages.join(' '), { param, assumption: 'A14' }),
  missing: (param: string, about: string | undefined, by: Blame) =>
    refused('parameter_missing', [`${param} is required.`, about].filter(Boolean).join(' '), {
      param,
      ...by
    }),
  fixed: (param: string, by: Blame) =>
    refused(
      'parameter_not_updatable',
      `${param} cannot be changed by an update; only metadata can.`,
      { param, ...by }
    ),
  twoCursors: (after: string, before: string) =>
    refused('parameter_invalid', `${after} and ${before} cannot be sent together.`, {
      param: before,
      assumption: 'A10'
    }),
  unknownCursor: (param: string, id: string) =>
    refused(
      'cursor_unknown',
      `${param}: no record of this list has the id ${shownGot(id)}${unsetHint(id)}.`,
      { param, assumption: 'A10' }
    ),
  unknownReference: (param: string, family: Family, id: string, by: Blame) =>
    refused(
      'reference_missing',
      `${param}: no ${RESOURCE_NAMES[family]} has the id ${shownGot(id)}${unsetHint(id)}.`,
      { param, ...by }
    ),
  notInPath: (param: string, family: Family, id: string) =>
    refused(
      'resource_missing',
      `No ${RESOURCE_NAMES[family]} has the id ${shownGot(id)}${unsetHint(id)}.`,
      { param, assumption: 'A08' }
    ),
  otherUser: (account: string, id: string) =>
    refused('resource_missing', `${account} has no User with the id ${shownGot(id)}.`, {
      param: 'user_id',
      rule: 'USR-1'
    })
}

/** What is wrong with a value. */
export const EXPECTS = {
  notBlank: 'must not be blank',
  shorter: (most: number) => `must have at most ${most} characters`,
  notEmpty: 'must not be empty; leave it out, or send a value',
  kept: 'is required, so an empty value cannot unset it; leave it out to keep it as it is',
  oneValue: (got: string) => `must be one value; got ${got}`,
  text: 'must be text; metadata values cannot be nested or lists',
  nested: (example: string) => `must have nested names, such as ${example}=…`,
  oneOf: (words: readonly string[]) => `must be one of ${words.join(', ')}`,
  whole: 'must be a whole number, digits only',
  between: (least: number, most: number) => `must be ${least} to ${most}`,
  atMost: (most: number) => `must be at most ${most}`,
  atLeast: (least: number) => `must be at least ${least}`,
  decimal: 'must be a decimal number',
  exact: 'must be a number that a double holds exactly'
}
