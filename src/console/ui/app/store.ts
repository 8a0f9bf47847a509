/** What every view shares: the session, the overview of the sandbox, the event stream, and a revision that says when to read again. */
import { batch, computed, effect, signal } from '@preact/signals'
import { toastError } from '../components/toast.js'
import type { JournalEvent } from '../control/client.js'
import { api, type Overview, type SandboxItem, type Session, whenTokenRequired } from '../control/client.js'
import { controlOf, sandbox } from '../control/place.js'

export type LiveState = 'connecting' | 'live' | 'interrupted'

/** How long after a call everything is read again, so that many calls cause one reading. */
const REFRESH_MS = 500
/** How long calls are collected before listeners get them, so that many calls cause one rendering. */
const BATCH_MS = 50
/** How long after the emulator refused the event stream it is asked for again. */
const RETRY_MS = 2000

/** Null until it is known. */
export const session = signal<Session | null>(null)
export const overview = signal<Overview | null>(null)
export const sandboxes = signal<readonly SandboxItem[]>([])
export const live = signal<LiveState>('connecting')
/** Grows whenever what the emulator holds may have changed. */
export const revision = signal(0)

/** How often the event stream was asked for again since it was refused. */
const attempts = signal(0)

/** What happened to the journals of all sandboxes, oldest first, since the last time that it was said here. */
export const arrived = signal<readonly JournalEvent[]>([])
/** How often the event stream was opened: what came in between is not known. */
export const openings = signal(0)

export const isAllowed = (): boolean => session.value !== null && (!session.value.token_required || session.value.signed_in)

/** Has somebody sign in. */
export const tokenRequired = (): void => {
  session.value = { token_required: true, signed_in: false }
}

/** Says that something was changed: views read again. */
export function changed(): void {
  revision.value++
  void refresh()
}

/** How many times the overview was asked for, and which of these times is shown. */
let asked = 0
let shown = 0

/** Reads the overview and the list of sandboxes. What was asked for earlier, or of another sandbox, takes the place of nothing. Errors: `ControlError`. */
export async function readOverview(): Promise<void> {
  const name = sandbox.value
  const turn = ++asked
  const [read, { data }] = await Promise.all([api.overview(), api.sandboxes()])
  if (turn < shown || name !== sandbox.value) return
  shown = turn
  batch(() => {
    overview.value = read
    sandboxes.value = data
  })
}

/** The same, unless somebody has to sign in first; what goes wrong is a message at the corner of the page. */
async function refresh(): Promise<void> {
  if (isAllowed()) await readOverview().catch(toastError)
}

let isRefreshDue = false
let collected: JournalEvent[] = []

function hand(): void {
  const events = collected
  collected = []
  arrived.value = events
}

function happened(event: JournalEvent): void {
  if (collected.length === 0) setTimeout(hand, BATCH_MS)
  collected.push(event)
  if (isRefreshDue || event.sandbox !== sandbox.value) return
  isRefreshDue = true
  setTimeout(() => {
    isRefreshDue = false
    changed()
  }, REFRESH_MS)
}

/** Follows the event stream of all sandboxes. */
function follow(): () => void {
  live.value = 'connecting'
  const source = new EventSource(`${controlOf('')}/events?scope=run`)
  let isReconnected = false
  let again: ReturnType<typeof setTimeout> | undefined
  source.addEventListener('open', () => {
    live.value = 'live'
    openings.value++
    // calls may have come while there was no stream
    if (isReconnected) changed()
    isReconnected = true
  })
  source.addEventListener('error', () => {
    live.value = 'interrupted'
    // the browser tries again by itself unless the emulator refused the stream
    if (source.readyState === EventSource.CLOSED) again = setTimeout(() => void readSession().then(() => attempts.value++), RETRY_MS)
  })
  source.addEventListener('request', ({ data }) => {
    const { sandbox: name, ...call } = JSON.parse(data)
    happened({ sandbox: name ?? '', call })
  })
  source.addEventListener('clear', ({ data }) => happened({ sandbox: JSON.parse(data).sandbox ?? '', call: null }))
  return () => {
    clearTimeout(again)
    source.close()
    collected = []
  }
}

/** Asks whether somebody has to sign in. */
const readSession = () => api.session().then(read => (session.value = read), toastError)

/** Begins: asks whether somebody has to sign in, then reads and follows the chosen sandbox. */
export async function begin(): Promise<void> {
  whenTokenRequired(tokenRequired)
  const isOpen = computed(isAllowed)
  effect(() => {
    void attempts.value
    return isOpen.value ? follow() : undefined
  })
  effect(() => {
    void sandbox.value
    if (!isOpen.value) return
    overview.value = null
    void refresh()
  })
  await readSession()
}
