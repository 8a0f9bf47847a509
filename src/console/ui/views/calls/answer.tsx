/** The body of an answer, with what the script did to it on its way. */
import { CodeBlock, Json } from '../../components/code.js'
import type { JournalCall } from '../../control/client.js'
import { breakingShown } from './call-list.js'

type Props = { call: Pick<JournalCall, 'answer' | 'answered' | 'script'>; label: string; hrefOfText?: (text: string) => string | undefined }

export function Answer({ call, label, hrefOfText }: Props) {
  const { answer } = call
  const breaking = breakingShown(call)
  if (answer === null) return <p class="faint">Without a body.</p>
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
