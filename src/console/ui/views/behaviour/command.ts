/** Control calls of the Behaviour view. */
import { act, attempt } from '../../app/command.js'
import { go, route } from '../../app/route.js'
import { readOverview } from '../../app/store.js'
import { toast } from '../../components/toast.js'
import type { ControlError, LoadAnswer } from '../../control/client.js'

/** The interval, in milliseconds, at which is read again what other clients may have changed by control calls. */
export const REREAD_MS = 2000

/** The same as `act` for a button that goes away with what it removes: the focus goes to the heading of the list. */
export async function remove(run: () => Promise<unknown>, done: string, heading: string): Promise<void> {
  await act(run, done)
  document.getElementById(heading)?.focus()
}

/** Loads or checks, and says what of it is probably not meant so. Returns why it was refused. */
export async function load(run: (query: { dry_run?: string }) => Promise<LoadAnswer>, { dryRun }: { dryRun: boolean }): Promise<ControlError | null> {
  return attempt(
    async () => {
      const { scenario, warnings = [] } = await run(dryRun ? { dry_run: '1' } : {})
      for (const { line, message } of warnings) toast(line === undefined ? message : `Line ${line}: ${message}`, 'error')
      if (!dryRun) {
        // the choice is the loaded one again, once that is known
        await readOverview()
        go({ path: route.value.path, query: { ...route.value.query, scenario: undefined } }, { replace: true })
      }
      return scenario.name
    },
    name => (dryRun ? `${name} can be loaded` : `${name} is loaded`)
  )
}
