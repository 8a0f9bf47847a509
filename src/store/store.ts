/** All records of a sandbox: six collections and the API keys. */

import type { Account, User } from '../reference/accounts.js'
import type { Location, Ticket } from '../reference/locations.js'
import type { Family } from '../reference/operations.js'
import type { Refund } from '../reference/refunds.js'
import type { Transaction } from '../reference/transactions.js'
import { Collection, type Groups } from './collection.js'

/** Fields of a fixture beyond the reference, which are returned as they are. */
type Extra = { readonly extra?: Readonly<Record<string, unknown>> }
/** A Transaction is stored with its `amount_refunded`, but without its Refunds. */
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
/** The index of a whole family, with one group. */
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
  /** API key → id of the Account that it acts as, in the order of creation. */
  readonly keys: Map<string, string>

  /** A copy of another, whose records it shares until a change. */
  constructor(from?: Store) {
    // a record that is only tried out can name one that does not exist
    const ownersOf = (account = '') => {
      const reseller = this.accounts.get(account)?.reseller
      return reseller ? [account, reseller] : account
    }
    const ownerOf = (location = '') => ownersOf(this.locations.get(location)?.account)
    const collection = <F extends Family>(family: F, groups: Groups<Records[F]>) =>
      new Collection(groups, from && collectionOf(from, family))
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

  /** Replaces the record with this id, or adds it. */
  put(family: Family, record: RecordOf<Family>): RecordOf<Family> {
    if (record.object === 'refund') return this.putRefund(record, this.refunds.get(record.id))
    const collection = collectionOf(this, family)
    const before = collection.get(record.id)
    if (before === undefined) return collection.insert(record)
    collection.replace(record)
    if ('reseller' in before && before.reseller !== (record as Account).reseller)
      for (const name of FAMILIES) this[name].regroup(record.id)
    return record
  }

  /** Replaces a Refund or adds it, and updates the `amount_refunded` of its Transaction. */
  putRefund(refund: Records['refunds'], before?: Records['refunds']): Records['refunds'] {
    if (before === refund) return refund
    const transaction = this.transactions.get(refund.transaction) as Records['transactions']
    this.transactions.replace({
      ...transaction,
      amount_refunded: transaction.amount_refunded + refund.amount - (before?.amount ?? 0)
    })
    return before ? this.refunds.replace(refund) : this.refunds.insert(refund)
  }

  /** Deletes a record that nothing refers to. The amount of a Refund can be refunded again. */
  remove(family: Family, id: string): void {
    const refund = family === 'refunds' ? this.refunds.get(id) : undefined
    if (refund) this.putRefund({ ...refund, amount: 0 }, refund)
    this[family].remove(id)
  }
}

/** For a family that is known at run time only, the collection with the type of its records. */
export const collectionOf = <F extends Family>(
  store: Collections,
  family: F
): Collection<Records[F]> => store[family]
