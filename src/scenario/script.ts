/** The script of a sandbox: its entries in order, and how often each matched and was applied. */

import { drawnFraction } from '../core/ids.js'
import type { OperationId } from '../reference/operations.js'
import { areMet } from './match/conditions.js'
import { countedValue, MAX_VALUES, type SentCall } from './match/matching.js'
import type { NearMiss } from './match/near-misses.js'
import { type Entry, FOREVER, nameIn } from './script/entry.js'
import { present } from './shape/checked.js'
import type { EntryData, Hold } from './shape/entry.js'

export type { EntryData, Fault, Hold, Release, Respond } from './shape/entry.js'

/** `value` is that of `per`; `isHeld` until its hold times out. */
export type Action = {
  readonly id: string
  readonly entry: Entry
  readonly delay: number
  readonly value?: string | undefined
  isHeld: boolean
  isApplied: boolean
}
/** `first`: when an entry with `for` began, by the sandbox's clock in milliseconds. */
type Count = { matched: number; applied: number; first?: number }
/** With `per`, of each value too; `uncounted` are beyond the maximum of values. */
export type EntryCount = Count & {
  uncounted?: number
  values?: readonly (Count & { value: string })[]
}
export const gateOf = (id: string, { gate = id }: Hold): string => gate

export type ListedEntry = { id: string; entry: EntryData; near_misses?: NearMiss[] } & EntryCount

type CountNote = (id: string, count: EntryCount) => void
type Counted = {
  readonly id: string
  readonly entry: Entry
  count: Omit<EntryCount, 'values'>
  readonly values: Map<string, Count>
}
type Moment = { seed: number; instant: number; value?: string | undefined }

export class Script {
  #entries = new Map<string, Counted>()
  readonly #byOperation = new Map<OperationId | null, Counted[]>()
  readonly operations: Pick<ReadonlyMap<OperationId, unknown>, 'has'> = this.#byOperation
  readonly #named = new Map<string, Counted>()
  #next = 1
  revision = 0

  constructor(entries: readonly Entry[] = []) {
    for (const entry of entries) this.add(entry)
  }

  clone(): Script {
    const copy = new Script()
    for (const [id, counted] of this.#entries) copy.put(id, counted.entry, countOf(counted))
    copy.#next = this.#next
    return copy
  }

  listed(): ListedEntry[] {
    return Array.from(this.#entries.values(), counted => ({
      id: counted.id,
      entry: counted.entry.data,
      ...countOf(counted)
    }))
  }

  /** Entries that were never applied; `isWaiting` for another, at an instant. */
  unused() {
    return [...this.#entries.values()]
      .filter(({ entry, count }) => count.applied === 0 && entry.calls.to > 0)
      .map(counted => ({
        ...counted,
        count: countOf(counted),
        isWaiting: (at: number) => this.#isWaiting(counted, at)
      }))
  }

  add(entry: Entry, isFirst?: boolean): ListedEntry {
    const id = `scr_${this.#next}`
    const count = { matched: 0, applied: 0 }
    this.put(id, entry, count, isFirst)
    return { id, entry: entry.data, ...count }
  }

  put(id: string, entry: Entry, { values, ...count }: EntryCount, isFirst = false): void {
    const counted = { id, entry, count, values: byValue(values) }
    this.#next = Math.max(this.#next, Number(id.slice('scr_'.length)) + 1)
    this.revision++
    if (isFirst) this.#replaceAll(new Map([[id, counted], ...this.#entries]))
    else {
      this.#entries.set(id, counted)
      this.#index(counted)
    }
  }

  remove(id: string): boolean {
    const isKnown = this.#entries.delete(id)
    if (isKnown) this.#replaceAll(this.#entries)
    return isKnown
  }

  clear(): void {
    this.#replaceAll(new Map())
  }

  #replaceAll(entries: Map<string, Counted>): void {
    this.revision++
    this.#entries = entries
    this.#byOperation.clear()
    this.#named.clear()
    for (const counted of entries.values()) this.#index(counted)
  }

  #index(counted: Counted): void {
    const { operations, data } = counted.entry
    if (data.name !== undefined && !this.#named.has(data.name)) this.#named.set(data.name, counted)
    for (const operation of operations) {
      const others = this.#byOperation.get(operation)
      if (others) others.push(counted)
      else this.#byOperation.set(operation, [counted])
    }
  }

  recount(id: string, { values, ...count }: EntryCount): void {
    const counted = present(this.#entries.get(id))
    this.revision++
    counted.count = count
    for (const [value, valueCount] of byValue(values)) counted.values.set(value, valueCount)
  }

  /** One that was removed has ended. */
  #isWaiting({ entry }: Counted, instant: number): boolean {
    const { after } = entry.data
    if (after === undefined) return false
    const awaited = this.#named.get(present(nameIn(after)))
    return typeof after === 'string'
      ? !awaited?.count.applied
      : awaited !== undefined && !hasEnded(awaited, instant)
  }

  /** Every matching entry counts the request; the first that applies acts. */
  act(call: SentCall, now: Moment, note: CountNote = () => {}): Action | null {
    let action: Action | null = null
    // found first: an entry after another one begins with the next request
    const due = (this.#byOperation.get(call.operation) ?? []).filter(counted => {
      const { from, until } = counted.entry.between
      return now.instant >= from && now.instant < until && !this.#isWaiting(counted, now.instant)
    })
    for (const counted of due) {
      const { matches, data } = counted.entry
      if (!areMet(matches, call)) continue
      const value = data.per && countedValue(data.per, call)
      if (data.per !== undefined && value === undefined) continue
      const counts = countsFor(counted, value)
      for (const count of counts) count.matched++
      action ??= actionOf(counted, counts, { ...now, value })
      this.#noteCounts(counted, value, note)
    }
    return action
  }

  /** For an action that changed nothing: it does not count as applied. */
  retract(action: Action, note: CountNote): void {
    const counted = this.#entries.get(action.id)
    action.isApplied = false
    if (counted === undefined) return
    for (const count of [counted.count, counted.values.get(action.value ?? '')])
      if (count !== undefined && --count.applied === 0) delete count.first
    this.#noteCounts(counted, action.value, note)
  }

  #noteCounts({ id, count, values }: Counted, value: string | undefined, note: CountNote): void {
    const valueCount = value !== undefined && values.get(value)
    this.revision++
    note(id, { ...count, ...(valueCount && { values: [{ value, ...valueCount }] }) })
  }
}

const byValue = (values: EntryCount['values'] = []): Map<string, Count> =>
  new Map(values.map(({ value, ...count }) => [value, count]))
const countOf = ({ count, values }: Counted): EntryCount => ({
  ...count,
  ...(values.size > 0 && {
    values: Array.from(values, ([value, valueCount]) => ({ value, ...valueCount }))
  })
})

const hasEnded = (
  { entry: { between, calls, lasts, data }, count }: Counted,
  instant: number
): boolean =>
  instant >= between.until ||
  (data.per === undefined &&
    (count.matched >= calls.to || instant >= (count.first ?? FOREVER) + lasts))

/** Of the entry, and of the value; none beyond the maximum of values. */
function countsFor({ count, values }: Counted, value: string | undefined): Count[] {
  if (value === undefined) return [count]
  const known = values.get(value)
  if (known !== undefined) return [count, known]
  if (values.size >= MAX_VALUES) {
    count.uncounted = (count.uncounted ?? 0) + 1
    return []
  }
  const valueCount = { matched: 0, applied: 0 }
  values.set(value, valueCount)
  return [count, valueCount]
}

/** Null if it does not apply. */
function actionOf(
  { id, entry, count }: Counted,
  counts: readonly Count[],
  { seed, instant: at, value }: Moment
): Action | null {
  const { data, calls, lasts, chance, label } = entry
  const last = counts.at(-1)
  if (last === undefined || at >= (last.first ?? at) + lasts) return null
  const { matched } = last
  if (matched < calls.from || matched > calls.to || matched % calls.every > 0) return null
  const drawName = `chance:${label}${value === undefined ? '' : `:${value}`}`
  if (chance < 1 && drawnFraction(seed, drawName, matched) >= chance) return null
  for (const each of counts) each.applied++
  if (data.for !== undefined) last.first ??= at
  const delay = entry.delay(() => drawnFraction(seed, `delay:${label}`, count.applied))
  return { id, entry, value, isHeld: data.hold !== undefined, isApplied: true, delay }
}
