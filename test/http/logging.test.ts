/** Whatever a call carries, and however much of it: evidence and logging end neither the call nor the process. */
import { pino } from 'pino'
import t from 'tap'
import { buildApp } from '../../src/app.js'
import { type GivenSettings, settingsInForce } from '../../src/core/settings.js'
import { Sandboxes } from '../../src/sandbox/sandboxes.js'
import { documentOf } from '../../src/scenario/documents.js'
import { Library } from '../../src/scenario/library.js'
import { MERCHANT, NOW, smallFixture, startTestEmulator } from '../support/emulator.js'

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
/** More than one call can take as arguments. */
const HUGE = 130_000
const KEY = { authorization: `Basic ${btoa(`${MERCHANT}:`)}` }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** An app with a logger of its own, and the lines that it wrote. */
async function startLogging(level: (typeof LEVELS)[number], { settings = {}, write }: { settings?: GivenSettings; write?: (line: string) => void } = {}) {
  const lines: string[] = []
  const launch = {
    flag: {
      'limits.parameters': 1_000_000,
      'limits.body': 100_000_000,
      'limits.journal_bytes': 2_000_000_000,
      'limits.journal_total': 2_000_000_000,
      ...settings
    },
    environment: {}
  }
  const library = new Library({ fixtures: null, scenarios: null })
  const sandboxes = new Sandboxes({ library, launch, machine: () => Date.parse(NOW) })
  const logger = pino({ level }, { write: write ?? (line => lines.push(line)) })
  const app = await buildApp({ sandboxes, library, settings: settingsInForce(launch).values, version: '0.0.0', logger })
  await sandboxes.start(documentOf('test', { clock: NOW, data: smallFixture() }), { name: 'test', file: null }, { play: app.playIn })
  return { app, lines, sandbox: sandboxes.main }
}

t.test('a call is answered, logged and journaled with no, one, many and very many keys, names, headers and problems, at every level', async t => {
  for (const level of LEVELS) {
    const { app, lines, sandbox } = await startLogging(level, { settings: { 'parameters.unknown': 'warn' } })
    const counts = level === 'info' ? [0, 1, 100, HUGE] : [0, 1, 100]
    for (const count of counts) {
      while (sandbox.store.keys.size < count) sandbox.store.keys.set(`sk_${sandbox.store.keys.size}_${'x'.repeat(sandbox.store.keys.size % 40)}`, 'mch_a')
      const names = Array.from({ length: count }, (_, nth) => `n${nth}=${nth}`).join('&')
      const headers = Object.fromEntries(Array.from({ length: count }, (_, nth) => [`x-header-${nth}`, 'v']))
      const nested = Array.from({ length: count }, (_, nth) => `metadata[k${nth}]=v`).join('&')
      const problems = { api_keys: Array.from({ length: Math.min(count, 100) }, () => ({ key: 'x', account: 'nobody' })) }
      const calls = [
        await app.inject({ method: 'GET', url: '/next/tickets?limit=1', headers: { ...KEY, ...headers } }),
        await app.inject({ method: 'GET', url: `/next/tickets?${names}`, headers: KEY }),
        await app.inject({ method: 'POST', url: '/next/locations', headers: { ...KEY, ...FORM }, payload: `display_name=A&address[country]=US&${nested}` }),
        await app.inject({ method: 'GET', url: '/next/tickets', headers: { authorization: `Basic ${btoa('sk_unknown_key:')}` } }),
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
          .calls()
          .slice(-5)
          .map(({ status }) => status),
        [200, 200, 200, 401, 404],
        `${level}, ${count}, journaled`
      )
    }
    t.notOk(
      lines.some(line => line.includes('defect')),
      level
    )
    const calls = lines.filter(line => line.includes('"call"')).length
    t.equal(calls, ['trace', 'debug', 'info'].includes(level) ? counts.length * 6 : 0, `${level}: a line for each call`)
    t.ok(lines.length <= counts.length * 16, `${level}: ${lines.length} lines`)
    await app.close()
  }
})

t.test('A14: of very many unknown parameters a refusal names the first twenty', async t => {
  const { call } = await startTestEmulator(t)
  const names = (count: number) => Array.from({ length: count }, (_, nth) => `n${nth}=`).join('&')

  const { body: twenty } = await call('GET /tickets', { query: names(20) })
  const { body: more } = await call('GET /tickets', { query: names(23) })

  t.ok(/n19 is not a parameter of this call; .*\.$/.test(twenty.error.message), twenty.error.message.slice(-80))
  t.ok(more.error.message.endsWith(' 3 more are not parameters either.'), more.error.message.slice(-80))
  t.notOk(more.error.message.includes('n20 '))
})

t.test('a logger that throws fails no call', async t => {
  const { app } = await startLogging('trace', {
    settings: { 'parameters.unknown': 'warn' },
    write: () => {
      throw new Error('no space left')
    }
  })
  t.teardown(() => app.close())

  const warned = await app.inject({ method: 'GET', url: '/next/tickets?x=1', headers: KEY })
  const refused = await app.inject({ method: 'GET', url: '/next/tickets' })

  t.strictSame([warned.statusCode, refused.statusCode], [200, 401])
})

t.test('evidence that throws fails no call: it is logged as a defect', async t => {
  const { app, lines, sandbox } = await startLogging('info')
  t.teardown(() => app.close())
  sandbox.evidence.record = () => {
    throw new RangeError('too much')
  }

  const { statusCode } = await app.inject({ method: 'GET', url: '/next/tickets', headers: KEY })

  t.equal(statusCode, 200)
  t.strictSame(
    lines.map(line => JSON.parse(line)).map(({ msg, err }) => [msg.slice(0, 19), err?.message]),
    [
      ['defect', 'too much'],
      ['GET /next/tickets 2', undefined]
    ]
  )
})
