/**
 * Bytes for a bare socket: malformed, truncated, misframed or concatenated requests, and bytes that
 * are not HTTP.
 */
import type { Call } from './api-calls.js'
import { type Draws, listed } from './draws.js'

export type Raw = {
  /** Byte sequences, with pauses in milliseconds between them. */
  pieces: (Buffer | number)[]
  answers: number
  after: 'waits' | 'ends' | 'breaks off'
}

const CRLF = '\r\n'
const latin1 = (text: string) => Buffer.from(text, 'latin1')

export function bytesOf(
  { method, path, headers, body }: Call,
  more: readonly string[] = []
): Buffer {
  const { host = 'localhost', ...rest } = headers
  const lines = Object.entries(rest).map(([name, value]) => `${name}: ${value}`)
  const length = body === null ? [] : [`content-length: ${body.length}`]
  return Buffer.concat([
    latin1(
      [`${method} ${path} HTTP/1.1`, `host: ${host}`, ...lines, ...length, ...more, '', ''].join(
        CRLF
      )
    ),
    body ?? Buffer.alloc(0)
  ])
}

const sent = (text: string | Buffer, more: Partial<Raw> = {}): Raw => ({
  pieces: [Buffer.isBuffer(text) ? text : latin1(text)],
  answers: 1,
  after: 'waits',
  ...more
})
const head = (line: string, ...headers: string[]) =>
  `${[line, ...headers].join(CRLF)}${CRLF}${CRLF}`

const REQUEST_LINES = [
  ...listed(
    '¦ ¦GET¦GET ¦GET /next¦GET /next/tickets HTTP/9.9¦GET /next/tickets HTTP/1.2¦GET /next/tickets HTTP/2.0¦get /next/tickets HTTP/1.1',
    'GET  /next/tickets  HTTP/1.1¦GET\t/next/tickets\tHTTP/1.1¦GET /next/tickets HTTP/1.1 x¦GET /next/ti ckets HTTP/1.1¦G\0T /next HTTP/1.1',
    'GET /next/\0 HTTP/1.1¦GET /next/\xff\xfe HTTP/1.1¦GET next HTTP/1.1¦GET ? HTTP/1.1¦GET # HTTP/1.1¦GET /next/tickets#a HTTP/1.1',
    'GET /next/%00 HTTP/1.1¦GET /next/%c0%ae%c0%ae/ HTTP/1.1¦GET //next//tickets HTTP/1.1¦GET \\next\\tickets HTTP/1.1¦OPTIONS * HTTP/1.1',
    'GET * HTTP/1.1¦OPTIONS /next/refunds HTTP/1.1¦OPTIONS /_control/state HTTP/1.1¦TRACE /next HTTP/1.1¦PRI * HTTP/2.0¦BREW /pot HTTP/1.1',
    'SUBSCRIBE / HTTP/1.1¦CONNECT evil.example:443 HTTP/1.1¦CONNECT /next HTTP/1.1¦CONNECT [::1] HTTP/1.1¦GET http:///next/tickets HTTP/1.1',
    'GET http://a@b:c/next HTTP/1.1¦GET http://evil.example/next/tickets HTTP/1.1¦GET HTTPS://evil.example/_control/settings HTTP/1.1',
    'GET http://[::1/next HTTP/1.1¦GET ftp://evil.example/next HTTP/1.1¦GET http://x HTTP/1.1',
    'GET http://evil.example/sandbox/one/next/tickets HTTP/1.1¦GET /sandbox HTTP/1.1¦GET /sandbox/ HTTP/1.1¦GET /sandbox/one HTTP/1.1',
    'GET /sandbox/one? HTTP/1.1¦GET /sandbox/\0/next HTTP/1.1¦GET /sandbox/one/sandbox/two/next/tickets HTTP/1.1¦GET /sandbox//next/tickets HTTP/1.1',
    'GET /sandbox/../next/tickets HTTP/1.1¦GET /SANDBOX/one/next HTTP/1.1¦GET /sandbox/\xe9/next/tickets HTTP/1.1'
  ),
  `${'A'.repeat(9000)} / HTTP/1.1`
]

const HEADERS = [
  ...listed(
    'x¦: x¦x : y¦ x: y¦x: y\0z¦x\0: y¦x: \xff\xfe\x80¦x:¦\x7f: x¦a b: c¦host: evil.example¦Host:¦connection: close¦connection: upgrade, keep-alive, x',
    'keep-alive: timeout=999999¦expect: 100-continue¦expect: 200-ok¦expect: ¦upgrade: websocket¦upgrade: h2c¦http2-settings: AAMAAABkAAQAAP__',
    'te: trailers¦trailer: x¦via: x¦x: a\r\n b¦x: a\nb: c¦x: a\rb¦content-type: \xff¦authorization: \xff¦content-length: 5¦content-length: 0',
    'transfer-encoding: chunked¦proxy-connection: keep-alive',
    'sec-websocket-key: x\r\nsec-websocket-version: 13\r\nconnection: upgrade\r\nupgrade: websocket¦date: never'
  ),
  `x: ${'y'.repeat(20_000)}`,
  `cookie: ${'a=b; '.repeat(3000)}`,
  'x-y: '.repeat(50)
]

const LENGTHS = listed(
  '-1¦+5¦5 5¦0x5¦5,5¦5, 6¦1e2¦¦x¦99999999999999999999¦2147483648¦18446744073709551616¦00005¦5\r\ncontent-length: 6¦5\r\ntransfer-encoding: chunked'
)
const ENCODINGS = listed(
  'chunked¦gzip, chunked¦chunked, identity¦chunked, chunked¦xchunked¦chunked\r\ntransfer-encoding: identity¦ chunked¦Chunked¦¦identity¦\x0bchunked'
)
const CHUNKS = [
  ...listed(
    'zz\r\nab\r\n0\r\n\r\n¦fffffffffffffffff\r\nab¦-1\r\na\r\n0\r\n\r\n¦2\r\nabc\r\n0\r\n\r\n¦2\nab\n0\n\n¦2\r\nab¦0\r\n¦0\r\n\r\n¦\r\n\r\n',
    '2;x=y\r\nab\r\n0\r\nx: y\r\n\r\n¦0x2\r\nab\r\n0\r\n\r\n¦2 \r\nab\r\n0\r\n\r\n¦6\r\nticket\r\n4\r\n=tkt\r\n0\r\n\r\n',
    '0\r\ncontent-length: 9\r\nhost: evil\r\n\r\n¦7fffffff\r\nab¦000000000002\r\nab\r\n0\r\n\r\n¦\0'
  ),
  `2;${'x'.repeat(20_000)}\r\nab\r\n0\r\n\r\n`
]

const GARBAGE = [
  Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]),
  latin1('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0'),
  latin1('\r\n\r\n\r\n\r\n'),
  latin1('\0'.repeat(100)),
  latin1('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
  latin1('SSH-2.0-OpenSSH_9\r\n'),
  latin1('{"json":true}'),
  Buffer.alloc(70_000, 'a')
]

const BITS = [
  CRLF,
  '\n',
  '\0',
  ' ',
  ':',
  '%',
  '&',
  '=',
  '[',
  '\xff',
  'content-length: 3\r\n',
  '0\r\n\r\n'
]

function mutated(bytes: Buffer, draws: Draws): Buffer {
  let now = bytes
  for (let times = 1 + draws.below(4); times > 0; times--) {
    const at = draws.below(now.length + 1)
    const length = draws.below(draws.pick([2, 20, 400]))
    const before = now.subarray(0, at)
    now = draws.way([
      [3, () => Buffer.concat([before, draws.bytes(1), now.subarray(at + 1)])],
      [2, () => Buffer.concat([before, now.subarray(at + length)])],
      [2, () => Buffer.concat([before, now.subarray(at, at + length), now.subarray(at)])],
      [2, () => Buffer.concat([before, draws.bytes(length % 12), now.subarray(at)])],
      [2, () => Buffer.concat([before, latin1(draws.pick(BITS)), now.subarray(at)])]
    ])
  }
  return now
}

export function rawOf(call: Call, others: () => Call, draws: Draws): Raw {
  const bytes = bytesOf(call)
  const withHeader = (...headers: string[]) => bytesOf(call, headers)
  const { method, path } = call
  const host = 'host: localhost'
  const bodied = (line: string, body: string, more: Partial<Raw> = {}) =>
    sent(
      `${head(`POST ${path} HTTP/1.1`, host, 'content-type: application/x-www-form-urlencoded', line)}${body}`,
      more
    )
  const after = (...ways: Raw['after'][]) => ({ after: draws.pick(ways) })
  const older = [[], [host], ['connection: keep-alive', 'host: x'], ['transfer-encoding: chunked']]
  const origin = () =>
    `${draws.pick(['http', 'HTTPS'])}://${draws.pick(['localhost', 'evil.example', '[::1]:1', ''])}`
  const long = () =>
    `${draws.pick(['a', '%61', '../', '%'])}${'a'.repeat(draws.pick([8000, 15_000, 17_000, 70_000]))}`
  const continuing = () =>
    latin1(head(`POST ${path} HTTP/1.1`, host, 'expect: 100-continue', 'content-length: 3'))
  return draws.way<Raw>([
    [6, () => sent(head(draws.pick(REQUEST_LINES), 'host: localhost'))],
    [6, () => sent(withHeader(draws.pick(HEADERS)))],
    [
      2,
      () =>
        sent(
          withHeader(
            ...Array.from({ length: draws.pick([10, 500, 3000]) }, (_, index) => `x-${index}: y`)
          )
        )
    ],
    [4, () => bodied(`content-length: ${draws.pick(LENGTHS)}`, 'a=b&c=d')],
    [2, () => bodied(`content-length: ${draws.pick([1, 3, 6])}`, 'a=b&c=d', { answers: 2 })],
    [
      2,
      () =>
        bodied(
          `content-length: ${draws.pick([8, 100, 1_048_577, 2_000_000])}`,
          'a=b&c=d',
          after('ends', 'breaks off')
        )
    ],
    [
      4,
      () =>
        bodied(
          `transfer-encoding: ${draws.pick(ENCODINGS)}`,
          draws.pick(CHUNKS),
          after('waits', 'ends', 'breaks off')
        )
    ],
    [
      1,
      () =>
        bodied(
          'transfer-encoding: chunked',
          `${'8000\r\n'.concat('a'.repeat(0x8000), CRLF).repeat(40)}0\r\n\r\n`
        )
    ],
    [
      4,
      () =>
        sent(
          bytes.subarray(0, draws.below(bytes.length)),
          after('ends', 'breaks off', 'breaks off')
        )
    ],
    [
      2,
      () => ({
        pieces: [bytes.subarray(0, 9), 5, bytes.subarray(9, 40), 5, bytes.subarray(40)],
        answers: 1,
        after: 'waits'
      })
    ],
    [
      5,
      () => {
        const calls = Array.from({ length: 2 + draws.below(8) }, others)
        return sent(Buffer.concat([bytes, ...calls.map(other => bytesOf(other))]), {
          answers: calls.length + 1,
          ...after('waits', 'ends', 'breaks off')
        })
      }
    ],
    [2, () => sent(Buffer.concat([bytes, draws.bytes(20)]), { answers: 2 })],
    [
      3,
      () =>
        sent(
          draws.chance(50) ? draws.pick(GARBAGE) : draws.bytes(1 + draws.below(300)),
          after('waits', 'ends')
        )
    ],
    [2, () => sent(head(`${method} ${path} HTTP/1.0`, ...draws.pick(older)))],
    [2, () => sent(head(`${method} ${origin()}${path} HTTP/1.1`, host))],
    [
      2,
      () => ({
        pieces: [continuing(), draws.below(20), latin1(draws.pick(['a=b', '', 'a=b&c=d']))],
        answers: 1,
        ...after('waits', 'ends')
      })
    ],
    [1, () => ({ pieces: [], answers: 1, ...after('ends', 'breaks off') })],
    [1, () => sent(bytes, { after: 'breaks off' })],
    [1, () => sent(Buffer.from(bytes.toString('latin1').replaceAll(CRLF, '\n'), 'latin1'))],
    [1, () => sent(head(`GET ${path.slice(0, 20)}/${long()} HTTP/1.1`, host))],
    [8, () => sent(mutated(bytes, draws), after('waits', 'waits', 'ends'))]
  ])
}
