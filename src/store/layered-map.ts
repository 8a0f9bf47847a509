/**
 * A map from text that is copied in constant time: what was set before the copy is shared, what
 * comes later belongs to one side. No key is ever deleted.
 */
export class LayeredMap<V extends object> {
  #own = new Map<string, V>()
  /** What is shared with copies, the newest first. */
  #shared: readonly ReadonlyMap<string, V>[]

  constructor(shared: readonly ReadonlyMap<string, V>[] = []) {
    this.#shared = shared
  }

  get(key: string): V | undefined {
    const own = this.#own.get(key)
    if (own !== undefined) return own
    for (const layer of this.#shared) {
      const value = layer.get(key)
      if (value !== undefined) return value
    }
    return undefined
  }

  /** The value of a key that was set since the last copy: no copy has it. */
  own(key: string): V | undefined {
    return this.#own.get(key)
  }

  set(key: string, value: V): void {
    this.#own.set(key, value)
  }

  /**
   * A copy; what one side changes the other does not see. Layers that are not much larger than the
   * newest become part of it, so that they stay few.
   */
  clone(): LayeredMap<V> {
    const own = this.#own
    if (own.size > 0) {
      let merged = 0
      for (const layer of this.#shared) {
        if (layer.size > 2 * own.size) break
        for (const [key, value] of layer) if (!own.has(key)) own.set(key, value)
        merged++
      }
      this.#shared = [own, ...this.#shared.slice(merged)]
      this.#own = new Map()
    }
    return new LayeredMap(this.#shared)
  }

  /** Every key with its value, each once. */
  *entries(): Generator<[key: string, value: V]> {
    for (const layer of [this.#own, ...this.#shared])
      for (const entry of layer) if (this.get(entry[0]) === entry[1]) yield entry
  }
}
