/** Script entries: what the emulator does differently for some calls. The first entry that can is applied. */
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { drawnFraction } from '../core/draws.js'
import { durationExpected, durationOf } from '../core/durations.js'
import { instantOf } from '../core/instants.js'
import type { Step } from '../core/places.js'
import { withoutSecrets } from '../core/redaction.js'
import { say as check } from '../core/sentences.js'
import { nameOf, type OperationId } from '../reference/operations.js'
import { digestOf, withDigests } from './digests.js'
import type { Report } from './documents.js'
import { type Flaws, rightMembersOf, within } from './flaws.js'
import { compileMatch, isMatch, type Matcher, operationsOn, type SentCall, shownOn, unlessReported } from './matching.js'
import type { NearMiss } from './near-misses.js'
import { type Instructions, patternsIn } from './patterns.js'
import type { EntryData, Hold, Respond } from './schemas.js'
import { say } from './sentences.js'

export type { EntryData, Fault, Hold, Release, Respond } from './schemas.js'
export type Entry = {
  data: EntryData
  operations: ReadonlySet<OperationId>
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
  instructions: number
}
/** What an entry does to one call. */
export type Action = { id: string; entry: Entry; delay: number }
/**
 * How many calls matched an entry, and to how many it was applied; `too_long`, where there are any, those with a value too long for its patterns;
 * `first`, of an entry that lasts for a time, when it was first applied, in milliseconds of the sandbox's clock.
 */
export type EntryCount = { matched: number; applied: number; too_long?: number; first?: number }
const FOREVER = Number.POSITIVE_INFINITY
/** Operations that abort before a script is asked (LOC-4, ACC-5). */
const DISABLED: readonly OperationId[] = ['deleteLocation', 'deleteAccount']
/** Headers that frame the message or the connection; a scripted answer cannot set them. */
const FRAMING = ['connection', 'content-length', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'request-id']

/**
 * Compiles one entry that its schema allows; null with its problems reported by their place in it. What it keeps of card data is digests. `all` counts what the
 * patterns of its script compile to.
 */
export const compileEntry = (written: EntryData, report: Report, all: Instructions = { instructions: 0 }): Promise<Entry | null> =>
  unlessReported(report, async note => {
    const before = all.instructions
    const data = { ...written, ...(written.name !== undefined && { name: withoutSecrets(written.name) }) }
    if (written.match) data.match = withDigests(written.match)
    const { on, calls, chance = 1, delay, respond, fault, hold, when, for: lasting } = data
    const named = operationsOn(on, note)
    const operations = named.filter(operation => !DISABLED.includes(operation))
    if (on !== '*') for (const operation of named) if (DISABLED.includes(operation)) note(['on'], say('disabled', nameOf(operation)))
    const between = { from: instantIn(data.from, -FOREVER), until: instantIn(data.until, FOREVER) }
    const lasts = lasting === undefined ? FOREVER : durationIn(lasting, ['for'], note)
    if (between.from >= between.until) note(['until'], say('no_time', `until ${data.until} is not after from ${data.from}`))
    if (lasts === 0) note(['for'], say('no_time', `for ${lasting} ends as soon as it begins`))
    if (!respond && delay === undefined && !fault && !hold) note([], say('no_action'))
    if (hold) checkHold(hold, within(note, 'hold'))
    if (when === 'after' && !fault && !respond) note(['when'], say('needs', 'when: after', 'fault'))
    if (when === 'after' && respond) note(['when'], say('not_together', 'when: after', ['respond']))
    if (respond) checkRespond(respond, within(note, 'respond'))
    return {
      data,
      operations: new Set(operations),
      matches: operations.length === 0 ? null : await compileMatch(operations, data.match, note, { onlyRight: true, patterns: patternsIn(all) }),
      calls: callsOf(calls === undefined ? '1+' : `${calls}`, note),
      chance,
      between,
      lasts,
      delay: delay === undefined ? null : delayOf(delay, note),
      label: data.name ?? digestOf(JSON.stringify(data)),
      instructions: all.instructions - before
    }
  })

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
    const entry = await compileEntry(data, (steps, said) => (isWhole || steps[0] !== 'when') && reportRight(steps, said), all)
    members.push({ index, data, entry: isWhole ? entry : null })
    if (!isWhole || entry === null) continue
    const operations = [...entry.operations]
    const answering = new Set(operations.map(operation => answered.get(operation)))
    if (!answering.has(undefined)) report([index], say('shadowed', [...answering].join(' and '), shownOn(data.on)))
    if (isUnconditional(entry)) for (const operation of operations) if (!answered.has(operation)) answered.set(operation, entryLabel(data, index))
  }
  return members
}

export const entryLabel = ({ name }: EntryData, index: number): string => (name === undefined ? `entry ${index + 1}` : `the entry "${name}"`)

const isUnconditional = ({ matches, calls, chance, between, lasts }: Entry) =>
  matches === null && calls.from === 1 && chance === 1 && [calls.to, between.until, -between.from, lasts].every(bound => bound === FOREVER)

const instantIn = (text: string | undefined, otherwise: number) => (text === undefined ? otherwise : (instantOf(text) as number))

function durationIn(text: string, steps: Step[], report: Report, isLonger = (_ms: number) => false): number {
  const ms = durationOf(text)
  if (ms === null) report(steps, check('wrong_format', durationExpected(text)))
  else if (isLonger(ms)) report(steps, say('delay_too_long', text))
  return ms ?? Number.NaN
}

function callsOf(text: string, report: Report): Entry['calls'] {
  const [, first, dash, last] = /^([1-9]\d{0,8})(?:(-)([1-9]\d{0,8})|\+)?$/.exec(text.replaceAll(' ', '')) ?? []
  const from = Number(first)
  const to = dash ? Number(last) : Number(text.includes('+') ? FOREVER : first)
  if (!(from <= to)) report(['calls'], say('not_calls', text))
  return { from, to }
}

const MAX_DELAY = 600_000

function delayOf(delay: NonNullable<EntryData['delay']>, report: Report): { min: number; max: number } {
  const read = (text: string, ...steps: Step[]) => durationIn(text, ['delay', ...steps], report, ms => ms > MAX_DELAY)
  if (typeof delay === 'string') {
    const ms = read(delay)
    return { min: ms, max: ms }
  }
  const [min, max] = [read(delay.min, 'min'), read(delay.max, 'max')]
  if (min > max) report(['delay'], say('reversed', `min ${delay.min}`, `max ${delay.max}`))
  return { min, max }
}

function checkHold({ until, gate, for: longest, once }: Hold, report: Report): void {
  if ((until === undefined) === (gate === undefined)) report([], say('not_exactly_one', ['until', 'gate'], gate === undefined ? [] : ['until', 'gate']))
  if (once !== undefined && until === undefined) report(['once'], say('needs', 'once', 'until'))
  if (longest !== undefined) durationIn(longest, ['for'], report)
}

/** The name of the gate that an entry holds calls at: its own id where it gives none. */
export const gateOf = (id: string, { gate = id }: Hold): string => gate

function checkRespond({ headers = {}, body, error, status = error === undefined ? 200 : 400, retry_after }: Respond, report: Report): void {
  if (retry_after !== undefined) {
    durationIn(retry_after, ['retry_after'], report)
    if (Object.keys(headers).some(name => name.toLowerCase() === 'retry-after')) report(['retry_after'], say('header_twice'))
  }
  if (body !== undefined && error !== undefined) report([], say('not_together', 'body', ['error']))
  if (error !== undefined && status < 400) report(['status'], say('not_an_error', status))
  if ((status === 204 || status === 304) && (body !== undefined || error !== undefined)) report(['status'], say('no_body', status))
  for (const [name, value] of Object.entries(headers)) {
    if (FRAMING.includes(name.toLowerCase())) report(['headers', name], say('framing_header', name))
    try {
      validateHeaderName(name)
      validateHeaderValue(name, value)
    } catch {
      report(['headers', name], say('not_a_header'))
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

  get instructions(): number {
    let sum = 0
    for (const { entry } of this.#entries.values()) sum += entry.instructions
    return sum
  }

  /** Every entry with its id and counts, in the order in which they are tried. */
  listed(): ListedEntry[] {
    return [...this.#entries].map(([id, { entry, count }]) => ({ id, entry: entry.data, ...count }))
  }

  unused(): { id: string; entry: Entry; count: EntryCount }[] {
    return [...this.#entries].flatMap(([id, { entry, count }]) => (count.applied > 0 ? [] : [{ id, entry, count }]))
  }

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
    this.#index(id, entry)
    this.#next = Math.max(this.#next, Number(id.slice('scr_'.length)) + 1)
  }

  #index(id: string, { operations }: Entry): void {
    for (const operation of operations) this.#byOperation.set(operation, (this.#byOperation.get(operation) ?? new Set()).add(id))
  }

  remove(id: string): boolean {
    if (!this.#entries.delete(id)) return false
    this.#revision++
    this.#byOperation.clear()
    for (const [left, { entry }] of this.#entries) this.#index(left, entry)
    return true
  }

  clear(): void {
    this.#revision++
    this.#entries.clear()
    this.#byOperation.clear()
  }

  get isUsed(): boolean {
    return this.unused().length === 0
  }

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
