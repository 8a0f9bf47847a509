/** What a route says of itself: the operation of the reference that it answers, with its parameter tables and its answer. */
import type { FastifySchema } from 'fastify'
import type { OperationId } from '../reference/operations.js'
import { TABLES, type Tables } from '../reference/tables.js'

/** Route options for one operation; the types of the handler's parameters and answer follow from its tables. */
export function operation<I extends OperationId>(id: I) {
  const { answer, ...tables }: Tables = TABLES[id]
  const schema = { ...tables, ...(answer && { response: { '2xx': answer } }) }
  type Own = (typeof TABLES)[I]
  type Answer = Own extends { answer: infer A } ? { response: { '2xx': A } } : object
  return { schema: schema as unknown as Omit<Own, 'answer'> & Answer & FastifySchema, config: { operation: id } }
}
