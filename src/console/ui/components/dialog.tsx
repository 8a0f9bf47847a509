/** A dialog: the browser keeps the focus in it, and Escape closes it. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Button } from './button.js'

type Props = { title: string; onClose: () => void; children: ComponentChildren; actions?: ComponentChildren; wide?: boolean }

export function Dialog({ title, onClose, children, actions, wide = false }: Props) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    element.current?.showModal()
  }, [])
  return (
    <dialog ref={element} class={wide ? 'wide' : ''} aria-labelledby={id} onClose={onClose}>
      <header class="row">
        <h2 id={id}>{title}</h2>
        <Button class="quiet" text="×" label="Close" run={() => element.current?.close()} />
      </header>
      <div class="content stack">{children}</div>
      {actions && <footer class="row">{actions}</footer>}
    </dialog>
  )
}
