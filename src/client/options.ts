/** Options of the package; unknown ones are refused by name. */
import { didYouMean } from '../core/nearest.js'
import { EmulatorError } from './error.js'

/** Values of a scenario's variables by name, each of the type of its default. */
export type Variables = { readonly [name: string]: string | number | boolean }

/** Errors: `option_invalid` for anything but an object. */
export function checkedVars(vars: Variables): Variables {
  if (typeof vars === 'object' && vars !== null && !Array.isArray(vars)) return vars
  throw invalidOption('vars', `Must be an object as vars, such as { last4: '0341' }, not ${vars}`)
}

/** Refuses an unknown option; `more` advises on some names. Errors: `option_invalid`. */
export function checkOptions(of: string, options: object, known: readonly string[], more: (name: string) => string | undefined = () => undefined): void {
  const name = Object.keys(options).find(name => !known.includes(name))
  if (name === undefined) return
  const advice = more(name) ?? (didYouMean(name, known) || `; it has ${known.join(', ')}`)
  throw invalidOption(name, `${of} has no option ${name}${advice}`)
}

export const invalidOption = (param: string, message: string): EmulatorError =>
  new EmulatorError('option_invalid', /[.?]$/.test(message) ? message : `${message}.`, { param })
