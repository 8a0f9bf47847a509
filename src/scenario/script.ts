/** The script of a sandbox: entries in order, the first that applies is used, and their counts. */
import { drawnFraction } from '../core/draws.js'
import type { OperationId } from '../reference/operations.js'
import { areMet } from './match/conditions.js'
import { countedValue, MAX_VALUES, type SentCall } from './match/matching.js'
import type { NearMiss } from './match/near-misses.js'
import { type Entry, FOREVER, nameIn } from './script/entry.js'
import type { EntryData, Hold } from './shape/entry.js'

export type { EntryData, Fault, Hold, Release, Respond } from './shape/entry.js'

/** `value` is what it was counted by; `isHeld` until its hold times out. */
export type Action = {
  readonly id: string
  readonly entry: Entry
  readonly delay: number
  readonly value?: string | undefined
  isHeld: boolean
  isApplied: boolean
}
/** `first`: when an entry with `for` began, in milliseconds of the sandbox's clock. */
type Count = { matched: number; applied: number; first?: number }
/** With `per`, of each value too; `uncounted` requests are of values beyond the maximum. */
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
type Now = { seed: number; at: number }

export class Script {
  #entries = new Map<string, Counted>()
  readonly #byOperation = new Map<OperationId, Counted[]>()
  readonly operations: Pick<ReadonlyMap<OperationId, unknown>, 'has'> = this.#byOperation
  readonly #named = new Map<string, Counted>()
  #next = 1
  #revision = 0

  constructor(entries: readonly Entry[] = []) {
    for (const entry of entries) this.add(entry)
  }

  /** Changes with each entry and count. */
  get revision(): number {
    return this.#revision
  }

  clone(): Script {
    const copy = new Script()
    for (const [id, counted] of this.#entries) copy.put(id, counted.entry, countOf(counted))
    copy.#next = this.#next
    return copy
  }

  get size(): number {
    return this.#entries.size
  }

  listed(): ListedEntry[] {
    return Array.from(this.#entries.values(), counted => ({
      id: counted.id,
      entry: counted.entry.data,
      ...countOf(counted)
    }))
  }

  /** Entries never applied; `isWaiting`: for another one, at a time of the sandbox's clock. */
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
    this.#revision++
    if (isFirst) {
      this.#entries = new Map([[id, counted], ...this.#entries])
      this.#indexAll()
    } else {
      this.#entries.set(id, counted)
      this.#index(counted)
    }
    this.#next = Math.max(this.#next, Number(id.slice('scr_'.length)) + 1)
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

  remove(id: string): boolean {
    if (!this.#entries.delete(id)) return false
    this.#indexAll()
    return true
  }

  clear(): void {
    this.#entries.clear()
    this.#indexAll()
  }

  #indexAll(): void {
    this.#revision++
    this.#byOperation.clear()
    this.#named.clear()
    for (const counted of this.#entries.values()) this.#index(counted)
  }

  get isUsed(): boolean {
    return this.unused().length === 0
  }

  /** Leaves the counts of values that are not given. */
  recount(id: string, { values, ...count }: EntryCount): void {
    const counted = this.#entries.get(id) as Counted
    this.#revision++
    counted.count = count
    for (const [value, own] of byValue(values)) counted.values.set(value, own)
  }

  #isDue(counted: Counted, at: number): boolean {
    const { from, until } = counted.entry.between
    return at >= from && at < until && !this.#isWaiting(counted, at)
  }

  /** One that was removed has ended. */
  #isWaiting({ entry }: Counted, at: number): boolean {
    const { after } = entry.data
    if (after === undefined) return false
    const named = this.#named.get(nameIn(after) as string)
    return typeof after === 'string'
      ? !named?.count.applied
      : named !== undefined && !hasEnded(named, at)
  }

  /**
   * Every entry that it matches counts it, the first that is for it acts. `note` gets each changed
   * count.
   */
  act(call: SentCall, now: Now, note: CountNote = () => {}): Action | null {
    let action: Action | null = null
    // what a request does to one entry begins another only for those after it
    const due = (this.#byOperation.get(call.operation as OperationId) ?? []).filter(counted =>
      this.#isDue(counted, now.at)
    )
    for (const counted of due) {
      const { matches, data } = counted.entry
      if (!areMet(matches, call)) continue
      const value = data.per && countedValue(data.per, call)
      if (data.per !== undefined && value === undefined) continue
      const counts = countsFor(counted, value)
      for (const count of counts) count.matched++
      if (action === null && isApplied(counted.entry, counts, { ...now, value }))
        action = applied(counted, counts, { ...now, value })
      this.#noteCounts(counted, value, note)
    }
    return action
  }

  /** An entry that was applied to a request changed nothing: it was not applied. */
  retract(action: Action, note: CountNote): void {
    const { id, value = '' } = action
    const counted = this.#entries.get(id)
    action.isApplied = false
    if (counted === undefined) return
    for (const count of [counted.count, counted.values.get(value)])
      if (count !== undefined && --count.applied === 0) delete count.first
    this.#noteCounts(counted, action.value, note)
  }

  #noteCounts({ id, count, values }: Counted, value: string | undefined, note: CountNote): void {
    const own = value !== undefined && values.get(value)
    this.#revision++
    note(id, { ...count, ...(own && { values: [{ value, ...own }] }) })
  }
}

const byValue = (values: EntryCount['values'] = []): Map<string, Count> =>
  new Map(values.map(({ value, ...count }) => [value, count]))
const countOf = ({ count, values }: Counted): EntryCount =>
  values.size === 0
    ? { ...count }
    : { ...count, values: Array.from(values, ([value, own]) => ({ value, ...own })) }

const hasEnded = (
  { entry: { between, calls, lasts, data }, count }: Counted,
  at: number
): boolean =>
  at >= between.until ||
  (data.per === undefined && (count.matched >= calls.to || at >= (count.first ?? FOREVER) + lasts))

/** Of the entry, and of the value; none where no further value is counted, which is noted. */
function countsFor({ count, values }: Counted, value: string | undefined): Count[] {
  if (value === undefined) return [count]
  const known = values.get(value)
  if (known !== undefined) return [count, known]
  if (values.size >= MAX_VALUES) {
    count.uncounted = (count.uncounted ?? 0) + 1
    return []
  }
  const own = { matched: 0, applied: 0 }
  values.set(value, own)
  return [count, own]
}

function isApplied(
  { calls, lasts, chance, label }: Entry,
  counts: readonly Count[],
  { seed, at, value }: Now & { value: string | undefined }
): boolean {
  const own = counts.at(-1)
  if (own === undefined) return false
  const { matched, first = at } = own
  if (matched < calls.from || matched > calls.to || matched % calls.every > 0) return false
  if (at >= first + lasts) return false
  const drawn = `chance:${label}${value === undefined ? '' : `:${value}`}`
  return chance === 1 || drawnFraction(seed, drawn, matched) < chance
}

function applied(
  { id, entry, count }: Counted,
  counts: readonly Count[],
  { seed, at, value }: Now & { value: string | undefined }
): Action {
  for (const one of counts) one.applied++
  const own = counts.at(-1) as Count
  if (entry.data.for !== undefined) own.first ??= at
  return {
    id,
    entry,
    value,
    isHeld: entry.data.hold !== undefined,
    isApplied: true,
    delay: entry.delay(() => drawnFraction(seed, `delay:${entry.label}`, count.applied))
  }
}
