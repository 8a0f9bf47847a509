/** Records that are merged into those of a sandbox, all or none. */
import { type IdCounters, Ids } from '../core/ids.js'
import { pathOf } from '../core/places.js'
import { withoutSecrets } from '../core/redaction.js'
import type { Settings } from '../core/settings.js'
import type { World } from '../engine/world.js'
import { type DocumentProblem, documentOf } from '../scenario/documents.js'
import type { DocumentLimits } from '../scenario/read/refusal.js'
import { type Edit, type Edited, edited, type RecordName } from '../scenario/records/edits.js'
import type { ImportedRecords } from '../scenario/records/importer.js'
import { say } from '../scenario/sentences.js'
import { FAMILIES, type RecordOf, type Store } from '../store/store.js'
import type { Input } from './inputs.js'
import type { State } from './state.js'

export type RecordChange = RecordName & { record: RecordOf<RecordName['family']> | null }
type Keys = ImportedRecords['api_keys']
export type RecordSink = {
  readonly state: State
  readonly settings: Settings
  readonly dependencies: { readonly library: { readonly limits: DocumentLimits } }
  noteRecords: (
    by: string,
    changes: readonly RecordChange[],
    kept: unknown,
    more?: { keys?: Keys; refunded?: readonly RecordName[]; input?: Input | undefined }
  ) => void
}

export function merge(sandbox: RecordSink, edit: Edit, by: string) {
  const { state, settings, dependencies } = sandbox
  const [store, ids] = [state.store.clone(), new Ids(state.ids.counters)]
  const problems: DocumentProblem[] = []
  const made = edited(store, edit, { ids, now: state.clock.now(), settings }, problems)
  const limit = dependencies.library.limits['limits.records']
  if (store.size > limit)
    problems.push({ document: documentOf('', null), steps: ['change'], ...say('no_room', limit) })
  const changed = changesOf(made)
  if (problems.length === 0) {
    const refunded = refundedBy(state.store, made.removed)
    state.store.become(store)
    state.ids = ids
    const keys = made.imported.api_keys
    sandbox.noteRecords(by, changed, made.imported, { keys, refunded })
  }
  return { problems, changed }
}

export function scriptedEdit(
  sandbox: RecordSink,
  edit: Edit,
  by: string
): ReturnType<World['edit']> {
  const { problems, changed } = merge(sandbox, edit, by)
  if (problems.length === 0) return { changed, problem: null }
  const texts = problems.map(({ steps, message }) => `${pathOf(steps)}: ${message}`)
  return { changed: [], problem: withoutSecrets(texts.join('; ')) }
}

export const changesOf = ({ imported, removed }: Edited): RecordChange[] => [
  ...removed.map(name => ({ ...name, record: null })),
  ...FAMILIES.flatMap(family => imported[family].map(record => ({ family, id: record.id, record })))
]

/** The Transactions of Refunds, which change when these are deleted. */
export const refundedBy = ({ refunds }: Store, removed: readonly RecordName[]): RecordName[] =>
  removed.flatMap(({ id }): RecordName[] => {
    const refund = refunds.get(id)
    return refund === undefined ? [] : [{ family: 'transactions', id: refund.transaction }]
  })

export const inputOf =
  (changes: readonly RecordChange[], counters: IdCounters, keys: Keys = []): Input =>
  ({ store, ids }) => {
    ids.counters = counters
    for (const { key, account } of keys) store.keys.set(key, account)
    for (const { family, id, record } of changes)
      if (record === null) store.remove(family, id)
      else store.put(family, record)
  }

export const replacement =
  (records: Store, counters: IdCounters): Input =>
  state => {
    state.store = records.clone()
    state.ids.counters = counters
  }
