/** What the server says in responses and in the log. */
import type { Sentences } from '../core/sentences.js'

export const SAYS = {
  no_media_type: () =>
    'The Content-Type header is not a media type; send application/json or application/yaml to the control API, and forms to the emulated one.',
  wrong_length: () => 'The length of the body does not match Content-Length.',
  body_cut_off: () => 'The connection ended in the middle of the body.',
  defect: () =>
    'The emulator failed; its log says where. Please report it with the request that caused it.',
  headers_too_large: () => 'The request line and headers are larger than 16 KiB.',
  request_timeout: () => 'The request did not arrive in time.',
  request_malformed: (cause: string) => `The request cannot be read as HTTP/1.1: ${cause}.`,
  is_tls: () => 'it is TLS; the address must begin with http://',
  is_http2: () => 'it is HTTP/2',
  is_connect: () => 'CONNECT is for a proxy, and the emulator is not one',
  two_lengths: () => 'its length is sent twice, or as Content-Length and Transfer-Encoding',
  expectation_failed: () => 'The Expect header may only ask for 100-continue.',
  no_host: () => 'The Host header is missing; HTTP/1.1 requires it.',
  connections_reached: () => 'A connection was closed: limits.connections is reached.',
  unread: (most: number) =>
    `${most} bytes of responses wait for clients that do not read them. Try again when some have ended.`,
  loading: (address: string) =>
    `loading the scenario; until it is ready, ${address} responds with 503`,
  listening: (address: string) => `listening on ${address}`,
  reloaded: (file: string, scenario: string) =>
    `${file} changed: the scenario ${scenario} was reloaded`,
  not_reloaded: (file: string, reason: string) =>
    `${file} changed, but could not be loaded; the state is unchanged. ${reason}`
} satisfies Sentences
