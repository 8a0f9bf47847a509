/** The emulated API as a function, in the order of refusals (A08). Its caller waits. */
import { ApiError } from '../core/errors.js'
import { decodeForm, EMPTY_FORM, FORM_TYPE, type Form, valueIn } from '../core/form.js'
import { BASE, isUnder, pathOf } from '../core/paths.js'
import {
  isChange,
  type OperationId,
  operationAt,
  operationOf,
  PATH_RECORDS
} from '../reference/operations.js'
import type { Action } from '../scenario/script.js'
import { bodyOf, bytesOf, changedBody } from '../store/bytes.js'
import type { Stored } from '../store/collection.js'
import { collectionOf, type Records } from '../store/store.js'
import { noOperation, optionsHeaders, outsideBase, refuse } from './answers.js'
import { type AnyRecord, type Arriving, Exchange, hasBody, STAGE } from './exchange.js'
import { actorOf, redacted } from './keys.js'
import { positionOf, type StoredList } from './listing.js'
import { HANDLERS, parametersOf } from './operations.js'
import {
  decodeParameters,
  findReferences,
  type Lookups,
  refuseInQuery,
  refuseMisshapen,
  type Table
} from './parameters.js'
import {
  answerByScript,
  breakAnswer,
  changeAnswer,
  changeRecords,
  endingOf,
  isAnswer,
  retractUnapplied,
  sentBy
} from './scripted.js'
import { REFUSALS } from './sentences.js'
import { inBody, inPath } from './visibility.js'
import type { World } from './world.js'

/** `body` is the text of its form, null where it has none. */
export type ApiRequest = Pick<Arriving, 'method' | 'url' | 'headers'> & { body: string | null }

/** Unless `isScripted`, `action` replaces the script. `onEntered`: the key is known. */
export function execute(
  world: World,
  { body, ...request }: ApiRequest,
  {
    isScripted = true,
    action: given = null as Action | null,
    base = BASE,
    onEntered = (_operation: OperationId): unknown => null
  } = {}
): Exchange {
  const exchange = arrive(world, { ...request, base })
  try {
    if (enter(exchange)) {
      const operation = exchange.operation as OperationId
      onEntered(operation)
      refuseLarge(exchange, body ?? '')
      decode(exchange, formIn(body ?? '', exchange), isScripted)
      const isAsked = isScripted && world.state.script.operations.has(operation)
      const action = isAsked ? askScript(exchange) : given
      exchange.action = action
      if (action === null || !isAnswer(action)) perform(exchange)
      else answerByScript(exchange, action)
    }
  } catch (error) {
    refuse(exchange, error)
  }
  breakAnswer(exchange)
  if (isScripted) retractUnapplied(exchange)
  exchange.close(true, 0)
  return exchange
}

export const arrive = (world: World, arriving: Arriving): Exchange =>
  new Exchange(world, world.nextRequestId(), arriving)

/** Before the body is read. Returns whether the request goes on: OPTIONS is answered. */
export function enter(exchange: Exchange): boolean {
  if (!route(exchange)) {
    exchange.answerHeaders = optionsHeaders(exchange)
    exchange.answered(204, null, null, '')
    return false
  }
  identify(exchange)
  const { disabledBy, family } = operationOf(exchange.operation as OperationId)
  // 3. LOC-4, ACC-5
  if (disabledBy !== undefined) throw REFUSALS.disabled(family, disabledBy)
  if (exchange.method === 'POST' && hasBody(exchange.headers) && !isOpenEnded(exchange.headers))
    checkType(exchange)
  return true
}

/** 1. Finds the operation at a path; false for OPTIONS. */
function route(exchange: Exchange): boolean {
  const { method, url, path, base, world } = exchange
  if (path.includes('%') && !isDecodable(path)) throw REFUSALS.badPath()
  if (!isUnder(BASE, url)) {
    exchange.rely('A39')
    throw outsideBase(pathOf(url), base)
  }
  if (path.length > MAX_PART_LENGTH && path.split('/').some(part => part.length > MAX_PART_LENGTH))
    throw REFUSALS.longPart()
  if (method === 'OPTIONS') return false
  const isHead = method === 'HEAD'
  const found = operationAt(isHead ? 'GET' : method, path)
  if (found === null) throw noOperation(exchange)
  exchange.operation = found.operation
  exchange.params = found.params
  exchange.stage = STAGE.routed
  if (!world.isLoaded) world.requireLoaded()
  if (isHead || path.endsWith('/')) exchange.rely('A39')
  return true
}

/** Characters of a part of a path. */
const MAX_PART_LENGTH = 16_384

function isDecodable(path: string): boolean {
  try {
    return decodeURIComponent(path) !== ''
  } catch {
    return false
  }
}

/** 2. Finds out who sent it. Errors: those of a key that is not right (401). */
function identify(exchange: Exchange): void {
  const { world, authorization } = exchange
  const { key } = operationOf(exchange.operation as OperationId)
  exchange.account = null
  exchange.actor = key ? actorOf(authorization, world, exchange) : null
  if (!key && authorization && world.settings['auth.payment_key'] === 'check')
    checkPaymentKey(exchange)
  exchange.account = exchange.actor?.id ?? null
  exchange.identifiedIn = world.state.store
  if (exchange.stage < STAGE.identified) exchange.stage = STAGE.identified
}

/** Errors: as of a key that is needed, but the reference asks for none here (A20). */
function checkPaymentKey(exchange: Exchange): void {
  try {
    actorOf(exchange.authorization, exchange.world, exchange)
  } catch (error) {
    const { code, message, headers } = error as ApiError
    throw new ApiError(code, { message, headers, assumption: 'A20' })
  }
}

const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;.*)?$/

/** Whether only its end shows whether a body has any bytes: one of no bytes is none (A37). */
export const isOpenEnded = (headers: Exchange['headers']) =>
  headers['transfer-encoding'] !== undefined

/** 4. The one content type of a POST that is read (FORM-1, A32). */
function checkType(exchange: Exchange): void {
  const { headers } = exchange
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity') throw REFUSALS.encoded(encoding)
  const type = headers['content-type'] as string | undefined
  if (type === FORM_TYPE) return
  const isType = type === undefined || MEDIA_TYPE.test(type)
  if (isType && isFormType(type)) return
  exchange.rely('A32')
  throw isType ? REFUSALS.notAForm(type) : REFUSALS.notAType()
}

/** 5. Errors: `body_too_large` (A35). */
function refuseLarge({ settings }: Exchange, body: string): void {
  if (Buffer.byteLength(body) > settings['limits.body'])
    throw REFUSALS.tooLarge(settings['limits.body'])
}

/** A body whose type is not read. */
export const OPAQUE: Form = { root: EMPTY_FORM, problem: null }

/** The form in a body; null where it has no bytes. */
export function formIn(
  body: string,
  { headers, settings, method }: Pick<Exchange, 'headers' | 'settings' | 'method'>
): Form | null {
  if (body === '') return null
  return method === 'POST' || isForm(headers) ? decodeForm(body, settings) : OPAQUE
}

export const isForm = ({
  'content-type': type,
  'content-encoding': encoding = 'identity'
}: Exchange['headers']) => encoding === 'identity' && isFormType(type)

export const isFormType = (type: unknown) =>
  String(type).split(';')[0]?.trim().toLowerCase() === FORM_TYPE

/** 6. Reads the forms, and 7. the parameters; `body` is null where none was sent. */
export function decode(exchange: Exchange, body: Form | null, isCounted = true): void {
  requireState(exchange)
  const { url, headers, settings, method } = exchange
  const question = url.indexOf('?')
  const query = decodeForm(question < 0 ? '' : url.slice(question + 1), settings)
  exchange.query = query.root
  if (body !== null) exchange.body = body.root
  if (isCounted) countRequest(exchange)
  if (method === 'POST' && body !== null) {
    if (isOpenEnded(headers)) checkType(exchange)
    const problem =
      (headers['content-type'] === FORM_TYPE ? null : charsetProblem(headers)) ?? body.problem
    if (problem !== null) throw brokenForm(problem, 'FORM-1')
  }
  if (query.problem !== null) throw brokenForm(query.problem)
  exchange.stage = STAGE.decoded
  const table = parametersOf(exchange.operation as OperationId, exchange.settings)
  const form = method === 'POST' ? exchange.body : exchange.query
  refuseMisshapen(table, form)
  if (method === 'POST') {
    if (query.root.size > 0) refuseInQuery(query.root, exchange, LOOKUPS)
  } else if (body !== null) throw unexpectedBody(exchange, table)
  exchange.values = decodeParameters(table, form, exchange, LOOKUPS)
  exchange.stage = STAGE.admitted
}

/** Shows a request to the scenario's expectations, once. */
export function countRequest(exchange: Exchange): void {
  const { tally, id } = exchange
  if (!tally.isEmpty) exchange.came ??= tally.came(sentBy(exchange), id)
}

/** A request that waited ends with the state that it came to. Errors: `state_replaced`. */
export function requireState({ state, world }: Exchange): void {
  if (state !== world.state) throw REFUSALS.stateReplaced()
}

/** 8. What the script does to the request; null for nothing. */
export function askScript(exchange: Exchange): Action | null {
  const { world } = exchange
  exchange.action = world.state.script.act(
    sentBy(exchange),
    { seed: exchange.settings.seed, at: exchange.at },
    world.counted
  )
  return exchange.action
}

/** Broken percent-encoding breaks FORM-1 in a POST body alone. */
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

function charsetProblem({ 'content-type': type }: Exchange['headers']): Form['problem'] {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(String(type))?.[1]
  if (charset === undefined || /^utf-?8$/i.test(charset)) return null
  return {
    code: 'form_malformed',
    param: '',
    message: `The charset of the body is ${charset}; send UTF-8.`,
    assumption: 'A36'
  }
}

const LOOKUPS: Lookups<Exchange> = {
  unknown(exchange, messages) {
    exchange.unknownParameter = true
    if (exchange.settings['parameters.unknown'] !== 'warn') return
    const { world, authorization, warnings } = exchange
    const shown = messages
      .slice(0, MAX_WARNINGS - warnings.length)
      .map(message => redacted(message, world, authorization))
    exchange.warnings = [...warnings, ...shown]
  },
  find: inBody,
  cursor(exchange, param, id) {
    const [after, before] = exchange.settings['pagination.cursors']
    if (param === before && valueIn(exchange.query, after) !== undefined)
      throw REFUSALS.twoCursors(after, before)
    positionOf(exchange, operationOf(exchange.operation as OperationId).family, param, id)
  }
}
const MAX_WARNINGS = 10

/** A list's parameters belong in the query (FORM-3), anything else nowhere (A37). */
function unexpectedBody(exchange: Exchange, { byName }: Table): ApiError {
  const isOfList = [...exchange.body.keys()].some(name => byName.has(name))
  exchange.rely('A37')
  return REFUSALS.unexpectedBody(
    exchange.method,
    byName.size > 0,
    isOfList ? { rule: 'FORM-3' } : { assumption: 'A37' }
  )
}

/** 9. The operation. `hasWaited`: caller and records are looked up again. */
export function perform(exchange: Exchange, hasWaited = false): void {
  const { action, world } = exchange
  requireState(exchange)
  exchange.place = world.inputs.place
  try {
    const isChanged = action !== null && changeRecords(exchange, action, 'before')
    if (hasWaited || isChanged) resume(exchange)
    if (action !== null && action.entry.stale !== null)
      exchange.past = world.past(action.entry.stale)
    operate(exchange)
    if (action !== null) changeAnswer(exchange, action)
  } finally {
    if (action !== null && exchange.stage >= STAGE.running) changeRecords(exchange, action, 'after')
    exchange.changes = world.inputs.place - exchange.place
  }
}

function operate(exchange: Exchange): void {
  exchange.stage = STAGE.running
  const operation = exchange.operation as OperationId
  for (const { name, family } of PATH_RECORDS[operation])
    exchange.found = inPath(exchange, family, exchange.params[name] as string, name) as AnyRecord
  const shown = (
    HANDLERS as unknown as Readonly<Record<OperationId, (request: Exchange) => unknown>>
  )[operation](exchange) as StoredList<AnyStored> | AnyStored | null
  if (shown === null) {
    exchange.world.changed('users', (exchange.found as AnyRecord).id, null, exchange.id, '')
    exchange.answered(204, null, null, '')
  } else show(exchange, shown)
}
type AnyStored = Records[keyof Records]

function resume(exchange: Exchange): void {
  const { actor, world, values } = exchange
  exchange.settings = world.settings
  const isSame =
    world.state.store === exchange.identifiedIn &&
    world.state.store.accounts.get(actor?.id ?? '') === actor
  if (actor !== null && !isSame) identify(exchange)
  exchange.values = findReferences(
    parametersOf(exchange.operation as OperationId, exchange.settings),
    values,
    exchange,
    LOOKUPS
  )
}

function show(exchange: Exchange, shown: StoredList<AnyStored> | AnyStored): void {
  const { world, settings, shape } = exchange
  const operation = operationOf(exchange.operation as OperationId)
  const { kind, family } = operation
  if (isChange(operation)) {
    const record = shown as AnyStored
    const body = changedBody(record, family, shape)
    if (shown !== exchange.found) world.changed(family, record.id, record, exchange.id, body)
    exchange.answered(kind === 'create' ? settings['statuses.created'] : 200, shown, null, body)
    return
  }
  const stored =
    'stored' in shown
      ? shown.stored
      : [collectionOf(exchange.store, family).stored(shown.id) as Stored<AnyStored>]
  const members = stored.map(record => bytesOf(family, record, exchange.store, shape))
  exchange.answered(200, shown, members, bodyOf(shown, members, shape.list))
}

/** 11. The request is over, `ms` milliseconds after it came. */
export function close(exchange: Exchange, isDelivered: boolean, ms: number): void {
  exchange.close(isDelivered, ms)
  const { came, tally } = exchange
  if (came !== null) tally.ended(came, endingOf(exchange))
}
