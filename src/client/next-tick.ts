/** In the build, as it was when the package was loaded. */
const own = process.nextTick
let calls = 0
let faked = own

/** Calls with Node's own `nextTick`, which its servers need and Sinon fakes. */
export async function withNextTick<T>(call: () => Promise<T>): Promise<T> {
  const { nextTick } = process
  if (calls === 0 && nextTick === own) return call()
  if (calls++ === 0) {
    faked = nextTick
    define({
      get: () => own,
      set: (next: typeof own) => {
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
