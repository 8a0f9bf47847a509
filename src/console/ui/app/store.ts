/** What every view shares. */
import { batch, computed, effect, signal } from '@preact/signals'
import { toastError } from '../components/toast.js'
import {
  control,
  controlOf,
  type JournalEvent,
  type Overview,
  type SandboxItem,
  type ScenarioVerdict,
  sandbox
} from '../control/client.js'

export type LiveState = 'connecting' | 'live' | 'interrupted'

/** Many requests in this time cause one reading. */
const REFRESH_MS = 500
/** Many requests in this time cause one rendering. */
const BATCH_MS = 100
const RETRY_MS = 2000
export const REREAD_MS = 2000

export const overview = signal<Overview | null>(null)
export const sandboxes = signal<readonly SandboxItem[]>([])
export const expectations = signal<readonly ScenarioVerdict[]>([])
export const isGone = signal(false)
export const live = signal<LiveState>('connecting')
/** Grows when the state may have changed. */
export const revision = signal(0)
/** Grows with every request. */
export const traffic = signal(0)

/** What last happened to the journals of all sandboxes, oldest first. */
export const arrived = signal<readonly JournalEvent[]>([])
/** How often the event stream was opened. */
export const openings = signal(0)

/** How often the emulator was reached. */
const connections = signal(0)
export const isConnected = (): boolean => connections.value > 0

/** Has views read again; those that show the state only if it changed. */
export function changed(isState = true): void {
  batch(() => {
    traffic.value++
    if (isState) revision.value++
  })
  void refresh()
}

let lastTurn = 0
let shownTurn = 0

/** A response to an earlier request, or of another sandbox, is dropped. Errors: `ControlError`. */
export async function readOverview(): Promise<void> {
  const name = sandbox.value
  const turn = ++lastTurn
  const { data } = await control('GET /sandboxes', { sandbox: '' })
  // one that is not there would be created by what changes it
  const isThere = name === '' || data.some(item => item.name === name)
  const read = isThere
    ? await Promise.all([control('GET /'), control('POST /verify', { query: { report: '1' } })])
    : null
  if (turn < shownTurn || name !== sandbox.value) return
  shownTurn = turn
  batch(() => {
    sandboxes.value = data
    isGone.value = read === null
    overview.value = read?.[0] ?? null
    expectations.value = read?.[1].expectations ?? []
  })
}

const refresh = async () => isConnected() && readOverview().catch(toastError)

/** Loads, clocks and sandboxes change without an event. */
const watch = () => {
  if (live.value === 'live' && document.visibilityState === 'visible') void refresh()
}

function collecting(ms: number, hand: (events: readonly JournalEvent[]) => void) {
  let collected: JournalEvent[] = []
  return (event: JournalEvent) => {
    if (collected.push(event) > 1) return
    setTimeout(() => {
      hand(collected)
      collected = []
    }, ms)
  }
}

const show = collecting(BATCH_MS, events => (arrived.value = events))
const readAgain = collecting(REFRESH_MS, events =>
  changed(events.some(({ call }) => call === null || call.took_effect))
)

function happened(event: JournalEvent): void {
  show(event)
  if (event.sandbox === sandbox.value) readAgain(event)
}

function follow(): () => void {
  live.value = 'connecting'
  const source = new EventSource(`${controlOf('')}/events?scope=run`)
  let again: ReturnType<typeof setTimeout> | undefined
  source.addEventListener('open', () => {
    live.value = 'live'
    // requests may have come while there was no stream
    if (openings.value++ > 0) changed()
  })
  source.addEventListener('error', () => {
    live.value = 'interrupted'
    // the browser tries again unless the emulator refused the stream
    if (source.readyState === EventSource.CLOSED) again = setTimeout(connect, RETRY_MS)
  })
  source.addEventListener('request', ({ data }) => {
    const { sandbox: name, ...call } = JSON.parse(data)
    happened({ sandbox: name ?? '', call })
  })
  source.addEventListener('clear', ({ data }) =>
    happened({ sandbox: JSON.parse(data).sandbox ?? '', call: null })
  )
  return () => {
    clearTimeout(again)
    source.close()
  }
}

async function connect(): Promise<void> {
  while (!(await control('GET /health').then(() => ++connections.value, toastError))) {
    live.value = 'interrupted'
    await new Promise(resolve => setTimeout(resolve, RETRY_MS))
  }
}

export async function begin(): Promise<void> {
  const isOpen = computed(isConnected)
  effect(() => (isConnected() ? follow() : undefined))
  effect(() => {
    void sandbox.value
    if (!isOpen.value) return
    overview.value = null
    isGone.value = false
    void refresh()
  })
  setInterval(watch, REREAD_MS)
  await connect()
}
