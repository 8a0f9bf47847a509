/** What is chosen in a list, shown beside it; below it where there is little room. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

type CloseProps = { label: string; onClose: () => void }

/** Closes what is shown in addition; it is at its top right corner. */
export const CloseButton = ({ label, onClose }: CloseProps) => (
  <button type="button" class="quiet close" aria-label={label} onClick={onClose}>
    ×
  </button>
)

type Props = { label: string; class?: string; children: ComponentChildren }

/** It comes into view where it is below the list. */
export function Beside({ label, class: name = '', children }: Props) {
  const aside = useRef<HTMLElement>(null)
  useEffect(() => aside.current?.scrollIntoView({ block: 'nearest' }), [label])
  return (
    <aside ref={aside} class={`beside ${name}`} aria-label={label}>
      {children}
    </aside>
  )
}
