/** The script of a sandbox: its entries in order, and how often each matched and was applied. */

import { drawnFraction } from '../core/ids.js'
import type { OperationId } from '../reference/operations.js'
import { areMet } from './match/conditions.js'
import { countedValue, MAX_VALUES, type SentCall } from './match/matching.js'
import type { NearMiss } from './match/near-misses.js'
import type { Entry } from './script/entry.js'
import { present } from './shape/checked.js'
import type { EntryData, Hold } from './shape/entry.js'

export type { EntryData, Fault, Hold, Release, Respond } from './shape/entry.js'

/** `value` is that of `per`; `isHeld` until its hold times out. */
export type Action = {
  readonly id: string
  readonly entry: Entry
  readonly value: string
  readonly delay: number
  isHeld: boolean
  isApplied: boolean
}
/** `first`: when an entry with `for` began, by the sandbox's clock in milliseconds. */
type Count = { matched: number; applied: number; first?: number }
/** Of all requests, and with `per` of each value; `uncounted` are beyond the maximum of values. */
export type EntryCount = Count & {
  uncounted?: number
  values?: readonly (Count & { value: string })[]
}
export const gateOf = (id: string, { gate = id }: Hold): string => gate

export type ListedEntry = { id: string; entry: EntryData; near_misses?: NearMiss[] } & EntryCount

type CountNote = (id: string, count: EntryCount) => void
type Counted = { readonly id: string; readonly entry: Entry; readonly counts: Counts }
/** By value; all requests under ALL. */
type Counts = Map<string, Count & { uncounted?: number }>
const ALL = ''

export class Script {
  #entries: Counted[] = []
  readonly #byOperation = new Map<OperationId | null, Counted[]>()
  readonly #byName = new Map<string | undefined, Counted>()
  readonly operations: Pick<ReadonlyMap<OperationId, unknown>, 'has'> = this.#byOperation
  #next = 1
  revision = 0

  constructor(entries: readonly Entry[] = []) {
    for (const entry of entries) this.add(entry)
  }

  clone(): Script {
    const copy = new Script()
    for (const { id, entry, counts } of this.#entries) copy.put(id, entry, countIn(counts))
    copy.#next = this.#next
    return copy
  }

  listed(): ListedEntry[] {
    return this.#entries.map(({ id, entry, counts }) => ({
      id,
      entry: entry.data,
      ...countIn(counts)
    }))
  }

  /** Entries that were never applied; `isWaiting` for another. */
  unused() {
    return this.#entries.flatMap(({ id, entry, counts }) => {
      const count = countIn(counts)
      const isUnused = count.applied === 0 && entry.calls.to > 0
      return isUnused ? { id, entry, count, isWaiting: this.#isWaiting(entry) } : []
    })
  }

  add(entry: Entry, isFirst?: boolean): ListedEntry {
    const id = `scr_${this.#next}`
    const count = { matched: 0, applied: 0 }
    this.put(id, entry, count, isFirst)
    return { id, entry: entry.data, ...count }
  }

  put(id: string, entry: Entry, count: EntryCount, isFirst = false): void {
    this.#next = Math.max(this.#next, Number(id.slice('scr_'.length)) + 1)
    this.#insert({ id, entry, counts: setCounts(new Map(), count) }, isFirst)
  }

  #insert(counted: Counted, isFirst: boolean): void {
    this.revision++
    const { operations, data } = counted.entry
    if (isFirst || !this.#byName.has(data.name)) this.#byName.set(data.name, counted)
    const lists = [this.#entries]
    for (const operation of operations) {
      const list = this.#byOperation.get(operation) ?? []
      this.#byOperation.set(operation, list)
      lists.push(list)
    }
    for (const list of lists) list.splice(isFirst ? 0 : list.length, 0, counted)
  }

  remove(id: string): boolean {
    const entries = this.#entries
    this.clear()
    for (const counted of entries) if (counted.id !== id) this.#insert(counted, false)
    return this.#entries.length < entries.length
  }

  clear(): void {
    this.revision++
    this.#entries = []
    this.#byOperation.clear()
    this.#byName.clear()
  }

  recount(id: string, count: EntryCount): void {
    this.revision++
    setCounts(present(this.#find(id)).counts, count)
  }

  #find = (id: string) => this.#entries.find(counted => counted.id === id)

  #isWaiting({ data: { after } }: Entry): boolean {
    return after !== undefined && !this.#byName.get(after)?.counts.get(ALL)?.applied
  }

  /** Every matching entry counts the request; the first that applies acts. */
  act(call: SentCall, now: { seed: number; instant: number }, note?: CountNote): Action | null {
    let action: Action | null = null
    // found first: an entry after another one begins with the next request
    const due = (this.#byOperation.get(call.operation) ?? []).filter(({ entry }) => {
      const { from, until } = entry.between
      return now.instant >= from && now.instant < until && !this.#isWaiting(entry)
    })
    for (const counted of due) {
      const { matches, data } = counted.entry
      if (!areMet(matches, call)) continue
      const value = data.per === undefined ? ALL : countedValue(data.per, call)
      if (value === undefined) continue
      const counts = countsOf(counted, value)
      for (const count of counts) count.matched++
      action ??= actionOf(counted, value, counts, now)
      this.#note(counted, value, note)
    }
    return action
  }

  /** For an action that changed nothing: it does not count as applied. */
  retract(action: Action, note: CountNote): void {
    action.isApplied = false
    const counted = this.#find(action.id)
    if (counted === undefined) return
    for (const count of countsOf(counted, action.value))
      if (--count.applied === 0) delete count.first
    this.#note(counted, action.value, note)
  }

  #note({ id, counts }: Counted, value: string, note?: CountNote): void {
    this.revision++
    note?.(id, countIn(counts, [value]))
  }
}

function setCounts(counts: Counts, { values = [], ...all }: EntryCount): Counts {
  counts.set(ALL, all)
  for (const { value, ...count } of values) counts.set(value, count)
  return counts
}

function countIn(counts: Counts, among: Iterable<string> = counts.keys()): EntryCount {
  const values = Array.from(among).flatMap(value => {
    const count = counts.get(value)
    return value === ALL || count === undefined ? [] : { value, ...count }
  })
  return { ...present(counts.get(ALL)), ...(values.length > 0 && { values }) }
}

/** Of all requests, and of the value; none beyond the maximum of values. */
function countsOf({ counts }: Counted, value: string): Count[] {
  const all = present(counts.get(ALL))
  const known = counts.get(value)
  if (known !== undefined) return value === ALL ? [all] : [all, known]
  if (counts.size > MAX_VALUES) {
    all.uncounted = (all.uncounted ?? 0) + 1
    return []
  }
  const count = { matched: 0, applied: 0 }
  counts.set(value, count)
  return [all, count]
}

/** Null if it does not apply. */
function actionOf(
  { id, entry }: Counted,
  value: string,
  counts: readonly Count[],
  { seed, instant }: { seed: number; instant: number }
): Action | null {
  const { data, calls, lasts, chance, label } = entry
  const [all, count = all] = counts
  if (!all || !count || instant >= (count.first ?? instant) + lasts) return null
  const { matched } = count
  if (matched < calls.from || matched > calls.to || matched % calls.every > 0) return null
  const draws = `chance:${label}${value && `:${value}`}`
  if (chance < 1 && drawnFraction(seed, draws, matched) >= chance) return null
  for (const each of counts) each.applied++
  if (data.for !== undefined) count.first ??= instant
  const delay = entry.delay(() => drawnFraction(seed, `delay:${label}`, all.applied))
  return { id, entry, value, isHeld: data.hold !== undefined, isApplied: true, delay }
}
