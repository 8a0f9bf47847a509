/** The refusals of the control API, and the messages of verdicts. */

import { type ErrorCode, refusal } from '../core/errors.js'
import {
  didYouMean,
  nearest,
  type Sentences,
  sayer,
  sentence,
  shortened,
  shownGot,
  thereAre
} from '../core/sentences.js'

const refusalOf = <T extends readonly unknown[]>(
  param: string,
  message: (...values: T) => string,
  code: ErrorCode = 'parameter_invalid'
) => refusal(code, (...values: T) => sentence(`${param}: ${message(...values)}`), { param })

const journalHas = (ids: readonly string[]) =>
  ids.length === 0 ? 'the journal is empty' : `the journal has ${ids[0]} to ${ids.at(-1)}`

export const REFUSALS = {
  hostNotAllowed: refusal(
    'host_not_allowed',
    (host: string) =>
      `The control API does not accept the Host ${host}. Use an IP address, localhost or a single-label name, or add the name to CONTROL_HOSTS.`
  ),
  otherSite: refusal(
    'origin_not_allowed',
    () => 'This request came from a page on another site or port, which cannot use the control API.'
  ),
  otherOrigin: refusal(
    'origin_not_allowed',
    (origin: string, host: string) =>
      `Pages of other origins cannot use the control API; ${origin} is not http://${host}.`
  ),
  tokenRequired: refusal(
    'token_required',
    () =>
      'This control API needs Authorization: Bearer TOKEN, with the value of CONTROL_TOKEN. A browser asks for it as the password; the user name is ignored.',
    {
      headers: { 'www-authenticate': 'Basic realm="commerce-emulator control"' }
    }
  ),
  pathUnknown: refusal(
    'path_unknown',
    (method: string, control: string, path: string, known: readonly string[]) => {
      const pathOf = (on: string) => on.slice(on.indexOf(' ') + 1)
      const near = nearest(path, known.map(pathOf))
      const likely = known
        .filter(on => pathOf(on) === near)
        .map(on => on.replace(' ', ` ${control}`))
        .join(' or ')
      return `The control API has no ${method} ${control}${path}; ${likely ? `did you mean ${likely}? Or see` : 'see'} the links of GET ${control}.`
    }
  ),
  parameterUnknown: (param: string, known: readonly string[]) =>
    refusal(
      'parameter_unknown',
      (name: string) =>
        sentence(
          `${name} is not a parameter of this request${didYouMean(name, known) || `; it takes ${known.join(', ') || 'none'}`}`
        ),
      { param: shortened(param) }
    )(shortened(param)),
  contentType: refusal(
    'content_type_unsupported',
    (type = '') =>
      `${type === '' ? 'No Content-Type was sent' : `The Content-Type is ${type}`}; the control API reads JSON and YAML. Send application/json or application/yaml.`
  ),
  bodyUnexpected: refusal('body_malformed', () => 'This request takes no body.'),
  bodyMissing: refusal(
    'body_malformed',
    (example: string) =>
      `This request needs a body, as application/json or application/yaml, such as ${example}`
  ),
  clientLeft: refusal('request_malformed', () => 'The client disconnected before the response.'),
  clockEmpty: refusal('body_malformed', () => 'The body must have now, running or both.'),
  clockEnd: refusalOf(
    'by',
    (by: string) => `the clock must stay before the year 10000; got ${by}`,
    'body_malformed'
  ),
  waitTooLong: refusalOf(
    'within',
    (within: string) => `must be at most 1m; got ${within}`,
    'body_malformed'
  ),
  pathOutside: refusalOf(
    'path',
    (path: string) =>
      `must be a path below the base address, such as /refunds; got ${shownGot(path)}`
  ),
  scriptFull: refusal(
    'limit_reached',
    (size: number) =>
      `limits.entries is reached: the script has ${size} entries. Remove some, or raise the setting.`
  ),
  patternsFull: refusal(
    'limit_reached',
    (maximum: number, together: number) =>
      `A script must have at most ${maximum} patterns; with this entry it has ${together}. Join patterns with |.`
  ),
  entryUnknown: refusal(
    'entry_unknown',
    (id: string, known: readonly string[]) =>
      `No script entry has the id ${id}; ${thereAre(known)}.`,
    { param: 'id' }
  ),
  gateUnknown: refusal(
    'gate_unknown',
    (name: string, known: readonly string[]) => `There is no gate ${name}; ${thereAre(known)}.`,
    { param: 'name' }
  ),
  requestUnknown: (id: string, ids: readonly string[], param: string) =>
    refusal(
      'request_unknown',
      () => `The journal has no request ${shortened(id)}; ${journalHas(ids)}.`,
      { param }
    )(),
  stateUnknown: refusal(
    'state_unknown',
    (id: string, limit: number) =>
      `The state around ${id} is no longer stored: a load, a reset, or more than limits.journal (${limit}) changes or 16 MiB of them drop it. Request it sooner, or raise limits.journal.`
  ),
  operationUnknown: refusalOf(
    'on',
    (on: string, known: readonly string[]) =>
      `${on} is not an operation${didYouMean(on, known) || `; available: ${known.join(', ')}`}`
  ),
  statusWrong: refusalOf(
    'status',
    (status: string) => `must be a status, such as 404, or a class, such as 4xx; got ${status}`
  ),
  sinceOfRun: refusalOf(
    'since',
    (since: string) => `must be an instant for scope=run; got ${since}`
  ),
  sinceUnknown: refusalOf(
    'since',
    (since: string, ids: readonly string[]) =>
      `must be an instant or the id of a request in the journal; got ${since}; ${journalHas(ids)}`
  ),
  unplayable: refusalOf(
    'format',
    (id: string) =>
      `${id} cannot be replayed: a replay needs an operation, a valid API key or none, no parameter sent twice, and records that a fixture can hold`
  ),
  journalIncomplete: refusal(
    'journal_incomplete',
    (missing: number) =>
      `The journal no longer has ${missing} of the requests. Raise limits.journal, or write this under expect in the scenario, which counts requests as they arrive.`
  )
}

export const notTogether = (param: string, partner: string) =>
  refusalOf(param, () => `cannot be combined with ${partner}`)()

/** The problems of a `verify` body, and the messages of verdicts. */
export const VERIFY = {
  not_kept: () =>
    'the journal does not store this; match the account instead of the key, or write this under expect in the scenario',
  nothing_expected: () => 'The scenario has no expectations.',
  all_met: () => 'Every expectation of the scenario is met.'
} satisfies Sentences
export const say = sayer(VERIFY)
