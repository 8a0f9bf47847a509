/** Control requests that load. */
import { act, type Draft, type Undo, undoable } from '../../app/command.js'
import { go } from '../../app/route.js'
import { overview } from '../../app/store.js'
import { toast } from '../../components/toast.js'
import {
  ControlError,
  control,
  type Given,
  type ListedScenario,
  type Problem
} from '../../control/client.js'
import { sandbox } from '../../control/place.js'

/**
 * `act` for a button that goes away with what it removes: the focus goes to the heading of the
 * list.
 */
export async function remove(
  call: Promise<unknown>,
  done: string,
  heading: string,
  undo?: Undo
): Promise<void> {
  await act(call, done, undo)
  document.getElementById(heading)?.focus()
}

export const titleOf = ({ name, title = name }: ListedScenario): string => title
const warningShown = ({ line, message }: Problem): string =>
  line === undefined ? message : `Line ${line}: ${message}`

/** What was last loaded here, by sandbox. */
const loads = new Map<string, { name: string; given: Given }>()

/**
 * How the present scenario can be loaded again; undefined for one that is not in the library and
 * was loaded elsewhere.
 */
export async function presentLoad(): Promise<Given | undefined> {
  const { name, description } = { ...overview.value?.scenario }
  const last = loads.get(sandbox.value)
  if (last?.name === name) return last?.given
  const listed = (await control('GET /scenarios')).data.find(
    one => titleOf(one) === name && one.description === description
  )
  return listed && { body: { scenario: listed.name } }
}

export async function check({ write, refused }: Draft, given: Given): Promise<void> {
  try {
    const { scenario, warnings = [] } = await control('POST /load', {
      ...given,
      query: { dry_run: '1' }
    })
    write([`“${scenario.name}” is valid.`, ...warnings.map(warningShown)].join(' '))
  } catch (error) {
    if (error instanceof ControlError) refused.value = error
  }
}

/**
 * Loads, shows likely mistakes, and offers to undo it: the scenario before is loaded again, and its
 * state restored. Returns whether it was taken.
 */
export function loadWith({ send }: Draft, given: Given): Promise<boolean> {
  const { first, undo } = undoable('load')
  let before: Given | undefined
  const load = async () => {
    before = await presentLoad()
    await first()
    const { scenario, warnings = [] } = await control('POST /load', given)
    loads.set(sandbox.value, { name: scenario.name, given })
    for (const warning of warnings) toast(warningShown(warning), 'error')
    go({ path: [] }, { replace: true })
    return scenario.name
  }
  const back = async () => {
    const name = overview.value?.scenario.name
    if (before) await control('POST /load', before)
    const said = await undo()
    return before
      ? said
      : `${said} A reset still goes back to ${name}, since the scenario before it is not in the library.`
  }
  return send(load(), name => `${name} is loaded`, back)
}
