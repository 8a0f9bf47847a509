/**
 * The clock that stamps `created`: the machine's, or one that a scenario sets, frozen or running.
 * Times are milliseconds since 1970 in UTC.
 */
import { LATEST_INSTANT } from './instants.js'

/** `at` null is the machine's time; a clock that is not running moves only when it is set. */
export type ClockStart = { at: number | null; running: boolean }
export const MACHINE_CLOCK: ClockStart = { at: null, running: true }

/** Immutable: setting the clock starts another one. */
export class Clock {
  readonly #machine: () => number
  readonly start: ClockStart
  readonly #since: number

  constructor(machine: () => number, start: ClockStart, since = machine()) {
    this.#machine = machine
    this.start = start
    this.#since = since
  }

  get running(): boolean {
    return this.start.running
  }

  /** The start of a clock that shows the same time from now on. */
  get reading(): ClockStart {
    return this.start.at === null ? this.start : { at: this.now(), running: this.running }
  }

  /** Its time now, or at one of the machine; at most the last instant that can be stored. */
  now(machine?: number): number {
    const { at, running } = this.start
    if (at !== null && !running) return at
    const time = machine ?? this.#machine()
    return at === null ? time : Math.min(at + (time - this.#since), LATEST_INSTANT)
  }
}
