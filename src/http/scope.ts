/** The records that a caller's key may see: everything, or with `auth.visibility` scoped only what belongs to its Account (A19). */
import { ApiError } from '../core/errors.js'
import type { Trace } from '../core/trace.js'
import type { Account } from '../reference/accounts.js'
import { type Family, RESOURCE_NAMES } from '../reference/operations.js'
import type { RuleId } from '../reference/rules.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Stored } from '../store/collection.js'
import { ALL, collectionOf, type RecordOf } from '../store/store.js'

/** Where a body named a record: the parameter, and the rule by which the record has to exist. */
export type BodyReference = { param: string; rule: RuleId }
/** An index and the group in it that a list is narrowed to before retrieval. */
export type Narrowing = { index: string; group: string }

/** A group that no record is in: no id is empty. */
const NOTHING = ''

/** Who asks, and where. `actor` is the Account that the caller acts as; null for the call that needs no key, which sees everything. */
export type Caller = { readonly sandbox: Sandbox; readonly actor: Account | null; readonly trace: Trace }

export class Scope {
  readonly #caller: Caller

  constructor(caller: Caller) {
    this.#caller = caller
  }

  /** Whether the caller sees only what belongs to its Account. */
  get isLimited(): boolean {
    const { actor, sandbox } = this.#caller
    return actor !== null && sandbox.settings['auth.visibility'] === 'scoped'
  }

  /** The record with an id; undefined when it does not exist or is hidden. */
  get<F extends Family>(family: F, id: string): RecordOf<F> | undefined {
    const stored = collectionOf(this.#caller.sandbox.store, family).stored(id)
    if (stored === undefined || this.isOwn(family, stored)) return stored?.record
    this.#caller.trace.rely('A19')
    return this.isLimited ? undefined : stored.record
  }

  /** Whether a record belongs to the caller's Account. Whoever owns an Account owns its Users. */
  isOwn<F extends Family>(family: F, stored: Stored<RecordOf<F>>): boolean {
    const { actor, sandbox } = this.#caller
    if (actor === null) return true
    return family === 'users' ? sandbox.store.accounts.isOwnedBy((stored.record as RecordOf<'users'>).account, actor.id) : stored.isOwnedBy(actor.id)
  }

  /** The record that the path names. Errors: `resource_missing` (404, A08). */
  inPath<F extends Family>(family: F, id: string, param = 'id'): RecordOf<F> {
    const record = this.get(family, id)
    if (record === undefined) {
      throw new ApiError('resource_missing', { message: `No ${RESOURCE_NAMES[family]} has the id ${id}.`, param, assumption: 'A08' })
    }
    return record
  }

  /** The record that a body names. Errors: `reference_missing` (400, A08) under the rule. */
  inBody<F extends Family>(family: F, id: string, { param, rule }: BodyReference): RecordOf<F> {
    const record = this.get(family, id)
    if (record === undefined) throw new ApiError('reference_missing', { message: `${param}: no ${RESOURCE_NAMES[family]} has the id ${id}.`, param, rule })
    return record
  }

  /** The index and group of what is at a Location, or belongs to a Transaction; of nothing where that does not exist or is hidden (FILT-5, REF-10, A16). */
  narrowedTo(family: 'locations' | 'transactions', record: { id: string } | undefined): Narrowing {
    if (record === undefined) this.#caller.trace.rely('A16')
    return { index: family === 'locations' ? 'location' : 'transaction', group: record?.id ?? NOTHING }
  }

  /** The index and group of any family that hold all that the caller may see of it. */
  get everything(): Narrowing {
    return this.isLimited ? { index: 'account', group: (this.#caller.actor as Account).id } : { index: ALL, group: ALL }
  }
}
