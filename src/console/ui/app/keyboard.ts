/** Shortcuts of one key, which can be switched off (WCAG 2.1.4). */
import { effect, type Signal, signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

export type Shortcut = { key: string; about: string; run: () => void }

export const shortcuts = signal<readonly Shortcut[]>([])
export const areShortcutsOn = storedSignal('shortcuts', true)

/** An editor is in a shadow root: outside of it, an event's target is its host. */
const isTyping = ([target]: EventTarget[]) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

addEventListener('keydown', event => {
  const { key, ctrlKey, metaKey, altKey, defaultPrevented } = event
  if (
    defaultPrevented ||
    ctrlKey ||
    metaKey ||
    altKey ||
    !areShortcutsOn.value ||
    isTyping(event.composedPath()) ||
    document.querySelector('dialog[open]')
  )
    return
  const shortcut = shortcuts.value.findLast(added => added.key === key)
  if (shortcut === undefined) return
  event.preventDefault()
  shortcut.run()
})

export const focusSearch = () =>
  document.querySelector<HTMLElement>('[aria-keyshortcuts="/"]')?.focus()

/** Adds shortcuts while a component is shown, always the same keys. */
export function useShortcuts(added: readonly Shortcut[]): void {
  const latest = useRef(added)
  latest.current = added
  useEffect(() => {
    const registered = added.map(
      ({ key, about }, place): Shortcut => ({ key, about, run: () => latest.current[place]?.run() })
    )
    shortcuts.value = [...shortcuts.value, ...registered]
    return () =>
      (shortcuts.value = shortcuts.value.filter(shortcut => !registered.includes(shortcut)))
  }, [])
}

function stored<T>(key: string, initial: T): T {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') ?? initial
  } catch {
    return initial
  }
}

/** A signal whose value the browser stores under a name. */
export function storedSignal<T>(name: string, initial: T): Signal<T> {
  const key = `commerce-emulator:${name}`
  const state = signal(stored(key, initial))
  effect(() => {
    const text = JSON.stringify(state.value)
    try {
      localStorage.setItem(key, text)
    } catch {
      // the browser stores nothing
    }
  })
  return state
}
