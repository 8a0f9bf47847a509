/** Script entries: what the emulator does differently for some calls. The first entry that can is applied. */
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { drawnFraction } from '../core/draws.js'
import { DURATION_EXPECTED, durationOf } from '../core/durations.js'
import type { Step } from '../core/places.js'
import type { OperationId } from '../reference/operations.js'
import type { Report } from './documents.js'
import { type Flaws, membersOf } from './flaws.js'
import { compileMatch, type MatchData, type Matcher, operationOn, type SentCall } from './matching.js'

export const FAULTS = ['connection_reset', 'empty_response', 'truncated_body', 'malformed_body', 'hang'] as const
export type Fault = (typeof FAULTS)[number]
export type Respond = {
  status?: number
  headers?: Readonly<Record<string, string>>
  body?: unknown
  error?: { type?: string; code: string; message: string; param?: string }
}
/** A script entry as a document writes it. */
export type EntryData = {
  name?: string
  on: string
  match?: MatchData
  calls?: number | string
  delay?: string | { min: string; max: string }
  respond?: Respond
  fault?: Fault
  when?: 'before' | 'after'
}
export type Entry = {
  data: EntryData
  operation: OperationId
  /** Null when every call of the operation matches. */
  matches: Matcher | null
  calls: { from: number; to: number }
  /** Milliseconds. */
  delay: { min: number; max: number } | null
}
/** What an entry does to one call. */
export type Action = { id: string; entry: Entry; delay: number }
/** How many calls matched an entry, and to how many it was applied. */
export type EntryCount = { matched: number; applied: number }
const ALL_CALLS = { from: 1, to: Number.POSITIVE_INFINITY }
/** Operations that abort before a script is asked (LOC-4, ACC-5). */
const DISABLED: readonly OperationId[] = ['deleteLocation', 'deleteAccount']
/** Headers that frame the message or the connection; a scripted answer cannot set them. */
const FRAMING = ['connection', 'content-length', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'request-id']

/** Compiles one entry that its schema allows; null with its problems reported by their place in it. */
export async function compileEntry(data: EntryData, report: Report): Promise<Entry | null> {
  let isRight = true
  const note: Report = (steps, message) => {
    isRight = false
    report(steps, message)
  }
  const { calls, delay, respond, fault, when } = data
  const operation = operationOn(data.on, note)
  const compiled = {
    data,
    matches: operation === null ? null : await compileMatch(operation, data.match, note),
    calls: calls === undefined ? ALL_CALLS : callsOf(String(calls), note),
    delay: delay === undefined ? null : delayOf(delay, note)
  }
  if (operation !== null && DISABLED.includes(operation)) note(['on'], `can never apply: ${data.on} is disabled and always answers 501`)
  if (!respond && delay === undefined && !fault) note([], 'an entry needs respond, delay or fault')
  if (when === 'after' && !fault) note(['when'], 'when: after goes with a fault')
  if (when === 'after' && respond) note(['when'], 'when: after lets the call answer for itself, so respond has no place beside it')
  if (respond) checkRespond(respond, (steps, message) => note(['respond', ...steps], message))
  return isRight && operation !== null ? { ...compiled, operation } : null
}

/** Compiles the entries of a script, those with flaws left out; one after an unconditional one of its operation can never apply. */
export async function compileScript(entries: readonly EntryData[] | undefined, report: Report, flaws?: Flaws): Promise<Entry[]> {
  const compiled: Entry[] = []
  const answered = new Set<OperationId>()
  for (const { member: data, index, flaws: own } of membersOf<EntryData>(entries, flaws)) {
    const entry = own ? null : await compileEntry(data, (steps, message) => report([index, ...steps], message))
    if (entry === null) continue
    if (answered.has(entry.operation)) report([index], `can never apply: an earlier entry of ${data.on} answers every call`)
    if (isUnconditional(entry)) answered.add(entry.operation)
    compiled.push(entry)
  }
  return compiled
}

const isUnconditional = ({ matches, calls }: Entry) => matches === null && calls.from === 1 && calls.to === Number.POSITIVE_INFINITY

function callsOf(text: string, report: Report): Entry['calls'] {
  const [, from, dash, to] = /^([1-9]\d{0,8})(?:(-)([1-9]\d{0,8})|\+)?$/.exec(text.replaceAll(' ', '')) ?? []
  if (from === undefined || (dash && Number(to) < Number(from))) {
    report(['calls'], `which calls was expected, as 1, 2-3 or 4+, not ${text}`)
    return ALL_CALLS
  }
  const last = text.includes('+') ? Number.POSITIVE_INFINITY : Number(from)
  return { from: Number(from), to: dash ? Number(to) : last }
}

function delayOf(delay: NonNullable<EntryData['delay']>, report: Report): { min: number; max: number } {
  const read = (text: string, steps: Step[]) => {
    const ms = durationOf(text)
    if (ms === null || ms > 600_000) report(steps, ms === null ? DURATION_EXPECTED : 'a delay is at most ten minutes')
    return ms ?? Number.NaN
  }
  if (typeof delay === 'string') {
    const ms = read(delay, ['delay'])
    return { min: ms, max: ms }
  }
  const [min, max] = [read(delay.min, ['delay', 'min']), read(delay.max, ['delay', 'max'])]
  if (min > max) report(['delay'], `min ${delay.min} is longer than max ${delay.max}`)
  return { min, max }
}

function checkRespond({ headers = {}, body, error, status = error === undefined ? 200 : 400 }: Respond, report: Report): void {
  if (body !== undefined && error !== undefined) report([], 'body and error cannot both be the answer')
  if (error !== undefined && status < 400) report(['status'], `an error has a status of 400 or more, not ${status}`)
  if ((status === 204 || status === 304) && (body !== undefined || error !== undefined)) report(['status'], `an answer with status ${status} has no body`)
  for (const [name, value] of Object.entries(headers)) {
    if (FRAMING.includes(name.toLowerCase())) report(['headers', name], `${name} is the emulator's own to set`)
    try {
      validateHeaderName(name)
      validateHeaderValue(name, value)
    } catch {
      report(['headers', name], 'a header name and a value without line breaks or control characters was expected')
    }
  }
}

/** The script entries of a sandbox in order, with their counts. */
export class Script {
  readonly #entries = new Map<string, Entry>()
  readonly #byOperation = new Map<OperationId, string[]>()
  readonly #counters: Record<string, EntryCount> = {}
  #next = 1

  constructor(entries: readonly Entry[] = []) {
    for (const entry of entries) this.add(entry)
  }

  /** A copy with the same ids and counts; neither changes the other. */
  clone(): Script {
    const copy = new Script()
    for (const [id, entry] of this.#entries) copy.put(id, entry, { ...(this.#counters[id] as EntryCount) })
    copy.#next = this.#next
    return copy
  }

  /** Every entry with its id and counts, in the order in which they are tried. */
  listed(): ({ id: string; entry: EntryData } & EntryCount)[] {
    return [...this.#entries].map(([id, { data }]) => ({ id, entry: data, ...(this.#counters[id] as EntryCount) }))
  }

  /** Adds an entry after the others and returns its id. */
  add(entry: Entry): string {
    const id = `scr_${this.#next}`
    this.put(id, entry, { matched: 0, applied: 0 })
    return id
  }

  /** Puts an entry with an id and counts that it has already, as a snapshot holds them. */
  put(id: string, entry: Entry, count: EntryCount): void {
    this.#entries.set(id, entry)
    this.#counters[id] = count
    const ids = this.#byOperation.get(entry.operation)
    if (ids === undefined) this.#byOperation.set(entry.operation, [id])
    else ids.push(id)
    this.#next = Math.max(this.#next, Number(id.slice('scr_'.length)) + 1)
  }

  remove(id: string): boolean {
    const entry = this.#entries.get(id)
    if (!entry) return false
    this.#entries.delete(id)
    delete this.#counters[id]
    const left = (this.#byOperation.get(entry.operation) as string[]).filter(other => other !== id)
    if (left.length > 0) this.#byOperation.set(entry.operation, left)
    else this.#byOperation.delete(entry.operation)
    return true
  }

  clear(): void {
    for (const id of this.#entries.keys()) delete this.#counters[id]
    this.#entries.clear()
    this.#byOperation.clear()
  }

  /** Whether any entry speaks of an operation; where none does, a call pays nothing for the script. */
  has(operation: OperationId): boolean {
    return this.#byOperation.has(operation)
  }

  /** Counts the call for every entry that it matches, and applies the first of them whose `calls` holds its count. */
  act(call: SentCall, seed: number): Action | null {
    let action: Action | null = null
    for (const id of this.#byOperation.get(call.operation) ?? []) {
      const entry = this.#entries.get(id) as Entry
      const count = this.#counters[id] as EntryCount
      if (entry.matches && !entry.matches(call)) continue
      count.matched++
      if (action || count.matched < entry.calls.from || count.matched > entry.calls.to) continue
      count.applied++
      const { min, max } = entry.delay ?? { min: 0, max: 0 }
      const delay = min === max ? min : min + Math.floor(drawnFraction(seed, `delay:${id}`, count.applied) * (max - min + 1))
      action = { id, entry, delay }
    }
    return action
  }
}
