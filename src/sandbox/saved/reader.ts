/** Reads saved sandboxes from their documents. */
import { settingsInForce } from '../../core/settings.js'
import type { Report } from '../../scenario/documents.js'
import { compileExpectation, type Expectation } from '../../scenario/expect/expectations.js'
import type { FirstState, Launch } from '../../scenario/scenario.js'
import { compileEntry } from '../../scenario/script/entry.js'
import { Script } from '../../scenario/script.js'
import { collectionOf, FAMILIES, Store } from '../../store/store.js'
import { pause } from '../../work/slices.js'
import { REFUSALS } from '../sentences.js'
import { actorProblem, type SavedSandbox, type SavedState } from '../state.js'
import { type FirstData, readDocument, type StateData } from './document.js'

/** By the JSON of their records: sandboxes share those that have not changed. */
type Stores = Map<string, Store>

/** Errors: `document_invalid`; it is not changed. */
export async function readSandbox(
  path: string,
  launch: Launch | null,
  stores: Stores = new Map()
): Promise<SavedSandbox> {
  try {
    const { requests, ...data } = await readDocument(path)
    const first = await readFirst(data.first, stores)
    const start = data.start && (await readFirst(data.start, stores))
    const state = await readState(data.state, stores)
    const layers = { ...launch, scenario: first.settings }
    if (launch !== null) checkActor(layers, first)
    if (launch !== null) checkActor({ ...layers, control: state.settings }, state)
    return { requests, first, start, state }
  } catch (error) {
    throw REFUSALS.unreadable(path, (error as Error).message)
  }
}

/** Any key acts as an Account of the state. */
function checkActor(layers: Parameters<typeof settingsInForce>[0], { store }: SavedState): void {
  const problem = actorProblem(settingsInForce(layers).values, store)
  if (problem !== null) throw new Error(problem)
}

const refuse: Report = (_steps, { message }) => {
  throw new Error(message)
}

async function readFirst(data: FirstData, stores: Stores): Promise<FirstState> {
  const state = await readState(data, stores)
  const { scenario, expect } = data
  const responses = new Map()
  const expectations: Expectation[] = []
  for (const expectation of expect) {
    const compiled = await compileExpectation(expectation, refuse, responses)
    if (compiled) expectations.push(compiled)
  }
  return { ...state, scenario, expectations, steps: [], play: [], responses }
}

async function readState(data: StateData, stores: Stores): Promise<SavedState> {
  const { settings, counters, clock } = data
  const script = new Script()
  for (const { id, entry, ...count } of data.script)
    script.put(id, await compileEntry(entry, refuse), count)
  return { settings, counters, clock, script, store: await readStore(data, stores) }
}

async function readStore({ keys, records }: StateData, stores: Stores): Promise<Store> {
  const text = JSON.stringify([keys, records])
  const known = stores.get(text)
  if (known) return known
  const store = new Store()
  for (const [key, account] of keys) store.keys.set(key, account)
  for (const family of FAMILIES)
    for (const member of records[family]) {
      if ('deleted' in member) store[family].addDeleted(member.deleted, member.at, member.owners)
      else collectionOf(store, family).insert(member)
      await pause()
    }
  stores.set(text, store)
  return store
}
