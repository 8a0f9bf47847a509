/** The messages of the package's own errors; those of refusals come from the control API. */

import { didYouMean, sentence, shownGot } from '../core/sentences.js'
import { SETTINGS } from '../core/settings.js'
import { EmulatorError } from './error.js'

const invalidOption = (param: string, message: string) =>
  new EmulatorError('option_invalid', sentence(message), { param })

/** Errors: `option_invalid` for an unknown option. */
export function checkOptions(method: string, options: object, known: readonly string[]): void {
  const name = Object.keys(options).find(name => !known.includes(name))
  if (name === undefined) return
  const isSetting = method === 'startEmulator' && Object.hasOwn(SETTINGS, name)
  const advice = isSetting
    ? `; it is a setting: settings: { ${name}: … }`
    : didYouMean(name, known) || `; available: ${known.join(', ')}`
  throw invalidOption(name, `${method} has no option ${name}${advice}`)
}

export const ERRORS = {
  notAnAddress: (got: string) =>
    invalidOption(
      'url',
      `url must be the address of an emulator, such as http://localhost:4010; got ${shownGot(got)}`
    ),
  notARequest: (got: string) =>
    invalidOption(
      'on',
      `on must be a method and a path, such as POST /refunds; got ${shownGot(got)}`
    ),
  notAnId: (got: string) =>
    invalidOption('id', `id must be the id of a request or entry, such as req_1; got "${got}"`),
  closed: (request: string) =>
    new EmulatorError('closed', `${request} was not sent: this emulator is closed.`),
  noResponse: (request: string, cause: NodeJS.ErrnoException) =>
    new EmulatorError(
      'no_answer',
      // an error for several addresses has a code but no message
      `${request} got no response: ${cause.message || cause.code}.`,
      { cause }
    ),
  notAnEmulator: (address: string, status?: number) =>
    new EmulatorError(
      'answer_unreadable',
      `${address} is not a commerce-emulator, or runs an older version.`,
      status === undefined ? {} : { status }
    )
}
