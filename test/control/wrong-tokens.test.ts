/** Wrong control tokens are answered later and later; right ones at once. */
import { getEventListeners, setMaxListeners } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'
import t from 'tap'
import { wrongTokens } from '../../src/control/guard.js'
import { startTestEmulator } from '../support/emulator.js'

const TOKEN = 'open sesame, open'
/** How long each was told to wait; what waits ends when it is let go, or with its signal. */
const waits: number[] = []
let ends: (() => void)[] = []
const letGo = () => {
  for (const end of ends) end()
  ends = []
}
const { setTimeout: real } = timers
timers.setTimeout = ((ms: number, _value: undefined, options: { signal?: AbortSignal } = {}) => {
  waits.push(ms)
  return Promise.race([
    real(60_000, undefined, { ...options, ref: false }),
    new Promise<void>(end => ends.push(end))
  ])
}) as typeof real
syncBuiltinESMExports()
t.beforeEach(() => void waits.splice(0))

t.test('wrong tokens: each waits 50 ms longer than the one before, a second at most', async t => {
  const stopping = new AbortController()
  // as the control API does
  setMaxListeners(0, stopping.signal)
  const wrong = wrongTokens(stopping.signal)
  let over = 0

  const all = Array.from({ length: 130 }, () => wrong().then(() => over++))
  // no timer ends between microtasks, however busy the machine is
  for (let tick = 0; tick < 10; tick++) await null
  t.equal(over, 30, 'the others are answered at once')
  t.strictSame(
    waits,
    Array.from({ length: 100 }, (_, nth) => Math.min(50 * (nth + 1), 1000))
  )
  t.equal(getEventListeners(stopping.signal, 'abort').length, 100)
  stopping.abort()
  await Promise.all(all)
  await wrong()

  t.equal(over, 130)
  t.equal(getEventListeners(stopping.signal, 'abort').length, 0)
})

t.test('control: a wrong token waits, as bearer and at the sign-in; a right one', async t => {
  const { control } = await startTestEmulator(t, { settings: { control_token: TOKEN } })
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const page = { accept: 'text/html' }
  const cases: [what: string, status: number, isSlow: boolean, ...Parameters<typeof control>][] = [
    ['a wrong bearer', 401, true, 'GET /state', undefined, bearer('wrong')],
    ['another scheme', 401, true, 'GET /state', undefined, { authorization: `Basic ${TOKEN}` }],
    ['a wrong bearer for a page', 401, true, 'GET ', undefined, { ...bearer('wrong'), ...page }],
    ['a wrong sign-in', 401, true, 'POST /session', { token: 'wrong' }],
    ['a right bearer', 200, false, 'GET /state', undefined, bearer(TOKEN)],
    ['a right sign-in', 200, false, 'POST /session', { token: TOKEN }],
    ['no token', 401, false, 'GET /state'],
    ['the page that asks for it', 401, false, 'GET ', undefined, page],
    [
      'a cookie that is over',
      401,
      false,
      'GET /state',
      undefined,
      { cookie: 'commerce_emulator_80=old' }
    ],
    ['health, whatever the token', 200, false, 'GET /health', undefined, bearer('wrong')],
    ['a sign-in that is not one', 400, false, 'POST /session', {}]
  ]
  let slow = 0
  for (const [what, status, isSlow, ...given] of cases) {
    let isOver = false
    const answering = control(...given).finally(() => (isOver = true))
    if (isSlow) {
      while (waits.length === slow) await real(1)
      t.equal(isOver, false, `${what}: the answer waits`)
      slow++
      letGo()
    }
    t.equal((await answering).status, status, what)
    t.equal(waits.length, slow, what)
  }
})
