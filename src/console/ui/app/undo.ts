/** What replaces the state can be undone: a snapshot is taken first. */
import { toast, toastError } from '../components/toast.js'
import { api } from '../control/client.js'
import { act } from './command.js'
import { changed } from './store.js'

/** Restores a snapshot. The journal stays empty, since a snapshot has none. */
const undo = (name: string) => act(api.restoreSnapshot(name), 'Undone: the state is restored, but not the requests.')
/** Says what was done, and offers to go back. */
export const toastUndo = (text: string, name: string) => toast(text, 'done', { text: 'Undo', run: () => undo(name) })

/** Takes a snapshot, does it, and offers to go back. Returns whether it was done. Errors: a toast. */
export async function undoably(kind: 'reset' | 'restore', run: () => Promise<unknown>, done: string): Promise<boolean> {
  const name = `before-${kind}`
  try {
    await api.takeSnapshot(name)
    await run()
  } catch (error) {
    toastError(error)
    return false
  }
  changed()
  toastUndo(done, name)
  return true
}

export const reset = () => undoably('reset', () => api.reset(), 'Reset to the first state of the scenario')
