import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { type Options, useResource } from '../app/resource.js'
import type { ControlError, Problem } from '../control/client.js'
import { Button } from './controls.js'
import { Icon, type IconName } from './icon.js'

type CardProps = { id: string; title: ComponentChildren; children: ComponentChildren }

/** Its heading takes the focus of a button that goes away. */
export const Card = ({ id, title, children }: CardProps) => (
  <section class="card stack" aria-labelledby={id}>
    <h2 id={id} tabIndex={-1}>
      {title}
    </h2>
    {children}
  </section>
)

type BesideProps = {
  label: string
  closing?: string
  onClose: () => void
  children: ComponentChildren
}

/** What is chosen in a list, to which the focus returns. */
export function Beside({ label, closing = `Close ${label}`, onClose, children }: BesideProps) {
  const aside = useRef<HTMLElement>(null)
  useEffect(() => {
    const element = aside.current
    return () => {
      const focused = document.activeElement
      if (focused === document.body || element?.contains(focused))
        setTimeout(() => document.querySelector<HTMLElement>('[role="grid"]')?.focus())
    }
  }, [])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: Enter in the list leads here
    <aside ref={aside} class="beside stack" aria-label={label} tabIndex={0}>
      <Button class="quiet close" icon="close" label={closing} run={onClose} />
      {children}
    </aside>
  )
}

type TableProps = {
  label: string
  heads: readonly string[]
  rows: readonly (readonly ComponentChildren[])[]
}

/** The first cell of a row names it. A column of buttons has no head. */
export const Table = ({ label, heads, rows }: TableProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
  <div class="wide-table" role="region" aria-label={label} tabIndex={0}>
    <table>
      <thead>
        <tr>
          {heads.map(head => (
            <th key={head} scope="col">
              {head || <span class="hidden">Actions</span>}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells, row) => (
          <tr key={row}>
            {cells.map((cell, place) =>
              place === 0 ? <th scope="row">{cell}</th> : <td key={place}>{cell}</td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

export const Pairs = ({
  pairs,
  class: name
}: {
  pairs: Iterable<readonly [name: ComponentChildren, value: ComponentChildren]>
  class?: string
}) => (
  <dl class={name}>
    {[...pairs].map(([name, value], place) => (
      <div key={place}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

type ItemsProps<T> = {
  of: readonly T[]
  none: string
  class?: string
  keyOf: (item: T) => string
  render: (item: T) => ComponentChildren
  actions: (item: T) => ComponentChildren
}

export const Items = <T,>({ of, none, class: name = '', keyOf, render, actions }: ItemsProps<T>) =>
  of.length === 0 ? (
    <p class="faint">{none}</p>
  ) : (
    <ol class={`lines ${name}`}>
      {of.map(item => (
        <li key={keyOf(item)} class="row entry">
          <div class="grow">{render(item)}</div>
          <div class="row">{actions(item)}</div>
        </li>
      ))}
    </ol>
  )

export const Empty = ({
  title,
  icon,
  children
}: {
  title: string
  icon?: IconName
  children?: ComponentChildren
}) => (
  <div class="state">
    {icon && <Icon name={icon} />}
    <p class="title">{title}</p>
    {children}
  </div>
)

export const Failure = ({ error, onRetry }: { error: ControlError; onRetry?: () => void }) => (
  <div class="state">
    <Refusal error={error} />
    {onRetry && <Button text="Try again" run={onRetry} />}
  </div>
)

const lineOf = ({ line }: Problem): ComponentChildren => line !== undefined && <b>line {line}</b>

/** Why something was refused, read out by screen readers. */
export const Refusal = ({
  error,
  place = lineOf
}: {
  error: ControlError | null
  place?: typeof lineOf
}) => (
  <div role="alert">
    {error && <p class="problem">{error.message}</p>}
    <ul class="problems">
      {error?.problems.map((problem, key) => (
        <li key={key}>
          {place(problem)} {problem.path && <code>{problem.path}</code>} {problem.message}
        </li>
      ))}
    </ul>
  </div>
)

export const Loading = () => <div class="loading" aria-busy="true" />

type ReadProps<T> = Options & {
  from: () => Promise<T>
  by?: string
  children: (data: T) => ComponentChildren
}

export function Read<T>({ from, by, children, ...options }: ReadProps<T>) {
  const { data, error, reload } = useResource(from, by, options)
  if (data !== null) return <>{children(data)}</>
  return error === null ? <Loading /> : <Failure error={error} onRetry={reload} />
}
