import type { ComponentChildren } from 'preact'
import { Field, Form } from '../components/controls.js'
import { ControlError } from '../control/client.js'
import { useDraft } from './command.js'

type Props = {
  label: string
  example: string
  hint?: string
  make: (name: string) => Promise<unknown>
  done: (name: string) => string
  children: ComponentChildren
}

export function NameForm({ label, example, hint, make, done, children }: Props) {
  const { text, refused, send, write, field } = useDraft()
  const sendName = async () => {
    const name = text.value.trim()
    if (name === '')
      refused.value = new ControlError('name_missing', `Must be a name, such as ${example}.`)
    else if (await send(make(name), done(name))) write('')
  }
  return (
    <Form class="row aligned" send={sendName}>
      <Field label={label} placeholder={example} hint={hint} {...field} />
      {children}
    </Form>
  )
}
