/** Script entries: what the emulator does differently for some calls. The first entry that can is applied. */
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { drawnFraction } from '../core/draws.js'
import { durationExpected, durationOf } from '../core/durations.js'
import { instantOf } from '../core/instants.js'
import type { Step } from '../core/places.js'
import { withoutSecrets } from '../core/redaction.js'
import { nameOf, type OperationId } from '../reference/operations.js'
import { digestOf, withDigests } from './digests.js'
import type { Report } from './documents.js'
import { type Flaws, rightMembersOf, within } from './flaws.js'
import { compileMatch, isMatch, type Matcher, operationsOn, type SentCall, shownOn } from './matching.js'
import type { NearMiss } from './near-misses.js'
import { type Instructions, patternsIn } from './patterns.js'
import type { EntryData, Hold, Respond } from './schemas.js'

export type { EntryData, Fault, Hold, Release, Respond } from './schemas.js'
export type Entry = {
  data: EntryData
  operations: ReadonlySet<OperationId>
  /** Null when every call of the operations matches. */
  matches: Matcher | null
  calls: { from: number; to: number }
  /** The share of the selected calls that it is applied to, from 0 to 1. */
  chance: number
  /** The instants of the sandbox's clock between which calls match, the first among them. */
  between: { from: number; until: number }
  /** Milliseconds of the sandbox's clock after the first call that it was applied to, in which it is applied. */
  lasts: number
  /** Milliseconds. */
  delay: { min: number; max: number } | null
  /** What its draws go by: its name, or a digest of what it says, so that no other entry changes them. */
  label: string
  /** What its patterns compile to. */
  instructions: number
}
/** What an entry does to one call. */
export type Action = { id: string; entry: Entry; delay: number }
/**
 * How many calls matched an entry, and to how many it was applied; `too_long`, where there are any, those with a value too long for its patterns;
 * `first`, of an entry that lasts for a time, when it was first applied, in milliseconds of the sandbox's clock.
 */
export type EntryCount = { matched: number; applied: number; too_long?: number; first?: number }
const ALL_CALLS = { from: 1, to: Number.POSITIVE_INFINITY }
/** Operations that abort before a script is asked (LOC-4, ACC-5). */
const DISABLED: readonly OperationId[] = ['deleteLocation', 'deleteAccount']
/** Headers that frame the message or the connection; a scripted answer cannot set them. */
const FRAMING = ['connection', 'content-length', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'request-id']

/**
 * Compiles one entry that its schema allows; null with its problems reported by their place in it. What it keeps of card data is digests. `all` counts what the
 * patterns of its script compile to.
 */
export async function compileEntry(written: EntryData, report: Report, all: Instructions = { instructions: 0 }): Promise<Entry | null> {
  let isRight = true
  const note: Report = (steps, message) => {
    isRight = false
    report(steps, message)
  }
  const { name, match } = written
  const before = all.instructions
  const data = { ...written, ...(name !== undefined && { name: withoutSecrets(name) }), ...(match && { match: withDigests(match) }) }
  const { calls, delay, respond, fault, when } = data
  const named = operationsOn(data.on, note)
  const operations = named.filter(operation => !DISABLED.includes(operation))
  const compiled = {
    data,
    operations: new Set(operations),
    matches: operations.length === 0 ? null : await compileMatch(operations, data.match, note, { onlyRight: true, patterns: patternsIn(all) }),
    calls: calls === undefined ? ALL_CALLS : callsOf(String(calls), note),
    chance: data.chance ?? 1,
    between: { from: instantIn(data, 'from', Number.NEGATIVE_INFINITY), until: instantIn(data, 'until', Number.POSITIVE_INFINITY) },
    lasts: data.for === undefined ? Number.POSITIVE_INFINITY : durationIn(data.for, ['for'], note),
    delay: delay === undefined ? null : delayOf(delay, note),
    label: data.name ?? digestOf(JSON.stringify(data)),
    instructions: all.instructions - before
  }
  if (data.on !== '*') {
    for (const operation of named) if (DISABLED.includes(operation)) note(['on'], `can never apply: ${nameOf(operation)} is disabled and always answers 501`)
  }
  if (compiled.between.from >= compiled.between.until) note(['until'], `until ${data.until} is not after from ${data.from}`)
  if (compiled.lasts === 0) note(['for'], `can never apply: for ${data.for} is over when it begins`)
  if (!respond && delay === undefined && !fault && !data.hold) note([], 'an entry needs respond, delay, fault or hold')
  if (data.hold) checkHold(data.hold, within(note, 'hold'))
  if (when === 'after' && !fault) note(['when'], 'when: after goes with a fault')
  if (when === 'after' && respond) note(['when'], 'when: after lets the operation answer, so respond cannot be given too')
  if (respond) checkRespond(respond, within(note, 'respond'))
  return isRight ? compiled : null
}

/** An entry of a script as far as it is right; `entry` is null where it is not whole. */
export type ScriptMember = { index: number; data: EntryData; entry: Entry | null }

/** Compiles the entries of a script; one after an unconditional one of its operation can never apply. Of an entry with flaws, the other parts are checked. */
export async function compileScript(
  entries: readonly EntryData[] | undefined,
  report: Report,
  flaws?: Flaws,
  all: Instructions = { instructions: 0 }
): Promise<ScriptMember[]> {
  const members: ScriptMember[] = []
  const answered = new Map<OperationId, string>()
  for (const { member: data, index, isWhole, report: reportRight } of rightMembersOf<EntryData>(entries, flaws, report)) {
    if (data.on === undefined) continue
    // `when` goes with others, which may be what is wrong
    const entry = await compileEntry(data, (steps, message) => (isWhole || steps[0] !== 'when') && reportRight(steps, message), all)
    members.push({ index, data, entry: isWhole ? entry : null })
    if (!isWhole || entry === null) continue
    const operations = [...entry.operations]
    const answering = new Set(operations.map(operation => answered.get(operation)))
    if (!answering.has(undefined)) report([index], neverApplies([...answering].join(' and '), data))
    if (isUnconditional(entry)) for (const operation of operations) if (!answered.has(operation)) answered.set(operation, entryLabel(data, index))
  }
  return members
}

/** What messages call an entry of a list. */
export const entryLabel = ({ name }: EntryData, index: number): string => (name === undefined ? `entry ${index + 1}` : `the entry "${name}"`)

/** What to say of an entry that another one leaves no call. */
export const neverApplies = (shadow: string, { on }: EntryData): string => `can never apply: ${shadow} acts on every call of ${shownOn(on)} that it is for`

/** Whether an entry is applied to every call of its operations. */
const isUnconditional = ({ matches, calls, chance, between, lasts }: Entry) =>
  matches === null && calls.from === 1 && [calls.to, between.until, -between.from, lasts].every(bound => bound === Number.POSITIVE_INFINITY) && chance === 1

/** An instant that the schema has checked. */
const instantIn = (data: EntryData, name: 'from' | 'until', otherwise: number): number =>
  data[name] === undefined ? otherwise : (instantOf(data[name]) as number)

function durationIn(text: string, steps: Step[], report: Report): number {
  const ms = durationOf(text)
  if (ms === null) report(steps, durationExpected(text))
  return ms ?? Number.NaN
}

function callsOf(text: string, report: Report): Entry['calls'] {
  const [, from, dash, to] = /^([1-9]\d{0,8})(?:(-)([1-9]\d{0,8})|\+)?$/.exec(text.replaceAll(' ', '')) ?? []
  if (from === undefined || (dash && Number(to) < Number(from))) {
    report(['calls'], `must be 1, 2-3 or 4+; got ${text}`)
    return ALL_CALLS
  }
  const last = text.includes('+') ? Number.POSITIVE_INFINITY : Number(from)
  return { from: Number(from), to: dash ? Number(to) : last }
}

function delayOf(delay: NonNullable<EntryData['delay']>, report: Report): { min: number; max: number } {
  const read = (text: string, steps: Step[]) => {
    const ms = durationIn(text, steps, report)
    if (ms > 600_000) report(steps, 'a delay is at most ten minutes')
    return ms
  }
  if (typeof delay === 'string') {
    const ms = read(delay, ['delay'])
    return { min: ms, max: ms }
  }
  const [min, max] = [read(delay.min, ['delay', 'min']), read(delay.max, ['delay', 'max'])]
  if (min > max) report(['delay'], `min ${delay.min} is longer than max ${delay.max}`)
  return { min, max }
}

function checkHold({ until, gate, for: longest, once }: Hold, report: Report): void {
  if ((until === undefined) === (gate === undefined)) report([], `must have one of until and gate${until === undefined ? '' : '; got both'}`)
  if (once !== undefined && until === undefined) report(['once'], 'once goes with until')
  if (longest !== undefined) durationIn(longest, ['for'], report)
}

/** The name of the gate that an entry holds calls at: its own id where it gives none. */
export const gateOf = (id: string, { gate = id }: Hold): string => gate

function checkRespond({ headers = {}, body, error, status = error === undefined ? 200 : 400, retry_after }: Respond, report: Report): void {
  if (retry_after !== undefined) {
    durationIn(retry_after, ['retry_after'], report)
    if (Object.keys(headers).some(name => name.toLowerCase() === 'retry-after')) report(['retry_after'], 'headers gives Retry-After already')
  }
  if (body !== undefined && error !== undefined) report([], 'body and error cannot both be the answer')
  if (error !== undefined && status < 400) report(['status'], `an error has a status of 400 or more, not ${status}`)
  if ((status === 204 || status === 304) && (body !== undefined || error !== undefined)) report(['status'], `an answer with status ${status} has no body`)
  for (const [name, value] of Object.entries(headers)) {
    if (FRAMING.includes(name.toLowerCase())) report(['headers', name], `${name} is the emulator's own to set`)
    try {
      validateHeaderName(name)
      validateHeaderValue(name, value)
    } catch {
      report(['headers', name], 'must be a header name and a value without line breaks or control characters')
    }
  }
}

/** An entry as a control call shows it, with its id and counts; one that was never applied with the calls that it nearly was applied to. */
export type ListedEntry = { id: string; entry: EntryData; near_misses?: NearMiss[] } & EntryCount

/** The script entries of a sandbox in order, with their counts. */
export class Script {
  readonly #entries = new Map<string, { entry: Entry; count: EntryCount }>()
  readonly #byOperation = new Map<OperationId, Set<string>>()
  /** The operations that any entry is for. */
  readonly operations: Pick<ReadonlyMap<OperationId, unknown>, 'has'> = this.#byOperation
  #next = 1
  #revision = 0

  constructor(entries: readonly Entry[] = []) {
    for (const entry of entries) this.add(entry)
  }

  /** Another number after each change of an entry or a count. */
  get revision(): number {
    return this.#revision
  }

  /** A copy with the same ids and counts; neither changes the other. */
  clone(): Script {
    const copy = new Script()
    for (const [id, { entry, count }] of this.#entries) copy.put(id, entry, { ...count })
    copy.#next = this.#next
    return copy
  }

  get size(): number {
    return this.#entries.size
  }

  /** What the patterns of all entries compile to. */
  get instructions(): number {
    let sum = 0
    for (const { entry } of this.#entries.values()) sum += entry.instructions
    return sum
  }

  /** Every entry with its id and counts, in the order in which they are tried. */
  listed(): ListedEntry[] {
    return [...this.#entries].map(([id, { entry, count }]) => ({ id, entry: entry.data, ...count }))
  }

  /** The entries that were applied to no call. */
  unused(): { id: string; entry: Entry; count: EntryCount }[] {
    return [...this.#entries].flatMap(([id, { entry, count }]) => (count.applied > 0 ? [] : [{ id, entry, count }]))
  }

  /** Adds an entry after the others. */
  add(entry: Entry): ListedEntry {
    const id = `scr_${this.#next}`
    const count = { matched: 0, applied: 0 }
    this.put(id, entry, count)
    return { id, entry: entry.data, ...count }
  }

  /** Puts an entry with an id and counts that it has already, as a snapshot holds them. */
  put(id: string, entry: Entry, count: EntryCount): void {
    this.#revision++
    this.#entries.set(id, { entry, count })
    for (const operation of entry.operations) {
      const ids = this.#byOperation.get(operation) ?? new Set()
      this.#byOperation.set(operation, ids.add(id))
    }
    this.#next = Math.max(this.#next, Number(id.slice('scr_'.length)) + 1)
  }

  remove(id: string): boolean {
    const removed = this.#entries.get(id)
    if (!removed) return false
    this.#revision++
    this.#entries.delete(id)
    for (const operation of removed.entry.operations) {
      const ids = this.#byOperation.get(operation) as Set<string>
      ids.delete(id)
      if (ids.size === 0) this.#byOperation.delete(operation)
    }
    return true
  }

  clear(): void {
    this.#revision++
    this.#entries.clear()
    this.#byOperation.clear()
  }

  /** Whether every entry was applied to some call. */
  get isUsed(): boolean {
    return this.unused().length === 0
  }

  /** Sets the counts of an entry. */
  recount(id: string, count: EntryCount): void {
    const { entry } = this.#entries.get(id) as { entry: Entry }
    this.#revision++
    this.#entries.set(id, { entry, count: { ...count } })
  }

  /**
   * Counts the call, which comes `at` a time of the sandbox's clock, for every entry that it matches, and applies the first of them that is for it.
   * `note` is told of each count that has changed.
   */
  act(call: SentCall, { seed, at }: { seed: number; at: number }, note: (id: string, count: EntryCount) => void = () => {}): Action | null {
    let action: Action | null = null
    for (const id of this.#byOperation.get(call.operation) ?? []) {
      const { entry, count } = this.#entries.get(id) as { entry: Entry; count: EntryCount }
      if (at < entry.between.from || at >= entry.between.until) continue
      call.isTooLong = false
      const isMatched = entry.matches === null || isMatch(entry.matches, call)
      if (call.isTooLong) count.too_long = (count.too_long ?? 0) + 1
      if (isMatched) {
        count.matched++
        if (action === null && isApplied(entry, count, { seed, at })) {
          count.applied++
          if (entry.data.for !== undefined) count.first ??= at
          const { min, max } = entry.delay ?? { min: 0, max: 0 }
          const delay = min === max ? min : min + Math.floor(drawnFraction(seed, `delay:${entry.label}`, count.applied) * (max - min + 1))
          action = { id, entry, delay }
        }
      }
      if (!isMatched && !call.isTooLong) continue
      this.#revision++
      note(id, { ...count })
    }
    return action
  }
}

/** Whether an entry is applied to the call that it counted last. */
const isApplied = (entry: Entry, count: EntryCount, { seed, at }: { seed: number; at: number }) =>
  isSelected(entry, count, at) && (entry.chance === 1 || drawnFraction(seed, `chance:${entry.label}`, count.matched) < entry.chance)

/** Whether an entry is for the call that it counted last, at a time of the sandbox's clock. */
const isSelected = ({ calls, lasts }: Entry, { matched, first }: EntryCount, at: number) =>
  matched >= calls.from && matched <= calls.to && at < (first ?? at) + lasts
