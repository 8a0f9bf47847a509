/** Links side by side, and sentences with links. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { NearMiss } from '../../../client/documents.js'
import { choiceIn, hrefOf, narrowed, route, type Target } from '../app/route.js'
import { partsOf } from '../views/evidence/words.js'
import { withTerm } from '../views/requests/query.js'

type Choice = readonly [key: string, text: ComponentChildren, target: Target]
type Props = { label: string; choices: readonly Choice[]; chosen: string; class?: string }

export function Choices({ label, choices, chosen, class: name = 'chips' }: Props) {
  const row = useRef<HTMLElement>(null)
  useEffect(() => {
    const { offsetLeft = 0, offsetWidth = 0 } =
      row.current?.querySelector<HTMLElement>('[aria-current]') ?? {}
    // scrollIntoView would scroll the page too
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

type Titled = Readonly<Record<string, { title: ComponentChildren }>>
type TabsProps = {
  label: string
  tabs: Titled
  chosen: string
  targetOf?: (name: string) => Target
  class?: string
}

export const Tabs = ({ tabs, targetOf = name => ({ path: [name] }), ...more }: TabsProps) => (
  <Choices
    class="tabs"
    choices={Object.entries(tabs).map(([name, { title }]) => [name, title, targetOf(name)])}
    {...more}
  />
)

export const chosenIn = <T extends object>(of: T, name: string): keyof T =>
  choiceIn(of, route.value.query[name], Object.keys(of)[0] as keyof T)

type QueryTabsProps = Omit<TabsProps, 'chosen' | 'targetOf'> & { name: string }

/** Tabs; the address names the chosen one unless it is the first. */
export const QueryTabs = ({ name, ...more }: QueryTabsProps) => {
  const [first] = Object.keys(more.tabs)
  return (
    <Tabs
      {...more}
      chosen={chosenIn(more.tabs, name)}
      targetOf={tab => narrowed({ [name]: tab === first ? undefined : tab })}
    />
  )
}

export const listed = <T extends string>(
  items: readonly T[],
  render: (item: T) => ComponentChildren
) =>
  items.map((item, place) => (
    <span key={item}>
      {place > 0 && ', '}
      {render(item)}
    </span>
  ))

/** `text` is a request as evidence names it, or any other text. */
export function requestLink(text: string) {
  const { sandbox, id } = partsOf(text)
  return linked(
    text,
    /^req_\d+$/.test(id) ? hrefOf({ view: 'requests', path: [id], sandbox }) : undefined
  )
}

export const linked = (text: string, href: string | undefined) =>
  href === undefined ? text : <a href={href}>{text}</a>

/** By the default prefixes of ids. */
const FAMILIES: Readonly<Record<string, string>> = {
  mch: 'accounts',
  rsl: 'accounts',
  loc: 'locations',
  tkt: 'tickets',
  txn: 'transactions',
  usr: 'users',
  rfd: 'refunds'
}

export function recordAddress(text: string, sandbox?: string): string | undefined {
  const family = /^[a-z]{3}_[\w-]+$/.test(text) && FAMILIES[text.slice(0, 3)]
  return family ? hrefOf({ view: 'data', path: [family, text], sandbox }) : undefined
}

/** The requests of a test in every sandbox. */
export const testAddress = (test: string): string =>
  hrefOf({ view: 'requests', query: { q: `${withTerm('', 'test', test)} in:all` } })

export const NearMisses = ({ near = [] }: { near: readonly NearMiss[] | undefined }) =>
  near.map(({ in: name, misses }) => (
    <p key={name} class="faint">
      Near miss: {requestLink(name)} needs{' '}
      {misses.map(({ condition, wanted, got }) => `${condition} ${wanted}, got ${got}`).join('; ')}.
    </p>
  ))
