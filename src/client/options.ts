/** Options of the package; unknown ones are refused by name. */
import { isObject } from '../core/quick-check.js'
import { SETTINGS } from '../core/settings.js'
import { ERRORS } from './sentences.js'

/** Values of a scenario's variables by name, each of the type of its default. */
export type Variables = { readonly [name: string]: string | number | boolean }

/** Errors: `option_invalid` for anything but an object. */
export function checkedVars(vars: Variables): Variables {
  if (!isObject(vars)) throw ERRORS.notVariables(vars)
  return vars
}

/** Refuses an unknown option. Errors: `option_invalid`. */
export function checkOptions(of: string, options: object, known: readonly string[]): void {
  const name = Object.keys(options).find(name => !known.includes(name))
  if (name !== undefined) throw ERRORS.unknownOption(of, name, known, of === 'startEmulator' && Object.hasOwn(SETTINGS, name))
}
