/** Control requests that change a record, or add an API key. */
import { mergePatched } from '../core/merge-patch.js'
import { type Family, RESOURCE_NAMES } from '../reference/operations.js'
import { ProblemList, withoutProblems } from '../scenario/documents.js'
import type { SourceDocument } from '../scenario/read/document.js'
import { referrers } from '../scenario/records/edits.js'
import { exportedRecord } from '../scenario/records/export.js'
import { fixtureIn } from '../scenario/records/fixture.js'
import { say } from '../scenario/sentences.js'
import { FIXTURE_CHECKER } from '../scenario/shape/parts.js'
import { problemsOfShape } from '../scenario/shape/sources.js'
import { FAMILIES, type RecordOf } from '../store/store.js'
import { merge, refundedBy } from './merges.js'
import type { Sandbox } from './sandbox.js'
import { REFUSALS, SAYS } from './sentences.js'

/** API keys of a sandbox: masking looks for each of them. */
const MAX_KEYS = 10_000

/** A JSON Merge Patch of what a fixture gives. Errors: `record_unknown`, `document_invalid`. */
export function patchRecord(
  sandbox: Sandbox,
  name: string,
  id: string,
  patch: object,
  document: SourceDocument
): Promise<RecordOf<Family>> {
  const { family, record } = recordNamed(sandbox, name, id)
  const patched = mergePatched(exportedRecord(family, record), patch) as { id?: unknown }
  const data = { [family]: [patched] }
  const by = `PATCH /_control/records/${family}/${id}`
  const problems = new ProblemList()
  return withoutProblems(problems, async () => {
    if (patched.id !== id) problems.push({ document, steps: ['id'], ...say('fixed_id', id) })
    else {
      const found = FIXTURE_CHECKER.isRight(data)
        ? merge(sandbox, { fixture: fixtureIn(document, data), removed: [] }, by).problems
        : await problemsOfShape('fixture', data)
      // each is in the only record of the fixture
      for (const { steps, code, message } of found)
        problems.push({ document, steps: steps.slice(2), code, message })
    }
    return sandbox.store[family].get(id) as RecordOf<Family>
  })
}

/** Errors: `record_unknown`, `record_in_use`. */
export function deleteRecord(sandbox: Sandbox, name: string, id: string): void {
  const { family } = recordNamed(sandbox, name, id)
  const { store, settings } = sandbox
  const by = referrers(store, settings, family, id)
  if (by.length > 0) throw REFUSALS.recordInUse(say('in_use', id, by).message)
  const change = { family, id, record: null }
  const refunded = refundedBy(store, [change])
  store.remove(family, id)
  sandbox.noteRecords(`DELETE /_control/records/${family}/${id}`, [change], 0, { refunded })
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
