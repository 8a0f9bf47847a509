/**
 * A short run of the fuzzer, and its findings for wrong responses; `npm run fuzz` is the long run.
 */
import t from 'tap'
import { answersIn } from './client.js'
import { fuzzControl } from './control.js'
import { fuzz, shown, textOf } from './fuzz.js'
import { faultsOf } from './judge.js'
import { requestOf } from './requests.js'

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8', 'request-id': 'req_1' }
const refusal = (changed: object = {}) => ({
  error: {
    type: 'invalid_request_error',
    code: 'parameter_invalid',
    message: 'limit: no.',
    request_id: 'req_1',
    ...changed
  }
})
const faults = (
  status: number,
  body: object | string,
  headers: Record<string, string> = JSON_TYPE,
  path = '/next/tickets'
) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return faultsOf(
    { answers: [{ status, headers, body: text }], text, failure: null },
    { method: 'GET', path }
  )
}

t.test('fuzz: a request depends only on the seed and its number', async t => {
  const ids = { tickets: ['tkt_1'] }
  const texts = (seed: number) =>
    Array.from({ length: 50 }, (_, nth) => textOf(requestOf(seed, nth, ids)))

  t.strictSame(texts(1), texts(1))
  t.not(texts(1).join(), texts(2).join())
})

t.test('fuzz: a wrong response is reported', async t => {
  const cardNumber = '4539578763621486'
  const misplaced = '4929622193574150'
  const cases: [found: string[], faults: string[]][] = [
    [faults(200, { object: 'list' }), []],
    [faults(400, refusal()), []],
    [faults(501, refusal({ type: 'not_implemented_error', code: 'operation_disabled' })), []],
    [faults(500, refusal({ type: 'internal_error', code: 'internal_error' })), ['status 500']],
    [faults(503, refusal()), ['status 503']],
    [faults(503, 'down', { 'x-scripted': '1' }), []],
    [faults(400, 'no', { 'content-type': 'text/plain' }), ['a refusal of type text/plain']],
    [faults(400, 'no'), ['a refusal whose body is no error object']],
    [faults(400, refusal({ code: 'bad' })), ['the code bad is in no catalogue']],
    [
      faults(400, refusal({ type: 'not_found_error' })),
      ['the code parameter_invalid has the type not_found_error']
    ],
    [
      faults(400, refusal({ message: '', stack: 'at x' })),
      ['the error has a member stack', 'the error has no message']
    ],
    [
      faults(400, refusal({ request_id: 'req_2' })),
      ["the request_id req_2 is not the header's req_1"]
    ],
    [faults(200, { number: cardNumber }), [`the answer shows the card number ${cardNumber}`]],
    [faults(200, { reference: misplaced }), []],
    [faults(400, refusal({ param: misplaced })), [`the answer shows the card number ${misplaced}`]],
    [
      faults(200, { data: [misplaced] }, JSON_TYPE, '/_control/requests?limit=1'),
      [`the answer shows the card number ${misplaced}`]
    ],
    [faults(400, refusal({ param: '4539578763621487' })), []],
    [
      faults(200, { csc: 'zqabcdefghijklmnqz' }),
      ['the answer shows the used secret zqabcdefghijklmnqz']
    ],
    [faults(200, { key: 'sk_test_merchant' }), ['the answer shows the API key sk_test_merchant']],
    [faults(200, { key: 'sk_test_merchant' }, JSON_TYPE, '/_control/state'), []],
    [
      faults(404, refusal({ param: 'sk_ownabcdefghijklmnop' })),
      ["the answer shows the caller's key sk_ownabcdefghijklmnop"]
    ],
    [
      faultsOf(
        { answers: [], text: '', failure: 'no answer: socket hang up' },
        { method: 'GET', path: '/' }
      ),
      ['no answer: socket hang up']
    ]
  ]
  for (const [found, expected] of cases) t.strictSame(found, expected)
})

t.test('fuzz: responses are found among the bytes of a connection', async t => {
  const bytes = (...parts: string[]) => Buffer.from(parts.join(''), 'latin1')
  const interim = 'HTTP/1.1 100 Continue\r\n\r\n'
  const sized = 'HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nab'
  const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n'
  const empty = 'HTTP/1.1 204 No Content\r\n\r\n'

  t.strictSame(
    answersIn(bytes(interim, sized, chunked, empty, sized.slice(0, -1))).map(({ status, body }) => [
      status,
      body
    ]),
    [
      [404, 'ab'],
      [200, 'abc'],
      [204, '']
    ]
  )
  t.strictSame(answersIn(bytes('garbage')), [])
})

t.test('fuzz: 600 hostile requests find nothing', async t => {
  const { findings, requests, statuses } = await fuzz({ seed: 20_260_301, count: 600 })

  t.equal(requests, 600)
  for (const status of ['200', '400', '401', '404', '501'])
    t.ok((statuses[status] ?? 0) > 1, `${status}: ${statuses[status]}`)
  t.strictSame(findings.map(shown), [])
})

t.test('fuzz: 30 control documents: no neighbour waits, a refusal does nothing', async t => {
  const { findings, documents, statuses } = await fuzzControl({ seed: 20_260_301, count: 30 })

  t.equal(documents, 30)
  t.ok((statuses['400'] ?? 0) > 2)
  t.strictSame(findings.map(shown), [])
})
