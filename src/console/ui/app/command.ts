/** Control calls that change something. */
import { toast, toastError } from '../components/toast.js'
import { ControlError } from '../control/client.js'
import { changed } from './store.js'

/** What is said once it is done; it can quote the answer. */
export type Done<T> = string | ((answer: T) => string)

/** Waits for a call, says what was done (by default its answer), and has every view read again. Returns why it was refused. */
export async function attempt<T>(call: Promise<T>, done: Done<T> = String): Promise<ControlError | null> {
  let answer: T
  try {
    answer = await call
  } catch (error) {
    if (error instanceof ControlError && error.code !== 'token_required') return error
    toastError(error)
    return null
  }
  changed()
  toast(typeof done === 'string' ? done : done(answer))
  return null
}

/** The same for a button without a field: a refusal is a toast. */
export async function act<T>(call: Promise<T>, done: Done<T>): Promise<void> {
  const refused = await attempt(call, done)
  if (refused !== null) toastError(refused)
}
