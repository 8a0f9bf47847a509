/** What replaces the state can be undone: a snapshot is taken first. */
import { toast, toastError } from '../components/toast.js'
import { api } from '../control/client.js'
import { act } from './command.js'
import { changed } from './store.js'

/** Each is replaced by the next of its kind. */
const nameOf = (kind: 'reset' | 'load' | 'restore') => `before-${kind}`

/** Restores what was there. The journal stays empty, since a snapshot has none. */
const undo = (name: string) => act(api.restoreSnapshot(name), 'Undone: the state is restored, but not the requests.')

/** Takes a snapshot, does it, and offers to go back. Returns whether it was done. Errors: a toast. */
export async function undoably(kind: 'reset' | 'load' | 'restore', run: () => Promise<unknown>, done: string): Promise<boolean> {
  const name = nameOf(kind)
  try {
    await api.takeSnapshot(name)
    await run()
  } catch (error) {
    toastError(error)
    return false
  }
  changed()
  toast(done, 'done', { text: 'Undo', run: () => undo(name) })
  return true
}

export const reset = () => undoably('reset', () => api.reset(), 'Reset to the first state of the scenario')
