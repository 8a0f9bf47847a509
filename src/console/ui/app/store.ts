/** What every view shares. */
import { batch, computed, effect, signal } from '@preact/signals'
import { toastError } from '../components/toast.js'
import { api, type JournalEvent, type Overview, type SandboxItem, type Session, whenTokenRequired } from '../control/client.js'
import { controlOf, sandbox } from '../control/place.js'

export type LiveState = 'connecting' | 'live' | 'interrupted'

/** Many requests in this time cause one reading. */
const REFRESH_MS = 500
/** Many requests in this time cause one rendering. */
const BATCH_MS = 50
/** How long after a refusal the event stream is asked for again. */
const RETRY_MS = 2000

/** Null until it is known. */
export const session = signal<Session | null>(null)
export const overview = signal<Overview | null>(null)
export const sandboxes = signal<readonly SandboxItem[]>([])
export const live = signal<LiveState>('connecting')
/** Grows whenever what the emulator holds may have changed. */
export const revision = signal(0)
/** Grows whenever requests have come, whatever became of them. */
export const traffic = signal(0)

/** Tries after a refusal of the event stream. */
const attempts = signal(0)

/** What last happened to the journals of all sandboxes, oldest first. */
export const arrived = signal<readonly JournalEvent[]>([])
/** How often the event stream was opened: what came in between is not known. */
export const openings = signal(0)

export const isAllowed = (): boolean => session.value !== null && (!session.value.token_required || session.value.signed_in)

/** Has somebody sign in. */
export const tokenRequired = (): void => {
  session.value = { token_required: true, signed_in: false }
}

/** Has views read again; requests that changed nothing leave those alone that show the state. */
export function changed(isState = true): void {
  batch(() => {
    traffic.value++
    if (isState) revision.value++
  })
  void refresh()
}

/** How often the overview was asked for, and which answer is shown. */
let asked = 0
let shown = 0

/** Reads the overview and the list of sandboxes; an answer to an earlier question, or of another sandbox, is dropped. Errors: `ControlError`. */
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

/** The same once somebody is signed in; an error is a toast. */
const refresh = async () => isAllowed() && readOverview().catch(toastError)

let isRefreshDue = false
let isStateChanged = false
let collected: JournalEvent[] = []

function hand(): void {
  arrived.value = collected
  collected = []
}

function happened(event: JournalEvent): void {
  if (collected.length === 0) setTimeout(hand, BATCH_MS)
  collected.push(event)
  if (event.sandbox !== sandbox.value) return
  isStateChanged ||= event.call === null || event.call.took_effect
  if (isRefreshDue) return
  isRefreshDue = true
  setTimeout(() => {
    const isState = isStateChanged
    isRefreshDue = isStateChanged = false
    changed(isState)
  }, REFRESH_MS)
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

const readSession = () => api.session().then(read => (session.value = read), toastError)

/** Asks whether somebody has to sign in, then reads and follows the chosen sandbox. */
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
  while (!(await readSession())) {
    live.value = 'interrupted'
    await new Promise(resolve => setTimeout(resolve, RETRY_MS))
  }
}
