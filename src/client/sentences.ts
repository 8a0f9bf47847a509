/** The messages of the package's own errors; those of refusals come from the control API. */
import { didYouMean, sentence } from '../core/nearest.js'
import { shownGot } from '../core/sentences.js'
import { EmulatorError } from './error.js'

const invalidOption = (param: string, message: string) =>
  new EmulatorError('option_invalid', sentence(message), { param })

export const ERRORS = {
  unknownOption: (method: string, name: string, known: readonly string[], isSetting = false) =>
    invalidOption(
      name,
      `${method} has no option ${name}${isSetting ? `; it is a setting: settings: { ${name}: … }` : didYouMean(name, known) || `; available: ${known.join(', ')}`}`
    ),
  notAScenario: (got: unknown) =>
    invalidOption(
      'scenario',
      `scenario must be a name, a path or a document; got ${shownGot(got)}`
    ),
  notVariables: (got: unknown) =>
    invalidOption(
      'vars',
      `vars must be an object, such as { last4: '0341' }; got ${JSON.stringify(got)}`
    ),
  portTwice: () =>
    invalidOption('port', 'port is set both as an option and in settings; set it once'),
  notAnAddress: (got: string) =>
    invalidOption(
      'url',
      `url must be the address of an emulator, such as http://localhost:4010; got ${shownGot(got)}`
    ),
  notARequest: (example: string, got: string) =>
    invalidOption('on', `on must be a method and a path, such as ${example}; got ${shownGot(got)}`),
  notAnId: (got: string) =>
    invalidOption('id', `id must be the id of a request or entry, such as req_1; got "${got}"`),
  notJson: (cause: Error) =>
    new EmulatorError(
      'option_invalid',
      `The argument cannot be written as JSON: ${cause.message}.`,
      { cause }
    ),
  closed: (request: string) =>
    new EmulatorError('closed', `${request} was not sent: this emulator is closed.`),
  noResponse: (request: string, cause: unknown, reason: string) =>
    new EmulatorError('no_answer', `${request} got no response: ${reason}.`, { cause }),
  closedMeanwhile: () => new Error('this emulator was closed before the response'),
  notAnEmulator: (url: string) =>
    new EmulatorError(
      'answer_unreadable',
      `${url} is not a commerce-emulator, or runs an older version.`
    ),
  unreadable: (request: string, status: number) =>
    new EmulatorError(
      'answer_unreadable',
      `${request} got a response with status ${status} that is not from an emulator.`,
      { status }
    )
}
