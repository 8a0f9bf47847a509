/** What a request is executed in, and what the handler of an operation gets and returns. */
import type { Static, TSchema } from 'typebox'
import type { Clock } from '../core/clock.js'
import type { Settings } from '../core/settings.js'
import type { Account, AccountType } from '../reference/accounts.js'
import type { Family, OPERATIONS, OperationId } from '../reference/operations.js'
import type { Reference } from '../reference/parameters.js'
import type { TABLES } from '../reference/tables.js'
import type { Tally } from '../scenario/expect/tally.js'
import type { Edit, RecordName } from '../scenario/records/edits.js'
import type { EntryCount, Script } from '../scenario/script.js'
import type { RecordOf, Records, Store } from '../store/store.js'
import type { Caller } from './keys.js'
import type { ListValues, StoredList } from './listing.js'
import type { Facts } from './outcome.js'

/** A sandbox, or a copy of one. */
export type World = {
  readonly isLoaded: boolean
  /** Replaced by a load, a reset or a restore. */
  readonly state: { readonly store: Store; readonly clock: Clock; readonly script: Script }
  readonly settings: Settings
  readonly tally: Tally
  /** Errors: `not_ready` before the first load. */
  requireLoaded: () => unknown
  /** The machine's time in milliseconds. */
  readonly machine: () => number
  /** Numbers the changes. */
  readonly inputs: { readonly place: number }
  /** `json` is the record's; null where the request `by` deleted it. */
  changed: (
    family: Family,
    id: string,
    record: RecordOf<Family> | null,
    by: string,
    json: string
  ) => void
  /** Makes an edit for the request `by`. Returns the changed records, or why it failed. */
  edit: (edit: Edit, by: string) => { changed: readonly RecordName[]; problem: string | null }
  /** The records as they were so many milliseconds ago, by the clock of `state`. */
  past: (ms: number) => Store
  counted: (id: string, count: EntryCount) => void
  /** The id of the next response, from a counter of its own (A34). */
  nextRequestId: () => string
  stamp: (family: Family, type?: AccountType) => { id: string; created: string }
}

type Sent<T> = T extends { body: infer B extends TSchema }
  ? Static<B>
  : T extends { querystring: infer Q extends TSchema }
    ? Static<Q>
    : object
/** The values of a table, with records in place of ids and instants in place of their texts. */
type Decoded<V> = {
  [K in keyof V]: V[K] extends Reference<infer F>
    ? Records[F]
    : K extends 'created'
      ? ListValues['created']
      : V[K]
}
type Params<T> = T extends { params: infer P extends TSchema } ? Static<P> : object
type Operation<I extends OperationId> = (typeof OPERATIONS)[I]
type FamilyOf<I extends OperationId> = Operation<I>['family']
type ShownBy<I extends OperationId> = Operation<I>['kind'] extends 'delete'
  ? null
  : Operation<I>['kind'] extends 'list'
    ? StoredList<Records[FamilyOf<I>]>
    : Records[FamilyOf<I>]

/** A request with a known caller, and valid parameters and references. */
type Handled<I extends OperationId> = Caller & {
  readonly world: World
  readonly base: string
  readonly path: string
  readonly actor: Account
  readonly params: Params<(typeof TABLES)[I]>
  readonly values: Decoded<Sent<(typeof TABLES)[I]>>
  readonly record: Records[FamilyOf<I>]
}
/** The response's content, null for a 204, and the facts that evidence needs. */
export type Result<R> = { readonly result: R; readonly facts?: Partial<Facts> }
type Handler<I extends OperationId> = (request: Handled<I>) => Result<ShownBy<I>>
/** The handlers of the operations of a family, in the reference's order. */
export type Handlers<I extends OperationId> = { readonly [K in I]: Handler<K> }
