/** Node's own `nextTick`, read when the package is loaded. */
const original = process.nextTick
let calls = 0
let faked = original

/** Calls with Node's own `nextTick`, which its servers need and Sinon replaces. */
export async function withNextTick<T>(call: () => Promise<T>): Promise<T> {
  const { nextTick } = process
  if (calls === 0 && nextTick === original) return call()
  if (calls++ === 0) {
    faked = nextTick
    define({
      get: () => original,
      set: (next: typeof original) => {
        faked = next
      }
    })
  }
  try {
    return await call()
  } finally {
    if (--calls === 0) define({ value: faked, writable: true })
  }
}

const define = (nextTick: PropertyDescriptor) =>
  Object.defineProperty(process, 'nextTick', { configurable: true, enumerable: true, ...nextTick })
