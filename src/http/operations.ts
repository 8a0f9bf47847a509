/** The route of an operation: its parameter table, its handler, and how what the handler returns is answered. */
import type { FastifyReply, FastifyRequest, RouteShorthandOptionsWithHandler } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { ApiError } from '../core/errors.js'
import { answerWriter } from '../core/writing.js'
import type { AnyRecord } from '../evidence/judged-call.js'
import { OPERATION_IDS, type OperationId, operationOf, RESOURCE_NAMES } from '../reference/operations.js'
import { type List, schemaOf } from '../reference/parameters.js'
import { TABLES, type Tables } from '../reference/tables.js'
import type { Call } from './call.js'
import { JSON_TYPE } from './errors.js'
import { compileTable, type Table } from './parameters.js'

type TablesOf<I extends OperationId> = (typeof TABLES)[I]
type Values<T> = T extends { body: infer B extends TSchema } ? Static<B> : T extends { querystring: infer Q extends TSchema } ? Static<Q> : object
type Params<T> = T extends { params: infer P extends TSchema } ? Static<P> : object
type Answer<T> = T extends { answer: infer A extends TSchema } ? Static<A> : null
/** A call of one operation: its parameters have the types of the operation's tables. */
export type CallOf<I extends OperationId> = Call & { readonly values: Values<TablesOf<I>>; readonly params: Params<TablesOf<I>> }
/** Finds, judges, changes, and returns what the client is shown; null answers 204. Errors: thrown `ApiError`s. */
export type Handler<I extends OperationId> = (call: CallOf<I>) => Answer<TablesOf<I>>

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
  const isCreate = operationOf(id).kind === 'create'
  const hasAnswer = (TABLES[id] as Tables).answer !== undefined
  const handler = ({ call }: FastifyRequest, reply: FastifyReply): void => {
    const shown = handle(call as CallOf<I>) as AnyRecord | List<AnyRecord> | null
    call.shown = shown
    call.fate = 'answered'
    if (!hasAnswer) {
      reply.code(204).send()
      return
    }
    if (isCreate) reply.code(call.settings['statuses.created'])
    reply.type(JSON_TYPE).send(answerWriter(id)(shown as never))
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
