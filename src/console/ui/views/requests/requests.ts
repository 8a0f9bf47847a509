/** The requests that the open console has seen. */
import { effect, signal, untracked } from '@preact/signals'
import { arrived, isConnected, openings } from '../../app/store.js'
import { toastError } from '../../components/toast.js'
import { control, type JournalEvent, sandbox } from '../../control/client.js'
import {
  type CallList,
  NO_REQUESTS,
  periodOf,
  type Row,
  withEvents,
  withJournals
} from './request-list.js'
import { learn } from './summary.js'

export const list = signal<CallList>(NO_REQUESTS)
export const isPast = ({ sandbox, period }: Row): boolean =>
  period !== periodOf(list.value, sandbox)
export const isHeld = (row: Row): boolean => row.sandbox === sandbox.value && !isPast(row)
export const isRead = signal(false)
export const dropped = signal(0)
export const paused = signal<CallList | null>(null)

/** The ids that a search has found, separated by commas; undefined for all. */
export const shownIds = signal<string | undefined>(undefined)

let waiting: JournalEvent[] | null = null

effect(() => {
  learn(arrived.value)
  if (waiting !== null) waiting.push(...arrived.value)
  else list.value = withEvents(list.peek(), arrived.value)
})

/** Reads the journals, and again if one was cleared meanwhile. */
async function read(): Promise<void> {
  const since: JournalEvent[] = []
  waiting = since
  try {
    const {
      data,
      has_more,
      dropped: gone
    } = await control('GET /requests', { query: { limit: '1000', scope: 'run' }, sandbox: '' })
    if (since.some(({ call }) => call === null)) {
      list.value = withEvents(list.value, since)
      return await read()
    }
    const calls = data
      .reverse()
      .map(({ sandbox: name, ...call }) => ({ sandbox: name ?? '', call }))
    learn(calls)
    list.value = withEvents(withJournals(list.value, calls, !has_more), since)
    dropped.value = gone
    isRead.value = true
  } catch (error) {
    toastError(error)
  } finally {
    waiting = null
  }
}

// an interrupted stream has lost requests
effect(() => {
  if (openings.value > 0 && untracked(isConnected)) void untracked(read)
})
