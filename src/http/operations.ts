/** The route of an operation: its parameter table, its handler, and how what the handler returns is answered. */
import type { FastifyReply, FastifyRequest, RouteShorthandOptionsWithHandler } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { ApiError } from '../core/errors.js'
import { isChange, OPERATION_IDS, type OPERATIONS, type OperationId, operationOf, RESOURCE_NAMES } from '../reference/operations.js'
import { schemaOf } from '../reference/parameters.js'
import { TABLES, type Tables } from '../reference/tables.js'
import { bodyOf, bytesOf, changedBody } from '../store/bytes.js'
import type { Stored } from '../store/collection.js'
import { collectionOf, type Records } from '../store/store.js'
import type { Call } from './call.js'
import type { StoredList } from './listing.js'
import { compileTable, type Table } from './parameters.js'

type TablesOf<I extends OperationId> = (typeof TABLES)[I]
type Values<T> = T extends { body: infer B extends TSchema } ? Static<B> : T extends { querystring: infer Q extends TSchema } ? Static<Q> : object
type Params<T> = T extends { params: infer P extends TSchema } ? Static<P> : object
type AnyStored = Records[keyof Records]
type AnswerOf<I extends OperationId, O = (typeof OPERATIONS)[I]> = O extends { family: infer F extends keyof Records; kind: infer K }
  ? K extends 'delete'
    ? null
    : K extends 'list'
      ? StoredList<Records[F]>
      : Records[F]
  : never
/** A call of one operation: its parameters have the types of the operation's tables. */
export type CallOf<I extends OperationId> = Call & { readonly values: Values<TablesOf<I>>; readonly params: Params<TablesOf<I>> }
/** Finds, judges, changes, and returns what the client is shown; null answers 204. Errors: thrown `ApiError`s. */
export type Handler<I extends OperationId> = (call: CallOf<I>) => AnswerOf<I>

/** The compiled parameter table of each operation: that of the body, or of the query. */
export const PARAMETERS = new Map<OperationId, Table>(
  OPERATION_IDS.map(id => {
    const { body, querystring }: Tables = TABLES[id]
    const table = body ?? querystring
    return [id, compileTable(table && schemaOf(table))]
  })
)

/** Route options of an operation. */
export function operation<I extends OperationId>(id: I, handle: Handler<I>): RouteShorthandOptionsWithHandler {
  const { kind, family } = operationOf(id)
  const changes = isChange(operationOf(id))
  const handler = ({ call }: FastifyRequest, reply: FastifyReply): void => {
    const shown = handle(call as CallOf<I>) as StoredList<AnyStored> | AnyStored | null
    call.fate = 'answered'
    if (shown === null) {
      reply.answer(204, '')
      return
    }
    const { store, settings } = call.sandbox
    if (changes) {
      call.show(shown, null)
      reply.answer(kind === 'create' ? settings['statuses.created'] : 200, changedBody(shown as AnyStored, family, call.base))
      return
    }
    const stored = 'stored' in shown ? shown.stored : [collectionOf(store, family).stored(shown.id) as Stored<AnyStored>]
    const members = stored.map(record => bytesOf(family, record, store, call.base))
    call.show(shown, members)
    reply.answer(200, bodyOf(shown, members))
  }
  return { config: { operation: id }, handler }
}

/** Route options of an operation that the reference disables: it aborts with 501 right after the key (LOC-4, ACC-5). */
export function disabledOperation(id: OperationId): RouteShorthandOptionsWithHandler {
  return { config: { operation: id }, handler: refuseDisabled }
}

/** Errors: `operation_disabled` where the reference disables the operation. */
export function refuseDisabled({ call }: Pick<FastifyRequest, 'call'>): void {
  const { disabledBy, family } = operationOf(call.operation as OperationId)
  if (disabledBy === undefined) return
  throw new ApiError('operation_disabled', { message: `Deleting ${RESOURCE_NAMES[family]}s is disabled: the service always aborts it.`, rule: disabledBy })
}
