/** The records that a caller's key may see: everything, or with `auth.visibility` scoped only what belongs to its Account (A19). */
import { ApiError } from '../core/errors.js'
import type { Trace } from '../core/trace.js'
import type { Account } from '../reference/accounts.js'
import { type Family, RESOURCE_NAMES } from '../reference/operations.js'
import type { RuleId } from '../reference/rules.js'
import { ALL, type RecordOf } from '../store/store.js'
import type { Sandbox } from './sandbox.js'

/** Where a call named the record: in its path, or in a parameter of its body under a rule. */
export type Mention = { param: string; rule: RuleId }

/** A group that no record is in: no id is empty. */
const NOTHING = ''

export class Visible {
  readonly #sandbox: Sandbox
  /** The Account that the caller acts as; null for the call that needs no key, which sees everything. */
  readonly #actor: Account | null
  readonly #trace: Trace

  constructor(sandbox: Sandbox, actor: Account | null, trace: Trace) {
    this.#sandbox = sandbox
    this.#actor = actor
    this.#trace = trace
  }

  /** The Account whose belongings alone may be seen; null when everything may. */
  get #owner(): string | null {
    return this.#actor !== null && this.#sandbox.settings['auth.visibility'] === 'scoped' ? this.#actor.id : null
  }

  /** The record with an id, or undefined when there is none or it is hidden. */
  get<F extends Family>(family: F, id: string): RecordOf<F> | undefined {
    const record = this.#sandbox.store[family].get(id) as RecordOf<F> | undefined
    return record !== undefined && (this.#owner === null || this.#ownersOf(family, record).includes(this.#owner)) ? record : undefined
  }

  /** The Accounts that may see a record; who may see an Account may see its Users. */
  #ownersOf<F extends Family>(family: F, record: RecordOf<F>): readonly string[] {
    const { store } = this.#sandbox
    if (family !== 'users') return store.ownersOf(family, record)
    return store.ownersOf('accounts', store.accounts.get((record as RecordOf<'users'>).account) as RecordOf<'accounts'>)
  }

  /** The record that the path names. Errors: `resource_missing` (404, A08). */
  inPath<F extends Family>(family: F, id: string, rule?: RuleId): RecordOf<F> {
    const record = this.get(family, id)
    if (record === undefined) {
      throw new ApiError('resource_missing', {
        message: `No ${RESOURCE_NAMES[family]} has the id ${id}.`,
        param: 'id',
        ...(rule ? { rule } : { assumption: 'A08' })
      })
    }
    if (rule) this.#trace.held(rule)
    return record
  }

  /** The record that a body names. Errors: `reference_missing` (400, A08) under the rule. */
  inBody<F extends Family>(family: F, id: string, { param, rule }: Mention): RecordOf<F> {
    const record = this.get(family, id)
    if (record === undefined) throw new ApiError('reference_missing', { message: `${param}: no ${RESOURCE_NAMES[family]} has the id ${id}.`, param, rule })
    return record
  }

  /** The index and group of what lies at a Location, or belongs to a Transaction; of everything when none is named, of nothing when it is hidden (FILT-5, REF-10). */
  narrowed(family: 'locations' | 'transactions', id: string | undefined): { index: string; group: string } {
    if (id === undefined) return this.everything
    return { index: family === 'locations' ? 'location' : 'transaction', group: this.get(family, id) === undefined ? NOTHING : id }
  }

  /** The index and group of any family that hold all that may be seen of it. */
  get everything(): { index: string; group: string } {
    if (this.#owner === null) return { index: ALL, group: ALL }
    this.#trace.assumed('A19')
    return { index: 'account', group: this.#owner }
  }
}
