/** What names and keys of a scenario mean where it is played. */
import type { Said } from '../../core/sentences.js'
import { needsKey } from '../../reference/operations.js'
import type { PlacedProblem } from '../../reports/points.js'
import { namesIn, textsIn } from '../../scenario/play/references.js'
import type { FirstState } from '../../scenario/scenario.js'
import type { GivenVariables } from '../../scenario/shape/variables.js'
import { placedCalls, type StepBindings, StepResponses, splitCall } from '../../scenario/steps.js'
import { Failure } from '../failures.js'
import { say } from '../sentences.js'

export type PlayedWith = {
  /** The address of a service; null plays in process. */
  against: string | null
  /** What is sent in place of keys of the scenario; `''` is for steps that name none. */
  keys: ReadonlyMap<string, string>
  variables: ReadonlyMap<string, string>
}

/** For variables that a scenario declares; the others are names of its steps. */
export const givenVariables = (
  { variables }: Pick<PlayedWith, 'variables'>,
  known = new Set<string>()
): GivenVariables => ({
  values: Object.fromEntries(variables),
  isText: true,
  known
})

/** Those of the command line for a service. Errors: a `Failure` for a missing key. */
export function bindingsFor(scenario: StepBindings, options: PlayedWith): StepBindings {
  const variable = (name: string) => options.variables.get(name)
  if (options.against === null)
    return { variable: name => variable(name) ?? scenario.variable(name), key: scenario.key }
  const key = (name: string) => {
    const sentKey = keyFor(name, scenario, options)
    if (sentKey === undefined) throw new Failure(missingKey(name, scenario).message)
    return sentKey
  }
  return { variable, key }
}

function keyFor(name: string, scenario: StepBindings, { keys }: PlayedWith): string | undefined {
  const first = scenario.key('')
  return (
    keys.get(name) ??
    (name === '' || name === first ? (keys.get(first ?? '') ?? keys.get('')) : undefined)
  )
}

function missingKey(name: string, scenario: StepBindings): Said {
  const keyName = name || scenario.key('')
  return keyName ? say('no_key', keyName) : say('no_merchant_key')
}

/** Keys and values that requests to a service need, but nobody gave. */
export function missingValues(
  { steps, play, expectations }: Pick<FirstState, 'steps' | 'play' | 'expectations'>,
  scenario: StepBindings,
  options: PlayedWith
): PlacedProblem[] {
  const { names } = new StepResponses([...steps, ...play])
  const keyProblems = (key: string, at: PlacedProblem['at']) =>
    keyFor(key, scenario, options) === undefined ? [{ at, ...missingKey(key, scenario) }] : []
  const calls = [...placedCalls('steps', steps), ...placedCalls('play', play)]
  const ofCalls = calls.flatMap(({ step, at }) => {
    const [method, path] = splitCall(step.do)
    const key = step.key ?? (needsKey(method, path) ? '' : null)
    const unknown = textsIn(step, at).flatMap(({ steps, text }) =>
      namesIn(text)
        .filter(name => !names.has(name.split('.')[0]) && !options.variables.has(name))
        .map(name => ({ at: steps, ...say('no_value', name) }))
    )
    // a key from a response is known only once it has arrived
    return [...unknown, ...(key === null || key.includes('${') ? [] : keyProblems(key, at))]
  })
  const stateIndex = expectations.findIndex(({ data }) => 'state' in data)
  return [...ofCalls, ...(stateIndex < 0 ? [] : keyProblems('', ['expect', stateIndex]))]
}

/** The scenario's key for one that was sent, so that expectations of keys hold anywhere. */
export function scenarioKeyOf(
  key: string | null,
  {
    against,
    keys,
    scenarioBindings
  }: Pick<PlayedWith, 'against' | 'keys'> & { scenarioBindings: StepBindings }
): string | null {
  const [name] = (against !== null && [...keys].find(([, sentKey]) => sentKey === key)) || [key]
  return name === '' ? scenarioBindings.key('') : name
}
