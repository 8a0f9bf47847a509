/** Wrong control tokens are answered later and later; right ones at once. */
import { getEventListeners } from 'node:events'
import t from 'tap'
import { wrongTokens } from '../../src/control/guard.js'
import { startTestEmulator } from '../support/emulator.js'

const TOKEN = 'open sesame, open'
const timed = async (wait: () => Promise<unknown>) => {
  const begun = performance.now()
  await wait()
  return performance.now() - begun
}

t.test('wrong tokens: each waits 50 ms longer than the one before, a second at most', async t => {
  const stopping = new AbortController()
  const wrong = wrongTokens(stopping.signal)

  for (const least of [50, 100, 150]) {
    const took = await timed(wrong)
    t.ok(took >= least - 2, `${least}: ${took}`)
  }
  const others = Promise.all(Array.from({ length: 60 }, wrong))
  const last = await timed(wrong)
  t.ok(last >= 998 && last < 2000, String(last))
  await others
})

t.test('wrong tokens: a hundred wait at most, and none after the emulator has stopped', async t => {
  const stopping = new AbortController()
  const wrong = wrongTokens(stopping.signal)
  let over = 0

  const all = Array.from({ length: 130 }, () => wrong().then(() => over++))
  // no timer ends between microtasks, however busy the machine is
  for (let tick = 0; tick < 10; tick++) await null
  t.equal(over, 30, 'the others are answered at once')
  t.equal(getEventListeners(stopping.signal, 'abort').length, 100)
  stopping.abort()
  await Promise.all(all)

  t.equal(over, 130)
  t.equal(getEventListeners(stopping.signal, 'abort').length, 0)
  t.ok((await timed(wrong)) < 500)
})

t.test('control: a wrong token waits, as bearer and at the sign-in; a right one, none and a cookie that is over do not', async t => {
  const { control } = await startTestEmulator(t, { settings: { control_token: TOKEN } })
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const slow: [what: string, status: number, send: () => ReturnType<typeof control>][] = [
    ['a wrong bearer', 401, () => control('GET /state', undefined, bearer('wrong'))],
    ['another scheme', 401, () => control('GET /state', undefined, { authorization: `Basic ${TOKEN}` })],
    ['a wrong bearer for a page', 401, () => control('GET ', undefined, { ...bearer('wrong'), accept: 'text/html' })],
    ['a wrong sign-in', 401, () => control('POST /session', { token: 'wrong' })]
  ]
  const quick: typeof slow = [
    ['a right bearer', 200, () => control('GET /state', undefined, bearer(TOKEN))],
    ['a right sign-in', 200, () => control('POST /session', { token: TOKEN })],
    ['no token', 401, () => control('GET /state')],
    ['the page that asks for it', 401, () => control('GET ', undefined, { accept: 'text/html' })],
    ['a cookie that is over', 401, () => control('GET /state', undefined, { cookie: 'commerce_emulator_80=old' })],
    ['health, whatever the token', 200, () => control('GET /health', undefined, bearer('wrong'))],
    ['a sign-in that is not one', 400, () => control('POST /session', {})]
  ]
  await control('GET /health')
  // from here on a wait is longer than an answer takes on a busy machine
  await Promise.all(Array.from({ length: 15 }, () => control('GET /state', undefined, bearer('wrong'))))

  const waiting = Promise.all(slow.map(([, , send]) => send()))
  const check = async ([what, status, send]: (typeof slow)[number], isInTime: (took: number) => boolean) => {
    const begun = performance.now()
    t.equal((await send()).status, status, what)
    const took = performance.now() - begun
    t.ok(isInTime(took), `${what}: ${took}`)
  }
  for (const one of quick) await check(one, took => took < 700)
  await waiting
  for (const one of slow) await check(one, took => took >= 798)
})
