/** Options of the package's functions: what they do not know is refused by name. */
import { didYouMean } from '../core/nearest.js'
import { EmulatorError } from './error.js'

/** Values of a scenario's variables by name, each of the type of its default. */
export type Variables = { readonly [name: string]: string | number | boolean }

/** The values of variables as they are sent. Errors: `option_invalid` where they are no object. */
export function checkedVars(vars: Variables): Variables {
  if (typeof vars === 'object' && vars !== null && !Array.isArray(vars)) return vars
  throw invalidOption('vars', `An object was expected as vars, such as { last4: '0341' }, not ${vars}`)
}

/** Refuses an option that a function does not have; `more` says of some other names what to do. Errors: `option_invalid`. */
export function checkOptions(of: string, options: object, known: readonly string[], more: (name: string) => string | undefined = () => undefined): void {
  const name = Object.keys(options).find(name => !known.includes(name))
  if (name === undefined) return
  const advice = more(name) ?? (didYouMean(name, known) || `; it has ${known.join(', ')}`)
  throw invalidOption(name, `${of} has no option ${name}${advice}`)
}

/** An option that does not exist or cannot be right. */
export const invalidOption = (param: string, message: string): EmulatorError =>
  new EmulatorError('option_invalid', /[.?]$/.test(message) ? message : `${message}.`, { param })
