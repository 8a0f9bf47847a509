/** Which request last changed each record; a restore brings back the earlier one. */
import { valueIn } from '../core/form.js'
import { type AnyRecord, listIn } from '../engine/outcome.js'
import type { RecordName } from '../scenario/records/edits.js'
import type { Store } from '../store/store.js'
import type { Entry } from './entry.js'

type Change = { readonly by: string; readonly place: number }

export class Changers {
  /** By stored record; records of the first state have none. */
  #changes = new WeakMap<object, Change>()
  #deletions = new Map<string, Change>()
  count = 0
  #last = { by: '', from: 0 }

  /** By id of a deleted record, or of a Transaction with a new Refund. */
  note(store: Store, by: string, records: readonly RecordName[]) {
    if (by !== this.#last.by) this.#last = { by, from: this.count }
    const change = { by, place: this.count++ }
    for (const { family, id } of records) {
      const record: AnyRecord | undefined = store[family].get(id)
      if (record === undefined) this.#deletions.set(id, change)
      else this.#changes.set(record, change)
      const transaction = store.transactions.get(String(record?.transaction))
      if (transaction !== undefined) this.#changes.set(transaction, change)
    }
  }

  before(request: string): number {
    return this.#last.by === request ? this.#last.from : this.count
  }

  /** Deletions do not outlast a restore. */
  restored() {
    this.count++
    this.#deletions.clear()
  }

  /** Who last changed the record of a request, or the latest of its list. */
  of(call: Entry): string[] {
    const { facts, caller, operation, params, body } = call
    const { record, filteredBy } = facts
    const [last] = (listIn(call)?.data ?? [])
      .flatMap(listed => this.#changes.get(listed) ?? [])
      .sort((a, b) => b.place - a.place)
    const merchant = operation === 'createLocation' ? caller.actor : null
    const judged = [record, filteredBy, merchant].map(by => by && this.#changes.get(by))
    const refunded = operation === 'createRefund' ? valueIn(body, 'transaction') : undefined
    const gone = [...Object.values(params), refunded ?? ''].map(id =>
      id === record?.id ? null : this.#deletions.get(id)
    )
    return [...new Set([...judged, ...gone, last].flatMap(change => change?.by ?? []))]
  }
}
