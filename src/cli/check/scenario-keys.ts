/** What names and keys of a scenario mean where it is played. */
import { ApiError } from '../../core/errors.js'
import type { StepBindings } from '../../scenario/steps.js'
import type { GivenVariables } from '../../scenario/variables.js'

export type PlayedWith = {
  /** The base address of a running service; null plays in process. */
  against: string | null
  /** Keys to send in place of the scenario's own, by the scenario's key; under `''` the one for a step that names none. */
  keys: ReadonlyMap<string, string>
  /** Values of `${NAME}`. */
  variables: ReadonlyMap<string, string>
}

/** The values of `--var` for the variables that a scenario declares; the others are names of its steps. */
export const givenVariables = ({ variables }: Pick<PlayedWith, 'variables'>, known = new Set<string>()): GivenVariables => ({
  values: Object.fromEntries(variables),
  isText: true,
  known
})

/** The values of names and keys: the scenario's own in process, those of the command line for a running service. Errors: `setting_invalid` for a key that is not given. */
export function bindingsFor(own: StepBindings, { against, keys, variables }: PlayedWith): StepBindings {
  const variable = (name: string) => variables.get(name)
  if (against === null) return { variable: name => variable(name) ?? own.variable(name), key: own.key }
  const first = own.key('')
  const key = (name: string) => {
    const isFirst = name === '' || name === first
    const found = keys.get(name) ?? (isFirst ? (keys.get(first ?? '') ?? keys.get('')) : undefined)
    if (found !== undefined) return found
    const wanted = name || first
    const message = wanted
      ? `The scenario calls with the key ${wanted}; give --key ${wanted}=KEY for it.`
      : 'A step names no key, and the scenario has none of a merchant; give --key KEY for it.'
    throw new ApiError('setting_invalid', { message })
  }
  return { variable, key }
}

/** The scenario's own key for a key that was sent in its place, so that an expectation of a key holds wherever the scenario is played. */
export function scenarioKeyOf(key: string | null, { against, keys, own }: Pick<PlayedWith, 'against' | 'keys'> & { own: StepBindings }): string | null {
  const [name] = (against !== null && [...keys].find(([, sent]) => sent === key)) || [key]
  return name === '' ? own.key('') : name
}
