/** What recordings say of themselves, in comments, and what clients of plays see. */
import type { Sentences } from '../core/sentences.js'

const CLOSED = 'the connection was closed before a response (UND_ERR_SOCKET)'

export const SAYS = {
  recorded: () =>
    'Recorded by commerce-emulator. `commerce-emulator check FILE` replays these requests and expects the same responses.',
  left_out: () =>
    'API keys, card data and account numbers are not recorded. Their replacements, and whatever else differs from the original requests, are listed below.',
  description: (scenario: string) => `The requests that a client sent in ${scenario}.`,
  description_of_one: (operation: string, status: number, why: string) =>
    `The response to ${operation} is ${status}${why}.`,
  // of a request, after its name
  of: (request: string, note: string) => `${request}: ${note}.`,
  masked: () => 'text that was masked is sent masked',
  escaped: () => '"${" is written "$ {", so that it is not read as a reference',
  replaced: (what: string, by: string) => `${what} is replaced by ${by}`,
  other_values: () => 'values of the response that differ from the recorded ones are not checked',
  client_left: () => 'not played: its client disconnected before the operation ran',
  no_operation: (was: string) =>
    `not played: the response was ${was}, and there is no such operation`,
  other_status: (was: string, status: number) =>
    `not played: the response was ${was}, and would now be ${status}`,
  // of an expectation
  not_expected: (wanted: string, why: string) => `Left out of expect: ${wanted}. ${why}.`,
  unrecorded: () => 'Keys, headers or secrets that it tells apart are not recorded',
  not_here: (names: readonly string[]) =>
    `It refers to ${names.map(name => `\${${name}}`).join(', ')}, which is not here`,
  // of all
  key: (key: string, account: string) => `The key ${key} replaces the keys of ${account}.`,
  dropped: (requests: number) =>
    `The journal no longer has the first ${requests === 1 ? 'request' : `${requests} requests`}: this scenario starts after them.`,
  set_back: () =>
    'The clock was set back between requests. Here it stands still until the time of a later request.',
  other_settings: () =>
    'Settings were changed between requests. This scenario uses those of the first request.',
  no_delays: () => 'Delays and holds of the script are left out.',
  // of a play
  no_response: (why: string) => `no response came: ${why}`,
  connection_reset: () => 'the connection was reset (ECONNRESET)',
  empty_response: () => CLOSED,
  truncated_body: () => CLOSED,
  hang: () => 'the request is held, and nothing releases it'
} satisfies Sentences
