/** A Transaction as returned: the record with its most recent Refunds embedded (TXN-8, A29). */
import { listObject } from '../../http/listing.js'
import type { Transaction } from '../../reference/transactions.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import { pageOf } from '../../store/paging.js'
import type { Records } from '../../store/store.js'

const EMBEDDED = 10

/** The view of a Transaction record; `base` is the address that the embedded list's url lies under. */
export function transactionView(record: Records['transactions'], { store }: Sandbox, base: string): Transaction {
  const page = pageOf(store.refunds, { index: 'transaction', group: record.id, limit: EMBEDDED, order: 'newest_first' })
  return { ...record, refunds: listObject(`${base}/refunds?transaction=${record.id}`, page) }
}
