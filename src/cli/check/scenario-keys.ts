/** What names and keys of a scenario mean at a service. */
import type { Said } from '../../core/sentences.js'
import { needsKey } from '../../reference/operations.js'
import type { PlacedProblem } from '../../reports/points.js'
import { namesIn, textsIn } from '../../scenario/play/references.js'
import type { FirstState } from '../../scenario/scenario.js'
import { placedCalls, type StepBindings, splitCall } from '../../scenario/steps.js'
import { Failure } from '../failures.js'
import { say } from '../sentences.js'

/** `keys` are sent in place of those of the scenario; `''` is for its first merchant's. */
export type ServiceValues = {
  keys: ReadonlyMap<string, string>
  variables: ReadonlyMap<string, string>
}

/** Why there is none, if nobody gave it. */
function keyFor(key: string, scenario: StepBindings, { keys }: ServiceValues): string | Said {
  const first = scenario.key('')
  const name = key || first
  if (!name) return say('no_merchant_key')
  return keys.get(name) ?? (name === first ? keys.get('') : undefined) ?? say('no_key', name)
}

/** Errors: a `Failure` for a missing key. */
export const serviceBindings = (scenario: StepBindings, values: ServiceValues): StepBindings => ({
  variable: name => values.variables.get(name),
  key: name => {
    const key = keyFor(name, scenario, values)
    if (typeof key !== 'string') throw new Failure(key.message)
    return key
  }
})

/** Keys and values that requests to a service need, but nobody gave. */
export function missingValues(
  { steps, play }: Pick<FirstState, 'steps' | 'play'>,
  scenario: StepBindings,
  values: ServiceValues
): PlacedProblem[] {
  const calls = [...placedCalls('steps', steps), ...placedCalls('play', play)]
  const names = new Set(calls.map(({ step }) => step.as))
  return calls.flatMap(({ step, at }) => {
    const unknown = textsIn(step, at).flatMap(({ steps, text }) =>
      namesIn(text)
        .filter(name => !names.has(name.split('.')[0]) && !values.variables.has(name))
        .map(name => ({ at: steps, ...say('no_value', name) }))
    )
    const name = step.key ?? (needsKey(...splitCall(step.do)) ? '' : null)
    // a key from a response is known only once it has arrived
    const key = name === null || name.includes('${') ? '' : keyFor(name, scenario, values)
    return typeof key === 'string' ? unknown : [...unknown, { at, ...key }]
  })
}

/** The scenario's key for one that was sent. */
export function scenarioKeyOf(
  key: string | null,
  scenario: StepBindings,
  { keys }: ServiceValues
): string | null {
  const [name] = [...keys].find(([, sentKey]) => sentKey === key) ?? [key]
  return name === '' ? scenario.key('') : name
}
