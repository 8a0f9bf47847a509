/** What a request is executed in: a sandbox, or a copy of one. */
import type { Clock } from '../core/clock.js'
import type { Settings } from '../core/settings.js'
import type { AccountType } from '../reference/accounts.js'
import type { Family } from '../reference/operations.js'
import type { Tally } from '../scenario/expect/tally.js'
import type { Edit, RecordName } from '../scenario/records/edits.js'
import type { EntryCount, Script } from '../scenario/script.js'
import type { RecordOf, Store } from '../store/store.js'

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
