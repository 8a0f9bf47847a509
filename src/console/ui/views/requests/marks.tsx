/** What a request is known by: its method, what became of it, and the body of its response. */
import type { ComponentChildren } from 'preact'
import { CodeBlock, Json } from '../../components/code.js'
import { Diff } from '../../components/diff.js'
import { Icon, type IconName } from '../../components/icon.js'
import type { JournalCall, RecordChange } from '../../control/client.js'
import { breakingShown, markOf } from './request-list.js'

type BadgeProps = {
  text: ComponentChildren
  kind?: string
  icon?: IconName
  title?: string | undefined
}

export const Badge = ({ text, kind = '', icon, title }: BadgeProps) => (
  <span class={`badge ${kind}`} title={title}>
    {icon && <Icon name={icon} />}
    {text}
  </span>
)

export const Status = ({ call }: { call: JournalCall }) => (
  <Badge {...markOf(call)} text={call.answered ? call.status : 'lost'} />
)

export const Method = ({ method }: { method: string }) => (
  <span class={`method ${method.toLowerCase()}`}>{method}</span>
)

/**
 * The records that a request changed, each field before and after; a list of Refunds differs
 * wherever its members do.
 */
export const RecordChanges = ({ records }: { records: readonly RecordChange[] }) => (
  <>
    {records.map(({ id, before, after }) => (
      <section key={id} aria-label={id}>
        <h3>{`${(before === null && 'Creates') || (after === null ? 'Deletes' : 'Changes')} ${id}`}</h3>
        <Diff before={before ?? {}} after={after ?? {}} leave={['refunds']} />
      </section>
    ))}
  </>
)

type ResponseProps = {
  call: Pick<JournalCall, 'answer' | 'answered' | 'script'>
  label: string
  hrefOfText?: (text: string) => string | undefined
}

/** The body of a response, and what of it went out where the script broke or lost it. */
export function Response({ call, label, hrefOfText }: ResponseProps) {
  const { answer } = call
  if (answer === null) return <p class="faint">No body was sent.</p>
  const breaking = breakingShown(call)
  return (
    <>
      {breaking && (
        <p>
          <b>Broken on the way:</b> {breaking.text}
        </p>
      )}
      {breaking?.sent && <CodeBlock text={breaking.sent} label="What went out" />}
      {breaking?.sent && <p class="hint">The whole of it:</p>}
      {typeof answer === 'string' ? (
        <CodeBlock text={answer} label={label} />
      ) : (
        <Json value={answer} label={label} hrefOfText={hrefOfText} />
      )}
    </>
  )
}
