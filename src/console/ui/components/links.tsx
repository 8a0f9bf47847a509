/** Links side by side, and sentences with links. */
import type { ComponentChildren, ComponentType } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { NearMiss } from '../../../client/documents.js'
import { choiceIn, hrefOf, route, type Target } from '../app/route.js'
import { partsOf } from '../views/evidence/words.js'

type Choice = readonly [key: string, text: ComponentChildren, target: Target]
type Props = { label: string; choices: readonly Choice[]; chosen: string; class?: string }

export function Choices({ label, choices, chosen, class: name = 'chips' }: Props) {
  const row = useRef<HTMLElement>(null)
  useEffect(() => {
    const { offsetLeft = 0, offsetWidth = 0 } =
      row.current?.querySelector<HTMLElement>('[aria-current]') ?? {}
    // scrollIntoView would move what is around the row too
    row.current?.scrollTo({ left: offsetLeft + offsetWidth / 2 - row.current.clientWidth / 2 })
  }, [chosen, choices.length])
  return (
    <nav class={name} aria-label={label} ref={row}>
      {choices.map(([key, text, target]) => (
        <a
          key={key}
          class={name === 'chips' ? 'chip' : ''}
          href={hrefOf(target)}
          aria-current={key === chosen ? 'page' : undefined}
        >
          {text}
        </a>
      ))}
    </nav>
  )
}

type TabsProps<Name extends string> = {
  label: string
  tabs: Readonly<Record<Name, { title: ComponentChildren }>>
  chosen: Name
  targetOf: (name: Name) => Target
}

export const Tabs = <Name extends string>({ label, tabs, chosen, targetOf }: TabsProps<Name>) => (
  <Choices
    class="tabs"
    label={label}
    choices={(Object.keys(tabs) as Name[]).map(name => [name, tabs[name].title, targetOf(name)])}
    chosen={chosen}
  />
)

export const listed = <T extends string>(
  items: readonly T[],
  shown: (item: T) => ComponentChildren
) =>
  items.map((item, place) => (
    <span key={item}>
      {place > 0 && ', '}
      {shown(item)}
    </span>
  ))

export const RequestLink = ({ id }: { id: string }) => (
  <a href={hrefOf({ view: 'requests', path: [id] })}>{id}</a>
)

export function namedLink(request: string) {
  const { sandbox, id } = partsOf(request)
  return <a href={hrefOf({ view: 'requests', path: [id], sandbox })}>{request}</a>
}

export const linked = (text: string, href: string | undefined) =>
  href === undefined ? text : <a href={href}>{text}</a>

type NearProps = {
  near: readonly NearMiss[] | undefined
  shown?: (name: string) => ComponentChildren
}

export const NearMisses = ({ near = [], shown = name => name }: NearProps) =>
  near.map(({ in: name, misses }) => (
    <p key={name} class="faint">
      Near miss: {shown(name)} needs{' '}
      {misses.map(({ condition, wanted, got }) => `${condition} ${wanted}, got ${got}`).join('; ')}.
    </p>
  ))

type PartsProps<Name extends string> = {
  label: string
  parts: Readonly<Record<Name, { title: string; Content: ComponentType }>>
  first: Name
}

export function Parts<Name extends string>({ label, parts, first }: PartsProps<Name>) {
  const chosen = choiceIn(parts, route.value.path[0], first) as Name
  const { Content } = parts[chosen]
  return (
    <section class="page">
      <Tabs label={label} tabs={parts} chosen={chosen} targetOf={name => ({ path: [name] })} />
      <Content />
    </section>
  )
}
