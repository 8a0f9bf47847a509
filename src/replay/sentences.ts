/** What recordings say of themselves, in comments, and what clients of plays see. */
import type { Sentences } from '../core/sentences.js'
import type { Fault } from '../scenario/script.js'

export const SAYS = {
  recorded: () =>
    'Recorded by commerce-emulator. `commerce-emulator check FILE` replays these requests and expects the same responses.',
  left_out: () =>
    'Not recorded: API keys, card data and other secrets, delays, holds, changes of settings, and a clock that is set back. Other values stand in place of secrets, and $ { for the start of a reference.',
  description: (scenario: string) => `The requests that a client sent in ${scenario}.`,
  description_of_one: (operation: string, response: string) =>
    `The response to ${operation} is ${response}.`,
  other_values: (request: string) =>
    `${request}: a replay gets other values, which are not checked.`,
  not_played: (request: string, status: number) =>
    `${request}: not played, since a replay does not get its ${status} response.`,
  not_expected: (wanted: string) =>
    `Left out of expect, since it refers to what is not recorded: ${wanted}.`,
  dropped: (requests: number) =>
    `Requests that the journal no longer has: ${requests}. This scenario starts after them.`,
  // of a play
  no_response: (fault: Fault) => `no response came: ${fault}`
} satisfies Sentences
