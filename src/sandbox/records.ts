/** Adds and deletes records and API keys. */
import { RESOURCE_NAMES } from '../reference/operations.js'
import { checkCount, type Located, refuseWith, withoutProblems } from '../scenario/documents.js'
import type { Body } from '../scenario/reading.js'
import type { ImportedRecords } from '../scenario/records/edits.js'
import { type Fixture, fixtureIn, recordsIn } from '../scenario/records/fixture.js'
import { shapeProblems } from '../scenario/shape/scenario.js'
import { FAMILIES, type RecordOf } from '../store/store.js'
import { editAtOnce, editInTurn } from './editing.js'
import type { Sandbox } from './sandbox.js'
import { REFUSALS } from './sentences.js'

/** Masking looks for each API key. */
const MAX_KEYS = 10_000

/** Errors: as of `addRecords`, `body_malformed`. */
export async function addBody(
  sandbox: Sandbox,
  { type, text, bytes }: Body,
  left: () => AbortSignal
): Promise<ImportedRecords> {
  const document = await sandbox.reading(left)('body', text, { limits: sandbox.settings, type })
  return addRecords(sandbox, document, bytes.length)
}

/** `bytes` are those of the request. Errors: `document_invalid`; as of `editInTurn`. */
export async function addRecords(
  sandbox: Sandbox,
  document: Located,
  bytes = 0
): Promise<ImportedRecords> {
  const edit = { fixtures: [await checkedFixture(document)], removed: [] }
  checkCount('The document adds', recordsIn(edit.fixtures), sandbox.settings)
  return withoutProblems(async problems => {
    const imported = await editInTurn(sandbox, edit, 'POST /_control/records', problems, bytes)
    // Refunds of the same fixture have replaced Transactions
    const present = imported.transactions.map(
      ({ id }) => sandbox.store.transactions.get(id) as RecordOf<'transactions'>
    )
    return { ...imported, transactions: present }
  })
}

async function checkedFixture(document: Located): Promise<Fixture> {
  await refuseWith(shapeProblems(document, 'fixture'), document)
  return fixtureIn(document, document.data as object)
}

/** Errors: `record_unknown`, `record_in_use`. */
export function deleteRecord(sandbox: Sandbox, name: string, id: string): void {
  const family = FAMILIES.find(family => family === name)
  if (family === undefined) throw REFUSALS.noFamily(name, FAMILIES)
  const records = sandbox.store[family]
  if (!records.get(id)) throw REFUSALS.noRecord(RESOURCE_NAMES[family], id, records.someIds())
  const edit = { fixtures: [], removed: [id], families: [family] }
  const [problem] = editAtOnce(sandbox, edit, `DELETE /_control/records/${family}/${id}`).problems
  if (problem) throw REFUSALS.recordInUse(problem.message)
}

/** Errors: `account_unknown`, `limit_reached`. */
export function addKey(sandbox: Sandbox, account: string): { key: string; account: string } {
  const { store, ids } = sandbox.state
  if (!store.accounts.get(account)) throw REFUSALS.noAccount(account, store.accounts.someIds())
  if (store.keys.size >= MAX_KEYS) throw REFUSALS.tooManyKeys(MAX_KEYS)
  const key = ids.draw('key', sandbox.settings, store.keys)
  const { counters } = ids
  sandbox.change(state => {
    state.ids.counters = counters
    state.store.keys.set(key, account)
  })
  return { key, account }
}
