import { act, type Draft, type Undo, undoable } from '../../app/command.js'
import { go } from '../../app/route.js'
import { overview } from '../../app/store.js'
import { toast } from '../../components/toast.js'
import { yamlOf } from '../../components/yaml.js'
import {
  ControlError,
  control,
  controlText,
  type ListedScenario,
  type Problem,
  type RequestParts,
  sandbox
} from '../../control/client.js'

/** The button goes away with what it removes, so the focus goes to the heading. */
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

const loads = new Map<string, { name: string; parts: RequestParts }>()

/** Whether it was loaded here, or else seems to be loaded. */
export function isLoaded(scenario: ListedScenario): boolean {
  const { name, description } = { ...overview.value?.scenario }
  const last = loads.get(sandbox.value)
  return last?.name === name
    ? Object(last?.parts.body).scenario === scenario.name
    : titleOf(scenario) === name && scenario.description === description
}

/** How the present scenario can be loaded again, if that is known. */
export async function presentLoad(): Promise<RequestParts | undefined> {
  const last = loads.get(sandbox.value)
  if (last?.name === overview.value?.scenario.name) return last?.parts
  const listed = (await control('GET /scenarios')).data.find(isLoaded)
  return listed && { body: { scenario: listed.name } }
}

export async function check({ write, refused }: Draft, parts: RequestParts): Promise<void> {
  try {
    const { scenario, warnings = [] } = await control('POST /load', {
      ...parts,
      query: { dry_run: '1' }
    })
    write([`“${scenario.name}” is valid.`, ...warnings.map(warningShown)].join(' '))
  } catch (error) {
    if (error instanceof ControlError) refused.value = error
  }
}

/** Returns whether it loaded. Undo loads the scenario before again, and restores its state. */
export function loadWith({ send }: Draft, parts: RequestParts): Promise<boolean> {
  const { first, undo } = undoable('load')
  let before: RequestParts | undefined
  const load = async () => {
    before = await presentLoad()
    await first()
    const { scenario, warnings = [] } = await control('POST /load', parts)
    loads.set(sandbox.value, { name: scenario.name, parts })
    for (const warning of warnings) toast(warningShown(warning), 'error')
    go({ path: [] }, { replace: true })
    return scenario.name
  }
  const back = async () => {
    const name = overview.value?.scenario.name
    if (before) await control('POST /load', before)
    const message = await undo()
    return before
      ? message
      : `${message} A reset still goes back to ${name}, since the previous scenario is not in the library.`
  }
  return send(load(), name => `${name} loaded`, back)
}

/**
 * As the library has it, or else put together from the present state. Errors: `ControlError`.
 */
export async function loadedText(): Promise<string> {
  const { yaml, body } = (await presentLoad()) ?? {}
  if (yaml !== undefined) return yaml
  const listed: string | undefined = Object(body).scenario
  if (listed !== undefined) return controlText('GET /scenarios/NAME', { name: listed })
  const [{ scenario, seed, clock }, { settings }, { data: script }, verdict, data] =
    await Promise.all([
      control('GET /'),
      control('GET /settings'),
      control('GET /script'),
      control('POST /verify', { query: { report: '1' } }),
      control('GET /state')
    ])
  const changed = Object.entries(settings).filter(
    ([key, { source }]) => source === 'scenario' && key !== 'seed'
  )
  const document = {
    name: scenario.name,
    description: scenario.description ?? undefined,
    seed,
    // a clock that runs is most often the machine's
    clock: clock.running ? undefined : clock.now,
    settings: Object.fromEntries(changed.map(([key, { value }]) => [key, value])),
    data,
    script: script.map(({ entry }) => entry),
    expect: verdict.expectations?.map(({ expectation }) => expectation)
  }
  const filled = Object.entries(document).filter(
    ([, part]) => typeof part !== 'object' || Object.keys(part).length > 0
  )
  return yamlOf(Object.fromEntries(filled))
}
