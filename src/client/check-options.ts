import { isObject } from '../core/schema-words.js'
import { SETTINGS } from '../core/settings.js'
import type { Variables } from './options.js'
import { ERRORS } from './sentences.js'

/** Errors: `option_invalid` for anything but an object. */
export function checkedVars(vars: Variables): Variables {
  if (!isObject(vars)) throw ERRORS.notVariables(vars)
  return vars
}

/** Errors: `option_invalid` for an unknown option. */
export function checkOptions(method: string, options: object, known: readonly string[]): void {
  const name = Object.keys(options).find(name => !known.includes(name))
  if (name !== undefined)
    throw ERRORS.unknownOption(
      method,
      name,
      known,
      method === 'startEmulator' && Object.hasOwn(SETTINGS, name)
    )
}
