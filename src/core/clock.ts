/** The clock that stamps `created`: the machine's, or one that a scenario sets, standing or running. Times are milliseconds since 1970 in UTC. */
import { LATEST_INSTANT } from './instants.js'

/** `at` null is the machine's own time; a standing clock (`running` false) moves only when told to. */
export type ClockStart = { at: number | null; running: boolean }
export const MACHINE_CLOCK: ClockStart = { at: null, running: true }

export class Clock {
  readonly #machine: () => number
  readonly #start: ClockStart
  /** The machine's time when this clock was started. */
  readonly #since: number

  constructor(machine: () => number, start: ClockStart) {
    this.#machine = machine
    this.#start = start
    this.#since = machine()
  }

  get running(): boolean {
    return this.#start.running
  }

  /** A clock started from this reads what this one reads. */
  get reading(): ClockStart {
    return this.#start.at === null ? this.#start : { at: this.now(), running: this.running }
  }

  now(): number {
    const { at, running } = this.#start
    if (at === null) return this.#machine()
    return running ? Math.min(at + (this.#machine() - this.#since), LATEST_INSTANT) : at
  }
}
