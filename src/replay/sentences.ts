/** What recordings say of themselves, in comments, and what clients of plays see. */
import type { Sentences } from '../core/sentences.js'
import type { Fault } from '../scenario/script.js'

export const SAYS = {
  recorded: () =>
    'Recorded by commerce-emulator. `commerce-emulator check FILE` replays these requests and expects the same responses.',
  left_out: () =>
    'Not recorded: API keys, card data, account numbers, delays, holds, changes of settings, and a clock that is set back. What else differs from the original requests is listed below.',
  description: (scenario: string) => `The requests that a client sent in ${scenario}.`,
  description_of_one: (operation: string, response: string) =>
    `The response to ${operation} is ${response}.`,
  // of a request, after its name
  of: (request: string, note: string) => `${request}: ${note}.`,
  replaced: (what: string) => `${what} is not what was sent`,
  other_values: () => 'its response has different values, which are not checked',
  not_played: (was: string, now: string) =>
    `not played: the response was ${was}; it would be ${now}`,
  not_expected: (wanted: string) =>
    `Left out of expect, since it refers to what is not recorded: ${wanted}.`,
  dropped: (requests: number) =>
    `The journal no longer has the first ${requests === 1 ? 'request' : `${requests} requests`}: this scenario starts after them.`,
  // of a play
  no_response: (fault: Fault) => `no response came: ${fault}`
} satisfies Sentences
