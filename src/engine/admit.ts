/** Admits a request, in the order of refusals (A08). Nothing is changed, so it can be repeated. */
import { ApiError } from '../core/errors.js'
import { decodeForm, EMPTY_FORM, FORM_TYPE, type Form, type FormObject } from '../core/form.js'
import { BASE, isUnder, pathOf } from '../core/paths.js'
import type { Account } from '../reference/accounts.js'
import { operationAt, operationOf } from '../reference/operations.js'
import { actorOf } from './keys.js'
import { type ResponseHeaders, STAGE, type Stage } from './outcome.js'
import { Decoder, unknownIn } from './parameters.js'
import { hasBody, isOpenEnded, type Reading, type RequestHeaders, type Routed } from './reading.js'
import { type Response, refuse, respond } from './response.js'
import { methodsAt, REFUSALS } from './sentences.js'
import { NO_TABLE, type Table, tablesWith } from './tables.js'

/** Before the body is read: 1. operation, 2. caller, 3. LOC-4 and ACC-5, 4. content type. */
export function enter(arrived: Reading): Routed | Response {
  const { world, relied, authorization, method, path, base, headers } = arrived
  let match: ReturnType<typeof operationAt> = null
  let actor: Account | null = null
  let reached: Stage = STAGE.arrived
  try {
    if (path.includes('%') && !isDecodable(path)) throw REFUSALS.badPath()
    requireBase(arrived)
    if (path.length > MAX_PATH_LENGTH) throw REFUSALS.longPath()
    if (method === 'OPTIONS')
      return respond(arrived, { name: 'answered', status: 204, headers: optionsHeaders(arrived) })
    const isHead = method === 'HEAD'
    match = operationAt(isHead ? 'GET' : method, path)
    if (match === null) throw REFUSALS.notAt(path, method, base)
    reached = STAGE.routed
    world.requireLoaded()
    if (isHead || path.endsWith('/')) relied.add('A39')
    const { operation, params } = match
    const { key, disabledBy, family } = operationOf(operation)
    actor = key ? actorOf(authorization, world, relied) : requirePaymentKey(arrived)
    reached = STAGE.identified
    if (disabledBy !== undefined) throw REFUSALS.disabled(family, disabledBy)
    if (method === 'POST' && hasBody(headers) && !isOpenEnded(headers)) checkType(arrived)
    return { ...arrived, operation, params, actor, reached }
  } catch (error) {
    return refuse({ ...arrived, ...match, actor, record: null, reached }, error)
  }
}

/** 5. The forms, and 6. the parameters; `body` is null where none was sent. */
export function admit(
  entered: Routed,
  query: Form,
  body: Form | null,
  came: Reading['came']
): Routed | Response {
  const isPost = entered.method === 'POST'
  const inQuery = query.root
  const inBody = body?.root ?? EMPTY_FORM
  const form = isPost ? inBody : inQuery
  const table = tablesWith(entered.settings['pagination.cursors'])[entered.operation]
  const decoder = new Decoder(entered, table, form)
  let { reached, values } = entered
  const read = (): Routed => ({
    ...entered,
    query: inQuery,
    body: inBody,
    came,
    reached,
    values,
    record: decoder.record,
    isUnknown: decoder.isUnknown,
    warnings: decoder.warnings
  })
  try {
    checkForms(entered, query, body)
    reached = STAGE.decoded
    const unknown = unknownIn(table, form)
    if (isPost && inQuery.size > 0) decoder.refuseUnknown(unknownIn(NO_TABLE, inQuery), null)
    if (!isPost && body !== null) throw unexpectedBody(entered, inBody, table)
    if (unknown.length > 0) decoder.refuseUnknown(unknown, table)
    values = decoder.object(table, form)
    reached = STAGE.admitted
    return read()
  } catch (error) {
    return refuse(read(), error)
  }
}

/** On the present state, after a wait or a change by the script. */
export function admitAgain(admitted: Routed): Routed | Response {
  const { method, query, body, came } = admitted
  const entered = enter(admitted)
  if ('outcome' in entered) return entered
  const form = method === 'POST' ? { root: body, problem: null } : null
  return admit(entered, { root: query, problem: null }, form, came)
}

/** Errors: `path_unknown` outside the base address (A39). */
export function requireBase({ url, relied, base }: Reading): void {
  if (isUnder(BASE, url)) return
  relied.add('A39')
  throw REFUSALS.outsideBase(pathOf(url), base)
}

const MAX_PATH_LENGTH = 16_384

function isDecodable(path: string): boolean {
  try {
    return decodeURIComponent(path) !== ''
  } catch {
    return false
  }
}

/** The methods of the path (A39), and the response to a preflight. Errors: `path_unknown`. */
function optionsHeaders({ path, base, headers, settings, relied }: Reading): ResponseHeaders {
  const { 'access-control-request-headers': asked, origin } = headers
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

/** A payment is made without a key; a setting refuses a wrong one (A20). */
function requirePaymentKey({ authorization, world, relied, settings }: Reading): null {
  if (!authorization || settings['auth.payment_key'] === 'ignore') return null
  try {
    actorOf(authorization, world, relied)
    return null
  } catch (error) {
    const { code, message, headers } = error as ApiError
    throw new ApiError(code, { message, headers, assumption: 'A20' })
  }
}

/** The one content type of a POST that is read (FORM-1, A32). */
function checkType({ headers, relied }: Reading): void {
  const { 'content-type': type, 'content-encoding': encoding = 'identity' } = headers
  if (encoding !== 'identity') throw REFUSALS.encoded(encoding)
  if (isFormType(type)) return
  relied.add('A32')
  throw REFUSALS.notAForm(type && String(type))
}

export const isFormType = (type: unknown) =>
  type === FORM_TYPE || String(type).split(';')[0]?.trim().toLowerCase() === FORM_TYPE

export const isForm = ({
  'content-type': type,
  'content-encoding': encoding = 'identity'
}: RequestHeaders) => encoding === 'identity' && isFormType(type)

export const OPAQUE: Form = { root: EMPTY_FORM, problem: null }

/** The form in a body; null where it has no bytes. Errors: `body_too_large` (A35). */
export function formIn(body: string | null, { headers, method, settings }: Reading): Form | null {
  if (!body) return null
  const most = settings['limits.body']
  if (Buffer.byteLength(body) > most) throw REFUSALS.tooLarge(most)
  return method === 'POST' || isForm(headers) ? decodeForm(body, settings) : OPAQUE
}

const CHARSET = /;\s*charset\s*=\s*"?([^";\s]+)/i

function checkForms(reading: Routed, query: Form, body: Form | null): void {
  const { method, headers } = reading
  if (method === 'POST' && body !== null) {
    if (isOpenEnded(headers)) checkType(reading)
    const { 'content-type': type } = headers
    const charset = type !== FORM_TYPE && CHARSET.exec(String(type))?.[1]
    if (charset && !/^utf-?8$/i.test(charset)) throw REFUSALS.wrongCharset(charset)
    if (body.problem !== null) throw brokenForm(body.problem, 'FORM-1')
  }
  if (query.problem !== null) throw brokenForm(query.problem)
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

/** A list's parameters belong in the query (FORM-3), anything else nowhere (A37). */
function unexpectedBody(
  { relied, method }: Reading,
  body: FormObject,
  { byName }: Table
): ApiError {
  const isOfList = [...body.keys()].some(name => byName.has(name))
  relied.add('A37')
  const blame = isOfList ? ({ rule: 'FORM-3' } as const) : ({ assumption: 'A37' } as const)
  return REFUSALS.unexpectedBody(method, byName.size > 0, blame)
}
