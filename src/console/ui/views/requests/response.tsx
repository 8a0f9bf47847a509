/** The body of a response, with what the script did to it on its way. */
import { CodeBlock, Json } from '../../components/code.js'
import type { JournalCall } from '../../control/client.js'
import { breakingShown } from './request-list.js'

type Props = { call: Pick<JournalCall, 'answer' | 'answered' | 'script'>; label: string; hrefOfText?: (text: string) => string | undefined }

export function Response({ call, label, hrefOfText }: Props) {
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
