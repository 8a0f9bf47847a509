/** What changed each record last; what a restore brings back is that of before. */
import { valueIn } from '../core/form.js'
import { type AnyRecord, listShown } from '../engine/outcome.js'
import type { Family } from '../reference/operations.js'
import type { Store } from '../store/store.js'
import type { Entry } from './entry.js'

type Change = { readonly by: string; readonly place: number }
type Changed = { family: Family; id: string }

export class Changers {
  /** By records as they are stored; those of the first state have none. */
  readonly #changes = new WeakMap<object, Change>()
  readonly #deletions = new Map<string, Change>()
  count = 0
  /** What made the last ones, and how many there were before. */
  #last = { by: '', from: 0 }

  /** Notes what has changed records, or deleted those that are gone; a Refund its Transaction too. */
  note(store: Store, by: string, records: readonly Changed[]): void {
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
  restored(): void {
    this.count++
    this.#deletions.clear()
  }

  /** What last changed the record of a request, and the one changed last of those that it lists. */
  of(call: Entry): string[] {
    const listed = (listShown(call)?.data ?? []).flatMap(record => this.#changes.get(record) ?? [])
    const last = listed.reduce<Change | null>(
      (latest, change) => (latest !== null && latest.place > change.place ? latest : change),
      null
    )
    const judged = judgedBy(call).map(record => this.#changes.get(record))
    const gone = idsOf(call).map(id =>
      id === call.facts.found?.id ? null : this.#deletions.get(id)
    )
    return [...new Set([...judged, ...gone, last].flatMap(change => change?.by ?? []))]
  }
}

function judgedBy({ facts: { found, filteredBy }, caller, operation }: Entry): object[] {
  const merchant = operation === 'createLocation' ? caller.actor : null
  return [found, filteredBy, merchant].filter(record => record !== null)
}

function idsOf({ params, body, operation }: Entry): string[] {
  const named = operation === 'createRefund' ? valueIn(body, 'transaction') : undefined
  return [...Object.values(params), ...(typeof named === 'string' ? [named] : [])]
}
