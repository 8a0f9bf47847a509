/** Control calls of the Behaviour view. */
import { act } from '../../app/command.js'
import { narrow } from '../../app/route.js'
import { readOverview } from '../../app/store.js'
import { toast } from '../../components/toast.js'
import type { Loaded } from '../../control/client.js'

/** How often, in milliseconds, what other clients may have changed is read again. */
export const REREAD_MS = 2000

/** `act` for a button that goes away with what it removes: the focus goes to the heading of the list. */
export async function remove(call: Promise<unknown>, done: string, heading: string): Promise<void> {
  await act(call, done)
  document.getElementById(heading)?.focus()
}

type Load = (query: { dry_run?: string }) => Promise<Loaded>

/** Loads, or with `dryRun` checks, and shows likely mistakes. Returns what was done. */
export async function loading(load: Load, dryRun: boolean): Promise<string> {
  const { scenario, warnings = [] } = await load(dryRun ? { dry_run: '1' } : {})
  for (const { line, message } of warnings) toast(line === undefined ? message : `Line ${line}: ${message}`, 'error')
  if (dryRun) return `${scenario.name} can be loaded`
  // the choice is the loaded one again, once that is known
  await readOverview()
  narrow({ scenario: undefined })
  return `${scenario.name} is loaded`
}
