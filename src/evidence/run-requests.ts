/** The calls of a run: a line for each, and in full, with why, those that were refused and those that a finding names. They outlive resets and sandboxes, and are bounded. */
import { beginningOf } from '../core/memory.js'
import type { Exchange, OutcomeName } from '../engine/exchange.js'
import { nameOf } from '../reference/operations.js'
import type { explained } from './why.js'

/** An entry of the journal in full, with calls named as they are in a run. */
export type RunEntry = ReturnType<typeof explained>
/** A call of a run; `entry` is null for one that was not refused and that no finding names, or that was not kept. */
export type RunCall = {
  request: string
  test: string | null
  on: string | null
  method: string
  path: string
  outcome: OutcomeName
  status: number
  entry: RunEntry | null
}
type Line = Omit<RunCall, 'entry'>

/** Calls that are listed: the first ones. */
export const MOST_CALLS = 10_000
/** Refused calls that are kept in full: the first ones. */
export const MOST_REFUSED = 1000
/** Characters of a path that are listed, of an entry, and of all entries. */
const LONGEST_PATH = 200
const LONGEST_ENTRY = 65_536
const MOST_BYTES = 8_388_608

export class RunRequests {
  readonly #lines: Line[] = []
  /** As JSON, by the names of the calls. */
  readonly #entries = new Map<string, string>()
  #refused = 0
  #bytes = 0
  #omitted = { calls: 0, entries: 0 }

  /** How many calls are not listed, and how many entries were not kept though their calls were refused or named by a finding. */
  get omitted(): Readonly<{ calls: number; entries: number }> {
    return this.#omitted
  }

  /** A call that is not listed. */
  skip(): void {
    this.#omitted.calls++
  }

  /** Lists a call that was redacted, in full where it was refused. `entry` is asked only for a call that is kept in full. */
  add(call: Exchange, request: string, entry: () => RunEntry): void {
    const { test, operation, method, path } = call
    const { name: outcome, status } = call.outcome
    if (this.#lines.length < MOST_CALLS) {
      this.#lines.push({ request, test, on: operation === null ? null : nameOf(operation), method, path: beginningOf(path, LONGEST_PATH), outcome, status })
    } else this.skip()
    if (outcome !== 'refused') return
    if (this.#refused < MOST_REFUSED) {
      this.#refused++
      this.keep(request, entry)
    } else this.#omitted.entries++
  }

  /** Keeps a call in full. */
  keep(request: string, entry: () => RunEntry): void {
    if (this.#entries.has(request)) return
    const text = JSON.stringify(entry())
    if (text.length > LONGEST_ENTRY || this.#bytes + text.length > MOST_BYTES) {
      this.#omitted.entries++
      return
    }
    this.#bytes += text.length
    this.#entries.set(request, text)
  }

  /** The calls in the order in which they ended; `more` are entries of calls in addition to those that are kept. */
  list(more: ReadonlyMap<string, RunEntry>): RunCall[] {
    const entries = new Map<string, RunEntry>([...more, ...[...this.#entries].map(([request, text]) => [request, JSON.parse(text)] as const)])
    const listed = this.#lines.map(line => ({ ...line, entry: entries.get(line.request) ?? null }))
    const names = new Set(listed.map(({ request }) => request))
    const unlisted = [...entries].flatMap(([request, entry]) => (names.has(request) ? [] : [{ ...lineOf(request, entry), entry }]))
    return [...listed, ...unlisted]
  }
}

/** The line of a call that came when no more were listed. */
const lineOf = (request: string, { test, on, method, path, outcome, status }: RunEntry): Line => ({
  request,
  test,
  on,
  method,
  path: beginningOf(path, LONGEST_PATH),
  outcome,
  status
})
