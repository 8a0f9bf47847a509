/** The refusals of the emulated API but for those of creates. */
import { ApiError, type ErrorCode, type ErrorDetails, refusal } from '../core/errors.js'
import { FORM_TYPE } from '../core/form.js'
import { BASE, controlOfBase } from '../core/paths.js'
import { readable } from '../core/redaction.js'
import { bounded, shortened, shownGot } from '../core/sentences.js'
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
  refusal('api_key_missing', () => `${what}: ${HOW}.`, { rule: 'AUTH-3', headers: CHALLENGE })
const badKey = (what: string) =>
  refusal('api_key_malformed', () => `${what}: ${HOW}.`, { rule: 'AUTH-1', headers: CHALLENGE })

/** What languages print for a missing value, or for an object. */
const UNSET = /^(?:undefined|null|None|nil|NaN|\[object \w+\])$/
export const isUnset = (text: string): boolean => UNSET.test(text)

/** The base at the start of a path below it. */
const REPEATED = new RegExp(`^(?:${BASE})+(?=/|$)`)
const LISTS = Object.values(OPERATIONS).flatMap(({ kind, path }) => (kind === 'list' ? [path] : []))

/** The methods of a path; empty where it has no operation. */
export const methodsAt = (path: string) =>
  operationsAt(path)
    .map(({ method }) => method)
    .join(', ')

export const REFUSALS = {
  stateReplaced: refusal(
    'state_replaced',
    () =>
      'A load, a reset, a restored snapshot or a deletion replaced the state of the sandbox while this request waited, so it had no effect. Send it again to the new state.'
  ),
  badPath: refusal(
    'request_malformed',
    () =>
      'The percent-encoding of the path is broken: % must be followed by two hexadecimal digits.',
    { assumption: 'A08' }
  ),
  longPath: refusal('path_unknown', () => 'The path is longer than any.', { assumption: 'A08' }),
  noPath: refusal(
    'path_unknown',
    (path: string, base: string) => {
      const below = bounded(readable(path.replace(REPEATED, '')))
      return REPEATED.test(path)
        ? `The base address ${base} is in the path more than once: send this to ${base}${below}.`
        : `No endpoint has the path ${below}; paths begin with ${LISTS.slice(0, -1).join(', ')} or ${LISTS.at(-1)}.`
    },
    { assumption: 'A08' }
  ),
  /** A path that has other methods, or none. */
  notAt: (path: string, method: string, base: string) => {
    const allow = methodsAt(path)
    if (allow === '') return REFUSALS.noPath(path, base)
    const isTicket = operationsAt(path).some(({ family }) => family === 'tickets')
    const isWrite = ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method)
    const message = `${shortened(readable(path))} takes ${allow}, not ${method}.`
    return isTicket && isWrite
      ? refused(
          'method_not_allowed',
          `Tickets are read-only: ${message} The emulator's own POST ${controlOfBase(base)}/records adds them for a test.`,
          { headers: { allow }, rule: 'TKT-1' }
        )
      : refused('method_not_allowed', message, { headers: { allow }, assumption: 'A08' })
  },
  outsideBase: refusal(
    'path_unknown',
    (path: string, base: string) => {
      const name = bounded(readable(path))
      return methodsAt(path) === ''
        ? `There is nothing at ${base.slice(0, -BASE.length)}${name}; every path is relative to the base address, which is ${base} here. The control API is at ${controlOfBase(base)}.`
        : `The base address ends in /next: send this to ${base}${name}.`
    },
    { rule: 'BASE-1' }
  ),

  noKey: noKey('No API key was sent'),
  noUserName: noKey('The user name is empty'),
  notBasic: badKey('The Authorization header is not HTTP Basic'),
  notBase64: badKey('The Basic credentials are not base64 of KEY and a colon'),
  hasPassword: badKey('The password is not empty'),
  unknownKey: refusal(
    'api_key_unknown',
    () =>
      'The loaded scenario has no such API key. Its keys are shown at start, and declared under api_keys in its fixtures.',
    { assumption: 'A18', headers: CHALLENGE }
  ),

  disabled: (family: Family, rule: RuleId) =>
    refused(
      'operation_disabled',
      `Deleting ${RESOURCE_NAMES[family]}s is disabled: the service always responds with 501.`,
      { rule }
    ),
  encoded: refusal(
    'content_type_unsupported',
    (encoding: unknown) =>
      `Content-Encoding ${encoding} is not supported; send the body without encoding.`,
    { assumption: 'A32' }
  ),
  notAForm: refusal(
    'content_type_unsupported',
    (type: string | undefined) =>
      `${type ? `The Content-Type is ${type}` : 'No Content-Type was sent'}; send ${FORM_TYPE}, with nested values as address[city]=Boston.`,
    { rule: 'FORM-1' }
  ),
  wrongCharset: refusal(
    'form_malformed',
    (charset: string) => `The charset of the body is ${charset}; send UTF-8.`,
    { assumption: 'A36' }
  ),
  tooLarge: refusal(
    'body_too_large',
    (bytes: number, limit = 'limits.body') =>
      `The body is larger than ${limit} allows: ${bytes} bytes.`,
    { assumption: 'A35' }
  ),
  unexpectedBody: (method: string, isList: boolean, by: Blame) =>
    refused(
      'body_unexpected',
      `A ${method} takes no body; ${isList ? 'list parameters go in the query string' : 'its parameters go in the path'}.`,
      by
    ),

  unknown: (message: string, param: string) =>
    refused('parameter_unknown', message, { param, assumption: 'A14' }),
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
    refused('cursor_unknown', `${param}: no record of this list has the id ${shownGot(id)}.`, {
      param,
      assumption: 'A10'
    }),
  unknownReference: (param: string, family: Family, id: string, by: Blame) =>
    refused(
      'reference_missing',
      `${param}: no ${RESOURCE_NAMES[family]} has the id ${shownGot(id)}.`,
      { param, ...by }
    ),
  notInPath: (param: string, family: Family, id: string) =>
    refused('resource_missing', `No ${RESOURCE_NAMES[family]} has the id ${shownGot(id)}.`, {
      param,
      assumption: 'A08'
    }),
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
  oneOf: (words: string) => `must be one of ${words}`,
  whole: 'must be a whole number, digits only',
  between: (least: number, most: number) => `must be ${least} to ${most}`,
  atMost: (most: number) => `must be at most ${most}`,
  atLeast: (least: number) => `must be at least ${least}`,
  decimal: 'must be a decimal number',
  exact: 'must be a number that a double holds exactly'
}
