/** Buttons, and forms that one of them sends. */
import type { ButtonHTMLAttributes, ComponentChildren } from 'preact'

type Props = Omit<ButtonHTMLAttributes, 'label' | 'onClick'> & { text: ComponentChildren; label?: string; run?: () => unknown }

/** Without `run` it sends the form that it is in. `label` is read out in place of the text. */
export const Button = ({ text, label, run, ...more }: Props) => (
  <button type={run ? 'button' : 'submit'} {...more} aria-label={label} onClick={run && (() => void run())}>
    {text}
  </button>
)

export const CloseButton = ({ label, onClose }: { label: string; onClose: () => void }) => <Button class="quiet close" text="×" label={label} run={onClose} />

/** `send` is what the button without a `run` does. */
export const Form = ({ send, class: name, children }: { send: () => unknown; class?: string; children: ComponentChildren }) => (
  <form
    class={name}
    onSubmit={event => {
      event.preventDefault()
      void send()
    }}
  >
    {children}
  </form>
)
