/** What is chosen in a list. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

type Props = { label: string; class?: string; children: ComponentChildren }

/** Beside the list or, where there is little room, below it; then it comes into view. */
export function Beside({ label, class: name = '', children }: Props) {
  const aside = useRef<HTMLElement>(null)
  useEffect(() => aside.current?.scrollIntoView({ block: 'nearest' }), [label])
  return (
    <aside ref={aside} class={`beside stack ${name}`} aria-label={label}>
      {children}
    </aside>
  )
}
