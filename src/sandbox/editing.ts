/** Edits of records: each takes effect as a whole, or not at all. */
import { ApiError } from '../core/errors.js'
import { pathOf } from '../core/places.js'
import { withoutSecrets } from '../core/redaction.js'
import type { Settings } from '../core/settings.js'
import type { World } from '../engine/world.js'
import type { DocumentProblem, Problems } from '../scenario/documents.js'
import { checkCount, type DocumentLimits } from '../scenario/documents.js'
import {
  type Edit,
  editing,
  type ImportedRecords,
  type RecordName
} from '../scenario/records/edits.js'
import { recordsIn } from '../scenario/records/fixture.js'
import { FAMILIES, type Store } from '../store/store.js'
import { pause } from '../work/slices.js'
import { changing, type Input, type RecordChange, replacing } from './inputs.js'
import { REFUSALS } from './sentences.js'
import { isSame, type State } from './state.js'

type MadeEdit = { imported: ImportedRecords; changed: readonly RecordName[] }
export type EditedSandbox = {
  readonly state: State
  readonly settings: Settings
  readonly ending: AbortSignal
  readonly dependencies: { readonly library: { readonly limits: DocumentLimits } }
  noteRecords: (by: string, names: readonly RecordName[], input: Input, size: unknown) => void
}

/** A larger edit lets other requests run in between. */
const MANY = 1000
const isLarge = ({ fixtures }: Edit) => recordsIn(fixtures) > MANY

/**
 * Edits copies, which become the state if there are no problems. Yields after each record; `bytes`
 * are those of the request. Errors: `document_too_large`; `state_changed` and `sandbox_unknown`
 * after another request.
 */
function* editingIn(
  sandbox: EditedSandbox,
  edit: Edit,
  by: string,
  problems: Problems,
  bytes = 0
): Generator<void, MadeEdit> {
  const { state, settings } = sandbox
  const marks = state.recordMarks
  const { store, ids, clock } = state.copy()
  const generation = { store, ids, now: clock.now(), settings }
  const { imported, removed } = yield* editing(edit, generation, problems)
  checkCount('The sandbox would hold', store.size, sandbox.dependencies.library.limits)
  if (problems.length > 0) return { imported, changed: [] }
  sandbox.ending.throwIfAborted()
  if (sandbox.state !== state || !isSame(state.recordMarks, marks))
    throw REFUSALS.changedMeanwhile()
  const changes: RecordChange[] = [
    ...removed.map(name => ({ ...name, record: null })),
    ...FAMILIES.flatMap(family =>
      imported[family].map(record => ({ family, id: record.id, record }))
    )
  ]
  const names = [...changes, ...refundedBy(state.store, removed)]
  state.ids = ids
  state.store = store
  const input = isLarge(edit)
    ? replacing(store.clone(), ids.counters)
    : changing(changes, ids.counters, imported.api_keys)
  sandbox.noteRecords(by, names, input, bytes || imported)
  return { imported, changed: changes }
}

export async function editInTurn(
  ...[sandbox, edit, ...more]: Parameters<typeof editingIn>
): Promise<ImportedRecords> {
  const steps = editingIn(sandbox, edit, ...more)
  let step = steps.next()
  for (; !step.done; step = steps.next()) if (isLarge(edit)) await pause()
  return step.value.imported
}

/** Without other requests in between. Errors: `document_too_large`. */
export function editAtOnce(sandbox: EditedSandbox, edit: Edit, by: string) {
  const problems: DocumentProblem[] = []
  const steps = editingIn(sandbox, edit, by, problems)
  let step = steps.next()
  while (!step.done) step = steps.next()
  return { problems, changed: step.value.changed }
}

export function scriptedEdit(
  sandbox: EditedSandbox,
  edit: Edit,
  by: string
): ReturnType<World['edit']> {
  try {
    const { problems, changed } = editAtOnce(sandbox, edit, by)
    if (problems.length === 0) return { changed, problem: null }
    const texts = problems.map(({ steps, message }) => `${pathOf(steps)}: ${message}`)
    return { changed, problem: withoutSecrets(texts.join('; ')) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { changed: [], problem: `change: ${error.message}` }
  }
}

/** The Transactions of deleted Refunds, which change with them. */
const refundedBy = ({ refunds }: Store, removed: readonly RecordName[]): RecordName[] =>
  removed.flatMap(({ id }): RecordName[] => {
    const refund = refunds.get(id)
    return refund === undefined ? [] : [{ family: 'transactions', id: refund.transaction }]
  })
