/** Buttons, and forms that one of them sends. */
import type { AnchorHTMLAttributes, ButtonHTMLAttributes, ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.js'

type Props = Omit<ButtonHTMLAttributes, 'label' | 'onClick' | 'icon'> & {
  text?: ComponentChildren
  icon?: IconName
  label?: string
  run?: () => unknown
}

/**
 * Without `run` it sends the form that it is in. `label` is read out in place of the text; a button
 * of an icon alone has it as a tooltip too.
 */
export const Button = ({ text, icon, label, run, ...more }: Props) => (
  <button
    type={run ? 'button' : 'submit'}
    title={text === undefined ? label : undefined}
    {...more}
    aria-label={label}
    onClick={run && (() => void run())}
  >
    {icon && <Icon name={icon} />}
    {text !== undefined && (icon ? <span>{text}</span> : text)}
  </button>
)

export const ButtonLink = ({
  text,
  icon,
  class: name = 'small',
  ...more
}: AnchorHTMLAttributes & { text: string; icon: IconName; class?: string }) => (
  <a {...more} class={`button ${name}`}>
    <Icon name={icon} />
    <span>{text}</span>
  </a>
)

export const Form = ({
  send,
  class: name,
  children
}: {
  send: () => unknown
  class?: string
  children: ComponentChildren
}) => (
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
