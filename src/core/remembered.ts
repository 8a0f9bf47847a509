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
