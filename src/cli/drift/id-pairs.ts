/** Pairs of ids, one of a running service and one of the emulator, that mean the same record. */

/** Whether the emulator has a record of an id, and whether it had it when the scenario was loaded. */
export type KnownIds = { isKnown: (id: string) => boolean; isLoaded: (id: string) => boolean }

export class IdPairs {
  readonly #here: Map<string, string>
  readonly #there: Map<string, string>
  readonly known: KnownIds

  /** `pairs` are ids of the service with those of the emulator; an empty text is not an id. */
  constructor(known: KnownIds, pairs: Iterable<readonly [there: string, here: string]> = []) {
    this.known = known
    this.#here = new Map([...pairs].filter(([there]) => there !== ''))
    this.#there = new Map([...this.#here].map(([there, here]) => [here, there]))
  }

  /** A copy, to try answers with. */
  readonly copy = () => new IdPairs(this.known, this.#here)
  /** The id of the emulator for one of the service; the same where none is known. */
  readonly here = (there: string) => this.#here.get(there) ?? there
  /** The id of the service for one of the emulator. */
  readonly there = (here: string) => this.#there.get(here) ?? here

  /**
   * Whether two ids mean the same record. An id that the emulator has means that record and no other. Any other is paired with `here` where that was
   * drawn here since the scenario was loaded, or where a record refers to both: a service draws other ids.
   */
  match(there: string, here: string, isReference = false): boolean {
    const paired = this.#here.get(there)
    if (paired !== undefined || there === here) return (paired ?? there) === here
    if (there === '' || this.#there.has(here) || this.known.isKnown(there) || (!isReference && this.known.isLoaded(here))) return false
    this.#here.set(there, here)
    this.#there.set(here, there)
    return true
  }
}
