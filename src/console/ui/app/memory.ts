/** What a browser keeps between visits; one that keeps nothing is no error. */
import { effect, type Signal, signal } from '@preact/signals'

function remembered(name: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(name) ?? 'null')
  } catch {
    return null
  }
}

/**
 * A signal with the value that the browser has kept under a name, and that keeps what it becomes.
 */
export function kept<T>(name: string, initial: T): Signal<T> {
  const key = `commerce-emulator:${name}`
  const state = signal((remembered(key) ?? initial) as T)
  effect(() => {
    const text = JSON.stringify(state.value)
    try {
      localStorage.setItem(key, text)
    } catch {
      // nothing is kept then
    }
  })
  return state
}
