/** Tabs: one of them is shown, and the arrow keys go from one to the next. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

type Tab = { id: string; title: ComponentChildren }
type Props = { label: string; tabs: readonly Tab[]; chosen: string; onChoose: (id: string) => void; children: ComponentChildren }

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 }

/** For a row of tabs or links that can be wider than the page: the chosen one comes into view whenever `chosen` changes. */
export function useChosenInView<Row extends HTMLElement>(chosen: string) {
  const row = useRef<Row>(null)
  useEffect(() => row.current?.querySelector('[aria-selected="true"], [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' }), [chosen])
  return row
}

/** `children` is what the chosen tab shows. */
export function Tabs({ label, tabs, chosen, onChoose, children }: Props) {
  const id = useId()
  const list = useChosenInView<HTMLDivElement>(chosen)
  const move = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    const next = (tabs.findIndex(tab => tab.id === chosen) + step + tabs.length) % tabs.length
    onChoose((tabs[next] as Tab).id)
    const button = list.current?.children[next] as HTMLElement | undefined
    button?.focus()
  }
  return (
    <div class="tabs">
      <div role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {tabs.map(tab => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${id}-${tab.id}`}
            aria-selected={tab.id === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={tab.id === chosen ? 0 : -1}
            onClick={() => onChoose(tab.id)}
          >
            {tab.title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`}>
        {children}
      </div>
    </div>
  )
}
