/** Admits a request, in the order of refusals (A08). Nothing is changed, so it can be repeated. */
import { ApiError } from '../core/errors.js'
import { decodeForm, EMPTY_FORM, FORM_TYPE, type Form } from '../core/form.js'
import { BASE, isUnder, pathOf } from '../core/paths.js'
import { operationAt, operationOf } from '../reference/operations.js'
import { actorOf } from './keys.js'
import { type ResponseHeaders, STAGE } from './outcome.js'
import { decodeParameters, refuseInQuery, unknownIn } from './parameters.js'
import {
  type Admitted,
  Draft,
  hasBody,
  isOpenEnded,
  type Reading,
  type RequestHeaders
} from './reading.js'
import { methodsAt, REFUSALS } from './sentences.js'
import { type Table, tablesWith } from './tables.js'

/** On the present state. Errors: as of `enter` and `decode`; with them, what it read before. */
export function admitAgain(
  admitted: Admitted,
  form: Form | null
): { reading: Admitted; refusal: unknown } {
  const { reached, operation } = admitted
  const draft: Draft = Object.create(Draft.prototype)
  const fresh = { operation, actor: null, record: null, warnings: [] }
  const reading = Object.assign(draft, admitted, fresh)
  let refusal: unknown = null
  try {
    enter(draft)
    decode(draft, form)
  } catch (error) {
    refusal = error
  }
  draft.reached = reached
  return { reading, refusal }
}

/** Before the body is read. Returns the headers of OPTIONS, else null. */
export function enter(reading: Reading): ResponseHeaders | null {
  const draft: Draft = reading
  const { world, relied, settings, authorization, headers, method, path, base } = draft
  if (path.includes('%') && !isDecodable(path)) throw REFUSALS.badPath()
  requireBase(draft)
  if (path.length > MAX_PATH_LENGTH) throw REFUSALS.longPath()
  if (method === 'OPTIONS') return optionsHeaders(draft)
  // 1. the operation
  const isHead = method === 'HEAD'
  const match = operationAt(isHead ? 'GET' : method, path)
  if (match === null) throw REFUSALS.notAt(path, method, base)
  draft.operation = match.operation
  draft.params = match.params
  draft.reached = STAGE.routed
  world.requireLoaded()
  if (isHead || path.endsWith('/')) relied.add('A39')
  const { key, disabledBy, family } = operationOf(match.operation)
  // 2. the caller
  if (key) draft.actor = actorOf(authorization, world, relied)
  else if (authorization && settings['auth.payment_key'] === 'check') checkPaymentKey(draft)
  draft.reached = STAGE.identified
  // 3. LOC-4, ACC-5
  if (disabledBy !== undefined) throw REFUSALS.disabled(family, disabledBy)
  if (method === 'POST' && hasBody(headers) && !isOpenEnded(headers)) checkType(draft)
  return null
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
function optionsHeaders({ path, headers, settings, relied }: Draft): ResponseHeaders {
  const { 'access-control-request-headers': asked, origin } = headers
  const allow = methodsAt(path)
  const isPreflight = settings.cors && origin !== undefined
  if (allow === '' && !isPreflight) throw REFUSALS.noPath(path)
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

/** No rule asks for this key (A20). */
function checkPaymentKey({ authorization, world, relied }: Draft): void {
  try {
    actorOf(authorization, world, relied)
  } catch (error) {
    const { code, message, headers } = error as ApiError
    throw new ApiError(code, { message, headers, assumption: 'A20' })
  }
}

/** 4. The one content type of a POST that is read (FORM-1, A32). */
function checkType({ headers, relied }: Draft): void {
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

/** 5. The form in a body; null where it has no bytes. Errors: `body_too_large` (A35). */
export function formIn(body: string | null, { headers, method, settings }: Reading): Form | null {
  if (!body) return null
  const most = settings['limits.body']
  if (Buffer.byteLength(body) > most) throw REFUSALS.tooLarge(most)
  return method === 'POST' || isForm(headers) ? decodeForm(body, settings) : OPAQUE
}

const CHARSET = /;\s*charset\s*=\s*"?([^";\s]+)/i

/** 6. Reads the forms, and 7. the parameters; `body` is null where none was sent. */
export function decode(reading: Reading, body: Form | null): Admitted {
  const draft = reading as Draft & Admitted
  const { url, method, headers, settings, operation } = draft
  const isPost = method === 'POST'
  const question = url.indexOf('?')
  const query = decodeForm(question < 0 ? '' : url.slice(question + 1), settings)
  draft.query = query.root
  if (body !== null) draft.body = body.root
  if (isPost && body !== null) {
    if (isOpenEnded(headers)) checkType(draft)
    const { 'content-type': type } = headers
    const charset = type !== FORM_TYPE && CHARSET.exec(String(type))?.[1]
    if (charset && !/^utf-?8$/i.test(charset)) throw REFUSALS.wrongCharset(charset)
    if (body.problem !== null) throw brokenForm(body.problem, 'FORM-1')
  }
  if (query.problem !== null) throw brokenForm(query.problem)
  draft.reached = STAGE.decoded
  const table = tablesWith(settings['pagination.cursors'])[operation]
  const form = isPost ? draft.body : draft.query
  const unknown = unknownIn(table, form)
  if (isPost && draft.query.size > 0) refuseInQuery(draft)
  if (!isPost && body !== null) throw unexpectedBody(draft, table)
  draft.values = decodeParameters(table, form, draft, unknown)
  draft.reached = STAGE.admitted
  return draft
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
function unexpectedBody({ body, relied, method }: Draft, { byName }: Table): ApiError {
  const isOfList = [...body.keys()].some(name => byName.has(name))
  relied.add('A37')
  const blame = isOfList ? ({ rule: 'FORM-3' } as const) : ({ assumption: 'A37' } as const)
  return REFUSALS.unexpectedBody(method, byName.size > 0, blame)
}
