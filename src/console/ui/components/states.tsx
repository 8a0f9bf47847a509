/** What is shown in place of what is not there: nothing yet, still to be read, or refused. */
import type { ComponentChildren } from 'preact'
import type { Resource } from '../app/resource.js'
import type { ControlError } from '../control/client.js'

/** Says that there is nothing, and how something comes to be there. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="state">
      <p class="title">{title}</p>
      {children}
    </div>
  )
}

/** Why something could not be read or done, with its problems. */
export function Failure({ error, onRetry }: { error: ControlError; onRetry?: () => void }) {
  return (
    <div class="state failure" role="alert">
      <p class="title">{error.message}</p>
      <Problems error={error} />
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  )
}

/** Why a form was refused, below its fields; screen readers read it out when it comes. */
export function Refusal({ error }: { error: ControlError | null }) {
  return (
    <div role="alert">
      {error !== null && (
        <>
          <p class="problem">{error.message}</p>
          <Problems error={error} />
        </>
      )}
    </div>
  )
}

/** The problems of a document, each at its place. */
function Problems({ error }: { error: ControlError }) {
  if (error.problems.length === 0) return null
  return (
    <ul class="problems">
      {error.problems.map(({ line, path, message }, place) => (
        <li key={place}>
          {line !== undefined && <b>line {line} </b>}
          {path && <code>{path}</code>} {message}
        </li>
      ))}
    </ul>
  )
}

/** Shows a resource once it is read, and before that a place that takes as much room. */
export function Loaded<T>({ resource, children }: { resource: Resource<T>; children: (data: T) => ComponentChildren }) {
  const { data, error, reload } = resource
  if (data !== null) return <>{children(data)}</>
  if (error !== null) return <Failure error={error} onRetry={reload} />
  return <div class="loading" aria-busy="true" />
}
