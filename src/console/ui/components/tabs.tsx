/** Tabs: one of them is shown, and the arrow keys go from one to the next. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

type Props = {
  label: string
  tabs: Readonly<Record<string, { title: string }>>
  chosen: string
  onChoose: (id: string) => void
  children: ComponentChildren
}

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 }

/** Brings the chosen one of a row of tabs or links into view. */
export function useChosenInView<Row extends HTMLElement>(chosen: string) {
  const row = useRef<Row>(null)
  useEffect(() => row.current?.querySelector('[aria-selected="true"], [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' }), [chosen])
  return row
}

export function Tabs({ label, tabs, chosen, onChoose, children }: Props) {
  const id = useId()
  const names = Object.keys(tabs)
  const list = useChosenInView<HTMLDivElement>(chosen)
  const move = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    const next = (names.indexOf(chosen) + step + names.length) % names.length
    onChoose(names[next] as string)
    const button = list.current?.children[next] as HTMLElement | undefined
    button?.focus()
  }
  return (
    <div class="stack">
      <div role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {Object.entries(tabs).map(([name, { title }]) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            aria-selected={name === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => onChoose(name)}
          >
            {title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`}>
        {children}
      </div>
    </div>
  )
}
