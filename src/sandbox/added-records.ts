/** Fixtures that control requests merge into the records of a sandbox. */
import { Ids } from '../core/ids.js'
import type { Step } from '../core/places.js'
import { ProblemList, refusalOf, withoutProblems } from '../scenario/documents.js'
import { below, type SourceDocument } from '../scenario/read/document.js'
import { checkCount } from '../scenario/read/refusal.js'
import type { Body } from '../scenario/reading.js'
import { type Fixture, fixtureIn, recordsIn } from '../scenario/records/fixture.js'
import { FixtureImporter, type ImportedRecords } from '../scenario/records/importer.js'
import { shapeProblems } from '../scenario/shape/sources.js'
import type { Records } from '../store/store.js'
import { pause } from '../work/slices.js'
import { changesOf, replacement } from './merges.js'
import type { Sandbox } from './sandbox.js'
import { REFUSALS } from './sentences.js'
import { isSame } from './state.js'

/** More records are merged between other requests. */
const MANY = 1000

/** Errors: as of `addRecords`, `state_changed`, `sandbox_unknown`. */
export async function addBody(
  sandbox: Sandbox,
  { type, text, bytes }: Body,
  left: () => AbortSignal
): Promise<ImportedRecords> {
  const { limits } = sandbox.dependencies.library
  const document = await sandbox.reading(left)('body', text, { limits, type, kind: 'fixture' })
  return addRecords(sandbox, document, [], bytes.length)
}

/** `under` is the fixture's place, `size` its bytes. Errors: `document_invalid`, `document_too_large`. */
export async function addRecords(
  sandbox: Sandbox,
  document: SourceDocument,
  under: readonly Step[] = [],
  size = 0
): Promise<ImportedRecords> {
  const problems = new ProblemList()
  const fixture = await checkedFixture(document, under)
  return withoutProblems(problems, async () => {
    const { state, clock, settings } = sandbox
    const marks = state.recordMarks
    const [store, ids] = [state.store.clone(), new Ids(state.ids.counters)]
    const importer = new FixtureImporter(store, { ids, now: clock.now(), settings }, problems)
    const isLarge = recordsIn([fixture]) > MANY
    for (const _ of importer.importing([fixture])) if (isLarge) await pause()
    checkCount('The sandbox would hold', store.size, document.limits)
    const { imported } = importer
    if (problems.length > 0) return imported
    sandbox.ending.throwIfAborted()
    if (sandbox.state !== state || !isSame(state.recordMarks, marks))
      throw REFUSALS.changedMeanwhile()
    state.ids = ids
    state.store.become(store)
    const isWhole = isLarge || fixture.deleted_users.length > 0
    const input = isWhole ? replacement(state.store.clone(), ids.counters) : undefined
    const changes = changesOf({ imported, removed: [] })
    const keys = imported.api_keys
    sandbox.noteRecords('POST /_control/records', changes, size || imported, { keys, input })
    return {
      ...imported,
      // Refunds of the same fixture have replaced some of its Transactions
      transactions: imported.transactions.map(
        ({ id }) => state.store.transactions.get(id) as Records['transactions']
      )
    }
  })
}

async function checkedFixture(document: SourceDocument, under: readonly Step[]): Promise<Fixture> {
  const part = below(document, under)
  const found = await shapeProblems(part, 'fixture')
  if (found.length > 0)
    throw await refusalOf(
      found.map(({ steps, ...problem }) => ({ document, ...problem, steps: [...under, ...steps] }))
    )
  const fixture = fixtureIn(document, part.data as object, under)
  checkCount('The document adds', recordsIn([fixture]), document.limits)
  return fixture
}
