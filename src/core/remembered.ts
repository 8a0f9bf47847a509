/** Puts a value into a bounded map: the one that was put in longest ago goes. */
export function keep<V>(map: Map<string, V>, key: string, value: V, most: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= most) return
  const [oldest = ''] = map.keys()
  map.delete(oldest)
}

/** What is made of an object once, and forgotten with it. */
export function remembered<K extends object, V>(make: (from: K) => V): (from: K) => V {
  const made = new WeakMap<K, V>()
  return from => {
    const before = made.get(from)
    if (before !== undefined) return before
    const value = make(from)
    made.set(from, value)
    return value
  }
}
