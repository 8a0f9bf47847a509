/** A memory of the last calls or records that mattered: bounded, and as quick when it is full as when it is empty. */

export class Memory<V> {
  readonly #half: number
  #recent = new Map<string, V>()
  #older = new Map<string, V>()

  /** Holds at most so many values; above that the older half is forgotten at once, since a Map is slow at giving up its oldest one by one. */
  constructor(most: number) {
    this.#half = most / 2
  }

  get size(): number {
    return this.#recent.size + this.#older.size
  }

  get(key: string): V | undefined {
    return this.#recent.get(key) ?? this.#older.get(key)
  }

  set(key: string, value: V): void {
    this.#older.delete(key)
    if (this.#recent.size >= this.#half && !this.#recent.has(key)) {
      this.#older = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(key, value)
  }

  delete(key: string): void {
    this.#recent.delete(key)
    this.#older.delete(key)
  }

  /** Every value, the older ones first. */
  values(): V[] {
    return [...this.#older.values(), ...this.#recent.values()]
  }

  clear(): void {
    this.#recent.clear()
    this.#older.clear()
  }
}
