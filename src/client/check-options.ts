import { isObject } from '../core/quick-check.js'
import { SETTINGS } from '../core/settings.js'
import type { Variables } from './options.js'
import { ERRORS } from './sentences.js'

/** Errors: `option_invalid` for anything but an object. */
export function checkedVars(vars: Variables): Variables {
  if (!isObject(vars)) throw ERRORS.notVariables(vars)
  return vars
}

/** Refuses an unknown option. Errors: `option_invalid`. */
export function checkOptions(of: string, options: object, known: readonly string[]): void {
  const name = Object.keys(options).find(name => !known.includes(name))
  if (name !== undefined)
    throw ERRORS.unknownOption(
      of,
      name,
      known,
      of === 'startEmulator' && Object.hasOwn(SETTINGS, name)
    )
}
