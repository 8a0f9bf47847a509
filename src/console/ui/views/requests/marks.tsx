/** What a request is known by: its method, what became of it, and the body of its response. */
import { CodeBlock, Json } from '../../components/code.js'
import { Icon } from '../../components/icon.js'
import type { JournalCall } from '../../control/client.js'
import { breakingShown, markOf } from './request-list.js'

export const Status = ({ call }: { call: JournalCall }) => {
  const { icon, kind } = markOf(call)
  return (
    <span class={`badge ${kind}`}>
      <Icon name={icon} />
      {call.answered ? call.status : 'lost'}
    </span>
  )
}

export const Method = ({ method }: { method: string }) => <span class={`method ${method.toLowerCase()}`}>{method}</span>

type ResponseProps = { call: Pick<JournalCall, 'answer' | 'answered' | 'script'>; label: string; hrefOfText?: (text: string) => string | undefined }

/** The body of a response, with what the script did to it on its way. */
export function Response({ call, label, hrefOfText }: ResponseProps) {
  const { answer } = call
  const breaking = breakingShown(call)
  if (answer === null) return <p class="faint">No body was sent.</p>
  return (
    <>
      {breaking !== null && (
        <p>
          <b>Broken on the way:</b> {breaking}
        </p>
      )}
      {typeof answer === 'string' ? <CodeBlock text={answer} label={label} /> : <Json value={answer} label={label} hrefOfText={hrefOfText} />}
    </>
  )
}
