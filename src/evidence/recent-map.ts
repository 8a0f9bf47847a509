/** A map of the values that were set last: bounded, and as quick when it is full as when it is empty. */

export class RecentMap<V> {
  readonly #half: number
  #recent = new Map<string, V>()
  #older = new Map<string, V>()

  /** Holds at most so many values; above that the older half is dropped at once, since a Map is slow at giving up its oldest one by one. */
  constructor(most: number) {
    this.#half = most / 2
  }

  isEmpty = true

  get(key: string): V | undefined {
    return this.#recent.get(key) ?? this.#older.get(key)
  }

  set(key: string, value: V): void {
    this.isEmpty = false
    if (this.#recent.size >= this.#half && !this.#recent.has(key)) {
      this.#older = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(key, value)
  }

  delete(key: string): void {
    this.#recent.delete(key)
    this.#older.delete(key)
    this.isEmpty = this.#recent.size + this.#older.size === 0
  }

  /** Every value with its key, the older ones first; of a key that was set again the later value alone. */
  entries(): [key: string, value: V][] {
    return [...[...this.#older].filter(([key]) => !this.#recent.has(key)), ...this.#recent]
  }

  clear(): void {
    this.#recent.clear()
    this.#older.clear()
    this.isEmpty = true
  }
}
