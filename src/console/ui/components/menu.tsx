/** A button with a menu below it, which closes with Escape, a choice, or a click elsewhere. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Icon, type IconName } from './icon.js'

type Props = {
  text: string
  icon?: IconName
  class?: string
  children: ComponentChildren
}

export function Menu({ text, icon, class: name = '', children }: Props) {
  const element = useRef<HTMLDetailsElement>(null)
  const close = () => element.current?.removeAttribute('open')
  useEffect(() => {
    const leave = ({ target }: Event) =>
      element.current?.contains(target as Node) === false && close()
    for (const event of ['pointerdown', 'focusin']) document.addEventListener(event, leave)
    return () => {
      for (const event of ['pointerdown', 'focusin']) document.removeEventListener(event, leave)
    }
  }, [])
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key !== 'Escape' || !element.current?.open) return
    close()
    element.current.querySelector('summary')?.focus()
  }
  const choose = ({ target }: MouseEvent) => (target as Element).closest('a, button') && close()
  return (
    <details ref={element} class={`menu ${name}`} onKeyDown={onKeyDown}>
      <summary class="button small" aria-label={text}>
        {icon && <Icon name={icon} />}
        <span>{text}</span>
        <Icon name="down" />
      </summary>
      {/* biome-ignore lint/a11y: Enter on what is chosen is a click too */}
      <div class="items" onClick={choose}>
        {children}
      </div>
    </details>
  )
}
