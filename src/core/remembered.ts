/** Puts a value into a bounded map, and drops the oldest. */
export function keep<V>(map: Map<string, V>, key: string, value: V, most: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= most) return
  const [oldest = ''] = map.keys()
  map.delete(oldest)
}

/** Computes a value of an object once, and drops it with the object. */
export function remembered<K extends object, V>(make: (from: K) => V): (from: K) => V {
  const values = new WeakMap<K, V>()
  return from => {
    const before = values.get(from)
    if (before !== undefined) return before
    const value = make(from)
    values.set(from, value)
    return value
  }
}
