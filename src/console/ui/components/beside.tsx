/** What is chosen in a list. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

type Props = { label: string; class?: string; children: ComponentChildren }

/** It is shown beside the list; below it where there is little room, and it comes into view there. */
export function Beside({ label, class: name = '', children }: Props) {
  const aside = useRef<HTMLElement>(null)
  useEffect(() => aside.current?.scrollIntoView({ block: 'nearest' }), [label])
  return (
    <aside ref={aside} class={`beside stack ${name}`} aria-label={label}>
      {children}
    </aside>
  )
}
