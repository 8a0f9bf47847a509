/** Control requests that load. */
import { act } from '../../app/command.js'
import { go } from '../../app/route.js'
import { readOverview } from '../../app/store.js'
import { toastUndo } from '../../app/undo.js'
import { toast } from '../../components/toast.js'
import { api, type Loaded } from '../../control/client.js'

/** How often, in milliseconds, what other clients may have changed is read again. */
export const REREAD_MS = 2000

/** `act` for a button that goes away with what it removes: the focus goes to the heading of the list. */
export async function remove(call: Promise<unknown>, done: string, heading: string): Promise<void> {
  await act(call, done)
  document.getElementById(heading)?.focus()
}

type Load = (query: { dry_run?: string }) => Promise<Loaded>

const SNAPSHOT = 'before-load'

/** Loads, or with `dryRun` checks, and shows likely mistakes. What was there before a load is kept as a snapshot. Returns what was done. */
export async function loading(load: Load, dryRun: boolean): Promise<string> {
  if (!dryRun) await api.takeSnapshot(SNAPSHOT)
  const { scenario, warnings = [] } = await load(dryRun ? { dry_run: '1' } : {})
  for (const { line, message } of warnings) toast(line === undefined ? message : `Line ${line}: ${message}`, 'error')
  if (dryRun) return `${scenario.name} can be loaded`
  await readOverview()
  toastUndo(`The state before it is kept as the snapshot ${SNAPSHOT}`, SNAPSHOT)
  go({ path: ['gallery'] }, { replace: true })
  return `${scenario.name} is loaded`
}
