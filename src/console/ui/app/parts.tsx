/** A page of several parts, of which the address names one. */
import type { ComponentType } from 'preact'
import { Tabs } from '../components/links.js'
import { choiceIn, route } from './route.js'

type Props<Name extends string> = {
  label: string
  parts: Readonly<Record<Name, { title: string; Content: ComponentType }>>
  first: Name
}

export function Parts<Name extends string>({ label, parts, first }: Props<Name>) {
  const chosen = choiceIn(parts, route.value.path[0], first) as Name
  const { Content } = parts[chosen]
  return (
    <section class="page">
      <Tabs label={label} tabs={parts} chosen={chosen} targetOf={name => ({ path: [name] })} />
      <Content />
    </section>
  )
}
