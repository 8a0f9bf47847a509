/** Sandboxes that get hostile requests at the same time; then each alone, with the same requests. */
import type { InjectOptions } from 'fastify'
import t from 'tap'
import { runEmulator } from '../../src/emulator.js'
import { apiCall, basic, type Call } from '../fuzz/api-calls.js'
import { Draws } from '../fuzz/draws.js'
import { type Answer, clientOf, started } from './support/emulator.js'
import { SCENARIO } from './support/load.js'
import { figure, SEED } from './support/options.js'

const SANDBOXES = figure('SANDBOXES', { short: 8, long: 64 })
const CALLS = figure('CALLS', { short: 60, long: 3000 })
const LIMITS = { 'limits.sandboxes': SANDBOXES, 'limits.journal_bytes': 2 ** 27 }
const headers = { host: 'localhost', authorization: basic('sk_test_merchant:') }
/** Settings of its own, so that a response of another sandbox differs. */
const settingsOf = (nth: number) =>
  JSON.stringify({ seed: nth, ids: { length: 12 + nth, prefixes: { transaction: `t${nth}_` } } })
/** Ids that exist, and those that each of the first creates has. */
const IDS = {
  locations: ['loc_a'],
  accounts: ['mch_a', 'rsl_r'],
  tickets: ['tkt_a'],
  transactions: ['txn_busy', 'txn_large'],
  refunds: ['none'],
  users: ['none']
}

/** Sent alike by a client and in process, where no socket refuses what is too long. */
const isPlain = ({ method, path }: Call) =>
  ['GET', 'POST', 'DELETE'].includes(method) && path.length < 8000 && /^\/[a-z]/.test(path)

function requestsOf(nth: number): { method: string; path: string; body: string }[] {
  const start = [{ method: 'PATCH', path: '/_control/settings', body: settingsOf(nth) }]
  const calls = Array.from({ length: CALLS }, (_, index) =>
    apiCall(new Draws(SEED + nth, index), IDS)
  ).filter(isPlain)
  const sent = calls.map(({ method, path, body }) => ({
    method,
    path: `/next${path}`,
    body: method === 'POST' ? String(body ?? '') : ''
  }))
  return [...start, ...sent, { method: 'GET', path: '/_control/state', body: '' }]
}

t.test(`${SANDBOXES} sandboxes, ${CALLS} calls: each responds as if it were alone`, async t => {
  t.comment(`ENDURANCE_SEED=${SEED}`)
  const scenario = `${t.testdir({ 'load.json': JSON.stringify(SCENARIO) })}/load.json`
  const limits = Object.entries(LIMITS).flatMap(([name, value]) => ['--set', `${name}=${value}`])
  const { port, end } = await started(['--scenario', scenario, ...limits])
  const together = await Promise.all(
    Array.from({ length: SANDBOXES }, async (_, nth) => {
      const { call, close } = clientOf(port, `sandbox-${nth}`)
      const answers: Answer[] = []
      for (const { method, path, body } of requestsOf(nth))
        answers.push(await call(`${method} ${path}`, body))
      close()
      return answers
    })
  )
  t.equal(await end('SIGTERM'), 0)

  for (const [nth, answers] of together.entries()) {
    const settings = { port: 0, log_level: 'silent', scenario, ...LIMITS } as const
    const { app, close } = await runEmulator({ settings })
    for (const [index, { method, path, body }] of requestsOf(nth).entries()) {
      const type = path.startsWith('/_control')
        ? 'application/json'
        : 'application/x-www-form-urlencoded'
      const alone = await app.inject({
        method: method as InjectOptions['method'],
        url: `/sandbox/sandbox-${nth}${path}`,
        headers: { ...headers, ...(body !== '' && { 'content-type': type }) },
        ...(body !== '' && { payload: body })
      })
      const { status, text } = answers[index] as Answer
      if (alone.statusCode === status && alone.payload === text) continue
      const on = `${method} ${path} ${body}`.slice(0, 300)
      t.strictSame([status, text], [alone.statusCode, alone.payload], on)
      break
    }
    await close()
    const statuses = new Set(answers.map(({ status }) => status))
    t.ok(statuses.has(200) && statuses.has(400), `sandbox-${nth}: ${[...statuses]}`)
  }
})
