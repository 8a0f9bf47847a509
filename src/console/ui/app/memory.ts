/** What a browser keeps between visits; one that keeps nothing is no error. */
import { effect, type Signal, signal } from '@preact/signals'

function remembered(name: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(name) ?? 'null')
  } catch {
    return null
  }
}

/** A signal with the value that the browser has kept under a name, and that keeps what it becomes. `isValue` tells which kept values are still understood. */
export function kept<T>(name: string, initial: T, isValue: (value: unknown) => boolean = value => value !== null): Signal<T> {
  const key = `commerce-emulator:${name}`
  const found = remembered(key)
  const state = signal(isValue(found) ? (found as T) : initial)
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
