/** What a data file holds of the sandboxes, and what has changed since: so that a write costs what changed. */
import type { Family } from '../reference/operations.js'
import { keysText, recordText } from '../scenario/export.js'
import type { FirstState } from '../scenario/scenario.js'
import { FAMILIES, type Store } from '../store/store.js'
import { FORMAT, lineOf, withMoney } from './change-log.js'
import type { SavedSandbox } from './sandbox.js'
import type { PresentSandboxes } from './sandboxes.js'
import { deletedText, objectText, type PartName, type PartTexts, partTexts, stateText } from './serialization.js'

/** A sandbox as the file holds it. */
type Held = {
  marks: readonly unknown[]
  first: FirstState
  requests: number
  parts: PartTexts
  keys: string
  revisions: Readonly<Record<Family, number>>
}
/** What is not in the file yet: the sandbox, how many records and what else of it; `records` is null where it is all of it. */
export type Unwritten = { name: string | null; records: number | null; parts: string[] }
/** A line to add to the file, what the file holds then, and what the line holds. */
export type Addition = { line: string; content: FileContent; unwritten: Unwritten[] }

/** What messages call the parts of a state; null for one that they leave out. */
const PART_NAMES: Readonly<Record<PartName, string | null>> = { settings: 'settings', counters: null, clock: 'clock', script: 'script' }

/** The content of a file; it is never changed. */
export class FileContent {
  readonly #firstStates: readonly FirstState[]
  readonly #start: FirstState
  readonly #sandboxes: ReadonlyMap<string | null, Held>

  private constructor(firstStates: readonly FirstState[], start: FirstState, sandboxes: ReadonlyMap<string | null, Held>) {
    this.#firstStates = firstStates
    this.#start = start
    this.#sandboxes = sandboxes
  }

  /** The content of a file that was written whole. */
  static of({ start, sandboxes }: PresentSandboxes): FileContent {
    const held = sandboxes.map(({ name, saved, marks }) => [name, heldOf(saved, marks)] as const)
    return new FileContent([...new Set([start, ...held.map(([, { first }]) => first)])], start, new Map(held))
  }

  /** What has changed; null where nothing has. `counts`: also where no call changed anything, the count of requests or the time of a clock that runs. */
  changesTo({ start, sandboxes }: PresentSandboxes, { counts = false }: { counts?: boolean } = {}): Addition | null {
    const firstStates = [...this.#firstStates]
    const indexOf = (first: FirstState) => {
      const index = firstStates.indexOf(first)
      return index < 0 ? firstStates.push(first) - 1 : index
    }
    const held = new Map<string | null, Held>()
    const texts: string[] = []
    const unwritten: Unwritten[] = []
    for (const sandbox of sandboxes) {
      const { name, marks } = sandbox
      const before = this.#sandboxes.get(name)
      if (!counts && before?.marks.every((mark, index) => mark === marks[index])) {
        held.set(name, before)
        continue
      }
      const { saved } = sandbox
      const now = heldOf(saved, marks)
      const change = before && changeText(before, now, saved)
      if (before && change?.isEmpty && !(counts && before.requests !== now.requests)) {
        held.set(name, { ...now, requests: before.requests })
        continue
      }
      held.set(name, now)
      texts.push(change?.text ?? sandboxText(saved, indexOf(saved.first), now.parts))
      unwritten.push(change?.unwritten ?? { name, records: null, parts: [] })
    }
    const removed = [...this.#sandboxes.keys()].filter(name => !held.has(name))
    for (const name of removed) unwritten.push({ name, records: null, parts: [] })
    const startAt = indexOf(start)
    if (texts.length === 0 && removed.length === 0 && start === this.#start) return null
    const change = objectText({
      ...(start !== this.#start && { start: String(startAt) }),
      ...(firstStates.length > this.#firstStates.length && { first_states: listText(firstStates.slice(this.#firstStates.length).map(firstStateText)) }),
      ...(removed.length > 0 && { removed: JSON.stringify(removed) }),
      ...(texts.length > 0 && { sandboxes: listText(texts) })
    })
    return { line: lineOf(change), content: new FileContent(firstStates, start, held), unwritten }
  }
}

const listText = (texts: readonly string[]) => `[${texts.join(',')}]`

/** The texts of a whole file, one behind the other: compact JSON. */
export function wholeTexts({ start, sandboxes }: PresentSandboxes): string[] {
  const present = sandboxes.map(({ saved }) => saved)
  const firstStates = [...new Set([start, ...present.map(({ first }) => first)])]
  const separated = (texts: string[]) => texts.flatMap((text, index) => (index === 0 ? [text] : [',', text]))
  return [
    `{"format":${FORMAT},"start":0,"first_states":[`,
    ...separated(firstStates.map(firstStateText)),
    '],"sandboxes":[',
    ...separated(present.map(saved => sandboxText(saved, firstStates.indexOf(saved.first)))),
    ']}\n'
  ]
}

function sandboxText({ name, first, requests, state }: SavedSandbox, index: number, parts?: PartTexts): string {
  const changed = FAMILIES.filter(family => state.store[family].revision !== first.store[family].revision)
  return objectText({ name: JSON.stringify(name), first_state: String(index), requests: String(requests), state: stateText(state, withMoney(changed), parts) })
}

/** Texts of first states; they never change. */
const FIRST_STATE_TEXTS = new WeakMap<FirstState, string>()

function firstStateText(first: FirstState): string {
  let text = FIRST_STATE_TEXTS.get(first)
  if (text === undefined) {
    const { scenario, expectations } = first
    const data = expectations.map(expectation => expectation.data)
    text = objectText({ scenario: JSON.stringify(scenario), expectations: JSON.stringify(data), state: stateText(first) })
    FIRST_STATE_TEXTS.set(first, text)
  }
  return text
}

function heldOf({ first, requests, state }: SavedSandbox, marks: readonly unknown[]): Held {
  const revisions = Object.fromEntries(FAMILIES.map(family => [family, state.store[family].revision])) as Record<Family, number>
  return { marks, first, requests, parts: partTexts(state), keys: keysText(state.store), revisions }
}

type ChangeText = { text: string; unwritten: Unwritten; isEmpty: boolean }

/** The text of what changed in a sandbox; null where that is not known and all of it has to be written. */
function changeText(before: Held, now: Held, { name, state: { store } }: SavedSandbox): ChangeText | null {
  if (before.first !== now.first) return null
  const parts = (Object.keys(now.parts) as PartName[]).filter(part => now.parts[part] !== before.parts[part])
  const records: Record<string, string> = {}
  const removed: Record<string, string> = {}
  let count = 0
  for (const family of FAMILIES) {
    const changed = familyChanges(store, family, before.revisions[family])
    if (changed === null) return null
    if (changed.put.length > 0) records[family] = listText(changed.put)
    if (changed.removed.length > 0) removed[family] = JSON.stringify(changed.removed)
    count += changed.put.length + changed.removed.length
  }
  const hasKeys = now.keys !== before.keys
  if (hasKeys) records.api_keys = now.keys
  const hasRemoved = Object.keys(removed).length > 0
  const changed = objectText({
    ...Object.fromEntries(parts.map(part => [part, now.parts[part]])),
    ...(hasRemoved && { deleted: deletedText(store), removed: objectText(removed) }),
    ...(Object.keys(records).length > 0 && { records: objectText(records) })
  })
  const shown = [...parts.flatMap(part => PART_NAMES[part] ?? []), ...(hasKeys ? ['API keys'] : [])]
  const text = objectText({ name: JSON.stringify(name), requests: String(now.requests), changed })
  return { text, unwritten: { name, records: count, parts: shown }, isEmpty: changed === '{}' }
}

/** The texts of the records of a family that were put since a revision, in the order of creation, and the ids of those deleted; null where that is not known. */
function familyChanges(store: Store, family: Family, since: number): { put: string[]; removed: string[] } | null {
  const collection = store[family]
  const ids = collection.changedSince(since)
  if (ids === null) return null
  const put: { nth: number; text: string }[] = []
  const removed: string[] = []
  for (const id of ids) {
    const stored = collection.stored(id)
    if (stored === undefined) removed.push(id)
    else put.push({ nth: stored.nth, text: recordText(family, stored.record) })
  }
  return { put: put.sort((a, b) => a.nth - b.nth).map(({ text }) => text), removed }
}
