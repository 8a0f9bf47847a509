/** The input and output of an operation's handler. */
import type { Static, TSchema } from 'typebox'
import type { Account } from '../reference/accounts.js'
import type { OPERATIONS, OperationId } from '../reference/operations.js'
import type { Reference } from '../reference/parameters.js'
import type { TABLES } from '../reference/tables.js'
import type { Records } from '../store/store.js'
import type { StoredList } from './listing.js'
import type { Facts } from './outcome.js'
import type { Caller } from './visibility.js'
import type { World } from './world.js'

type Sent<T> = T extends { body: infer B extends TSchema }
  ? Static<B>
  : T extends { querystring: infer Q extends TSchema }
    ? Static<Q>
    : object
/** The values of a table, with records in place of ids. */
type Found<V> = { [K in keyof V]: V[K] extends Reference<infer F> ? Records[F] : V[K] }
type Params<T> = T extends { params: infer P extends TSchema } ? Static<P> : object
type Operation<I extends OperationId> = (typeof OPERATIONS)[I]
type FamilyOf<I extends OperationId> = Operation<I>['family']
type ShownBy<I extends OperationId> = Operation<I>['kind'] extends 'delete'
  ? null
  : Operation<I>['kind'] extends 'list'
    ? StoredList<Records[FamilyOf<I>]>
    : Records[FamilyOf<I>]

/** A request with a known caller, and valid parameters and references. */
export type Handled<I extends OperationId> = Caller & {
  readonly world: World
  readonly base: string
  readonly path: string
  readonly actor: Account
  readonly params: Params<(typeof TABLES)[I]>
  readonly values: Found<Sent<(typeof TABLES)[I]>>
  readonly record: Records[FamilyOf<I>]
}
/** The response's content, null for a 204, and the facts that evidence needs. */
export type Result<R> = { readonly result: R; readonly facts?: Partial<Facts> }
export type Handler<I extends OperationId> = (request: Handled<I>) => Result<ShownBy<I>>
/** The handlers of the operations of a family, in the reference's order. */
export type Handlers<I extends OperationId> = { readonly [K in I]: Handler<K> }
