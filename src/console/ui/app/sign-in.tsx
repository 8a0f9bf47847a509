/** The form for the token, where the emulator has one. */
import { useSignal } from '@preact/signals'
import { Button, Form } from '../components/button.js'
import { bound, TextField } from '../components/fields.js'
import { Brand } from '../components/icon.js'
import { api } from '../control/client.js'
import { session } from './store.js'

export function SignIn() {
  const token = useSignal('')
  const problem = useSignal<string | null>(null)
  const send = async () => {
    try {
      session.value = await api.signIn(token.value)
      // the page of the API's documentation is at this address once somebody is signed in
      if (location.pathname.endsWith('/docs')) location.href = location.pathname
    } catch (error) {
      problem.value = (error as Error).message
    }
  }
  return (
    <Form class="sign-in card stack" send={send}>
      <Brand />
      <h1>Sign in</h1>
      <TextField
        label="Control token"
        type="password"
        {...bound(token)}
        hint="The value of CONTROL_TOKEN that the emulator was started with."
        error={problem.value}
      />
      <Button class="primary" text="Sign in" />
    </Form>
  )
}
