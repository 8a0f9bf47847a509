/** Control calls that change something. */
import { go, route } from '../../app/route.js'
import { changed, readOverview } from '../../app/store.js'
import { toast, toastError } from '../../components/toast.js'
import { ControlError, type LoadAnswer } from '../../control/client.js'

/** How often is read again what control calls of others change, in milliseconds. */
export const REREAD_MS = 2000

/** Makes a call, says what was done, and has every view read again. Returns why it was refused, to be shown where it was asked for. */
export async function attempt<T>(run: () => Promise<T>, done: string | ((answer: T) => string)): Promise<ControlError | null> {
  let answer: T
  try {
    answer = await run()
  } catch (error) {
    if (error instanceof ControlError && error.code !== 'token_required') return error
    toastError(error)
    return null
  }
  changed()
  toast(typeof done === 'string' ? done : done(answer))
  return null
}

/** The same for a button without a field: a refusal is a message at the corner of the page. */
export async function act<T>(run: () => Promise<T>, done: string | ((answer: T) => string)): Promise<void> {
  const refused = await attempt(run, done)
  if (refused !== null) toastError(refused)
}

/** The same for a button that goes away with what it removes: the focus goes to the heading of the list. */
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
