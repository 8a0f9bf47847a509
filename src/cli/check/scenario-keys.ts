/** What names and keys of a scenario mean where it is played. */
import { ApiError } from '../../core/errors.js'
import type { StepBindings } from '../../scenario/steps.js'
import type { GivenVariables } from '../../scenario/variables.js'

export type PlayedWith = {
  /** The base address of a running service; null plays in process. */
  against: string | null
  /** By the keys of the scenario, what is sent in their place; `''` is for steps that name none. */
  keys: ReadonlyMap<string, string>
  /** Values of `${NAME}`. */
  variables: ReadonlyMap<string, string>
}

/** For variables that a scenario declares; the others are names of its steps. */
export const givenVariables = ({ variables }: Pick<PlayedWith, 'variables'>, known = new Set<string>()): GivenVariables => ({
  values: Object.fromEntries(variables),
  isText: true,
  known
})

/** In process the scenario's own, for a running service those of the command line. Errors: `setting_invalid` for a key that is not given. */
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

/** So that an expectation of a key holds wherever the scenario is played. */
export function scenarioKeyOf(key: string | null, { against, keys, own }: Pick<PlayedWith, 'against' | 'keys'> & { own: StepBindings }): string | null {
  const [name] = (against !== null && [...keys].find(([, sent]) => sent === key)) || [key]
  return name === '' ? own.key('') : name
}
