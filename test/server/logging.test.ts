/** Evidence and logging end neither a request nor the process. */
import { PassThrough, Writable } from 'node:stream'
import { type LevelWithSilent, pino } from 'pino'
import t, { type Test } from 'tap'
import type { GivenSettings } from '../../src/core/settings.js'
import { createLogger } from '../../src/server/logging.js'
import { MERCHANT, startTestEmulator } from '../support/emulator.js'

const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[(\\d+)m`, 'g')
/** More than a function call can take as arguments. */
const HUGE = 130_000
const KEY = { authorization: `Basic ${btoa(`${MERCHANT}:`)}` }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** Limits for a request with very many parameters. */
const ROOM = {
  'limits.parameters': 1_000_000,
  'limits.body': 100_000_000,
  'limits.journal_bytes': 2_000_000_000
}

/** An app with its own logger, and the lines that it wrote. */
async function startLogging(
  t: Test,
  level: LevelWithSilent,
  { settings = {}, write }: { settings?: GivenSettings; write?: (line: string) => void } = {}
) {
  const lines: string[] = []
  const logged = pino({ level }, { write: write ?? (line => lines.push(line)) })
  return { ...(await startTestEmulator(t, { settings: { ...ROOM, ...settings }, logged })), lines }
}

t.test('logs are lines for people on a terminal and JSON elsewhere, at their level', async t => {
  const lines: string[] = []
  const machine = new Writable({
    write: (chunk, _encoding, done) => done(void lines.push(String(chunk)))
  })
  const json = await createLogger('info', false, machine as never)
  json.info('logged')
  json.debug('not logged')
  t.equal(lines.map(line => JSON.parse(line).msg).join(), 'logged')

  const call = { id: 'req_1', method: 'GET', path: '/next/refunds', ms: 2.4 }
  const refused = { status: 400, code: 'refund_exceeds_remaining', rule: 'REF-7' }
  const cases: [level: 'info' | 'warn' | 'error', data: object, text: string, line: string][] = [
    ['info', { call: { ...call, status: 200 } }, '', 'GET /next/refunds <32>200<39> 2.4 ms req_1'],
    [
      'info',
      { call: { ...call, ...refused, script: 'scr_1' } },
      '',
      'GET /next/refunds <33>400 refund_exceeds_remaining REF-7<39> 2.4 ms req_1, scr_1'
    ],
    [
      'info',
      { call: { ...call, status: null, lost: 'hang' } },
      '',
      'GET /next/refunds <31>-<39> 2.4 ms req_1, lost: hang'
    ],
    ['info', {}, 'bell \u0007', 'bell \\u0007'],
    ['warn', {}, 'odd', '<33>warn: <39>odd'],
    ['error', {}, 'bad', '<31>error: <39>bad']
  ]
  for (const hasColors of [undefined, () => false, () => true]) {
    const terminal = Object.assign(new PassThrough(), { hasColors })
    const pretty = await createLogger('info', true, terminal as never)
    pretty.debug('not logged')
    for (const [level, data, text, line] of cases) {
      const written = new Promise<Buffer>(resolve => terminal.once('data', resolve))
      pretty[level](data, text)
      const shown = String(await written).replace(/\d\d:\d\d:\d\d/, 'TIME')
      const expected = hasColors?.()
        ? `<0><90>TIME<39> ${line}<0>\n`
        : `TIME ${line}\n`.replace(/<\d+>/g, '')
      t.equal(shown.replaceAll(COLOUR, '<$1>'), expected, `${level} ${text}`)
    }
    const written = new Promise<Buffer>(resolve => terminal.once('data', resolve))
    pretty.fatal({ err: new RangeError('too much') })
    t.match(String(await written), /RangeError: too much/, 'a defect has its stack')
  }
})

t.test('a request is logged on one line: method, path, status, time and id', async t => {
  const { call, control, logs } = await startTestEmulator(t)

  await call('GET /locations', { query: 'limit=1&starting_after=loc_a' })
  await call('POST /locations', { body: 'display_name=A&address[country]=US' })
  await call('GET /caf%C3%A9%0A')
  await control('GET /health')
  await call('GET /locations', { key: null })

  const lines = logs.map(line => JSON.parse(line)).filter(({ call }) => call)
  t.strictSame(
    lines.map(({ level, call: { id, method, path, status, code, rule } }) => [
      level,
      id,
      method,
      path,
      status,
      code,
      rule
    ]),
    [
      [30, 'req_1', 'GET', '/next/locations', 200, undefined, undefined],
      [30, 'req_2', 'POST', '/next/locations', 200, undefined, undefined],
      [30, 'req_3', 'GET', '/next/café?', 404, 'path_unknown', 'A08'],
      [20, 'ctl_1', 'GET', '/_control/health', 200, undefined, undefined],
      [30, 'req_4', 'GET', '/next/locations', 401, 'api_key_missing', 'AUTH-3']
    ]
  )
  t.equal(lines[0].msg.replace(/[\d.]+ ms/, 'N ms'), 'GET /next/locations 200 N ms req_1')

  const silent = await startTestEmulator(t, { logged: false })
  t.equal((await silent.call('GET /locations')).status, 200)
  t.strictSame(silent.logs, [])
})

t.test('a call is answered, logged and journaled with no, one', async t => {
  for (const level of ['trace', 'info', 'error', 'silent'] as const) {
    const { app, lines, sandbox } = await startLogging(t, level, {
      settings: { 'parameters.unknown': 'warn' }
    })
    const counts = level === 'info' ? [0, 1, 100, HUGE] : [0, 1, 100]
    for (const count of counts) {
      while (sandbox.state.store.keys.size < count)
        sandbox.state.store.keys.set(
          `sk_${sandbox.state.store.keys.size}_${'x'.repeat(sandbox.state.store.keys.size % 40)}`,
          'mch_a'
        )
      const names = Array.from({ length: count }, (_, nth) => `n${nth}=${nth}`).join('&')
      const headers = Object.fromEntries(
        Array.from({ length: count }, (_, nth) => [`x-header-${nth}`, 'v'])
      )
      const nested = Array.from({ length: count }, (_, nth) => `metadata[k${nth}]=v`).join('&')
      const problems = {
        api_keys: Array.from({ length: Math.min(count, 100) }, () => ({
          key: 'x',
          account: 'nobody'
        }))
      }
      const calls = [
        await app.inject({
          method: 'GET',
          url: '/next/tickets?limit=1',
          headers: { ...KEY, ...headers }
        }),
        await app.inject({ method: 'GET', url: `/next/tickets?${names}`, headers: KEY }),
        await app.inject({
          method: 'POST',
          url: '/next/locations',
          headers: { ...KEY, ...FORM },
          payload: `display_name=A&address[country]=US&${nested}`
        }),
        await app.inject({
          method: 'GET',
          url: '/next/tickets',
          headers: { authorization: `Basic ${btoa('sk_unknown_key:')}` }
        }),
        await app.inject({ method: 'GET', url: '/next/tickets/sk_1_x', headers: KEY }),
        await app.inject({
          method: 'POST',
          url: '/_control/records',
          headers: { host: 'localhost', 'content-type': 'application/json' },
          payload: JSON.stringify(problems)
        })
      ]
      const statuses = calls.map(({ statusCode }) => statusCode)
      t.strictSame(statuses.slice(0, 5), [200, 200, 200, 401, 404], `${level}, ${count}`)
      t.equal(statuses[5] === 200, count === 0, `${level}, ${count} problems: ${statuses[5]}`)
      t.ok([calls[1]?.headers.warning ?? []].flat().length <= 10)
      t.strictSame(
        sandbox.evidence.journal
          .requests()
          .slice(-5)
          .map(({ outcome }) => outcome.status),
        [200, 200, 200, 401, 404],
        `${level}, ${count}, journaled`
      )
    }
    t.notOk(
      lines.some(line => line.includes('defect')),
      level
    )
    const calls = lines.filter(line => line.includes('"call"')).length
    t.equal(
      calls,
      ['trace', 'info'].includes(level) ? counts.length * (level === 'info' ? 5 : 6) : 0,
      `${level}: a line for each call`
    )
    t.ok(lines.length <= counts.length * 16, `${level}: ${lines.length} lines`)
  }
})

t.test('A14: warnings of a request are logged, one for its body and one for its query', async t => {
  const { call, logs } = await startTestEmulator(t, { settings: { 'parameters.unknown': 'warn' } })
  await call('POST /locations', {
    body: 'display_name=A&address[country]=US&città=x&address[zip]=1',
    query: 'x=1'
  })
  const warned = logs.map(line => JSON.parse(line)).filter(({ level }) => level === 40)
  t.equal(warned.map(({ msg }) => msg.split(' ')[0]).join(), 'x,address[zip]')
})
