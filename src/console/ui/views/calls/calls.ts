/** The calls that have come, kept as long as the console is open. */
import { effect, signal, untracked } from '@preact/signals'
import { isAllowed, type JournalEvent, onJournal, openings } from '../../app/store.js'
import { toastError } from '../../components/toast.js'
import { api } from '../../control/client.js'
import { type CallList, NO_CALLS, withEvents } from './call-list.js'

export const list = signal<CallList>(NO_CALLS)
/** Whether the calls before the console was opened are read. */
export const isRead = signal(false)
/** What is shown while it is paused; null otherwise. */
export const paused = signal<CallList | null>(null)

/** What happened while the earlier calls were being read. */
let waiting: JournalEvent[] | null = null

onJournal(events => {
  if (waiting !== null) waiting.push(...events)
  else list.value = withEvents(list.value, events)
})

/** Reads what the journals hold, and adds what came meanwhile. */
async function read(): Promise<void> {
  waiting = []
  try {
    const { data } = await api.requestsOfRun()
    const events = data.reverse().map(({ sandbox, ...call }) => ({ sandbox: sandbox ?? '', call }))
    list.value = withEvents(list.value, [...events, ...waiting])
    isRead.value = true
  } catch (error) {
    toastError(error)
  } finally {
    waiting = null
  }
}

// a stream that was interrupted has lost calls, so the journals are read at each opening
effect(() => {
  if (openings.value > 0 && untracked(isAllowed)) void untracked(read)
})
