/** Every refusal that the emulator knows: code → status, type and when it comes. Status numbers are here and nowhere else (A07, A08). */
import type { AssumptionId } from '../reference/assumptions.js'
import type { RuleId } from '../reference/rules.js'
import type { Settings } from './settings.js'

type StatusSetting = Extract<keyof Settings, `statuses.${string}`>
export type ErrorType = 'invalid_request_error' | 'authentication_error' | 'permission_error' | 'not_found_error' | 'not_implemented_error' | 'internal_error'
type Entry = { status: number | StatusSetting; type: ErrorType; when: string }
type ServiceEntry = Entry & { by: readonly (RuleId | AssumptionId)[] }

const invalid = (when: string, status: Entry['status'] = 'statuses.invalid'): Entry => ({ status, type: 'invalid_request_error', when })
const unauthenticated = (when: string): Entry => ({ status: 'statuses.unauthenticated', type: 'authentication_error', when })

/** The same, by rules and assumptions. */
const refused = (when: string, by: ServiceEntry['by'], status?: Entry['status']): ServiceEntry => ({ ...invalid(when, status), by })

/** The refusals of the emulated service, each with the rules and assumptions that refuse so. */
export const SERVICE_ERRORS = {
  path_unknown: { status: 404, type: 'not_found_error', when: 'No endpoint has this path.', by: ['BASE-1', 'A08'] },
  method_not_allowed: refused('The path exists, but not with this method; `Allow` names those it has.', ['TKT-1', 'A08', 'A39'], 405),
  api_key_missing: { ...unauthenticated('No API key was sent.'), by: ['AUTH-3'] },
  api_key_unknown: { ...unauthenticated('The API key is not one of the loaded scenario.'), by: ['A18'] },
  api_key_malformed: { ...unauthenticated('The Authorization header is not HTTP Basic with an empty password.'), by: ['AUTH-1'] },
  operation_disabled: {
    status: 501,
    type: 'not_implemented_error',
    when: 'The reference disables this operation: deleting a Location or an Account.',
    by: ['LOC-4', 'ACC-5']
  },
  content_type_unsupported: refused('The body is not form-encoded.', ['FORM-1', 'A32'], 415),
  body_too_large: refused('The body is larger than `limits.body`.', ['A35'], 413),
  body_unexpected: refused('A GET or DELETE came with a body.', ['FORM-3', 'A37']),
  form_malformed: refused('The form encoding is broken: percent-encoding, brackets, a name given twice or both as a value and as an object.', [
    'FORM-1',
    'FORM-2',
    'A36'
  ]),
  form_too_large: refused('More parameters than `limits.parameters`, or nested deeper than `limits.depth`.', ['A35']),
  parameter_unknown: refused('The call has no such parameter.', ['A14']),
  parameter_not_updatable: refused('The parameter cannot be changed by an update.', ['REF-9']),
  parameter_missing: refused('A required parameter was left out or is empty.', [
    'LOC-1',
    'LOC-2',
    'ACC-1',
    'ACC-2',
    'ACC-3',
    'ACC-4',
    'USR-2',
    'USR-3',
    'TXN-1',
    'TXN-2',
    'TXN-3',
    'TXN-4',
    'REF-1',
    'A16',
    'A40'
  ]),
  parameter_invalid: refused('A value is not what the parameter takes.', [
    'FORM-2',
    'ADDR-1',
    'ADDR-2',
    'META-1',
    'LIST-3',
    'FILT-1',
    'FILT-2',
    'FILT-3',
    'FILT-4',
    'ACC-1',
    'USR-3',
    'TXN-2',
    'TXN-6',
    'TXN-7',
    'REF-3',
    'A10',
    'A16',
    'A17',
    'A24',
    'A25',
    'A27',
    'A30',
    'A38'
  ]),
  cursor_unknown: refused('`starting_after` or `ending_before` names no record of the list.', ['A10']),
  resource_missing: { status: 'statuses.missing', type: 'not_found_error', when: 'The resource named in the path does not exist.', by: ['USR-1', 'A08'] },
  reference_missing: refused('A resource named in the body does not exist.', ['TXN-1', 'REF-1'], 'statuses.reference_missing'),
  merchant_required: { status: 'statuses.forbidden', type: 'permission_error', when: 'Only merchant Accounts create Locations.', by: ['LOC-3'] },
  charge_has_no_amount: refused('The Transaction settled nothing, so nothing can be refunded.', ['A24'], 'statuses.refund_refused'),
  charge_already_refunded: refused('The Transaction is fully refunded.', ['REF-6'], 'statuses.refund_refused'),
  refund_exceeds_remaining: refused('The Refund is larger than what remains of the charge.', ['REF-7'], 'statuses.refund_refused'),
  request_malformed: refused('The request is not HTTP that can be read.', ['A08'], 400),
  headers_too_large: refused('The request line and headers are too large.', ['A08'], 431),
  request_timeout: refused('The request was not sent in time.', ['A08'], 408),
  expectation_failed: refused('The `Expect` header asks for what is not offered.', ['A08'], 417),
  internal_error: { status: 500, type: 'internal_error', when: 'A defect of the emulator; nothing that a client sends should cause it.', by: [] }
} as const satisfies Record<string, ServiceEntry>

/** The refusals of the control API. */
export const CONTROL_ERRORS = {
  not_ready: { status: 503, type: 'internal_error', when: 'The start scenario is still being loaded.' },
  host_not_allowed: { status: 403, type: 'permission_error', when: 'The Host header is a name that DNS rebinding could use.' },
  origin_not_allowed: {
    status: 403,
    type: 'permission_error',
    when: "The Origin header is not the control API's own, or a page of another site or port makes a change."
  },
  token_required: { status: 401, type: 'authentication_error', when: 'CONTROL_TOKEN is set and the call does not carry it.' },
  body_malformed: invalid('The body is not the JSON or YAML that it says it is.', 400),
  document_invalid: invalid('A fixture or scenario has problems; `problems` lists them, up to `limits.problems`.', 400),
  document_too_large: invalid('A document holds more than `limits.records` or `limits.entries` allow, or takes too long or too much memory to read.', 413),
  load_limit: invalid('As many large documents as `limits.loads` allows are being read.', 429),
  state_changed: invalid('The sandbox was changed while a large document was merged into it; nothing of it was merged.', 409),
  scenario_unknown: { status: 404, type: 'not_found_error', when: 'No scenario or fixture has this name.' },
  request_unknown: { status: 404, type: 'not_found_error', when: 'The journal holds no call with this id.' },
  journal_incomplete: invalid('Calls that the verdict depends on are no longer in the journal.', 409),
  snapshot_unknown: { status: 404, type: 'not_found_error', when: 'No snapshot has this name.' },
  gate_unknown: { status: 404, type: 'not_found_error', when: 'No script entry holds calls at a gate of this name.' },
  entry_unknown: { status: 404, type: 'not_found_error', when: 'No script entry has this id.' },
  sandbox_unknown: {
    status: 404,
    type: 'not_found_error',
    when: 'No sandbox has this name; a call of its API with a right path and key, or a control call that changes something, makes one.'
  },
  sandbox_limit: invalid('There are as many sandboxes as `limits.sandboxes` allows.', 429),
  limit_reached: invalid(
    'There are as many script entries, snapshots, keys, event streams or waiting calls as a setting allows, which the message names.',
    429
  ),
  data_not_written: {
    status: 503,
    type: 'internal_error',
    when: 'The data file cannot be written. The message says whether the change was made, in memory alone, or refused.'
  },
  name_invalid: invalid('A sandbox or snapshot cannot have this name.', 400),
  account_unknown: invalid('No Account has this id.', 400),
  setting_invalid: invalid('A setting is unknown, has a bad value or belongs to the process; `problems` lists them all.', 400)
} as const satisfies Record<string, Entry>

export const CATALOGUE = { ...SERVICE_ERRORS, ...CONTROL_ERRORS }
export type ErrorCode = keyof typeof CATALOGUE
export type ServiceErrorCode = keyof typeof SERVICE_ERRORS

/** One thing that is wrong with a document, a settings change or a command line. */
export type Problem = {
  /** Where in the document, as `tickets[3].location`; empty for the document itself. */
  path: string
  message: string
  file?: string
  line?: number
  column?: number
}

type Details = {
  message: string
  /** The parameter, in the caller's own bracket notation. */
  param?: string
  rule?: RuleId
  assumption?: AssumptionId
  /** The figures that the rule saw. */
  facts?: Readonly<Record<string, unknown>>
  problems?: readonly Problem[]
  headers?: Readonly<Record<string, string>>
}

/** A refusal: thrown wherever it is found, answered in one place. It is an answer, not a defect, so it holds no stack: to write one takes longer than to judge a request. */
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
    { message, param, rule, assumption, facts, problems, headers = NO_HEADERS }: Details
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

/** The HTTP status of a refusal, which a setting may change (A08). */
export function statusOf(code: ErrorCode, settings: Settings): number {
  const { status } = CATALOGUE[code]
  return typeof status === 'number' ? status : settings[status]
}
