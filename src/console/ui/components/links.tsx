/** Links side by side. */
import type { ComponentChildren, RefObject } from 'preact'
import { hrefOf, type Target } from '../app/route.js'

type Choice = readonly [key: string, text: ComponentChildren, target: Target]
type Props = { label: string; choices: readonly Choice[]; chosen: string; class?: string; current?: 'true' | 'page'; row?: RefObject<HTMLElement | null> }

/** One of the links is chosen; `current` is how screen readers are told. */
export const Choices = ({ label, choices, chosen, class: name = 'chips', current = 'true', row }: Props) => (
  <nav class={name} aria-label={label} ref={row}>
    {choices.map(([key, text, target]) => (
      <a key={key} class={name === 'chips' ? 'chip' : undefined} href={hrefOf(target)} aria-current={key === chosen ? current : undefined}>
        {text}
      </a>
    ))}
  </nav>
)

/** Items of a sentence, with commas between them. */
export const listed = <T extends string>(items: readonly T[], shown: (item: T) => ComponentChildren) =>
  items.map((item, place) => (
    <span key={item}>
      {place > 0 && ', '}
      {shown(item)}
    </span>
  ))

/** A link to a request of the chosen sandbox. */
export const RequestLink = ({ id }: { id: string }) => <a href={hrefOf({ view: 'requests', path: [id] })}>{id}</a>

export const linked = (text: string, href: string | undefined) => (href === undefined ? text : <a href={href}>{text}</a>)
