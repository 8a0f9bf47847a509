/** What a route says of itself: the operation of the reference that it answers, its parameter table and its answer. */
import type { FastifySchema } from 'fastify'
import type { TSchema } from 'typebox'
import type { OperationId } from '../reference/operations.js'

type Tables = {
  params?: TSchema
  /** The parameter table of a POST. */
  body?: TSchema
  /** The parameter table of a list. */
  querystring?: TSchema
  /** The resource or list of a successful answer, whatever its 2xx status. */
  answer?: TSchema
}

/** Route options for one operation; the types of the handler's parameters and answer follow from the tables. */
export function operation<T extends Tables>(id: OperationId, { answer, ...tables }: T) {
  const schema = { ...tables, ...(answer && { response: { '2xx': answer } }) }
  return { schema: schema as Omit<T, 'answer'> & { response: { '2xx': T['answer'] } } & FastifySchema, config: { operation: id } }
}
