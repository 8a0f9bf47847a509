/**
 * Shortcuts of one key, which can be switched off (WCAG 2.1.4). Views add theirs while they are
 * shown.
 */
import { effect, type Signal, signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

export type Shortcut = { key: string; about: string; run: () => void }

export const shortcuts = signal<readonly Shortcut[]>([])
export const areShortcutsOn = kept('shortcuts', true)

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
  const found = shortcuts.value.findLast(shortcut => shortcut.key === key)
  if (found === undefined) return
  event.preventDefault()
  found.run()
})

export const focusSearch = () =>
  document.querySelector<HTMLElement>('[aria-keyshortcuts="/"]')?.focus()

/** Adds shortcuts while a component is shown, always the same keys. */
export function useShortcuts(added: readonly Shortcut[]): void {
  const latest = useRef(added)
  latest.current = added
  useEffect(() => {
    const own = added.map(
      ({ key, about }, place): Shortcut => ({ key, about, run: () => latest.current[place]?.run() })
    )
    shortcuts.value = [...shortcuts.value, ...own]
    return () => (shortcuts.value = shortcuts.value.filter(shortcut => !own.includes(shortcut)))
  }, [])
}

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
