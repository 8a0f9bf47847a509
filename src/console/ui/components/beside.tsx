/** What is chosen in a list, beside it or, where there is little room, in its place. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

type Props = { label: string; class?: string; children: ComponentChildren }

/** The focus goes back to the list when it is closed from within. */
export function Beside({ label, class: name = '', children }: Props) {
  const aside = useRef<HTMLElement>(null)
  useEffect(() => {
    const element = aside.current
    return () => {
      const focused = document.activeElement
      if (focused === document.body || element?.contains(focused)) setTimeout(() => document.querySelector<HTMLElement>('[role="grid"]')?.focus())
    }
  }, [])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: Enter in the list leads here, and what scrolls has to be reachable with the keyboard
    <aside ref={aside} class={`beside stack ${name}`} aria-label={label} tabIndex={0}>
      {children}
    </aside>
  )
}
