/** Adds, changes and deletes records and API keys. */
import { mergePatched } from '../core/patch.js'
import type { Step } from '../core/places.js'
import { type Family, RESOURCE_NAMES } from '../reference/operations.js'
import {
  type DocumentProblem,
  documentOf,
  ProblemList,
  refusalOf,
  withoutProblems
} from '../scenario/documents.js'
import { below, type SourceDocument } from '../scenario/read/document.js'
import { checkCount } from '../scenario/read/refusal.js'
import type { Body } from '../scenario/reading.js'
import { exportedRecord } from '../scenario/records/export.js'
import { type Fixture, fixtureIn, recordsIn } from '../scenario/records/fixture.js'
import type { ImportedRecords } from '../scenario/records/importer.js'
import { say } from '../scenario/sentences.js'
import { problemsOfShape, shapeProblems } from '../scenario/shape/scenario.js'
import { FAMILIES, type RecordOf } from '../store/store.js'
import { editAtOnce, editInTurn } from './editing.js'
import type { Sandbox } from './sandbox.js'
import { REFUSALS, SAYS } from './sentences.js'

const NO_RECORDS = fixtureIn(documentOf('', null), {})
/** Masking looks for each API key. */
const MAX_KEYS = 10_000

/** Errors: as of `addRecords`, `body_malformed`. */
export async function addBody(
  sandbox: Sandbox,
  { type, text, bytes }: Body,
  left: () => AbortSignal
): Promise<ImportedRecords> {
  const document = await sandbox.reading(left)('body', text, { limits: sandbox.settings, type })
  return addRecords(sandbox, document, [], bytes.length)
}

/** `under` is the place of the fixture. Errors: `document_invalid`; as of `editInTurn`. */
export async function addRecords(
  sandbox: Sandbox,
  document: SourceDocument,
  under: readonly Step[] = [],
  bytes = 0
): Promise<ImportedRecords> {
  const edit = { fixture: await checkedFixture(document, under), removed: [] }
  checkCount('The document adds', recordsIn([edit.fixture]), sandbox.settings)
  const problems = new ProblemList()
  return withoutProblems(problems, async () => {
    const imported = await editInTurn(sandbox, edit, 'POST /_control/records', problems, bytes)
    // Refunds of the same fixture have replaced Transactions
    const present = imported.transactions.map(
      ({ id }) => sandbox.store.transactions.get(id) as RecordOf<'transactions'>
    )
    return { ...imported, transactions: present }
  })
}

async function checkedFixture(document: SourceDocument, under: readonly Step[]): Promise<Fixture> {
  const part = below(document, under)
  const problems = shapeProblems(part, 'fixture').map(problem => ({
    ...problem,
    document,
    steps: [...under, ...problem.steps]
  }))
  if (problems.length > 0) throw await refusalOf(problems)
  return fixtureIn(document, part.data as object, under)
}

/** A JSON Merge Patch of what a fixture gives. Errors: `record_unknown`, `document_invalid`. */
export async function patchRecord(
  sandbox: Sandbox,
  name: string,
  id: string,
  patch: object,
  document: SourceDocument
): Promise<RecordOf<Family>> {
  const { family, record } = recordNamed(sandbox, name, id)
  const patched = mergePatched(exportedRecord(family, record), patch) as { id?: unknown }
  const data = { [family]: [patched] }
  let problems: readonly Pick<DocumentProblem, 'steps' | 'code' | 'message'>[] =
    patched.id === id
      ? problemsOfShape('fixture', data)
      : [{ steps: [family, 0, 'id'], ...say('fixed_id', id) }]
  if (problems.length === 0) {
    const edit = { fixture: fixtureIn(document, data), removed: [] }
    problems = editAtOnce(sandbox, edit, `PATCH /_control/records/${family}/${id}`).problems
  }
  // without the place of the record in the fixture
  const placed = problems.map(problem => ({
    ...problem,
    document,
    steps: problem.steps.slice(2)
  }))
  if (placed.length > 0) throw await refusalOf(placed)
  return sandbox.store[family].get(id) as RecordOf<Family>
}

/** Errors: `record_unknown`, `record_in_use`. */
export function deleteRecord(sandbox: Sandbox, name: string, id: string): void {
  const { family } = recordNamed(sandbox, name, id)
  const edit = { fixture: NO_RECORDS, removed: [id], families: [family] }
  const [problem] = editAtOnce(sandbox, edit, `DELETE /_control/records/${family}/${id}`).problems
  if (problem) throw REFUSALS.recordInUse(problem.message)
}

function recordNamed({ store }: Sandbox, name: string, id: string) {
  const family = FAMILIES.find(family => family === name)
  if (family === undefined) throw REFUSALS.noFamily(name, FAMILIES)
  const record = store[family].get(id)
  if (record === undefined)
    throw REFUSALS.noRecord(RESOURCE_NAMES[family], id, store[family].someIds())
  return { family, record }
}

/** Errors: `account_unknown`, `limit_reached`. */
export function addKey(sandbox: Sandbox, account: string): { key: string; account: string } {
  const { store, ids } = sandbox.state
  if (!store.accounts.get(account))
    throw REFUSALS.noAccount(SAYS.noSuchAccount(account, store.accounts.someIds()))
  if (store.keys.size >= MAX_KEYS) throw REFUSALS.tooManyKeys(MAX_KEYS)
  const key = ids.draw('key', sandbox.settings, store.keys)
  const { counters } = ids
  sandbox.change(state => {
    state.ids.counters = counters
    state.store.keys.set(key, account)
  })
  return { key, account }
}
