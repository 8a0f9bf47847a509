/**
 * All records of a sandbox: six collections, the API keys, and the figures that follow from them.
 */
import type { Account } from '../reference/accounts.js'
import type { Location } from '../reference/locations.js'
import type { Family } from '../reference/operations.js'
import type { Refund } from '../reference/refunds.js'
import type { Ticket } from '../reference/tickets.js'
import type { Transaction } from '../reference/transactions.js'
import type { User } from '../reference/users.js'
import { Collection, type Groups } from './collection.js'

/** Fields beyond the reference that a fixture gave; returned as they are. */
type Extra = { readonly extra?: Readonly<Record<string, unknown>> }
/**
 * What is stored of each family. The embedded Refunds of a Transaction are looked up, its
 * `amount_refunded` is stored.
 */
export type Records = {
  accounts: Account & Extra
  users: User & Extra
  locations: Location & Extra
  tickets: Ticket & Extra
  transactions: Omit<Transaction, 'refunds'> & Extra
  refunds: Refund & Extra
}
export type RecordOf<F extends Family> = Records[F]

export const FAMILIES = [
  'accounts',
  'users',
  'locations',
  'tickets',
  'transactions',
  'refunds'
] as const satisfies readonly Family[]
/** The index that holds a whole family, in its one group. */
export const ALL = 'all'
const all = (): typeof ALL => ALL

type Located = { readonly location: string }
type Collections = { readonly [F in Family]: Collection<Records[F]> }

export class Store implements Collections {
  readonly accounts: Collection<Records['accounts']>
  readonly users: Collection<Records['users']>
  readonly locations: Collection<Records['locations']>
  readonly tickets: Collection<Records['tickets']>
  readonly transactions: Collection<Records['transactions']>
  readonly refunds: Collection<Records['refunds']>
  /** API key → id of the Account that it acts as, in the order in which they came. */
  keys: Map<string, string>

  /** A copy of another, which shares records until one side changes; some families begin empty. */
  constructor(from?: Store, empty: readonly Family[] = []) {
    // a record that is only tried out can belong to one that is not there
    const ownersOf = (account = '') => {
      const reseller = this.accounts.get(account)?.reseller
      return reseller ? [account, reseller] : account
    }
    const ownerOf = (location = '') => ownersOf(this.locations.get(location)?.account)
    const collection = <F extends Family>(
      family: F,
      groups: Groups<Records[F]>
    ): Collection<Records[F]> =>
      from === undefined || empty.includes(family)
        ? new Collection(groups)
        : collectionOf(from, family).clone(groups)
    this.accounts = collection('accounts', {
      all,
      account: account => (account.reseller === null ? account.id : [account.id, account.reseller])
    })
    this.users = collection('users', { all, account: user => user.account })
    this.locations = collection('locations', {
      all,
      account: location => ownersOf(location.account)
    })
    const ofLocation = {
      all,
      location: (record: Located) => record.location,
      account: (record: Located) => ownerOf(record.location)
    }
    this.tickets = collection('tickets', ofLocation)
    this.transactions = collection('transactions', ofLocation)
    this.refunds = collection('refunds', {
      all,
      transaction: refund => refund.transaction,
      account: refund => ownerOf(this.transactions.get(refund.transaction)?.location)
    })
    this.keys = new Map(from?.keys)
  }

  get size(): number {
    return FAMILIES.reduce((sum, family) => sum + this[family].size, 0)
  }

  clone(): Store {
    return new Store(this)
  }

  /** Takes what a copy holds, which is not used any more. */
  become(copy: Store): void {
    for (const family of FAMILIES) collectionOf(this, family).become(collectionOf(copy, family))
    this.keys = copy.keys
  }

  /** Puts a record in the place of the one with its id, or after the others where there is none. */
  put(family: Family, record: RecordOf<Family>): RecordOf<Family> {
    if (record.object === 'refund') return this.putRefund(record, this.refunds.get(record.id))
    const collection = collectionOf(this, family)
    return collection.get(record.id) ? collection.replace(record) : collection.insert(record)
  }

  /**
   * Puts a Refund in the place of another of its Transaction, or after the others, and updates
   * `amount_refunded`: the Transaction is another record then.
   */
  putRefund(refund: Records['refunds'], before?: Records['refunds']): Records['refunds'] {
    if (before === refund) return refund
    const transaction = this.transactions.get(refund.transaction) as Records['transactions']
    this.transactions.replace({
      ...transaction,
      amount_refunded: transaction.amount_refunded + refund.amount - (before?.amount ?? 0)
    })
    return before ? this.refunds.replace(refund) : this.refunds.insert(refund)
  }

  /**
   * Deletes a record that nothing refers to. A Refund that is deleted was never made: its amount
   * remains.
   */
  remove(family: Family, id: string): void {
    const refund = family === 'refunds' ? this.refunds.get(id) : undefined
    if (refund) this.putRefund({ ...refund, amount: 0 }, refund)
    this[family].remove(id)
  }
}

/**
 * The collection of a family. TypeScript cannot tell that a collection and its records are of the
 * same family where the family is known at run time only;
 * this is the one place where that is taken for granted.
 */
export const collectionOf = <F extends Family>(store: Collections, family: F) =>
  store[family] as unknown as Collection<Records[F]>
