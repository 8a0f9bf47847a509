/** Ids of a running service beside those of the emulator that mean the same record. */

export class IdPairs {
  readonly #here: Map<string, string>
  readonly #there: Map<string, string>
  /** Whether the emulator has a record of this id. */
  readonly #isKnown: (id: string) => boolean

  /** `pairs` are ids of the service with those of the emulator. */
  constructor(isKnown: (id: string) => boolean, pairs: Iterable<readonly [there: string, here: string]> = []) {
    this.#isKnown = isKnown
    this.#here = new Map(pairs)
    this.#there = new Map([...this.#here].map(([there, here]) => [here, there]))
  }

  /** A copy, to try answers with. */
  copy(): IdPairs {
    return new IdPairs(this.#isKnown, this.#here)
  }

  /** The id of the emulator for one of the service; the same where none is known. */
  here(there: string): string {
    return this.#here.get(there) ?? there
  }

  /** The id of the service for one of the emulator. */
  there(here: string): string {
    return this.#there.get(here) ?? here
  }

  /**
   * Whether two ids mean the same record. Ids that are both new are taken for one: a service draws other ids. An id that the emulator has means that record,
   * and no other.
   */
  match(there: string, here: string): boolean {
    const known = this.#here.get(there)
    if (known !== undefined) return known === here
    if (there === here) return true
    if (this.#there.has(here) || this.#isKnown(there)) return false
    this.#here.set(there, here)
    this.#there.set(here, there)
    return true
  }
}
