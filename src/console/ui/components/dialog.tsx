import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Button, Form } from './controls.js'

type Props = {
  title: string
  onClose: () => void
  children: ComponentChildren
  actions?: ComponentChildren
  wide?: boolean
  send?: () => unknown
}

/** Moves the focus to the first field, or else the first action, and back at the end. */
function useModal() {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const before = document.activeElement
    element.current?.showModal()
    const first = (part: string) =>
      [...(element.current?.querySelectorAll<HTMLElement>(part) ?? [])].find(candidate =>
        candidate.checkVisibility()
      )
    ;(
      first('form :is(input, select, textarea)') ??
      first('.primary') ??
      first('form button')
    )?.focus()
    return () => {
      const { activeElement } = document
      const isWithin = activeElement === document.body || element.current?.contains(activeElement)
      if (isWithin && before instanceof HTMLElement) before.focus()
    }
  }, [])
  return element
}

/** `send` is what an action without a `run` does. */
export function Dialog({
  title,
  onClose,
  children,
  actions,
  wide = false,
  send = () => {}
}: Props) {
  const element = useModal()
  const id = useId()
  // without actions it may hold a form of its own
  const Frame = actions ? Form : 'div'
  return (
    <dialog ref={element} class={wide ? 'wide' : ''} aria-labelledby={id} onClose={onClose}>
      <Frame class="stack" send={send}>
        <h2 id={id}>{title}</h2>
        <Button
          class="quiet close"
          icon="close"
          label="Close"
          run={() => element.current?.close()}
        />
        {children}
        {actions && <footer class="row">{actions}</footer>}
      </Frame>
    </dialog>
  )
}

type Question = { title: string; text: string; action: string; run: () => unknown }

const question = signal<Question | null>(null)

export const ask = (asked: Question) => (question.value = asked)

export function Questions() {
  if (question.value === null) return null
  const { title, text, action, run } = question.value
  const close = () => (question.value = null)
  const actions = [
    <Button key="cancel" text="Cancel" run={close} />,
    <Button key="go" class="primary" text={action} />
  ]
  return (
    <Dialog title={title} onClose={close} actions={actions} send={() => [close(), run()]}>
      <p>{text}</p>
    </Dialog>
  )
}
