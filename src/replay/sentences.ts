/** What recordings say of themselves, in comments, and what clients of plays see. */
import type { Sentences } from '../core/sentences.js'

export const SAYS = {
  recorded: () => 'Recorded by commerce-emulator. `commerce-emulator check FILE` sends these requests again and expects the same responses.',
  of_service: (address: string) =>
    `Recorded by commerce-emulator from ${address}. This sends the requests again, and compares the responses with the emulator's:`,
  no_key: () => 'not played: it was sent without a key',
  left_out: () =>
    'API keys, card data and account numbers are not recorded. Their replacements, and whatever else differs from the original requests, are listed below.',
  description: (scenario: string) => `The requests that a client sent in ${scenario}.`,
  description_of_one: (operation: string, status: number, why: string) => `The response to ${operation} is ${status}${why}.`,
  // of a request, after its name
  of: (request: string, note: string) => `${request}: ${note}.`,
  masked: () => 'a text is played as it was masked',
  escaped: () => '"${" is "$ {", so that it is not a reference',
  replaced: (what: string, by: string) => `${what} is ${by}`,
  other_values: () => 'the response has values that differ from the recorded ones; these are not expected',
  client_left: () => 'not played: its client left before the operation ran',
  no_operation: (was: string) => `not played: the response was ${was}, and there is no such operation`,
  other_status: (was: string, status: number) => `not played: the response was ${was}, and would now be ${status}`,
  // of all
  key: (key: string, account: string) => `The key ${key} replaces those of ${account}.`,
  dropped: (requests: number) =>
    `The journal no longer has the first ${requests === 1 ? 'request' : `${requests} requests`}: the first state is the one after that.`,
  set_back: () => 'The clock was set back between the requests. Here it stands still until it is past the time of a request.',
  other_settings: () => 'Settings were changed between the requests. Here those of the first request are in force.',
  no_delays: () => 'Delays and holds of the script are left out.',
  // of a play
  no_response: (why: string) => `no response came: ${why}`,
  reset: () => 'the connection was reset (ECONNRESET)',
  closed: () => 'the connection was closed before a response (UND_ERR_SOCKET)',
  held: () => 'the request is held, and nothing releases it'
} satisfies Sentences
