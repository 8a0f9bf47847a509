/** A map from text that is copied in constant time: what was set before the copy is shared, what comes later belongs to one side. */

/** Values by key; null marks a key that was deleted and is still in a layer below. */
type Layer<V> = ReadonlyMap<string, V | null>

export class LayeredMap<V extends object> {
  #own = new Map<string, V | null>()
  /** What is shared with copies, the newest first. */
  #shared: readonly Layer<V>[]
  #size: number

  constructor(shared: readonly Layer<V>[] = [], size = 0) {
    this.#shared = shared
    this.#size = size
  }

  get size(): number {
    return this.#size
  }

  get(key: string): V | undefined {
    if (this.#size === 0) return undefined
    const own = this.#own.get(key)
    if (own !== undefined) return own ?? undefined
    for (const layer of this.#shared) {
      const value = layer.get(key)
      if (value !== undefined) return value ?? undefined
    }
    return undefined
  }

  has(key: string): boolean {
    return this.get(key) !== undefined
  }

  /** Sets the value of a key that has none. */
  add(key: string, value: V): void {
    this.#size++
    this.#own.set(key, value)
  }

  set(key: string, value: V): void {
    if (!this.has(key)) this.#size++
    this.#own.set(key, value)
  }

  delete(key: string): void {
    if (!this.has(key)) return
    this.#size--
    if (this.#shared.length === 0) this.#own.delete(key)
    else this.#own.set(key, null)
  }

  /** A copy; what one side changes the other does not see. */
  clone(): LayeredMap<V> {
    if (this.#own.size > 0) {
      this.#shared = stacked(this.#own, this.#shared)
      this.#own = new Map()
    }
    return new LayeredMap(this.#shared, this.#size)
  }

  /** Every key with its value, each once. */
  *entries(): Generator<[key: string, value: V]> {
    const layers = [this.#own, ...this.#shared]
    for (const [place, layer] of layers.entries()) {
      for (const [key, value] of layer) {
        if (value !== null && !layers.slice(0, place).some(newer => newer.has(key))) yield [key, value]
      }
    }
  }
}

/** A layer on top of others. One that is not much smaller than the one below is merged with it, so that there are few layers and each value is copied only a few times. */
function stacked<V>(top: Map<string, V | null>, layers: readonly Layer<V>[]): readonly Layer<V>[] {
  let merged: Layer<V> = top
  let place = 0
  for (; place < layers.length; place++) {
    const below = layers[place] as Layer<V>
    if (below.size > 2 * merged.size) break
    // the top is not shared yet
    if (merged === top && below.size < top.size / 8) {
      for (const [key, value] of below) if (!top.has(key)) top.set(key, value)
      continue
    }
    const both = new Map(below)
    for (const [key, value] of merged) {
      if (value === null && place === layers.length - 1) both.delete(key)
      else both.set(key, value)
    }
    merged = both
  }
  return merged.size === 0 ? layers.slice(place) : [merged, ...layers.slice(place)]
}
