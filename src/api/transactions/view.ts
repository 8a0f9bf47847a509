/** A Transaction as returned: the record with its most recent Refunds embedded (TXN-8, A29). */
import { listObject } from '../../http/listing.js'
import type { Transaction } from '../../reference/transactions.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import { pageOf } from '../../store/paging.js'
import type { Records } from '../../store/store.js'

const EMBEDDED = 10

/** The views that were last made, by their records: a record is another one as soon as any of its Refunds changes. */
const VIEWS = new WeakMap<Records['transactions'], { base: string; view: Transaction }>()

/** The view of a Transaction record; `base` is the address that the embedded list's url lies under. */
export function transactionView(record: Records['transactions'], { store }: Sandbox, base: string): Transaction {
  const known = VIEWS.get(record)
  if (known?.base === base) return known.view
  const page = pageOf(store.refunds, { index: 'transaction', group: record.id, limit: EMBEDDED, order: 'newest_first' })
  const view = { ...record, refunds: listObject(`${base}/refunds?transaction=${record.id}`, page) }
  VIEWS.set(record, { base, view })
  return view
}
