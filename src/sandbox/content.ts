/** What a data file holds of the sandboxes, and what has changed since, so that a write costs what changed. A whole file is what has changed since there was nothing. */
import { withAnswers } from '../scenario/references.js'
import type { FirstState } from '../scenario/scenario.js'
import type { Json } from '../scenario/schemas.js'
import { FAMILIES } from '../store/store.js'
import type { SavedSandbox } from './sandbox.js'
import type { PresentSandboxes } from './sandboxes.js'
import { amendmentText, changedIds, type PartTexts, partTexts, type Revisions, recordTexts, revisionsOf, stateTexts } from './serialization.js'

/** A sandbox as the file holds it. */
type Held = { marks: readonly unknown[]; first: FirstState; parts: PartTexts; revisions: Revisions }
/** The content of a file; it is never changed. */
export type Content = { firsts: readonly FirstState[]; start: FirstState | null; sandboxes: ReadonlyMap<string | null, Held> }
/** Texts of amendments that are not in the file yet, each made when it is asked for, what it holds with them, and their sandboxes, as messages tell them. */
export type Changes = { texts: Iterable<string>; content: Content; unwritten: string[] }

/** The content of no file. */
export const NOTHING: Content = { firsts: [], start: null, sandboxes: new Map() }
/** What messages call the parts of a state that they do not leave out. */
const SHOWN: PartTexts = { settings: 'settings', clock: 'clock', script: 'script', api_keys: 'API keys' }

/** The content of a file that holds all that is there. */
export function contentOf({ start, sandboxes }: PresentSandboxes): Content {
  const held = sandboxes.map(({ name, saved, marks }) => [name, heldOf(saved, marks)] as const)
  return { firsts: [...new Set([start, ...held.map(([, { first }]) => first)])], start, sandboxes: new Map(held) }
}

const heldOf = ({ first, requests, state }: SavedSandbox, marks: readonly unknown[]): Held => ({
  marks,
  first,
  parts: partTexts(state, { requests }),
  revisions: revisionsOf(state.store)
})

/**
 * What has changed. Sandboxes may change before the texts of a whole file are asked for; other texts are to be asked for at once. `counts`: also where no call
 * changed anything, the count of requests or the time of a clock that runs.
 */
export function changesSince(before: Content, { start, sandboxes }: PresentSandboxes, { counts = false } = {}): Changes {
  const firsts = [...before.firsts]
  const held = new Map<string | null, Held>()
  const texts: Iterable<string>[] = []
  const unwritten: string[] = []
  const numberOf = (first: FirstState): number => {
    if (firsts.includes(first)) return firsts.indexOf(first)
    const { scenario, expectations, answers } = first
    const expected = withAnswers(expectations.map(({ data }) => data) as Json, answers)
    texts.push(stateTexts(`"first":${firsts.length}`, first, { scenario, expectations: expected }))
    return firsts.push(first) - 1
  }
  const startNumber = numberOf(start)
  for (const sandbox of sandboxes) {
    const { name, marks } = sandbox
    const was = before.sandboxes.get(name)
    if (!counts && was?.marks.every((mark, index) => mark === marks[index])) {
      held.set(name, was)
      continue
    }
    const { saved } = sandbox
    const { first, state } = saved
    const now = heldOf(saved, marks)
    const of = `"sandbox":${JSON.stringify(name)}`
    const isNew = was?.first !== first || FAMILIES.some(family => state.store[family].changedSince(was.revisions[family]) === null)
    const since = isNew ? { parts: {} as PartTexts, revisions: revisionsOf(first.store) } : was
    const parts = Object.keys(now.parts).filter(part => now.parts[part] !== since.parts[part])
    const store = before === NOTHING ? state.store.clone() : state.store
    const records = changedIds(store, since.revisions)
    const isChanged = isNew || records.length > 0 || parts.some(part => counts || part !== 'requests')
    held.set(name, isChanged ? now : { ...now, parts: since.parts })
    if (!isChanged) continue
    const begun = isNew && { from: String(numberOf(first)) }
    texts.push([amendmentText(of, { ...begun, ...Object.fromEntries(parts.map(part => [part, now.parts[part] as string])) })], recordTexts(of, store, records))
    const count = () => records.reduce((sum, [, ids]) => sum + (ids as Set<string>).size, 0)
    unwritten.push(unwrittenText(name, isNew ? ['all of it'] : [countText(count()), ...parts.map(part => SHOWN[part] ?? '')]))
  }
  for (const name of before.sandboxes.keys()) {
    if (held.has(name)) continue
    texts.push([`{"sandbox":${JSON.stringify(name)},"ended":true}`])
    unwritten.push(unwrittenText(name, ['all of it']))
  }
  if (start !== before.start) texts.push([`{"start":${startNumber}}`])
  return { texts: joined(texts), content: { firsts, start, sandboxes: held }, unwritten }
}

function* joined(texts: readonly Iterable<string>[]): Generator<string> {
  for (const some of texts) yield* some
}

const countText = (records: number) => (records === 0 ? '' : `${records} ${records === 1 ? 'record' : 'records'}`)

function unwrittenText(name: string | null, what: readonly string[]): string {
  const shown = what.filter(text => text !== '').join(', ') || 'the count of its calls'
  return `${name === null ? 'the sandbox at the base address' : `sandbox ${name}`} (${shown})`
}
