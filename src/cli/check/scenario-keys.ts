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
  /** The base address of a running service; null plays in process. */
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
export function bindingsFor(own: StepBindings, given: PlayedWith): StepBindings {
  const variable = (name: string) => given.variables.get(name)
  if (given.against === null)
    return { variable: name => variable(name) ?? own.variable(name), key: own.key }
  const key = (name: string) => {
    const found = keyGiven(name, own, given)
    if (found === undefined) throw new Failure(missingKey(name, own).message)
    return found
  }
  return { variable, key }
}

function keyGiven(name: string, own: StepBindings, { keys }: PlayedWith): string | undefined {
  const first = own.key('')
  return (
    keys.get(name) ??
    (name === '' || name === first ? (keys.get(first ?? '') ?? keys.get('')) : undefined)
  )
}

function missingKey(name: string, own: StepBindings): Said {
  const wanted = name || own.key('')
  return wanted ? say('no_key', wanted) : say('no_merchant_key')
}

/** Keys and values that requests to a service need and lack. */
export function notGiven(
  { steps, play, expectations }: Pick<FirstState, 'steps' | 'play' | 'expectations'>,
  own: StepBindings,
  given: PlayedWith
): PlacedProblem[] {
  const { names } = new StepResponses([...steps, ...play])
  const keyProblems = (key: string, at: PlacedProblem['at']) =>
    keyGiven(key, own, given) === undefined ? [{ at, ...missingKey(key, own) }] : []
  const calls = [...placedCalls('steps', steps), ...placedCalls('play', play)]
  const ofCalls = calls.flatMap(({ step, at }) => {
    const [method, path] = splitCall(step.do)
    const key = step.key ?? (needsKey(method, path) ? '' : null)
    const unknown = textsIn(step, at).flatMap(({ steps, text }) =>
      namesIn(text)
        .filter(name => !names.has(name.split('.')[0]) && !given.variables.has(name))
        .map(name => ({ at: steps, ...say('no_value', name) }))
    )
    // a key from a response is known only once it has arrived
    return [...unknown, ...(key === null || key.includes('${') ? [] : keyProblems(key, at))]
  })
  const read = expectations.findIndex(({ data }) => 'state' in data)
  return [...ofCalls, ...(read < 0 ? [] : keyProblems('', ['expect', read]))]
}

/** The scenario's own key for one that was sent, so that expectations of keys hold anywhere. */
export function scenarioKeyOf(
  key: string | null,
  { against, keys, own }: Pick<PlayedWith, 'against' | 'keys'> & { own: StepBindings }
): string | null {
  const [name] = (against !== null && [...keys].find(([, sent]) => sent === key)) || [key]
  return name === '' ? own.key('') : name
}
