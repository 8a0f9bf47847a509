/**
 * Every refusal: its code, status and type, and when it occurs. No other module has a
 * status (A07, A08).
 */
import type { AssumptionId } from '../reference/assumptions.js'
import type { RuleId } from '../reference/rules.js'
import { bounded } from './sentences.js'
import type { Settings } from './settings.js'

type StatusSetting = Extract<keyof Settings, `statuses.${string}`>
export type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'permission_error'
  | 'not_found_error'
  | 'not_implemented_error'
  | 'internal_error'
/** `by` are the rules and assumptions that cause it. */
type Entry = {
  status: number | StatusSetting
  type: ErrorType
  when: string
  by: readonly (RuleId | AssumptionId)[]
}

const kind =
  (type: ErrorType, status: Entry['status']) =>
  (when: string, by = ''): Entry => ({
    status,
    type,
    when,
    by: (by.match(/\S+/g) ?? []) as Entry['by'][number][]
  })
const of = (status: Entry['status']) => kind('invalid_request_error', status)
const invalid = of('statuses.invalid')
const refundRefused = of('statuses.refund_refused')
const malformed = of(400)
const conflict = of(409)
const tooLarge = of(413)
const tooMany = of(429)
const unauthenticated = kind('authentication_error', 'statuses.unauthenticated')
const forbidden = kind('permission_error', 403)
const missing = kind('not_found_error', 404)
const unavailable = kind('internal_error', 503)

export const SERVICE_ERRORS = {
  path_unknown: missing('No endpoint has this path.', 'BASE-1 A08'),
  method_not_allowed: of(405)(
    'The path exists, but not with this method; `Allow` lists the methods it has.',
    'TKT-1 A08'
  ),
  api_key_missing: unauthenticated('No API key was sent.', 'AUTH-3 A20'),
  api_key_unknown: unauthenticated('The loaded scenario has no such API key.', 'A18 A20'),
  api_key_malformed: unauthenticated(
    'The Authorization header is not HTTP Basic with an empty password.',
    'AUTH-1 A20'
  ),
  operation_disabled: kind('not_implemented_error', 501)(
    'The service disables this operation: deleting a Location or an Account.',
    'LOC-4 ACC-5'
  ),
  content_type_unsupported: of(415)('The body is not form-encoded.', 'FORM-1 A32'),
  body_too_large: tooLarge('The body is larger than `limits.body`.', 'A35'),
  body_unexpected: invalid('A GET or DELETE request has a body.', 'FORM-3 A37'),
  form_malformed: invalid(
    'The form is malformed: wrong percent-encoding or brackets, a name sent twice, or sent both as a value and as an object.',
    'FORM-1 FORM-2 A36'
  ),
  form_too_large: invalid(
    'The request has more parameters than `limits.parameters`, or nests them deeper than `limits.depth`.',
    'A35'
  ),
  parameter_unknown: invalid('The operation has no such parameter.', 'A14'),
  parameter_not_updatable: invalid('The parameter cannot be changed by an update.', 'REF-9'),
  parameter_missing: invalid(
    'A required parameter is missing or empty.',
    'LOC-1 LOC-2 ACC-1 ACC-2 ACC-3 ACC-4 USR-2 USR-3 TXN-1 TXN-2 TXN-3 TXN-4 REF-1 A16 A22 A24'
  ),
  parameter_invalid: invalid(
    'A value is not valid for its parameter.',
    'FORM-2 ADDR-1 ADDR-2 META-1 LIST-3 FILT-1 FILT-2 FILT-3 FILT-4 ACC-1 USR-3 TXN-2 TXN-6 TXN-7 REF-3 A10 A16 A17 A24 A25 A27 A30 A35 A38 A40'
  ),
  cursor_unknown: invalid('A cursor does not name a record in the list.', 'A10'),
  resource_missing: kind('not_found_error', 'statuses.missing')(
    'The resource named in the path does not exist.',
    'USR-1 A08'
  ),
  reference_missing: of('statuses.reference_missing')(
    'A resource named in the body does not exist.',
    'TXN-1 REF-1 A19'
  ),
  merchant_required: kind('permission_error', 'statuses.forbidden')(
    'Only merchant Accounts can create Locations.',
    'LOC-3'
  ),
  charge_has_no_amount: refundRefused('The Transaction has no settled amount.', 'A24'),
  charge_already_refunded: refundRefused('The Transaction is fully refunded.', 'REF-6'),
  refund_exceeds_remaining: refundRefused(
    'The Refund exceeds the remaining amount of the charge.',
    'REF-7'
  ),
  charge_has_no_card: refundRefused('The Transaction has no card to refund.', 'A28'),
  request_malformed: malformed('The request is not valid HTTP.', 'A08'),
  headers_too_large: of(431)('The request line and headers are too large.', 'A08'),
  request_timeout: of(408)('The request did not arrive in time.', 'A08'),
  expectation_failed: of(417)('`Expect` asks for something other than `100-continue`.', 'A08'),
  internal_error: kind(
    'internal_error',
    500
  )('A defect in the emulator; no request should cause it.')
} satisfies Record<string, Entry>

export const CONTROL_ERRORS = {
  not_ready: unavailable('The start scenario is still loading, or the emulator is stopping.'),
  host_not_allowed: forbidden('The Host header is a name that DNS rebinding could use.'),
  origin_not_allowed: forbidden('A page on another site or port sent the request.'),
  token_required: kind(
    'authentication_error',
    401
  )('CONTROL_TOKEN is set and the request does not have it.'),
  body_malformed: malformed('The body is missing, or is not valid JSON or YAML.'),
  document_invalid: malformed('A document has problems; `problems` lists the first 1000.'),
  document_too_large: tooLarge(
    'A document exceeds `limits.records` or `limits.entries`, or reading it takes too much time or memory.'
  ),
  state_replaced: conflict(
    'A load, a reset, a restored snapshot or a deletion replaced the state of the sandbox while the request waited, so it had no effect.'
  ),
  state_changed: conflict(
    'The sandbox changed while a large document was being merged into it; nothing was merged.'
  ),
  scenario_unknown: missing('No scenario or fixture has this name.'),
  request_unknown: missing('The journal has no request with this id.'),
  state_unknown: missing('The state before and after the request is no longer stored.'),
  journal_incomplete: conflict(
    'Requests that the verdict depends on are no longer in the journal.'
  ),
  snapshot_unknown: missing('No snapshot has this name.'),
  gate_unknown: missing('No script entry holds requests at a gate with this name.'),
  entry_unknown: missing('No script entry has this id.'),
  record_unknown: missing('No record in this family has this id.'),
  record_in_use: conflict('Other records or an API key refer to the record.'),
  sandbox_unknown: missing(
    'No sandbox has this name. A request to its API with a valid path and key creates it, and so does a control request that changes something.'
  ),
  sandbox_limit: tooMany('`limits.sandboxes` is reached.'),
  limit_reached: tooMany(
    'A limit of the emulator is reached, and the message names its setting. The emulated API can also return it.'
  ),
  data_not_written: unavailable(
    'The data folder cannot be written. The message says whether the change was made in memory only, or refused.'
  ),
  name_invalid: malformed('This is not a valid name for a sandbox or snapshot.'),
  account_unknown: malformed('No Account has this id.'),
  setting_invalid: malformed(
    'A setting is unknown, has an invalid value or can be set only at start; `problems` lists them all.'
  )
} satisfies Record<string, Entry>

export const CATALOGUE = { ...SERVICE_ERRORS, ...CONTROL_ERRORS }
export type ErrorCode = keyof typeof CATALOGUE
export type ServiceErrorCode = keyof typeof SERVICE_ERRORS

export type Problem = {
  /** Where in the document, as `tickets[3].location`; empty for the document itself. */
  path: string
  /** The kind of problem, for programs; messages may change. */
  code: string
  message: string
  file?: string
  line?: number
  column?: number
}

export type ErrorDetails = {
  message: string
  /** In bracket notation, as the client wrote it. */
  param?: string
  rule?: RuleId
  assumption?: AssumptionId
  facts?: Readonly<Record<string, unknown>>
  problems?: readonly Problem[]
  headers?: Readonly<Record<string, string>>
}

/**
 * The error handler turns it into a response. It is not a defect, so it has no stack: capturing
 * a stack takes longer than judging a request.
 */
export class ApiError implements Error {
  readonly name = 'ApiError'
  readonly message: string
  readonly param: string | undefined
  readonly rule: RuleId | undefined
  readonly assumption: AssumptionId | undefined
  readonly facts: Readonly<Record<string, unknown>> | undefined
  readonly problems: readonly Problem[] | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(
    readonly code: ErrorCode,
    { message, param, rule, assumption, facts, problems, headers = NO_HEADERS }: ErrorDetails
  ) {
    this.message = message
    this.param = param
    this.rule = rule
    this.assumption = assumption
    this.facts = facts
    this.problems = problems
    this.headers = headers
  }
}
Object.setPrototypeOf(ApiError.prototype, Error.prototype)
const NO_HEADERS: Readonly<Record<string, string>> = Object.freeze({})

export const refusal =
  <T extends readonly unknown[]>(
    code: ErrorCode,
    message: (...values: T) => string,
    details: Omit<ErrorDetails, 'message'> = {}
  ) =>
  (...values: T): ApiError =>
    new ApiError(code, {
      message: message(...(values.map(bounded) as readonly unknown[] as T)),
      ...details
    })

/** The HTTP status of a refusal, which a setting may change (A08). */
export function statusOf(code: ErrorCode, settings: Settings): number {
  const { status } = CATALOGUE[code]
  return typeof status === 'number' ? status : settings[status]
}
