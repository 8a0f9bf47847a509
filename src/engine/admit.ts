/** Admits a request, in the order of refusals (A08). Nothing is changed, so it can be repeated. */
import { ApiError } from '../core/errors.js'
import {
  decodeForm,
  EMPTY_FORM,
  FORM_TYPE,
  type Form,
  type FormObject,
  valueIn
} from '../core/form.js'
import { BASE, isUnder, pathOf } from '../core/paths.js'
import type { Settings } from '../core/settings.js'
import type { Account } from '../reference/accounts.js'
import { type Family, type OperationId, operationAt, operationOf } from '../reference/operations.js'
import type { Cursors } from '../reference/parameters.js'
import type { Arrival } from '../scenario/expect/judges.js'
import type { Store } from '../store/store.js'
import { Arrived, type Arriving, hasBody, isOpenEnded, type RequestHeaders } from './arrived.js'
import { actorOf, redacted } from './keys.js'
import { positionOf } from './listing.js'
import { tablesWith } from './operations.js'
import { type AnyRecord, Relied, type ResponseHeaders, STAGE, type Stage } from './outcome.js'
import {
  type BodyReference,
  decodeParameters,
  NO_VALUES,
  refuseInQuery,
  type Table,
  unknownIn,
  type Values
} from './parameters.js'
import { methodsAt, REFUSALS } from './sentences.js'
import { inBody } from './visibility.js'
import type { World } from './world.js'

/** What has been read so far. Written only here. */
export type Reading = Readonly<Draft>
/** An admitted request. */
export type Admitted = Reading & { readonly operation: OperationId }

const NO_WARNINGS: readonly string[] = Object.freeze([])
const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({})

class Draft {
  readonly request: Arrived
  readonly settings: Settings
  /** The settings at arrival: a wait does not change them. */
  readonly cursors: Cursors
  readonly relied: Relied
  reached: Stage
  operation: OperationId | null = null
  params = NO_PARAMS
  /** Null where no key is required, or not read yet. */
  actor: Account | null = null
  query: FormObject = EMPTY_FORM
  body: FormObject = EMPTY_FORM
  /** Decoded, with records in place of ids. */
  values: Values = NO_VALUES
  record: AnyRecord | null = null
  isUnknown = false
  warnings = NO_WARNINGS
  /** What the scenario's expectations counted; null before. */
  came: Arrival | null = null

  constructor(request: Arrived, relied: Relied, reached: Stage, cursors?: Cursors) {
    this.request = request
    this.settings = request.world.settings
    this.cursors = cursors ?? this.settings['pagination.cursors']
    this.relied = relied
    this.reached = reached
  }

  get store(): Store {
    return this.request.world.state.store
  }

  hearUnknown(messages: readonly string[]): void {
    const { settings, warnings, request } = this
    this.isUnknown = true
    if (settings['parameters.unknown'] !== 'warn') return
    const masked = messages
      .slice(0, MAX_WARNINGS - warnings.length)
      .map(message => redacted(message, request.world, request.authorization))
    this.warnings = [...warnings, ...masked]
  }

  find(family: Family, id: string, reference: BodyReference): AnyRecord {
    this.record = inBody(this, family, id, reference)
    return this.record
  }

  checkCursor(param: string, id: string): void {
    const [after, before] = this.cursors
    if (param === before && valueIn(this.query, after) !== undefined)
      throw REFUSALS.twoCursors(after, before)
    positionOf(this, operationOf(this.operation as OperationId).family, param, id)
  }
}

export const readingOf = (world: World, arriving: Arriving, id = world.nextRequestId()): Reading =>
  new Draft(new Arrived(world, id, arriving), new Relied(), STAGE.arrived)

export function noteCame(reading: Reading, came: Arrival): void {
  const draft: Draft = reading
  draft.came = came
}

function reach(draft: Draft, stage: Stage): void {
  if (draft.reached < stage) draft.reached = stage
}

/**
 * Again, on the present state. Errors: as of `enter` and `decode`; with them, what it read before.
 */
export function admitAgain(
  { request, operation, relied, reached, cursors, query, body, came }: Admitted,
  form: Form | null
): { reading: Admitted; refusal: unknown } {
  const draft = new Draft(request, relied, reached, cursors)
  const again = Object.assign(draft, { operation, query, body, came })
  try {
    enter(draft)
    decode(draft, form)
    return { reading: again, refusal: null }
  } catch (refusal) {
    return { reading: again, refusal }
  }
}

/** Before the body is read. Returns the headers of OPTIONS, else null. */
export function enter(reading: Reading): ResponseHeaders | null {
  const draft: Draft = reading
  const { headers, method } = draft.request
  refuseElsewhere(draft)
  if (method === 'OPTIONS') return optionsHeaders(draft)
  const operation = operationOf(route(draft))
  identify(draft, operation.key)
  // 3. LOC-4, ACC-5
  if (operation.disabledBy !== undefined)
    throw REFUSALS.disabled(operation.family, operation.disabledBy)
  if (method === 'POST' && hasBody(headers) && !isOpenEnded(headers)) checkType(draft)
  return null
}

/** The methods of the path (A39), and the response to a preflight. Errors: `path_unknown`. */
function optionsHeaders({ request, settings, relied }: Draft): ResponseHeaders {
  const { path, base } = request
  const { 'access-control-request-headers': asked, origin } = request.headers
  const allow = methodsAt(path)
  const isPreflight = settings.cors && origin !== undefined
  if (allow === '' && !isPreflight) throw REFUSALS.noPath(path, base)
  relied.add('A39')
  return {
    ...(allow !== '' && { allow }),
    ...(isPreflight && {
      vary: 'Access-Control-Request-Headers',
      'access-control-allow-methods': 'GET, POST, DELETE',
      ...(asked !== undefined && { 'access-control-allow-headers': String(asked) })
    })
  }
}

/** 1. Finds the operation at a path. */
function route(draft: Draft): OperationId {
  const { method, path, base, world } = draft.request
  const isHead = method === 'HEAD'
  const match = operationAt(isHead ? 'GET' : method, path)
  if (match === null)
    throw methodsAt(path) === ''
      ? REFUSALS.noPath(path, base)
      : REFUSALS.noMethod(path, method, base)
  draft.operation = match.operation
  draft.params = match.params
  reach(draft, STAGE.routed)
  if (!world.isLoaded) world.requireLoaded()
  if (isHead || path.endsWith('/')) draft.relied.add('A39')
  return match.operation
}

/** Errors: for a path that cannot be one of the API. */
function refuseElsewhere({ request: { url, path, base }, relied }: Draft): void {
  if (path.includes('%') && !isDecodable(path)) throw REFUSALS.badPath()
  if (!isUnder(BASE, url)) {
    relied.add('A39')
    throw REFUSALS.outsideBase(pathOf(url), base)
  }
  if (path.length > MAX_PART_LENGTH && path.split('/').some(part => part.length > MAX_PART_LENGTH))
    throw REFUSALS.longPart()
}

const MAX_PART_LENGTH = 16_384

function isDecodable(path: string): boolean {
  try {
    return decodeURIComponent(path) !== ''
  } catch {
    return false
  }
}

/** 2. Identifies the caller. Errors: those of a key that is not right (401). */
function identify(draft: Draft, needsKey: boolean): void {
  const { request, relied, settings } = draft
  const { authorization, world } = request
  if (needsKey) draft.actor = actorOf(authorization, world, relied)
  else if (authorization && settings['auth.payment_key'] === 'check') {
    try {
      actorOf(authorization, world, relied)
    } catch (error) {
      const { code, message, headers } = error as ApiError
      throw new ApiError(code, { message, headers, assumption: 'A20' })
    }
  }
  reach(draft, STAGE.identified)
}

const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;.*)?$/

/** 4. The one content type of a POST that is read (FORM-1, A32). */
function checkType({ request: { headers }, relied }: Draft): void {
  const { 'content-type': type, 'content-encoding': encoding = 'identity' } = headers
  if (encoding !== 'identity') throw REFUSALS.encoded(encoding)
  if (type === FORM_TYPE) return
  const isType = type === undefined || MEDIA_TYPE.test(String(type))
  if (isType && isFormType(type)) return
  relied.add('A32')
  throw isType ? REFUSALS.notAForm(type && String(type)) : REFUSALS.notAType()
}

export const OPAQUE: Form = { root: EMPTY_FORM, problem: null }

/** 5. The form in a body; null where it has no bytes. Errors: `body_too_large` (A35). */
export function formIn(body: string, { request: { headers, method }, settings }: Reading) {
  if (body === '') return null
  const most = settings['limits.body']
  if (Buffer.byteLength(body) > most) throw REFUSALS.tooLarge(most)
  return method === 'POST' || isForm(headers) ? decodeForm(body, settings) : OPAQUE
}

export const isForm = ({
  'content-type': type,
  'content-encoding': encoding = 'identity'
}: RequestHeaders) => encoding === 'identity' && isFormType(type)

export const isFormType = (type: unknown) =>
  String(type).split(';')[0]?.trim().toLowerCase() === FORM_TYPE

/** 6. Reads the forms, and 7. the parameters; `body` is null where none was sent. */
export function decode(reading: Reading, body: Form | null): Admitted {
  const draft: Draft = reading
  const { request, settings } = draft
  const { url, headers, method } = request
  const question = url.indexOf('?')
  const query = decodeForm(question < 0 ? '' : url.slice(question + 1), settings)
  draft.query = query.root
  if (body !== null) draft.body = body.root
  if (method === 'POST' && body !== null) {
    if (isOpenEnded(headers)) checkType(draft)
    const problem =
      (headers['content-type'] === FORM_TYPE ? null : charsetProblem(headers)) ?? body.problem
    if (problem !== null) throw brokenForm(problem, 'FORM-1')
  }
  if (query.problem !== null) throw brokenForm(query.problem)
  reach(draft, STAGE.decoded)
  const operation = draft.operation as OperationId
  const table = tablesWith(draft.cursors)[operation]
  const form = method === 'POST' ? draft.body : draft.query
  const unknown = unknownIn(table, form)
  if (method === 'POST') {
    if (query.root.size > 0) refuseInQuery(query.root, draft)
  } else if (body !== null) throw unexpectedBody(draft, table)
  draft.values = decodeParameters(table, form, draft, unknown)
  reach(draft, STAGE.admitted)
  return Object.assign(draft, { operation })
}

/** FORM-1 is about POST bodies, so other places break another rule. */
function brokenForm(
  { code, message, param, rule, assumption }: NonNullable<Form['problem']>,
  place?: 'FORM-1'
): ApiError {
  const blamed = rule ?? place
  return new ApiError(code, {
    message,
    ...(param && { param }),
    ...(blamed && !assumption ? { rule: blamed } : { assumption: assumption ?? 'A36' })
  })
}

function charsetProblem({ 'content-type': type }: RequestHeaders): Form['problem'] {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(String(type))?.[1]
  if (charset === undefined || /^utf-?8$/i.test(charset)) return null
  return {
    code: 'form_malformed',
    param: '',
    message: `The charset of the body is ${charset}; send UTF-8.`,
    assumption: 'A36'
  }
}

const MAX_WARNINGS = 10

/** A list's parameters belong in the query (FORM-3), anything else nowhere (A37). */
function unexpectedBody({ body, relied, request }: Draft, { byName }: Table): ApiError {
  const isOfList = [...body.keys()].some(name => byName.has(name))
  relied.add('A37')
  return REFUSALS.unexpectedBody(
    request.method,
    byName.size > 0,
    isOfList ? { rule: 'FORM-3' } : { assumption: 'A37' }
  )
}
