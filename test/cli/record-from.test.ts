import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { SAYS } from '../../src/cli/sentences.js'
import { startEmulator } from '../../src/index.js'
import { ran, serving } from '../support/command.js'
import { MERCHANT, RESELLER, smallFixture } from '../support/emulator.js'
import type { Json } from '../support/json.js'

const CALL = `
const call = async (on, form, key = '${MERCHANT}') => {
  const [method, path] = on.split(' ')
  const headers = key === null ? {} : { authorization: 'Basic ' + btoa(key + ':') }
  const response = await fetch(process.env.COMMERCE_BASE_URL + path, { method, headers, ...(form && { body: new URLSearchParams(form) }) })
  return { status: response.status, body: await response.json() }
}
`

/**
 * Runs a client of a service, which is an emulator with settings of its own, and records what it
 * does.
 */
async function recorded(
  t: Test,
  code: string,
  settings: Json = {},
  from?: string,
  options: string[] = []
) {
  const service = await startEmulator({ scenario: { data: smallFixture() } as Json, settings })
  t.teardown(() => service.close())
  const out = `${t.testdir()}/own.yaml`
  const address = from ?? service.baseUrl
  const run = await ran([
    'record',
    '--from',
    address,
    '--out',
    out,
    ...options,
    '--',
    process.execPath,
    '--input-type=module',
    '-e',
    `${CALL}${code}`
  ])
  const read = () => readFileSync(out, 'utf8')
  return { ...run, out, address, read, plays: () => parse(read()).play as Json[] }
}

t.test(
  'record --from: what a client asks of a service is a scenario, and is compared with the emulator at once',
  async t => {
    const { status, stderr, out, address, read, plays } = await recorded(
      t,
      `
await call('GET /locations?limit=1')
const { body } = await call('POST /transactions', { ticket: 'tkt_a', payment_type: 'card', amount: 900, 'card[number]': '5555555555554444', 'card[csc]': '987' }, null)
await call('GET /tickets/tkt_a')
await call('POST /refunds', { transaction: body.id, amount: 901 })
await call('POST /refunds', { transaction: body.id, amount: 300, 'metadata[note]': 'for ${MERCHANT}' })
process.exit(7)`,
      { 'statuses.refund_refused': 422 }
    )

    t.equal(status, 7, 'the status of the command')
    t.notMatch(read(), new RegExp(`5555555555554444|987|${MERCHANT}`))
    t.strictSame(
      plays().map(({ as = null, do: on, expect }) => [as, on, expect.status]),
      [
        [null, 'GET /locations', 200],
        [null, 'GET /tickets/tkt_a', 200],
        ['transaction_3', 'POST /transactions', 200],
        [null, 'GET /tickets/tkt_a', 200],
        [null, 'POST /refunds', 422],
        ['refund_6', 'POST /refunds', 200]
      ]
    )
    t.equal(plays()[4].body.transaction, '${transaction_3.id}')
    t.strictSame(
      plays()[1].expect,
      { status: 200 },
      'what the service shows of its other records is not expected'
    )
    t.match(stderr, 'statuses:\n    refund_refused: 422')
    t.notMatch(stderr, /differs by rule|last4/)
    const again = await ran([
      'check',
      out,
      '--against',
      address,
      '--key',
      MERCHANT,
      '--set',
      'statuses.refund_refused=422'
    ])
    t.equal(again.status, 0, again.stdout)
  }
)

t.test(
  'record --from: a record that a request names is read first; keys have names, and what no play can send is left out',
  async t => {
    const { stderr, read, plays } = await recorded(
      t,
      `
await call('GET /accounts?limit=1', undefined, '${RESELLER}')
await call('GET /tickets?search_query=5555555555554444')
await call('POST /transactions', { ticket: 'tkt_b', payment_type: 'external', amount: 5 }, null)
await call('GET /tickets', undefined, null)
await call('GET /nothing')`
    )

    t.strictSame(
      plays().map(({ do: on, key = null }) => [on, key]),
      [
        ['GET /accounts', null],
        ['GET /tickets', 'key_2'],
        ['GET /tickets/tkt_b', 'key_2'],
        ['POST /transactions', null]
      ]
    )
    t.match(
      read(),
      /^# commerce-emulator check own\.yaml --against \S+ --key KEY --key key_2=KEY$/m
    )
    t.match(read(), 'GET /tickets: not played: it was sent without a key')
    t.match(read(), 'GET /nothing: not played')
    t.match(read(), 'GET /tickets: text that was masked')
    t.notMatch(read(), '5555555555554444')
    t.match(stderr, / 6 requests; .* 2 more /)
  }
)

t.test(
  'record --from: what a service creates without an id is recorded, and nothing refers to it',
  async t => {
    const odd = await serving(t, (_request, response) =>
      response.setHeader('content-type', 'application/json').end('{"amount":5}')
    )
    const { plays } = await recorded(
      t,
      `await call('POST /transactions', { ticket: 'tkt_a', payment_type: 'external', amount: 5 }, null)`,
      {},
      odd
    )

    t.strictSame(plays()[0].expect, { status: 200, body: { amount: 5 } })
  }
)

t.test(
  'record --from: a body that is too long is refused, and requests beyond the journal are passed on',
  async t => {
    const code = `
const long = await call('POST /refunds', { transaction: 'x'.repeat(2 ** 20) })
if (long.status !== 502 || !/at most 1048576 bytes/.test(long.body.error.message)) process.exit(9)
const statuses = []
for (let nth = 0; nth < 3; nth++) statuses.push((await call('GET /tickets')).status)
if (statuses.join() !== '200,200,200') process.exit(9)`
    const { status, stderr, plays } = await recorded(t, code, {}, undefined, [
      '--set',
      'limits.journal=2'
    ])

    t.strictSame([status, plays().length], [0, 2])
    t.match(stderr, SAYS.not_kept(2, 1))
  }
)

t.test(
  'record --from: a service that does not respond is told to the client, and nothing is written',
  async t => {
    const { baseUrl: closed, close } = await startEmulator()
    await close()
    const { status, stderr, read } = await recorded(
      t,
      `const { status, body } = await call('GET /tickets'); if (status !== 502 || !/ECONNREFUSED/.test(body.error.message)) process.exit(9)`,
      {},
      closed
    )

    t.equal(status, 1)
    t.match(stderr, SAYS.nothing_passed())
    t.throws(read)
  }
)

t.test('record --from: what has no meaning with it is refused before the command runs', async t => {
  const out = `${t.testdir()}/own.yaml`
  for (const [given, says] of [
    [['--from', 'service.example'], SAYS.address(SAYS.not_http('service.example'), '--from')],
    [['--from', 'http://service.example/next?x=1'], SAYS.address(SAYS.has_query(), '--from')],
    [
      ['--from', 'http://service.example/next', '--report', 'reports'],
      SAYS.not_with_from('--report')
    ],
    [
      ['--from', 'http://service.example/next', '--min-coverage', '4'],
      SAYS.not_with_from('--min-coverage')
    ]
  ] as const) {
    const { status, stderr } = await ran([
      'record',
      ...given,
      '--out',
      out,
      '--',
      process.execPath,
      '-e',
      'process.exit(9)'
    ])
    t.strictSame([status, stderr.includes(says)], [2, true], `${given.join(' ')}: ${stderr}`)
  }
  const { status } = await ran([
    'record',
    '--from',
    'http://service.example/next',
    '--out',
    t.testdirName,
    '--',
    process.execPath,
    '-e',
    'process.exit(9)'
  ])
  t.equal(status, 1, 'a folder is no file')
})
