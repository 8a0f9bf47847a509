/**
 * Script entries: they change how the emulator responds to some requests. The first entry that
 * applies is used.
 */
import { drawnFraction } from '../core/draws.js'
import { durationOf } from '../core/durations.js'
import { instantOf } from '../core/instants.js'
import { didYouMean } from '../core/nearest.js'
import type { Step } from '../core/places.js'
import { isObject } from '../core/quick-check.js'
import { maskedThroughout, withoutSecrets } from '../core/redaction.js'
import { say as check } from '../core/sentences.js'
import {
  isChange,
  type OperationId,
  operationOf,
  operationsNamed
} from '../reference/operations.js'
import { digestOf, withDigests } from './digests.js'
import { type Report, within } from './documents.js'
import { type Edit, editOf } from './edits.js'
import { checkHeaders } from './headers.js'
import { type Calls, countsOf } from './match/counts.js'
import {
  compileMatch,
  countedValue,
  isMatch,
  MAX_VALUES,
  type Matcher,
  operationsOn,
  type SentCall,
  shownOn,
  unlessReported
} from './match/matching.js'
import type { NearMiss } from './match/near-misses.js'
import { isWithinPatterns } from './match/patterns.js'
import type { EntryData, Hold, Respond } from './schemas.js'
import { say } from './sentences.js'

export type { EntryData, Fault, Hold, Release, Respond } from './schemas.js'
export type Entry = {
  data: EntryData
  operations: ReadonlySet<OperationId>
  matches: Matcher
  calls: Calls
  /** From 0 to 1. */
  chance: number
  /** Instants of the sandbox's clock, the first included. */
  between: { from: number; until: number }
  /** Milliseconds of the sandbox's clock, from the first request that it was applied to. */
  lasts: number
  /** Milliseconds that a request waits; `draw` gives a fraction. */
  delay: (draw: () => number) => number
  /** What its draws go by: its name, or a digest of it, so that no other entry changes them. */
  label: string
  edit: Edit | null
  /** Milliseconds of the sandbox's clock: how old the records are that it shows. */
  stale: number | null
}
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
/**
 * Of an entry that counts `per` value also each value, and the requests of values beyond the
 * maximum.
 */
export type EntryCount = Count & {
  uncounted?: number
  values?: readonly (Count & { value: string })[]
}
const FOREVER = Number.POSITIVE_INFINITY
/** Operations that abort before a script is asked (LOC-4, ACC-5). */
const DISABLED: readonly OperationId[] = ['deleteLocation', 'deleteAccount']
const isDisabled = (operations: readonly OperationId[]) =>
  operations.length > 0 && operations.every(operation => DISABLED.includes(operation))
/**
 * Compiles an entry that its schema allows; null with its problems reported. Card data is kept as
 * digests. `patterns`: those of the entries before.
 */
export const compileEntry = (
  written: EntryData,
  report: Report,
  patterns = 0
): Promise<Entry | null> =>
  unlessReported(report, async note => {
    if (!isWithinPatterns(written.match, patterns, said => note(['match'], said))) return null
    const data = { ...written }
    if (written.name !== undefined) data.name = withoutSecrets(written.name)
    if (written.after !== undefined) data.after = maskedThroughout(written.after)
    if (written.match) data.match = withDigests(written.match)
    const {
      on,
      calls,
      chance = 1,
      delay,
      respond,
      change,
      stale,
      fault,
      hold,
      when,
      for: lasting
    } = data
    const named = operationsOn(on, note)
    const isRead = (operation: OperationId) => !isChange(operationOf(operation))
    const operations = named.filter(
      operation => !DISABLED.includes(operation) && (stale === undefined || isRead(operation))
    )
    for (const name of [on].flat()) {
      const meant = operationsNamed(name)
      if (isDisabled(meant)) note(['on'], say('disabled', name))
      else if (stale !== undefined && meant.length > 0 && !meant.some(isRead))
        note(['stale'], say('stale_change', name))
    }
    const between = { from: instantIn(data.from, -FOREVER), until: instantIn(data.until, FOREVER) }
    const lasts = lasting === undefined ? FOREVER : (durationOf(lasting) as number)
    if (between.from >= between.until)
      note(['until'], say('no_time', `until ${data.until} is not after from ${data.from}`))
    if (lasts === 0) note(['for'], say('no_time', `for ${lasting} ends as soon as it begins`))
    if ([respond, change, stale, delay, fault, hold].every(action => action === undefined))
      note([], say('no_action'))
    if (stale && ((respond && !respond.patch) || (fault && when !== 'after')))
      note(['stale'], say('not_together', 'stale', [respond ? 'respond' : 'fault']))
    const isCounted = (calls ?? data.chance ?? lasting) !== undefined
    if (data.per !== undefined && !isCounted)
      note(['per'], say('needs', 'per', 'calls, chance or for'))
    if (hold && (hold.until === undefined) === (hold.gate === undefined))
      note(['hold'], say('not_exactly_one', ['until', 'gate'], hold.gate ? ['until', 'gate'] : []))
    if (when === 'after' && !fault && !change && !respond)
      note(['when'], say('needs', 'when: after', 'fault, change or respond'))
    if (respond) checkRespond(respond, within(note, 'respond'))
    if (respond?.patch) {
      if (fault) note(['respond', 'patch'], say('not_together', 'patch', ['fault']))
      if (JSON.stringify(respond) === '{"patch":{}}') note(['respond', 'patch'], check('empty'))
      if (operations.length > 0 && operations.every(id => operationOf(id).kind === 'delete'))
        note(['respond', 'patch'], say('no_body', 204))
    }
    return {
      data,
      operations: new Set(operations),
      matches: await compileMatch(operations, data.match, note, {
        onlyRight: true
      }),
      calls: countsOf(`${calls ?? '1+'}`, 1, within(note, 'calls')),
      chance,
      between,
      lasts,
      delay: delayOf(delay ?? '0s', within(note, 'delay')),
      label: data.name ?? digestOf(JSON.stringify(data)),
      edit: change === undefined ? null : editOf(change, note),
      stale: stale === undefined ? null : durationOf(stale)
    }
  })

/** Undefined where that is not right. */
const nameIn = (after: EntryData['after']): string | undefined =>
  isObject(after) ? (after as { ended?: string }).ended : (after as string | undefined)
const canEnd = ({ until, per, calls = '+', for: lasting }: EntryData) =>
  until !== undefined || (per === undefined && (lasting !== undefined || !/[+e]/.test(`${calls}`)))

/**
 * Refuses entries that wait for none, for themselves by whatever way, or for one that never ends.
 */
export function checkWaiting(entries: readonly { data: EntryData; report: Report }[]): void {
  const named = new Map(
    entries.toReversed().flatMap(({ data }) => (data.name === undefined ? [] : [[data.name, data]]))
  )
  const known = new Map<EntryData, boolean>()
  const next = ({ after }: EntryData) => named.get(nameIn(after) as string)
  const isInCircle = (data: EntryData): boolean => {
    const way = new Set<EntryData>()
    let at: EntryData | undefined = data
    for (; at !== undefined && !known.has(at) && !way.has(at); at = next(at)) way.add(at)
    const isCircle = at !== undefined && (known.get(at) ?? true)
    for (const one of way) known.set(one, isCircle)
    return isCircle
  }
  for (const { data, report } of entries) {
    const name = nameIn(data.after)
    if (name === undefined) continue
    const other = next(data)
    if (other === undefined)
      report(['after'], say('unknown_entry', name, didYouMean(name, [...named.keys()])))
    else if (isInCircle(data)) report(['after'], say('waits_for_itself'))
    else if (isObject(data.after) && !canEnd(other))
      report(['after', 'ended'], say('never_ends', name))
  }
}

/** `use` is its group, null for the scenario itself; `index` its place there. */
export type PlacedEntry = { entry: Entry; use: number | null; index: number; report: Report }

/** Refuses entries behind one that is applied to every request of their operations. */
export function checkShadowed(entries: readonly PlacedEntry[]): void {
  const unconditional: PlacedEntry[] = []
  for (const placed of entries) {
    const { entry, use, report } = placed
    const first = unconditional.find(
      other =>
        other.use === use &&
        [...entry.operations].every(operation => other.entry.operations.has(operation))
    )
    if (first !== undefined) report([], say('shadowed', labelOf(first), shownOn(entry.data.on)))
    else if (isUnconditional(entry)) unconditional.push(placed)
  }
}

const labelOf = ({ entry: { data }, index }: PlacedEntry) =>
  data.name === undefined ? `entry ${index + 1}` : `the entry "${data.name}"`

const isUnconditional = ({ data, calls, chance, between, lasts, matches }: Entry) =>
  (data.per ?? data.after) === undefined &&
  matches.length === 0 &&
  calls.from <= 1 &&
  chance === 1 &&
  between.from === -FOREVER &&
  [calls.to, between.until, lasts].every(end => end === FOREVER)

const instantIn = (text: string | undefined, otherwise: number) =>
  text === undefined ? otherwise : (instantOf(text) as number)

const MAX_DELAY = 600_000

function delayOf(delay: NonNullable<EntryData['delay']>, report: Report): Entry['delay'] {
  const msOf = (text: string, ...steps: Step[]) => {
    const ms = durationOf(text) as number
    if (ms > MAX_DELAY) report(steps, say('delay_too_long', text))
    return ms
  }
  if (typeof delay === 'string') {
    const ms = msOf(delay)
    return () => ms
  }
  const [min, max] = [msOf(delay.min, 'min'), msOf(delay.max, 'max')]
  if (min > max) report([], say('reversed', `min ${delay.min}`, `max ${delay.max}`))
  return draw => (min === max ? min : min + Math.floor(draw() * (max - min + 1)))
}

/** Its own id if it gives none. */
export const gateOf = (id: string, { gate = id }: Hold): string => gate

function checkRespond(
  {
    headers = {},
    body,
    patch,
    error,
    status = error === undefined ? 200 : 400,
    retry_after
  }: Respond,
  report: Report
): void {
  if (
    retry_after !== undefined &&
    Object.keys(headers).some(name => name.toLowerCase() === 'retry-after')
  )
    report(['retry_after'], say('header_twice'))
  if (body !== undefined && error !== undefined) report([], say('not_together', 'body', ['error']))
  if (patch !== undefined && (body !== undefined || error !== undefined))
    report(['patch'], say('not_together', 'patch', ['body', 'error']))
  if (error !== undefined && status < 400) report(['status'], say('not_an_error', status))
  if ((status === 204 || status === 304) && [body, patch, error].some(part => part !== undefined))
    report(['status'], say('no_body', status))
  checkHeaders(headers, 'response', within(report, 'headers'))
}

/** As the control API shows it; near misses of one that was never applied. */
export type ListedEntry = { id: string; entry: EntryData; near_misses?: NearMiss[] } & EntryCount

export class Script {
  readonly #entries = new Map<string, Counted>()
  readonly #byOperation = new Map<OperationId, Set<string>>()
  readonly operations: Pick<ReadonlyMap<OperationId, unknown>, 'has'> = this.#byOperation
  readonly #named = new Map<string, string>()
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

  /** In the order in which they are tried. */
  listed(): ListedEntry[] {
    return [...this.#entries].map(([id, counted]) => ({
      id,
      entry: counted.entry.data,
      ...countOf(counted)
    }))
  }

  /** Entries never applied; `isWaiting`: for another one, at a time of the sandbox's clock. */
  unused(): { id: string; entry: Entry; count: EntryCount; isWaiting: (at: number) => boolean }[] {
    return [...this.#entries].flatMap(([id, counted]) => {
      const { entry, count } = counted
      return count.applied > 0 || entry.calls.to === 0
        ? []
        : [
            {
              id,
              entry,
              count: countOf(counted),
              isWaiting: (at: number) => this.#isWaiting(entry, at)
            }
          ]
    })
  }

  add(entry: Entry): ListedEntry {
    const id = `scr_${this.#next}`
    const count = { matched: 0, applied: 0 }
    this.put(id, entry, count)
    return { id, entry: entry.data, ...count }
  }

  /** With the id and counts that a snapshot holds. */
  put(id: string, entry: Entry, { values, ...count }: EntryCount): void {
    this.#revision++
    this.#entries.set(id, { entry, count, values: byValue(values) })
    this.#index(id, entry)
    this.#next = Math.max(this.#next, Number(id.slice('scr_'.length)) + 1)
  }

  #index(id: string, { operations, data: { name } }: Entry): void {
    if (name !== undefined && !this.#named.has(name)) this.#named.set(name, id)
    for (const operation of operations)
      this.#byOperation.set(operation, (this.#byOperation.get(operation) ?? new Set()).add(id))
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
    for (const [id, { entry }] of this.#entries) this.#index(id, entry)
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

  #isDue({ entry }: Counted, at: number): boolean {
    return at >= entry.between.from && at < entry.between.until && !this.#isWaiting(entry, at)
  }

  /** One that was removed has ended. */
  #isWaiting({ data: { after } }: Entry, at: number): boolean {
    if (after === undefined) return false
    const named = this.#entries.get(this.#named.get(nameIn(after) as string) ?? '')
    return typeof after === 'string'
      ? !named?.count.applied
      : named !== undefined && !hasEnded(named, at)
  }

  /**
   * Counts a request for every entry that it matches, and applies the first that is for it. `at` is
   * a time of the sandbox's clock; `note` is told of each changed count.
   */
  act(
    call: SentCall,
    { seed, at }: { seed: number; at: number },
    note: CountNote = () => {}
  ): Action | null {
    let action: Action | null = null
    // what a request does to one entry begins another only for those after it
    const due = [...(this.#byOperation.get(call.operation as OperationId) ?? [])].filter(id =>
      this.#isDue(this.#entries.get(id) as Counted, at)
    )
    for (const id of due) {
      const counted = this.#entries.get(id) as Counted
      const { entry, count } = counted
      if (!isMatch(entry.matches, call)) continue
      const { per } = entry.data
      const value = per && countedValue(per, call)
      if (per !== undefined && value === undefined) continue
      const own = ownCount(counted, value)
      if (own !== null) {
        count.matched++
        if (own !== count) own.matched++
        if (action === null && isApplied(entry, own, { seed, at, value })) {
          count.applied++
          if (own !== count) own.applied++
          if (entry.data.for !== undefined) own.first ??= at
          action = {
            id,
            entry,
            value,
            isHeld: entry.data.hold !== undefined,
            isApplied: true,
            delay: entry.delay(() => drawnFraction(seed, `delay:${entry.label}`, count.applied))
          }
        }
      }
      this.#noteCounts(id, value, note)
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
    this.#noteCounts(id, action.value, note)
  }

  #noteCounts(id: string, value: string | undefined, note: CountNote): void {
    const { count, values } = this.#entries.get(id) as Counted
    const own = value !== undefined && values.get(value)
    this.#revision++
    note(id, { ...count, ...(own && { values: [{ value, ...own }] }) })
  }
}

type CountNote = (id: string, count: EntryCount) => void
type Counted = {
  readonly entry: Entry
  count: Omit<EntryCount, 'values'>
  readonly values: Map<string, Count>
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

/** Null where no further value is counted, which is noted. */
function ownCount({ count, values }: Counted, value: string | undefined): Count | null {
  if (value === undefined) return count
  const known = values.get(value)
  if (known !== undefined) return known
  if (values.size >= MAX_VALUES) {
    count.uncounted = (count.uncounted ?? 0) + 1
    return null
  }
  const own = { matched: 0, applied: 0 }
  values.set(value, own)
  return own
}

/** For the request that was counted last. */
function isApplied(
  { calls, lasts, chance, label }: Entry,
  { matched, first }: Count,
  { seed, at, value }: { seed: number; at: number; value?: string }
) {
  if (matched < calls.from || matched > calls.to || matched % calls.every > 0) return false
  if (at >= (first ?? at) + lasts) return false
  return (
    chance === 1 ||
    drawnFraction(seed, `chance:${label}${value === undefined ? '' : `:${value}`}`, matched) <
      chance
  )
}
