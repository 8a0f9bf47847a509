/** A request’s status, its response, and what it changed. */
import { CodeBlock, Json } from '../../components/code.js'
import { Diff } from '../../components/diff.js'
import { Icon } from '../../components/icon.js'
import { linked, recordAddress } from '../../components/links.js'
import type { JournalCall, RecordChange } from '../../control/client.js'
import { breakingShown, markOf } from './request-list.js'

export function Status({ call }: { call: JournalCall }) {
  const { kind, icon } = markOf(call)
  return (
    <span class={`mark ${kind}`}>
      <Icon name={icon} />
      {call.answered ? call.status : 'lost'}
    </span>
  )
}

/** A list of Refunds is left out: it differs wherever its members do. */
export const RecordChanges = ({ records }: { records: readonly RecordChange[] }) => (
  <>
    {records.map(({ id, before, after }) => (
      <section key={id} aria-label={id}>
        <h3>
          {(before === null && 'Created') || (after === null ? 'Deleted' : 'Changed')}{' '}
          {linked(id, recordAddress(id))}
        </h3>
        <Diff before={Object(before)} after={Object(after)} leave={['refunds']} />
      </section>
    ))}
  </>
)

type ResponseProps = {
  call: Pick<JournalCall, 'answer' | 'answered' | 'script'>
  label: string
  hrefOfText?: (text: string) => string | undefined
}

export function Response({ call, label, hrefOfText }: ResponseProps) {
  const { answer: body } = call
  if (body === null) return <p class="faint">No body was sent.</p>
  const breaking = breakingShown(call)
  return (
    <>
      {breaking && (
        <p>
          <b>Altered in transit:</b> {breaking}
        </p>
      )}
      {typeof body === 'string' ? (
        <CodeBlock text={body} label={label} />
      ) : (
        <Json value={body} label={label} hrefOfText={hrefOfText} />
      )}
    </>
  )
}
