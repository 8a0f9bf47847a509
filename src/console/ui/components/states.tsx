/** What is shown while something is missing, still to be read, or refused. */
import type { ComponentChildren } from 'preact'
import { type Options, type Resource, useResource } from '../app/resource.js'
import type { ControlError, Problem } from '../control/client.js'
import { Button } from './button.js'
import { Icon, type IconName } from './icon.js'

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

/**
 * Why something was refused; screen readers read it out when it comes. `place` shows where a
 * problem is.
 */
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

export function Loaded<T>({
  resource: { data, error, reload },
  children
}: {
  resource: Resource<T>
  children: (data: T) => ComponentChildren
}) {
  if (data !== null) return <>{children(data)}</>
  return error === null ? <Loading /> : <Failure error={error} onRetry={reload} />
}

type ReadProps<T> = Options & {
  from: () => Promise<T>
  by?: string
  children: (data: T) => ComponentChildren
}

/** Reads, and shows what was read; another `by` forgets what was read before. */
export const Read = <T,>({ from, by, children, ...options }: ReadProps<T>) => (
  <Loaded resource={useResource(from, by, options)}>{children}</Loaded>
)
